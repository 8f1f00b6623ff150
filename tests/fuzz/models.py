"""Random models, and texts for them: automata, base vocabularies, atoms, superwords, stated ids.

Whatever the format allows is made, and most often what is seldom in a model that people train:
rules that look ahead, several routes of model 1, tokens that no text produces. A seed gives the
same models and texts again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from wwho.core.merge import merge
from wwho.format.model import Model, Pair, Route
from wwho.grammar.automaton import START, Automaton, CompiledScanners
from wwho.grammar.classmap import ClassMap
from wwho.grammar.codepoints import MAX_CODE_POINT
from wwho.grammar.run import pieces

CHARACTERS = "aaabbcdexyzAB  019.-\n'\u00e9\u0d9a\u0dca\u200d\u0928\U0001f600\ufffd"
LONGEST_TEXT = 1500  # bytes: some rules look ahead to the end of the text at each pretoken
LONGEST_TOKEN = 300  # bytes
LONGEST_ATOM = 200  # bytes


def random_model(rng: Random) -> tuple[Model, list[bytes]]:
    """A model over a few characters, which readers may refuse, and texts of them."""
    letters = rng.choices(CHARACTERS, k=rng.randint(2, 9))
    model = with_base(rng, scanned(rng, letters, sgpe=rng.random() < 0.8), letters)
    if model.has_sgpe:
        model = with_ids(rng, with_merges(rng, with_atoms(rng, model, letters)))
    return model, list(texts(rng, model, letters))


# Automata and routes


def random_classes(rng: Random, letters: Sequence[str]) -> ClassMap:
    """A class for each of a few ranges, which begin at the letters or end there."""
    firsts = sorted({0, *map(ord, letters), *(ord(letter) + 1 for letter in letters)})
    n_labels, labels = rng.randint(1, 5), dict[int, int]()
    ranges: list[tuple[int, int, int]] = []
    for first, after in zip(firsts, [*firsts[1:], MAX_CODE_POINT + 1], strict=True):
        label = labels.setdefault(rng.randrange(n_labels), len(labels))
        start = ranges.pop()[0] if ranges and ranges[-1][2] == label else first
        ranges.append((start, after - 1, label))
    return ClassMap(len(labels), tuple(ranges))


def random_automaton(rng: Random, n_classes: int, n_rules: int) -> Automaton:
    """An automaton that matches something in every text; some look ahead."""
    columns = tuple(rng.randint(1, min(n_classes, 4)) for _ in range(n_classes))
    n_columns, n_states = max(columns) + 1, rng.randint(3, 7)
    looks_ahead, goes_on = rng.random() < 0.4, rng.choice((0.1, 0.5, 0.9))
    rules = [0, *([1] * rng.choice((1, 8))), *range(1, n_rules + 1)]
    accepts = {state: rng.choice(rules) for state in range(START + 1, n_states)}
    accepts[START + 1] = accepts[START + 1] or 1
    firsts = [state for state, mark in accepts.items() if mark or looks_ahead]
    start = ((0, 0), *((0, rng.choice(firsts)) for _ in range(1, n_columns)))
    table = [((0, 0),) * n_columns, start]
    for mark in accepts.values():
        ways = [column > 0 and rng.random() < goes_on for column in range(n_columns)]
        tos = [rng.choice(list(accepts)) if way else 0 for way in ways]
        marks = [mark] * n_columns
        if looks_ahead:
            marks = [rng.choice(rules) or int(not to) for to in tos]
        table.append(tuple(zip(marks, tos, strict=True)))
    return Automaton("random", columns, n_columns, n_states, tuple(table))


def scanned(rng: Random, letters: Sequence[str], *, sgpe: bool) -> Model:
    """A model that cuts text, and knows no token but bytes."""
    classes = random_classes(rng, letters)
    n_routes = rng.randint(2, 4) if sgpe else rng.randint(1, 2)
    routed = n_routes > 1
    automata = [random_automaton(rng, classes.n_classes, n_routes)] if routed else []
    routes: list[Route] = []
    for number in range(n_routes):
        syllables = sgpe and (number == 1 or (number > 1 and rng.random() < 0.6))
        scanner = len(automata)
        if number > 1 and syllables == routes[-1].sgpe and rng.random() < 0.6:
            scanner = routes[-1].scanner
        else:
            automata.append(random_automaton(rng, classes.n_classes, 3))
        routes.append(Route(f"route {number}", scanner, syllables))
    return Model(
        scanners=CompiledScanners(classes, tuple(automata)),
        router=0 if routed else None,
        routes=tuple(routes),
        n_base=256,
        base_bytes=bytes(range(256)),
        base_pairs=(),
        first_atom=256,
        atoms=(),
        merges=(),
        space_id=None,
        unk_id=None,
        specials={},
        provenance={"name": "random"},
    )


# Vocabularies


def random_pairs(rng: Random, symbols: Mapping[int, bytes], first: int, count: int) -> list[Pair]:
    """Pairs that make tokens from id `first` on, of different texts; in most models all replay."""
    texts, parts = dict(symbols), {symbol: (symbol,) for symbol in symbols}
    ranks: dict[Pair, int] = {}
    replaying = rng.random() < 0.9
    for _ in range(8 * count if symbols else 0):
        # newer tokens more often, so that there are long ones
        left, right = (list(texts)[-1 - int(len(texts) * rng.random() ** 1.5)] for _ in range(2))
        token, text = first + len(ranks), texts[left] + texts[right]
        if len(text) > LONGEST_TOKEN or text in texts.values():
            continue
        whole = parts[left] + parts[right]
        if replaying and merge(whole, {**ranks, (left, right): token}) != [token]:
            continue
        ranks[left, right], texts[token], parts[token] = token, text, whole
        if len(ranks) == count:
            break
    return list(ranks)


def with_base(rng: Random, model: Model, letters: Sequence[str]) -> Model:
    """The model with pairs of the letters' bytes, and special tokens."""
    order = bytes(rng.sample(range(256), 256) if rng.random() < 0.5 else range(256))
    used = {order.index(byte): bytes([byte]) for byte in sorted({*"".join(letters).encode()})}
    pairs = random_pairs(rng, used, 256, rng.randint(0, 12))
    names = [name for name in ("<|s|>", letters[0] * 2, "[UNK]") if rng.random() < 0.5]
    n_tokens = 256 + len(pairs)
    specials = {name: n_tokens + 2 * k for k, name in enumerate(names)}
    first_atom = n_tokens + 2 * len(names)
    return replace(
        model,
        n_base=first_atom,
        base_bytes=order,
        base_pairs=pairs,
        specials=specials,
        first_atom=first_atom,
        unk_id=specials.get("[UNK]") if model.has_sgpe else None,
    )


