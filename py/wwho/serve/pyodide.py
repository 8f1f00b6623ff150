"""What the Python page needs: Pyodide's folder, and the package itself as one archive."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from wwho.serve.files import CORE, MIME_TYPES, MODELS, PACKAGE, REVALIDATE, WEB, File


def routes(folder: Path) -> Blueprint:
    """The routes `/pyodide/`, a folder, and `/python/wwho.zip`, made when it is first asked for.

    The folder is large, so its files are read when they are asked for. Every path that leads out of
    it, or to no file, is answered by 404.
    """
    blueprint = Blueprint("pyodide", __name__)
    root = folder.resolve()
    archive = cache(lambda: File("application/zip", packed()))

    @blueprint.get("/pyodide/<path:name>")
    def file(name: str) -> Response:
        response = send_from_directory(root, name)
        response.content_type = MIME_TYPES.get(Path(name).suffix, response.content_type)
        response.headers["Cache-Control"] = REVALIDATE
        return response

    @blueprint.get("/python/wwho.zip")
    def package() -> Response:
        return archive().response(REVALIDATE)

    return blueprint


def packed() -> bytes:
    """The package as a zip archive: its Python files and data, its tokenizers and wwho.wasm."""
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".json")]
    files += MODELS.glob("*.wwho")
    named = {f"wwho/{path.relative_to(PACKAGE).as_posix()}": path for path in files}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, path in sorted((named | {f"wwho/web/{CORE}": WEB / CORE}).items()):
            entry = zipfile.ZipInfo(name)  # of 1980, so that the same files are the same archive
            made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
