"""The construction of nondeterministic automata, whose choices are ordered, from syntax trees.

Thompson's construction, built from the end of a pattern to its start, so that every part knows
where it goes on. The order of a fork's targets is the order in which a backtracking engine would
try them; the determinizer keeps it. All positions of the automaton that are alive at the same
place in a text are its *threads*, the preferred first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import Ahead, Alt, Behind, Chars, End, Look, Machine, Node, Repeat, Seq
from wwho.errors import PatternError

MAX_NFA_STATES = 100_000

MAX_BACK = 31
"""The most characters after the first that a pattern may need to decide a lookahead."""


@dataclass(frozen=True, slots=True)
class Step:
    """A state that takes one character of a set and goes on at its target."""

    chars: CodePointSet
    target: int


@dataclass(frozen=True, slots=True)
class Fork:
    """A state that goes on at each target, the first preferred; without targets, at none."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """A state that goes on only where an assertion holds, and takes no character."""

    condition: Look | Behind | End
    target: int


@dataclass(frozen=True, slots=True)
class Accept:
    """A state in which a match of a rule ends.

    Attributes:
        rule: The number of the rule, from 0.
        back: How many characters before this place the match ends: a lookahead has read them.
    """

    rule: int
    back: int = 0


State = Step | Fork | Guard | Accept


@dataclass(frozen=True, slots=True)
class Exit:
    """The place where a pattern goes on after a possessive repetition.

    Attributes:
        repeat: The repetition.
        state: The state that comes after it.
    """

    repeat: Repeat
    state: int


@dataclass(frozen=True, slots=True)
class Nfa:
    """A nondeterministic automaton with ordered choices.

    Attributes:
        states: All states; their targets are indices of this tuple.
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
        empty: The patterns that rule 0 goes on with if it has matched nothing, the preferred first.
            These are rules 1, 2, ...; the other rules are numbered after them.

    Raises:
        PatternError: If there would be more than MAX_NFA_STATES states, or a lookahead of several
            characters is not at the end of a rule, looks behind, or needs too many characters.

    Example:
        >>> build_nfa([Chars(ALL)]).states == (Accept(rule=0), Step(ALL, target=0), Fork((1,)))
        True
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
    """Return the steps and accepts that threads reach without taking a character.

    Args:
        nfa: The automaton.
        threads: States to begin in, the preferred first.
        holds: Called with the assertion of each guard; tells whether it holds at this place.

    Returns:
        The steps and accepts, in order of preference, each once: a thread that comes second to a
        state can only repeat what the first one does. No threads reach an empty list.
    """
    # A stack, with the preferred state on top: depth first is the order of a backtracking engine.
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
    """A list of an automaton's states, to which methods add those of syntax trees, end first.

    A backtracking engine leaves a loop after a round that took no character. So a part may go on
    in two places: at `idle` if the current round of the innermost loop has taken nothing yet, at
    `moved` if it has. Outside of loops, and wherever it makes no difference, the two are equal.

    Every method raises a PatternError if there would be more than MAX_NFA_STATES states.

    Attributes:
        states: The states so far.
        exits: The ends of the possessive repetitions so far.
    """

    def __init__(self) -> None:
        self.states: list[State] = []
        self.exits: list[Exit] = []

    def add(self, state: State) -> int:
        """Append a state and return its number.

        Raises:
            PatternError: If there are MAX_NFA_STATES states already.
        """
        if len(self.states) == MAX_NFA_STATES:
            raise PatternError(
                f"the pattern needs more than {MAX_NFA_STATES} states before any are merged; "
                "repetitions inside repetitions multiply: use smaller numbers, or fewer levels"
            )
        self.states.append(state)
        return len(self.states) - 1

    def build(self, node: Node, idle: int, moved: int) -> int:
        """Add the states of a node, and return the one to enter it by.

        Args:
            node: The part of the pattern.
            idle: The state after the node if the current round of the innermost loop around it has
                taken no character by then. (Such a round ends the loop.)
            moved: The state after the node if that round has taken one. Outside of loops, both are
                the same state.

        Returns:
            The state to enter by if the round has taken no character yet. If it has, `idle` is
            out of reach: build the node again with `moved` for both.
        """
        match node:
            case Chars(chars):
                return self.add(Step(chars, moved))
            case Look() | Behind() | End():
                return self.add(Guard(node, idle))
            case Ahead():
                return self.build_ahead(node, idle)
            case Seq(parts):
                for part in reversed(parts):
                    idle, moved = self.build_both(part, idle, moved)
                return idle
            case Alt(options):
                return self.add(Fork(tuple(self.build(each, idle, moved) for each in options)))
            case Machine():
                return self.build_machine(node, idle, moved)
            case Repeat():
                if node.possessive:
                    self.exits += [Exit(node, state) for state in dict.fromkeys((idle, moved))]
                if node.max is None:
                    return self.build_unlimited(node, idle, moved)
                return self.build_limited(node, node.max, idle, moved)

    def build_both(self, node: Node, idle: int, moved: int) -> tuple[int, int]:
        """Add a node twice, unless once will do, and return two states to enter it by.

        Returns:
            The state to enter by if the round of the loop has taken no character yet, and the one
            if it has. They are equal where `idle` and `moved` are, which are those of `build`.
        """
        first = self.build(node, idle, moved)
        return first, first if idle == moved else self.build(node, moved, moved)

    def build_limited(self, node: Repeat, most: int, idle: int, moved: int) -> int:
        """Add ``x{m,n}`` as m copies of x and then n - m nested optional ones: ``xx(x(x)?)?``.

        Args:
            node: The repetition.
            most: Its greatest count n.
            idle: The state after it, as for `build`, if the round of the loop around it is idle.
            moved: The state after it if that round has taken a character.

        Returns:
            The state to enter by.
        """
        leave_idle, leave_moved = idle, moved
        for _ in range(most - node.min):
            again_idle, again_moved = self.build_both(node.body, idle, moved)
            idle = self.add_choice(node, again_idle, leave_idle)
            if leave_idle == leave_moved:
                moved = idle
            else:
                moved = self.add_choice(node, again_moved, leave_moved)
        return self.build_copies(node.body, node.min, idle, moved)

    def build_unlimited(self, node: Repeat, idle: int, moved: int) -> int:
        """Add ``x{m,}`` as m copies of x and then ``x*``, which a round without progress ends.

        Args:
            node: The repetition.
            idle: The state after it, as for `build`, if the round of the loop around it is idle.
            moved: The state after it if that round has taken a character.

        Returns:
            The state to enter by.
        """
        # The loop's own state comes first, since its body goes back to it; its targets come last.
        loop = self.add(Fork(()))
        after_idle_round = moved if nullable(node.body) else loop
        body = self.build(node.body, after_idle_round, loop)
        self.states[loop] = _choice(node, body, moved)
        if idle == moved:
            return self.build_copies(node.body, node.min, loop, loop)
        # Before the first round of this loop, the round of the one around it may be idle still.
        first_round = self.build(node.body, idle, loop)
        entry = self.add_choice(node, first_round, idle)
        return self.build_copies(node.body, node.min, entry, loop)

    def add_choice(self, node: Repeat, again: int, leave: int) -> int:
        """Append the choice of a repetition between another round and its end; return its state."""
        return self.add(_choice(node, again, leave))

    def build_copies(self, body: Node, count: int, idle: int, moved: int) -> int:
        """Add `body` `count` times in a row, and return the state to enter the first by."""
        for _ in range(count):
            idle, moved = self.build_both(body, idle, moved)
        return idle

    def build_machine(self, node: Machine, idle: int, moved: int) -> int:
        """Add a hand-drawn automaton: a fork for each of its states, and another to begin in.

        The start has a fork of its own because only there no character has been taken: if it
        accepts, it goes on at `idle`, while paths that come back to it go on at `moved`. These are
        the states after the automaton, as for `build`.

        Returns:
            The state to enter by.
        """
        numbers = sorted({node.start, *(n for a, _, b in node.edges for n in (a, b))})
        entries = {number: self.add(Fork(())) for number in numbers}
        ways: dict[int, list[int]] = {number: [] for number in numbers}
        for source, chars, target in node.edges:
            ways[source].append(self.add(Step(chars, entries[target])))
        first_ways = tuple(ways[node.start])
        for number in node.accepting & entries.keys():
            ways[number].append(moved)
        for number, entry in entries.items():
            self.states[entry] = Fork(tuple(ways[number]))
        return self.add(Fork((*first_ways, idle) if node.start in node.accepting else first_ways))

    def build_ahead(self, node: Ahead, idle: int) -> int:
        """Add a lookahead of several characters, which must be the last part of a rule.

        Returns:
            The state to enter by.

        Raises:
            PatternError: If the rule goes on after it, it looks behind, or it may need more than
                MAX_BACK characters after the first.
        """
        accept = self.states[idle]
        if not isinstance(accept, Accept):
            raise _ahead_error(
                node, "something follows it; only at the end of a pattern it may be so"
            )
        return _AheadBuilder(self, node, accept).build()


