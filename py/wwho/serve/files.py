"""The files that are served: read and compressed at the start, and found by name only.

No request reads the disk, so none can read a file that is not among them.
"""

from __future__ import annotations

import hashlib
import html
import io
import posixpath
import re
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import brotli
from flask import Blueprint, Flask, Response, request, send_file, send_from_directory
from werkzeug.exceptions import InternalServerError, NotFound
from werkzeug.routing import PathConverter

PACKAGE = Path(__file__).resolve().parent.parent
MODELS = PACKAGE / "models"
WEB = PACKAGE / "web" if (PACKAGE / "web").is_dir() else PACKAGE.parent.parent / "web"
"""In an installed package the page is a part of it; in the repository it stands beside it."""
CORE = "package/wwho.wasm"
FOLDERS = {"": WEB / "site", "package/": WEB / "package", "package/models/": MODELS}
"""What is served, by the paths under which it is."""
IMPORTER = "package/python.zip"
"""wwho in Python as the npm package has it, for wwho/import."""
PYTHON = "python/wwho.zip"
"""The same with its tokenizers, for the Python page."""
FONTS = "fonts/noto.css"
"""What names the fonts of the page, which tools/build_fonts.py packs; without them it is empty."""
REMEDY = "install wwho again, or restore the file in the clone of its repository"
# What is served, by suffix. The system's own table of types differs between machines.
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
QUICK, BEST = 5, 11  # of brotli: all files take 0.2 s and 5.1 MB, or 15 s and 4.6 MB
FOREVER, REVALIDATE = "public, max-age=31536000, immutable", "no-cache"
_LINK = re.compile(rb'\b(src|href)="([^"]+)"')
_MODULE = re.compile(rb'<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"')
_IMPORT = re.compile(rb'^(?:import|export)\b(?:[^";]*\bfrom)? "(\.[^"]+)";', re.MULTILINE)
_PINNED = re.compile(r"\Astatic/[0-9a-f]{16}/")


def from_npm(name: str) -> Path | None:
    """The folder of npm's packages with this name or scope, if there is one here or above."""
    here = Path.cwd()
    places = (each / "node_modules" / name for each in (here, *here.parents))
    return next((place for place in places if place.is_dir()), None)


class File:
    """A file, plain and compressed with brotli."""

    def __init__(self, mime: str, data: bytes) -> None:
        """Compress it quickly."""
        self.mime, self.data, self.etag = mime, data, _hash(data)
        self.compress(QUICK)

    def compress(self, quality: int) -> None:
        """Compress it; threads that serve it at the same time get the old or the new bytes."""
        packed = brotli.compress(self.data, quality=quality)
        self.packed = packed, _hash(packed)

    def response(self, caching: str) -> Response:
        """The answer to a request for the file: all of it, or that it is unchanged."""
        (data, etag), packed = (self.data, self.etag), self.packed
        headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
        if len(packed[0]) < len(data) and request.accept_encodings["br"] > 0:
            (data, etag), headers["Content-Encoding"] = packed, "br"
        # A stream shares the bytes, so that clients that read slowly take no memory of their own.
        response = send_file(io.BytesIO(data), self.mime, conditional=False, etag=etag)
        response.headers.update(headers)
        response.make_conditional(request)
        return response


def paths(folders: Mapping[str, Path]) -> dict[str, Path]:
    """The files of some folders, which are named by the paths under which they are served."""
    return {
        prefix + path.relative_to(folder).as_posix(): path
        for prefix, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.suffix in MIME_TYPES and path.is_file()
    }


class Site:
    """The files of some folders, by the paths under which they are served.

    Attributes:
        files: by path, such as `page/main.js`. Pages at the top name their own files below
            `static/VERSION/`, where they never change.
        version: a hash of all files, 16 hexadecimal digits.
    """

    def __init__(self, folders: Mapping[str, Path], url: str | None = None) -> None:
        """Read the folders, which are named by the paths under which they are served.

        The public address `url`, where there is one, begins that of the page's preview picture.
        """
        self.files = {
            name: File(MIME_TYPES[path.suffix], path.read_bytes())
            for name, path in paths(folders).items()
        }
        self.files.setdefault(FONTS, File(MIME_TYPES[".css"], b""))
        if CORE in self.files:
            self.files[IMPORTER] = File(ZIP, packed(models=False))
        names = "".join(f"{name} {file.etag}\n" for name, file in self.files.items())
        self.version = _hash(names.encode())[:16]
        for name, file in self.files.items():
            if name.endswith(".html") and "/" not in name:
                self.files[name] = File(file.mime, self._page(file.data, url))

    def _page(self, data: bytes, url: str | None) -> bytes:
        """A page whose scripts, styles and pictures are asked for where they never change.

        It names all modules that its own import: a browser that has to find them in each other
        waits for the network as often as they are nested.
        """
        if url is not None:
            preview = b'property="og:image" content="'
            data = data.replace(preview, preview + html.escape(url.rstrip("/") + "/").encode())

        def pin(link: re.Match[bytes]) -> bytes:
            target = link[2].decode("utf-8", "replace")
            if target not in self.files or target.endswith((".html", ".webmanifest")):
                return link[0]
            return b'%b="static/%b/%b"' % (link[1], self.version.encode(), link[2])

        own = [name.decode() for name in _MODULE.findall(data)]
        links = (f'  <link rel="modulepreload" href="{name}">\n' for name in self._imported(own))
        return _LINK.sub(pin, data.replace(b"</head>", "".join(links).encode() + b"</head>"))

    def _imported(self, modules: Iterable[str]) -> list[str]:
        """The paths of what these modules import, and of what those do."""
        own = [name for name in modules if name in self.files]
        found = [*own]
        for name in found:  # which grows meanwhile
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
    """A path that is not the API's: there, other routes say which methods there are."""

    regex = "(?!api/)[^/].*?"


def routes(app: Flask, site: Site) -> None:
    """Serve a site: its files at their paths, and unchanging below `static/VERSION/`.

    A page of another version, still open in a browser, gets the files of this one, to keep nowhere.
    """
    app.url_map.converters["site_path"] = SitePath

    @app.get("/", defaults={"name": "index.html"})
    @app.get("/<site_path:name>")
    def serve(name: str) -> Response:
        if name == "index.html" and CORE not in site.files:
            raise InternalServerError(f"Expected {WEB / CORE}, got no file: {REMEDY}")
        file = site.files.get(_PINNED.sub("", name))
        if file is None:
            raise NotFound
        return file.response(FOREVER if name.startswith(f"static/{site.version}/") else REVALIDATE)


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


def pyodide(folder: Path) -> Blueprint:
    """The routes `/pyodide/`, a folder, and that of `PYTHON`, made when it is first asked for.

    The folder is large, so its files are read when they are asked for.
    """
    blueprint = Blueprint("pyodide", __name__)
    archive = cache(lambda: File(ZIP, packed(models=True)))

    @blueprint.get("/pyodide/<path:name>")
    def file(name: str) -> Response:
        mime = MIME_TYPES.get(Path(name).suffix)
        return send_from_directory(folder.resolve(), name, mimetype=mime)

    @blueprint.get(f"/{PYTHON}")
    def package() -> Response:
        return archive().response(REVALIDATE)

    return blueprint


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
