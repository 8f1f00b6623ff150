"""The minimization of automata that mark transitions (Mealy machines)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wwho.compile.determinize import Cell, Rows
from wwho.format.automaton import BEHIND, DEAD, START


def minimize(rows: Rows, behind: bool = False) -> Rows:
    """Return the smallest equivalent automaton: states that no text can tell apart become one.

    Args:
        rows: ``rows[state][symbol]`` is ``(mark, next state)``; mark 0 is no mark. State 0 is dead,
            state 1 is the start. They do not change.
        behind: Whether state 2 leads from the character before a text to the start; it then keeps
            its place, and is never merged with another.

    Returns:
        New rows. States from which no mark can be reached become the dead state, and states that
        cannot be reached are dropped. Numbers count breadth first from the start in the order of
        the symbols, so two automata that mark every text alike give equal rows.

    Example:
        >>> minimize([[(0, 0)], [(0, 2)], [(1, 3)], [(0, 0)]])
        [[(0, 0)], [(0, 2)], [(1, 0)]]
    """
    blocks = _equivalence_blocks(rows, behind)
    order = [blocks[DEAD], *_breadth_first(rows, blocks, behind)]
    numbers = {block: number for number, block in enumerate(order)}
    representative = _representatives(blocks)
    return [
        [(mark, numbers[blocks[target]]) for mark, target in rows[representative[block]]]
        for block in order
    ]


def merge_symbols(rows: Rows, first: int) -> tuple[Rows, list[int]]:
    """Merge symbols that behave alike in every state into one column.

    Args:
        rows: ``rows[state][symbol]`` is ``(mark, next state)``; at least one row.
        first: The first symbol that may merge; those before it keep columns of their own.

    Returns:
        New rows with one column per behaviour, in order of its first symbol; and for each old
        symbol the number of its column.

    Example:
        >>> merge_symbols([[(0, 1), (0, 1), (0, 2), (0, 1)]], first=1)
        ([[(0, 1), (0, 1), (0, 2)]], [0, 1, 2, 1])
    """
    seen: dict[object, int] = {}
    kept: list[Sequence[Cell]] = []
    column_of: list[int] = []
    for symbol, column in enumerate(zip(*rows, strict=True)):
        key = column if symbol >= first else symbol
        if key not in seen:
            seen[key] = len(kept)
            kept.append(column)
        column_of.append(seen[key])
    return [list(row) for row in zip(*kept, strict=True)], column_of


def _equivalence_blocks(rows: Rows, behind: bool) -> list[int]:
    """Return the number of each state's block: two states share one if no text tells them apart.

    Blocks of states with equal marks are split by the blocks that their transitions lead to. Of a
    block that is split the largest part keeps the number, so that a state moves seldom, and after
    a round only states that lead to one that has moved are looked at again. State 2 (`BEHIND`), if
    `behind`, has a block of its own.
    """
    targets = [[target for _, target in row] for row in rows]
    sources: list[set[int]] = [set() for _ in rows]
    for state, row in enumerate(targets):
        for target in set(row):
            sources[target].add(state)
    by_marks: dict[object, set[int]] = {}
    for state, cells in enumerate(rows):
        key = behind and state == BEHIND, tuple([mark for mark, _ in cells])
        by_marks.setdefault(key, set()).add(state)
    members = list(by_marks.values())
    blocks = [0] * len(rows)
    for block, states in enumerate(members):
        for state in states:
            blocks[state] = block
    pending = set(range(len(rows)))
    while pending:
        moved: list[int] = []
        for block, parts in _parts(pending, blocks, targets).items():
            n_others = len(members[block]) - sum(map(len, parts))
            largest = max(parts, key=len)
            if n_others < len(largest):
                parts.remove(largest)
                if n_others:
                    parts.append(members[block].difference(largest, *parts))
            for part in parts:
                members[block] -= part
                for state in part:
                    blocks[state] = len(members)
                members.append(part)
                moved += part
        pending = {source for state in moved for source in sources[state]}
    return blocks


def _parts(
    states: Iterable[int], blocks: Sequence[int], targets: Sequence[Sequence[int]]
) -> dict[int, list[set[int]]]:
    """Return for each block of some states those states, apart where their targets' blocks differ.

    Args:
        states: the states.
        blocks: the number of each state's block.
        targets: the states that each state leads to, by symbol.
    """
    apart: dict[tuple[int, ...], set[int]] = {}
    block_of = blocks.__getitem__
    for state in states:
        key = blocks[state], *map(block_of, targets[state])
        apart.setdefault(key, set()).add(state)
    parts: dict[int, list[set[int]]] = {}
    for (block, *_), part in apart.items():
        parts.setdefault(block, []).append(part)
    return parts


def _representatives(blocks: Sequence[int]) -> dict[int, int]:
    """Return the first state of each block."""
    return {block: state for state, block in reversed(list(enumerate(blocks)))}


def _breadth_first(rows: Rows, blocks: Sequence[int], behind: bool) -> list[int]:
    """Return the blocks that can be reached, in the order in which a breadth-first walk meets them.

    The first is the block of the start, even if it is the dead block, and the second that of
    `BEHIND` if `behind`. Wherever else the walk meets the dead block, it leaves it out.
    """
    representative = _representatives(blocks)
    queue = [blocks[START], *([blocks[BEHIND]] if behind else [])]
    met = {blocks[DEAD], *queue}
    # The queue grows while it is read.
    for block in queue:
        for _, target in rows[representative[block]]:
            if blocks[target] not in met:
                met.add(blocks[target])
                queue.append(blocks[target])
    return queue
