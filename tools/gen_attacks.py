"""Write tests/attacks: files that a reader must refuse, each named after the status it must give.

    python tools/gen_attacks.py

STATUS-what.wwho breaks one MUST of wasm/FORMAT.md, and no earlier one; its checksum is right unless
that is what it is about.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "py"), str(ROOT / "tests" / "py")]

from tiny import small_model, stated_model  # noqa: E402

from wwho.format import leb  # noqa: E402
from wwho.format.container import read_container  # noqa: E402
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.layout import HEADER_BYTES, Kind  # noqa: E402
from wwho.format.model import Model, Route  # noqa: E402
from wwho.format.write import assemble, write_model  # noqa: E402
from wwho.grammar.compile import Scanner, compile_scanners  # noqa: E402
from wwho.grammar.parse import parse_regex  # noqa: E402

ATTACKS = ROOT / "tests" / "attacks"
MODEL = small_model()
GOOD = write_model(MODEL)
PARTS = {
    section.kind: GOOD[section.offset : section.end] for section in read_container(GOOD).sections
}
STATED = write_model(stated_model())
STATED_PARTS = {
    section.kind: STATED[section.offset : section.end]
    for section in read_container(STATED).sections
}
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
META_FIELDS = (
    "n_vocab",
    "n_base",
    "n_base_tokens",
    "first_atom",
    "n_atoms",
    "n_merges",
    "space_id",
    "unk_id",
    "base_text_bytes",
    "sgpe_text_bytes",
)
CLASS_HEAD = 4 + 2 * 8704

Attack = tuple[str, bytes]


def resummed(blob: bytes) -> bytes:
    """The file with the checksum of what it holds."""
    crc = zlib.crc32(blob[HEADER_BYTES:], zlib.crc32(blob[:20]))
    return blob[:20] + struct.pack("<I", crc) + blob[HEADER_BYTES:]


def patched(blob: bytes, at: int, layout: str, *values: int) -> bytes:
    """The bytes with some values put in place."""
    out = bytearray(blob)
    struct.pack_into(layout, out, at, *values)
    return bytes(out)


def with_part(kind: Kind, data: bytes, features: int = 1) -> bytes:
    """The good file with another section."""
    return assemble(PARTS | {kind: data}, features)


def with_meta(**fields: int) -> bytes:
    """The good file with other numbers in META."""
    data = PARTS[Kind.META]
    for name, value in fields.items():
        data = patched(data, 4 * META_FIELDS.index(name), "<I", value)
    return with_part(Kind.META, data)


def header() -> Iterator[Attack]:
    """FORMAT.md, section 1: the header."""
    yield "MAGIC-json", b'{"version": "1.0", "model": {"type": "BPE"}}'
    yield "MAGIC-png", PNG
    yield "MAGIC-newline", GOOD.replace(b"\r\n", b"\n", 1)
    yield "VERSION-2", resummed(patched(GOOD, 8, "<H", 2))
    yield "TRUNCATED-empty", b""
    yield "TRUNCATED-header", GOOD[:20]
    yield "TRUNCATED-last_word", GOOD[:-4]
    yield "TRUNCATED-table", resummed(patched(GOOD[:100], 16, "<I", 100))
    yield "TRAILING-word", GOOD + bytes(4)
    yield "TRUNCATED-odd", resummed(patched(GOOD + b"\0", 16, "<I", len(GOOD) + 1))
    yield "FEATURES-bit_3", resummed(patched(GOOD, 12, "<I", 9))
    yield "FEATURES-ids_without_sgpe", resummed(patched(STATED, 12, "<I", 4))
    yield "FEATURES-ids_and_superwords", resummed(patched(STATED, 12, "<I", 7))
    yield "CHECKSUM-flipped_bit", GOOD[:-8] + bytes([GOOD[-8] ^ 1]) + GOOD[-7:]
    yield "SECTION_TABLE-none", resummed(patched(GOOD, 10, "<H", 0))
    yield "SECTION_TABLE-17", resummed(patched(GOOD, 10, "<H", 17))


def section_table() -> Iterator[Attack]:
    """FORMAT.md, section 1: the section table."""
    entry = HEADER_BYTES + 12
    offset, length = struct.unpack_from("<II", GOOD, entry + 4)
    yield "SECTION_ORDER-twice", resummed(patched(GOOD, entry, "<I", 1))
    yield "SECTION_ORDER-zero", resummed(patched(GOOD, HEADER_BYTES, "<I", 0))
    yield "SECTION_KIND-11", resummed(patched(GOOD, HEADER_BYTES + 12 * 8, "<I", 11))
    yield "SECTION_BOUNDS-hole", resummed(patched(GOOD, entry + 4, "<I", offset + 4))
    yield "SECTION_BOUNDS-overlap", resummed(patched(GOOD, entry + 4, "<I", offset - 4))
    yield "SECTION_BOUNDS-beyond", resummed(patched(GOOD, entry + 8, "<I", 2**32 - 4))
    yield "SECTION_BOUNDS-short", resummed(patched(GOOD, entry + 8, "<I", length - 8))
    last = HEADER_BYTES + 12 * 8
    size = struct.unpack_from("<I", GOOD, last + 8)[0]
    yield "SECTION_BOUNDS-tail", resummed(patched(GOOD, last + 8, "<I", size - 4))
    yield "PADDING-not_zero", resummed(padded_with_one())
    without = {kind: data for kind, data in PARTS.items() if kind != Kind.SPECIALS}
    yield "SECTION_MISSING-specials", assemble(without, 1)
    yield "SECTION_MISSING-unannounced", assemble(PARTS, 0)
    plain = {kind: data for kind, data in PARTS.items() if kind not in (Kind.ATOMS, Kind.MERGES)}
    yield "SECTION_MISSING-atoms", assemble(plain, 1)
    yield "SECTION_MISSING-ids", assemble(PARTS, 5)
    yield "SECTION_MISSING-ids_unannounced", assemble(STATED_PARTS, 1)


def padded_with_one() -> bytes:
    """The good file with a one in the padding behind some section."""
    for section in read_container(GOOD).sections:
        if section.end % 4:
            return patched(GOOD, section.end, "B", 1)
    raise AssertionError("no section has padding")


def meta() -> Iterator[Attack]:
    """FORMAT.md, section 2."""
    yield "META-short", with_part(Kind.META, PARTS[Kind.META][:-4])
    yield "META-n_vocab", with_meta(n_vocab=MODEL.n_vocab + 1)
    yield "META-n_vocab_huge", with_meta(n_vocab=2**21)
    yield "META-n_base", with_meta(n_base=MODEL.first_atom + 1)
    yield "META-n_base_tokens", with_meta(n_base_tokens=255)
    for name, number in {"none": 0, "more_than_merges": len(MODEL.merges) + 1}.items():
        data = PARTS[Kind.META] + struct.pack("<I", number)
        yield f"META-superwords_{name}", with_part(Kind.META, data, features=3)
    yield "META-superwords_announced", with_part(Kind.META, PARTS[Kind.META], features=3)
    yield "META-superwords_unannounced", with_part(Kind.META, PARTS[Kind.META] + b"\1\0\0\0")
    yield "META-wrap", with_meta(n_atoms=2**32 - 1, n_merges=5)
    yield "META-space_id", with_meta(space_id=MODEL.first_atom)
    yield "META-unk_id_no_special", with_meta(unk_id=97)
    yield "META-unk_id_beyond", with_meta(unk_id=MODEL.n_vocab)
    yield "META-text_bytes", with_meta(base_text_bytes=2**32 - 1)
    more = {"n_merges": len(MODEL.merges) + 9999, "n_vocab": MODEL.n_vocab + 9999}
    yield "META-more_than_merges_holds", with_meta(**more, space_id=MODEL.n_vocab + 9998)
    plain = {kind: data for kind, data in PARTS.items() if kind not in (Kind.ATOMS, Kind.MERGES)}
    yield "META-ids_without_feature", assemble(plain, 0)


def classes() -> Iterator[Attack]:
    """FORMAT.md, section 3."""
    data = PARTS[Kind.CLASSES]
    yield "CLASSES-short", with_part(Kind.CLASSES, data[:100])
    yield "CLASSES-long", with_part(Kind.CLASSES, data + bytes(4))
    yield "CLASSES-none", with_part(Kind.CLASSES, patched(data, 0, "<H", 0))
    yield "CLASSES-page_beyond", with_part(Kind.CLASSES, patched(data, CLASS_HEAD - 2, "<H", 999))
    yield "CLASSES-page_order", with_part(Kind.CLASSES, patched(data, 4, "<H", 1))
    yield "CLASSES-unused_page", with_part(Kind.CLASSES, unused_page(data))
    yield "CLASSES-same_page", with_part(Kind.CLASSES, same_page(data))
    yield "CLASSES-class_beyond", with_part(Kind.CLASSES, patched(data, len(data) - 1, "B", 200))


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
    """FORMAT.md, section 4."""
    kind, data = Kind.AUTOMATA, PARTS[Kind.AUTOMATA]
    n_classes = MODEL.scanners.classes.n_classes
    columns = MODEL.scanners.automata[0].n_columns
    table = 8 + n_classes + n_classes % 2

    def entry(state: int, column: int, mark: int, to: int) -> bytes:
        at = table + 2 * (state * columns + column)
        return with_part(kind, patched(data, at, "<H", mark << 10 | to))

    yield "AUTOMATON_SHAPE-none", with_part(kind, patched(data, 0, "<I", 0))
    yield "AUTOMATON_SHAPE-one_more", with_part(kind, patched(data, 0, "<I", 4))
    yield "AUTOMATON_SHAPE-one_less", with_part(kind, patched(data, 0, "<I", 2))
    yield "AUTOMATON_SHAPE-one_state", with_part(kind, patched(data, 4, "<H", 1))
    yield "AUTOMATON_SHAPE-1024_states", with_part(kind, patched(data, 4, "<H", 1024))
    yield "AUTOMATON_SHAPE-one_column", with_part(kind, patched(data, 6, "<H", 1))
    yield "AUTOMATON_SHAPE-column_0", with_part(kind, patched(data, 8, "B", 0))
    yield "AUTOMATON_SHAPE-column_beyond", with_part(kind, patched(data, 8, "B", columns))
    yield "AUTOMATON_SHAPE-padding", with_part(kind, patched(data, 8 + n_classes, "B", 1))
    yield "AUTOMATON_TABLE-next_beyond", entry(1, 1, 0, 900)
    yield "AUTOMATON_TABLE-mark_63", entry(2, 0, 63, 0)
    yield "AUTOMATON_TABLE-from_the_dead", entry(0, 1, 1, 0)
    yield "AUTOMATON_TABLE-behind_the_end", entry(2, 0, 1, 1)
    yield "AUTOMATON_TOTAL-empty_match", entry(1, 1, 1, 2)
    yield "AUTOMATON_TOTAL-stuck_at_once", entry(1, 1, 0, 0)
    yield "AUTOMATON_TOTAL-stuck_later", entry(2, 0, 0, 0)
    yield "AUTOMATON_TOTAL-back_to_start", entry(1, 1, 0, 1)


def routes() -> Iterator[Attack]:
    """FORMAT.md, section 5."""
    kind, data = Kind.ROUTES, PARTS[Kind.ROUTES]
    yield "ROUTES-short", with_part(kind, data[:3])
    yield "ROUTES-cut", with_part(kind, data[:-1])
    yield "ROUTES-long", with_part(kind, data + b"\0")
    yield "ROUTES-none", with_part(kind, patched(data, 2, "<H", 0))
    yield "ROUTES-63", with_part(kind, patched(data, 2, "<H", 63))
    yield "ROUTES-router_beyond", with_part(kind, patched(data, 0, "<H", 3))
    yield "ROUTES-no_router", with_part(kind, patched(data, 0, "<H", 0xFFFF))
    yield "ROUTES-scanner_beyond", with_part(kind, patched(data, 4, "<H", 3))
    yield "ROUTES-model_2", with_part(kind, patched(data, 6, "B", 2))
    yield "ROUTES-first_is_sgpe", with_part(kind, patched(data, 6, "B", 1))
    yield "ROUTES-none_of_sgpe", with_part(kind, patched(data, 4 + 4 + 5 + 2, "B", 0))
    yield "ROUTES-unnamed", with_part(kind, struct.pack("<HHHBB", 0xFFFF, 1, 1, 0, 0))
    one = struct.pack("<HHHBB", 0, 1, 1, 0, 5) + b"other"
    yield "ROUTES-router_knows_more", with_part(kind, one)
    yield "ROUTES-name_not_utf8", with_part(kind, data.replace(b"other", b"oth\xffr"))
    yield "ROUTES-one_text_two_scanners", write_model(rivals())


def rivals() -> Model:
    """A model in which a run of `k` is of one route before an `x` and of another elsewhere."""
    rules = ("[^k]+", "k+(?!x)", "k")
    router = Scanner("router", tuple(map(parse_regex, rules)), longest=False)
    other = Scanner("other", (parse_regex("[^k]|k"),), longest=False)
    units = [
        Scanner(name, (parse_regex(pattern), parse_regex("[^k]")), longest=False)
        for name, pattern in (("one", "k"), ("all", "k+"))
    ]
    routes = (Route("other", 1, False), Route("one", 2, True), Route("all", 3, True))
    return replace(MODEL, scanners=compile_scanners([router, other, *units]), routes=routes)


def tokens() -> Iterator[Attack]:
    """FORMAT.md, sections 6 and 7."""
    base, atoms, merges = PARTS[Kind.BASE], PARTS[Kind.ATOMS], PARTS[Kind.MERGES]
    bytes_of = base[:256]
    yield "BASE_BYTES-twice", with_part(Kind.BASE, b"\1" + base[1:])
    yield "BASE_BYTES-short", with_part(Kind.BASE, base[:200])
    yield "PAIRS-cut", with_part(Kind.BASE, base[:-1])
    yield "PAIRS-long", with_part(Kind.BASE, base + b"\0")
    lefts = leb.pack([97, 256])
    yield (
        "PAIRS-not_shortest",
        with_part(Kind.BASE, bytes_of + lefts + b"\xe2\x00" + leb.pack([99])),
    )
    yield "PAIRS-five_bytes", with_part(Kind.BASE, bytes_of + lefts + b"\xe2\x80\x80\x80\x01c")
    yield "PAIRS-merges_cut", with_part(Kind.MERGES, merges[:-1])
    yield "PAIR_ORDER-itself", with_part(Kind.BASE, bytes_of + leb.pack([256, 256, 98, 99]))
    yield "PAIR_ORDER-later", with_part(Kind.BASE, bytes_of + leb.pack([97, 256, 257, 99]))
    yield "PAIR_ORDER-merges", with_part(Kind.MERGES, leb.pack([*leb.zigzag([1, 3]), 1, 2]))
    yield "PAIR_ORDER-negative", with_part(Kind.MERGES, leb.pack([1, 4, 1, 2]))
    yield "PAIR_DUPLICATE-base", grown(((97, 98), (97, 98)))
    yield "PAIR_DUPLICATE-merges", write_model(replace(MODEL, merges=((1, 1), (1, 1))))
    yield "TOKEN_LENGTH-1024", grown(((97, 97), *((255 + k, 255 + k) for k in range(1, 10))))
    yield "TOKEN_LENGTH-fewer", with_meta(base_text_bytes=256 + 4)
    yield "TOKEN_LENGTH-more", with_meta(base_text_bytes=256 + 6)
    yield "TOKEN_LENGTH-sgpe", with_meta(sgpe_text_bytes=7)
    yield "TOKEN_DUPLICATE-base", grown(((97, 98), (98, 99), (256, 99), (97, 257)))
    yield (
        "TOKEN_DUPLICATE-atom",
        write_model(replace(MODEL, atoms=(b"k", b"kk"), merges=((0, 0), (1, 1)))),
    )
    yield "ATOMS-cut", with_part(Kind.ATOMS, atoms[:-1])
    yield "ATOMS-long", with_part(Kind.ATOMS, atoms + b"x")
    yield "ATOMS-empty", with_part(Kind.ATOMS, b"\0\1k")
    yield "ATOMS-lone_space", with_part(Kind.ATOMS, b"\1\1 k")
    yield "ATOMS-descending", with_part(Kind.ATOMS, b"\1\1kj")
    yield "ATOMS-twice", with_part(Kind.ATOMS, b"\1\1kk")


def grown(pairs: tuple[tuple[int, int], ...]) -> bytes:
    """The good model over a base of other pairs."""
    by = len(pairs) - len(MODEL.base_pairs)
    return write_model(
        replace(
            MODEL,
            base_pairs=pairs,
            n_base=MODEL.n_base + by,
            first_atom=MODEL.first_atom + by,
            space_id=(MODEL.space_id or 0) + by,
            unk_id=(MODEL.unk_id or 0) + by,
            specials={text: token + by for text, token in MODEL.specials.items()},
        )
    )


def specials() -> Iterator[Attack]:
    """FORMAT.md, section 8."""
    kind, data = Kind.SPECIALS, PARTS[Kind.SPECIALS]

    def listed(*entries: tuple[int, bytes]) -> bytes:
        rows = (struct.pack("<IH", token, len(text)) + text for token, text in entries)
        return with_part(kind, struct.pack("<I", len(entries)) + b"".join(rows))

    unk = (261, b"[UNK]")
    yield "SPECIALS-short", with_part(kind, b"\0\0")
    yield "SPECIALS-cut", with_part(kind, data[:-1])
    yield "SPECIALS-long", with_part(kind, data + b"\0")
    yield "SPECIALS-count", with_part(kind, patched(data, 0, "<I", 2**32 - 1))
    yield "SPECIALS-empty", listed((259, b""), unk)
    yield "SPECIALS-descending", listed(unk, (259, b"<|a|>"))
    pushed = [(k, b"<%d>" % k) for k in range(MODEL.n_base - MODEL.n_base_tokens + 1)]
    yield "SPECIALS-base_beyond_n_base", listed(*pushed, unk)
    yield "SPECIALS-atom", listed(unk, (262, b"<|a|>"))
    yield "SPECIALS-same_text", listed((259, b"[UNK]"), unk)
    yield "SPECIALS-1024_bytes", listed((259, b"x" * 1024), unk)
    yield "SPECIALS-not_utf8", listed((259, b"<\xff>"), unk)


def ids() -> Iterator[Attack]:
    """FORMAT.md, section 7, and what section 2 says of META where there are ids."""

    def stated(kind: Kind, data: bytes) -> bytes:
        return assemble(STATED_PARTS | {kind: data}, 5)

    def with_number(name: str, value: int) -> bytes:
        at = 4 * META_FIELDS.index(name)
        return stated(Kind.META, patched(STATED_PARTS[Kind.META], at, "<I", value))

    yield "META-ids_space_below", with_number("space_id", 261)
    yield "META-ids_space_beyond", with_number("space_id", 266)
    yield "META-ids_no_unk", with_number("unk_id", 2**32 - 1)
    yield "META-ids_more_than_tokens", with_number("n_vocab", 268)
    yield "META-ids_of_huge", with_number("n_vocab", 2**21)
    data = STATED_PARTS[Kind.IDS]
    yield "IDS-empty", stated(Kind.IDS, b"")
    yield "IDS-cut", stated(Kind.IDS, data[:-1])
    yield "IDS-long", stated(Kind.IDS, data + b"\0")
    yield "IDS-not_shortest", stated(Kind.IDS, data[:-1] + bytes([data[-1] | 128, 0]))
    for what, numbers in {
        "twice": (4, 4, 0, 3),
        "of_space": (4, 2, 0, 3),
        "beyond": (4, 1, 0, 5),
        "negative": (4, 1, 0, -1),
        "one_less": (4, 1, 0, 0),
        "huge": (4, 1, 0, 2**26),
    }.items():
        yield f"IDS-{what}", stated(Kind.IDS, leb.pack(leb.zigzag(numbers)))
    yield "IDS-one_less_without_space", ids_without_space()


def ids_without_space() -> bytes:
    """The file with ids without its lone space, whose id is then no token's."""
    at = 4 * META_FIELDS.index("space_id")
    meta = patched(STATED_PARTS[Kind.META], at, "<I", 2**32 - 1)
    return assemble(STATED_PARTS | {Kind.META: meta}, 5)


