"""The routes of the page's files: their types, caching, compression and content policy."""

from __future__ import annotations

import io
import re
from pathlib import Path

from flask import Blueprint, Response, request, send_file, send_from_directory
from werkzeug.exceptions import NotFound
from werkzeug.routing import PathConverter

from wwho.serve.site import MIME_TYPES, File, Site

FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
_PINNED = re.compile(r"static/[0-9a-f]{16}/")
NOT_BUILT = (
    "The demo page needs web/wwho.wasm, which has not been built.\n"
    "Build it with: python tools/build_wasm.py (needs ziglang==0.16.0 from PyPI)\n"
)


class PageFile(PathConverter):
    """A path that is not the API's: of its paths no other route may say which methods they have."""

    regex = "(?!api/)[^/].*?"


def pages(site: Site) -> Blueprint:
    """The routes of a site.

    Pages and files under their own names are revalidated by ETag, so any of them may change. Files
    below `static/VERSION/` are kept for good. A browser that opens a page gets the links in it
    pinned to that version; everybody else, a service worker that fills its cache among them, gets
    the page as it is. Scripts find their files relative to themselves, so that both work.
    """
    blueprint = Blueprint("pages", __name__)
    # By name: `page/icon.svg` in index.html becomes `static/VERSION/page/icon.svg`.
    top = {name: site.page(name) for name in site.files if re.fullmatch(r"[^/]+\.html", name)}

    @blueprint.get("/", defaults={"name": "index.html"}, provide_automatic_options=False)
    @blueprint.get("/<page_file:name>", provide_automatic_options=False)
    def serve(name: str) -> Response:
        if name == "index.html" and "wwho.wasm" not in site.files:
            return Response(NOT_BUILT, 503, mimetype="text/plain")
        if name in top:
            opened = request.headers.get("Sec-Fetch-Dest") == "document"
            response = send(top[name] if opened else site.files[name], REVALIDATE)
            response.vary.add("Sec-Fetch-Dest")
            return response
        file = site.files.get(_PINNED.sub("", name, count=1))
        if file is None:
            raise NotFound
        return send(file, FOREVER if name.startswith(site.pinned) else REVALIDATE)

    return blueprint


def send(file: File, caching: str) -> Response:
    """A file: whole, a range of it, or the word that it has not changed."""
    accepts = request.accept_encodings["br"] > 0
    content, encoding = file.content(accepts_brotli=accepts)
    response = send_file(io.BytesIO(content.data), file.mime, conditional=True, etag=content.etag)
    response.headers["Content-Type"] = file.mime
    response.headers["Cache-Control"] = caching
    response.vary.add("Accept-Encoding")
    if encoding:
        response.headers["Content-Encoding"] = encoding
    return response


def mounted(prefix: str, folder: Path) -> Blueprint:
    """The routes of a large folder, such as Pyodide's, whose files are read when asked for.

    Every path that leads out of it, or to no file, is answered by 404.
    """
    blueprint = Blueprint(prefix, __name__)
    root = folder.resolve()

    @blueprint.get(f"/{prefix}/<path:name>", provide_automatic_options=False)
    def serve(name: str) -> Response:
        mime = MIME_TYPES.get(Path(name).suffix)
        response = send_from_directory(root, name, mimetype=mime, conditional=True)
        response.headers["Cache-Control"] = REVALIDATE
        return response

    return blueprint
