"""The server: the application on waitress, with limits that no client can stretch."""

from __future__ import annotations

import errno
import signal
import socket
import threading
from contextlib import suppress
from pathlib import Path

from flask import Flask
from waitress.adjustments import Adjustments

from wwho.errors import WwhoError
from wwho.serve import access
from wwho.serve.app import create_app
from wwho.serve.channel import Server
from wwho.serve.operations import OPERATIONS

HEADER_BYTES = 1 << 14
# The application refuses a body above its own limit in clear words; of one above this limit not
# even the rest is read.
BODY_BYTES = 2 * max(operation.body_bytes for operation in OPERATIONS)


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


def make_server(app: Flask, listener: socket.socket, threads: int) -> Server:
    """The server of an application; `run()` serves until Ctrl-C."""
    options = Adjustments(
        sockets=[listener],
        threads=threads,
        ident=None,
        max_request_header_size=HEADER_BYTES,
        max_request_body_size=BODY_BYTES,
        cleanup_interval=1,
        # Room above the number to which the server cuts them back.
        connection_limit=2 * Server.CONNECTIONS,
        # No answer is as large, so no thread waits for a client that is slow to read.
        outbuf_high_watermark=1 << 30,
        asyncore_use_poll=True,
        log_socket_errors=False,
    )
    address = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(app, _sock=listener, adj=options, sockinfo=address, bind_socket=False)


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
        threads: how many requests are answered at the same time; half of them may be large.
        pyodide: a folder to serve at ``/pyodide/``; None for none.
        url: the address under which others find the page, for link previews.

    Raises:
        WwhoError: the port is taken, there are too few threads, or folder or address are none.
    """
    if threads < 2:
        raise WwhoError(
            f"cannot serve with --threads {threads}: it takes two at least, "
            "one of which is kept for small requests"
        )
    if pyodide is not None and not pyodide.is_dir():
        raise WwhoError(f"{pyodide} is no folder; --pyodide takes that of npm's package pyodide")
    if url is not None and not url.startswith(("https://", "http://")):
        raise WwhoError(f"--url {url} is no address; it begins with https:// or http://")
    with bind(host, port) as listener:
        app = create_app(pyodide=pyodide, large_at_once=threads // 2, url=url)
        access.to_stderr()
        server = make_server(app, listener, threads)
        threading.Thread(target=app.extensions["wwho"].compress_best, daemon=True).start()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        shown, taken = f"[{host}]" if ":" in host else host, listener.getsockname()[1]
        with suppress(KeyboardInterrupt):
            print(f"WWHO: http://{shown}:{taken}/ (Ctrl-C stops it)", flush=True)
            server.run()
