"""The files of the demo page: read and compressed when the server starts, and served by name.

No request reads the disk, except for those below `/pyodide/`, so no request can read a file that is
not among them.
"""

from __future__ import annotations

import hashlib
import html
import io
import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import brotli
from flask import Blueprint, Flask, Response, request, send_file, send_from_directory
from werkzeug.exceptions import InternalServerError, NotFound
from werkzeug.routing import PathConverter

from wwho.serve.python_archive import CORE, MODELS, WEB, pack_python

FOLDERS = {"": WEB / "site", "package/": WEB / "package", "package/models/": MODELS}
"""The folders that are served, by the beginnings of their files' paths."""
IMPORTER = "package/python.zip"
"""The path of wwho in Python without its tokenizers, which wwho/import of the npm package runs."""
PYTHON = "python/wwho.zip"
"""The path of wwho in Python with its tokenizers, for the Python page."""
FONTS = "fonts/noto.css"
"""The path of the styles of the page's fonts, empty unless tools/build_fonts.py has made them."""
DOCS = WEB / "docs"
"""The documentation as web pages, if tools/build_docs.py has made it."""
NO_DOCS = "docs/index.html"
"""The path of the page that stands in for the documentation where that has not been made."""
DOCS_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)
REMEDY = "install wwho again, or restore the file in the clone of its repository"
# Files with other suffixes are not served. The types are fixed here, because the system's own table
# differs between machines.
MIME_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".md": "text/plain",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".wwho": "application/octet-stream",
}
ZIP = "application/zip"
QUICK, BEST = 5, 11
"""Qualities of brotli: all files take 0.2 s and 5.1 MB with one, 15 s and 4.6 MB with the other."""
FOREVER, REVALIDATE = "public, max-age=31536000, immutable", "no-cache"
_LINK = re.compile(rb'\b(src|href)="([^"]+)"')
_MODULE = re.compile(rb'<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"')
_IMPORT = re.compile(rb'^(?:import|export)\b(?:[^";]*\bfrom)? "(\.[^"]+)";', re.MULTILINE)
_PINNED = re.compile(r"\Astatic/[0-9a-f]{16}/")


def find_npm_package(name: str) -> Path | None:
    """Return the folder of an installed npm package, or of a scope of packages; None for none.

    It is looked for in `node_modules` of the current folder, and then of each folder above.
    """
    here = Path.cwd()
    places = (each / "node_modules" / name for each in (here, *here.parents))
    return next((place for place in places if place.is_dir()), None)


class SiteFile:
    """A file as it is sent: its bytes, plain and compressed with brotli.

    Attributes:
        mime: its media type.
        data: its bytes.
        etag: a hash of the bytes.
        compressed: the compressed bytes, and their hash.
    """

    def __init__(self, mime: str, data: bytes) -> None:
        """Take the bytes of a file, and compress them quickly."""
        self.mime, self.data, self.etag = mime, data, _hash_bytes(data)
        self.compress(QUICK)

    def compress(self, quality: int) -> None:
        """Replace the compressed bytes by ones of another quality of brotli, 0 to 11.

        Threads that serve the file at the same time get the old bytes or the new ones, whole.
        """
        data = brotli.compress(self.data, quality=quality)
        self.compressed = data, _hash_bytes(data)

    def response(self, caching: str) -> Response:
        """Return the response to the current request: the file, or 304 if the browser has it.

        The compressed bytes are sent if the browser takes them, and they are the shorter ones.

        Args:
            caching: the value of the header Cache-Control.
        """
        (data, etag), compressed = (self.data, self.etag), self.compressed
        headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
        if len(compressed[0]) < len(data) and request.accept_encodings["br"] > 0:
            (data, etag), headers["Content-Encoding"] = compressed, "br"
        # A stream shares the bytes, so that clients that read slowly take no memory of their own.
        response = send_file(io.BytesIO(data), self.mime, conditional=False, etag=etag)
        response.headers.update(headers)
        response.make_conditional(request)
        return response


def list_files(folders: Mapping[str, Path]) -> dict[str, Path]:
    """Return the files of some folders and of those in them, by the paths where they are served.

    Files whose suffix is not in `MIME_TYPES` are left out.

    Args:
        folders: each folder by the beginning of its files' paths, "" or one that ends in a slash.
    """
    return {
        prefix + path.relative_to(folder).as_posix(): path
        for prefix, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.suffix in MIME_TYPES and path.is_file()
    }


