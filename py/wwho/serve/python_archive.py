"""wwho in Python as one archive, which Pyodide runs.

It imports nothing but the standard library, so that tools/build_npm.py runs in any Python.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
MODELS = PACKAGE / "models"
WEB = PACKAGE / "web" if (PACKAGE / "web").is_dir() else PACKAGE.parent.parent / "web"
"""In an installed package the page is a part of it; in the repository it stands beside it."""
CORE = "package/wwho.wasm"
"""The path of the core below the folder of the page."""


def pack_python(*, models: bool) -> bytes:
    """Pack the package wwho into a zip archive: Python files, JSON data, and wwho.wasm.

    The same files are always the same bytes.

    Args:
        models: whether the shipped tokenizers are packed too; an import of another one needs none.
    """
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".json")]
    files += MODELS.glob("*.wwho") if models else ()
    by_name = {f"wwho/{path.relative_to(PACKAGE).as_posix()}": path for path in files}
    by_name[f"wwho/web/{CORE}"] = WEB / CORE
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, path in sorted(by_name.items()):
            # Entries made in this way are dated 1980, whatever the date of the file.
            entry = zipfile.ZipInfo(name)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
