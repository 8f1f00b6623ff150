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
        rewritten: whether a step has rewritten the piece.
    """

    __slots__ = ("_data", "_sources", "_starts", "begin", "rewritten", "text")

    def __init__(self, text: str, begin: int = 0, sources: Sequence[Source] | None = None) -> None:
        """Take the characters, and if a step has rewritten the piece the source of each."""
        self.text, self.begin, self.rewritten = text, begin, sources is not None
        self._sources = sources
        self._data: bytes | None = None
        self._starts: Sequence[int] | None = None

    @property
    def sources(self) -> Sequence[Source]:
        """For each character the character of the whole text that it came from."""
        if self._sources is None:
            places = pairwise(self.starts)
            self._sources = [Source(self.begin + start, self.begin + end) for start, end in places]
        return self._sources

    @property
    def data(self) -> bytes:
        """The bytes of the piece."""
        if self._data is None:
            self._data = bytes_of(self.text)
        return self._data

    @property
    def starts(self) -> Sequence[int]:
        """The byte of the piece at which each character begins, then the number of its bytes."""
        if self._starts is None:
            if self.text.isascii():
                self._starts = range(len(self.text) + 1)
            else:
                self._starts = [*accumulate((len(bytes_of(c)) for c in self.text), initial=0)]
        return self._starts

    @property
    def scanned(self) -> str:
        """The characters as automata read them: U+FFFD for each byte of broken UTF-8."""
        return BROKEN.sub("\ufffd", self.text)

    def cut(self, start: int, end: int) -> Piece:
        """Return the part between two characters."""
        if self.rewritten:
            return Piece(self.text[start:end], 0, self.sources[start:end])
        return Piece(self.text[start:end], self.begin + self.starts[start])

    def cut_bytes(self, start: int, end: int) -> Piece:
        """Return the part between two bytes, at both of which a character begins or the end is."""
        return self.cut(bisect_right(self.starts, start) - 1, bisect_right(self.starts, end) - 1)

    def rewrite(self, characters: Iterable[tuple[str, Source]]) -> Piece:
        """Return the piece of these characters, each with its source, that replace the piece's."""
        found = list(characters)
        return Piece("".join([c for c, _ in found]), 0, [source for _, source in found])

    def read_again(self) -> Piece:
        """Return a piece of the same bytes, read as characters again; an ASCII piece itself.

        Bytes of broken UTF-8 that now stand beside each other may have become a character; its
        source reaches from the first one's to the last one's.
        """
        if not BROKEN.search(self.text):
            return self
        of_bytes = [
            source
            for character, source in zip(self.text, self.sources, strict=True)
            for _ in bytes_of(character)
        ]
        again = read_piece(self.data)
        places = pairwise(again.starts)
        sources = [Source(of_bytes[a].begin, of_bytes[b - 1].end) for a, b in places]
        return Piece(again.text, 0, sources)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where bytes `start` up to `end` of the piece stand in the whole text, in bytes.

        In a piece that was rewritten, that is from where the source of the first character begins
        to where the source of the last one ends. What would begin or end beyond the piece begins
        with its last byte, or ends there.

        Neither the piece nor the stretch is empty.
        """
        size = len(self.data)
        start, end = min(start, size - 1), min(end, size)
        if not self.rewritten:
            return self.begin + start, self.begin + end
        first, last = (self.sources[bisect_right(self.starts, at) - 1] for at in (start, end - 1))
        return first.begin, last.end


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
