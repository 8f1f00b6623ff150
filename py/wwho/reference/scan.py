"""Running an automaton over text, in plain Python (FORMAT.md, AUTOMATA)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wwho.format.automaton import BEHIND, DEAD, END_OF_TEXT, START, Automaton, CompiledScanners


def matches(
    scanners: CompiledScanners, automaton: Automaton, text: str, back: Sequence[int] = ()
) -> Iterator[tuple[int, int, int]]:
    """Cut a text into the matches of an automaton, which leave nothing out.

    Args:
        scanners: the class map, and the automata of which `automaton` is one; they match something
            everywhere.
        automaton: the automaton that scans the text.
        text: any text; it may be empty.
        back: for each rule, by how many characters its matches end before the mark; a match keeps
            its first character all the same. Empty: by none.

    Yields:
        Start, end and rule of each match, in code points. Each match starts where the one before it
        ends, the first at 0, and the last ends at the end of the text.
    """
    column_of = scanners.column_tables[automaton.columns]
    columns = [column_of[ord(character)] for character in text]
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
