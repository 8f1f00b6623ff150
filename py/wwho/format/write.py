"""A model as the bytes of a `.wwho` file, section by section; same model, same bytes."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wwho.format import leb
from wwho.format.layout import (
    ENTRY_BYTES,
    FEATURE_IDS,
    FEATURE_SGPE,
    FEATURE_SUPERWORDS,
    HEADER_BYTES,
    MAGIC,
    MARK_SHIFT,
    N_PAGES,
    NO_ROUTER,
    NONE,
    PAGE_SIZE,
    VERSION,
    Kind,
    padding,
)
from wwho.format.model import Model, Route

if TYPE_CHECKING:
    from wwho.grammar.automaton import Automaton
    from wwho.grammar.classmap import ClassMap


def write_model(model: Model) -> bytes:
    """Spell a model as an artifact.

    The writer puts down what it is given; `read_model` is what checks it.

    Raises:
        ValueError: a number does not fit its field.
        struct.error: a number does not fit its field.

    Example:
        >>> from wwho.format.read import read_model
        >>> from wwho.encodings import model_bytes
        >>> blob = model_bytes("cl100k_base")
        >>> write_model(read_model(blob)) == blob
        True
    """
    sections = {
        Kind.META: _meta(model),
        Kind.CLASSES: _classes(model.scanners.classes),
        Kind.AUTOMATA: _automata(model.scanners.automata),
        Kind.ROUTES: _routes(model.router, model.routes),
        Kind.BASE: _base(model),
        Kind.SPECIALS: _specials(model),
    }
    if model.has_sgpe:
        sections[Kind.ATOMS] = _atoms(model.atoms)
        sections[Kind.MERGES] = _merges(model)
    if model.provenance:
        sections[Kind.PROVENANCE] = _provenance(model)
    if model.ids is not None:
        sections[Kind.IDS] = _ids(model.ids, model.first_atom)
    features = (
        FEATURE_SGPE * model.has_sgpe
        | FEATURE_SUPERWORDS * bool(model.n_superwords)
        | FEATURE_IDS * (model.ids is not None)
    )
    return assemble(sections, features)


def assemble(sections: dict[Kind, bytes], features: int) -> bytes:
    """Put header, section table and sections together (FORMAT.md, section 1)."""
    table, body = bytearray(), bytearray()
    start = HEADER_BYTES + ENTRY_BYTES * len(sections)
    for kind, data in sorted(sections.items()):
        table += struct.pack("<III", kind, start + len(body), len(data))
        body += data + bytes(padding(len(data)))
    size = start + len(body)
    head = MAGIC + struct.pack("<HHII", VERSION, len(sections), features, size)
    checksum = zlib.crc32(body, zlib.crc32(table, zlib.crc32(head)))
    return head + struct.pack("<I", checksum) + bytes(table) + bytes(body)


def _meta(model: Model) -> bytes:
    numbers = struct.pack(
        "<10I",
        model.n_vocab,
        model.n_base,
        model.n_base_tokens,
        model.first_atom,
        len(model.atoms),
        len(model.merges),
        NONE if model.space_id is None else model.space_id,
        NONE if model.unk_id is None else model.unk_id,
        sum(map(len, model.base_tokens)),
        sum(map(len, model.sgpe_tokens)),
    )
    return numbers + (struct.pack("<I", model.n_superwords) if model.n_superwords else b"")


def _classes(classes: ClassMap) -> bytes:
    flat = bytearray(N_PAGES * PAGE_SIZE)
    for first, last, number in classes.ranges:
        flat[first : last + 1] = bytes([number]) * (last + 1 - first)
    numbers: dict[bytes, int] = {}
    pages = [
        numbers.setdefault(bytes(flat[at : at + PAGE_SIZE]), len(numbers))
        for at in range(0, len(flat), PAGE_SIZE)
    ]
    head = struct.pack("<HH", classes.n_classes, len(numbers))
    return head + struct.pack(f"<{N_PAGES}H", *pages) + b"".join(numbers)


def _automata(automata: tuple[Automaton, ...]) -> bytes:
    out = bytearray(struct.pack("<I", len(automata)))
    for automaton in automata:
        out += struct.pack("<HH", automaton.n_states, automaton.n_columns)
        out += bytes(automaton.columns)
        out += bytes(padding(len(out), 2))
        for row in automaton.table:
            out += struct.pack(f"<{len(row)}H", *(mark << MARK_SHIFT | to for mark, to in row))
        out += bytes(padding(len(out)))
    return bytes(out)


def _routes(router: int | None, routes: tuple[Route, ...]) -> bytes:
    out = bytearray(struct.pack("<HH", NO_ROUTER if router is None else router, len(routes)))
    for route in routes:
        name = route.name.encode("utf-8")
        out += struct.pack("<HBB", route.scanner, route.sgpe, len(name)) + name
    return bytes(out)


def _base(model: Model) -> bytes:
    lefts = leb.pack(left for left, _ in model.base_pairs)
    rights = leb.pack(right for _, right in model.base_pairs)
    return model.base_bytes + lefts + rights


def _atoms(atoms: tuple[bytes, ...]) -> bytes:
    return bytes(map(len, atoms)) + b"".join(atoms)


def _merges(model: Model) -> bytes:
    lefts = leb.pack(leb.zigzag(left for left, _ in model.merges))
    return lefts + leb.pack(right for _, right in model.merges)


def _ids(ids: Sequence[int | None], first_atom: int) -> bytes:
    return leb.pack(leb.zigzag(0 if number is None else number - first_atom + 1 for number in ids))


def _specials(model: Model) -> bytes:
    out = bytearray(struct.pack("<I", len(model.specials)))
    for text, number in sorted(model.specials.items(), key=lambda item: item[1]):
        data = text.encode("utf-8")
        out += struct.pack("<IH", number, len(data)) + data
    return bytes(out)


def _provenance(model: Model) -> bytes:
    return provenance_json(model.provenance).encode("utf-8")


def provenance_json(provenance: Mapping[str, str]) -> str:
    """The one spelling of a record: compact JSON, keys sorted.

    Example:
        >>> provenance_json({"name": "tiny", "license": "MIT"})
        '{"license":"MIT","name":"tiny"}'
    """
    record = dict(provenance)
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
