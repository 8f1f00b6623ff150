"""The reference reader of artifacts, to be read beside FORMAT.md.

One function per section, each MUST in its order. The C core does the same checks in
wasm/src/open.c.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from wwho.format import leb
from wwho.format.container import Container, fail, read_container
from wwho.format.layout import (
    FEATURE_IDS,
    FEATURE_SGPE,
    FEATURE_SUPERWORDS,
    MARK_SHIFT,
    MAX_IDS,
    MAX_MARK,
    MAX_PAGES,
    MAX_ROUTES,
    MAX_TOKEN_BYTES,
    META_BYTES,
    N_PAGES,
    NEXT_MASK,
    NO_ROUTER,
    NONE,
    PAGE_SIZE,
    Kind,
    padding,
)
from wwho.format.model import Model, Pair, Route, free_ids
from wwho.format.write import provenance_json
from wwho.grammar.automaton import Automaton, CompiledScanners
from wwho.grammar.classmap import ClassMap


@dataclass(frozen=True)
class Meta:
    """The numbers of section META (FORMAT.md, section 2)."""

    n_vocab: int
    n_base: int
    n_base_tokens: int
    first_atom: int
    n_atoms: int
    n_merges: int
    space_id: int
    unk_id: int
    base_text_bytes: int
    sgpe_text_bytes: int
    n_superwords: int = 0


def read_model(blob: bytes) -> Model:
    """Read an artifact and check all of it.

    Raises:
        ArtifactError: with `.status`, the name of the first MUST that does not hold.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> model = read_model(model_bytes("cl100k_base"))
        >>> model.name, model.n_vocab, model.base_tokens[9906]
        ('cl100k_base', 100277, b'Hello')
    """
    container = read_container(blob)
    sgpe = bool(container.features & FEATURE_SGPE)
    meta = read_meta(container[Kind.META], container.features)
    check_counts(meta, container)
    classes = read_classes(container[Kind.CLASSES])
    automata = read_automata(container[Kind.AUTOMATA], classes.n_classes)
    router, routes = read_routes(container[Kind.ROUTES], automata, sgpe)
    base_bytes, base_pairs = read_base(container[Kind.BASE], meta)
    atoms = read_atoms(container[Kind.ATOMS], meta) if sgpe else ()
    merges = read_merges(container[Kind.MERGES], meta, atoms) if sgpe else []
    specials = read_specials(container[Kind.SPECIALS], meta)
    if meta.unk_id != NONE and meta.unk_id not in specials.values():
        raise fail("META", f"unk_id is {meta.unk_id}, which is no special token")
    ids = container.data(Kind.IDS)
    return Model(
        scanners=CompiledScanners(classes, named(automata, router, routes)),
        router=router,
        routes=routes,
        n_base=meta.n_base,
        base_bytes=base_bytes,
        base_pairs=base_pairs,
        first_atom=meta.first_atom,
        atoms=atoms,
        merges=merges,
        space_id=None if meta.space_id == NONE else meta.space_id,
        unk_id=None if meta.unk_id == NONE else meta.unk_id,
        specials=specials,
        provenance=read_provenance(container),
        n_superwords=meta.n_superwords,
        ids=None if ids is None else read_ids(ids, meta),
    )


# Section 2: META


def read_meta(data: bytes, features: int) -> Meta:
    """Check the sizes of the id space."""
    superwords = bool(features & FEATURE_SUPERWORDS)
    size = META_BYTES + 4 * superwords
    if len(data) != size:
        raise fail("META", f"the section has {len(data)} bytes, not {size}")
    meta = Meta(*struct.unpack(f"<{size // 4}I", data))
    _within("n_vocab", meta.n_vocab, 256, MAX_IDS)
    _within("n_base", meta.n_base, 256, meta.n_vocab)
    _within("n_base_tokens", meta.n_base_tokens, 256, meta.n_base)
    _within("first_atom", meta.first_atom, meta.n_base, meta.n_vocab)
    _check_id_space(meta, stated=bool(features & FEATURE_IDS))
    if meta.unk_id != NONE and meta.unk_id >= meta.n_vocab:
        raise fail("META", f"unk_id is {meta.unk_id}, n_vocab is {meta.n_vocab}")
    _within("base_text_bytes", meta.base_text_bytes, 0, MAX_TOKEN_BYTES * meta.n_base_tokens)
    n_sgpe = meta.n_atoms + meta.n_merges
    _within("sgpe_text_bytes", meta.sgpe_text_bytes, 0, MAX_TOKEN_BYTES * n_sgpe)
    if superwords:
        _within("n_superwords", meta.n_superwords, 1, meta.n_merges)
    plain = meta.n_base == meta.n_vocab and meta.space_id == meta.unk_id == NONE
    if not plain and not features & FEATURE_SGPE:
        raise fail("META", "there are SGPE ids without the feature SGPE")
    return meta


def _check_id_space(meta: Meta, *, stated: bool) -> None:
    """Ids from first_atom on are the tokens' in their order, or as IDS states them."""
    n_sgpe = meta.n_atoms + meta.n_merges
    end = meta.first_atom + n_sgpe
    space = meta.space_id != NONE
    if not stated:
        if space and meta.space_id != end:
            raise fail("META", f"space_id is {meta.space_id}, not {end} and not none")
        if end + space != meta.n_vocab:
            raise fail("META", f"the SGPE ids end at {end}, n_vocab is {meta.n_vocab}")
        return
    if space:
        _within("space_id", meta.space_id, meta.first_atom, meta.n_vocab - 1)
    _within("n_vocab", meta.n_vocab, 256, end + space)
    _within("n_atoms + n_merges", n_sgpe, 0, MAX_IDS)
    if meta.unk_id == NONE:
        raise fail("META", "there is no unk_id, which tokens without an id need")


