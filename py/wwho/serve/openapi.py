"""The OpenAPI 3.1 document: the operations and the types of their messages, written as JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec

from wwho.serve import problems
from wwho.serve.messages import BATCH, EncodingsAnswer, Health, Problem, batch_of
from wwho.serve.operations import OPERATIONS, Operation
from wwho.version import __version__

PREFIX = "/api/v1"
_DESCRIPTION = f"""\
Text to tokens and back. Ask one question, or an array of up to {BATCH} of them: there is an answer
or an array of answers, in the same order. One fault in an array refuses all of it.

Faults are answered as `application/problem+json` (RFC 9457) and name what was expected and what was
found. Texts are kept nowhere and stand in no log.
"""
_FAULTS = {
    400: "The body is no JSON, or not as this document says.",
    411: "The body comes in chunks, so that its length is not known.",
    413: "The body is too large.",
    415: "The body is not said to be application/json, or is compressed.",
    422: "A token or a special token is none of the encoding's, or stands where it is disallowed.",
    503: "Too many large bodies are being answered. Ask again in a second.",
}


def document() -> dict[str, Any]:
    """The document, as JSON values.

    Example:
        >>> document()["openapi"]
        '3.1.0'
    """
    kinds = [EncodingsAnswer, Health, Problem]
    for operation in OPERATIONS:
        kinds += [batch_of(operation.question), batch_of(operation.answer)]
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    encodings, health, _, *rest = schemas
    paths = {
        f"{PREFIX}/{operation.name}": {"post": _post(operation, asked, answered)}
        for operation, asked, answered in zip(OPERATIONS, rest[::2], rest[1::2], strict=True)
    }
    paths[f"{PREFIX}/encodings"] = _get("encodings", "List the encodings", encodings)
    paths["/healthz"] = _get("health", "Say that the server answers", health)
    return {
        "openapi": "3.1.0",
        "info": {"title": "WWHO", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _post(operation: Operation, asked: dict[str, Any], answered: dict[str, Any]) -> dict[str, Any]:
    question, answer = operation.example
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"A body has at most {operation.body_bytes:,} bytes.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": asked, "example": question}},
        },
        "responses": {
            "200": _json("The answer, or an array of answers.", answered, answer),
            **{str(status): _fault(status, text) for status, text in _FAULTS.items()},
        },
    }


def _get(name: str, summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    answer = {"200": _json(schema.get("description", summary), schema)}
    return {"get": {"operationId": name, "summary": summary, "responses": answer}}


def _json(description: str, schema: dict[str, Any], example: object = None) -> dict[str, Any]:
    shown = {} if example is None else {"example": example}
    content = {"application/json": {"schema": schema, **shown}}
    return {"description": description, "content": content}


def _fault(status: int, text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    headers = {"Retry-After": {"schema": {"type": "integer"}}}
    return {
        "description": f"{HTTPStatus(status).phrase}. {text}",
        "content": {problems.MIME: {"schema": schema}},
        **({"headers": headers} if status == 503 else {}),
    }
