"""Syntax trees to nondeterministic automata whose choices are ordered.

Thompson's construction, built from the end to the start, so that every part knows where it goes
on. The order of a fork's targets is the order in which a backtracking engine would try them; the
determinizer keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from wwho.compile.codepoints import CodePointSet
from wwho.compile.syntax import Alt, Chars, End, Look, Machine, Node, Repeat, Seq
from wwho.errors import PatternError

MAX_NFA_STATES = 100_000


@dataclass(frozen=True, slots=True)
class Step:
    """Takes one character of the set."""

    chars: CodePointSet
    target: int


@dataclass(frozen=True, slots=True)
class Fork:
    """Goes on at each target, the first preferred; no targets at all is a dead end."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """Goes on only where an assertion holds."""

    condition: Look | End
    target: int


@dataclass(frozen=True, slots=True)
class Accept:
    """A match of a rule ends here."""

    rule: int


State = Step | Fork | Guard | Accept


@dataclass(frozen=True, slots=True)
class Exit:
    """Where the pattern goes on after a possessive repetition.

    Attributes:
        repeat: The repetition.
        state: The state that comes after it.
    """

    repeat: Repeat
    state: int


@dataclass(frozen=True, slots=True)
class Nfa:
    """An automaton with ordered choices.

    Attributes:
        states: All states.
        start: The state to begin in.
        exits: The ends of possessive repetitions, for the proof that they change nothing.
    """

    states: tuple[State, ...]
    start: int
    exits: tuple[Exit, ...]


def build_nfa(rules: Iterable[Node]) -> Nfa:
    """Build one automaton that tries all rules, earlier ones first.

    Raises:
        PatternError: it would have more than MAX_NFA_STATES states.
    """
    builder = _Builder()
    ends = [(node, builder.add(Accept(rule))) for rule, node in enumerate(rules)]
    start = builder.add(Fork(tuple(builder.build(node, end, end) for node, end in ends)))
    return Nfa(tuple(builder.states), start, tuple(builder.exits))


def closure(
    nfa: Nfa, threads: Iterable[int], holds: Callable[[Look | End], bool]
) -> list[Step | Accept]:
    """Follow every fork and every guard that holds.

    Args:
        nfa: The automaton.
        threads: States to begin in, the preferred first.
        holds: Tells whether an assertion holds at this place in the text.

    Returns:
        The steps and accepts reached, in order of preference, each once: a thread that comes
        second to a state can only repeat what the first one does.
    """
    pending = list(threads)[::-1]
    seen: set[int] = set()
    reached: list[Step | Accept] = []
    while pending:
        index = pending.pop()
        if index in seen:
            continue
        seen.add(index)
        match nfa.states[index]:
            case Fork(targets):
                pending.extend(reversed(targets))
            case Guard(condition, target) if holds(condition):
                pending.append(target)
            case Step() | Accept() as state:
                reached.append(state)
    return reached


class _Builder:
    """Collects states.

    A backtracking engine leaves a loop after a round that took no character. So a part may go on
    in two places: at `idle` if the current round of the innermost loop has taken nothing yet, at
    `moved` if it has. Outside of loops, and wherever it makes no difference, the two are equal.
    """

    def __init__(self) -> None:
        self.states: list[State] = []
        self.exits: list[Exit] = []

    def add(self, state: State) -> int:
        """Add a state; return its number."""
        if len(self.states) == MAX_NFA_STATES:
            raise PatternError(
                f"the pattern needs more than {MAX_NFA_STATES} states before any are merged; "
                "repetitions inside repetitions multiply: use smaller numbers, or fewer levels"
            )
        self.states.append(state)
        return len(self.states) - 1

    def build(self, node: Node, idle: int, moved: int) -> int:
        """Add the states of `node`; return where it begins if nothing has been taken yet."""
        match node:
            case Chars(chars):
                return self.add(Step(chars, moved))
            case Look() | End():
                return self.add(Guard(node, idle))
            case Seq(parts):
                for part in reversed(parts):
                    idle, moved = self.both(part, idle, moved)
                return idle
            case Alt(options):
                return self.add(Fork(tuple(self.build(each, idle, moved) for each in options)))
            case Machine():
                return self.machine(node, idle, moved)
            case Repeat():
                if node.possessive:
                    self.exits += [Exit(node, state) for state in dict.fromkeys((idle, moved))]
                repeat = self.unlimited if node.max is None else self.limited
                return repeat(node, idle, moved)

    def both(self, node: Node, idle: int, moved: int) -> tuple[int, int]:
        """Build `node` for when nothing has been taken yet, and for when something has."""
        first = self.build(node, idle, moved)
        return first, first if idle == moved else self.build(node, moved, moved)

    def limited(self, node: Repeat, idle: int, moved: int) -> int:
        """Build ``x{m,n}`` as m copies and then n - m nested optional ones."""
        assert node.max is not None
        leave = idle, moved
        for _ in range(node.max - node.min):
            bodies = self.both(node.body, idle, moved)
            idle = self.fork(node, bodies[0], leave[0])
            moved = idle if leave[0] == leave[1] else self.fork(node, bodies[1], leave[1])
        return self.copies(node.body, node.min, idle, moved)

    def unlimited(self, node: Repeat, idle: int, moved: int) -> int:
        """Build ``x{m,}`` as m copies and then ``x*``; leave ``x*`` after an idle round."""
        loop = self.add(Fork(()))
        idle_round = moved if nullable(node.body) else loop
        self.states[loop] = _choice(node, self.build(node.body, idle_round, loop), moved)
        if idle == moved:
            return self.copies(node.body, node.min, loop, loop)
        entry = self.fork(node, self.build(node.body, idle, loop), idle)
        return self.copies(node.body, node.min, entry, loop)

    def fork(self, node: Repeat, again: int, leave: int) -> int:
        """Add the choice of going round again, or not."""
        return self.add(_choice(node, again, leave))

    def copies(self, body: Node, count: int, idle: int, moved: int) -> int:
        """Build `body` `count` times in a row."""
        for _ in range(count):
            idle, moved = self.both(body, idle, moved)
        return idle

    def machine(self, node: Machine, idle: int, moved: int) -> int:
        """Build a hand-drawn automaton: one fork per state, and one to begin in."""
        numbers = sorted({node.start, *(n for a, _, b in node.edges for n in (a, b))})
        entries = {number: self.add(Fork(())) for number in numbers}
        steps: dict[int, list[int]] = {number: [] for number in numbers}
        for source, chars, target in node.edges:
            steps[source].append(self.add(Step(chars, entries[target])))
        begin = tuple(steps[node.start])
        for number in node.accepting & entries.keys():
            steps[number].append(moved)
        for number, entry in entries.items():
            self.states[entry] = Fork(tuple(steps[number]))
        return self.add(Fork((*begin, idle) if node.start in node.accepting else begin))


def _choice(node: Repeat, again: int, leave: int) -> Fork:
    """What a repetition prefers: to go round again, unless it is lazy."""
    return Fork((leave, again) if node.lazy else (again, leave))


def nullable(node: Node) -> bool:
    """Tell whether a part may take no character."""
    match node:
        case Chars():
            return False
        case Look() | End():
            return True
        case Seq(parts):
            return all(map(nullable, parts))
        case Alt(options):
            return any(map(nullable, options))
        case Repeat():
            return node.min == 0 or nullable(node.body)
        case Machine():
            return node.start in node.accepting