class _AheadBuilder:
    """The construction of one lookahead at the end of a rule.

    The automaton reads the characters that the lookahead asks for, and says at the end that the
    match ended that many characters before. It is deterministic: a state for each set of threads of
    the body's own automaton, and each number of characters read.
    """

    def __init__(self, builder: _Builder, node: Ahead, accept: Accept) -> None:
        """Prepare to add the states of `node` to those of `builder`.

        Args:
            builder: Where states go.
            node: The lookahead.
            accept: What the rule does after it.

        Raises:
            PatternError: If the body looks behind.
        """
        self.builder = builder
        self.node = node
        self.accept = accept
        self.body = build_nfa([node.body])
        if any(isinstance(s, Guard) and isinstance(s.condition, Behind) for s in self.body.states):
            raise _ahead_error(node, "it looks behind")
        self.outlooks = _outlooks(self.body)
        self.known: dict[tuple[tuple[int, ...], int], int] = {}

    def build(self) -> int:
        """Add all states, and return the one to enter by."""
        return self.state_for((self.body.start,), 0)

    def state_for(self, threads: tuple[int, ...], depth: int) -> int:
        """Return the state that decides the lookahead from these threads on; add it if it is new.

        All states after it are added, too.

        Args:
            threads: Threads of the body's automaton, the preferred first.
            depth: How many characters the lookahead has read already.

        Raises:
            PatternError: If `depth` is more than MAX_BACK.
        """
        if (threads, depth) in self.known:
            return self.known[threads, depth]
        if depth > MAX_BACK:
            raise _ahead_error(self.node, f"it may look at more than {MAX_BACK} characters")
        targets: list[int] = []
        for outlook in self.outlooks:
            reached = closure(self.body, threads, partial(_holds, outlook))
            matched = any(isinstance(each, Accept) for each in reached)
            next_threads = [
                each.target
                for each in reached
                if isinstance(each, Step) and outlook is not None and not outlook - each.chars
            ]
            if not matched and next_threads and outlook is not None:
                undecided = self.state_for(tuple(dict.fromkeys(next_threads)), depth + 1)
                targets.append(self.builder.add(Step(outlook, undecided)))
            elif matched != self.node.negative:
                end = Accept(self.accept.rule, self.accept.back + depth)
                here = End() if outlook is None else Look(False, outlook)
                targets.append(self.builder.add(Guard(here, self.builder.add(end))))
        self.known[threads, depth] = self.builder.add(Fork(tuple(targets)))
        return self.known[threads, depth]


