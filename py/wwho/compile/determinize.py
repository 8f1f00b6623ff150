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
from wwho.compile.syntax import End, Look
from wwho.errors import PatternError
from wwho.format.automaton import END_OF_TEXT
from wwho.format.classmap import overlay

MAX_RAW_STATES = 20_000
"""Where determinization gives up; far above what any scanner may keep after minimization."""

Cell = tuple[int, int]
"""``(mark, next state)``; a mark is a rule's number plus one, or 0."""

Threads = tuple[int, ...]
"""A state of the result: states of the automaton it is made from, the preferred first."""

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
        self._symbols: dict[CodePointSet, frozenset[int]] = {
            chars: frozenset(c + 1 for c, labels in enumerate(members) if labels[index])
            for index, chars in enumerate(sets)
        }

    def symbols(self, chars: CodePointSet) -> frozenset[int]:
        """Return the symbols that make up a set."""
        return self._symbols[chars]

    def holds(self, condition: Look | End, symbol: int) -> bool:
        """Tell whether an assertion holds before a symbol."""
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
    queue: list[Threads] = [(), (nfa.start,)]
    numbers = {threads: number for number, threads in enumerate(queue)}
    rows: Rows = []
    for threads in queue:  # which grows while it is read
        row: list[Cell] = []
        for mark, targets in stepper.row(threads):
            if targets not in numbers:
                numbers[targets] = len(queue)
                queue.append(targets)
            row.append((mark, numbers[targets]))
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

    def row(self, threads: Threads) -> Iterator[tuple[int, Threads]]:
        """Yield, for each symbol, the mark before it and the threads after it."""
        known: dict[tuple[bool, ...], tuple[int, list[Step]]] = {}
        symbols = self.alphabet.symbols
        for symbol, outlook in enumerate(self.outlooks):
            # Symbols before which the same assertions hold share a closure.
            if outlook not in known:
                known[outlook] = self.before(symbol, threads)
            mark, steps = known[outlook]
            targets = dict.fromkeys(step.target for step in steps if symbol in symbols(step.chars))
            yield mark, tuple(sorted(targets) if self.longest else targets)

    def before(self, symbol: int, threads: Threads) -> tuple[int, list[Step]]:
        """Return the mark before a symbol, and the steps that survive it."""
        pick = _pick_longest if self.longest else _pick_first
        return pick(closure(self.nfa, threads, partial(self.alphabet.holds, symbol=symbol)))


def _pick_first(reached: Sequence[Step | Accept]) -> tuple[int, list[Step]]:
    """Cut every thread below the first that matches: an engine would never come to try it."""
    steps: list[Step] = []
    for state in reached:
        if isinstance(state, Accept):
            return state.rule + 1, steps
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
            case Step(chars, _) | Guard(Look(_, chars), _):
                yield chars