def provenance() -> Iterator[Attack]:
    """PROVENANCE, which the core does not read and the bindings do."""
    for what, data in {
        "not_utf8": b'{"name":"\xff"}',
        "not_json": b"name: small",
        "a_list": b'["small"]',
        "a_number": b'{"name":1}',
        "not_sorted": b'{"name":"small","license":"MIT"}',
        "spaces": b'{"name": "small"}',
        "twice": b'{"name":"small","name":"small"}',
    }.items():
        yield f"PROVENANCE-{what}", with_part(Kind.PROVENANCE, data)


GROUPS: tuple[Callable[[], Iterator[Attack]], ...] = (
    header,
    section_table,
    meta,
    classes,
    automata,
    routes,
    tokens,
    specials,
    ids,
    provenance,
)


def attacks() -> dict[str, bytes]:
    """All files, by name; the status is what stands before the hyphen."""
    return {name: blob for group in GROUPS for name, blob in group()}


def main() -> None:
    """Write them."""
    for old in ATTACKS.glob("*.wwho"):
        old.unlink()
    files = attacks()
    for name, blob in files.items():
        write_atomic(ATTACKS / f"{name}.wwho", blob)
    print(f"{len(files)} files, {sum(map(len, files.values())):,} bytes")


if __name__ == "__main__":
    main()
