"""Comparing an automaton drawn by hand with the grammar it claims to recognize."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wwho.compile.codepoints import CodePointSet
from wwho.compile.nfa import Accept, Nfa, Step, build_nfa, closure
from wwho.compile.syntax import Node

Threads = tuple[int, ...]
Path = tuple[str, ...]


@dataclass(frozen=True)
class Dfa:
    """A deterministic automaton over named classes.

    Attributes:
        states: The names of all states.
        start: The state to begin in.
        accepting: The states in which a string is accepted.
        transitions: ``transitions[state][class]`` is the next state; what is not listed is a
            boundary.
    """

    states: tuple[str, ...]
    start: str
    accepting: frozenset[str]
    transitions: Mapping[str, Mapping[str, str]]

    def next(self, state: str | None, name: str) -> str | None:
        """Return the state after a character of class `name`, or None past a boundary."""
        return None if state is None else self.transitions.get(state, {}).get(name)


class Product:
    """An automaton and a grammar, walked side by side over the same classes."""

    def __init__(self, dfa: Dfa, grammar: Node, classes: Mapping[str, CodePointSet]) -> None:
        """Prepare to compare.

        Args:
            dfa: The automaton.
            grammar: The grammar, with no assertions in it.
            classes: The classes that the automaton names, disjoint and not empty.
        """
        self.dfa = dfa
        self.nfa: Nfa = build_nfa([grammar])
        # The first of each: min() would go through all, over a million for what is in no class.
        self.samples = {name: next(iter(chars)) for name, chars in classes.items()}

    def difference(self) -> Path | None:
        """Return the shortest classes that one of the two accepts and the other does not."""
        for path, state, threads in self._walk(self.dfa.start, (self.nfa.start,)):
            if (state in self.dfa.accepting) != self._accepts(threads):
                return path
        return None

    def early_stop(self) -> Path | None:
        """Return the shortest sentence of the grammar that the automaton cuts short.

        That is a sentence with a beginning that the automaton accepts, and after which it has no
        transition for the next class.
        """
        for path, state, threads in self._walk(self.dfa.start, (self.nfa.start,)):
            for name in self.samples if state in self.dfa.accepting else ():
                rest = self._step(threads, name)
                if rest and self.dfa.next(state, name) is None:
                    return (*path, name, *self._completion(rest))
        return None

    def _completion(self, threads: Threads) -> Path:
        """Return the shortest way from `threads` to the end of a sentence."""
        return next(path for path, _, each in self._walk(None, threads) if self._accepts(each))

    def _walk(
        self, state: str | None, threads: Threads
    ) -> Iterator[tuple[Path, str | None, Threads]]:
        """Yield every pair that some path leads to, shortest paths first."""
        queue: list[tuple[Path, str | None, Threads]] = [((), state, threads)]
        met = {(state, threads)}
        for path, state, threads in queue:  # which grows while it is read
            yield path, state, threads
            for name in self.samples:
                pair = self.dfa.next(state, name), self._step(threads, name)
                if pair not in met and pair != (None, ()):
                    met.add(pair)
                    queue.append(((*path, name), *pair))

    def _step(self, threads: Threads, name: str) -> Threads:
        """Move the grammar's threads over a character of class `name`."""
        steps = (each for each in self._reached(threads) if isinstance(each, Step))
        return tuple(sorted({s.target for s in steps if self.samples[name] in s.chars}))

    def _accepts(self, threads: Threads) -> bool:
        """Tell whether a sentence of the grammar may end here."""
        return any(isinstance(each, Accept) for each in self._reached(threads))

    def _reached(self, threads: Threads) -> list[Step | Accept]:
        """Return what the threads can do next; a grammar has no assertions to ask about."""
        return closure(self.nfa, threads, lambda _: False)
