"""The WSGI application: the demo page and the JSON API.

The page tokenizes text in the browser, by ``web/package/wwho.wasm``, and never sends it here.
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from wwho.serve import access
from wwho.serve.api import api, failed_http
from wwho.serve.archive import archive
from wwho.serve.folders import models_folder, web_folder
from wwho.serve.headers import HEADERS
from wwho.serve.pages import PageFile, mounted, pages
from wwho.serve.site import Site


def create_app(
    web: Path | None = None,
    models: Path | None = None,
    *,
    pyodide: Path | None = None,
    large_at_once: int = 2,
    url: str | None = None,
) -> Flask:
    """The WSGI application.

    Args:
        web: the folder with site/index.html and package/wwho.wasm; by default the one that ships.
        models: the folder with the .wwho files; by default the one that ships.
        pyodide: a folder to serve at ``/pyodide/``, such as that of npm's package; None for none.
        large_at_once: how many large bodies the API answers at the same time.
        url: the address under which others find the page, for link previews.

    Returns:
        An app that serves the page at ``/``, the npm package at ``/package/``, its encodings as
        ``/package/models/NAME.wwho`` (also ``/models/`` and ``/encodings/``), and the API below
        ``/api/v1``. Its extension "wwho" is the `Site`.
    """
    folder = models if models is not None else models_folder()
    web = web if web is not None else web_folder()
    folders = {"": web / "site", "package/": web / "package", "package/models/": folder}
    site = Site({**folders, "models/": folder, "encodings/": folder}, url)
    app = Flask("wwho.serve", static_folder=None)
    app.url_map.merge_slashes = app.url_map.redirect_defaults = False
    app.url_map.converters["page_file"] = PageFile
    app.extensions["wwho"] = site
    app.before_request(access.begin)
    app.after_request(secure)
    app.after_request(access.end)
    app.register_error_handler(HTTPException, failed)
    app.register_blueprint(api(large_at_once))
    if pyodide is not None:
        app.register_blueprint(mounted("pyodide", pyodide))
        app.register_blueprint(archive())
    app.register_blueprint(pages(site))
    return app


def secure(response: Response) -> Response:
    """Add the headers that every response has, where its route has not set its own."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def failed(error: HTTPException) -> Response:
    """A fault as a problem of the API, or as a line of plain text."""
    if request.path.startswith("/api/") or request.path == "/healthz":
        response = failed_http(error)
    else:
        response = Response(f"{error.code} {error.name}\n", error.code, mimetype="text/plain")
    keep = ("Allow", "Content-Range")
    response.headers.extend({name: value for name, value in error.get_headers() if name in keep})
    return response
