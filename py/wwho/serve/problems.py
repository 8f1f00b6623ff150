"""Faults as answers, `application/problem+json` (RFC 9457), and those of request bodies."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from flask import Response, request
from msgspec import Meta, Struct
from werkzeug.exceptions import HTTPException

from wwho.errors import WwhoError

MIME = "application/problem+json"
# How msgspec ends its messages where the fault is not in the outermost value.
_PLACE = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


class Problem(Struct, omit_defaults=True):
    """What went wrong, as RFC 9457 says it."""

    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: Annotated[str, Meta(description="What was expected and what was found.")]
    pointer: Annotated[str, Meta(description="JSON pointer to the fault in the request.")] = ""


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
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(body), error.status, headers, content_type=MIME)


def from_http(error: HTTPException) -> Response:
    """A fault that Flask found, such as an unknown path or another method, as a problem."""
    status = error.code or 500
    methods = getattr(error, "valid_methods", None) or []
    detail = {
        404: "Expected a file, or a path that /api/v1/openapi.json names, got another one",
        405: f"Expected {' or '.join(methods) or 'another method'}, got {request.method[:20]}",
        413: f"Expected a body of at most {request.max_content_length} bytes, "
        f"got {request.content_length or 'more'}: send it in parts",
    }
    answer = response(ProblemError(status, detail.get(status, str(error.description))))
    answer.allow.update(methods)
    return answer


def parse(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The questions in a body.

    Raises:
        ProblemError: with 400, it is no JSON, or not of the decoder's type.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        detail, *place = _PLACE.split(str(error))
        steps = _STEP.findall(place[0]) if place else []
        raise ProblemError(400, detail, "".join(f"/{a or b}" for a, b in steps)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        expected = f"Expected JSON in UTF-8 without half surrogate pairs, got {len(body)} bytes"
        reason = getattr(error, "reason", error)  # Unicode's own message quotes the text
        raise ProblemError(400, f"{expected} that are not: {reason}") from error
