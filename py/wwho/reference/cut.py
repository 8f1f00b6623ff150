"""Added tokens and pretokenizers in the reference backend (FORMAT.md, Encoding)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

from wwho.format.automaton import CompiledScanners
from wwho.format.model import Action, Added, Artifact, Flag, Stage
from wwho.reference.scan import pieces
from wwho.text import read_characters

SPACE, WORD = 1, 2
"""Properties of a class of characters."""


def split(scanners: CompiledScanners, stage: Stage, text: str) -> list[tuple[int, int]]:
    """The pieces into which a stage cuts a text: start and end."""
    found: list[tuple[int, int]] = []
    before, rule_before = Action.DROP, -1
    for start, end, rule in pieces(scanners, scanners.automata[stage.automaton], text, stage.back):
        action = stage.actions[rule]
        if (
            (action is Action.BEFORE and before not in (Action.BEFORE, Action.DROP))
            or (before is Action.BEHIND and action not in (Action.BEHIND, Action.DROP))
            or (action in (Action.GROUP, Action.FOLLOW) and rule == rule_before)
            or (action is Action.FOLLOW and rule == rule_before + 1 and before is not Action.DROP)
        ):
            found[-1] = found[-1][0], end
        elif action is not Action.DROP:
            found.append((start, end))
        before, rule_before = action, rule
    return found


class AddedTokens:
    """Finds added tokens: leftmost, then longest."""

    def __init__(self, artifact: Artifact) -> None:
        """Take the added tokens of an artifact."""
        self._added = artifact.added
        self._classes, self._properties = artifact.scanners.classes, artifact.properties
        self._wanted = lru_cache(maxsize=8)(self._find_wanted)  # there may be thousands

    def find(
        self, text: bytes, allowed: bytes | None, late: bool
    ) -> Iterator[tuple[int, int, Added | None]]:
        """The parts of a text: start, end, and the token, or None for what lies between tokens.

        Of the tokens these are the ones of normalized text, if `late` is true, or the others.
        """
        tokens, pattern = self._wanted(allowed, late)
        place = self._placing(text)

        def match_from(at: int) -> tuple[Added, int, int] | None:
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
        self, allowed: bytes | None, late: bool
    ) -> tuple[dict[bytes, Added], re.Pattern[bytes]]:
        """The tokens that are looked for, by their texts, and what matches the longest of them."""
        flags = allowed or bytes(len(self._added))
        tokens = {
            token.text.encode("utf-8"): token
            for token, flag in zip(self._added, flags, strict=True)
            if (flag or not token.flags & Flag.SPECIAL)
            and not token.flags & Flag.HIDDEN
            and bool(token.flags & Flag.NORMALIZED) == late
        }
        longest_first = sorted(tokens, key=len, reverse=True)
        return tokens, re.compile(b"|".join(map(re.escape, longest_first)))

    def _placing(self, text: bytes) -> Callable[[Added, int, int, int], tuple[int, int]]:
        """What tells where a token stands: of its match, and of the end of the token before it.

        White space around it may belong to it. The place is empty where a token that must stand
        alone does not.
        """
        if not self._properties:
            return lambda _token, start, end, _taken: (start, end)
        characters, starts = read_characters(text)
        found = [self._properties[self._classes.class_of(ord(c))] for c in characters]

        def place(token: Added, start: int, end: int, taken: int) -> tuple[int, int]:
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
