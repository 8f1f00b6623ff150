"""Immutable sets of Unicode code points, kept as sorted disjoint ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wwho.format.classmap import MAX_CODE_POINT, ClassMap

Range = tuple[int, int]
"""The first and the last code point of a range, both included."""

NOWHERE = (MAX_CODE_POINT + 1, MAX_CODE_POINT + 1)
"""A range after all others: a sentinel for the end of a list of ranges."""


@dataclass(frozen=True, slots=True)
class CodePointSet:
    """An immutable, hashable set of code points.

    The universe is 0 to 0x10FFFF. It includes surrogates, so that complements stay simple; no
    well-formed text ever holds one. The operators ``|``, ``&``, ``-`` and ``~`` return new sets, in
    time linear in the number of ranges.

    Example:
        >>> vowels = CodePointSet.of("a", "e", "i", "o", "u")
        >>> consonants = CodePointSet.of(("a", "z")) - vowels
        >>> "b" in consonants, len(consonants)
        (True, 21)

    Attributes:
        ranges: Inclusive ``(first, last)`` pairs: sorted, disjoint, never touching. Ranges given
            to the constructor may come in any order and overlap; the constructor brings them into
            this form, so sets with equal members are equal and have equal hashes.

    Raises:
        ValueError: If a range runs backwards or leaves the universe.
    """

    ranges: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        """Bring the ranges into their one canonical form.

        Raises:
            ValueError: If a range runs backwards or leaves the universe.
        """
        object.__setattr__(self, "ranges", _merge_ranges(self.ranges))

    @classmethod
    def of(cls, *items: int | str | tuple[int | str, int | str]) -> CodePointSet:
        """Return the set of the given code points, characters, and inclusive ranges of either.

        Args:
            *items: For example ``0x200D``, ``"a"``, or ``("0", "9")``; in any order.

        Raises:
            ValueError: If a code point lies outside Unicode, or a range runs backwards.
            TypeError: If a string is not exactly one character.
        """
        pairs = [item if isinstance(item, tuple) else (item, item) for item in items]
        return cls(tuple((_code_point_of(first), _code_point_of(last)) for first, last in pairs))

    def __or__(self, other: CodePointSet) -> CodePointSet:
        """Return the union of both sets."""
        return CodePointSet(self.ranges + other.ranges)

    def __and__(self, other: CodePointSet) -> CodePointSet:
        """Return the intersection of both sets."""
        shared: list[Range] = []
        # Both lists are sorted, so one walk over each is enough. `low` and `high` are the range of
        # `other` that may still overlap the next ranges of this set.
        others = iter(other.ranges)
        low, high = next(others, NOWHERE)
        for first, last in self.ranges:
            while high < first:
                low, high = next(others, NOWHERE)
            while high <= last:
                shared.append((max(low, first), high))
                low, high = next(others, NOWHERE)
            if low <= last:
                shared.append((max(low, first), last))
        return CodePointSet(tuple(shared))

    def __sub__(self, other: CodePointSet) -> CodePointSet:
        """Return the code points of this set that are not in the other."""
        return self & ~other

    def __invert__(self) -> CodePointSet:
        """Return every code point, surrogates included, that is not in this set."""
        starts = [0, *(last + 1 for _, last in self.ranges)]
        ends = [*(first - 1 for first, _ in self.ranges), MAX_CODE_POINT]
        return CodePointSet(
            tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)
        )

    def __contains__(self, item: int | str) -> bool:
        """Tell whether a code point, or the one character of a string, is in the set."""
        code_point = _code_point_of(item)
        index = bisect_right(self.ranges, (code_point, MAX_CODE_POINT)) - 1
        return index >= 0 and code_point <= self.ranges[index][1]

    def __iter__(self) -> Iterator[int]:
        """Yield the code points, as numbers, in ascending order."""
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __len__(self) -> int:
        """Return the number of code points, not of ranges."""
        return sum(last - first + 1 for first, last in self.ranges)

    def __bool__(self) -> bool:
        """Tell whether the set holds anything."""
        return bool(self.ranges)

    @property
    def pattern(self) -> str:
        """The set as a character class of Python's `re`; the set must not be empty.

        Example:
            >>> print(CodePointSet.of(("a", "c")).pattern)
            [\\U00000061-\\U00000063]
        """
        ranges = (f"\\U{first:08x}-\\U{last:08x}" for first, last in self.ranges)
        return f"[{''.join(ranges)}]"

    def class_map(self) -> ClassMap:
        """Return a class map that sends the set's members to 1 and all other code points to 0.

        It is only meant to be laid over others (`wwho.format.classmap.overlay`). Other class maps
        number classes by first occurrence; this one does not, and claims two classes even if one
        of them is empty.
        """
        inside = [(first, last, 1) for first, last in self.ranges]
        outside = [(first, last, 0) for first, last in (~self).ranges]
        return ClassMap(2, tuple(sorted(inside + outside)))


def _code_point_of(item: int | str) -> int:
    """Return the code point of a one-character string; return a number as it is."""
    return ord(item) if isinstance(item, str) else item


def _merge_ranges(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the same code points as sorted ranges, joining those that overlap or touch.

    Raises:
        ValueError: If a range runs backwards or leaves 0 to 0x10FFFF.

    Example:
        >>> _merge_ranges([(5, 9), (1, 2), (3, 3)])
        ((1, 3), (5, 9))
    """
    merged: list[Range] = []
    # The last code point that `merged` covers; far enough before 0 that nothing touches it.
    covered = -2
    for first, last in sorted(ranges):
        if not 0 <= first <= last <= MAX_CODE_POINT:
            raise ValueError(f"not a range of code points: U+{first:04X}..U+{last:04X}")
        if first > covered + 1:
            merged.append((first, last))
            covered = last
        elif last > covered:
            merged[-1] = merged[-1][0], last
            covered = last
    return tuple(merged)


ALL = CodePointSet(((0, MAX_CODE_POINT),))
"""Every code point, surrogates included."""
