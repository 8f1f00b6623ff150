"""The WSGI application: the demo page, the JSON API, and the log.

The page tokenizes text in the browser, by ``web/package/wwho.wasm``, and never sends it here.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from threading import BoundedSemaphore
from time import perf_counter

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from wwho.serve import api, fonts, problems, pyodide
from wwho.serve.files import FOLDERS, Site, routes
from wwho.serve.messages import to_json

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


def create_app(
    *,
    pyodide_folder: Path | None = None,
    fonts_folder: Path | None = None,
    large_at_once: int = 2,
    url: str | None = None,
) -> Flask:
    """The WSGI application.

    Args:
        pyodide_folder: a folder to serve at ``/pyodide/``, such as that of npm's package.
        fonts_folder: a folder with Noto fonts, to serve at ``/fonts/``; None for `fonts.folders`.
        large_at_once: how many large bodies the API answers at the same time.
        url: the address under which others find the page, for link previews.

    Returns:
        An app with the extensions "wwho.site", its `Site`, and "wwho.large", the semaphore that
        large bodies hold while they are answered.
    """
    site = Site(FOLDERS, url)
    large = BoundedSemaphore(large_at_once)
    app = Flask("wwho.serve", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = app.url_map.redirect_defaults = False
    app.extensions |= {"wwho.site": site, "wwho.large": large}
    app.before_request(begin)
    app.after_request(finish)
    app.register_error_handler(HTTPException, problems.from_http)
    app.register_error_handler(problems.ProblemError, problems.response)
    app.register_blueprint(api.routes(large))
    app.register_blueprint(fonts.routes([fonts_folder] if fonts_folder else fonts.folders()))
    if pyodide_folder is not None:
        app.register_blueprint(pyodide.routes(pyodide_folder))
    routes(app, site)
    return app


def begin() -> None:
    """Note when a request began."""
    g.began = perf_counter()


def finish(response: Response) -> Response:
    """Add the headers that every response has, and log the request."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": request.remote_addr,
        "method": request.method[:20],
        "path": request.path[:200],
        "status": response.status_code,
        "received": request.content_length or 0,
        "sent": 0 if request.method == "HEAD" else response.content_length or 0,
        "ms": round((perf_counter() - g.began) * 1000, 2),
    }
    LOG.info("%s", to_json(line).decode())
    return response
