"""Running an automaton over text, in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wwho.format.automaton import BEHIND, DEAD, END_OF_TEXT, START, Automaton, CompiledScanners


def pieces(
    compiled: CompiledScanners, automaton: Automaton, text: str, back: Sequence[int] = ()
) -> Iterator[tuple[int, int, int]]:
    """Cut `text` into pieces, leaving nothing out.

    Args:
        compiled: The scanners that `automaton` is one of.
        automaton: The one to run.
        text: Any text.
        back: By how many characters a match of each rule ends before its mark; nothing: by none.

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
        if start and automaton.behind:
            state = table[BEHIND][columns[start - 1]][1]
        while state != DEAD:
            mark, state = table[state][columns[position]]
            if mark:
                end, rule = position, mark - 1
            position += 1
        end = max(start + 1, end - back[rule]) if back else end
        yield start, end, rule
        start = end
