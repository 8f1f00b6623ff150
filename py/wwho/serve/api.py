"""The JSON API: `/api/v1` and `/healthz`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus

from flask import Blueprint, Response, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from wwho.serve import operations, problems
from wwho.serve.messages import Health, to_json
from wwho.serve.openapi import PREFIX, document
from wwho.serve.operations import OPERATIONS, Operation
from wwho.serve.problems import ProblemError

JSON = "application/json"


def api(large_at_once: int = 2) -> Blueprint:
    """The routes of the API.

    Args:
        large_at_once: how many large bodies are answered at the same time; fewer than the server
            has threads. Others get 503 at once.
    """
    blueprint = Blueprint("api", __name__)
    blueprint.register_error_handler(ProblemError, failed)
    slots = threading.BoundedSemaphore(large_at_once)
    for operation in OPERATIONS:
        blueprint.add_url_rule(
            f"{PREFIX}/{operation.name}",
            endpoint=operation.name,
            view_func=partial(answer, operation, slots),
            methods=["POST"],
            provide_automatic_options=False,
        )
    # Neither changes while the server runs.
    fixed = {
        f"{PREFIX}/encodings": to_json(operations.encodings()),
        f"{PREFIX}/openapi.json": to_json(document()),
        "/healthz": to_json(Health()),
    }
    for path, body in fixed.items():
        blueprint.add_url_rule(
            path,
            endpoint=path.rpartition("/")[2].replace(".", "-"),
            view_func=partial(ok, body),
            provide_automatic_options=False,
        )
    return blueprint


def answer(operation: Operation, slots: threading.BoundedSemaphore) -> Response:
    """The response to a request of an operation.

    Raises:
        ProblemError: the request cannot be answered.
    """
    body = read_body(operation.body_bytes)
    with slot(len(body), operation.large_bytes, slots):
        return ok(operation.respond(body))


def read_body(limit: int) -> bytes:
    """The body of the request.

    Raises:
        ProblemError: it is too large, compressed, or not said to be JSON.
    """
    if request.mimetype != JSON:
        found = f"{request.mimetype[:80]!r}" if request.mimetype else "none"
        raise ProblemError(415, f"Expected a body of Content-Type {JSON}, got {found}")
    coding = request.headers.get("Content-Encoding", "identity")
    if coding.lower() != "identity":
        raise ProblemError(415, f"Expected a body without Content-Encoding, got {coding[:80]!r}")
    request.max_content_length = limit
    try:
        return request.get_data(cache=False)
    except RequestEntityTooLarge as error:
        found = str(request.content_length or "more")
        raise ProblemError(
            413, f"Expected a body of at most {limit} bytes, got {found}: send it in parts"
        ) from error


@contextmanager
def slot(size: int, large: int, slots: threading.BoundedSemaphore) -> Iterator[None]:
    """One of the few places for large bodies, where this is one; small ones are never kept.

    Raises:
        ProblemError: all are taken.
    """
    if size <= large:
        yield
        return
    if not slots.acquire(blocking=False):
        raise ProblemError(
            503,
            f"Expected a body of at most {large} bytes while larger ones are being answered, "
            f"got {size}: ask again in a second",
        )
    try:
        yield
    finally:
        slots.release()


def ok(body: bytes) -> Response:
    """An answer."""
    return Response(body, 200, {"Cache-Control": "no-store"}, content_type=JSON)


def failed(error: ProblemError) -> Response:
    """A problem, as an answer."""
    body = problems.problem(error.status, str(error), error.pointer)
    response = Response(body, error.status, content_type=problems.MIME)
    response.headers["Cache-Control"] = "no-store"
    if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = "1"
    return response


def failed_http(error: HTTPException) -> Response:
    """A fault that Flask found, such as an unknown path or another method, as a problem."""
    status = error.code or 500
    expected = {
        404: f"Expected a path that {PREFIX}/openapi.json names, got another one",
        405: f"Expected {' or '.join(getattr(error, 'valid_methods', None) or ['another method'])},"
        f" got {request.method[:20]}",
    }
    return failed(ProblemError(status, expected.get(status, str(error.description))))
