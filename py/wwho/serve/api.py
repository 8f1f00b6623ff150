"""The routes of the JSON API, `/api/v1/...` and `/healthz`, and its OpenAPI 3.1 document."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from flask import Blueprint, Response, request

from wwho.serve.operations import (
    BATCH,
    OPERATIONS,
    EncodingsAnswer,
    Operation,
    list_encodings,
)
from wwho.serve.problems import MIME, Problem, ProblemError
from wwho.version import __version__

PREFIX = "/api/v1"
JSON = "application/json"
UTF_8 = ("utf-8", "utf8")
"""The names of the one charset that a body may say it has."""
_DESCRIPTION = f"""\
Text to tokens and back. Send one question, or an array of up to {BATCH} of them: the response is an
answer, or an array of answers in the same order. One fault in an array refuses all of it.
"""


def make_api_routes() -> Blueprint:
    """Return the routes of the API: POST for each operation, GET for all that does not change.

    The latter are the list of encodings, openapi.json and `/healthz`; their bodies are made here,
    for which every shipped encoding is opened.
    """
    blueprint = Blueprint("api", __name__)
    for operation in OPERATIONS:
        view, path = partial(answer_request, operation), f"{PREFIX}/{operation.name}"
        blueprint.add_url_rule(path, operation.name, view, methods=["POST"])
    # None of these changes while the server runs.
    fixed = {
        f"{PREFIX}/encodings": list_encodings(),
        f"{PREFIX}/openapi.json": openapi_document(),
        "/healthz": {"status": "ok"},
    }
    for path, value in fixed.items():
        view = partial(json_response, msgspec.json.encode(value))
        blueprint.add_url_rule(path, path.replace(".", "-"), view)
    return blueprint


def answer_request(operation: Operation) -> Response:
    """Return the response to the current request, whose body asks questions of an operation.

    Raises:
        ProblemError: with 415, the body is not JSON in UTF-8, or is compressed; with 400 or 422, a
            question cannot be answered.
        RequestEntityTooLarge: the body is larger than the operation takes.
    """
    if request.mimetype != JSON:
        found = f"{request.mimetype[:80]!r}" if request.mimetype else "none"
        raise ProblemError(415, f"Expected a body of Content-Type {JSON}, got {found}")
    charset = request.mimetype_params.get("charset", UTF_8[0])
    if charset.lower() not in UTF_8:
        raise ProblemError(415, f"Expected a body with charset {UTF_8[0]}, got {charset[:80]!r}")
    coding = request.headers.get("Content-Encoding", "identity")
    if coding.lower() != "identity":
        raise ProblemError(415, f"Expected a body without Content-Encoding, got {coding[:80]!r}")
    request.max_content_length = operation.body_bytes
    return json_response(operation.respond(request.get_data(cache=False)))


def json_response(body: bytes) -> Response:
    """Return a response with status 200 and a body of JSON, which no cache may keep."""
    return Response(body, 200, {"Cache-Control": "no-store"}, content_type=JSON)


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document as JSON values, with schemas made from the operations' types.

    There is a GET for the encodings and a POST for each of `OPERATIONS`, with its example, its
    limit in bytes, and the answers 200 and 4XX.
    """
    kinds = [kind for operation in OPERATIONS for kind in (operation.question, operation.answer)]
    (problem, encodings, *schemas), components = msgspec.json.schema_components(
        [Problem, EncodingsAnswer, *kinds], ref_template="#/components/schemas/{name}"
    )
    get_encodings = {
        "operationId": "encodings",
        "responses": {"200": _describe_message("All of them.", encodings)},
    }
    paths = {f"{PREFIX}/encodings": {"get": get_encodings}}
    for operation, question, answer in zip(OPERATIONS, schemas[::2], schemas[1::2], strict=True):
        example_question, example_answer = operation.example
        post = {
            "operationId": operation.name,
            "summary": operation.summary,
            "responses": {
                "200": _describe_message(
                    "The answer, or an array of answers.", answer, example=example_answer
                ),
                "4XX": _describe_message("What is wrong with the request.", problem, MIME),
            },
            "requestBody": {
                "required": True,
                **_describe_message(
                    f"At most {operation.body_bytes:,} bytes.", question, example=example_question
                ),
            },
        }
        paths[f"{PREFIX}/{operation.name}"] = {"post": post}
    return {
        "openapi": "3.1.0",
        "info": {"title": "WWHO", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _describe_message(
    description: str, schema: Any, mime: str = JSON, **example: Any
) -> dict[str, Any]:
    """Return the OpenAPI object of a body with a description, a schema and perhaps an `example`."""
    return {"description": description, "content": {mime: {"schema": schema, **example}}}
