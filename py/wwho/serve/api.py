"""The JSON API: `/api/v1` and `/healthz`."""

from __future__ import annotations

from functools import partial
from threading import BoundedSemaphore

from flask import Blueprint, Response, request

from wwho.serve import operations
from wwho.serve.messages import Health, to_json
from wwho.serve.openapi import PREFIX, document
from wwho.serve.operations import OPERATIONS, Operation
from wwho.serve.problems import ProblemError

JSON = "application/json"


def routes(large: BoundedSemaphore) -> Blueprint:
    """The routes of the API.

    Args:
        large: held by each large body while it is answered; where none is left, the body is
            refused. It has fewer than the server has threads, so that small bodies find one.
    """
    blueprint = Blueprint("api", __name__)
    for operation in OPERATIONS:
        view, path = partial(answer, operation, large), f"{PREFIX}/{operation.name}"
        blueprint.add_url_rule(path, operation.name, view, methods=["POST"])
    # None of these changes while the server runs.
    fixed = {
        f"{PREFIX}/encodings": to_json(operations.encodings()),
        f"{PREFIX}/openapi.json": to_json(document()),
        "/healthz": to_json(Health()),
    }
    for path, body in fixed.items():
        blueprint.add_url_rule(path, path.replace(".", "-"), partial(ok, body))
    return blueprint


def answer(operation: Operation, large: BoundedSemaphore) -> Response:
    """The response to a request of an operation.

    Raises:
        ProblemError: the request cannot be answered.
        RequestEntityTooLarge: its body is too large.
    """
    if request.mimetype != JSON:
        found = f"{request.mimetype[:80]!r}" if request.mimetype else "none"
        raise ProblemError(415, f"Expected a body of Content-Type {JSON}, got {found}")
    coding = request.headers.get("Content-Encoding", "identity")
    if coding.lower() != "identity":
        raise ProblemError(415, f"Expected a body without Content-Encoding, got {coding[:80]!r}")
    request.max_content_length = operation.body_bytes
    body = request.get_data(cache=False)
    if len(body) <= operation.small_bytes:
        return ok(operation.respond(body))
    if not large.acquire(blocking=False):
        expected = f"Expected a body of at most {operation.small_bytes} bytes while larger ones are"
        raise ProblemError(
            503, f"{expected} being answered, got {len(body)}: ask again in a second"
        )
    try:
        return ok(operation.respond(body))
    finally:
        large.release()


def ok(body: bytes) -> Response:
    """An answer."""
    return Response(body, 200, {"Cache-Control": "no-store"}, content_type=JSON)