def check_counts(meta: Meta, container: Container) -> None:
    """Check that the sections can hold the tokens, so that no small file asks for much memory."""
    for name, count, kind in (
        ("n_base_tokens - 256", meta.n_base_tokens - 256, Kind.BASE),
        ("n_atoms", meta.n_atoms, Kind.ATOMS),
        ("n_merges", meta.n_merges, Kind.MERGES),
    ):
        _within(name, count, 0, len(container.data(kind) or b""))


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise fail("META", f"{name} is {value}, not {low} to {high}")


# Section 3: CLASSES


def read_classes(data: bytes) -> ClassMap:
    """Check the two-stage table from code points to classes."""
    fixed = 4 + 2 * N_PAGES
    if len(data) < fixed:
        raise fail("CLASSES", f"the section has {len(data)} bytes, not at least {fixed}")
    n_classes, n_pages = struct.unpack_from("<HH", data)
    if not 1 <= n_classes <= 255 or not 1 <= n_pages <= MAX_PAGES:
        raise fail("CLASSES", f"{n_classes} classes in {n_pages} pages")
    if len(data) != fixed + PAGE_SIZE * n_pages:
        raise fail("CLASSES", f"{n_pages} pages do not fill {len(data)} bytes")
    numbers = struct.unpack_from(f"<{N_PAGES}H", data, 4)
    seen = 0
    for number in numbers:
        if number > seen or number >= n_pages:
            raise fail("CLASSES", f"page {number} comes before page {seen}")
        seen = max(seen, number + 1)
    if seen != n_pages:
        raise fail("CLASSES", f"page {seen} of {n_pages} is never used")
    if max(data[fixed:]) >= n_classes:
        raise fail("CLASSES", f"class {max(data[fixed:])} of {n_classes}")
    pages = [data[at : at + PAGE_SIZE] for at in range(fixed, len(data), PAGE_SIZE)]
    if len(set(pages)) != n_pages:
        raise fail("CLASSES", "two pages are the same")
    return ClassMap(n_classes, _ranges(numbers, pages))


def _ranges(numbers: Sequence[int], pages: Sequence[bytes]) -> tuple[tuple[int, int, int], ...]:
    """The classes of all code points as (first, last, class), in ascending order, without gaps."""
    changes = [[k for k in range(PAGE_SIZE) if k == 0 or page[k] != page[k - 1]] for page in pages]
    starts: list[tuple[int, int]] = []
    for page, number in enumerate(numbers):
        for offset in changes[number]:
            label = pages[number][offset]
            if not starts or starts[-1][1] != label:
                starts.append((page * PAGE_SIZE + offset, label))
    ends = [start - 1 for start, _ in starts[1:]] + [N_PAGES * PAGE_SIZE - 1]
    return tuple((first, last, label) for (first, label), last in zip(starts, ends, strict=True))


# Section 4: AUTOMATA


def read_automata(data: bytes, n_classes: int) -> tuple[Automaton, ...]:
    """Check every automaton."""
    count, at = (struct.unpack_from("<I", data)[0], 4) if len(data) >= 4 else (0, 0)
    if not 1 <= count <= 255:
        raise fail("AUTOMATON_SHAPE", f"{count} automata, not 1 to 255")
    automata = []
    for number in range(count):
        automaton, at = _automaton(data, at, n_classes, number)
        _check_total(automaton, number)
        automata.append(automaton)
    if at != len(data):
        raise fail("AUTOMATON_SHAPE", f"the automata end at {at}, the section at {len(data)}")
    return tuple(automata)


