"""The wire format of protocol buffers, as far as the files read here need it.

Every length is checked against the message that it lies in before anything is read, so a file that
lies about a size ends in an error that names the place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from wwho.errors import SourceError

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""How a field's value is spelled."""

Value = int | bytes
Field = tuple[int, int, Value]


def fields(data: bytes, what: str) -> Iterator[Field]:
    r"""Yield the fields of a message in order: number, how it is spelled, and its value.

    A value is a number, or the bytes of a text, of a message or of a number of fixed width.

    Args:
        data: the message.
        what: what messages call it.

    Raises:
        SourceError: it is no message, or it ends in the middle of a field.

    Example:
        >>> list(fields(b"\x08\x96\x01\x12\x02hi", "it"))
        [(1, 0, 150), (2, 2, b'hi')]
    """
    at = 0
    while at < len(data):
        start = at
        key, at = _varint(data, at, what)
        number, wire = key >> 3, key & 7
        if not number:
            raise SourceError(f"{what}: byte {start} begins no field; the file is damaged")
        if wire == VARINT:
            value, at = _varint(data, at, what)
            yield number, wire, value
            continue
        if wire == LENGTH:
            size, at = _varint(data, at, what)
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
        else:
            raise SourceError(
                f"{what}: field {number} at byte {start} is of the unknown kind {wire}; the file "
                "is damaged"
            )
        if size > len(data) - at:
            raise SourceError(
                f"{what}: field {number} at byte {start} has {size} bytes, {len(data) - at} are "
                "left; the file is cut off or damaged: fetch it again"
            )
        yield number, wire, data[at : at + size]
        at += size


def last_fields(data: bytes, what: str) -> dict[int, Value]:
    """Return the fields of a message by number: of one that comes several times, the last.

    That is wrong for a message within it, whose parts belong together: `fields` gives them all.

    Raises:
        SourceError: as `fields`.
    """
    return {number: value for number, _, value in fields(data, what)}


def as_float(value: Value) -> float:
    """Return the f32 that the value of a field is; NaN where it is none."""
    if not isinstance(value, bytes) or len(value) != 4:
        return float("nan")
    number: float = struct.unpack("<f", value)[0]
    return number


def _varint(data: bytes, at: int, what: str) -> tuple[int, int]:
    """Return the varint that begins at byte `at` of a message, and the place of the byte after it.

    A varint has 7 bits in each byte, the lowest first, in at most 10 bytes; bits above 64 are
    dropped.

    Args:
        data: the message.
        at: the place of the varint's first byte.
        what: what error messages call the message.

    Raises:
        SourceError: the number does not end within 10 bytes, or the message ends first.
    """
    value = shift = 0
    if at < len(data) and data[at] < 128:  # as nearly all are
        return data[at], at + 1
    for place in range(at, min(at + 10, len(data))):
        value |= (data[place] & 127) << shift
        shift += 7
        if data[place] < 128:
            return value & 0xFFFFFFFFFFFFFFFF, place + 1
    raise SourceError(f"{what}: the number at byte {at} has no end; the file is cut off or damaged")
