"""Running an automaton over text, in plain Python."""

from __future__ import annotations

from collections.abc import Iterator

from wwho.format.automaton import DEAD, END_OF_TEXT, START, Automaton, CompiledScanners


def pieces(
    compiled: CompiledScanners, automaton: Automaton, text: str
) -> Iterator[tuple[int, int, int]]:
    """Cut `text` into pieces, leaving nothing out.

    Args:
        compiled: The scanners that `automaton` is one of.
        automaton: The one to run.
        text: Any text.

    Yields:
        ``(start, end, rule)`` with offsets in code points. Each piece starts where the one before
        it ends, the first at 0 and the last ending at the end of the text.
    """
    column_of = compiled.column_tables[automaton.columns]
    columns = [column_of[ord(char)] for char in text]
    columns.append(END_OF_TEXT)
    table = automaton.table
    start = 0
    while start < len(text):
        end = rule = -1
        position, state = start, START
        while state != DEAD:
            mark, state = table[state][columns[position]]
            if mark:
                end, rule = position, mark - 1
            position += 1
        yield start, end, rule
        start = end