def _automaton(data: bytes, at: int, n_classes: int, number: int) -> tuple[Automaton, int]:
    """Read one automaton from byte `at` on; give it and the position behind it."""
    shape = struct.Struct("<HH")
    if at + shape.size + n_classes > len(data):
        raise fail("AUTOMATON_SHAPE", f"automaton {number} is cut off")
    n_states, n_columns = shape.unpack_from(data, at)
    if not 2 <= n_states <= NEXT_MASK or not 2 <= n_columns <= 256:
        raise fail("AUTOMATON_SHAPE", f"automaton {number}: {n_states} states x {n_columns}")
    columns = data[at + shape.size : at + shape.size + n_classes]
    if min(columns) < 1 or max(columns) >= n_columns:
        raise fail("AUTOMATON_SHAPE", f"automaton {number}: a class has no column")
    begin = at + shape.size + n_classes
    table = begin + padding(begin, 2)
    end = table + 2 * n_states * n_columns
    behind = end + padding(end)
    if behind > len(data):
        raise fail("AUTOMATON_SHAPE", f"automaton {number} is cut off")
    if any(data[begin:table]) or any(data[end:behind]):
        raise fail("AUTOMATON_SHAPE", f"automaton {number}: padding that is not zero")
    rows = tuple(
        tuple((entry >> MARK_SHIFT, entry & NEXT_MASK) for entry in row)
        for row in struct.iter_unpack(f"<{n_columns}H", data[table:end])
    )
    _check_table(rows, number)
    return Automaton(f"automaton {number}", tuple(columns), n_columns, n_states, rows), behind


def _check_table(rows: Sequence[Sequence[Pair]], number: int) -> None:
    if any(to >= len(rows) for row in rows for _, to in row):
        raise fail("AUTOMATON_TABLE", f"automaton {number} goes to a state it does not have")
    if any(mark > MAX_MARK for row in rows for mark, _ in row):
        raise fail("AUTOMATON_TABLE", f"automaton {number} has a mark over {MAX_MARK}")
    if any(entry != (0, 0) for entry in rows[0]):
        raise fail("AUTOMATON_TABLE", f"automaton {number} leaves the dead state")
    if any(row[0][1] for row in rows):
        raise fail("AUTOMATON_TABLE", f"automaton {number} goes on behind the end of the text")


def _check_total(automaton: Automaton, number: int) -> None:
    """From the start no match is empty, and no dead end comes before a match."""
    start = automaton.table[1]
    if any(mark for mark, _ in start):
        raise fail("AUTOMATON_TOTAL", f"automaton {number} has an empty match")
    # Column 0 of the start is the empty text, which is never scanned.
    entries = list(start[1:])
    reached: set[int] = set()
    while entries:
        mark, to = entries.pop()
        if mark == 0 and to == 0:
            raise fail("AUTOMATON_TOTAL", f"automaton {number} matches nothing in some text")
        if mark == 0 and to not in reached:
            reached.add(to)
            entries += automaton.table[to]


# Section 5: ROUTES


def read_routes(
    data: bytes, automata: tuple[Automaton, ...], sgpe: bool
) -> tuple[int | None, tuple[Route, ...]]:
    """Check the router and the routes."""
    router, routes = route_entries(data)
    if router is None and len(routes) != 1:
        raise fail("ROUTES", f"{len(routes)} routes without a router")
    if router is not None and router >= len(automata):
        raise fail("ROUTES", f"the router is automaton {router} of {len(automata)}")
    if router is not None and _max_mark(automata[router]) > len(routes):
        raise fail("ROUTES", f"the router knows more than {len(routes)} routes")
    for number, route in enumerate(routes):
        if route.scanner >= len(automata):
            raise fail("ROUTES", f"route {number}: scanner {route.scanner} of {len(automata)}")
        if route.sgpe and (number == 0 or not sgpe or _max_mark(automata[route.scanner]) > 3):
            raise fail("ROUTES", f"route {number} cannot be a route of SGPE")
    if sgpe and not any(route.sgpe for route in routes):
        raise fail("ROUTES", "no route is one of SGPE, although the feature is announced")
    for row in automata[router].table if router is not None else ():
        ending = {routes[mark - 1] for mark, _ in row if mark}
        if len({route.scanner for route in ending if route.sgpe}) > 1:
            names = " and ".join(sorted(route.name for route in ending if route.sgpe))
            raise fail("ROUTES", f"{names} may be given the same text, but cut it by two scanners")
    return router, routes


