"""The access log: one line of JSON for each request, which never holds a text or a query."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from time import perf_counter

from flask import Response, g, request

from wwho.serve.messages import to_json

log = logging.getLogger("wwho.access")
_PATH_LENGTH = 200


def begin() -> None:
    """Note when the request began; for `Flask.before_request`."""
    g.began = perf_counter()


def end(response: Response) -> Response:
    """Log the request; for `Flask.after_request`."""
    write(
        client=request.remote_addr,
        method=request.method,
        path=request.path,
        status=response.status_code,
        received=request.content_length or 0,
        sent=0 if request.method == "HEAD" else response.content_length or 0,
        ms=round((perf_counter() - g.began) * 1000, 2),
    )
    return response


def write(
    *, client: object, method: str | None, path: str | None, status: int, **numbers: float
) -> None:
    """Log a request: what was asked by whom, the status, and numbers such as bytes and time.

    Method and path are None where the request cannot be read.
    """
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": client,
        "method": method and method[:20],
        "path": path and path[:_PATH_LENGTH],
        "status": status,
        **numbers,
    }
    log.info("%s", to_json(line).decode())


def to_stderr() -> None:
    """Write the log, and what the server itself has to say, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a full queue is no fault
