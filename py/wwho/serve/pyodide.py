"""What the Python page needs: Pyodide's folder, and the package itself as one archive."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from wwho.serve.archive import packed
from wwho.serve.files import MIME_TYPES, REVALIDATE, File


def routes(folder: Path) -> Blueprint:
    """The routes `/pyodide/`, a folder, and `/python/wwho.zip`, made when it is first asked for.

    The folder is large, so its files are read when they are asked for. Every path that leads out of
    it, or to no file, is answered by 404.
    """
    blueprint = Blueprint("pyodide", __name__)
    root = folder.resolve()
    archive = cache(lambda: File("application/zip", packed(models=True)))

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
