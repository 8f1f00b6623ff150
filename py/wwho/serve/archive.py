"""The package as a zip archive, for Pyodide. Needs the standard library alone."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
MODELS = PACKAGE / "models"
WEB = PACKAGE / "web" if (PACKAGE / "web").is_dir() else PACKAGE.parent.parent / "web"
"""In an installed package the page is a part of it; in the repository it stands beside it."""
CORE = "package/wwho.wasm"


def packed(*, models: bool) -> bytes:
    """The package as a zip archive: its Python files and data, and wwho.wasm.

    Args:
        models: whether its tokenizers are in it; an import of another one needs none of them.
    """
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".json")]
    files += MODELS.glob("*.wwho") if models else ()
    named = {f"wwho/{path.relative_to(PACKAGE).as_posix()}": path for path in files}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, path in sorted((named | {f"wwho/web/{CORE}": WEB / CORE}).items()):
            entry = zipfile.ZipInfo(name)  # of 1980, so that the same files are the same archive
            made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
