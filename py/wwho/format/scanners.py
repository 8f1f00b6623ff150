"""The sections CLASSES and AUTOMATA, written and read (FORMAT.md, CLASSES and AUTOMATA)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import compress, count
from operator import ne

from wwho.format.automaton import BEHIND, START, Automaton
from wwho.format.classmap import ClassMap
from wwho.format.cursor import Cursor
from wwho.format.layout import (
    MAX_AUTOMATA,
    MAX_CELLS,
    MAX_CLASSES,
    MAX_PAGES,
    MAX_RULES,
    MAX_STATES,
    N_PAGES,
    PAGE_SIZE,
    padding,
)
from wwho.format.model import Pair


def small_code(count: int) -> str:
    """Return the `struct` code of numbers below `count`: "B" for 8 bits, "H" for 16."""
    return "B" if count <= 256 else "H"


def entry_code(n_states: int, n_rules: int) -> str:
    """Return the `struct` code of a table's entries: "H" for 16 bits, "I" for 32."""
    return "H" if (n_rules + 1) * n_states <= 65536 else "I"


def write_classes(classes: ClassMap) -> bytes:
    """Return the bytes of the section CLASSES.

    Equal pages are stored once, numbered by first occurrence.
    """
    layout = f"<{small_code(classes.n_classes)}"
    numbers: dict[bytes, int] = {}
    pages: list[int] = []
    page = b""
    for first, last, number in classes.ranges:
        spelled, missing = struct.pack(layout, number), PAGE_SIZE - first % PAGE_SIZE
        page += spelled * min(missing, last + 1 - first)
        if first + missing <= last + 1:  # that page is full, and all between are alike
            pages.append(numbers.setdefault(page, len(numbers)))
            n_alike, n_begun = divmod(last + 1 - first - missing, PAGE_SIZE)
            if n_alike:
                pages += [numbers.setdefault(spelled * PAGE_SIZE, len(numbers))] * n_alike
            page = spelled * n_begun
    head = struct.pack(f"<HH{N_PAGES}H", classes.n_classes, len(numbers), *pages)
    return head + b"".join(numbers)


def read_classes(data: bytes) -> ClassMap:
    """Return the class map that a section holds.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is CLASSES.
    """
    cursor = Cursor(data, "CLASSES")
    n_classes, n_pages = cursor.numbers("HH", "sizes")
    if not 1 <= n_classes <= MAX_CLASSES or not 1 <= n_pages <= MAX_PAGES:
        cursor.fail(f"{n_classes} classes in {n_pages} pages")
    numbers = cursor.numbers(f"{N_PAGES}H", "page numbers")
    layout = f"{PAGE_SIZE}{small_code(n_classes)}"
    pages = [cursor.numbers(layout, f"page {number}") for number in range(n_pages)]
    cursor.end()
    seen = 0
    for number in numbers:
        if number > seen or number >= n_pages:
            cursor.fail(f"page {number} comes before page {seen}")
        seen = max(seen, number + 1)
    if seen != n_pages:
        cursor.fail(f"page {seen} of {n_pages} is never used")
    highest = max(map(max, pages))
    if highest >= n_classes:
        cursor.fail(f"class {highest} of {n_classes}")
    if len(set(pages)) != n_pages:
        cursor.fail("two pages are the same")
    return ClassMap(n_classes, _ranges(numbers, pages))


def _ranges(
    numbers: Sequence[int], pages: Sequence[Sequence[int]]
) -> tuple[tuple[int, int, int], ...]:
    """Return the ranges of code points of one class, ascending: first, last and class.

    Neighbouring pages of one class are one range; the ranges cover all code points.

    Args:
        numbers: the page of each `PAGE_SIZE` code points.
        pages: the classes of the code points of each page.
    """
    changes = [[*compress(count(), map(ne, page, (None, *page)))] for page in pages]
    starts: list[tuple[int, int]] = []
    for page, number in enumerate(numbers):
        for offset in changes[number]:
            label = pages[number][offset]
            if not starts or starts[-1][1] != label:
                starts.append((page * PAGE_SIZE + offset, label))
    ends = [start - 1 for start, _ in starts[1:]] + [N_PAGES * PAGE_SIZE - 1]
    return tuple((first, last, label) for (first, label), last in zip(starts, ends, strict=True))


def write_automata(automata: Sequence[Automaton]) -> bytes:
    """Return the bytes of the section AUTOMATA; names and variants are not written."""
    out = bytearray(struct.pack("<HH", len(automata), 0))
    for automaton in automata:
        n_states, n_columns, n_rules = automaton.n_states, automaton.n_columns, automaton.n_rules
        out += struct.pack("<4H", n_states, n_columns, n_rules, automaton.behind)
        columns = automaton.columns
        out += struct.pack(f"<{len(columns)}{small_code(n_columns)}", *columns)
        out += bytes(padding(len(out), 2))
        entries = [mark * n_states + to for row in automaton.table for mark, to in row]
        out += struct.pack(f"<{len(entries)}{entry_code(n_states, n_rules)}", *entries)
        out += bytes(padding(len(out)))
    return bytes(out)


