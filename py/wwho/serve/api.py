"""The JSON API: the routes below `/api/v1`, `/healthz`, and the OpenAPI 3.1 document of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from flask import Blueprint, Response, request

from wwho.serve import operations, problems
from wwho.serve.operations import BATCH, OPERATIONS, EncodingsAnswer, Operation
from wwho.serve.problems import Problem, ProblemError
from wwho.version import __version__

PREFIX = "/api/v1"
JSON = "application/json"
_DESCRIPTION = f"""\
Text to tokens and back. Send one question, or an array of up to {BATCH} of them: the response is an
answer, or an array of answers in the same order. One fault in an array refuses all of it.
"""


def routes() -> Blueprint:
    """The routes of the API."""
    blueprint = Blueprint("api", __name__)
    for operation in OPERATIONS:
        view, path = partial(answer, operation), f"{PREFIX}/{operation.name}"
        blueprint.add_url_rule(path, operation.name, view, methods=["POST"])
    # None of these changes while the server runs.
    fixed = {
        f"{PREFIX}/encodings": operations.encodings(),
        f"{PREFIX}/openapi.json": document(),
        "/healthz": {"status": "ok"},
    }
    for path, found in fixed.items():
        blueprint.add_url_rule(
            path, path.replace(".", "-"), partial(ok, msgspec.json.encode(found))
        )
    return blueprint


def answer(operation: Operation) -> Response:
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
    return ok(operation.respond(request.get_data(cache=False)))


def ok(body: bytes) -> Response:
    """An answer."""
    return Response(body, 200, {"Cache-Control": "no-store"}, content_type=JSON)


def document() -> dict[str, Any]:
    """The OpenAPI document, as JSON values."""
    kinds = [kind for operation in OPERATIONS for kind in (operation.question, operation.answer)]
    (problem, encodings, *schemas), components = msgspec.json.schema_components(
        [Problem, EncodingsAnswer, *kinds], ref_template="#/components/schemas/{name}"
    )
    listed = {"operationId": "encodings", "responses": {"200": _message("All of them.", encodings)}}
    paths = {f"{PREFIX}/encodings": {"get": listed}}
    for operation, question, answer in zip(OPERATIONS, schemas[::2], schemas[1::2], strict=True):
        asked, answered = operation.example
        body = _message(f"At most {operation.body_bytes:,} bytes.", question, example=asked)
        responses = {
            "200": _message("The answer, or an array of answers.", answer, example=answered),
            "4XX": _message("What is wrong with the request.", problem, problems.MIME),
        }
        post = {"operationId": operation.name, "summary": operation.summary, "responses": responses}
        post["requestBody"] = {"required": True, **body}
        paths[f"{PREFIX}/{operation.name}"] = {"post": post}
    return {
        "openapi": "3.1.0",
        "info": {"title": "WWHO", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _message(description: str, schema: Any, mime: str = JSON, **example: Any) -> dict[str, Any]:
    return {"description": description, "content": {mime: {"schema": schema, **example}}}
