"""Request bodies as questions; faults name the place, what was expected and what was found."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from wwho.serve.problems import ProblemError

# How msgspec ends its messages where the fault is not in the outermost value.
_PLACE = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def parse(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The questions in a body.

    Raises:
        ProblemError: with 400, it is no JSON, or not of the decoder's type.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _refused(str(error), body) from error
    except _UNREADABLE as error:
        raise ProblemError(
            400,
            "Expected JSON in UTF-8, without half surrogate pairs and not nested deeper than "
            f"openapi.json says, got {len(body)} bytes that are not: {_reason(error)}",
        ) from error


def _reason(error: Exception) -> str:
    """What is wrong with a JSON text; msgspec says of half a pair too that the text is cut off."""
    if isinstance(error, UnicodeDecodeError):  # its position is that in a string of the text
        return f"byte 0x{error.object[error.start]:02x}: {error.reason}"
    message = str(error)
    if message == "Input data was truncated":
        return "it ends too early, or a string ends with half a surrogate pair"
    return message


def _refused(message: str, body: bytes) -> ProblemError:
    """The problem that msgspec's message names, with the value found where it does not say it."""
    place = _PLACE.search(message)
    steps = [name or int(index) for name, index in _STEP.findall(place[1])] if place else []
    detail = message[: place.start()] if place else message
    if detail.startswith("Expected") and ", got " not in detail:
        detail += f", got {_describe(_value_at(body, steps))}"
    elif detail.startswith("Invalid enum value"):
        detail = 'Expected "all" or an array of special tokens, got another string'
    elif detail.startswith("Object contains unknown field"):
        detail = "Expected only the fields that openapi.json names, got another one"
    elif detail.startswith("Integer value out of range"):
        detail = "Expected an integer of at most 4300 digits, got a longer number"
    elif detail == "Number out of range":
        detail = "Expected an integer, got a number beyond 64-bit floating point"
    elif detail.startswith("Object missing"):
        detail = detail.replace("Object missing", "Expected the") + ", got an object without it"
    return ProblemError(400, detail, "".join(f"/{step}" for step in steps))


def _value_at(body: bytes, steps: list[str | int]) -> Any:
    """The value at a place of a JSON text; None where what follows it is broken."""
    try:
        value = msgspec.json.decode(body)
    except _UNREADABLE:
        return None
    for step in steps:
        value = value[step]
    return value


def _describe(value: Any) -> str:
    """A value in a few words; never a client's text.

    Example:
        >>> _describe([1, 2]), _describe(-1)
        ('length 2', '-1')
    """
    if isinstance(value, (str, list, dict)):
        return f"length {len(value)}"
    return repr(value) if abs(value or 0) < 10**20 else "a longer number"
