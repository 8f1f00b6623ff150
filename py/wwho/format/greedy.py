"""Longest match, a kind of model: its data, written and read (FORMAT.md, GREEDY)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.layout import NONE
from wwho.format.model import ANYWHERE, Head, Model, Unknown

SINGLE_BYTES = frozenset(bytes([byte]) for byte in range(256))


@dataclass(frozen=True, kw_only=True)
class Greedy(Model):
    """A model that takes the longest token that fits, from left to right, as WordPiece does.

    Attributes:
        first: the texts of tokens that may begin a pretoken. In the order of ids the file is
            smallest.
        later: the texts of tokens that may only continue one, without the `##` of WordPiece's
            files. None: the tokens that may begin a pretoken may also continue it.
        max_characters: a pretoken of more characters is unknown as a whole; None: there is no
            limit.
    """

    first: tuple[bytes, ...]
    later: tuple[bytes, ...] | None = ()
    max_characters: int | None = None

    @property
    def n_symbols(self) -> int:
        """The number of tokens that may begin a pretoken."""
        return len(self.first)

    @property
    def anywhere(self) -> bool:
        """Whether tokens that may begin a pretoken may also continue one."""
        return self.later is None

    @cached_property
    def texts(self) -> tuple[bytes, ...]:
        """The texts of all tokens: those that may begin a pretoken come first."""
        return self.first + (self.later or ())


def write_greedy(model: Greedy) -> bytes:
    """Return the bytes of a model after its head, up to its ids.

    Raises:
        ValueError: a text has the byte FF after its first one.
    """
    limit = NONE if model.max_characters is None else model.max_characters
    return struct.pack("<I", limit) + leb.pack_listed(model.texts)


def read_greedy(cursor: Cursor, head: Head) -> Greedy:
    """Read a model from the end of its head up to its ids.

    The cursor stands at the ids afterwards, and its status has changed.

    Raises:
        ArtifactError: a MUST of FORMAT.md, GREEDY is broken.
    """
    anywhere, known = bool(head.flags & ANYWHERE), head.unknown == Unknown.NONE
    (limit,) = cursor.numbers("I", "max_characters")
    if anywhere and head.n_merges:
        cursor.fail(f"{head.n_merges} tokens may only continue a piece, as all others may")
    if not limit or (known and limit != NONE):
        cursor.fail(f"max_characters is {limit}")
    cursor.status = "SYMBOLS"
    first = cursor.listed_texts(head.n_symbols, "token")
    later = cursor.listed_texts(head.n_merges, "continuing token")
    cursor.different(first, "tokens")
    cursor.different(later, "continuing tokens")
    if known and not ({*first} >= SINGLE_BYTES and (anywhere or {*later} >= SINGLE_BYTES)):
        cursor.fail("not every byte is a token, and nothing says what becomes of what is unknown")
    return Greedy(
        first=first,
        later=None if anywhere else later,
        max_characters=None if limit == NONE else limit,
    )