def route_entries(data: bytes) -> tuple[int | None, tuple[Route, ...]]:
    """The router and the routes, well-formed, but not yet checked against the automata."""
    router, n_routes = struct.unpack_from("<HH", data) if len(data) >= 4 else (0, 0)
    if not 1 <= n_routes <= MAX_ROUTES:
        raise fail("ROUTES", f"{n_routes} routes, not 1 to {MAX_ROUTES}")
    at, routes = 4, []
    for number in range(n_routes):
        route, at = _route(data, at, number)
        routes.append(route)
    if at != len(data):
        raise fail("ROUTES", f"the routes end at {at}, the section at {len(data)}")
    return (None if router == NO_ROUTER else router), tuple(routes)


def _route(data: bytes, at: int, number: int) -> tuple[Route, int]:
    """Read one route from byte `at` on; give it and the position behind it."""
    if at + 4 > len(data):
        raise fail("ROUTES", f"route {number} is cut off")
    scanner, model, length = struct.unpack_from("<HBB", data, at)
    name = data[at + 4 : at + 4 + length]
    if model > 1 or length == 0 or len(name) != length:
        raise fail("ROUTES", f"route {number}: model {model}, name of {len(name)}/{length} bytes")
    try:
        return Route(name.decode("utf-8"), scanner, model == 1), at + 4 + length
    except UnicodeDecodeError as error:
        raise fail("ROUTES", f"the name of route {number} is not UTF-8") from error


def _max_mark(automaton: Automaton) -> int:
    return max(mark for row in automaton.table for mark, _ in row)


def named(
    automata: tuple[Automaton, ...], router: int | None, routes: tuple[Route, ...]
) -> tuple[Automaton, ...]:
    """The automata under the names of their use; the file does not name them."""
    names = {route.scanner: route.name for route in reversed(routes)}
    if router is not None:
        names[router] = "router"
    return tuple(
        Automaton(names.get(k, a.name), a.columns, a.n_columns, a.n_states, a.table)
        for k, a in enumerate(automata)
    )


# Sections 6 and 7: BASE, ATOMS, MERGES


def read_base(data: bytes, meta: Meta) -> tuple[bytes, list[Pair]]:
    """Check the bytes and pairs of the base BPE."""
    if sorted(data[:256]) != list(range(256)):
        raise fail("BASE_BYTES", "the first 256 bytes are no permutation of all bytes")
    lefts, rights = _columns("BASE", data, 256, meta.n_base_tokens - 256)
    pairs = list(zip(lefts, rights, strict=True))
    check_pairs("BASE", [data[k : k + 1] for k in range(256)], pairs, meta.base_text_bytes)
    return data[:256], pairs


def read_atoms(data: bytes, meta: Meta) -> tuple[bytes, ...]:
    """Check the texts of the atoms."""
    lengths = data[: meta.n_atoms]
    if len(lengths) != meta.n_atoms or 0 in lengths:
        raise fail("ATOMS", f"there are not {meta.n_atoms} lengths of 1 to 255")
    if meta.n_atoms + sum(lengths) != len(data):
        raise fail("ATOMS", f"{meta.n_atoms} atoms do not fill {len(data)} bytes")
    starts = accumulate(lengths, initial=meta.n_atoms)
    atoms = [data[at : at + length] for at, length in zip(starts, lengths, strict=False)]
    for before, atom in pairwise(atoms):
        if before >= atom:
            raise fail("ATOMS", f"atom {atom!r} comes behind {before!r}")
    if b" " in atoms:
        raise fail("ATOMS", "an atom is a lone space")
    return tuple(atoms)


def read_merges(data: bytes, meta: Meta, atoms: tuple[bytes, ...]) -> list[Pair]:
    """Check the pairs of the SGPE vocabulary, whose ids count from first_atom."""
    differences, rights = _columns("MERGES", data, 0, meta.n_merges)
    pairs = list(zip(leb.unzigzag(differences), rights, strict=True))
    check_pairs("MERGES", list(atoms), pairs, meta.sgpe_text_bytes)
    return pairs


def _columns(name: str, data: bytes, at: int, count: int) -> tuple[list[int], list[int]]:
    """Two columns of `count` numbers that fill the section from byte `at` on."""
    try:
        lefts, at = leb.unpack(data, at, count)
        rights, at = leb.unpack(data, at, count)
    except ValueError as error:
        raise fail("PAIRS", f"{name}: {error}") from error
    if at != len(data):
        raise fail("PAIRS", f"{name}: the pairs end at {at}, the section at {len(data)}")
    return lefts, rights


