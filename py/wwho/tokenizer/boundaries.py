"""The boundaries at places of a text: the ends of paragraphs, sentences, lines and words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, get_args

from wwho.compile.codepoints import CodePointSet
from wwho.compile.unicode import category, sentence_terminal

Boundary = Literal["paragraph", "sentence", "line", "word", "token"]
"""The kinds of boundaries, from the best to the worst; every place between two tokens is one."""

BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)
PARAGRAPH, SENTENCE, LINE, WORD, TOKEN = range(5)
LOOK_BEHIND = 16
"""Code points before a place that decide on its boundary, so that any text takes linear time."""

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
    """Return the pattern of a sentence's end at the end of a string.

    It matches a sentence terminator (Unicode's Sentence_Terminal), any closing brackets and
    quotation marks after it, and any white space after those.
    """
    closing = category("Pe") | category("Pf") | CodePointSet.of('"', "'")
    return re.compile(f"{sentence_terminal().pattern}{closing.pattern}*{SPACE.pattern}*\\Z")


def boundary_at(text: str, place: int) -> int:
    """Return the best kind of boundary at a place in a text, as an index of `BOUNDARIES`.

    0 is the best kind. Only `LOOK_BEHIND` code points before the place and one after it decide.

    A place beside white space is at least a WORD boundary. A sentence ends after its terminator
    and at each place in the white space after that, but not before a newline; a line and a
    paragraph end after their last newline. Full-width terminators also end a sentence where no
    white space follows.

    Args:
        text: the text.
        place: code points before the place, at least 1; the end of the text is a PARAGRAPH.

    Example:
        >>> text = "Yes. No\\n\\nbut"
        >>> [BOUNDARIES[boundary_at(text, place)] for place in (1, 4, 5, 7, 8, 9, 12)]
        ['token', 'sentence', 'sentence', 'word', 'word', 'paragraph', 'paragraph']
    """
    if place == len(text):
        return PARAGRAPH
    following, before = text[place], text[max(0, place - LOOK_BEHIND) : place]
    if not SPACE.match(following) and not SPACE.match(before[-1]):
        return SENTENCE if FULL_WIDTH_END.search(before) else TOKEN
    ends_line = NEWLINE.match(before[-1]) and not NEWLINE.match(following)
    if ends_line and BLANK_LINE.search(before):
        return PARAGRAPH
    if not NEWLINE.match(following) and sentence_end().search(before):
        return SENTENCE
    return LINE if ends_line else WORD


def boundaries_by_kind(text: str, places: Sequence[int], prefer: Boundary) -> list[list[int]]:
    """Sort places of a text by the boundaries at them.

    Args:
        text: the text.
        places: places in code points, ascending; the first is 0, the start of the text, which is
            no boundary.
        prefer: the best kind that is asked for.

    Returns:
        One list for each kind from `prefer` to "word", best first, of indexes into `places`,
        ascending: those with a boundary of this kind or a better one. So each list contains the
        lists before it. It is empty for "token", where every place would be listed.
    """
    best = BOUNDARIES.index(prefer)
    by_kind: list[list[int]] = [[] for _ in range(best, TOKEN)]
    if by_kind:
        for number, place in enumerate(places[1:], 1):
            for kind in range(max(boundary_at(text, place), best), TOKEN):
                by_kind[kind - best].append(number)
    return by_kind
