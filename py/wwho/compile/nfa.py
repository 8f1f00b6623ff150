"""Syntax trees to nondeterministic automata whose choices are ordered.

Thompson's construction, built from the end to the start, so that every part knows where it goes
on. The order of a fork's targets is the order in which a backtracking engine would try them; the
determinizer keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import Ahead, Alt, Behind, Chars, End, Look, Machine, Node, Repeat, Seq
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

    condition: Look | Behind | End
    target: int


@dataclass(frozen=True, slots=True)
class Accept:
    """A match of a rule ends here, or `back` characters before: it has looked ahead at them."""

    rule: int
    back: int = 0


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


def build_nfa(rules: Sequence[Node], empty: Sequence[Node] = ()) -> Nfa:
    """Build one automaton that tries all rules, earlier ones first.

    Args:
        rules: The patterns.
        empty: What rule 0 goes on with if it has matched nothing, the preferred first. These are
            rules 1, 2, ...; the other rules are numbered after them.

    Raises:
        PatternError: it would have more than MAX_NFA_STATES states.
    """
    builder = _Builder()
    first, *others = [builder.add(Accept(number)) for number in range(len(rules) + len(empty))]
    after = [builder.build(node, end, end) for node, end in zip(empty, others, strict=False)]
    idle = builder.add(Fork(tuple(after))) if empty else first
    starts = [builder.build(rules[0], idle, first)]
    for node, end in zip(rules[1:], others[len(empty) :], strict=True):
        starts.append(builder.build(node, end, end))
    start = builder.add(Fork(tuple(starts)))
    return Nfa(tuple(builder.states), start, tuple(builder.exits))


def closure(
    nfa: Nfa, threads: Iterable[int], holds: Callable[[Look | Behind | End], bool]
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
            case Look() | Behind() | End():
                return self.add(Guard(node, idle))
            case Ahead():
                return self.ahead(node, idle)
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

    def ahead(self, node: Ahead, idle: int) -> int:
        """Build a look ahead of several characters, which a match must end before."""
        accept = self.states[idle]
        if not isinstance(accept, Accept):
            raise _beyond(node, "something follows it; only at the end of a pattern it may be so")
        inner = build_nfa([node.body])
        if any(isinstance(s, Guard) and isinstance(s.condition, Behind) for s in inner.states):
            raise _beyond(node, "it looks behind")
        made: dict[tuple[tuple[int, ...], int], int] = {}

        def decide(threads: tuple[int, ...], depth: int) -> int:
            """The state in which these threads are to tell, `depth` characters on."""
            if (threads, depth) in made:
                return made[threads, depth]
            if depth > MAX_BACK:
                raise _beyond(node, f"it may look at more than {MAX_BACK} characters")
            targets: list[int] = []
            for place in _places(inner):
                reached = closure(inner, threads, partial(_holds, place))
                found = any(isinstance(each, Accept) for each in reached)
                steps = [
                    each.target
                    for each in reached
                    if isinstance(each, Step) and place is not None and not place - each.chars
                ]
                if not found and steps and place is not None:
                    on = decide(tuple(dict.fromkeys(steps)), depth + 1)
                    targets.append(self.add(Step(place, on)))
                elif found != node.negative:
                    end = self.add(Accept(accept.rule, accept.back + depth))
                    here = End() if place is None else Look(False, place)
                    targets.append(self.add(Guard(here, end)))
            made[threads, depth] = self.add(Fork(tuple(targets)))
            return made[threads, depth]

        return decide((inner.start,), 0)


MAX_BACK = 31
"""How many characters beyond one a pattern may look ahead."""


def _places(nfa: Nfa) -> list[CodePointSet | None]:
    """Sets of characters that an automaton does not tell apart, and None for the end."""
    sets = [s.chars for s in nfa.states if isinstance(s, Step)]
    conditions = [s.condition for s in nfa.states if isinstance(s, Guard)]
    sets += [each.chars for each in conditions if isinstance(each, Look)]
    parts = [ALL]
    for chars in dict.fromkeys(sets):
        parts = [each for part in parts for each in (part & chars, part - chars) if each]
    return [*parts, None]


def _holds(place: CodePointSet | None, condition: Look | Behind | End) -> bool:
    if isinstance(condition, End):
        return place is None
    assert isinstance(condition, Look)
    return condition.negative != (place is not None and not place - condition.chars)


def _beyond(node: Ahead, why: str) -> PatternError:
    return PatternError(
        f"at position {node.position}: this looks ahead of several characters, and {why}",
        position=node.position,
    )


def _choice(node: Repeat, again: int, leave: int) -> Fork:
    """What a repetition prefers: to go round again, unless it is lazy."""
    return Fork((leave, again) if node.lazy else (again, leave))


def nullable(node: Node) -> bool:
    """Tell whether a part may take no character."""
    match node:
        case Chars():
            return False
        case Look() | Behind() | Ahead() | End():
            return True
        case Seq(parts):
            return all(map(nullable, parts))
        case Alt(options):
            return any(map(nullable, options))
        case Repeat():
            return node.min == 0 or nullable(node.body)
        case Machine():
            return node.start in node.accepting