def read_automata(data: bytes, n_classes: int) -> tuple[Automaton, ...]:
    """Return the automata that a section holds, named "automaton N".

    Args:
        data: the bytes of the section AUTOMATA.
        n_classes: how many classes of characters the file has.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is AUTOMATON_SHAPE,
            AUTOMATON_TABLE or AUTOMATON_TOTAL.
    """
    cursor = Cursor(data, "AUTOMATON_SHAPE")
    count, zero = cursor.numbers("HH", "count")
    if not 1 <= count <= MAX_AUTOMATA or zero:
        cursor.fail(f"{count} automata, not 1 to {MAX_AUTOMATA}; {zero} for zero")
    automata = tuple(_automaton(cursor, n_classes, number) for number in range(count))
    cursor.status = "AUTOMATON_SHAPE"
    cursor.end()
    return automata


def _automaton(cursor: Cursor, n_classes: int, number: int) -> Automaton:
    """Read and check the next automaton.

    Args:
        cursor: the section AUTOMATA.
        n_classes: how many classes of characters the file has.
        number: the number of the automaton, which becomes its name.

    Raises:
        ArtifactError: it breaks a MUST of FORMAT.md, AUTOMATA.
    """
    name = f"automaton {number}"
    cursor.status = "AUTOMATON_SHAPE"
    n_states, n_columns, n_rules, flags = cursor.numbers("4H", name)
    behind = bool(flags & 1)
    states, columns = 2 + behind <= n_states <= MAX_STATES, 2 <= n_columns <= n_classes + 1
    if not states or not columns or not 1 <= n_rules <= MAX_RULES or flags > 1:
        cursor.fail(f"{name}: {n_states} states x {n_columns} columns, {n_rules} rules, {flags}")
    if n_states * (n_classes + 8) > MAX_CELLS:
        cursor.fail(f"{name}: {n_states} states are too many for {n_classes} classes")
    column = cursor.numbers(f"{n_classes}{small_code(n_columns)}", name)
    if min(column) < 1 or max(column) >= n_columns:
        cursor.fail(f"{name}: a class has no column")
    cursor.zeros(2, name)
    code = entry_code(n_states, n_rules)
    entries = cursor.numbers(f"{n_states * n_columns}{code}", name)
    cursor.zeros(4, name)
    cells = [divmod(entry, n_states) for entry in entries]
    rows = tuple(tuple(cells[at : at + n_columns]) for at in range(0, len(cells), n_columns))
    _check_table(cursor, rows, n_rules, name)
    _check_total(cursor, rows, behind, name)
    return Automaton(name, column, n_columns, n_states, n_rules, rows, behind)


def _check_table(cursor: Cursor, rows: Sequence[Sequence[Pair]], n_rules: int, name: str) -> None:
    """Check that marks name rules, that state 0 stays dead, and that scans end with the text.

    Args:
        cursor: raises the error, and gets the status AUTOMATON_TABLE.
        rows: pairs of a mark and the next state, by state and column; mark 0 is no mark. Column 0
            is the end of the text.
        n_rules: the greatest mark there may be.
        name: what messages call the automaton.

    Raises:
        ArtifactError: with the status AUTOMATON_TABLE.
    """
    cursor.status = "AUTOMATON_TABLE"
    if any(mark > n_rules for row in rows for mark, _ in row):
        cursor.fail(f"{name} has a mark over {n_rules}")
    if any(entry != (0, 0) for entry in rows[0]):
        cursor.fail(f"{name} leaves the dead state")
    if any(row[0][1] for row in rows):
        cursor.fail(f"{name} goes on behind the end of the text")


def _check_total(cursor: Cursor, rows: Sequence[Sequence[Pair]], behind: bool, name: str) -> None:
    """Check that no match is empty, and that every text that is not empty has a match at its start.

    Args:
        cursor: raises the error, and gets the status AUTOMATON_TOTAL.
        rows: pairs of a mark and the next state, by state and column; mark 0 is no mark. Column 0
            is the end of the text.
        behind: whether state `BEHIND` leads from the character before a text to a start.
        name: what messages call the automaton.

    Raises:
        ArtifactError: with the status AUTOMATON_TOTAL.
    """
    cursor.status = "AUTOMATON_TOTAL"
    starts = {START, *(to for _, to in (rows[BEHIND][1:] if behind else ()))}
    marked = (rows[BEHIND][1:] if behind else ()), *(rows[start] for start in starts)
    if any(mark for row in marked for mark, _ in row):
        cursor.fail(f"{name} has an empty match")
    # Column 0 of a start is the empty text, which is never scanned.
    entries = [entry for start in starts for entry in rows[start][1:]]
    reached: set[int] = set()
    while entries:
        mark, to = entries.pop()
        if mark == 0 and to == 0:
            cursor.fail(f"{name} matches nothing in some text")
        if mark == 0 and to not in reached:
            reached.add(to)
            entries += rows[to]
