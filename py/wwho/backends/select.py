"""Opening an artifact with a backend, named or the best one.

The best one is the native backend if it is installed, otherwise WebAssembly in Pyodide, otherwise
the reference.
"""

from __future__ import annotations

import sys
import warnings
from typing import Literal, get_args

from wwho.backends.backend import Backend
from wwho.errors import BackendError

BackendName = Literal["native", "wasm", "reference"]
NAMES: tuple[str, ...] = get_args(BackendName)


def open_backend(blob: bytes, name: BackendName | None = None) -> Backend:
    """Open an artifact with a backend, and return the open model.

    Args:
        blob: all bytes of the artifact.
        name: "native", "wasm" or "reference"; None for what `default_backend` returns.

    Raises:
        ArtifactError: the artifact breaks a MUST of FORMAT.md.
        BackendError: no backend has this name, or it cannot run here.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> open_backend(model_bytes("cl100k_base"), "reference").kind
        'reference'
    """
    if name is None:
        name = default_backend()
    if name == "native":
        return _open_native(blob)
    if name == "wasm":
        from wwho.backends.wasm import WasmBackend

        return WasmBackend(blob)
    if name == "reference":
        from wwho.backends.reference import ReferenceBackend

        return ReferenceBackend(blob)
    raise BackendError(f"there is no backend {name!r}; choose one of {', '.join(NAMES)}")


def default_backend() -> BackendName:
    """Return the name of the best backend that can run here.

    The native core is imported to find out. In Pyodide without it, the result is "wasm", whether
    or not the package has its .wasm file.

    Warns:
        RuntimeWarning: the best one is the reference, which is slow.

    Example:
        >>> default_backend() in NAMES
        True
    """
    try:
        import wwho._core  # noqa: F401
    except ImportError as error:
        if sys.platform == "emscripten":
            return "wasm"
        warnings.warn(
            f"wwho runs in plain Python, which is slow: its native core cannot be imported "
            f"({error}). Install wwho from its source, or a wheel for this platform",
            RuntimeWarning,
            stacklevel=2,
        )
        return "reference"
    return "native"


def _open_native(blob: bytes) -> Backend:
    """Open an artifact with the native backend.

    Raises:
        ArtifactError: the artifact breaks a MUST of FORMAT.md.
        BackendError: the native core cannot be imported, or is of another version.
    """
    try:
        from wwho.backends.native import NativeBackend
    except ImportError as error:
        raise BackendError(
            f"the native backend cannot be imported ({error}). Install a wheel of wwho, or build "
            "it with 'python tools/build_native.py'; backend='reference' needs no compiler"
        ) from error
    return NativeBackend(blob)
