"""Problems of requests as responses (RFC 9457), and the reading of bodies, which finds them."""

from __future__ import annotations

import json
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
    """The body of a response that says what is wrong with a request, as in RFC 9457."""

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
        """Make the error of an HTTP status, with what was expected and found, and where."""
        super().__init__(detail)
        self.status, self.pointer = status, pointer


def problem_response(error: ProblemError) -> Response:
    """Return the response with a problem, which no cache may keep."""
    body = Problem(HTTPStatus(error.status).phrase, error.status, str(error), error.pointer)
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(body), error.status, headers, content_type=MIME)


def http_problem_response(error: HTTPException) -> Response:
    """Return the response with a fault that Flask found, such as an unknown path, as a problem.

    That of another method says which methods are allowed, in its text and in the header Allow.
    """
    status = error.code or 500
    methods = getattr(error, "valid_methods", None) or []
    details = {
        404: "Expected a file, or a path that /api/v1/openapi.json names, got another one",
        405: f"Expected {' or '.join(methods) or 'another method'}, got {request.method[:20]}",
        413: f"Expected a body of at most {request.max_content_length} bytes, "
        f"got {request.content_length or 'more'}: send it in parts",
    }
    detail = details.get(status, str(error.description))
    response = problem_response(ProblemError(status, detail))
    response.allow.update(methods)
    return response


def parse_questions(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Return the question, or the list of questions, that a body of JSON holds.

    Args:
        body: JSON in UTF-8.
        decoder: a decoder for the type of the questions, which are flat objects.

    Raises:
        ProblemError: with 400, the body is no JSON, is not of the decoder's type, or has a key
            twice in one object.
    """
    try:
        questions = decoder.decode(body)
    except msgspec.ValidationError as error:
        detail, *place = _PLACE.split(str(error))
        steps = _STEP.findall(place[0]) if place else []
        raise ProblemError(400, detail, "".join(f"/{a or b}" for a, b in steps)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        expected = f"Expected JSON in UTF-8 without half surrogate pairs, got {len(body)} bytes"
        reason = getattr(error, "reason", error)  # Unicode's own message quotes the text
        raise ProblemError(400, f"{expected} that are not: {reason}") from error
    _refuse_repeated_keys(body)
    return questions


def _refuse_repeated_keys(body: bytes) -> None:
    """Raise ProblemError with 400 if an object of a body that msgspec has taken has a key twice.

    msgspec takes the last value, and other programs the first; a filter before this server might
    see another text than the server does.
    """
    n_objects = 0

    def check_object(pairs: list[tuple[str, Any]]) -> None:
        """Check the keys of the next object; all objects are questions, in their order."""
        nonlocal n_objects
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                question = f"/{n_objects}" if body.lstrip().startswith(b"[") else ""
                detail = f"Expected the key `{key}` once, got it twice"
                raise ProblemError(400, detail, f"{question}/{key}")
        n_objects += 1

    json.loads(body.decode(), object_pairs_hook=check_object)
