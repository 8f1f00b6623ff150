"""The step CUT in plain Python (FORMAT.md, STEPS: Kind 6)."""

from __future__ import annotations

from collections.abc import Iterator

from wwho.format.automaton import CompiledScanners
from wwho.format.steps import Action, Cut
from wwho.reference.piece import Piece
from wwho.reference.scan import matches


def cut(step: Cut, piece: Piece, scanners: CompiledScanners) -> Iterator[Piece]:
    """Yield the pieces into which a CUT cuts a piece, in order; none of them is empty."""
    for start, end in cut_places(step, piece.scanned, scanners):
        yield piece.cut(start, end)


def cut_places(step: Cut, text: str, scanners: CompiledScanners) -> list[tuple[int, int]]:
    """Return the start and the end, in characters, of each piece into which a CUT cuts a text.

    Matches that the actions of their rules join are one piece, dropped ones are in none, and a
    match of COUNT gives several.
    """
    automaton = scanners.automata[step.automaton]
    numbers = step.numbers or (0,) * len(step.actions)
    back = [
        0 if action is Action.COUNT else number
        for action, number in zip(step.actions, numbers, strict=True)
    ]
    found: list[tuple[int, int]] = []
    before, rule_before = Action.DROP, -1
    for start, end, rule in matches(scanners, automaton, text, back):
        action = step.actions[rule]
        joins = (
            (action is Action.BEFORE and before not in (Action.BEFORE, Action.DROP))
            or (before is Action.BEHIND and action not in (Action.BEHIND, Action.DROP))
            or (action in (Action.GROUP, Action.FOLLOW) and rule == rule_before)
            or (action is Action.FOLLOW and rule == rule_before + 1 and before is not Action.DROP)
        )
        parts = [(start, end)]
        if action is Action.COUNT:
            parts = groups(start, end, numbers[rule])
            short = parts[0][1] - parts[0][0] < numbers[rule]
            first_joins = step.first_joins or (step.short_joins and short)
            joins = joins or (first_joins and before is not Action.DROP)
        elif before is Action.COUNT and action is not Action.DROP:
            joins = joins or step.last_joins
        if joins:
            found[-1] = found[-1][0], parts[0][1]
            found += parts[1:]
        elif action is not Action.DROP:
            found += parts
        before, rule_before = action, rule
    return found


def groups(start: int, end: int, size: int) -> list[tuple[int, int]]:
    """Return the start and the end of each group that a match is cut into, counted from its end.

    Args:
        start: where the match begins, in characters.
        end: where it ends.
        size: how many characters a group has; the first one may have fewer.

    Example:
        >>> groups(0, 7, 3)
        [(0, 1), (1, 4), (4, 7)]
    """
    ends = range(end, start, -size)
    return [(max(start, each - size), each) for each in reversed(ends)]
