"""A piece of text on its way through the steps: its characters, and where each came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

BROKEN = re.compile("[\udc80-\udcff]")
"""A byte of broken UTF-8 in a piece."""


class Source(NamedTuple):
    """A character of the text that is encoded, as the bytes from `begin` up to `end`."""

    begin: int
    end: int


class Piece:
    """A text for a step, and the source of each of its characters.

    A cut slices the sources; a step that rewrites gives its characters the sources of those that
    they were made of. So sources are always characters of the whole text that is encoded. A piece
    that no step has rewritten needs no list of them: it is part of the whole text as it is, byte by
    byte, from `begin` on.

    Attributes:
        text: the characters. A byte of broken UTF-8 is U+DC80..U+DCFF, as Python's
            "surrogateescape" writes it; there are no other surrogates.
        begin: the byte of the whole text at which a piece begins that is not rewritten.
        of_bytes: for each byte of a piece that was rewritten the source of its character; None for
            other pieces.
    """

    __slots__ = ("_data", "_starts", "begin", "of_bytes", "text")

    def __init__(self, text: str, begin: int = 0, of_bytes: Sequence[Source] | None = None) -> None:
        """Take the characters, and the sources of their bytes if a step has rewritten the piece."""
        self.text, self.begin, self.of_bytes = text, begin, of_bytes
        self._data: bytes | None = None
        self._starts: Sequence[int] | None = None

    @property
    def rewritten(self) -> bool:
        """Whether a step has rewritten the piece."""
        return self.of_bytes is not None

    @property
    def data(self) -> bytes:
        """The bytes of the piece."""
        if self._data is None:
            self._data = bytes_of(self.text)
        return self._data

    @property
    def starts(self) -> Sequence[int]:
        """The byte of the piece at which each character begins, then the number of its bytes.

        A byte of broken UTF-8 is one character of one byte. It is computed at first use.
        """
        if self._starts is None:
            if self.text.isascii():
                self._starts = range(len(self.text) + 1)
            else:
                self._starts = [*accumulate((len(bytes_of(c)) for c in self.text), initial=0)]
        return self._starts

    @property
    def sources(self) -> Sequence[Source]:
        """For each character the character of the whole text that it came from."""
        return [Source(*self.place(start, end)) for start, end in pairwise(self.starts)]

    @property
    def scanned(self) -> str:
        """The characters as automata read them: U+FFFD for each byte of broken UTF-8."""
        return BROKEN.sub("\ufffd", self.text)

    def cut(self, start: int, end: int) -> Piece:
        """Return the part between two characters."""
        first, last = self.starts[start], self.starts[end]
        of_bytes = None if self.of_bytes is None else self.of_bytes[first:last]
        return Piece(self.text[start:end], self.begin + first, of_bytes)

    def cut_bytes(self, start: int, end: int) -> Piece:
        """Return the part between two bytes, at both of which a character begins or the end is."""
        return self.cut(bisect_right(self.starts, start) - 1, bisect_right(self.starts, end) - 1)

    def rewrite(self, characters: Iterable[tuple[str, Source]]) -> Piece:
        """Return the piece of these characters, each with its source, that replace the piece's."""
        found = list(characters)
        of_bytes = [source for character, source in found for _ in bytes_of(character)]
        return Piece("".join([character for character, _ in found]), 0, of_bytes)

    def read_again(self) -> Piece:
        """Return a piece of the same bytes, read as characters again; an ASCII piece itself.

        Bytes of broken UTF-8 that now stand beside each other may have become a character; each
        byte keeps its source.
        """
        return Piece(read_piece(self.data).text, self.begin, self.of_bytes)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where bytes `start` up to `end` of the piece stand in the whole text, in bytes.

        In a piece that was rewritten, that is from where the source of the first character begins
        to where the source of the last one ends. What would begin or end beyond the piece begins
        with its last byte, or ends there.

        Neither the piece nor the stretch is empty.
        """
        size = len(self.data)
        start, end = min(start, size - 1), min(end, size)
        if self.of_bytes is None:
            return self.begin + start, self.begin + end
        return self.of_bytes[start].begin, self.of_bytes[end - 1].end


def bytes_of(text: str) -> bytes:
    """Return the bytes of characters of a piece: UTF-8, but one byte for each of broken UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def read_piece(data: bytes, begin: int = 0) -> Piece:
    """Return a text as a piece that nothing has rewritten.

    Args:
        data: the bytes of the text.
        begin: the byte of the whole text at which it begins.

    Example:
        >>> read_piece("aé".encode(), 5).sources
        [Source(begin=5, end=6), Source(begin=6, end=8)]
    """
    return Piece(data.decode("utf-8", "surrogateescape"), begin)