class Site:
    """All files of the demo page, by the paths where they are served.

    Attributes:
        files: the files by path, such as `page/main.js`. Pages at the top name their own files
            below `static/VERSION/`, where they never change.
        version: a hash of all files, 16 hexadecimal digits.
    """

    def __init__(self, folders: Mapping[str, Path], url: str | None = None) -> None:
        """Read all files of some folders, and add what they lack: styles of fonts, and `IMPORTER`.

        Args:
            folders: as for `list_files`. Without the core `package/wwho.wasm` there is no
                `IMPORTER`.
            url: the public address of the page, which that of its preview picture begins with;
                None for a relative address.
        """
        self.files = {
            name: SiteFile(MIME_TYPES[path.suffix], path.read_bytes())
            for name, path in list_files(folders).items()
        }
        self.files.setdefault(FONTS, SiteFile(MIME_TYPES[".css"], b""))
        if CORE in self.files:
            self.files[IMPORTER] = SiteFile(ZIP, pack_python(models=False))
        names = "".join(f"{name} {file.etag}\n" for name, file in self.files.items())
        self.version = _hash_bytes(names.encode())[:16]
        for name, file in self.files.items():
            if name.endswith(".html") and "/" not in name:
                self.files[name] = SiteFile(file.mime, self._pin_links(file.data, url))

    def _pin_links(self, page: bytes, url: str | None) -> bytes:
        """Return a page whose links to scripts, styles and pictures lead below `static/VERSION/`.

        It also gets a link for each module that its modules import, however deep: a browser that
        has to find them in each other waits for the network as often as they are nested.

        Args:
            page: the HTML.
            url: the public address for its preview picture; None leaves the picture's as it is.
        """
        if url is not None:
            preview = b'property="og:image" content="'
            page = page.replace(preview, preview + html.escape(url.rstrip("/") + "/").encode())

        def pin(link: re.Match[bytes]) -> bytes:
            """Return an attribute with its link pinned, if that is to a file that is no page."""
            target = link[2].decode("utf-8", "replace")
            if target not in self.files or target.endswith((".html", ".webmanifest")):
                return link[0]
            return b'%b="static/%b/%b"' % (link[1], self.version.encode(), link[2])

        modules = [name.decode() for name in _MODULE.findall(page)]
        links = (
            f'  <link rel="modulepreload" href="{name}">\n' for name in self._find_imports(modules)
        )
        return _LINK.sub(pin, page.replace(b"</head>", "".join(links).encode() + b"</head>"))

    def _find_imports(self, modules: Iterable[str]) -> list[str]:
        """Return the paths of all modules that some modules import, the direct imports first.

        The modules themselves are left out, and so are paths without a file.
        """
        own = [name for name in modules if name in self.files]
        found = [*own]
        # The list grows while it is gone through.
        for name in found:
            for link in _IMPORT.findall(self.files[name].data):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(name), link.decode()))
                if path in self.files and path not in found:
                    found.append(path)
        return found[len(own) :]

    def compress_best(self) -> None:
        """Compress every file as well as brotli can, small ones first; takes some ten seconds."""
        for file in sorted(self.files.values(), key=lambda file: len(file.data)):
            file.compress(BEST)


class SitePath(PathConverter):
    """A path of a file; not one of the API, whose own routes say which methods there are."""

    regex = "(?!api/)[^/].*?"


def add_site_routes(app: Flask, site: Site) -> None:
    """Add the routes of a site to an application: `/` and the files at their paths.

    Each file is also at its path below `static/VERSION/`, to be kept forever. A page of another
    version, still open in a browser, gets the files of this one from below its own version, to be
    kept nowhere. Unknown paths are 404, and the start page is 500 without the core.
    """
    app.url_map.converters["site_path"] = SitePath

    @app.get("/", defaults={"name": "index.html"})
    @app.get("/<site_path:name>")
    def serve_file(name: str) -> Response:
        """Return the response with the file of a path."""
        if name == "index.html" and CORE not in site.files:
            raise InternalServerError(f"Expected {WEB / CORE}, got no file: {REMEDY}")
        file = site.files.get(_PINNED.sub("", name))
        if file is None:
            raise NotFound
        return file.response(FOREVER if name.startswith(f"static/{site.version}/") else REVALIDATE)


def make_pyodide_routes(folder: Path) -> Blueprint:
    """Return the routes of Pyodide: `/pyodide/` for the files of a folder, and `PYTHON`.

    The folder is large, so its files are read when they are asked for. The archive `PYTHON` is
    packed when it is first asked for, and kept.

    Args:
        folder: the folder of the npm package pyodide.
    """
    blueprint = Blueprint("pyodide", __name__)
    archive = cache(lambda: SiteFile(ZIP, pack_python(models=True)))

    @blueprint.get("/pyodide/<path:name>")
    def serve_pyodide_file(name: str) -> Response:
        """Return the response with a file of the folder; 404 for what is not in it."""
        mime = MIME_TYPES.get(Path(name).suffix)
        return send_from_directory(folder.resolve(), name, mimetype=mime)

    @blueprint.get(f"/{PYTHON}")
    def serve_archive() -> Response:
        """Return the response with the package wwho for Pyodide."""
        return archive().response(REVALIDATE)

    return blueprint


def make_docs_routes(folder: Path, site: Site) -> Blueprint:
    """Return the routes of the documentation: `/docs/` for the files of a folder.

    Without the folder, `/docs/` is 404 with the page `NO_DOCS`, which says how it is made.

    Args:
        folder: the folder that tools/build_docs.py writes.
        site: the files of the demo page.
    """
    blueprint = Blueprint("docs", __name__)

    @blueprint.get("/docs/", defaults={"name": "index.html"})
    @blueprint.get("/docs/<path:name>")
    def serve_docs_file(name: str) -> Response:
        """Return the response with a file of the folder; 404 for what is not in it.

        The generators write scripts into pages, which no other page may have.
        """
        if not folder.is_dir() and name == "index.html":
            return Response(site.files[NO_DOCS].data, 404, mimetype=MIME_TYPES[".html"])
        mime = MIME_TYPES.get(Path(name).suffix)
        response = send_from_directory(folder.resolve(), name, mimetype=mime)
        response.headers["Content-Security-Policy"] = DOCS_POLICY
        return response

    return blueprint


def _hash_bytes(data: bytes) -> str:
    """Return the first half of the SHA-256 of some bytes, 32 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:32]
