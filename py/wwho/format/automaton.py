"""What the compiler makes: class maps and automata, ready to run or to be written to a file."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wwho.format.classmap import ClassMap

DEAD = 0
"""The state from which nothing can match any more."""

START = 1
"""The state at the start of a piece."""

BEHIND = 2
"""The state that leads to the one to start in, where an automaton looks behind."""

END_OF_TEXT = 0
"""The column of the end of the text."""


@dataclass(frozen=True)
class Automaton:
    """A transition table that cuts text into pieces.

    ``table[state][column]`` is ``(mark, next)``. A mark other than 0 says: a match of rule
    ``mark - 1`` ends immediately *before* the character (or end of text) being read. The piece
    ends at the last mark seen before the state becomes `DEAD`.

    Attributes:
        name: The scanner's name.
        columns: The column of each class; classes that behave alike share one.
        n_columns: How many columns there are; column 0 is the end of the text.
        n_states: How many states there are; 0 is `DEAD`, 1 is `START`.
        n_rules: How many rules there are; some may match nothing.
        table: The transitions. Row 0 and the ``next`` of column 0 are all zero.
        behind: Whether it looks behind: where a character stands before the start of a piece, row
            `BEHIND` leads from its column to the state to start in.
        variants: For each rule the one of the scanner that it is, and by how many characters its
            match ends before the mark; nothing: they are the scanner's own, and by none.
    """

    name: str
    columns: tuple[int, ...]
    n_columns: int
    n_states: int
    n_rules: int
    table: tuple[tuple[tuple[int, int], ...], ...]
    behind: bool = False
    variants: tuple[tuple[int, int], ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class CompiledScanners:
    """Scanners that share one class map.

    Attributes:
        classes: The class map.
        automata: One automaton per scanner, in the order they were given.
    """

    classes: ClassMap
    automata: tuple[Automaton, ...]

    @cached_property
    def column_tables(self) -> Mapping[tuple[int, ...], Sequence[int]]:
        """For each automaton's `Automaton.columns`, the column of every code point.

        A table has 0x110000 numbers: it is for running automata in Python, not for shipping.
        """
        return {automaton.columns: self._columns(automaton) for automaton in self.automata}

    def _columns(self, automaton: Automaton) -> Sequence[int]:
        columns = array("H")
        for first, last, label in self.classes.ranges:
            columns.extend(array("H", [automaton.columns[label]]) * (last - first + 1))
        return columns
