"""Added tokens in plain Python (FORMAT.md, Encoding 0)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

from wwho.format.model import Added, Artifact, Flag
from wwho.text import read_characters

SPACE, WORD = 1, 2
"""Properties of a class of characters."""


class AddedTokens:
    """The added tokens of an artifact, which are found in texts: leftmost first, then longest."""

    def __init__(self, artifact: Artifact) -> None:
        """Take the added tokens of an artifact."""
        self._added = artifact.added
        self._classes, self._properties = artifact.scanners.classes, artifact.properties
        self._wanted = lru_cache(maxsize=8)(self._find_wanted)  # there may be thousands

    def find(
        self, text: bytes, allowed: bytes | None, *, normalized: bool
    ) -> Iterator[tuple[int, int, Added | None]]:
        """Yield the added tokens of a text, and the parts between them, in order.

        Args:
            text: the text.
            allowed: a byte for each added token, not 0 if the token may be found; None: no special
                token is. Tokens that are not special are always found.
            normalized: whether the text is normalized; then the tokens with NORMALIZED are found,
                otherwise the ones without.

        Yields:
            Start and end, in bytes, and the token, or None for a part between tokens, which is not
            empty. White space that a token takes is part of the token.
        """
        tokens, pattern = self._wanted(allowed, normalized)
        place = self._place_finder(text)

        def match_from(at: int) -> tuple[Added, int, int] | None:
            """Return the next token from a byte on that may stand where it does, and its match.

            That is the token, and the start and end of its text without white space; None if none
            comes. A match in the midst of a word, of a token that must stand alone, is passed over.
            """
            while tokens and (match := pattern.search(text, at)):
                start, at = match.span()
                if len(set(place(tokens[match[0]], start, at, start))) == 2:
                    return tokens[match[0]], start, at
            return None

        taken = 0
        while found := match_from(taken):
            start, end = place(*found, taken)
            later = match_from(found[2])
            while later and later[0].flags & Flag.LSTRIP and later[2] <= end:
                later = match_from(later[2])
            yield from [(taken, start, None)] if taken < start else []
            taken = min(end, later[1]) if later else end
            yield start, taken, found[0]
        if taken < len(text):
            yield taken, len(text), None

    def _find_wanted(
        self, allowed: bytes | None, normalized: bool
    ) -> tuple[dict[bytes, Added], re.Pattern[bytes]]:
        """Return the tokens to find, by their texts, and a pattern that matches the longest one."""
        flags = allowed or bytes(len(self._added))
        tokens = {
            token.text.encode("utf-8"): token
            for token, flag in zip(self._added, flags, strict=True)
            if (flag or not token.flags & Flag.SPECIAL)
            and not token.flags & Flag.HIDDEN
            and bool(token.flags & Flag.NORMALIZED) == normalized
        }
        longest_first = sorted(tokens, key=len, reverse=True)
        return tokens, re.compile(b"|".join(map(re.escape, longest_first)))

    def _place_finder(self, text: bytes) -> Callable[[Added, int, int, int], tuple[int, int]]:
        """Return a function that says where a token stands in a text, in bytes.

        It takes the token, the start and the end of its match, and the end of the token before it.
        White space around the match may belong to the token. The place is empty if the token must
        stand alone and does not.
        """
        if not self._properties:
            return lambda _token, start, end, _taken: (start, end)
        characters, starts = read_characters(text)
        found = [self._properties[self._classes.class_of(ord(c))] for c in characters]

        def place(token: Added, start: int, end: int, taken: int) -> tuple[int, int]:
            """Return where a token stands, with the white space that belongs to it."""
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end) - 1
            around = found[max(first - 1, 0) : first] + found[last : last + 1]
            if token.flags & Flag.SINGLE_WORD and any(each & WORD for each in around):
                return start, start
            while token.flags & Flag.LSTRIP and starts[first] > taken and found[first - 1] & SPACE:
                first -= 1
            while token.flags & Flag.RSTRIP and last < len(found) and found[last] & SPACE:
                last += 1
            return starts[first], starts[last]

        return place