def check_pairs(name: str, texts: list[bytes], pairs: Sequence[Pair], text_bytes: int) -> None:
    """Check pairs and the tokens they make.

    Args:
        name: the section, for messages.
        texts: the texts of the ids before the first pair; those of the pairs are appended.
        pairs: left and right ids.
        text_bytes: what META says of the length of all texts.
    """
    tokens, seen, total = set(texts), set(), sum(map(len, texts))
    for token, pair in enumerate(pairs, len(texts)):
        left, right = pair
        if not (0 <= left < token and right < token):
            raise fail("PAIR_ORDER", f"{name}: token {token} is made of {left} and {right}")
        text = texts[left] + texts[right]
        total += len(text)
        if len(text) > MAX_TOKEN_BYTES:
            raise fail("TOKEN_LENGTH", f"{name}: token {token} has {len(text)} bytes")
        if pair in seen:
            raise fail("PAIR_DUPLICATE", f"{name}: the pair {pair} comes twice")
        if text in tokens:
            raise fail("TOKEN_DUPLICATE", f"{name}: the text {text!r} comes twice")
        seen.add(pair)
        tokens.add(text)
        texts.append(text)
    if total != text_bytes:
        raise fail("TOKEN_LENGTH", f"{name}: {total} bytes of text, META says {text_bytes}")


# Section 8: SPECIALS


def read_specials(data: bytes, meta: Meta) -> dict[str, int]:
    """Check the special tokens."""
    if len(data) < 4:
        raise fail("SPECIALS", f"the section has {len(data)} bytes")
    count, at, last = struct.unpack_from("<I", data)[0], 4, -1
    specials: dict[str, int] = {}
    for index in range(count):
        if at + 6 > len(data):
            raise fail("SPECIALS", f"special token {index} of {count} is cut off")
        number, length = struct.unpack_from("<IH", data, at)
        raw = data[at + 6 : at + 6 + length]
        if not 1 <= length <= MAX_TOKEN_BYTES or len(raw) != length:
            raise fail("SPECIALS", f"special token {index}: {len(raw)} of {length} bytes")
        if not last <= number < meta.first_atom:
            raise fail("SPECIALS", f"special token {index} has the id {number} behind {last}")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise fail("SPECIALS", f"special token {index} is not UTF-8") from error
        if text in specials:
            raise fail("SPECIALS", f"special token {text!r} comes twice")
        specials[text] = last = number
        at += 6 + length
    if at != len(data):
        raise fail("SPECIALS", f"the special tokens end at {at}, the section at {len(data)}")
    behind = free_ids(meta.n_base_tokens, specials.values())[-1] + 1
    if behind > meta.n_base:
        raise fail("SPECIALS", f"the base's tokens have ids up to {behind - 1} and end at n_base")
    return specials


# Section 10 of the table: IDS


def read_ids(data: bytes, meta: Meta) -> list[int | None]:
    """Check the ids of atoms and merged tokens."""
    n_tokens = meta.n_atoms + meta.n_merges
    try:
        differences, at = leb.unpack(data, 0, n_tokens)
    except ValueError as error:
        raise fail("IDS", str(error)) from error
    if at != len(data):
        raise fail("IDS", f"the ids end at {at}, the section at {len(data)}")
    numbers = leb.unzigzag(differences)
    ids = [meta.first_atom + number - 1 if number else None for number in numbers]
    given = [number for number in ids if number is not None]
    given += [meta.space_id] if meta.space_id != NONE else []
    if sorted(given) != list(range(meta.first_atom, meta.n_vocab)):
        raise fail("IDS", f"the ids are not {meta.first_atom} to {meta.n_vocab - 1}, each once")
    return ids


# Section 9 of the table: PROVENANCE, which the core does not read


def read_provenance(container: Container) -> dict[str, str]:
    """The artifact's origin: name, source, license... Empty where there is no such section.

    Raises:
        ArtifactError: it is no compact JSON object of strings, keys sorted (PROVENANCE).
    """
    data = container.data(Kind.PROVENANCE)
    if data is None:
        return {}
    try:
        text = data.decode("utf-8")
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail("PROVENANCE", f"the section is no JSON: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise fail("PROVENANCE", "the section is no JSON object of strings")
    if text != provenance_json(found):
        raise fail("PROVENANCE", "the section is not compact JSON with sorted keys")
    return found