def _outlooks(nfa: Nfa) -> list[CodePointSet | None]:
    """Return everything that may come next in a text, as far as an automaton tells it apart.

    Returns:
        Disjoint sets that make up all code points, each inside or outside of every set of the
        automaton; and None at the end, for the end of the text.
    """
    sets = [s.chars for s in nfa.states if isinstance(s, Step)]
    conditions = [s.condition for s in nfa.states if isinstance(s, Guard)]
    sets += [each.chars for each in conditions if isinstance(each, Look)]
    parts = [ALL]
    for chars in dict.fromkeys(sets):
        parts = [each for part in parts for each in (part & chars, part - chars) if each]
    return [*parts, None]


def _holds(outlook: CodePointSet | None, condition: Look | Behind | End) -> bool:
    """Tell whether an assertion holds before a character of `outlook`, or at the end if None."""
    if isinstance(condition, End):
        return outlook is None
    assert isinstance(condition, Look)
    is_member = outlook is not None and not outlook - condition.chars
    return condition.negative != is_member


def _ahead_error(node: Ahead, reason: str) -> PatternError:
    """Return the error for a lookahead that cannot be compiled."""
    return PatternError(
        f"at position {node.position}: this looks ahead of several characters, and {reason}",
        position=node.position,
    )


def _choice(node: Repeat, again: int, leave: int) -> Fork:
    """Return the fork of a repetition: another round is preferred, or leaving if it is lazy."""
    return Fork((leave, again) if node.lazy else (again, leave))


def nullable(node: Node) -> bool:
    """Tell whether a part can match without taking a character, if its assertions hold."""
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
