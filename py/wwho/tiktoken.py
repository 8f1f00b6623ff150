"""`import wwho.tiktoken as tiktoken`: tiktoken's names, with its defaults.

Text that spells a special token is an error unless the call allows it, or says
`disallowed_special=()`. That is all that differs from `wwho.Encoding`.

Example:
    >>> import wwho.tiktoken as tiktoken
    >>> enc = tiktoken.encoding_for_model("gpt-4o")
    >>> enc.encode("<|endoftext|>", disallowed_special=())
    [27, 91, 419, 1440, 919, 91, 29]
"""

from __future__ import annotations

from typing import ClassVar

from wwho.backends.select import BackendName
from wwho.encodings import encoding_name_for_model, open_shipped
from wwho.encodings import list_encoding_names as _list_encoding_names
from wwho.tokenizer.special_tokens import Allowed
from wwho.tokenizer.tiktoken_encoding import Encoding as _Encoding

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
]


class Encoding(_Encoding):
    """A `wwho.Encoding` for which a spelled special token is an error unless a call allows it."""

    __slots__ = ()
    _disallowed: ClassVar[Allowed] = "all"


def get_encoding(encoding_name: str, backend: BackendName | None = None) -> Encoding:
    """Return a shipped encoding, opened once, that refuses spelled special tokens by default.

    Args:
        encoding_name: one of the names that `wwho.list_encoding_names` lists.
        backend: "native", "wasm" or "reference"; None for the best that is there.

    Raises:
        ArtifactError: no encoding has this name (also a ValueError).
        BackendError: the backend cannot run here.

    Example:
        >>> get_encoding("gpt2").encode("hello world")
        [31373, 995]
    """
    return open_shipped(Encoding, encoding_name, backend)


def list_encoding_names() -> list[str]:
    """Return the names of OpenAI's encodings, sorted.

    `get_encoding` also knows the encodings of WWHO, which are not listed here.

    Example:
        >>> "gpt2" in list_encoding_names(), "wwho_328k" in list_encoding_names()
        (True, False)
    """
    return [name for name in _list_encoding_names() if not name.startswith("wwho_")]


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding of one of OpenAI's models, as `get_encoding` does.

    Args:
        model_name: as for `encoding_name_for_model`.

    Raises:
        UnknownModelError: the model is not known (also a KeyError).

    Example:
        >>> encoding_for_model("text-davinci-003").name
        'p50k_base'
    """
    return get_encoding(encoding_name_for_model(model_name))
