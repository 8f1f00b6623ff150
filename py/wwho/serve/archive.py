"""The package itself as one archive: what the Python page unpacks in Pyodide."""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path

from flask import Blueprint, Response

from wwho.serve.folders import PACKAGE, models_folder, web_folder
from wwho.serve.pages import REVALIDATE, send
from wwho.serve.site import Content, File

FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)  # that an archive can name


def archive() -> Blueprint:
    """The route `/python/wwho.zip`; the archive is made when it is first asked for."""
    blueprint = Blueprint("archive", __name__)
    lock = threading.Lock()
    made: list[File] = []

    @blueprint.get("/python/wwho.zip", provide_automatic_options=False)
    def serve() -> Response:
        with lock:
            if not made:
                made.append(File("application/zip", Content.of(packed())))
        return send(made[0], REVALIDATE)

    return blueprint


def packed() -> bytes:
    """The package as a zip archive: its Python files and data, its tokenizers and wwho.wasm."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, path in sorted(contents().items()):
            entry = zipfile.ZipInfo(name, FIRST_MOMENT)
            made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def contents() -> dict[str, Path]:
    """The files of the package by their names in the archive."""
    suffixes = {".py", ".json"}
    files = [path for path in PACKAGE.rglob("*") if path.suffix in suffixes]
    files += models_folder().glob("*.wwho")
    found = {f"wwho/{path.relative_to(PACKAGE).as_posix()}": path for path in files}
    return found | {"wwho/web/package/wwho.wasm": web_folder() / "package" / "wwho.wasm"}
