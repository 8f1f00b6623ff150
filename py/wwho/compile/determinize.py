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
"""``(mark, next state)`` of a transition.

The mark is 0 where no match ends before the character, else 1 plus the number of the variant
(`Alphabet.variants`) whose match does; without lookaheads of several characters, a variant's number
is that of its rule.
"""

Threads = tuple[int, ...]
"""States of the automaton that the result is made from, the preferred first."""

Before = tuple[bool, ...]
"""For each set that a pattern looks behind at, whether the character before a place is in it."""

Rows = list[list[Cell]]
"""``rows[state][symbol]``; symbol 0 is the end of the text, symbol c + 1 is class c."""


class Alphabet:
    """The symbols that one scanner can tell apart: classes of characters, and the end of the text.

    Attributes:
        classes: The class map of every set in the scanner.
        size: The number of symbols. Symbol 0 is the end of the text, symbol c + 1 is class c.
        behinds: The sets that the scanner looks behind at, each once; usually none.
        variants: A rule's number and how many characters before the mark its match ends, for each
            pair that occurs; pairs without such characters come first.
    """

    def __init__(self, nfa: Nfa) -> None:
        """Collect the sets of an automaton."""
        sets = list(dict.fromkeys(_character_sets(nfa)))
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
        """Return the symbols that together make up a set.

        Raises:
            KeyError: If the set is none of the automaton's.
        """
        return self._symbols[chars]

    def sets_behind(self, symbol: int | None) -> Before:
        """Return, for each set that a pattern looks behind at, whether it holds a symbol.

        Args:
            symbol: The symbol of the character before a place, or None at the start of the text,
                where the answer is False for each.
        """
        return tuple(symbol in self.symbols(chars) for chars in self.behinds)

    def holds(
        self, condition: Look | Behind | End, symbol: int, before: Before | None = None
    ) -> bool:
        """Tell whether an assertion holds between a character and the next one.

        Args:
            condition: The assertion.
            symbol: The next character's symbol, or 0 at the end of the text.
            before: The result of `sets_behind` for the character before. If it is None, nothing
                is known of that character, and every `Behind` is taken to hold.
        """
        if isinstance(condition, Behind):
            if before is None:
                return True
            return condition.negative != before[self.behinds.index(condition.chars)]
        if isinstance(condition, End):
            return symbol == END_OF_TEXT
        return condition.negative != (symbol in self.symbols(condition.chars))


