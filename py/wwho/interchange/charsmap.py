"""SentencePiece's precompiled charsmap: texts and what replaces them, in a double array.

`u32` bytes of the array, the array (Darts-clone: units of 32 bits), then the replacements, each
ended by a zero byte.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from wwho.errors import SourceError

MAX_KEY = 255
"""Bytes of a text that is replaced; the longest known has 12."""
MAX_STEPS = 1 << 21
"""Units that are looked at; the largest charsmap known takes under 400,000."""

BYTES = [bytes([byte]) for byte in range(256)]


@dataclass(frozen=True)
class Charsmap:
    """What is replaced in a text.

    Attributes:
        rules: texts and their replacements.
    """

    rules: Mapping[str, str] = field(default_factory=dict)


def read_charsmap(data: bytes) -> Charsmap:
    """Read a charsmap; an empty one replaces nothing.

    Raises:
        SourceError: an offset leaves the data, the array has a cycle, or a text or a replacement is
            not UTF-8.

    Example:
        >>> read_charsmap(b"").rules
        {}
    """
    if not data:
        return Charsmap()
    if len(data) < 4:
        raise _bad(f"it has {len(data)} bytes")
    (size,) = struct.unpack_from("<I", data)
    if size % 4 or not size or size > len(data) - 4:
        raise _bad(f"its array has {size} bytes of {len(data) - 4}")
    units = struct.unpack_from(f"<{size // 4}I", data, 4)
    texts = data[4 + size :]
    keys = _keys(units)
    if not keys:
        return Charsmap()
    contents: dict[int, str] = {}  # of the place of each
    for key, place in keys:
        if place in contents:
            continue
        end = texts.find(b"\0", place) if place < len(texts) else -1
        if end < 0:
            raise _bad(f"the replacement of {key!r} is at {place} of {len(texts)}, without an end")
        contents[place] = _decoded(texts[place:end])
    try:  # all at once: none of them has a zero byte
        decoded = b"\0".join(key for key, _ in keys).decode().split("\0")
    except UnicodeDecodeError:
        decoded = [_decoded(key) for key, _ in keys]
    return Charsmap({key: contents[place] for key, (_, place) in zip(decoded, keys, strict=True)})


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad(f"a text or what replaces it, {text!r}, is not UTF-8") from None


def _keys(units: tuple[int, ...]) -> list[tuple[bytes, int]]:
    """All texts of a double array, with the value of each.

    Texts share their ends there, so a unit is reached in many ways; a cycle shows by its depth.
    """
    # Of the units below each place: their byte, whether they end a text, and what is below them.
    children: dict[int, list[tuple[bytes, int, int]]] = defaultdict(list)
    for index, unit in enumerate(units):
        if unit & 255 and unit < 1 << 31:
            below = index ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))
            children[index ^ (unit & 255)].append((BYTES[unit & 255], unit & 1 << 8, below))
    found: list[tuple[bytes, int]] = []
    first = (units[0] >> 10) << ((units[0] & 1 << 9) >> 6)
    pending = [(first, b"")]
    for _ in range(MAX_STEPS):
        if not pending:
            return found
        base, key = pending.pop()
        if len(key) >= MAX_KEY:
            raise _bad(f"it replaces a text of over {MAX_KEY} bytes, or its array has a cycle")
        for byte, ends, below in children.get(base, ()):
            text = key + byte
            if ends:
                if below >= len(units):
                    raise _bad(f"the value of {text!r} is outside its array")
                found.append((text, units[below] & 0x7FFFFFFF))
            if below in children:
                pending.append((below, text))
    raise _bad(f"its array takes over {MAX_STEPS} steps")


def _bad(message: str) -> SourceError:
    return SourceError(f"precompiled_charsmap: {message}; the file is damaged")
