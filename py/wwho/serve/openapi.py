"""The OpenAPI 3.1 document: the operations and the types of their messages, written as JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec

from wwho.serve import problems
from wwho.serve.messages import BATCH, EncodingsAnswer, Health, Problem
from wwho.serve.operations import OPERATIONS
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
    kinds = [kind for operation in OPERATIONS for kind in (operation.question, operation.answer)]
    schemas, components = msgspec.json.schema_components(
        [Problem, EncodingsAnswer, Health, *kinds], ref_template="#/components/schemas/{name}"
    )
    problem, encodings, health, *rest = schemas
    paths = {
        f"{PREFIX}/encodings": {"get": _get("encodings", "The encodings", encodings)},
        "/healthz": {"get": _get("health", "Says that the server answers", health)},
    }
    for operation, question, answer in zip(OPERATIONS, rest[::2], rest[1::2], strict=True):
        asked, answered = operation.example
        responses = {"200": _message("The answer, or an array of answers.", answer, answered)}
        for status, text in _FAULTS.items():
            described = f"{HTTPStatus(status).phrase}. {text}"
            responses[str(status)] = _message(described, problem, mime=problems.MIME)
        responses["503"]["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
        described = f"A body has at most {operation.body_bytes:,} bytes."
        post = {
            "operationId": operation.name,
            "summary": operation.summary,
            "requestBody": {"required": True, **_message(described, question, asked)},
            "responses": responses,
        }
        paths[f"{PREFIX}/{operation.name}"] = {"post": post}
    return {
        "openapi": "3.1.0",
        "info": {"title": "WWHO", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _get(name: str, summary: str, schema: Any) -> dict[str, Any]:
    return {"operationId": name, "responses": {"200": _message(summary, schema)}}


def _message(
    description: str, schema: Any, example: Any = None, mime: str = "application/json"
) -> dict[str, Any]:
    shown = {} if example is None else {"example": example}
    return {"description": description, "content": {mime: {"schema": schema, **shown}}}
