"""`wwho serve`: the demo page."""

from __future__ import annotations

import argparse

from wwho.errors import BackendError

NAME = "serve"
HELP = "serve the demo page on this machine"
EXAMPLE = "  $ wwho serve --port 8328"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8328, help="port to listen on (8328)")


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    try:
        from wwho.demo.app import serve
    except ModuleNotFoundError as error:
        if error.name != "flask":
            raise
        raise BackendError("the demo page needs Flask: pip install 'wwho[demo]'") from error
    serve(host=options.host, port=options.port)
    return 0
