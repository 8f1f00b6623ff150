"""A piece of text on its way through the steps: its characters, and where each came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

from wwho.text import read_characters


class Source(NamedTuple):
    """A character of the text that is encoded, as the bytes from `begin` up to `end`."""

    begin: int
    end: int


@dataclass(frozen=True)
class Piece:
    """A text for a step, and the source of each of its characters.

    A cut slices the sources; a step that rewrites gives its characters the sources of those that
    they were made of. So sources are always characters of the whole text that is encoded.

    Attributes:
        text: the characters. A byte of broken UTF-8 is U+DC80..U+DCFF, as Python's
            "surrogateescape" writes it; there are no other surrogates.
        sources: for each character the character of the whole text that it came from.
        rewritten: whether a step has rewritten the piece. If not, it is part of the whole text as
            it is, byte by byte.
    """

    text: str
    sources: Sequence[Source]
    rewritten: bool = False

    @cached_property
    def data(self) -> bytes:
        """The bytes of the piece."""
        return self.text.encode("utf-8", "surrogateescape")

    @cached_property
    def scanned(self) -> str:
        """The characters as automata read them: U+FFFD for each byte of broken UTF-8."""
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in self.text)

    @cached_property
    def starts(self) -> Sequence[int]:
        """The byte of the piece at which each character begins, then the number of its bytes."""
        return list(accumulate(map(len, map(bytes_of, self.text)), initial=0))

    def cut(self, start: int, end: int) -> Piece:
        """Return the part between two characters."""
        return Piece(self.text[start:end], self.sources[start:end], self.rewritten)

    def cut_bytes(self, start: int, end: int) -> Piece:
        """Return the part between two bytes, at both of which a character begins or the end is."""
        return self.cut(bisect_right(self.starts, start) - 1, bisect_right(self.starts, end) - 1)

    def rewrite(self, characters: Iterable[tuple[str, Source]]) -> Piece:
        """Return the piece of these characters, each with its source, that replace the piece's."""
        found = list(characters)
        return Piece("".join(c for c, _ in found), [source for _, source in found], True)

    def read_again(self) -> Piece:
        """Return a piece of the same bytes, read as characters again; an ASCII piece itself.

        Bytes of broken UTF-8 that now stand beside each other may have become a character; its
        source reaches from the first one's to the last one's.
        """
        if self.text.isascii():
            return self
        bytes_from = [
            source for c, source in zip(self.text, self.sources, strict=True) for _ in bytes_of(c)
        ]
        text = characters_of(self.data)
        places = accumulate(map(len, map(bytes_of, text)), initial=0)
        sources = [Source(bytes_from[a].begin, bytes_from[b - 1].end) for a, b in pairwise(places)]
        return Piece(text, sources, self.rewritten)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where bytes `start` up to `end` of the piece stand in the whole text, in bytes.

        In a piece that was rewritten, that is from where the source of the first character begins
        to where the source of the last one ends. What would begin or end beyond the piece begins
        with its last byte, or ends there.

        Neither the piece nor the stretch is empty.
        """
        start, end = min(start, len(self.data) - 1), min(end, len(self.data))
        if not self.rewritten:
            return self.sources[0].begin + start, self.sources[0].begin + end
        first, last = (self.sources[bisect_right(self.starts, at) - 1] for at in (start, end - 1))
        return first.begin, last.end


def bytes_of(character: str) -> bytes:
    """Return the UTF-8 of a character of a piece; one byte for a byte of broken UTF-8."""
    return character.encode("utf-8", "surrogateescape")


def characters_of(data: bytes) -> str:
    """Return the characters of bytes; a byte of broken UTF-8 is U+DC80..U+DCFF."""
    return data.decode("utf-8", "surrogateescape")


def read_piece(data: bytes, begin: int = 0) -> Piece:
    """Return a text as a piece that nothing has rewritten.

    Args:
        data: the bytes of the text.
        begin: the byte of the whole text at which it begins.

    Example:
        >>> read_piece("aé".encode(), 5).sources
        [Source(begin=5, end=6), Source(begin=6, end=8)]
    """
    _, places = read_characters(data)
    sources = [Source(begin + start, begin + end) for start, end in pairwise(places)]
    return Piece(characters_of(data), sources)
