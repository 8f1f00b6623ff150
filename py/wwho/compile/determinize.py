"""Ordered determinization: a backtracking engine's preferences, without backtracking.

A state of the result is an *ordered list* of threads, the preferred first. Each transition first
settles what is decided by seeing the next character (assertions, and whether a match ends before
it), then moves the surviving threads over that character. So a mark on a transition reads "a match
ended just before the character being read", which is what makes one character of lookahead free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from wwho.compile.codepoints import CodePointSet
from wwho.compile.nfa import Accept, Guard, Nfa, Step, closure
from wwho.compile.syntax import Behind, End, Look
from wwho.errors import PatternError
from wwho.format.automaton import BEHIND, END_OF_TEXT
from wwho.format.classmap import overlay

MAX_RAW_STATES = 20_000
"""Where determinization gives up; far above what any scanner may keep after minimization."""

Cell = tuple[int, int]
"""``(mark, next state)``; a mark is a rule's number plus one, or 0."""

Threads = tuple[int, ...]
"""States of the automaton that the result is made from, the preferred first."""

Before = tuple[bool, ...]
"""Whether the character before a place is in each set that is looked behind at."""

Rows = list[list[Cell]]
"""``rows[state][symbol]``; symbol 0 is the end of the text, symbol c + 1 is class c."""


class Alphabet:
    """The symbols one scanner can tell apart.

    Attributes:
        classes: The class map of every set in the scanner.
        size: How many symbols there are: the classes, and the end of the text before them.
    """

    def __init__(self, nfa: Nfa) -> None:
        """Collect the sets of an automaton."""
        sets = list(dict.fromkeys(_sets(nfa)))
        self.classes, members = overlay([chars.class_map() for chars in sets])
        self.size = self.classes.n_classes + 1
        self.behinds = list(
            dict.fromkeys(
                state.condition.chars
                for state in nfa.states
                if isinstance(state, Guard) and isinstance(state.condition, Behind)
            )
        )
        variants = [(s.rule, s.back) for s in nfa.states if isinstance(s, Accept)]
        self.variants = sorted(set(variants), key=lambda each: (each[1] > 0, each))
        self._symbols: dict[CodePointSet, frozenset[int]] = {
            chars: frozenset(c + 1 for c, labels in enumerate(members) if labels[index])
            for index, chars in enumerate(sets)
        }

    def symbols(self, chars: CodePointSet) -> frozenset[int]:
        """Return the symbols that make up a set."""
        return self._symbols[chars]

    def before(self, symbol: int | None) -> Before:
        """What can be said of the character before a place: a symbol, or None."""
        return tuple(symbol in self.symbols(chars) for chars in self.behinds)

    def holds(
        self, condition: Look | Behind | End, symbol: int, before: Before | None = None
    ) -> bool:
        """Tell whether an assertion holds before a symbol, or may hold where `before` is None."""
        if isinstance(condition, Behind):
            if before is None:
                return True
            return condition.negative != before[self.behinds.index(condition.chars)]
        if isinstance(condition, End):
            return symbol == END_OF_TEXT
        return condition.negative != (symbol in self.symbols(condition.chars))


def determinize(nfa: Nfa, alphabet: Alphabet, *, longest: bool) -> Rows:
    """Build the transition rows.

    Args:
        nfa: The automaton with ordered choices.
        alphabet: Its symbols.
        longest: Prefer the longest match, and among equals the lowest rule, instead of the match
            a backtracking engine would find first.

    Returns:
        The rows; state 0 is dead, state 1 is the start.

    Raises:
        PatternError: If the states do not stop growing.
    """
    stepper = _Stepper(nfa, alphabet, longest=longest)
    dead: tuple[Threads, Before] = ((), ())
    queue = [dead, ((nfa.start,), alphabet.before(None))]
    numbers = {state: number for number, state in enumerate(queue)}
    if alphabet.behinds:
        queue.append(dead)  # in the place of BEHIND, which no state leads to
    rows: Rows = []
    for number, (threads, before) in enumerate(queue):  # which grows while it is read
        row: list[Cell] = []
        found = stepper.row(threads, before)
        if alphabet.behinds and number == BEHIND:
            found = ((0, (nfa.start,) if symbol else ()) for symbol in range(alphabet.size))
        for symbol, (mark, targets) in enumerate(found):
            state = (targets, alphabet.before(symbol)) if targets else dead
            if state not in numbers:
                numbers[state] = len(queue)
                queue.append(state)
            row.append((mark, numbers[state]))
        rows.append(row)
        if len(queue) > MAX_RAW_STATES:
            raise PatternError(
                f"the pattern needs more than {MAX_RAW_STATES} states; use smaller {{m,n}} counts"
            )
    return rows


class _Stepper:
    """Moves the threads of one state over every symbol."""

    def __init__(self, nfa: Nfa, alphabet: Alphabet, *, longest: bool) -> None:
        self.nfa = nfa
        self.alphabet = alphabet
        self.longest = longest
        guards = [state.condition for state in nfa.states if isinstance(state, Guard)]
        self.outlooks = [
            tuple(alphabet.holds(guard, symbol) for guard in guards)
            for symbol in range(alphabet.size)
        ]

    def row(self, threads: Threads, before: Before) -> Iterator[tuple[int, Threads]]:
        """Yield, for each symbol, the mark before it and the threads after it."""
        known: dict[tuple[bool, ...], tuple[int, list[tuple[int, frozenset[int]]]]] = {}
        for symbol, outlook in enumerate(self.outlooks):
            # Symbols before which the same assertions hold share a closure.
            if outlook not in known:
                mark, steps = self.reach(symbol, threads, before)
                known[outlook] = mark, [(s.target, self.alphabet.symbols(s.chars)) for s in steps]
            mark, moves = known[outlook]
            targets = dict.fromkeys([target for target, symbols in moves if symbol in symbols])
            yield mark, tuple(sorted(targets) if self.longest else targets)

    def reach(self, symbol: int, threads: Threads, before: Before) -> tuple[int, list[Step]]:
        """Return the mark before a symbol, and the steps that survive it."""
        holds = partial(self.alphabet.holds, symbol=symbol, before=before)
        reached = closure(self.nfa, threads, holds)
        return _pick_longest(reached) if self.longest else self.pick_first(reached)

    def pick_first(self, reached: Sequence[Step | Accept]) -> tuple[int, list[Step]]:
        """Cut every thread below the first that matches: an engine would never come to try it."""
        steps: list[Step] = []
        for state in reached:
            if isinstance(state, Accept):
                return self.alphabet.variants.index((state.rule, state.back)) + 1, steps
            steps.append(state)
        return 0, steps


def _pick_longest(reached: Sequence[Step | Accept]) -> tuple[int, list[Step]]:
    """Keep every thread, since any of them may yet become the longest match."""
    marks = [state.rule + 1 for state in reached if isinstance(state, Accept)]
    return min(marks, default=0), [state for state in reached if isinstance(state, Step)]


def _sets(nfa: Nfa) -> Iterable[CodePointSet]:
    """Yield every set of code points in an automaton."""
    for state in nfa.states:
        match state:
            case Step(chars, _) | Guard(Look(_, chars) | Behind(_, chars), _):
                yield chars
