"""Minimization of automata that mark transitions (Mealy machines)."""

from __future__ import annotations

from collections.abc import Sequence

from wwho.compile.determinize import Cell, Rows
from wwho.format.automaton import BEHIND, DEAD, START


def minimize(rows: Rows, behind: bool = False) -> Rows:
    """Merge states that no text can tell apart, and number the rest by first use.

    Args:
        rows: ``rows[state][symbol]``; state 0 is dead, state 1 is the start.
        behind: Whether state 2 leads from the character before a text to the start.

    Returns:
        The rows of the smallest equivalent automaton. States from which no mark can be reached
        are the dead state. The numbering is breadth first from the start in the order of the
        symbols, so equal languages give equal rows.
    """
    blocks = _blocks(rows, behind)
    order = [blocks[DEAD], *_breadth_first(rows, blocks, behind)]
    numbers = {block: number for number, block in enumerate(order)}
    member = {block: state for state, block in reversed(list(enumerate(blocks)))}
    return [
        [(mark, numbers[blocks[target]]) for mark, target in rows[member[block]]] for block in order
    ]


def merge_symbols(rows: Rows, first: int) -> tuple[Rows, list[int]]:
    """Merge symbols that behave alike in every state.

    Args:
        rows: ``rows[state][symbol]``.
        first: The first symbol that may merge; those before it keep their own columns.

    Returns:
        The rows with one column per behaviour, and the column of each symbol.
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


def _blocks(rows: Rows, behind: bool) -> list[int]:
    """Split states into blocks until no block holds two that differ; return each state's block."""
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
        block = blocks.__getitem__
        keys = [(block(state), *map(block, row)) for state, row in enumerate(targets)]


def _breadth_first(rows: Rows, blocks: Sequence[int], behind: bool) -> list[int]:
    """Return the live blocks in the order a breadth-first walk from the start meets them."""
    member = {block: state for state, block in reversed(list(enumerate(blocks)))}
    queue = [blocks[START], *([blocks[BEHIND]] if behind else [])]
    met = {blocks[DEAD], *queue}
    for block in queue:  # which grows while it is read
        for _, target in rows[member[block]]:
            if blocks[target] not in met:
                met.add(blocks[target])
                queue.append(blocks[target])
    return queue
