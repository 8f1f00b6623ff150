"""Offsets without the white space of tokens (FORMAT.md, TEMPLATE: trim)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

BYTES = 16
"""Of a trim: tokens stand for bytes, of which the space alone counts."""

KEEP, KEEP_ALONE = 2, 3
"""Moves that leave the first token's only space to it: always, or where no ids stand around."""

SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\u0120" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Spaced(NamedTuple):
    """Where a token stands, and how many characters of white space are at its two ends."""

    start: int
    end: int
    leading: int = 0
    trailing: int = 0


def spaces(text: str) -> tuple[int, int]:
    """How many characters at the two ends of a text are white space or stand for it.

    Example:
        >>> spaces("\\u0120 a b "), spaces("  ")
        ((2, 1), (2, 2))
    """
    return len(text) - len(text.lstrip(SPACE)), len(text) - len(text.rstrip(SPACE))


def byte_spaces(text: bytes) -> tuple[int, int]:
    """The same of a token that stands for bytes.

    Example:
        >>> byte_spaces(b"  a\\n")
        (2, 0)
    """
    return len(text) - len(text.lstrip(b" ")), len(text) - len(text.rstrip(b" "))


def trimmed(tokens: Iterable[Spaced], trim: int, around: bool) -> list[tuple[int, int]]:
    """The offsets of the tokens of a text.

    Args:
        tokens: where they stand, in characters.
        trim: that of the text's place in the template.
        around: whether the caller asks for ids around texts.

    Example:
        >>> trimmed([Spaced(0, 6, 1, 0), Spaced(6, 12, 1, 0)], 1, False)
        [(1, 6), (7, 12)]
    """
    moves = [move for move in (trim & 3, trim >> 2 & 3) if move]
    found = []
    for number, (start, end, leading, trailing) in enumerate(tokens):
        for move in moves:
            first = not start or not (number or (move == KEEP_ALONE and around))
            if not (first and leading == 1 and move >= KEEP):
                start = min(start + leading, end)
            if end >= trailing:
                end = max(end - trailing, start)
        found.append((start, end))
    return found
