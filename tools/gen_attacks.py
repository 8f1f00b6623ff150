"""Files that a reader must refuse, each named after the status it must give.

    python tools/gen_attacks.py FOLDER

STATUS-what.wwho breaks one MUST of wasm/FORMAT.md, and no earlier one; its checksum is right unless
that is what it is about. Tests make them when they run.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "py"), str(ROOT / "tests" / "py")]

from tiny import (  # noqa: E402
    affixes_model,
    bpe_of,
    byte_tokens_model,
    kinds_model,
    odd_added_model,
    odd_bpe_model,
    small_model,
    stated_model,
)

from wwho.compile.parse import parse_regex  # noqa: E402
from wwho.compile.scanners import Scanner, compile_scanners  # noqa: E402
from wwho.format import leb, steps  # noqa: E402
from wwho.format.automaton import Automaton  # noqa: E402
from wwho.format.bpe import BPE, BYTES  # noqa: E402
from wwho.format.container import read_container  # noqa: E402
from wwho.format.decoder import (  # noqa: E402
    Blocks,
    Bytes,
    Decoder,
    Join,
    Replace,
    Some,
    Step,
    Strip,
)
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.greedy import Greedy  # noqa: E402
from wwho.format.layout import HEADER_BYTES, NONE, REQUIRED, Kind  # noqa: E402
from wwho.format.model import (  # noqa: E402
    AFFIXES,
    HEAD,
    LATER,
    PARTS,
    WHOLE,
    Added,
    Artifact,
    Flag,
    Head,
    Ids,
    Route,
    Unknown,
)
from wwho.format.normalizer import write_normalizer  # noqa: E402
from wwho.format.read import read_artifact  # noqa: E402
from wwho.format.routes import write_routes  # noqa: E402
from wwho.format.scanners import write_automata  # noqa: E402
from wwho.format.steps import Action, Cut, Ends, Map, Rules  # noqa: E402
from wwho.format.steps_section import write_steps  # noqa: E402
from wwho.format.template import Template  # noqa: E402
from wwho.format.write import assemble, write_artifact  # noqa: E402

Attack = tuple[str, bytes]
Sections = list[tuple[Kind, bytes]]

MODEL = small_model()
GOOD = write_artifact(MODEL)
STATED = write_artifact(stated_model())
ODD = write_artifact(odd_bpe_model())
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
CLASS_HEAD = 4 + 2 * 8704
HEAD_BYTES = struct.calcsize(HEAD)
BASE, UNITS = 0, 1


def sections_of(blob: bytes) -> Sections:
    """The sections of a file."""
    return [(s.kind, blob[s.offset : s.end]) for s in read_container(blob).sections]


def part(kind: Kind, model: int = 0, blob: bytes = GOOD) -> bytes:
    """A section of the good file; `model` is the number of one of several."""
    return [data for each, data in sections_of(blob) if each == kind][model]


def with_part(kind: Kind, data: bytes, model: int = 0, blob: bytes = GOOD) -> bytes:
    """The good file with another section."""
    sections = sections_of(blob)
    place = [k for k, (each, _) in enumerate(sections) if each == kind][model]
    sections[place] = (kind, data)
    return assemble(sections)


def resummed(blob: bytes) -> bytes:
    """The file with the checksum of what it holds."""
    crc = zlib.crc32(blob[HEADER_BYTES:], zlib.crc32(blob[:16]))
    return blob[:16] + struct.pack("<I", crc) + blob[HEADER_BYTES:]


def patched(blob: bytes, at: int, layout: str, *values: int) -> bytes:
    """The bytes with some values put in place."""
    out = bytearray(blob)
    struct.pack_into(layout, out, at, *values)
    return bytes(out)


def numbers(kind: Kind, blob: bytes, layout: str) -> Callable[..., bytes]:
    """Makes the file with another number at a byte of a section: `made(at, number)`."""
    data = part(kind, blob=blob)

    def made(at: int, number: int, layout: str = layout) -> bytes:
        return with_part(kind, patched(data, at, layout, number), blob=blob)

    return made


def head_of(model: int, blob: bytes = GOOD) -> Head:
    """The head of a model of a file."""
    return Head(*struct.unpack_from(HEAD, part(Kind.MODEL, model, blob)))


def with_head(model: int, blob: bytes = GOOD, **fields: int) -> bytes:
    """The file with other numbers in the head of a model."""
    data = part(Kind.MODEL, model, blob)
    head = struct.pack(HEAD, *head_of(model, blob)._replace(**fields))
    return with_part(Kind.MODEL, head + data[HEAD_BYTES:], model, blob)


def with_model(number: int, artifact: Artifact = MODEL, **fields: Any) -> bytes:
    """The good file with other fields in one of its models."""
    models = list(artifact.models)
    models[number] = replace(models[number], **fields)
    return write_artifact(replace(artifact, models=tuple(models)))


def odd(at: int, number: int, layout: str = "<I") -> bytes:
    """A model with every flag of BPE, and another number at a byte after its head."""
    return with_part(
        Kind.MODEL, patched(part(Kind.MODEL, 0, ODD), HEAD_BYTES + at, layout, number), 0, ODD
    )


def of_odd(end: int | None = None, more: bytes = b"", **fields: Any) -> bytes:
    """The same with other fields, its section cut at its end or longer."""
    blob = with_model(0, odd_bpe_model(), **fields)
    return with_part(Kind.MODEL, part(Kind.MODEL, 0, blob)[:end] + more, 0, blob)


def header() -> Iterator[Attack]:
    """FORMAT.md, Header: the header."""
    yield "MAGIC-json", b'{"version": "1.0", "model": {"type": "BPE"}}'
    yield "MAGIC-png", PNG
    yield "MAGIC-newline", GOOD.replace(b"\r\n", b"\n", 1)
    for version in (2, 4):
        yield f"VERSION-{version}", resummed(patched(GOOD, 8, "<H", version))
    yield "TRUNCATED-empty", b""
    yield "TRUNCATED-header", GOOD[:19]
    yield "TRUNCATED-last_word", GOOD[:-4]
    yield "TRUNCATED-table", resummed(patched(GOOD[:100], 12, "<I", 100))
    yield "TRAILING-word", GOOD + bytes(4)
    yield "TRUNCATED-odd", resummed(patched(GOOD + b"\0", 12, "<I", len(GOOD) + 1))
    yield "CHECKSUM-flipped_bit", GOOD[:-8] + bytes([GOOD[-8] ^ 1]) + GOOD[-7:]
    yield "SECTION_TABLE-none", resummed(patched(GOOD, 10, "<H", 0))
    yield "SECTION_TABLE-65", resummed(patched(GOOD, 10, "<H", 65))


def section_table() -> Iterator[Attack]:
    """FORMAT.md, Header: the section table."""
    sections = sections_of(GOOD)
    entry = HEADER_BYTES + 12
    last = HEADER_BYTES + 12 * (len(sections) - 1)
    offset, length = struct.unpack_from("<II", GOOD, entry + 4)
    yield "SECTION_ORDER-twice", resummed(patched(GOOD, entry, "<I", 1))
    yield "SECTION_ORDER-zero", resummed(patched(GOOD, HEADER_BYTES, "<I", 0))
    model = [(kind, data) for kind, data in sections if kind is Kind.MODEL]
    at = sections.index(model[0])
    yield "SECTION_ORDER-5_models", assemble([*sections[:at], *model[:1] * 5, *sections[at + 2 :]])
    yield "SECTION_KIND-11", resummed(patched(GOOD, last, "<I", 11))
    yield "SECTION_BOUNDS-hole", resummed(patched(GOOD, entry + 4, "<I", offset + 4))
    yield "SECTION_BOUNDS-overlap", resummed(patched(GOOD, entry + 4, "<I", offset - 4))
    yield "SECTION_BOUNDS-beyond", resummed(patched(GOOD, entry + 8, "<I", 2**32 - 4))
    yield "SECTION_BOUNDS-short", resummed(patched(GOOD, entry + 8, "<I", length - 8))
    size = struct.unpack_from("<I", GOOD, last + 8)[0]
    yield "SECTION_BOUNDS-tail", resummed(patched(GOOD, last + 8, "<I", size - 4))
    yield "PADDING-not_zero", resummed(padded_with_one())
    for kind in REQUIRED:
        rest = [(each, data) for each, data in sections if each is not kind]
        yield f"SECTION_MISSING-{kind.name.lower()}", assemble(rest)


def padded_with_one() -> bytes:
    """The good file with a one in the padding after some section."""
    for section in read_container(GOOD).sections:
        if section.end % 4:
            return patched(GOOD, section.end, "B", 1)
    raise AssertionError("no section has padding")


def classes() -> Iterator[Attack]:
    """FORMAT.md, CLASSES."""
    data, kind = part(Kind.CLASSES), Kind.CLASSES
    yield "CLASSES-short", with_part(kind, data[:100])
    yield "CLASSES-cut", with_part(kind, data[:-4])
    yield "CLASSES-long", with_part(kind, data + bytes(4))
    yield "CLASSES-none", with_part(kind, patched(data, 0, "<H", 0))
    yield "CLASSES-4097", with_part(kind, patched(data + data[CLASS_HEAD:], 0, "<H", 4097))
    yield "CLASSES-page_beyond", with_part(kind, patched(data, CLASS_HEAD - 2, "<H", 999))
    yield "CLASSES-page_order", with_part(kind, patched(data, 4, "<H", 1))
    yield "CLASSES-unused_page", with_part(kind, unused_page(data))
    yield "CLASSES-same_page", with_part(kind, same_page(data))
    yield "CLASSES-class_beyond", with_part(kind, patched(data, len(data) - 1, "B", 200))


def unused_page(data: bytes) -> bytes:
    """CLASSES with one page more, which no code point uses."""
    (n_pages,) = struct.unpack_from("<H", data, 2)
    return patched(data, 2, "<H", n_pages + 1) + b"\1" * 128


def same_page(data: bytes) -> bytes:
    """CLASSES with a copy of the last page, which the last code points use."""
    (n_pages,) = struct.unpack_from("<H", data, 2)
    data = patched(data, 2, "<H", n_pages + 1)
    return patched(data, CLASS_HEAD - 2, "<H", n_pages) + data[-128:]


def automata() -> Iterator[Attack]:
    """FORMAT.md, AUTOMATA."""
    kind, data = Kind.AUTOMATA, part(Kind.AUTOMATA)
    n_classes = MODEL.scanners.classes.n_classes
    first = MODEL.scanners.automata[0]
    columns, states, rules = first.n_columns, first.n_states, first.n_rules
    table = 12 + n_classes + n_classes % 2
    number = numbers(kind, GOOD, "<H")

    def entry(state: int, column: int, mark: int, to: int) -> bytes:
        return number(table + 2 * (state * columns + column), mark * states + to)

    yield "AUTOMATON_SHAPE-empty", with_part(kind, b"")
    yield "AUTOMATON_SHAPE-none", number(0, 0)
    yield "AUTOMATON_SHAPE-one_more", number(0, 4)
    yield "AUTOMATON_SHAPE-one_less", number(0, 2)
    yield "AUTOMATON_SHAPE-1024", number(0, 1024)
    yield "AUTOMATON_SHAPE-count_not_zero", number(2, 1)
    yield "AUTOMATON_SHAPE-one_state", number(4, 1)
    yield "AUTOMATON_SHAPE-4096_states", number(4, 4096)
    yield "AUTOMATON_SHAPE-one_column", number(6, 1)
    yield "AUTOMATON_SHAPE-more_columns_than_classes", number(6, n_classes + 2)
    yield "AUTOMATON_SHAPE-no_rule", number(8, 0)
    yield "AUTOMATON_SHAPE-1024_rules", number(8, 1024)
    yield "AUTOMATON_SHAPE-flag_2", number(10, 2)
    yield "AUTOMATON_SHAPE-column_0", with_part(kind, patched(data, 12, "B", 0))
    yield "AUTOMATON_SHAPE-column_beyond", with_part(kind, patched(data, 12, "B", columns))
    yield "AUTOMATON_SHAPE-padding", with_part(kind, patched(data, 12 + n_classes, "B", 1))
    yield "AUTOMATON_SHAPE-cells", too_many_cells()
    yield "AUTOMATON_TABLE-mark_beyond", entry(2, 0, rules + 1, 0)
    yield "AUTOMATON_TABLE-from_the_dead", entry(0, 1, 1, 0)
    yield "AUTOMATON_TABLE-behind_the_end", entry(2, 0, 1, 1)
    yield "AUTOMATON_TOTAL-empty_match", entry(1, 1, 1, 2)
    yield "AUTOMATON_TOTAL-stuck_at_once", entry(1, 1, 0, 0)
    yield "AUTOMATON_TOTAL-stuck_later", entry(2, 0, 0, 0)
    yield "AUTOMATON_TOTAL-back_to_start", entry(1, 1, 0, 1)
    yield "AUTOMATON_TOTAL-behind_stuck", number(10, 1)
    marked = looking_behind(first)
    rows = [list(row) for row in marked.table]
    rows[2][1] = (1, 1)
    others = (replace(marked, table=tuple(map(tuple, rows))), *MODEL.scanners.automata[1:])
    yield "AUTOMATON_TOTAL-behind_marked", with_part(kind, write_automata(others))


def too_many_cells() -> bytes:
    """The good file with 2,000 classes, and 4,095 states that they are too many for."""
    pages = [
        bytes(2 * 128),
        *(struct.pack("<128H", *range(k, k + 128)) for k in range(0, 2000, 125)),
    ]
    numbers = [*range(len(pages)), *[0] * (8704 - len(pages))]
    data = struct.pack("<HH8704H", 2000 + 128, len(pages), *numbers) + b"".join(pages)
    blob = with_part(Kind.CLASSES, data)
    n_classes = 2000 + 128
    head = struct.pack("<HH4H", 1, 0, 4095, 2, 1, 0) + b"\1" * n_classes
    return with_part(Kind.AUTOMATA, head + bytes(4 * 4095), blob=blob)


def looking_behind(automaton: Automaton) -> Automaton:
    """The same with a state 2 that leads to state 1, whatever stands before a text."""
    moved = [[(mark, to + (to > 1)) for mark, to in row] for row in automaton.table]
    moved.insert(2, [(0, 0), *[(0, 1)] * (automaton.n_columns - 1)])
    rows = tuple(map(tuple, moved))
    return replace(automaton, behind=True, table=rows, n_states=automaton.n_states + 1)


N_RULES = MODEL.scanners.automata[0].n_rules
KEPT = steps.Replace(0, ("x",) * N_RULES)
ENDS = Ends(strip=" x", left=True, prefix="ab", unless=True)
RULES = Rules({"a": "b", "bc": ""})
CUT = Cut(0, (Action.KEEP,) * N_RULES)
COUNTING = Cut(0, (Action.COUNT,) * N_RULES, (3,) * N_RULES, short_joins=True)
BLOCKS = steps.Blocks((((0x61, 0x63),), ((0x41, 0x42), (0x78, 0x78))), 4)
OTHER_BLOCKS = replace(BLOCKS, n_indices=5)
MAP = Map({0x41: (0x61, 0x62)}, {0x301: 230}, {(0x65, 0x301): 0xE9})
SMALL_MAP = Map({0x61: (0x62,)})
WRONG_STEPS: dict[str, tuple[Any, ...]] = {
    "kind_0": (SMALL_MAP, 0, "<B", 0),
    "kind_8": (SMALL_MAP, 0, "<B", 8),
    "size_beyond": (MAP, 20, "<I", 999),
    "size_less": (MAP, 20, "<I", 1),
    "flag_4": (MAP, 1, "<B", 4),
    "mapped_to_itself": (Map({0x41: (0x41,)}),),
    "33_targets": (Map({0x41: (0x61,) * 33}),),
    "beyond_unicode": (Map({0x41: (0x110000,)}),),
    "surrogate": (Map({0x41: (0xD800,)}),),
    "class_255": (Map({}, {0x301: 255}),),
    "class_0": (Map({}, {0x301: 0}),),
    "spell_number": (steps.Spell(), 2, "<H", 1),
    "replace_flag": (KEPT, 1, "<B", 2),
    "replace_no_automaton": (KEPT, 2, "<H", 0xFFFF),
    "replace_more": (KEPT, 8, "<I", 1),
    "replace_targets": (KEPT, 16, "<I", N_RULES + 1),
    "replace_rules": (steps.Replace(0, ("x",) * (N_RULES + 1)),),
    "replace_long": (steps.Replace(0, ("x" * 33,) * N_RULES),),
    "replace_surrogate": (steps.Replace(0, ("\ud800",) * N_RULES),),
    "replace_no_match": (replace(KEPT, empty=True),),
    "ends_nothing": (Ends(),),
    "ends_no_side": (replace(ENDS, left=False),),
    "ends_no_characters": (replace(ENDS, strip=""),),
    "ends_no_prefix": (replace(ENDS, prefix=""),),
    "ends_flag": (ENDS, 1, "<B", 16),
    "ends_number": (ENDS, 2, "<H", 1),
    "ends_targets": (ENDS, 16, "<I", 3),
    "ends_surrogate": (replace(ENDS, prefix="\udfff"),),
    "ends_long_prefix": (replace(ENDS, prefix="x" * 33),),
    "ends_long_suffix": (replace(ENDS, suffix="x" * 33),),
    "ends_many_stripped": (replace(ENDS, strip="".join(map(chr, range(65)))),),
    "rules_none": (Rules({}),),
    "rules_flag": (RULES, 1, "<B", 1),
    "rules_automaton": (RULES, 2, "<H", 0xFFFE),
    "rules_bytes": (RULES, 8, "<I", 4),
    "rules_others": (RULES, 12, "<I", 1),
    "rules_targets": (RULES, 16, "<I", 2),
    "rules_size": (RULES, 20, "<I", 1),
    "rules_long": (Rules({"a": "x" * 33}),),
    "cut_no_automaton": (CUT, 2, "<H", 0xFFFF),
    "cut_rules": (Cut(0, (Action.KEEP,) * (N_RULES + 1)),),
    "cut_size": (CUT, 4, "<I", N_RULES - 1),
    "cut_action_7": (CUT, 24, "<B", 7),
    "cut_count_0": (CUT, 24, "<B", Action.COUNT),
    "cut_flag": (COUNTING, 1, "<B", 8),
    "cut_flag_without_count": (CUT, 1, "<B", 1),
    "cut_more": (CUT, 8, "<I", 1),
    "cut_targets": (CUT, 16, "<I", 1),
    "blocks_flag": (BLOCKS, 1, "<B", 2),
    "blocks_one_more_page": (BLOCKS, 2, "<H", 2),
    "blocks_one_less_page": (BLOCKS, 2, "<H", 0),
    "blocks_others": (BLOCKS, 12, "<I", 1),
    "blocks_targets": (BLOCKS, 16, "<I", 1),
    "blocks_one_more_run": (BLOCKS, 4, "<I", 4),
    "blocks_one_less_run": (BLOCKS, 4, "<I", 2),
    "blocks_no_index": (BLOCKS, 8, "<I", 2 << 16),
    "blocks_no_block": (steps.Blocks((), 1),),
    "blocks_few_blocks": (BLOCKS, 8, "<I", 4 + (1 << 16)),
    "blocks_last_block_empty": (BLOCKS, 8, "<I", 4 + (3 << 16)),
    "blocks_many_symbols": (replace(BLOCKS, n_indices=2639),),
    "blocks_many_bytes": (replace(BLOCKS, n_indices=2383, spell=True),),
    "blocks_twice": (steps.Blocks((((0x61, 0x63), (0x62, 0x62)),), 4),),
    "blocks_surrogate": (steps.Blocks((((0xD7FF, 0xD800),),), 4),),
    "blocks_beyond_unicode": (steps.Blocks((((0x110000,) * 2,),), 4),),
}
"""Wrong steps, and right ones with a wrong number in the head: where, how wide, and what."""

WRONG_IN_ROUTE: dict[str, tuple[steps.Step, ...]] = {
    "replace": (KEPT,),
    "rules": (RULES,),
    "map_order": (Map({0x61: (0x62,)}, {0x301: 230}),),
    "map_pairs": (Map(pairs={(0x65, 0x301): 0xE9}),),
    "map_hangul": (Map({0x61: (0x62,)}, decomposes_hangul=True),),
    "map_vanishes": (Map({0x61: ()}),),
    "ends_strip": (ENDS,),
    "ends_suffix": (Ends(suffix="x"),),
    "blocks_not_last": (BLOCKS, CUT),
}
"""Right steps that no route may have, or not in this place."""


def with_step(step: steps.Step) -> bytes:
    """Return the good file with one more step, the last one of the section STEPS."""
    if isinstance(step, Cut | steps.Blocks):
        return with_route(0, *MODEL.routes[0].steps, step)
    return write_artifact(replace(MODEL, normalizer=(step,)))


def steps_section() -> Iterator[Attack]:
    """FORMAT.md, STEPS."""
    kind, data = Kind.STEPS, part(Kind.STEPS)
    yield "STEPS-empty", with_part(kind, b"")
    yield "STEPS-cut", with_part(kind, data[:-1])
    yield "STEPS-long", with_part(kind, data + bytes(2))
    yield "STEPS-256", with_part(kind, struct.pack("<H", 256) + data[2:] * 256)
    twice = with_part(kind, struct.pack("<H", 2) + data[2:] * 2)
    both = struct.pack("<HHBBH2HB", 0, 2, 0, 2, 0xFFFF, 0, 1, 5) + b"other"
    routes = both + struct.pack("<BBHB", 1, 0, 2, 7) + b"letters"
    yield "STEPS-twice", with_part(Kind.ROUTES, routes, blob=twice)
    ends = (Route("one", 0, (BLOCKS,)), Route("two", 0, (OTHER_BLOCKS,)))
    yield "STEPS-two_blocks", write_artifact(replace(MODEL, routes=ends))
    yield "STEPS-unnamed", with_part(kind, write_steps([*MODEL.steps, SMALL_MAP]))
    mapping = replace(MODEL, normalizer=(SMALL_MAP,))
    order = [SMALL_MAP, *MODEL.steps]
    swapped = with_part(kind, write_steps(order), blob=write_artifact(mapping))
    swapped = with_part(Kind.ROUTES, write_routes(0, MODEL.routes, order), blob=swapped)
    swapped = with_part(Kind.NORMALIZER, write_normalizer([0], []), blob=swapped)
    yield "STEPS-order", swapped
    for what, (step, *change) in WRONG_STEPS.items():
        blob = with_step(step)
        record = len(part(kind, blob=blob)) - len(write_steps([step])) + 2
        if change:
            at, layout, number = change
            wrong = patched(part(kind, blob=blob), record + at, layout, number)
            blob = with_part(kind, wrong, blob=blob)
        yield f"STEPS-{what}", blob
    yield from counts_of_map()
    # U+00E9 is mapped and composed: what the pair composes to is one byte from that.
    wrong = write_steps([Map({0xE9: (0x61,)}, {}, {(0x65, 0x301): 0x1E9})])
    wrong = wrong[:-2] + leb.pack([2 * (0xE9 - 0x65)])
    wrong = patched(
        patched(wrong, 22, "<I", len(wrong) - 26), 4, "<H", len({0xE9 >> 7, 0x301 >> 7})
    )
    good = with_step(SMALL_MAP)
    both_steps = struct.pack("<H", 2) + data[2:] + wrong[2:]
    yield "STEPS-mapped_and_composed", with_part(kind, both_steps, blob=good)


def counts_of_map() -> Iterator[Attack]:
    """FORMAT.md, STEPS: the numbers in the head of a MAP."""
    blob = with_step(MAP)
    data = part(Kind.STEPS, blob=blob)
    record = len(data) - len(write_steps([MAP])) + 2
    number = numbers(Kind.STEPS, blob, "<I")
    for name, at in (("pages", 2), ("mapped", 4), ("ordered", 8), ("pairs", 12), ("targets", 16)):
        layout, place = "<H" if name == "pages" else "<I", record + at
        yield f"STEPS-one_more_{name}", number(place, data[place] + 1, layout)
        yield f"STEPS-one_less_{name}", number(place, data[place] - 1, layout)


def routes() -> Iterator[Attack]:
    """FORMAT.md, ROUTES."""
    kind, data = Kind.ROUTES, part(Kind.ROUTES)
    other = struct.pack("<BBHHB", 0, 1, 0xFFFF, 0, 5) + b"other"
    letters = struct.pack("<BBHB", 1, 0, 2, 7) + b"letters"

    def made(router: int, *rows: bytes) -> bytes:
        return with_part(kind, struct.pack("<HH", router, len(rows)) + b"".join(rows))

    assert made(0, other, letters) == GOOD
    for name, place in (("router", 0), ("units", 2)):
        made_of = list(MODEL.scanners.automata)
        made_of[place] = looking_behind(made_of[place])
        yield f"ROUTES-{name}_looks_behind", with_part(Kind.AUTOMATA, write_automata(made_of))
    yield "ROUTES-short", with_part(kind, data[:3])
    yield "ROUTES-cut", with_part(kind, data[:-1])
    yield "ROUTES-long", with_part(kind, data + b"\0")
    yield "ROUTES-none", made(0)
    yield "ROUTES-1024", made(0, *[other] * 1024)
    yield "ROUTES-router_beyond", made(3, other, letters)
    yield "ROUTES-no_router", made(0xFFFF, other, letters)
    yield "ROUTES-router_knows_more", made(0, other)
    yield "ROUTES-router_knows_fewer", made(0, other, letters, other)
    yield "ROUTES-model_2", made(0, other, patched(letters, 0, "B", 2))
    yield (
        "ROUTES-17_steps",
        made(0, struct.pack("<BBH17HB", 0, 17, 0xFFFF, *[0] * 17, 1) + b"o", letters),
    )
    yield "ROUTES-step_beyond", made(0, patched(other, 4, "<H", 1), letters)
    yield "ROUTES-units_of_bytes", made(0, struct.pack("<BBHB", 0, 0, 2, 5) + b"other", letters)
    yield "ROUTES-no_units", made(0, other, patched(letters, 2, "<H", 0xFFFF))
    yield "ROUTES-units_beyond", made(0, other, patched(letters, 2, "<H", 3))
    cutting = (MODEL.routes[0], replace(MODEL.routes[1], steps=MODEL.routes[0].steps))
    joining = replace(MODEL, routes=cutting)
    yield "ROUTES-superwords_and_steps", with_model(UNITS, joining, n_superwords=1)
    for what, steps_of_route in WRONG_IN_ROUTE.items():
        yield f"ROUTES-{what}", with_route(0, *MODEL.routes[0].steps, *steps_of_route)
    yield "ROUTES-blocks_of_units", with_route(1, BLOCKS)
    yield from single_characters()
    yield "ROUTES-units_of_4_rules", write_artifact(many_rules())
    yield "ROUTES-unnamed", made(0, other[:6] + b"\0", letters)
    yield "ROUTES-name_not_utf8", made(0, other.replace(b"other", b"oth\xffr"), letters)
    yield "ROUTES-one_text_two_ways", write_artifact(rivals())


def with_route(number: int, *steps_of_route: steps.Step) -> bytes:
    """Return the good file in which a route has other steps."""
    routes = list(MODEL.routes)
    routes[number] = replace(routes[number], steps=steps_of_route)
    return write_artifact(replace(MODEL, routes=tuple(routes)))


def single_characters() -> Iterator[Attack]:
    """FORMAT.md, ROUTES: models that know single characters only, and units that are longer."""
    artifact = affixes_model()
    nothing = replace(bpe_of(artifact.models[0]), prefix="", suffix="", whole=False)
    for what, model, rules in (
        ("affixes_of_syllables", artifact.models[0], (r"[\s\S]+",)),
        ("affixes_2_rules", artifact.models[0], ("a", "[^a]")),
        ("none_of_syllables", replace(nothing, **NO_UNKNOWN), (r"[\s\S]+",)),
    ):
        words = Scanner("words", (parse_regex(r"\s+"), parse_regex(r"\S+")), longest=False)
        units = Scanner("units", tuple(map(parse_regex, rules)), longest=False)
        scanners = compile_scanners([words, units])
        wrong = replace(artifact, scanners=scanners, models=(model,))
        yield f"ROUTES-{what}", write_artifact(wrong)


NO_UNKNOWN: dict[str, Any] = {"unknown": Unknown.NONE, "unk_id": None}


def many_rules() -> Artifact:
    """A model whose units come of four rules."""
    automata = MODEL.scanners.automata
    scanners = replace(MODEL.scanners, automata=(*automata[:2], replace(automata[2], n_rules=4)))
    return replace(MODEL, scanners=scanners)


def rivals() -> Artifact:
    """A model in which a run of `k` is of one route before an `x` and of another elsewhere."""
    rules = ("[^k]+", "k+(?!x)", "k")
    router = Scanner("router", tuple(map(parse_regex, rules)), longest=False)
    other = Scanner("other", (parse_regex("[^k]|k"),), longest=False)
    units = [
        Scanner(name, (parse_regex(pattern), parse_regex("[^k]")), longest=False)
        for name, pattern in (("one", "k"), ("all", "k+"))
    ]
    routes = (MODEL.routes[0], Route("one", 1, units=2), Route("all", 1, units=3))
    return replace(MODEL, scanners=compile_scanners([router, other, *units]), routes=routes)


def heads() -> Iterator[Attack]:
    """FORMAT.md, MODEL: the head of a model."""
    data = part(Kind.MODEL)
    yield "MODEL-empty", with_part(Kind.MODEL, b"")
    yield "MODEL-cut", with_part(Kind.MODEL, data[: HEAD_BYTES - 1])
    yield "MODEL-kind_0", with_head(BASE, kind=0)
    yield "MODEL-kind_4", with_head(BASE, kind=4)
    yield "MODEL-symbols_2", with_head(UNITS, units=2)
    yield "MODEL-unknown_4", with_head(UNITS, unknown=4)
    yield "MODEL-ids_3", with_head(UNITS, ids=3)
    yield "MODEL-flags_2", with_head(UNITS, flags=2)
    yield "MODEL-affixes_of_bytes", with_head(BASE, flags=AFFIXES)
    yield "MODEL-affixes_spelled", with_head(UNITS, flags=AFFIXES)
    yield "MODEL-not_zero", with_head(UNITS, zero=1)
    yield "MODEL-fused_spelling", with_head(UNITS, flags=1)
    yield "MODEL-parts_of_bytes", with_head(BASE, flags=PARTS)
    yield "MODEL-parts_not_spelled", with_head(UNITS, unknown=3, flags=PARTS)
    yield "MODEL-bytes_unknown", with_head(BASE, unknown=3, unk_id=261)
    yield "MODEL-bytes_with_unk", with_head(BASE, unk_id=261)
    yield "MODEL-255_bytes", with_head(BASE, n_symbols=255)
    yield "MODEL-spelled_by_itself", with_head(UNITS, speller=1)
    yield "MODEL-spelled_by_later", with_head(UNITS, speller=2)
    yield "MODEL-nothing_to_spell", with_head(BASE, speller=1)
    yield "MODEL-unk_id_none", with_head(UNITS, STATED, unk_id=NONE)
    yield "MODEL-unk_id_no_token", with_head(UNITS, unk_id=260)
    yield "MODEL-unk_id_of_another", with_head(UNITS, unk_id=97)
    yield "MODEL-tokens_beyond", with_head(UNITS, n_merges=len(data) + 9999)
    yield "MODEL-tokens_wrap", with_head(UNITS, n_symbols=2**32 - 1, n_merges=5)
    yield "MODEL-text_bytes", with_head(UNITS, text_bytes=2**32 - 1)
    yield "MODEL-ids_huge", with_head(UNITS, first_id=2**21)
    yield "MODEL-ids_wrap", with_head(UNITS, first_id=2**32 - 1)
    yield "MODEL-n_ids_less", with_head(UNITS, n_ids=4)
    yield "MODEL-n_ids_more", with_head(BASE, n_ids=259)
    yield "MODEL-bytes_counted", with_head(0, write_artifact(byte_tokens_model()), ids=Ids.COUNT)
    yield "MODEL-fused_without_unk", with_head(0, write_artifact(byte_tokens_model()), unk_id=NONE)
    yield "MODEL-steps_over_none", with_head(BASE, ids=Ids.STEP)
    yield "MODEL-steps_with_space", stepping_with_space()
    yield "MODEL-space_id", with_model(UNITS, space_id=263)
    yield "MODEL-space_of_bytes", with_model(BASE, space_id=258)
    yield "IDS-space_before", with_model(UNITS, stated_model(), space_id=260)
    yield "MODEL-superwords_of_bytes", with_model(BASE, n_superwords=1)
    yield "MODEL-stated_superwords", with_model(UNITS, stated_model(), n_superwords=1)
    yield "MODEL-no_id", with_head(UNITS, STATED, n_ids=0)
    yield "MODEL-superwords", with_model(UNITS, n_superwords=3)
    yield (
        "MODEL-n_ties_cut",
        with_part(Kind.MODEL, part(Kind.MODEL, 0, ODD)[: HEAD_BYTES + 15], 0, ODD),
    )
    yield "MODEL-unmade_none", odd(8, 0)
    yield "MODEL-unmade_beyond", odd(8, 7)
    yield "MODEL-ties_none", odd(12, 0)
    yield "MODEL-ties_beyond", odd(12, 4)
    yield "MODEL-ties_of_bytes", with_model(BASE, ties=(1,))
    yield "MODEL-nothing_unmade", with_head(UNITS, flags=WHOLE)
    yield "MODEL-superwords_unmade", with_model(UNITS, n_superwords=1, unmade=(b"x",))
    yield "MODEL-superwords_ties", with_model(UNITS, n_superwords=1, ties=(1,))
    yield "MODEL-superwords_later", with_model(UNITS, n_superwords=1, merges=((3, 1), (1, 1)))


def affixes() -> Iterator[Attack]:
    """FORMAT.md, BPE: Affixes."""
    artifact = affixes_model()
    good = write_artifact(artifact)
    read_artifact(good)
    data = part(Kind.MODEL, blob=good)
    at = HEAD_BYTES + 12
    assert data[at : at + 10] == struct.pack("<BBH", 2, 4, 0) + b"##</w>"[:6]

    def changed(place: int, value: int) -> bytes:
        return with_part(Kind.MODEL, patched(data, at + place, "B", value), blob=good)

    nothing = struct.pack("<BBH", 0, 0, 0)
    yield (
        "MODEL-affixes_none",
        with_part(Kind.MODEL, data[:at] + nothing + data[at + 10 :], blob=good),
    )
    yield "MODEL-affixes_cut", with_part(Kind.MODEL, data[: at + 9], blob=good)
    yield "MODEL-affixes_zero", changed(2, 1)
    yield "MODEL-affixes_not_utf8", changed(4, 0xFE)
    yield "MODEL-affixes_33_bytes", with_model(0, artifact, suffix="x" * 33)
    plain = {**NO_UNKNOWN, "unmade": (), "whole": False}
    n_tokens = len(artifact.models[0].texts) - 1
    yield "MODEL-affixes_with_space", with_model(0, artifact, **plain, space_id=n_tokens)
    uncut = replace(artifact, routes=(replace(artifact.routes[0], steps=()),))
    yield "MODEL-affixes_superwords", with_model(0, uncut, **plain, n_superwords=1)
    doubling = tuple((number, number) for number in range(6))
    symbols = (b"x" * 32 + b"a",)
    yield (
        "TOKEN_LENGTH-affixes",
        with_model(0, artifact, **plain, prefix="x" * 32, symbols=symbols, merges=doubling),
    )
    alike = {"prefix": "#", "symbols": (b"#b", b"a", b"a#", b"b"), "merges": ((1, 0), (2, 3))}
    yield "TOKEN_DUPLICATE-affixes", with_model(0, artifact, **plain, **alike)


def stepping_with_space() -> bytes:
    """A model of units whose ids step over an added token, and go on with a lone space."""
    units = replace(MODEL.models[UNITS], id_policy=Ids.STEP)
    added = (*MODEL.added, Added("<|b|>", 264))
    return write_artifact(replace(MODEL, models=(MODEL.models[BASE], units), added=added))


def tokens() -> Iterator[Attack]:
    """FORMAT.md, MODEL: symbols and merges."""
    base, units = part(Kind.MODEL, BASE), part(Kind.MODEL, UNITS)
    of_bytes = partial(with_part, Kind.MODEL, model=BASE)
    of_units = partial(with_part, Kind.MODEL, model=UNITS)
    start = HEAD_BYTES + 8
    bytes_of, texts, merges = base[: start + 512], units[start : start + 6], units[start + 6 :]
    assert texts == b"\0j\xff\0k\xff"
    lefts, n = leb.pack([97, 256]), 258

    def spelled(texts: bytes) -> bytes:
        return of_units(units[:start] + texts + merges)

    yield "TOKEN_DUPLICATE-byte", of_bytes(base[:start] + b"\1" + base[start + 1 :])
    symbols, ids = (b"\1", b"\0", *BYTES[2:]), (1, 0, *range(2, 258))
    stated = with_model(BASE, symbols=symbols, id_policy=Ids.STATED, stated=ids)
    yield "SYMBOLS-stated", stated
    yield "SYMBOLS-short", of_bytes(base[: start + 230])
    yield "SYMBOLS-two_bytes", of_bytes(base[:start] + b"\0\1\xff" + base[start + 4 :] + b"\0")
    yield "SYMBOLS-cut", of_units(units[: start + 5])
    yield "SYMBOLS-lone_space", spelled(b"\0 \xff\0k\xff")
    yield "SYMBOLS-descending", spelled(b"\0k\xff\0j\xff")
    yield "SYMBOLS-again", spelled(b"\0k\xff\0k\xff")
    yield "SYMBOLS-shares_too_much", spelled(b"\0j\xff\2k\xff")
    yield "SYMBOLS-shares_with_none", spelled(b"\1j\xff\0k\xff")
    yield "SYMBOLS-shares_too_little", spelled(b"\0j\xff\0jk\xff")
    yield "SYMBOLS-not_shortest", spelled(b"\0j\xff\x80\0k\xff")
    yield "SYMBOLS-1025_bytes", spelled(b"\0j\xff\0" + b"k" * 1025 + b"\xff")
    yield "PAIRS-cut", of_bytes(base[:-1])
    yield "PAIRS-long", of_bytes(base + b"\0")
    yield "PAIRS-not_shortest", of_bytes(bytes_of + lefts + b"\xe2\x00\0")
    yield "PAIRS-five_bytes", of_bytes(bytes_of + lefts + b"\xe2\x80\x80\x80\x01\0")
    yield "PAIRS-units_cut", of_units(units[:-1])
    yield "PAIR_ORDER-itself", of_bytes(bytes_of + leb.pack([256, 256, 98, 99]))
    yield "PAIR_ORDER-later", of_bytes(bytes_of + leb.pack([257, 97, 98, 99]))
    yield "PAIR_ORDER-right_beyond", of_bytes(bytes_of + lefts + leb.pack([n, 0]))
    yield "PAIR_ORDER-units", of_units(units[: start + 6] + leb.pack([*leb.zigzag([1, 3]), 1, 2]))
    yield "PAIR_ORDER-negative", of_units(units[: start + 6] + leb.pack([1, 4, 1, 2]))
    yield "PAIR_DUPLICATE-bytes", with_model(BASE, merges=((97, 98), (97, 98)))
    yield "PAIR_DUPLICATE-units", with_model(UNITS, merges=((1, 1), (1, 1)))
    yield "PAIR_ORDER-not_later", with_head(UNITS, flags=LATER)
    yield "PAIR_ORDER-beyond", odd(29, 7, "B")
    yield "PAIRS-ties_cut", of_odd(end=-1, unmade=(), whole=False)
    yield "PAIRS-tie_zero", of_odd(ties=(0,))
    yield "PAIRS-tie_beyond", of_odd(ties=(4,))
    yield "TOKEN_LENGTH-circle_left", of_odd(merges=((4, 0), (4, 1), (0, 0), (2, 0)))
    yield "TOKEN_LENGTH-circle_right", of_odd(merges=((4, 0), (1, 4), (0, 0), (2, 0)))
    yield "SYMBOLS-unmade_cut", of_odd(end=-1)
    yield "SYMBOLS-unmade_descending", of_odd(unmade=(b"zz", b"yy"))
    yield "SYMBOLS-unmade_long", of_odd(more=b"\0")
    yield "SYMBOLS-unmade_space", with_model(UNITS, unmade=(b" ",), space_id=267)
    yield "TOKEN_DUPLICATE-unmade", of_odd(unmade=(b"bb",))
    yield "TOKEN_LENGTH-2048", longest()
    yield "TOKEN_LENGTH-fewer", with_head(BASE, text_bytes=256 + 4)
    yield "TOKEN_LENGTH-more", with_head(BASE, text_bytes=256 + 6)
    yield "TOKEN_LENGTH-units", with_head(UNITS, text_bytes=7)
    yield "TOKEN_DUPLICATE-bytes", grown(((97, 98), (98, 99), (256, 99), (97, 257)))
    twice = ((0, 0), (1, 1))
    yield "TOKEN_DUPLICATE-unit", with_model(UNITS, symbols=(b"k", b"kk"), merges=twice)


def longest() -> bytes:
    """A model of which a token has 2048 bytes."""
    return grown(((97, 97), *((255 + k, 255 + k) for k in range(1, 11))))


def grown(merges: Sequence[tuple[int, int]]) -> bytes:
    """The good model over a base of other pairs."""
    by = len(merges) - 2
    units = MODEL.models[UNITS]
    assert isinstance(units, BPE)
    assert units.space_id is not None
    assert units.unk_id is not None
    first, space, unk = (each + by for each in (units.first_id, units.space_id, units.unk_id))
    units = replace(units, first_id=first, space_id=space, unk_id=unk)
    added = tuple(replace(token, id=token.id + by) for token in MODEL.added)
    return write_artifact(replace(MODEL, models=(BPE(merges=merges), units), added=added))


def ids() -> Iterator[Attack]:
    """FORMAT.md, MODEL: ids."""
    stated = partial(with_part, Kind.MODEL, model=UNITS, blob=STATED)
    data = part(Kind.MODEL, UNITS, STATED)
    good = leb.pack(leb.zigzag([4, 1, 0, 3]))
    assert data.endswith(good)
    rest = data[: -len(good)]
    yield "IDS-none", stated(rest)
    yield "IDS-cut", stated(data[:-1])
    yield "IDS-long", stated(data + b"\0")
    yield "IDS-not_shortest", stated(data[:-1] + bytes([data[-1] | 128, 0]))
    for what, numbers in {
        "twice": (4, 4, 0, 3),
        "of_space": (4, 2, 0, 3),
        "beyond": (4, 1, 0, 5),
        "negative": (4, 1, 0, -1),
        "one_less": (3, 1, 0, 0),
        "huge": (4, 1, 0, 2**26),
    }.items():
        yield f"IDS-{what}", stated(rest + leb.pack(leb.zigzag(numbers)))
    yield "IDS-n_ids_less", with_head(UNITS, STATED, n_ids=3)
    yield "IDS-n_ids_more", with_head(UNITS, STATED, n_ids=6)
    yield "MODEL-ids_meet", with_head(UNITS, first_id=257)
    spelling = write_artifact(byte_tokens_model())
    data = part(Kind.MODEL, blob=spelling)
    of_bytes = partial(with_part, Kind.MODEL, blob=spelling)
    yield "IDS-bytes_cut", of_bytes(data[:-1])
    yield "IDS-bytes_long", of_bytes(data + b"\0")
    model = bpe_of(byte_tokens_model().models[0])
    for what, byte_ids in {
        "byte_before_first": (0, *model.byte_ids[1:]),
        "byte_twice": (model.byte_ids[1], *model.byte_ids[1:]),
    }.items():
        yield f"IDS-{what}", with_model(0, byte_tokens_model(), byte_ids=byte_ids)
    spaced = {"symbols": (b"!", *model.symbols[1:]), "space_id": 9}
    yield "IDS-byte_of_space", with_model(0, byte_tokens_model(), **spaced)
    lossless = {"unk_id": None, "fuse": False}
    ids = (5, 4, 3, 8, 6, 7)
    yield "IDS-byte_without_unk", with_model(0, byte_tokens_model(), stated=ids, **lossless)
    byte_ids = (*model.byte_ids[:-1], 264)
    yield "IDS-token_without_unk", with_model(0, byte_tokens_model(), byte_ids=byte_ids, **lossless)


def kinds() -> Iterator[Attack]:
    """FORMAT.md, MODEL: GREEDY and VITERBI."""
    artifact = kinds_model()
    blob = write_artifact(artifact)
    yield "MODEL-spelled_by_greedy", with_head(2, blob, unknown=Unknown.SPELL, speller=1)
    yield from greedy(artifact, blob)
    yield from viterbi(artifact, blob)


def greedy(artifact: Artifact, blob: bytes) -> Iterator[Attack]:
    """FORMAT.md, MODEL: GREEDY, which is model 1."""
    data = part(Kind.MODEL, 1, blob)
    changed = partial(with_part, Kind.MODEL, model=1, blob=blob)
    head = partial(with_head, 1, blob)
    yield "MODEL-greedy_cut", changed(data[: HEAD_BYTES + 3])
    yield "MODEL-greedy_units", head(units=1)
    yield "MODEL-greedy_fuse", head(flags=1)
    yield "MODEL-greedy_anywhere_but_some", head(flags=2)
    yield "MODEL-greedy_no_characters", with_model(1, artifact, max_characters=0)
    never = {"unknown": Unknown.NONE, "speller": 0, "unk_id": NONE}
    yield "MODEL-greedy_some_characters", head(**never)
    lossless = {"unknown": Unknown.NONE, "speller": 0, "unk_id": None, "max_characters": None}
    yield "SYMBOLS-greedy_not_all_bytes", with_model(1, artifact, **lossless)
    first_alone = lossless | {"first": BYTES, "first_id": 1000}
    yield "SYMBOLS-greedy_not_all_later", with_model(1, artifact, **first_alone)
    yield "SYMBOLS-greedy_long", changed(data + b"\0")
    yield "SYMBOLS-greedy_texts_cut", changed(data[:-1])
    model = artifact.models[1]
    assert isinstance(model, Greedy)
    assert model.later
    yield (
        "SYMBOLS-greedy_1025_bytes",
        with_model(1, artifact, first=(b"a" * 1025, *model.first[1:])),
    )
    for name in ("first", "later"):
        texts = getattr(model, name)
        twice = {name: (*texts[:-1], texts[0])}
        yield f"TOKEN_DUPLICATE-greedy_{name}", with_model(1, artifact, **twice)
    yield "TOKEN_LENGTH-greedy_less", head(text_bytes=head_of(1, blob).text_bytes - 1)
    yield "TOKEN_LENGTH-greedy_more", head(text_bytes=head_of(1, blob).text_bytes + 1)
    yield "MODEL-greedy_n_ids", head(n_ids=head_of(1, blob).n_ids + 1)


def viterbi(artifact: Artifact, blob: bytes) -> Iterator[Attack]:
    """FORMAT.md, MODEL: VITERBI, which are the models 2 and 3, with f64 and f32."""
    data = part(Kind.MODEL, 2, blob)
    changed = partial(with_part, Kind.MODEL, model=2, blob=blob)
    head = partial(with_head, 2, blob)
    n = head_of(2, blob).n_symbols
    yield "MODEL-viterbi_cut", changed(data[: HEAD_BYTES + 3])
    yield "MODEL-viterbi_symbols_2", head(units=2)
    yield "ROUTES-viterbi_units", head(units=1)
    yield "MODEL-viterbi_fuse", head(flags=1)
    yield "MODEL-viterbi_anywhere", head(flags=2)
    yield "MODEL-viterbi_merges", head(n_symbols=n - 1, n_merges=1)
    yield "MODEL-viterbi_nothing", head(n_symbols=0, n_ids=0, text_bytes=0)
    yield "MODEL-viterbi_never_unknown", head(unknown=Unknown.NONE, unk_id=NONE)
    yield "MODEL-viterbi_type_2", changed(patched(data, HEAD_BYTES, "<B", 2))
    yield "MODEL-viterbi_zeros", changed(patched(data, HEAD_BYTES + 1, "<B", 1))
    yield "TOKEN_LENGTH-viterbi_less", head(text_bytes=head_of(2, blob).text_bytes - 1)
    texts = artifact.models[2].texts
    twice = (*texts[:-1], texts[0])
    yield "TOKEN_DUPLICATE-viterbi", with_model(2, artifact, tokens=twice)
    yield "SCORES-cut", changed(data[:-1])
    yield "SCORES-long", changed(data + b"\0")
    highest = len(data) - 2 * n  # the two highest planes hold the exponent
    for what, bits in {
        "infinite": (0xF0, 0x7F),
        "minus_infinite": (0xF0, 0xFF),
        "nan": (0xF8, 0x7F),
    }.items():
        score = bytearray(data)
        score[highest], score[highest + n] = bits
        for plane in range(6):
            score[highest - (plane + 1) * n] = 0
        yield f"SCORES-{what}", changed(bytes(score))
    data = part(Kind.MODEL, 3, blob)
    yield "IDS-viterbi_long", with_part(Kind.MODEL, data + b"\0", 3, blob)
    yield "IDS-viterbi_cut", with_part(Kind.MODEL, data[:-1], 3, blob)


def added() -> Iterator[Attack]:
    """FORMAT.md, ADDED."""
    kind, data = Kind.ADDED, part(Kind.ADDED)

    def listed(*entries: tuple[int, bytes], flags: int = 1) -> bytes:
        ids = leb.pack(b - a for a, b in pairwise([0, *(token for token, _ in entries)]))
        texts = b"".join(text + leb.END for _, text in entries)
        head = struct.pack("<I", len(entries)) + bytes([flags] * len(entries))
        return with_part(kind, head + texts + ids)

    unk = (261, b"[UNK]")
    yield "ADDED-short", with_part(kind, b"\0\0")
    yield "ADDED-cut", with_part(kind, data[:-1])
    yield "ADDED-long", with_part(kind, data + b"\0")
    yield "ADDED-count", with_part(kind, patched(data, 0, "<I", 2**32 - 1))
    yield "ADDED-ids_cut", with_part(kind, data[:-2])
    yield "ADDED-empty", with_part(kind, b"")
    yield "ADDED-of_another_text", listed(unk, (262, b"<|a|>"))
    yield "ADDED-same_text", listed((259, b"[UNK]"), unk)
    yield "ADDED-1025_bytes", listed((259, b"x" * 1025), unk)
    yield "ADDED-not_utf8", listed((259, b"<\xfe>"), unk)
    yield "ADDED-id_huge", listed(unk, (2**21 - 1, b"x"))
    yield "ADDED-flags_64", listed(unk, flags=65)
    yield "ADDED-texts_cut", with_part(kind, data[:9])
    yield "ADDED-no_properties", listed(unk, flags=Flag.SPECIAL | Flag.LSTRIP)
    touching = write_artifact(odd_added_model())
    properties = part(kind, blob=touching)
    odd = partial(with_part, kind, blob=touching)
    yield "ADDED-properties_cut", odd(properties[:-1])
    yield "ADDED-properties_long", odd(properties + b"\0")
    yield "ADDED-property_4", odd(properties[:-1] + b"\4")


def provenance() -> Iterator[Attack]:
    """PROVENANCE, which the core does not read and the bindings do."""
    for what, data in {
        "empty": b"",
        "not_utf8": b'{"name":"\xff"}',
        "not_json": b"name: small",
        "a_list": b'["small"]',
        "a_number": b'{"name":1}',
        "not_sorted": b'{"name":"small","license":"MIT"}',
        "spaces": b'{"name": "small"}',
        "twice": b'{"name":"small","name":"small"}',
    }.items():
        yield f"PROVENANCE-{what}", with_part(Kind.PROVENANCE, data)


def normalizer() -> Iterator[Attack]:
    """FORMAT.md, NORMALIZER."""
    kind = Kind.NORMALIZER
    other = Map({0x62: (0x63,)})
    good = write_artifact(replace(MODEL, normalizer=(SMALL_MAP,), second=(other,)))
    data, number = part(kind, blob=good), numbers(kind, good, "<B")
    read_artifact(good)
    assert data == write_normalizer([1], [2])

    def named(first: Sequence[int], second: Sequence[int]) -> bytes:
        return with_part(kind, write_normalizer(first, second), blob=good)

    yield "NORMALIZER-empty", with_part(kind, b"", blob=good)
    yield "NORMALIZER-no_step", with_part(kind, bytes(4), blob=good)
    yield "NORMALIZER-17_steps", named([1] * 17, [2])
    yield "NORMALIZER-17_second", named([1], [2] * 17)
    yield "NORMALIZER-zero", number(2, 1)
    yield "NORMALIZER-step_missing", number(0, 2)
    yield "NORMALIZER-step_too_many", number(0, 0)
    yield "NORMALIZER-step_beyond", named([1], [2, 3])
    yield "NORMALIZER-cut", named([1], [2, 0])
    blocks = with_step(BLOCKS)
    sections = sections_of(blocks)
    place = [kind for kind, _ in sections].index(Kind.PROVENANCE)
    sections.insert(place, (kind, write_normalizer([1], [])))
    yield "NORMALIZER-blocks", assemble(sections)


def template() -> Iterator[Attack]:
    """FORMAT.md, TEMPLATE."""
    good = write_artifact(replace(MODEL, template=Template.around([0], [1], [1])))
    kind, data = Kind.TEMPLATE, part(Kind.TEMPLATE, blob=good)
    number = numbers(kind, good, "<B")
    read_artifact(good)

    yield "TEMPLATE-empty", with_part(kind, b"", blob=good)
    yield "TEMPLATE-one_place_less", with_part(kind, data[:-8], blob=good)
    yield "TEMPLATE-one_byte_more", with_part(kind, data + b"\0", blob=good)
    yield "TEMPLATE-more_single", number(0, 4, "<H")
    yield "TEMPLATE-less_pair", number(2, 4, "<H")
    yield "TEMPLATE-what_3", number(4, 3)
    yield "TEMPLATE-not_zero", number(6, 1)
    yield "TEMPLATE-no_token", number(8, MODEL.n_vocab, "<I")
    yield "TEMPLATE-trim_32", number(16, 33, "<I")
    yield "TEMPLATE-trim_first_none", number(16, 4, "<I")
    yield "TEMPLATE-single_second", number(12, 2)
    yield "TEMPLATE-single_without_text", number(12, 0)
    yield "TEMPLATE-single_first_twice", number(4, 1)
    yield "TEMPLATE-pair_first_twice", number(4 + 8 * 6, 1)


def decoder() -> Iterator[Attack]:
    """FORMAT.md, DECODER."""
    steps: tuple[Step, ...] = (
        Replace("ab", "c"),
        Strip("d", 1, 1, "e"),
        Bytes(),
        Join("f"),
        Some(),
    )
    good = write_artifact(replace(MODEL, decoder=Decoder(steps, "##", {0: b"x", 5: b"yz"})))
    kind, data = Kind.DECODER, part(Kind.DECODER, blob=good)
    read_artifact(good)
    starts = [6, 15, 23, 29, 36]
    surfaces, number = 42, numbers(kind, good, "<B")

    yield "DECODER-empty", with_part(kind, b"", blob=good)
    yield "DECODER-65_steps", number(0, 65)
    yield "DECODER-step_too_many", number(0, 4)
    yield "DECODER-step_missing", number(0, 6)
    yield "DECODER-prefix_beyond", number(1, 255)
    yield "DECODER-prefix_not_utf8", number(4, 0xFF)
    yield "DECODER-surface_too_many", number(2, 1, "<H")
    yield "DECODER-surface_missing", number(2, 3, "<H")
    for name, at in zip(("replace", "strip", "bytes", "join", "some"), starts, strict=True):
        yield (
            f"DECODER-{name}_where",
            number(at + 1, {"replace": 7, "strip": 7, "bytes": 2}.get(name, 1)),
        )
        if name != "strip":
            yield f"DECODER-{name}_left", number(at + 2, 1)
            yield f"DECODER-{name}_right", number(at + 3, 1)
    yield "DECODER-kind_0", number(starts[0], 0)
    yield "DECODER-kind_9", number(starts[4], 9)
    yield "DECODER-unspell_where", with_part(kind, patched(data, starts[4], "<2B", 7, 1), blob=good)
    yield "DECODER-no_blocks", number(starts[4], 8)
    written = replace(MODEL.routes[0], steps=(*MODEL.routes[0].steps, BLOCKS))
    spelled = replace(MODEL, routes=(written, MODEL.routes[1]))
    joins = write_artifact(replace(spelled, decoder=Decoder((Blocks(),))))
    for at, field in enumerate(("where", "left", "right"), 5):
        wrong = patched(part(kind, blob=joins), at, "<B", 1)
        yield f"DECODER-blocks_{field}", with_part(kind, wrong, blob=joins)
    yield "DECODER-replace_nothing", with_part(kind, data[:10] + b"\0\3" + data[12:], blob=good)
    yield "DECODER-join_with_b", with_part(kind, data[:33] + b"\0\1" + data[35:], blob=good)
    yield "DECODER-bytes_with_a", number(starts[2] + 4, 1)
    yield "DECODER-text_not_utf8", number(starts[0] + 6, 0xC3)
    yield "DECODER-text_beyond", number(starts[4] + 4, 255)
    yield "DECODER-surfaces_descend", number(surfaces, 6, "<I")
    yield "DECODER-surface_twice", number(surfaces + 8, 0, "<I")
    yield "DECODER-surface_of_no_token", number(surfaces + 8, MODEL.n_vocab, "<I")
    yield "DECODER-ends_descend", number(surfaces + 4, 4, "<I")
    yield "DECODER-end_before", number(surfaces + 12, 2, "<I")
    yield "DECODER-end_beyond", number(surfaces + 12, 4, "<I")
    long = replace(MODEL, decoder=Decoder((), "", {0: bytes(1025)}))
    yield "DECODER-surface_of_1025", write_artifact(long)


GROUPS: tuple[Callable[[], Iterator[Attack]], ...] = (
    header,
    section_table,
    classes,
    automata,
    steps_section,
    routes,
    heads,
    affixes,
    tokens,
    ids,
    kinds,
    added,
    normalizer,
    template,
    decoder,
    provenance,
)


def attacks() -> dict[str, bytes]:
    """All files, by name; the status is what stands before the hyphen."""
    return {name: blob for group in GROUPS for name, blob in group()}


def main() -> None:
    """Write them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.wwho"):
        old.unlink()
    files = attacks()
    for name, blob in files.items():
        write_atomic(folder / f"{name}.wwho", blob)
    print(f"{len(files)} files, {sum(map(len, files.values())):,} bytes")


if __name__ == "__main__":
    main()