def determinize(nfa: Nfa, alphabet: Alphabet, *, longest: bool) -> Rows:
    """Return the transition rows of a deterministic automaton that finds the same matches.

    The number of states can be exponential in the size of the pattern; patterns of tokenizers stay
    far below the limit.

    Args:
        nfa: The automaton with ordered choices.
        alphabet: Its symbols.
        longest: Whether to prefer the longest match, and among equals the lowest rule, instead of
            the match a backtracking engine would find first.

    Returns:
        The rows, one for each state; each has a cell for each symbol: the mark of a match that ends
        before the symbol (0: none; else 1 plus its rule or variant) and the next state. State 0 is
        dead, state 1 is the start of a text, and if the automaton looks behind, state 2 (`BEHIND`)
        leads from the character before a place to the state to start in. The rows are not minimal.

    Raises:
        PatternError: If there would be more than MAX_RAW_STATES states.
    """
    stepper = _Stepper(nfa, alphabet, longest=longest)
    dead: tuple[Threads, Before] = ((), ())
    queue = [dead, ((nfa.start,), alphabet.sets_behind(None))]
    numbers = {state: number for number, state in enumerate(queue)}
    if alphabet.behinds:
        # Keeps the place of BEHIND, to which no state leads.
        queue.append(dead)
    rows: Rows = []
    # The queue grows while it is read.
    for number, (threads, before) in enumerate(queue):
        transitions = stepper.transitions(threads, before)
        if alphabet.behinds and number == BEHIND:
            # Over any character to the pattern's start, with what is then known to be before.
            transitions = ((0, (nfa.start,) if symbol else ()) for symbol in range(alphabet.size))
        row: list[Cell] = []
        for symbol, (mark, targets) in enumerate(transitions):
            state = (targets, alphabet.sets_behind(symbol)) if targets else dead
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
    """The rule by which the threads of one state move over a symbol.

    Attributes:
        outlooks: For each symbol, which of the automaton's assertions hold before it, as far as
            the next character tells. Symbols with equal outlooks share a closure.
    """

    def __init__(self, nfa: Nfa, alphabet: Alphabet, *, longest: bool) -> None:
        """Prepare to move threads; the arguments are those of `determinize`."""
        self.nfa = nfa
        self.alphabet = alphabet
        self.longest = longest
        guards = [state.condition for state in nfa.states if isinstance(state, Guard)]
        self.outlooks = [
            tuple(alphabet.holds(guard, symbol) for guard in guards)
            for symbol in range(alphabet.size)
        ]

    def transitions(self, threads: Threads, before: Before) -> Iterator[tuple[int, Threads]]:
        """Yield, for each symbol in order, the mark before it and the threads that survive it.

        Args:
            threads: The threads of a state: states of the nondeterministic automaton that are alive
                at once, the preferred first.
            before: What is known of the character before (`Alphabet.sets_behind`).

        Yields:
            The mark: 0 if no match ends before the symbol, else 1 plus the number of the rule whose
            match does (with lookaheads of several characters, of the `Alphabet.variants`). And the
            threads after the symbol, each once: in order of preference, or ascending if the longest
            match is wanted, where preference is of no account. No threads mean the dead state.
        """
        known: dict[tuple[bool, ...], tuple[int, list[tuple[int, frozenset[int]]]]] = {}
        for symbol, outlook in enumerate(self.outlooks):
            if outlook not in known:
                mark, steps = self.mark_and_steps(symbol, threads, before)
                known[outlook] = mark, [(s.target, self.alphabet.symbols(s.chars)) for s in steps]
            mark, moves = known[outlook]
            targets = dict.fromkeys([target for target, symbols in moves if symbol in symbols])
            yield mark, tuple(sorted(targets) if self.longest else targets)

    def mark_and_steps(
        self, symbol: int, threads: Threads, before: Before
    ) -> tuple[int, list[Step]]:
        """Return the mark before a symbol, and the steps that the threads may then try.

        The mark is 0 if no match ends before the symbol, else 1 plus the number of its rule or
        variant. The steps are the same for all symbols before which the same assertions hold; some
        do not take this symbol.
        """
        holds = partial(self.alphabet.holds, symbol=symbol, before=before)
        reached = closure(self.nfa, threads, holds)
        return _pick_longest(reached) if self.longest else self.pick_first(reached)

    def pick_first(self, reached: Sequence[Step | Accept]) -> tuple[int, list[Step]]:
        """Return the mark of the first accept, and only the steps that come before it.

        A backtracking engine would never come to try the steps after it. The mark is 1 plus the
        accept's place in `Alphabet.variants`; without an accept it is 0, and all steps are
        returned.

        Args:
            reached: The result of `closure`, the preferred first.
        """
        steps: list[Step] = []
        for state in reached:
            if isinstance(state, Accept):
                return self.alphabet.variants.index((state.rule, state.back)) + 1, steps
            steps.append(state)
        return 0, steps


def _pick_longest(reached: Sequence[Step | Accept]) -> tuple[int, list[Step]]:
    """Return 1 plus the number of the lowest rule that accepts (0: none does), and all steps.

    Every step stays, since any of them may yet lead to a longer match.
    """
    marks = [state.rule + 1 for state in reached if isinstance(state, Accept)]
    return min(marks, default=0), [state for state in reached if isinstance(state, Step)]


def _character_sets(nfa: Nfa) -> Iterable[CodePointSet]:
    """Yield the set of every step and every assertion in an automaton, repeated ones too."""
    for state in nfa.states:
        match state:
            case Step(chars, _) | Guard(Look(_, chars) | Behind(_, chars), _):
                yield chars
