"""Opening the encodings that ship with the package, by name or by the model that uses them."""

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
# The encodings that were opened, by class, name and backend; they stay open. Guarded by _lock.
_opened: dict[tuple[type[Tokenizer], str, BackendName], Any] = {}


def get_encoding(name: str = DEFAULT_ENCODING, backend: BackendName | None = None) -> Encoding:
    """Return a shipped encoding, which is opened once: later calls return the same object.

    Args:
        name: one of `list_encoding_names()`.
        backend: "native", "wasm" or "reference"; None for the best that is there.

    Raises:
        ArtifactError: no encoding has this name (also a ValueError).
        BackendError: the backend cannot run here.

    Example:
        >>> get_encoding("o200k_base") is get_encoding("o200k_base")
        True
    """
    return open_shipped(Encoding, name, backend)


def open_shipped(kind: type[_Kind], name: str, backend: BackendName | None = None) -> _Kind:
    """Return a shipped encoding as an object of a class, the same object at each call.

    Objects are kept for each class, name and backend. Pickles of them name this function.

    Args:
        kind: `Tokenizer` or a class derived from it.
        name: one of `list_encoding_names()`.
        backend: "native", "wasm" or "reference"; None for the best that is there.

    Raises:
        ArtifactError: no encoding has this name.
        BackendError: the backend cannot run here.
    """
    backend = backend or default_backend()
    key = (kind, name, backend)
    with _lock:
        if key not in _opened:
            _opened[key] = kind._open(model_bytes(name), backend, shipped=(open_shipped, name))
        encoding: _Kind = _opened[key]
        return encoding


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding of one of OpenAI's models, opened with the best backend.

    Args:
        model_name: as for `encoding_name_for_model`.

    Raises:
        UnknownModelError: the model is not known (also a KeyError).

    Example:
        >>> encoding_for_model("gpt-4o").name
        'o200k_base'
    """
    return get_encoding(encoding_name_for_model(model_name))


def encoding_name_for_model(model_name: str) -> str:
    """Return the name of the encoding of one of OpenAI's models.

    Args:
        model_name: such as "gpt-4o". A name with a date, or that of a fine-tuned model, is known by
            its beginning, and one with its provider, "openai/gpt-4o" or "azure/gpt-4o", without it.

    Raises:
        UnknownModelError: the model is not known (also a KeyError). The message lists up to three
            models with similar names; of a model of another company it says how to import its
            tokenizer.

    Example:
        >>> encoding_name_for_model("gpt-oss-20b"), encoding_name_for_model("ft:gpt-4o:mine")
        ('o200k_harmony', 'o200k_base')
    """
    facts, bare = openai_facts(), bare_model_name(model_name)
    if bare in facts["models"]:
        name: str = facts["models"][bare]["encoding"]
        return name
    for prefix, name in facts["prefixes"].items():
        if bare.startswith(prefix):
            return name
    words = bare.lower().replace(":", "/").split("/")
    if any(word.startswith(tuple(facts["others"])) for word in words):
        raise UnknownModelError(
            f"the model {model_name!r} is not one of OpenAI's; "
            "import its own tokenizer with wwho.importers, or `wwho import`"
        )
    from difflib import get_close_matches  # for errors alone

    similar = get_close_matches(bare.lower(), facts["models"], n=3, cutoff=0.4)
    hint = f"; models with a similar name are {', '.join(similar)}" if similar else ""
    raise UnknownModelError(
        f"no model {model_name!r} was known on {facts['date']}{hint}. "
        "If you know its encoding, call get_encoding(name)"
    )


def bare_model_name(model_name: str) -> str:
    """Return the name that OpenAI has for a model: without the provider before it.

    Example:
        >>> bare_model_name("azure/gpt-4o")
        'gpt-4o'
    """
    providers: list[str] = openai_facts()["providers"]
    provider = next((each for each in providers if model_name.startswith(each)), "")
    return model_name.removeprefix(provider)


@cache
def openai_facts() -> dict[str, Any]:
    """Return openai.json: models, beginnings of names with their encodings, and the date of both.

    Example:
        >>> openai_facts()["models"]["gpt-4o"]["context"]
        128000
    """
    text = (resources.files("wwho") / "openai.json").read_text("utf-8")
    facts: dict[str, Any] = json.loads(text)
    return facts


def list_encoding_names() -> list[str]:
    """Return the names of the encodings that ship with the package, sorted.

    Example:
        >>> "o200k_base" in list_encoding_names()
        True
    """
    files = (resources.files("wwho") / "models").iterdir()
    return sorted(file.name.removesuffix(SUFFIX) for file in files if file.name.endswith(SUFFIX))


def model_bytes(name: str) -> bytes:
    """Return the bytes of the `.wwho` file of a shipped encoding, read anew at each call.

    Raises:
        ArtifactError: no encoding has this name; the message lists all names, or says which
            function takes a model's name.

    Example:
        >>> model_bytes("o200k_base")[1:5]
        b'WWHO'
    """
    names = list_encoding_names()
    if name not in names:
        if name in openai_facts()["models"]:
            raise ArtifactError(
                f"{name!r} is a model, not an encoding; call encoding_for_model({name!r})"
            )
        raise ArtifactError(
            f"there is no encoding {name!r}; there are {', '.join(names)}. "
            "Open a file of your own with Tokenizer.load(path)"
        )
    return (resources.files("wwho") / "models" / f"{name}{SUFFIX}").read_bytes()


def is_model_file(name: str) -> bool:
    """Return True if a name is the path of a model's file, False if it is a shipped encoding's.

    A path is a name that ends in .wwho, contains a slash or backslash, or exists; a shipped
    encoding goes before a file with its name.

    Raises:
        ArtifactError: it is neither.

    Example:
        >>> is_model_file("o200k_base"), is_model_file("mine.wwho")
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
