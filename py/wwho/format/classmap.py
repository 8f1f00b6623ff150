"""Class maps: from every code point to a small number, so that tables stay small."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

MAX_CODE_POINT = 0x10FFFF


@dataclass(frozen=True)
class ClassMap:
    """A total map from code points to classes.

    Attributes:
        n_classes: How many classes there are; they are numbered from 0 by first occurrence.
        ranges: ``(first, last, class)``, sorted, covering 0 to 0x10FFFF without a gap; two
            neighbours never share a class.
    """

    n_classes: int
    ranges: tuple[tuple[int, int, int], ...]

    def class_of(self, code_point: int) -> int:
        """Return the class of one code point."""
        return self.ranges[bisect_right(self._firsts, code_point) - 1][2]

    def relabel(self, labels: Sequence[int]) -> ClassMap:
        """Return the map with other numbers for classes; classes with equal ones become one.

        Args:
            labels: The new number of each class, from 0 on without gaps. The result is numbered by
                first occurrence only if they are.
        """
        joined: list[tuple[int, int, int]] = []
        for first, last, old in self.ranges:
            if joined and joined[-1][2] == labels[old]:
                first = joined.pop()[0]
            joined.append((first, last, labels[old]))
        return ClassMap(len(set(labels)), tuple(joined))

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """Return one character of each class, in the order of their numbers, to show in messages.

        It is a visible character if the class has any.
        """
        shown: dict[int, str] = {}
        for first, last, label in self.ranges:
            if label not in shown and (char := _visible(first, last)):
                shown[label] = char
        for first, _, label in self.ranges:
            shown.setdefault(label, chr(first))
        return tuple(shown[label] for label in range(self.n_classes))

    @cached_property
    def _firsts(self) -> list[int]:
        """The first code point of each range."""
        return [first for first, _, _ in self.ranges]


def overlay(maps: Sequence[ClassMap]) -> tuple[ClassMap, tuple[tuple[int, ...], ...]]:
    """Lay maps over each other: return the map of their common classes, and what these are.

    Classes are numbered by first occurrence. No maps at all give one class, the empty tuple.

    Args:
        maps: Any number of maps.

    Returns:
        The coarsest map that every one of `maps` can be read off, and for each of its classes the
        tuple of classes that `maps` give it.
    """
    events = sorted(
        (first, index, label) for index, each in enumerate(maps) for first, _, label in each.ranges
    )
    numbers: dict[tuple[int, ...], int] = {}
    starts: list[tuple[int, int]] = []
    current = [0] * len(maps)
    for position, (first, index, label) in enumerate(events):
        current[index] = label
        if position + 1 < len(events) and events[position + 1][0] == first:
            continue
        number = numbers.setdefault(tuple(current), len(numbers))
        if not starts or starts[-1][1] != number:
            starts.append((first, number))
    starts = starts or [(0, numbers.setdefault((), 0))]
    ends = [first - 1 for first, _ in starts[1:]] + [MAX_CODE_POINT]
    ranges = ((first, end, number) for (first, number), end in zip(starts, ends, strict=True))
    return ClassMap(len(numbers), tuple(ranges)), tuple(numbers)


def _visible(first: int, last: int) -> str | None:
    """Return a character near the start of a range that shows up in a message, if there is one."""
    chars = (chr(code_point) for code_point in range(first, min(last, first + 255) + 1))
    return next((char for char in chars if char.isprintable() and char != " "), None)
