"""Steps that rewrite a text character by character, before it is cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

MAX_TARGETS = 32
"""Code points that one code point becomes."""
VOWELS, TAILS = range(0x1161, 0x1161 + 21), range(0x11A8, 0x11A8 + 27)
"""Vowels and final consonants of Hangul, which join the syllable before them."""


@dataclass(frozen=True)
class Rewriting:
    """One step of a normalizer: lower case is a mapping alone, NFD also an order, NFC all three.

    Attributes:
        mapping: what becomes of a code point, fully: no target is mapped again. To nothing: it
            vanishes. Those that pairs compose are not in it.
        order: the class (1..254) of each mark, by which neighbouring marks are ordered.
        pairs: what a starter and a code point behind it compose to; it is taken apart first.
        hangul_apart: whether syllables of Hangul are taken apart,
        hangul_together: and whether they are put together.
    """

    mapping: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    order: Mapping[int, int] = field(default_factory=dict)
    pairs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    hangul_apart: bool = False
    hangul_together: bool = False

    @cached_property
    def apart(self) -> Mapping[int, tuple[int, ...]]:
        """The mapping, with that of all that pairs compose.

        Raises:
            ValueError: pairs go round in a circle, or compose a code point twice.
        """
        parts = {composed: pair for pair, composed in self.pairs.items()}
        if len(parts) < len(self.pairs) or parts.keys() & self.mapping.keys():
            raise ValueError("a code point is composed twice, or mapped and composed")
        whole = dict(self.mapping)
        for composed in parts:
            first, ends = composed, list[int]()
            while first in parts and len(ends) <= MAX_TARGETS:
                first, second = parts[first]
                ends.append(second)
            targets = (*self.mapping.get(first, (first,)), *reversed(ends))
            if len(targets) > MAX_TARGETS:
                raise ValueError(f"U+{composed:04X} becomes over {MAX_TARGETS} code points")
            whole[composed] = targets
        return whole

    @property
    def spoken_of(self) -> set[int]:
        """All code points but those that only begin a pair."""
        return {*self.apart, *self.order, *self._seconds}

    @cached_property
    def _seconds(self) -> frozenset[int]:
        return frozenset(second for _, second in self.pairs)

    @property
    def composes(self) -> bool:
        """Whether anything is put together."""
        return bool(self.pairs) or self.hangul_together

    def joins(self, code_point: int) -> bool:
        """Whether a code point may be reordered, or composed with one before it."""
        hangul = self.hangul_together and (code_point in VOWELS or code_point in TAILS)
        return hangul or code_point in self.order or code_point in self._seconds


def is_boundary(steps: Iterable[Rewriting], code_point: int) -> bool:
    """Whether a text may be cut before a code point, and its parts normalized on their own."""
    for step in steps:
        if step.joins(code_point):
            return False
        targets = step.apart.get(code_point)
        if targets is not None:
            if not targets or step.joins(targets[0]):
                return False
            code_point = targets[0]
    return True
