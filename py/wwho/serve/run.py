"""`wwho serve`: the application on waitress."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

import waitress

from wwho.errors import WwhoError
from wwho.serve.app import LOG, create_app
from wwho.serve.files import from_npm
from wwho.serve.operations import OPERATIONS

# waitress takes in whole requests, and gives out whole answers, in one thread that never blocks: a
# slow client costs a connection, and none of the threads that answer.
SETTINGS = {
    "ident": None,
    "max_request_header_size": 1 << 14,
    # A body above its operation's limit is a problem; one above this limit is not even read.
    "max_request_body_size": 2 * max(operation.body_bytes for operation in OPERATIONS),
    "connection_limit": 500,  # Windows takes no more than 512
    "channel_timeout": 30,
    "outbuf_high_watermark": 1 << 30,  # no answer is as large, so no thread waits for a client
    "asyncore_use_poll": True,
    "log_socket_errors": False,
}


def serve(
    host: str = "127.0.0.1",
    port: int = 8328,
    threads: int = 4,
    pyodide: Path | None = None,
    url: str | None = None,
) -> None:
    """Serve the page and the API until Ctrl-C or SIGTERM, after printing the address.

    Args:
        host: name or address of an interface; the default is reachable from this machine only.
        port: TCP port; 0 takes a free one.
        threads: how many requests are answered at the same time.
        pyodide: a folder to serve at ``/pyodide/``; None for npm's package, if it is installed.
        url: the address under which others find the page, for link previews.

    Raises:
        WwhoError: the port is taken, or a folder or the address is none.
    """
    if pyodide is not None and not pyodide.is_dir():
        raise WwhoError(f"{pyodide} is no folder; --pyodide takes that of npm's package pyodide")
    if url is not None and not url.startswith(("https://", "http://")):
        raise WwhoError(f"--url {url} is no address; it begins with https:// or http://")
    shown, family = (f"[{host}]", socket.AF_INET6) if ":" in host else (host, socket.AF_INET)
    try:
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        remedy = "choose another --port (0 takes a free one) or --host"
        raise WwhoError(f"cannot serve on {shown}:{port}: {error}; {remedy}") from error
    app = create_app(pyodide_folder=pyodide or from_npm("pyodide"), url=url)
    server = waitress.create_server(app, sockets=[listener], threads=threads, **SETTINGS)
    LOG.addHandler(logging.StreamHandler(sys.stderr))
    LOG.setLevel(logging.INFO)
    logging.getLogger("waitress").setLevel(logging.CRITICAL)  # it logs targets it cannot read
    threading.Thread(target=app.extensions["wwho.site"].compress_best, daemon=True).start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        taken = listener.getsockname()[1]
        print(f"WWHO: http://{shown}:{taken}/ (Ctrl-C stops it)", flush=True)
        server.run()
