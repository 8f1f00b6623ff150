"""The routes of the page's files: their types, caching, compression and content policy."""

from __future__ import annotations

import io
import re
from pathlib import Path

from flask import Blueprint, Response, request, send_from_directory
from werkzeug.exceptions import NotFound, RequestedRangeNotSatisfiable
from werkzeug.routing import PathConverter
from werkzeug.wsgi import wrap_file

from wwho.serve.site import MIME_TYPES, Content, File, Site

FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
_PINNED = re.compile(r"\Astatic/[0-9a-f]{16}/")
NOT_BUILT = (
    "The demo page needs web/package/wwho.wasm, which this installation lacks.\n"
    "Install ziglang==0.16.0 and wwho once more: python -m pip install --force-reinstall wwho\n"
    "In a clone of its repository: python tools/build_wasm.py\n"
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

    @blueprint.get("/", defaults={"name": "index.html"}, provide_automatic_options=False)
    @blueprint.get("/<page_file:name>", provide_automatic_options=False)
    def serve(name: str) -> Response:
        if name == "index.html" and "package/wwho.wasm" not in site.files:
            return Response(NOT_BUILT, 503, mimetype="text/plain")
        if name in site.opened:
            opened = request.headers.get("Sec-Fetch-Dest") == "document"
            response = send(site.opened[name] if opened else site.files[name], REVALIDATE)
            response.vary.add("Sec-Fetch-Dest")
            return response
        file = site.files.get(_PINNED.sub("", name))
        if file is None:
            raise NotFound
        return send(file, FOREVER if name.startswith(site.pinned) else REVALIDATE)

    return blueprint


class Window(io.BytesIO):
    """Some of the bytes of a file, as a stream.

    It shares them (so long as nobody asks for its `getbuffer()`, as Flask's `send_file` does), and
    the server sends from it directly: a thousand clients that are slow to read hold one file.
    """

    def __init__(self, data: bytes, start: int, end: int) -> None:
        """Begin at `start`; read nothing from `end` on."""
        super().__init__(data)
        self.seek(start)
        self.end = end

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        rest = max(0, self.end - self.tell())
        return super().read(rest if size is None or size < 0 else min(size, rest))


def send(file: File, caching: str) -> Response:
    """A file: whole, a range of it, or the word that it has not changed.

    Raises:
        RequestedRangeNotSatisfiable: the range has none of its bytes.
    """
    accepts = request.accept_encodings["br"] > 0
    content, encoding = file.content(accepts_brotli=accepts)
    response = Response(content_type=file.mime)
    response.set_etag(content.etag)
    response.headers["Cache-Control"] = caching
    response.headers["Accept-Ranges"] = "bytes"
    response.vary.add("Accept-Encoding")
    if encoding:
        response.headers["Content-Encoding"] = encoding
    response.make_conditional(request)
    if response.status_code != 200:
        return response
    start, end = 0, len(content.data)
    part = asked_range(content)
    if part is not None:
        start, end = part
        response.status_code = 206
        response.content_range.set(start, end, len(content.data))
    response.content_length = end - start
    response.response = wrap_file(request.environ, Window(content.data, start, end))
    response.direct_passthrough = True
    return response


def asked_range(content: Content) -> tuple[int, int] | None:
    """The bytes that are asked for, from the first to the one behind the last; None for all.

    All are sent too where the request asks for several ranges, in another unit, in words that
    cannot be read, or for a range of other bytes than these (RFC 9110, 14.2 and 13.1.5).

    Raises:
        RequestedRangeNotSatisfiable: there are none of them.
    """
    asked, length = request.range, len(content.data)
    known = request.headers.get("If-Range", f'"{content.etag}"') == f'"{content.etag}"'
    if request.method != "GET" or not known:
        return None
    if asked is None or asked.units != "bytes" or len(asked.ranges) != 1:
        return None
    start, end = asked.ranges[0]
    start = start if start >= 0 else max(0, start + length)
    end = length if end is None else min(end, length)
    if start >= end:
        raise RequestedRangeNotSatisfiable(length)
    return start, end


def mounted(prefix: str, folder: Path) -> Blueprint:
    """The routes of a large folder, such as Pyodide's, whose files are read when asked for.

    Every path that leads out of it, or to no file, is answered by 404. Links in it are followed.
    """
    blueprint = Blueprint(prefix, __name__)
    root = folder.resolve()

    @blueprint.get(f"/{prefix}/<path:name>", provide_automatic_options=False)
    def serve(name: str) -> Response:
        response = send_from_directory(root, name)
        response.content_type = MIME_TYPES.get(Path(name).suffix, response.content_type)
        response.headers["Cache-Control"] = REVALIDATE
        response.make_conditional(request)
        return response

    return blueprint
