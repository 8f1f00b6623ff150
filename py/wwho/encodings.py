"""The encodings that ship with the package, by name or by the model that they belong to."""

from __future__ import annotations

import json
import threading
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from wwho.backends.select import BackendName, default_backend
from wwho.errors import ArtifactError, UnknownModelError
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.tiktoken_encoding import Encoding

DEFAULT_ENCODING = "wwho_328k"
SUFFIX = ".wwho"

_Kind = TypeVar("_Kind", bound=Tokenizer)
_lock = threading.RLock()
_open: dict[tuple[type[Tokenizer], str, BackendName], Any] = {}


def get_encoding(name: str = DEFAULT_ENCODING, backend: BackendName | None = None) -> Encoding:
    """A shipped encoding. It is opened once; later calls give the same object.

    Args:
        name: one of `list_encoding_names()`.
        backend: "native", "wasm" or "reference"; None for the best that is there.

    Raises:
        ArtifactError: no encoding has this name.
        BackendError: the backend asked for cannot run here.

    Example:
        >>> get_encoding("o200k_base") is get_encoding("o200k_base")
        True
    """
    return open_shipped(Encoding, name, backend)


def open_shipped(kind: type[_Kind], name: str, backend: BackendName | None = None) -> _Kind:
    """A shipped encoding as an object of a class, the same one at each call."""
    key = (kind, name, backend or default_backend())
    with _lock:
        if key not in _open:
            _open[key] = kind._open(model_bytes(name), key[2], shipped=(open_shipped, name))
        found: _Kind = _open[key]
        return found


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding of one of OpenAI's models.

    Raises:
        UnknownModelError: as `encoding_name_for_model` (also a KeyError).

    Example:
        >>> encoding_for_model("gpt-4o").name
        'o200k_base'
    """
    return get_encoding(encoding_name_for_model(model_name))


def encoding_name_for_model(model_name: str) -> str:
    """The name of the encoding of one of OpenAI's models.

    Args:
        model_name: such as "gpt-4o"; names with a date, and those of fine-tuned models, are known
            by how they begin.

    Raises:
        UnknownModelError: the model is not known (also a KeyError).

    Example:
        >>> encoding_name_for_model("gpt-oss-20b"), encoding_name_for_model("ft:gpt-4o:mine")
        ('o200k_harmony', 'o200k_base')
    """
    facts = _openai()
    if model_name in facts["models"]:
        name: str = facts["models"][model_name]["encoding"]
        return name
    for start, name in facts["prefixes"].items():
        if model_name.startswith(start):
            return name
    from difflib import get_close_matches  # for errors alone

    near = get_close_matches(model_name, facts["models"], n=3, cutoff=0.4)
    hint = f"; models with a similar name are {', '.join(near)}" if near else ""
    raise UnknownModelError(
        f"no model {model_name!r} was known on {facts['date']}{hint}. "
        "If you know its encoding, call get_encoding(name)"
    )


@cache
def _openai() -> dict[str, Any]:
    """What is known of OpenAI's models."""
    text = (resources.files("wwho") / "openai.json").read_text("utf-8")
    facts: dict[str, Any] = json.loads(text)
    return facts


def list_encoding_names() -> list[str]:
    """The names of the encodings that ship with the package.

    Example:
        >>> "o200k_base" in list_encoding_names()
        True
    """
    files = (resources.files("wwho") / "models").iterdir()
    return sorted(file.name.removesuffix(SUFFIX) for file in files if file.name.endswith(SUFFIX))


def model_bytes(name: str) -> bytes:
    """The artifact of a shipped encoding.

    Raises:
        ArtifactError: no encoding has this name.

    Example:
        >>> model_bytes("o200k_base")[1:5]
        b'WWHO'
    """
    names = list_encoding_names()
    if name not in names:
        if name in _openai()["models"]:
            raise ArtifactError(
                f"{name!r} is a model, not an encoding; call encoding_for_model({name!r})"
            )
        raise ArtifactError(
            f"there is no encoding {name!r}; there are {', '.join(names)}. "
            "Open a file of your own with Tokenizer.load(path)"
        )
    return (resources.files("wwho") / "models" / f"{name}{SUFFIX}").read_bytes()


def is_file(name: str) -> bool:
    """Whether a model's name is a file's, and not a shipped encoding's.

    Raises:
        ArtifactError: it is neither.

    Example:
        >>> is_file("o200k_base"), is_file("mine.wwho")
        (False, True)
    """
    shipped = list_encoding_names()
    if name in shipped:
        return False
    # The path of an empty name would be the current folder.
    if name and (name.endswith(".wwho") or "/" in name or "\\" in name or Path(name).exists()):
        return True
    raise ArtifactError(
        f"there is no encoding {name!r}; give one of {', '.join(shipped)}, "
        "or a path to a .wwho file"
    )
