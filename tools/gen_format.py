"""Rewrite the last section of wasm/FORMAT.md: the bytes of a minimal file.

python tools/gen_format.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "py"), str(ROOT / "tests" / "py")]

from tiny import smallest_model  # noqa: E402

from wwho.format.container import Section, read_container  # noqa: E402
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.layout import N_PAGES, PAGE_SIZE, Kind  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402

FORMAT = ROOT / "wasm" / "FORMAT.md"
MINIMAL = "## A minimal file\n"
ROW = 16
MODEL = smallest_model()

Field = tuple[int, str]
"""A number of bytes and what they are."""

HEADER: list[Field] = [
    (8, "magic"),
    (2, "version"),
    (2, "n_sections"),
    (4, "file_size"),
    (4, "checksum"),
]
CLASSES: list[Field] = [
    (2, "n_classes"),
    (2, "n_pages"),
    (2 * N_PAGES, "page[8704]"),
    (PAGE_SIZE, "page 0: every code point has class 0"),
]
ROUTES: list[Field] = [
    (2, "router: none"),
    (2, "n_routes"),
    (1, "route 0: model"),
    (1, "n_steps: the segment is one pretoken"),
    (2, "units: none"),
    (1, "name_length"),
    (5, "name"),
]
BPE: list[Field] = [
    (1, "kind: BPE"),
    (1, "symbols: BYTES"),
    (1, "unknown: NONE"),
    (1, "ids: COUNT"),
    (1, "speller"),
    (1, "flags"),
    (2, "zero"),
    (4, "first_id"),
    (4, "unk_id: none"),
    (4, "n_symbols"),
    (4, "n_merges"),
    (4, "text_bytes"),
    (4, "n_ids"),
    (4, "n_superwords"),
    (4, "space_id: none"),
    (256, "byte[256]; there are no pairs"),
]


def list_automata_fields() -> list[Field]:
    """List the fields of the section AUTOMATA, which has one automaton of one column."""
    (automaton,) = MODEL.scanners.automata
    fields = [
        (2, "count"),
        (2, "zero"),
        (2, "n_states"),
        (2, "n_columns"),
        (2, "n_rules"),
        (2, "zero"),
        (1, "column of class 0"),
        (1, "padding"),
    ]
    names = ["dead", "start", *(f"state {k}" for k in range(2, automaton.n_states))]
    for name, row in zip(names, automaton.table, strict=True):
        entries = ", ".join(
            f"{'end' if k == 0 else k}: {describe_entry(*entry)}" for k, entry in enumerate(row)
        )
        fields.append((2 * len(row), f"{name}; {entries}"))
    return fields


def describe_entry(mark: int, to: int) -> str:
    """Return a table entry in words.

    Args:
        mark: the number of the rule that has matched, plus 1; 0 for none.
        to: the next state; 0 stops.
    """
    return (f"match of rule {mark - 1}, " if mark else "") + (f"go to {to}" if to else "stop")


def list_fields(sections: tuple[Section, ...]) -> Iterator[Field]:
    """Yield all fields of the file in order, padding included."""
    inner = {
        Kind.CLASSES: CLASSES,
        Kind.AUTOMATA: list_automata_fields(),
        Kind.ROUTES: ROUTES,
        Kind.STEPS: [(2, "n_steps")],
        Kind.MODEL: BPE,
        Kind.ADDED: [(4, "count")],
    }
    yield from HEADER
    for section in sections:
        yield 12, f"{section.kind.name}: kind, offset {section.offset}, length {section.length}"
    end = sections[0].offset
    for section in sections:
        if section.offset > end:
            yield section.offset - end, "padding"
        parts = inner.get(section.kind, [(section.length, "JSON")])
        left = section.length - sum(size for size, _ in parts)
        for size, note in [*parts, *([(left, "padding")] if left else [])]:
            yield size, f"{section.kind.name}: {note}"
        end = section.end
    if end % 4:
        yield -end % 4, "padding"


def dump_lines(blob: bytes) -> Iterator[str]:
    """Yield the lines of the dump of a file; of a field over four rows, three are shown.

    Raises:
        ValueError: the fields have another size than the file.
    """
    at = 0
    for size, note in list_fields(read_container(blob).sections):
        rows = range(at, at + size, ROW)
        for k, row in enumerate(rows):
            if len(rows) > 4 and 1 < k < len(rows) - 1:
                if k == 2:
                    yield "  ..."
                continue
            shown = blob[row : min(row + ROW, at + size)].hex(" ")
            yield f"{row:06x}  {shown:<47}  {note if k == 0 else ''}".rstrip()
        at += size
    if at != len(blob):
        raise ValueError(f"the fields have {at} bytes, the file {len(blob)}")


def make_section() -> str:
    """Return the section of FORMAT.md that shows a whole file."""
    blob = write_artifact(MODEL)
    lines = "\n".join(dump_lines(blob))
    return (
        f"{MINIMAL}The smallest tokenizer: every byte is a token, and every text is one pretoken. "
        f"Most of its {len(blob):,} bytes are the page table.\n\n```\n{lines}\n```\n"
    )


def rewrite_section(text: str) -> str:
    """Return a specification with this section, its last, written anew."""
    before, _, _ = text.partition(MINIMAL)
    return f"{before.rstrip()}\n\n{make_section()}"


def main() -> None:
    """Rewrite the section of FORMAT.md in place."""
    write_atomic(FORMAT, rewrite_section(FORMAT.read_text("utf-8")).encode("utf-8"))


if __name__ == "__main__":
    main()
