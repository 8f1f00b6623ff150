"""Reading a section from its start to its end."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NoReturn

from wwho.format import leb
from wwho.format.container import fail
from wwho.format.layout import MAX_TOKEN_BYTES, padding


class Cursor:
    """A place in a section; what does not fit raises an ArtifactError.

    Attributes:
        data: the section.
        at: the place, in bytes from its start.
        status: the status of the MUST that is being checked.
    """

    def __init__(self, data: bytes, status: str) -> None:
        """Begin at the start of a section."""
        self.data, self.at, self.status = data, 0, status

    def fail(self, message: str) -> NoReturn:
        """Refuse the file."""
        raise fail(self.status, message)

    def take(self, size: int, what: str) -> bytes:
        """The next bytes."""
        data = self.data[self.at : self.at + size]
        if len(data) != size:
            self.fail(f"{what}: {size} bytes at {self.at} of {len(self.data)} are cut off")
        self.at += size
        return data

    def numbers(self, layout: str, what: str) -> tuple[int, ...]:
        """The next numbers, in the notation of `struct`."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}"), what))

    def zeros(self, multiple: int, what: str) -> None:
        """Pass zero bytes up to a multiple."""
        if any(self.take(padding(self.at, multiple), what)):
            self.fail(f"{what}: padding that is not zero")

    def lebs(self, count: int, what: str) -> list[int]:
        """The next column of LEB128 numbers."""
        try:
            values, self.at = leb.unpack(self.data, self.at, count)
        except ValueError as error:
            self.fail(f"{what}: {error}")
        return values

    def texts(self, count: int, what: str) -> tuple[bytes, ...]:
        """The next texts (FORMAT.md, MODEL: TEXTS), in ascending order."""
        found, before = [], b""
        for place in range(count):
            (keep,) = self.lebs(1, f"{what} {place}")
            (rest,) = self.listed(1, f"{what} {place}:")
            text = before[:keep] + rest
            if keep > len(before) or len(text) > MAX_TOKEN_BYTES:
                self.fail(f"{what} {place}: {len(rest)} bytes after {keep} of {len(before)}")
            if keep < len(before) and rest[0] <= before[keep]:
                self.fail(f"{what} {place}: {text!r} does not follow {before!r}")
            found.append(text)
            before = text
        return tuple(found)

    def listed(self, count: int, what: str) -> tuple[bytes, ...]:
        """The next texts (FORMAT.md, MODEL: LISTED), in any order."""
        found = []
        for place in range(count):
            size = self.data.find(leb.END, self.at + 1) - self.at
            if not 1 <= size <= MAX_TOKEN_BYTES:
                self.fail(f"{what} {place} does not end within {MAX_TOKEN_BYTES} bytes")
            found.append(self.take(size + 1, what)[:-1])
        return tuple(found)

    def different(self, texts: Sequence[bytes], what: str) -> None:
        """Check that no text comes twice."""
        if len(set(texts)) < len(texts):
            self.status = "TOKEN_DUPLICATE"
            self.fail(f"two {what} have one text")

    def utf8(self, size: int, what: str) -> str:
        """The next text in UTF-8."""
        data = self.take(size, what)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self.fail(f"{what} is not UTF-8: {data!r}")

    def end(self) -> None:
        """Check that nothing is left."""
        if self.at != len(self.data):
            self.fail(f"it ends at byte {self.at}, the section at {len(self.data)}")
