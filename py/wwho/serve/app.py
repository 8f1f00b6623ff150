"""The WSGI application: the demo page, the JSON API, and the access log."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import msgspec
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from wwho.serve import problems
from wwho.serve.api import make_api_routes
from wwho.serve.site_files import (
    DOCS,
    FOLDERS,
    Site,
    add_site_routes,
    make_docs_routes,
    make_pyodide_routes,
)

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
    "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every response, unless its route has set its own."""
LOG = logging.getLogger("wwho.access")
"""Gets a line of JSON for each request, with no text, no query and no body in it."""


def create_app(*, pyodide_folder: Path | None = None, url: str | None = None) -> Flask:
    """Make the WSGI application, which reads and compresses all files of the page.

    Its extension "wwho.site" is its `Site`.

    Args:
        pyodide_folder: a folder to serve at `/pyodide/`; None for no such path.
        url: the address under which others find the page, for link previews; None for none.
    """
    site = Site(FOLDERS, url)
    app = Flask("wwho.serve", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = app.url_map.redirect_defaults = False
    app.extensions["wwho.site"] = site
    app.before_request(note_begin)
    app.after_request(finish_response)
    app.register_error_handler(HTTPException, problems.http_problem_response)
    app.register_error_handler(problems.ProblemError, problems.problem_response)
    app.register_blueprint(make_api_routes())
    app.register_blueprint(make_docs_routes(DOCS, site))
    if pyodide_folder is not None:
        app.register_blueprint(make_pyodide_routes(pyodide_folder))
    add_site_routes(app, site)
    return app


def note_begin() -> None:
    """Note the time when the current request began, in Flask's `g`."""
    g.began = perf_counter()


def finish_response(response: Response) -> Response:
    """Add `HEADERS` to the response of the current request, log the request, return the response.

    The line of the log is JSON, with the path and the sizes of bodies in bytes, and no text.
    """
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
