"""The HTTP server: the WSGI application on waitress, until it is told to stop."""

from __future__ import annotations

import json
import logging
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

import waitress
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError

from wwho.errors import WwhoError
from wwho.serve.app import LOG, create_app
from wwho.serve.operations import OPERATIONS
from wwho.serve.site_files import find_npm_package

# waitress takes in whole requests, and sends whole responses, in one thread that never blocks: a
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


class StrictRequestParser(HTTPRequestParser):  # type: ignore[misc]
    """A parser of requests that refuses a body with two lengths."""

    def parse_header(self, header_plus: bytes) -> None:
        """Read the first line and the headers of a request into this object's attributes.

        Raises:
            ParsingError: the request is malformed, or has both a Content-Length and a
                Transfer-Encoding. A server before this one may have read the former, and would
                take the rest of the body for another request (RFC 9112, 6.1). waitress answers
                400, and closes the connection.
        """
        super().parse_header(header_plus)
        # waitress removes Transfer-Encoding once it has read it, but not in HTTP/1.0.
        has_encoding = self.chunked or "TRANSFER_ENCODING" in self.headers
        if has_encoding and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")


class StrictChannel(HTTPChannel):  # type: ignore[misc]
    """A connection whose requests `StrictRequestParser` reads."""

    parser_class = StrictRequestParser


class RequestCounter(logging.Handler):
    """A log of requests for a terminal: one line, written anew for each request."""

    requests = faults = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count a request, of which `record` has the line of JSON, and write the line."""
        self.requests += 1
        self.faults += json.loads(record.getMessage())["status"] >= 500
        faults = f", {self.faults:,} failed" if self.faults else ""
        print(f"\r{self.requests:,} requests{faults}", end="", file=sys.stderr, flush=True)


def serve(
    host: str = "127.0.0.1",
    port: int = 8328,
    threads: int = 4,
    pyodide: Path | None = None,
    url: str | None = None,
) -> None:
    """Serve the page and the API until Ctrl-C or SIGTERM, then return.

    The address is printed on standard output, and a line of JSON for each request on standard
    error; if that is a terminal, one line instead that counts requests. The process's handlers of
    SIGTERM and of two loggers are changed. Files are first compressed quickly; a thread then
    compresses them better.

    Args:
        host: name or address of an interface; the default is reachable from this machine only.
        port: TCP port; 0 takes a free one.
        threads: how many requests are answered at the same time.
        pyodide: a folder to serve at ``/pyodide/``; None for npm's package, if it is installed.
        url: the address under which others find the page, for link previews.

    Raises:
        WwhoError: the port is taken, the host unknown, `pyodide` no folder with Pyodide, or `url`
            no address.
    """
    if pyodide is not None and not pyodide.is_dir():
        raise WwhoError(f"{pyodide} is no folder; --pyodide takes that of npm's package pyodide")
    if pyodide is not None and not (pyodide / "pyodide.mjs").is_file():
        raise WwhoError(
            f"{pyodide} has no pyodide.mjs; --pyodide takes the folder of npm's package pyodide"
        )
    if url is not None and not url.startswith(("https://", "http://")):
        raise WwhoError(f"--url {url} is no address; it begins with https:// or http://")
    is_ipv6 = ":" in host
    url_host, family = (f"[{host}]", socket.AF_INET6) if is_ipv6 else (host, socket.AF_INET)
    try:
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        remedy = "choose another --port (0 takes a free one) or --host"
        raise WwhoError(f"cannot serve on {url_host}:{port}: {error}; {remedy}") from error
    app = create_app(pyodide_folder=pyodide or find_npm_package("pyodide"), url=url)
    server = waitress.create_server(app, sockets=[listener], threads=threads, **SETTINGS)
    server.channel_class = StrictChannel
    LOG.addHandler(RequestCounter() if sys.stderr.isatty() else logging.StreamHandler(sys.stderr))
    LOG.setLevel(logging.INFO)
    # waitress would log the targets of requests that it cannot read, which may hold text.
    logging.getLogger("waitress").setLevel(logging.CRITICAL)
    threading.Thread(target=app.extensions["wwho.site"].compress_best, daemon=True).start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        port = listener.getsockname()[1]
        print(f"WWHO: http://{url_host}:{port}/ (Ctrl-C stops it)", flush=True)
        server.run()
    if sys.stderr.isatty():
        print(file=sys.stderr)
