"""Where a text may well be cut for a reader: after a paragraph, else a sentence, a line, a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, get_args

from wwho.compile.codepoints import CodePointSet
from wwho.compile.unicode import category, sentence_terminal

Kind = Literal["paragraph", "sentence", "line", "word", "token"]
"""From the best place to the worst; between two tokens there is always one."""

KINDS: tuple[Kind, ...] = get_args(Kind)
PARAGRAPH, SENTENCE, LINE, WORD, TOKEN = range(5)
LOOK = 16
"""Code points before a place that decide on it, so that any text takes linear time."""

# White space is ECMAScript's: the package for JavaScript cuts at the same places.
BLANKS = "\t\v\f \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff"
SPACE = re.compile(f"[{BLANKS}\n\r\u2028\u2029]")
NEWLINE = re.compile("[\n\r\u2028\u2029]")
BLANK_LINE = re.compile(
    f"(?:\n[{BLANKS}\r\u2028\u2029]*\n|\r[{BLANKS}\u2028\u2029]*\r|\u2029){SPACE.pattern}*\\Z"
)
FULL_WIDTH_END = re.compile("[。．！？｡][\"'」』）】》”’]*\\Z")


@cache
def sentence_end() -> re.Pattern[str]:
    """A terminator, what closes after it, and spaces."""
    closing = category("Pe") | category("Pf") | CodePointSet.of('"', "'")
    return re.compile(f"{sentence_terminal().pattern}{closing.pattern}*{SPACE.pattern}*\\Z")


def kind_at(text: str, place: int) -> int:
    """What ends at a place after the first code point, as a number of `KINDS`."""
    if place == len(text):
        return PARAGRAPH
    following, before = text[place], text[max(0, place - LOOK) : place]
    if not SPACE.match(following) and not SPACE.match(before[-1]):
        return SENTENCE if FULL_WIDTH_END.search(before) else TOKEN
    ends_line = NEWLINE.match(before[-1]) and not NEWLINE.match(following)
    if ends_line and BLANK_LINE.search(before):
        return PARAGRAPH
    if not NEWLINE.match(following) and sentence_end().search(before):
        return SENTENCE
    return LINE if ends_line else WORD


def ends_in(text: str, places: Sequence[int], prefer: Kind) -> list[list[int]]:
    """Of places, the numbers of those where something of a kind, or of a better one, ends.

    Args:
        text: the text.
        places: code points, the first 0.
        prefer: the best kind that counts.

    Returns:
        For each kind from `prefer` to words, ascending numbers.
    """
    best = KINDS.index(prefer)
    ends: list[list[int]] = [[] for _ in range(best, TOKEN)]
    if ends:
        for number, place in enumerate(places[1:], 1):
            for kind in range(max(kind_at(text, place), best), TOKEN):
                ends[kind - best].append(number)
    return ends
