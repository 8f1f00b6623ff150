"""Faults as answers, `application/problem+json` (RFC 9457), and those of request bodies."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

import msgspec
from flask import Response, request
from werkzeug.exceptions import HTTPException

from wwho.errors import WwhoError
from wwho.serve.messages import Problem, to_json

MIME = "application/problem+json"
# How msgspec ends its messages where the fault is not in the outermost value.
_PLACE = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# For messages of msgspec that do not say what was expected or found, by their beginnings.
_CLEARER = {
    "Invalid enum value": 'Expected "all" or an array of special tokens, got another string',
    "Object contains unknown field": "Expected only the fields that openapi.json names, "
    "got another one",
    "Integer value out of range": "Expected an integer of at most 4300 digits, got a longer number",
    "Number out of range": "Expected an integer, got a number beyond 64-bit floating point",
    "Input data was truncated": "it ends too early, or a string ends with half a surrogate pair",
}


class ProblemError(WwhoError):
    """A request that cannot be answered.

    Attributes:
        status: the HTTP status.
        pointer: JSON pointer to the fault in the request; "" is all of it.
    """

    def __init__(self, status: int, detail: str, pointer: str = "") -> None:
        """Keep the status, what was expected and found, and where."""
        super().__init__(detail)
        self.status, self.pointer = status, pointer


def response(error: ProblemError) -> Response:
    """A problem, as an answer."""
    body = Problem(HTTPStatus(error.status).phrase, error.status, str(error), error.pointer)
    headers = {"Cache-Control": "no-store"} | ({"Retry-After": "1"} if error.status == 503 else {})
    return Response(to_json(body), error.status, headers, content_type=MIME)


def from_http(error: HTTPException) -> Response:
    """A fault that Flask found, such as an unknown path or another method, as a problem."""
    status = error.code or 500
    methods = " or ".join(getattr(error, "valid_methods", None) or ["another method"])
    detail = {
        404: "Expected a file, or a path that /api/v1/openapi.json names, got another one",
        405: f"Expected {methods}, got {request.method[:20]}",
        413: f"Expected a body of at most {request.max_content_length} bytes, "
        f"got {request.content_length or 'more'}: send it in parts",
    }
    answer = response(ProblemError(status, detail.get(status, str(error.description))))
    keep = ("Allow", "Content-Range")
    answer.headers.extend({name: value for name, value in error.get_headers() if name in keep})
    return answer


def parse(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The questions in a body.

    Raises:
        ProblemError: with 400, it is no JSON, or not of the decoder's type.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        steps = [name or int(index) for name, index in _STEP.findall(place[1])] if place else []
        detail = _clearer(str(error)[: place.start()] if place else str(error))
        if detail.startswith("Object missing"):
            detail = detail.replace("Object missing", "Expected the") + ", got an object without it"
        elif detail.startswith("Expected") and ", got " not in detail:
            detail += f", got {_found(body, steps)}"
        raise ProblemError(400, detail, "".join(f"/{step}" for step in steps)) from error
    except _UNREADABLE as error:
        reason = _clearer(str(error))
        if isinstance(error, UnicodeDecodeError):  # its position is that in a string of the text
            reason = f"byte 0x{error.object[error.start]:02x}: {error.reason}"
        expected = "Expected JSON in UTF-8, without half surrogate pairs or needless nesting"
        detail = f"{expected}, got {len(body)} bytes that are not: {reason}"
        raise ProblemError(400, detail) from error


def _clearer(message: str) -> str:
    return next((text for start, text in _CLEARER.items() if message.startswith(start)), message)


def _found(body: bytes, steps: list[str | int]) -> str:
    """The value at a place of a JSON text in a few words, never a client's text."""
    try:
        value = msgspec.json.decode(body)
    except _UNREADABLE:  # what follows the value is broken
        return "another value"
    for step in steps:
        value = value[step]
    if isinstance(value, (str, list, dict)):
        return f"length {len(value)}"
    return repr(value) if abs(value) < 10**20 else "a longer number"
