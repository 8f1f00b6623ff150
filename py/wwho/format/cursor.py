"""Reading a section from its start to its end."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NoReturn

from wwho.format import leb
from wwho.format.container import fail
from wwho.format.layout import MAX_TOKEN_BYTES, padding


class Cursor:
    """A section and a place in it. Each method reads from the place on and moves it.

    Every method raises an ArtifactError with `status` if the bytes are not there, or not as asked
    for. `what` names the thing that is read, for the error.

    Attributes:
        data: the bytes of the section.
        at: the place, in bytes from the start.
        status: the status of the MUST that is being checked; callers change it.
    """

    def __init__(self, data: bytes, status: str) -> None:
        """Begin at the start of a section."""
        self.data, self.at, self.status = data, 0, status

    def fail(self, message: str) -> NoReturn:
        """Raise an ArtifactError with the current status."""
        raise fail(self.status, message)

    def take(self, size: int, what: str) -> bytes:
        """Return the next `size` bytes, and move past them.

        Raises:
            ArtifactError: fewer are left; the place stays.
        """
        data = self.data[self.at : self.at + size]
        if len(data) != size:
            self.fail(f"{what}: {size} bytes at {self.at} of {len(self.data)} are cut off")
        self.at += size
        return data

    def numbers(self, layout: str, what: str) -> tuple[int, ...]:
        """Return the next numbers; `layout` is in the notation of `struct`, without `<`."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}"), what))

    def zeros(self, multiple: int, what: str) -> None:
        """Move on to a place that is a multiple of bytes; refuse bytes before it that are not 0."""
        if any(self.take(padding(self.at, multiple), what)):
            self.fail(f"{what}: padding that is not zero")

    def lebs(self, count: int, what: str) -> list[int]:
        """Return the next LEB128 numbers, which must be in their shortest form."""
        try:
            values, self.at = leb.unpack(self.data, self.at, count)
        except ValueError as error:
            self.fail(f"{what}: {error}")
        return values

    def texts(self, count: int, what: str) -> tuple[bytes, ...]:
        """Return the next `count` texts, which ascend (FORMAT.md, MODEL: TEXTS).

        Each is stored as how many bytes it shares with the one before it, and the rest up to FF. No
        text is empty, longer than `MAX_TOKEN_BYTES`, or equal to another.

        Raises:
            ArtifactError: that is not so; the place is then anywhere within them.
        """
        found, before = [], b""
        for place in range(count):
            (keep,) = self.lebs(1, f"{what} {place}")
            (rest,) = self.listed_texts(1, f"{what} {place}:")
            text = before[:keep] + rest
            if keep > len(before) or len(text) > MAX_TOKEN_BYTES:
                self.fail(f"{what} {place}: {len(rest)} bytes after {keep} of {len(before)}")
            if keep < len(before) and rest[0] <= before[keep]:
                self.fail(f"{what} {place}: {text!r} does not follow {before!r}")
            found.append(text)
            before = text
        return tuple(found)

    def listed_texts(self, count: int, what: str) -> tuple[bytes, ...]:
        """Return the next `count` texts, in any order (FORMAT.md, MODEL: LISTED).

        Each ends before a byte FF and has 1 to `MAX_TOKEN_BYTES` bytes; they may repeat.

        Raises:
            ArtifactError: that is not so.
        """
        found = []
        for place in range(count):
            size = self.data.find(leb.END, self.at + 1) - self.at
            if not 1 <= size <= MAX_TOKEN_BYTES:
                self.fail(f"{what} {place} does not end within {MAX_TOKEN_BYTES} bytes")
            found.append(self.take(size + 1, what)[:-1])
        return tuple(found)

    def different(self, texts: Sequence[bytes], what: str) -> None:
        """Refuse the file with TOKEN_DUPLICATE if a text occurs twice in `texts`."""
        if len(set(texts)) < len(texts):
            self.status = "TOKEN_DUPLICATE"
            self.fail(f"two {what} have one text")

    def utf8(self, size: int, what: str) -> str:
        """Return the next `size` bytes as text; refuse what is not UTF-8."""
        data = self.take(size, what)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self.fail(f"{what} is not UTF-8: {data!r}")

    def end(self) -> None:
        """Refuse bytes after the place."""
        if self.at != len(self.data):
            self.fail(f"it ends at byte {self.at}, the section at {len(self.data)}")
