"""The WSGI application: the demo page, the JSON API, and the access log."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import msgspec
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from wwho.serve import api, files, problems

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
    "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""What every response has, where its route has not set its own."""
LOG = logging.getLogger("wwho.access")
"""Gets a line of JSON for each request, with no text, no query and no body in it."""


def create_app(*, pyodide_folder: Path | None = None, url: str | None = None) -> Flask:
    """The WSGI application; its extension "wwho.site" is its `Site`. Arguments: see `run.serve`."""
    site = files.Site(files.FOLDERS, url)
    app = Flask("wwho.serve", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = app.url_map.redirect_defaults = False
    app.extensions["wwho.site"] = site
    app.before_request(begin)
    app.after_request(finish)
    app.register_error_handler(HTTPException, problems.from_http)
    app.register_error_handler(problems.ProblemError, problems.response)
    app.register_blueprint(api.routes())
    if pyodide_folder is not None:
        app.register_blueprint(files.pyodide(pyodide_folder))
    files.routes(app, site)
    return app


def begin() -> None:
    """Note when a request began."""
    g.began = perf_counter()


def finish(response: Response) -> Response:
    """Add the headers that every response has, and log the request."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    has_body = request.method != "HEAD" and response.status_code != 304
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": request.remote_addr,
        "method": request.method[:20],
        "path": request.path[:200],
        "status": response.status_code,
        "received": request.content_length or 0,
        "sent": response.content_length or 0 if has_body else 0,
        "ms": round((perf_counter() - g.began) * 1000, 2),
    }
    LOG.info("%s", msgspec.json.encode(line).decode())
    return response
