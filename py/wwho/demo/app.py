"""The demo page's server: static files and nothing else.

Text is tokenized in the browser, by ``web/wwho.wasm``; it is never sent here.
"""

from __future__ import annotations

import errno
import socket
from contextlib import suppress
from pathlib import Path

from flask import Flask, Response, send_from_directory
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.serving import make_server

from wwho.demo.files import models_folder, web_folder
from wwho.errors import WwhoError

# What is served, by suffix. The system's own table of types differs between machines.
MIME_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".wwho": "application/octet-stream",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
NOT_BUILT = (
    "The demo page needs web/wwho.wasm, which has not been built.\n"
    "Build it with: python tools/build_wasm.py (needs ziglang==0.16.0 from PyPI)\n"
)


def create_app(web: Path | None = None, models: Path | None = None) -> Flask:
    """The WSGI application.

    Args:
        web: The folder with index.html and wwho.wasm; by default the one that ships.
        models: The folder with the .wwho files; by default the one that ships.

    Returns:
        An app that serves the page at ``/``, the files of `web` and ``/models/NAME.wwho``.
    """
    pages = web if web is not None else web_folder()
    artifacts = models if models is not None else models_folder()
    app = Flask("wwho.demo", static_folder=None)

    @app.get("/")
    def index() -> Response:
        if not (pages / "wwho.wasm").is_file():
            return plain(NOT_BUILT, 503)
        return send(pages, "index.html")

    @app.get("/models/<name>")
    def model(name: str) -> Response:
        if not name.endswith(".wwho"):
            raise NotFound
        return send(artifacts, name)

    @app.get("/<path:name>")
    def file(name: str) -> Response:
        return send(pages, name)

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> Response:
        return plain(f"{error.code} {error.name}\n", error.code or 500)

    @app.after_request
    def secure(response: Response) -> Response:
        response.headers.update(HEADERS)
        return response

    return app


def send(folder: Path, name: str) -> Response:
    """A file with its type, to be revalidated by its ETag.

    Raises:
        NotFound: no such file, a kind that is not served, or a path that leaves `folder`.
    """
    mime = MIME_TYPES.get(Path(name).suffix)
    if mime is None:
        raise NotFound
    response = send_from_directory(folder, name, mimetype=mime, conditional=True, etag=True)
    response.headers["Content-Type"] = mime
    response.headers["Cache-Control"] = "no-cache"
    return response


def plain(text: str, status: int) -> Response:
    """A page of plain text."""
    return Response(text, status, mimetype="text/plain")


def bind(host: str, port: int) -> socket.socket:
    """A listening TCP socket; port 0 takes a free one.

    Raises:
        WwhoError: the port is taken or not allowed, or the host is none of this machine's.
    """
    if not 0 <= port <= 65535:
        raise WwhoError(f"cannot serve on {host}:{port}: a port is a number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise WwhoError(f"cannot serve on {host}:{port}: {error}; try --host 127.0.0.1") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise WwhoError(
                f"port {port} of {host} is taken by another program; "
                f"choose another, for example --port {port + 1}, or --port 0 for any free one"
            ) from error
        raise WwhoError(f"cannot serve on {host}:{port}: {error.strerror}") from error
    return listener


def serve(host: str = "127.0.0.1", port: int = 8328) -> None:
    """Serve the page until Ctrl-C, after printing its address.

    Args:
        host: Name or address of an interface; the default is reachable from this machine only.
        port: TCP port; 0 takes a free one.

    Raises:
        WwhoError: the port is taken.
    """
    with bind(host, port) as listener:
        server = make_server(host, port, create_app(), threaded=True, fd=listener.fileno())
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        with suppress(KeyboardInterrupt):
            print(f"WWHO demo: {address} (Ctrl-C stops it)", flush=True)
            server.serve_forever()
        server.server_close()
