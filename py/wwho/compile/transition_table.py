"""The transition table that a schema may bring, and its comparison with the schema's grammar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wwho.compile.codepoints import CodePointSet
from wwho.compile.nfa import Accept, Nfa, Step, build_nfa, closure
from wwho.compile.syntax import Node

Threads = tuple[int, ...]
"""States of the grammar's automaton that are alive at once, ascending; none: it is stuck."""

Path = tuple[str, ...]
"""Names of classes, of which each stands for one character of a text."""


@dataclass(frozen=True)
class TransitionTable:
    """A deterministic automaton over named classes, drawn by hand.

    Attributes:
        states: The names of all states.
        start: The state to begin in.
        accepting: The states in which a text is accepted.
        transitions: ``transitions[state][class]`` is the next state. A class that a state does not
            list is a boundary: what was read before it is a unit.
    """

    states: tuple[str, ...]
    start: str
    accepting: frozenset[str]
    transitions: Mapping[str, Mapping[str, str]]

    def next(self, state: str | None, name: str) -> str | None:
        """Return the state after a character of class `name`, or None past a boundary."""
        return None if state is None else self.transitions.get(state, {}).get(name)


class GrammarComparison:
    """A walk over a table and a grammar, side by side over the same classes.

    Both are automata, so a breadth-first walk over the pairs of their states finds the shortest
    text that tells them apart, or proves that there is none.
    """

    def __init__(
        self, table: TransitionTable, grammar: Node, classes: Mapping[str, CodePointSet]
    ) -> None:
        """Prepare to compare.

        Args:
            table: The table.
            grammar: The grammar, with no assertions in it.
            classes: The classes that the table names, disjoint and not empty.
        """
        self.table = table
        self.nfa: Nfa = build_nfa([grammar])
        # The first of each: min() would go through all, over a million for what is in no class.
        self.samples = {name: next(iter(chars)) for name, chars in classes.items()}

    def shortest_difference(self) -> Path | None:
        """Return the shortest path that only one of the two accepts, or None if there is none."""
        for path, state, threads in self._walk(self.table.start, (self.nfa.start,)):
            if (state in self.table.accepting) != self._accepts(threads):
                return path
        return None

    def shortest_early_stop(self) -> Path | None:
        """Return a sentence of the grammar that the table cuts short, or None if there is none.

        The table accepts a beginning of it, and has no transition there for the next class. The
        beginning is the shortest possible, and the rest the shortest that completes the sentence.
        """
        for path, state, threads in self._walk(self.table.start, (self.nfa.start,)):
            if state not in self.table.accepting:
                continue
            for name in self.samples:
                rest = self._step(threads, name)
                if rest and self.table.next(state, name) is None:
                    return (*path, name, *self._completion(rest))
        return None

    def _completion(self, threads: Threads) -> Path:
        """Return the shortest path by which the grammar's threads reach the end of a sentence."""
        return next(path for path, _, each in self._walk(None, threads) if self._accepts(each))

    def _walk(
        self, state: str | None, threads: Threads
    ) -> Iterator[tuple[Path, str | None, Threads]]:
        """Yield every pair of a table's state and a grammar's threads, shortest paths first.

        A pair is what the same classes of characters lead to in both. Each comes once, with the
        first path to it; the pair that is given comes first, with an empty path. The pair in which
        neither can go on is left out.

        Args:
            state: The table's state to begin in; None: it is past a boundary.
            threads: The grammar's threads to begin with.
        """
        queue: list[tuple[Path, str | None, Threads]] = [((), state, threads)]
        met = {(state, threads)}
        # The queue grows while it is read.
        for path, state, threads in queue:
            yield path, state, threads
            for name in self.samples:
                pair = self.table.next(state, name), self._step(threads, name)
                if pair not in met and pair != (None, ()):
                    met.add(pair)
                    queue.append(((*path, name), *pair))

    def _step(self, threads: Threads, name: str) -> Threads:
        """Return the grammar's threads after a character of class `name`."""
        steps = (each for each in self._next_items(threads) if isinstance(each, Step))
        return tuple(sorted({s.target for s in steps if self.samples[name] in s.chars}))

    def _accepts(self, threads: Threads) -> bool:
        """Tell whether a sentence of the grammar may end where these threads are."""
        return any(isinstance(each, Accept) for each in self._next_items(threads))

    def _next_items(self, threads: Threads) -> list[Step | Accept]:
        """Return the steps that the threads can take next, and an `Accept` where one may end.

        A grammar has no assertions to ask about.
        """
        return closure(self.nfa, threads, lambda _: False)