def with_atoms(rng: Random, model: Model, letters: Sequence[str]) -> Model:
    """The model with atoms: units of its texts, not all of them, and others."""
    scanners, found = model.scanners, set[bytes]()
    for scanner in {route.scanner for route in model.routes if route.sgpe}:
        for _ in range(6):
            text = "".join(rng.choices(letters, k=12))
            cuts = pieces(scanners, scanners.automata[scanner], text)
            found |= {text[start:end].encode() for start, end, _ in cuts}
    found |= {f" {rng.choice(letters)}".encode() for _ in range(rng.randint(0, 3))}
    found |= {rng.choice(letters).encode() for _ in range(3)}
    known = rng.choice((1.0, 0.9, 0.6))
    units = [unit for unit in sorted(found - {b" "}) if len(unit) <= LONGEST_ATOM]
    return replace(model, atoms=tuple(unit for unit in units if rng.random() < known))


def with_merges(rng: Random, model: Model) -> Model:
    """The model with merges, and perhaps superwords."""
    atoms = dict(enumerate(model.atoms))
    model = replace(model, merges=random_pairs(rng, atoms, len(atoms), rng.randint(0, 15)))
    if rng.random() < 0.5:
        return model
    tokens = dict(enumerate(model.sgpe_tokens))
    superwords = random_pairs(rng, tokens, len(tokens), rng.randint(1, 12))
    return replace(model, merges=[*model.merges, *superwords], n_superwords=len(superwords))


def with_ids(rng: Random, model: Model) -> Model:
    """The model with a lone space, or with ids in any order, of which some tokens have none."""
    n_tokens, first = len(model.atoms) + len(model.merges), model.first_atom
    space = rng.random() < 0.5
    if model.unk_id is None or model.n_superwords or rng.random() < 0.4:
        return replace(model, space_id=first + n_tokens if space else None)
    given = [rng.random() < 0.8 for _ in range(n_tokens)]
    numbers = rng.sample(range(sum(given) + space), sum(given) + space)
    ids = [first + numbers.pop() if has else None for has in given]
    return replace(model, ids=tuple(ids), space_id=first + numbers[0] if space else None)


# Texts


def texts(rng: Random, model: Model, letters: Sequence[str]) -> Iterator[bytes]:
    """Texts of the model's letters and tokens, short and long; some are broken UTF-8."""
    tokens = [text for text in (*model.sgpe_tokens, *model.base_tokens[256:]) if len(text) < 40]
    parts = [*(letter.encode() for letter in letters), *tokens, *map(str.encode, model.specials)]
    for length in (1, 3, 8, 20, 60, 150, 400):
        yield b"".join(rng.choices(parts, k=length))[:LONGEST_TEXT]
        yield "".join(rng.choices(letters, k=length)).encode()
    part = b"".join(rng.choices(parts, k=rng.randint(1, 4)))
    yield (part * rng.randint(1, 200))[:LONGEST_TEXT]
    whole = b"".join(rng.choices(parts, k=20))
    cut = rng.randrange(len(whole) + 1)
    yield (whole[cut:] + b"\x80\xff" + whole[:cut])[:LONGEST_TEXT]
