"""The minimization of automata that mark transitions (Mealy machines)."""

from __future__ import annotations

from collections.abc import Sequence

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

    Moore's algorithm: blocks of states with equal marks are split by the blocks that their
    transitions lead to, until a round splits none. At most as many rounds as states, and each is
    linear in the size of the table. State 2 (`BEHIND`), if `behind`, has a block of its own.
    """
    targets = [[target for _, target in row] for row in rows]
    marks = (tuple([mark for mark, _ in row]) for row in rows)
    keys: list[object] = [(behind and state == BEHIND, row) for state, row in enumerate(marks)]
    count = 0
    while True:
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        blocks = [numbers[key] for key in keys]
        if len(numbers) == count:
            return blocks
        count = len(numbers)
        block_of = blocks.__getitem__
        keys = [(block_of(state), *map(block_of, row)) for state, row in enumerate(targets)]


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
