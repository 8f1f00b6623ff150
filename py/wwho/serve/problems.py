"""Faults as answers: `application/problem+json`, RFC 9457."""

from __future__ import annotations

from http import HTTPStatus

from wwho.errors import WwhoError
from wwho.serve.messages import Problem, to_json

MIME = "application/problem+json"


class ProblemError(WwhoError):
    """A request that cannot be answered.

    Attributes:
        status: the HTTP status.
        pointer: JSON pointer to the fault in the request; "" is all of it.
    """

    def __init__(self, status: int, detail: str, pointer: str = "") -> None:
        """Keep the status, what was expected and found, and where."""
        super().__init__(detail)
        self.status = status
        self.pointer = pointer


def problem(status: int, detail: str, pointer: str = "") -> bytes:
    """The body of an answer that says what went wrong.

    Example:
        >>> problem(404, "Expected a path, got another one")
        b'{"title":"Not Found","status":404,"detail":"Expected a path, got another one"}'
    """
    return to_json(Problem(HTTPStatus(status).phrase, status, detail, pointer))
