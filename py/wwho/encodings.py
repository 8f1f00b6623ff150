"""The encodings that ship with the package, by name."""

from __future__ import annotations

import threading
from importlib import resources

from wwho.backend.select import BackendName, default_backend
from wwho.errors import ArtifactError
from wwho.tokenizer import Tokenizer

DEFAULT_ENCODING = "wwho_328k"
SUFFIX = ".wwho"

_lock = threading.Lock()
_open: dict[tuple[str, BackendName], Tokenizer] = {}


def get_encoding(name: str = DEFAULT_ENCODING, backend: BackendName | None = None) -> Tokenizer:
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
    key = (name, backend or default_backend())
    with _lock:
        if key not in _open:
            _open[key] = Tokenizer(model_bytes(name), key[1], shipped=name)
        return _open[key]


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
        raise ArtifactError(
            f"there is no encoding {name!r}; there are {', '.join(names)}. "
            "Open a file of your own with Tokenizer.load(path)"
        )
    return (resources.files("wwho") / "models" / f"{name}{SUFFIX}").read_bytes()
