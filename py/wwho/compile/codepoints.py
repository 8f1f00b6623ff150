"""Sets of Unicode code points, kept as sorted disjoint ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wwho.format.classmap import MAX_CODE_POINT, ClassMap

Range = tuple[int, int]

NOWHERE = (MAX_CODE_POINT + 1, MAX_CODE_POINT + 1)
"""A range behind all others."""


@dataclass(frozen=True, slots=True)
class CodePointSet:
    """An immutable set of code points.

    The universe is 0 to 0x10FFFF. Surrogates belong to it, so that complements stay simple;
    no well-formed text ever holds one.

    Example:
        >>> vowels = CodePointSet.of("a", "e", "i", "o", "u")
        >>> consonants = CodePointSet.of(("a", "z")) - vowels
        >>> "b" in consonants, len(consonants)
        (True, 21)

    Attributes:
        ranges: Inclusive ``(first, last)`` pairs: sorted, disjoint, never touching. Ranges given
            to the constructor may come in any order and overlap; they are put into this form, so
            equal sets are equal objects.
    """

    ranges: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        """Bring the ranges into their one canonical form."""
        object.__setattr__(self, "ranges", _canonical(self.ranges))

    @classmethod
    def of(cls, *items: int | str | tuple[int | str, int | str]) -> CodePointSet:
        """Build a set from code points, characters, and inclusive pairs of either.

        Args:
            *items: For example ``0x200D``, ``"a"``, or ``("0", "9")``.

        Returns:
            The set of all of them.

        Raises:
            ValueError: If a code point lies outside Unicode, or a range runs backwards.
        """
        pairs = [item if isinstance(item, tuple) else (item, item) for item in items]
        return cls(tuple((_code_point(first), _code_point(last)) for first, last in pairs))

    def __or__(self, other: CodePointSet) -> CodePointSet:
        """Return the union."""
        return CodePointSet(self.ranges + other.ranges)

    def __and__(self, other: CodePointSet) -> CodePointSet:
        """Return the intersection."""
        shared: list[Range] = []
        theirs = iter(other.ranges)
        low, high = next(theirs, NOWHERE)
        for first, last in self.ranges:
            while high < first:
                low, high = next(theirs, NOWHERE)
            while high <= last:
                shared.append((max(low, first), high))
                low, high = next(theirs, NOWHERE)
            if low <= last:
                shared.append((max(low, first), last))
        return CodePointSet(tuple(shared))

    def __sub__(self, other: CodePointSet) -> CodePointSet:
        """Return the code points of this set that are not in the other."""
        return self & ~other

    def __invert__(self) -> CodePointSet:
        """Return every code point that is not in this set."""
        starts = [0, *(last + 1 for _, last in self.ranges)]
        ends = [*(first - 1 for first, _ in self.ranges), MAX_CODE_POINT]
        return CodePointSet(
            tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)
        )

    def __contains__(self, item: int | str) -> bool:
        """Tell whether a code point, or the one character of a string, is in the set."""
        code_point = _code_point(item)
        index = bisect_right(self.ranges, (code_point, MAX_CODE_POINT)) - 1
        return index >= 0 and code_point <= self.ranges[index][1]

    def __iter__(self) -> Iterator[int]:
        """Yield the code points in order."""
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __len__(self) -> int:
        """Count code points, not ranges."""
        return sum(last - first + 1 for first, last in self.ranges)

    def __bool__(self) -> bool:
        """Tell whether the set holds anything."""
        return bool(self.ranges)

    @property
    def pattern(self) -> str:
        """The set, not empty, as a class of characters in a pattern of Python's `re`.

        Example:
            >>> print(CodePointSet.of(("a", "c")).pattern)
            [\\U00000061-\\U00000063]
        """
        ranges = (f"\\U{first:08x}-\\U{last:08x}" for first, last in self.ranges)
        return f"[{''.join(ranges)}]"

    def class_map(self) -> ClassMap:
        """Return the coarsest of maps: the set's members to 1, all else to 0.

        The numbers are labels here, not an order of occurrence.
        """
        inside = [(first, last, 1) for first, last in self.ranges]
        outside = [(first, last, 0) for first, last in (~self).ranges]
        return ClassMap(2, tuple(sorted(inside + outside)))


def _code_point(item: int | str) -> int:
    """Return the code point of a one-character string, or the number itself."""
    return ord(item) if isinstance(item, str) else item


def _canonical(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Sort the ranges and join those that overlap or touch."""
    joined: list[Range] = []
    end = -2
    for first, last in sorted(ranges):
        if not 0 <= first <= last <= MAX_CODE_POINT:
            raise ValueError(f"not a range of code points: U+{first:04X}..U+{last:04X}")
        if first > end + 1:
            joined.append((first, last))
            end = last
        elif last > end:
            joined[-1] = joined[-1][0], last
            end = last
    return tuple(joined)


ALL = CodePointSet(((0, MAX_CODE_POINT),))
"""Every code point."""
