"""Several cuts as one: an automaton that cuts as they do, one within the pieces of the other.

The core is quickest with a single cut whose automaton alone says where pieces end. What keeps it
from that are matches that a cut joins, such as the characters between those of a pattern, and cuts
within the pieces of others. Both become part of an automaton wherever the next character decides
them; where it does not, the cuts stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from wwho.compile.determinize import Cell, Rows
from wwho.compile.minimize import merge_symbols, minimize
from wwho.format.automaton import DEAD, END_OF_TEXT, START, Automaton, CompiledScanners
from wwho.format.steps import Action, Cut

MOST_STATES = 1000
"""The states that an automaton made here may have, but for the dead one, and before equal ones are
merged: with more it is given up, and the cuts stay as they are."""
PIECE, DROPPED = 1, 2
"""The marks of an automaton for a whole cut: a match is a piece, or is dropped."""
ACTIONS = (Action.KEEP, Action.DROP)
"""What becomes of the matches of such an automaton, by rule (mark less 1)."""
LOST, BEFORE, THERE = 0, 1, 2
"""If the outer automaton goes back to its last mark, the inner one cuts: elsewhere than at the last
mark of both; before there; there."""

State = tuple[int, ...]
Table = tuple[tuple[Cell, ...], ...]
_Step = Callable[[State, int], tuple[int, State | None]]
"""A state, and what is read (0: the end of the text, else a class and 1), to a mark, or 0, and the
next state; None: the match ends at its last mark."""


class _UndecidedError(Exception):
    """More than the next character decides where a piece ends."""


def fused_cuts(scanners: CompiledScanners, cuts: Sequence[Cut]) -> list[Automaton | Cut]:
    """Return automata that do together what neighbouring cuts do, in order, as few as possible.

    Each is an automaton for a whole cut, with the marks PIECE and DROPPED. A cut that cannot be an
    automaton (`whole_cut`) is in the list as it is, and the next one begins anew. A cut that cannot
    be fused with the automaton before it is an automaton of its own: where the two together would
    have over `MOST_STATES` states, or more than the next character decides where a piece ends.

    Args:
        scanners: the automata that the cuts name, and their classes.
        cuts: the cuts, each within the pieces of the one before; none give [].
    """
    fused: list[Automaton | Cut] = []
    for cut in cuts:
        one = whole_cut(scanners, cut)
        before = fused[-1] if fused else None
        both = _attempt(_within, before, one) if one and isinstance(before, Automaton) else None
        fused[-1 if both else len(fused) :] = [both or one or cut]
    return fused


def whole_cut(scanners: CompiledScanners, cut: Cut) -> Automaton | None:
    """Return the automaton whose matches are the pieces of a cut and what it drops.

    Its marks are PIECE and DROPPED. None: more than the next character decides where a piece ends;
    the automaton looks behind; the cut has numbers or COUNT; or there would be over `MOST_STATES`
    states.
    """
    return _attempt(_join_matches, scanners.automata[cut.automaton], cut)


class Neighbours(NamedTuple):
    """A cut that looks at nothing but the two characters on both sides of a place.

    Attributes:
        cuts: the columns of two neighbours between which it cuts.
        dropped: the columns of the characters that are in no piece.
    """

    cuts: frozenset[tuple[int, int]]
    dropped: frozenset[int]


def neighbours(automaton: Automaton) -> Neighbours | None:
    """Return which neighbours an automaton for a whole cut parts; None if it looks at more.

    A state may depend on the last character alone. The result holds columns of the automaton: pairs
    of which the second begins a new match, and those whose matches are dropped.

    Example:
        >>> from wwho.compile.scanners import compile_scanners, regex_scanner
        >>> (runs,) = compile_scanners([regex_scanner("runs", "a+|[^a]+")]).automata
        >>> column = runs.columns
        >>> neighbours(runs).cuts == {(1, 2), (2, 1)}
        True
    """
    if automaton.behind:
        return None
    cuts, dropped = set(), set()
    columns = range(END_OF_TEXT + 1, automaton.n_columns)
    after, sure = [target for _, target in automaton.table[START]], _sure(automaton.table)
    for left in columns:
        row = automaton.table[after[left]]
        marks = {mark for mark, target in row if mark and target == DEAD}
        if len(marks) > 1:
            return None
        if marks == {DROPPED}:
            dropped.add(left)
        for right in columns:
            mark, target = row[right]
            if mark and target == DEAD:
                cuts.add((left, right))
            elif target != after[right] or (mark and target not in sure):
                return None
    return Neighbours(frozenset(cuts), frozenset(dropped))


def _attempt(make: Callable[..., Automaton], *given: object) -> Automaton | None:
    """Return the automaton that a function makes; None if it raises `_UndecidedError`."""
    try:
        return make(*given)
    except _UndecidedError:
        return None


def _join_matches(automaton: Automaton, cut: Cut) -> Automaton:
    """Return the automaton whose matches are the pieces of a cut and what it drops.

    Its marks are PIECE and DROPPED. A state is the mark of the match that the piece ends with so
    far, or 0, and the state of the given automaton.

    Raises:
        _UndecidedError: whether a match joins the one before it is known too late; or the automaton
            looks behind, or the cut has numbers or COUNT; or there are too many states.
    """
    table, symbols = automaton.table, (END_OF_TEXT, *automaton.columns)
    if automaton.behind or any(cut.numbers) or Action.COUNT in cut.actions:
        raise _UndecidedError
    later, sure = _later(table), _sure(table)
    kinds = [DROPPED if action is Action.DROP else PIECE for action in cut.actions]
    joins = {mark: {o for o in later[START] if _joins(cut, mark, o)} for mark in later[START]}

    def step(state: State, symbol: int) -> tuple[int, State | None]:
        """Return the mark before a symbol, and the state after it."""
        last, at = state
        mark, target = table[at][symbols[symbol]]
        if target in sure:
            mark = 0
        if target != DEAD:
            if not mark:
                return 0, (last, target)
            if joins[last] & {mark, *later[target]} if last else joins[mark]:
                raise _UndecidedError
            return (0, None) if last else (kinds[mark - 1], (0, target))
        if not mark:
            if last:
                raise _UndecidedError
            return 0, None
        if last and mark not in joins[last]:
            return 0, None
        goes_on = joins[mark] and symbol != END_OF_TEXT
        after = (mark, table[START][symbols[symbol]][1]) if goes_on else None
        return kinds[mark - 1], after

    return _explore_states(automaton.name, step, (0, START), len(symbols))


def _joins(cut: Cut, mark: int, following: int) -> bool:
    """Return whether two matches, one directly after the other, are one piece, by their marks."""
    first, second = cut.actions[mark - 1], cut.actions[following - 1]
    if Action.DROP in (first, second):
        return False
    return (
        (second is Action.BEFORE and first is not second)
        or (first is Action.BEHIND and second is not first)
        or (second in (Action.GROUP, Action.FOLLOW) and mark == following)
        or (second is Action.FOLLOW and mark + 1 == following)
    )


def _within(outer: Automaton, inner: Automaton) -> Automaton:
    """Return the automaton that cuts each piece of `outer` by `inner`; all three are of whole cuts.

    A state is those of both, and what is known of the last mark: whether the outer one would go on
    in another way if it began there, whether the mark counts only if the outer one ends there, and
    what the mark is if the outer one goes back to its own last mark (LOST, BEFORE or THERE).

    Raises:
        _UndecidedError: more than these would have to be known; or there are too many states.
    """
    columns = ((END_OF_TEXT, END_OF_TEXT), *zip(outer.columns, inner.columns, strict=True))
    later, sure = _later(outer.table), (_sure(outer.table), _sure(inner.table))

    def step(state: State, symbol: int) -> tuple[int, State | None]:
        """Return the mark before a symbol, and the state after it."""
        out, at, other, only, back = state
        column, below = columns[symbol]
        if (symbol, out) == (END_OF_TEXT, START):
            return 0, None
        mark, target = outer.table[out][column]
        whole = mark if mark == DROPPED else inner.table[at][END_OF_TEXT][0]
        if target == DEAD and mark:
            if not whole and (other or only):
                raise _UndecidedError
            return whole, None
        if target == DEAD:
            if back == LOST or (back == BEFORE and other):
                raise _UndecidedError
            return 0, None
        end, after = inner.table[at][below]
        if after in sure[1]:
            end = 0
        if end:
            other, only, back = outer.table[START][column][1] != target, False, LOST
        if mark and target not in sure[0]:
            if whole and not end:
                end, only = whole, True
            back = THERE if whole == end != 0 else LOST if end or only else BEFORE
        if after != DEAD:
            return end, (target, after, other, only, back)
        if other or only or DROPPED in later[target]:
            raise _UndecidedError
        return end, None

    start = (START, START, False, False, LOST)
    return _explore_states(f"{outer.name}, {inner.name}", step, start, len(columns))


def _later(table: Table) -> list[set[int]]:
    """Return, for each state, all marks on the moves from it and from the states after it."""
    found = [{mark for mark, _ in row if mark} for row in table]
    sources: list[set[int]] = [set() for _ in table]
    for state, row in enumerate(table):
        for _, target in row:
            sources[target].add(state)
    pending = [*range(len(table))]
    while pending:
        state = pending.pop()
        for source in sources[state]:
            if more := found[state] - found[source]:
                found[source] |= more
                pending.append(source)
    return found


def _sure(table: Table) -> set[int]:
    """Return the states that are left with a mark, whatever is read.

    A mark on the way to such a state says nothing: the next one takes its place.
    """
    return {state for state, row in enumerate(table) if all(mark for mark, _ in row)}


def _explore_states(name: str, step: _Step, start: State, n_symbols: int) -> Automaton:
    """Return the smallest automaton of all states that `step` leads to from `start`.

    Args:
        name: the name of the automaton.
        step: a function of a state and a symbol, which returns the mark and the next state, or
            None for the dead one.
        start: the first state.
        n_symbols: how many classes of characters there are, and 1 for the end of the text.

    Raises:
        _UndecidedError: there are over `MOST_STATES` states.
    """
    queue, numbers = [start], {start: START}
    rows: Rows = [[(0, DEAD)] * n_symbols]
    for state in queue:  # which grows while it is read
        row = []
        for symbol in range(n_symbols):
            mark, target = step(state, symbol)
            if target is None or symbol == END_OF_TEXT:
                row.append((mark, DEAD))
                continue
            if target not in numbers:
                numbers[target] = len(numbers) + 1
                queue.append(target)
            row.append((mark, numbers[target]))
        rows.append(row)
        if len(numbers) > MOST_STATES:
            raise _UndecidedError
    rows, columns = merge_symbols(minimize(rows), first=END_OF_TEXT + 1)
    return Automaton(
        name=name,
        columns=tuple(columns[1:]),
        n_columns=len(rows[0]),
        n_states=len(rows),
        n_rules=max(mark for row in rows for mark, _ in row),
        table=tuple(map(tuple, rows)),
    )
