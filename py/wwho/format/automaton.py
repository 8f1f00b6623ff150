"""Class maps and automata as the compiler makes them, ready to run or to be written to a file."""

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
    """A transition table that cuts text into matches.

    ``table[state][column]`` is ``(mark, next)``. A mark other than 0 says that a match of rule
    ``mark - 1`` ends directly *before* the character, or the end of the text, that is being read.
    The match ends at the last mark seen before the state becomes `DEAD`.

    Attributes:
        name: the scanner's name.
        columns: the column of each class; classes that behave alike share one.
        n_columns: the number of columns; column 0 is the end of the text.
        n_states: the number of states; 0 is `DEAD`, 1 is `START`.
        n_rules: the number of rules; some may match nothing.
        table: the transitions. Row 0 and the ``next`` of column 0 are all zero.
        behind: whether it looks behind: if a character precedes the start of a match, row `BEHIND`
            leads by its column to the state in which the scan starts.
        variants: for each rule the rule of the scanner that it is part of, and by how many
            characters its match ends before the mark; empty: they are the scanner's own rules, and
            by none.
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
    """Automata that share one class map.

    Attributes:
        classes: the class map.
        automata: the automata, in the order of their numbers.
    """

    classes: ClassMap
    automata: tuple[Automaton, ...]

    @cached_property
    def column_tables(self) -> Mapping[tuple[int, ...], Sequence[int]]:
        """For each value of `Automaton.columns` the column of every code point.

        A table has 0x110000 numbers: it is for running automata in Python, and in no file.
        """
        return {automaton.columns: self._columns(automaton) for automaton in self.automata}

    def _columns(self, automaton: Automaton) -> Sequence[int]:
        """Return the column of every code point in an automaton."""
        columns = array("H")
        for first, last, label in self.classes.ranges:
            columns.extend(array("H", [automaton.columns[label]]) * (last - first + 1))
        return columns
