"""Several stages as one: an automaton that cuts as they do, one within the pieces of the other.

The core is quickest with a single stage whose automaton alone says where pieces end. What keeps it
from that are matches that a stage joins, such as the characters between those of a pattern, and
stages within the pieces of others. Both become part of an automaton wherever the next character
decides them; where it does not, the stages stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wwho.compile.determinize import Cell, Rows
from wwho.compile.minimize import merge_symbols, minimize
from wwho.format.automaton import DEAD, END_OF_TEXT, START, Automaton
from wwho.format.model import Action, Artifact, Stage
from wwho.format.steps import Replace, Rules, Step

MOST_STATES = 1000
PIECE, DROPPED = 1, 2
"""The marks of an automaton for a whole stage."""
LOST, BEFORE, THERE = 0, 1, 2
"""If the outer automaton goes back to its last mark, the inner one cuts: elsewhere than at the last
mark of both; before there; there."""

State = tuple[int, ...]
Table = tuple[tuple[Cell, ...], ...]
_Step = Callable[[State, int], tuple[int, State | None]]


class _UndecidedError(Exception):
    """More than the next character decides where a piece ends."""


def fuse(artifact: Artifact) -> Artifact:
    """The same artifact with as few stages as possible, if it has one route.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> from wwho.format.read import read_artifact
        >>> artifact = read_artifact(model_bytes("r50k_base"))
        >>> fuse(artifact) == artifact
        True
    """
    if len(artifact.routes) > 1 or not artifact.stages:
        return artifact
    automata = [*artifact.scanners.automata]
    fused = fused_stages(artifact)
    stages = []
    for stage, made in zip(artifact.stages, fused, strict=False):
        if isinstance(made, Stage) or (len(fused) == len(artifact.stages) and _is_plain(stage)):
            stages.append(made if isinstance(made, Stage) else stage)
            continue
        stages.append(Stage(len(automata), (Action.KEEP, Action.DROP)[: made.n_rules]))
        automata.append(made)
    return _without_unused(artifact, automata, stages)


def fused_stages(artifact: Artifact) -> list[Automaton | Stage]:
    """The stages as few automata, whose marks say if a match is a piece or dropped.

    A stage stays where it cannot be one.
    """
    fused: list[Automaton | Stage] = []
    for stage in artifact.stages:
        one = _attempt(_joined, artifact.scanners.automata[stage.automaton], stage)
        before = fused[-1] if fused else None
        both = _attempt(_within, before, one) if one and isinstance(before, Automaton) else None
        fused[-1 if both else len(fused) :] = [both or one or stage]
    return fused


def _is_plain(stage: Stage) -> bool:
    return {*stage.actions} == {Action.KEEP} and not stage.back


def _without_unused(artifact: Artifact, automata: list[Automaton], stages: list[Stage]) -> Artifact:
    """The artifact with other stages, and the automata that it then uses."""
    (route,) = artifact.routes
    used = [
        *(stage.automaton for stage in stages),
        *map(_automaton_of, artifact.steps),
        route.units,
    ]
    numbers = {old: new for new, old in enumerate(sorted({at for at in used if at is not None}))}
    units = None if route.units is None else numbers[route.units]
    route = replace(route, stages=tuple(range(len(stages))), units=units)

    def renumbered(step: Step) -> Step:
        if isinstance(step, Replace):
            return replace(step, automaton=numbers[step.automaton])
        if isinstance(step, Rules) and step.clusters is not None:
            return replace(step, clusters=numbers[step.clusters])
        return step

    return replace(
        artifact,
        scanners=replace(artifact.scanners, automata=tuple(automata[old] for old in numbers)),
        routes=(route,),
        stages=tuple(replace(stage, automaton=numbers[stage.automaton]) for stage in stages),
        normalizer=tuple(map(renumbered, artifact.normalizer)),
        rewriting=tuple(map(renumbered, artifact.rewriting)),
        within=tuple(map(renumbered, artifact.within)),
    )


def _automaton_of(step: Step) -> int | None:
    if isinstance(step, Replace):
        return step.automaton
    return step.clusters if isinstance(step, Rules) else None


def _attempt(make: Callable[..., Automaton], *given: object) -> Automaton | None:
    try:
        return make(*given)
    except _UndecidedError:
        return None


def _joined(automaton: Automaton, stage: Stage) -> Automaton:
    """An automaton whose matches are the pieces of a stage, one that it drops among them.

    A state is the match that the piece ends with so far, or 0, and the state of the automaton.

    Raises:
        _UndecidedError: whether a match joins the one before it is known too late.
    """
    table, symbols = automaton.table, (END_OF_TEXT, *automaton.columns)
    if automaton.behind or any(stage.back):
        raise _UndecidedError
    later, sure = _later(table), _sure(table)
    kinds = [DROPPED if action is Action.DROP else PIECE for action in stage.actions]
    joins = {mark: {o for o in later[START] if _joins(stage, mark, o)} for mark in later[START]}

    def step(state: State, symbol: int) -> tuple[int, State | None]:
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

    return _made(automaton.name, step, (0, START), len(symbols))


def _joins(stage: Stage, mark: int, following: int) -> bool:
    """Whether two matches, one directly after the other, are one piece."""
    first, second = stage.actions[mark - 1], stage.actions[following - 1]
    if Action.DROP in (first, second):
        return False
    return (
        (second is Action.BEFORE and first is not second)
        or (first is Action.BEHIND and second is not first)
        or (second in (Action.GROUP, Action.FOLLOW) and mark == following)
        or (second is Action.FOLLOW and mark + 1 == following)
    )


def _within(outer: Automaton, inner: Automaton) -> Automaton:
    """An automaton that cuts the pieces of one by another; both are of whole stages.

    A state is those of both, and what is known of the last mark: whether the outer one would go on
    in another way if it began there, whether it stands only if the outer one ends there, and what
    it is if the outer one goes back.

    Raises:
        _UndecidedError: more than these would have to be known.
    """
    columns = ((END_OF_TEXT, END_OF_TEXT), *zip(outer.columns, inner.columns, strict=True))
    later, sure = _later(outer.table), (_sure(outer.table), _sure(inner.table))

    def step(state: State, symbol: int) -> tuple[int, State | None]:
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
    return _made(f"{outer.name}, {inner.name}", step, start, len(columns))


def _later(table: Table) -> list[set[int]]:
    """The marks that may yet come, for each state."""
    found = [{mark for mark, _ in row if mark} for row in table]
    changed = True
    while changed:
        changed = False
        for marks, row in zip(found, table, strict=True):
            more = set().union(*(found[target] for _, target in row)) - marks
            marks |= more
            changed |= bool(more)
    return found


def _sure(table: Table) -> set[int]:
    """The states after which a mark comes at once: one on the way there says nothing."""
    return {state for state, row in enumerate(table) if all(mark for mark, _ in row)}


def _made(name: str, step: _Step, start: State, n_symbols: int) -> Automaton:
    """The automaton of the states that a function leads to, over the classes of characters."""
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
