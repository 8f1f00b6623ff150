"""`wwho serve`: the HTTP server of the demo page and the JSON API."""

from __future__ import annotations

import argparse
from pathlib import Path

from wwho.errors import BackendError

NAME = "serve"
HELP = "serve the demo page and a JSON API"
EXAMPLE = """\
  $ wwho serve --port 8328
  $ curl -H 'Content-Type: application/json' -d '{"text": "ගමේ"}' localhost:8328/api/v1/count"""
NEEDED = ("brotli", "flask", "msgspec", "waitress")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: address, port, threads, Pyodide's folder, public address."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8328, help="port to listen on (8328)")
    parser.add_argument(
        "--threads",
        type=int,
        default=4,
        help="requests answered at the same time (4)",
    )
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="serve this folder at /pyodide/ (node_modules/pyodide, here or in a folder above)",
    )
    parser.add_argument(
        "--url", help="where the page is public, such as https://example.org/; for link previews"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM, and return exit code 0.

    Raises:
        BackendError: a package of `wwho[serve]` is not installed.
        WwhoError: the port is taken, or an option makes no sense.
    """
    try:
        from wwho.serve.server import serve
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        raise BackendError(f"the server needs {error.name}: pip install 'wwho[serve]'") from error
    serve(options.host, options.port, options.threads, options.pyodide, options.url)
    return 0
