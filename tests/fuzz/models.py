"""Random models, and texts for them: all that an artifact can hold.

Whatever the format allows is made, and most often what is seldom in a model that people train:
rules that look ahead, routes that cut and rewrite in turns, several routes of units, tokens that no
text produces. A seed gives the same models and texts again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from wwho.assemble.bpe import live_pairs, singles
from wwho.format.added import TOUCHING
from wwho.format.automaton import BEHIND, DEAD, START, Automaton, CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.classmap import MAX_CODE_POINT, ClassMap
from wwho.format.decoder import Blocks as JoinBlocks
from wwho.format.decoder import Bytes, Decoder, Join, Some, Strip, Unique, Unspell, Where
from wwho.format.decoder import Replace as ReplaceToken
from wwho.format.decoder import Step as Decoding
from wwho.format.greedy import Greedy
from wwho.format.model import Added, Artifact, Flag, Ids, Pair, Route, Unknown
from wwho.format.steps import (
    MATCH,
    Action,
    Blocks,
    Cut,
    Ends,
    Map,
    Replace,
    Rewrite,
    Rules,
    Spell,
    Step,
)
from wwho.format.template import Place, Template, What
from wwho.format.viterbi import Viterbi
from wwho.reference.merge import merge
from wwho.reference.sampling import f32
from wwho.reference.scan import matches

CHARACTERS = (
    "aaabbcdexyzAB  019.-#\n'\u00e9\u0301\u0d9a\u0dca\u200d\u0928\U0001f600\ufffd"
    "\uac00\u1100\u1161\u11a8"  # a syllable of Hangul, and what it and others are made of
)
ModelT = TypeVar("ModelT", Viterbi, Greedy)
LONGEST_TEXT = 1500  # bytes: some rules look ahead to the end of the text at each pretoken
LONGEST_TOKEN = 300  # bytes
LONGEST_SYMBOL = 200  # bytes


def random_model(rng: Random) -> tuple[Artifact, list[bytes]]:
    """A model over a few characters, which readers may refuse, and texts of them."""
    letters = rng.choices(CHARACTERS, k=rng.randint(2, 9))
    artifact = draw_scanners(rng, letters, units=rng.random() < 0.8)
    base = random_base(rng, letters)
    added = random_added(rng, letters, base)
    base = with_ids(rng, base, added)
    artifact = replace(artifact, models=(base,), added=added)
    if any(route.units is not None for route in artifact.routes):
        first = artifact.n_vocab + rng.randint(0, 2)
        if rng.random() < 0.3:
            artifact = of_characters(artifact)
            units = random_affixes(rng, letters, first, added)
        else:
            units = BPE(units=True, symbols=random_symbols(rng, artifact, letters), first_id=first)
            units = with_unknown(rng, with_merges(rng, units), added)
        artifact = replace(artifact, models=(base, units))
        if not units.n_superwords and rng.random() < 0.3:
            routes = [with_steps(rng, artifact, route, letters) for route in artifact.routes]
            artifact = replace(artifact, routes=tuple(routes))
    for with_models in (with_paths, with_longest_match):
        if rng.random() < 0.3:
            artifact = with_models(rng, artifact, letters)
    if rng.random() < 0.3:
        artifact = with_normalizer(rng, artifact, letters)
    if rng.random() < 0.3:
        artifact = with_ends(rng, artifact, letters)
    return with_properties(rng, artifact), list(texts(rng, artifact, letters))


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


def random_automaton(
    rng: Random, n_classes: int, n_rules: int, *, behind: bool = False
) -> Automaton:
    """An automaton that matches something in every text; some look ahead, or `behind`."""
    columns = tuple(rng.randint(1, min(n_classes, 4)) for _ in range(n_classes))
    n_columns, n_starts = max(columns) + 1, rng.randint(1, 3) if behind else 0
    first = START + 1 + bool(behind) + n_starts
    n_states = first + rng.randint(1, 5)
    looks_ahead, goes_on = rng.random() < 0.4, rng.choice((0.1, 0.5, 0.9))
    rules = [0, *([1] * rng.choice((1, 8))), *range(1, n_rules + 1)]
    accepts = {state: rng.choice(rules) for state in range(first, n_states)}
    accepts[first] = accepts[first] or 1
    firsts = [state for state, mark in accepts.items() if mark or looks_ahead]

    def row(states: Sequence[int]) -> tuple[tuple[int, int], ...]:
        return ((0, 0), *((0, rng.choice(states)) for _ in range(1, n_columns)))

    table = [((0, 0),) * n_columns, row(firsts)]
    if behind:
        table += [row(range(BEHIND + 1, first)), *(row(firsts) for _ in range(n_starts))]
    for mark in accepts.values():
        ways = [column > 0 and rng.random() < goes_on for column in range(n_columns)]
        tos = [rng.choice(list(accepts)) if way else 0 for way in ways]
        marks = [mark] * n_columns
        if looks_ahead:
            marks = [rng.choice(rules) or int(not to) for to in tos]
        table.append(tuple(zip(marks, tos, strict=True)))
    return Automaton("random", columns, n_columns, n_states, n_rules, tuple(table), behind)


def draw_scanners(rng: Random, letters: Sequence[str], *, units: bool) -> Artifact:
    """Return what cuts text: a router, routes of units, and routes of steps."""
    classes = random_classes(rng, letters)
    n_routes = rng.randint(2, 4) if units else rng.randint(1, 2)
    routed = n_routes > 1
    automata = [random_automaton(rng, classes.n_classes, n_routes)] if routed else []
    cuts = [random_cut(rng, len(automata) + k) for k in range(rng.randint(0, 3))]
    automata += [
        random_automaton(rng, classes.n_classes, 3, behind=rng.random() < 0.2) for _ in cuts
    ]
    blocks = random_blocks(rng, sorted(set(letters))) if rng.random() < 0.15 else None
    routes: list[Route] = []
    for number in range(n_routes):
        name = f"route {number}"
        if not units or number == 0 or (number > 1 and rng.random() < 0.4):
            steps = random_route(rng, cuts, letters)
            routes.append(Route(name, 0, (*steps, blocks) if blocks else steps))
        elif number > 1 and routes[-1].units is not None and rng.random() < 0.6:
            routes.append(Route(name, 1, units=routes[-1].units))
        else:
            routes.append(Route(name, 1, units=len(automata)))
            automata.append(random_automaton(rng, classes.n_classes, 3))
    return Artifact(
        scanners=CompiledScanners(classes, tuple(automata)),
        router=0 if routed else None,
        routes=tuple(routes),
        models=(BPE(),),
        provenance={"name": "random"},
    )


def random_cut(rng: Random, automaton: int) -> Cut:
    """Return a cut with an action of any kind for each of the three rules of an automaton."""
    actions = tuple(rng.choices(list(Action), (6, *[1] * (len(Action) - 1)), k=3))
    numbers = tuple(
        rng.randint(1, 4) if action is Action.COUNT else rng.choice((0, 0, 0, 1, 3))
        for action in actions
    )
    joins = [Action.COUNT in actions and rng.random() < 0.4 for _ in range(3)]
    return Cut(automaton, actions, numbers, *joins)


MOST_STEPS = 6
MOST_GROWING = 3
"""Of the steps of a route, how many may make a text longer, at most."""


def random_route(rng: Random, cuts: Sequence[Cut], letters: Sequence[str]) -> tuple[Step, ...]:
    """Return up to six steps of all kinds that a route may have, but BLOCKS; most often none."""
    steps: list[Step] = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3, MOST_STEPS))):
        kind = rng.choice(("cut", "cut", "cut", "ends", "map", "spell"))
        growing = sum(not isinstance(step, Cut) for step in steps)
        if kind == "cut" and cuts:
            steps.append(rng.choice(cuts))
        elif kind == "ends" and growing < MOST_GROWING:
            flags = [rng.random() < 0.4 for _ in range(2)]
            steps.append(Ends("", False, False, some_text(rng, letters, 1), "", *flags))
        elif kind == "map" and growing < MOST_GROWING:
            some = rng.sample(sorted(set(letters)), 1)
            mapping = {ord(each): tuple(map(ord, some_text(rng, letters, 1))) for each in some}
            mapping = {each: targets for each, targets in mapping.items() if targets != (each,)}
            steps.append(Map(mapping))
        elif kind == "spell" and growing < MOST_GROWING:
            steps.append(Spell())
    return tuple(steps)


def with_steps(rng: Random, artifact: Artifact, route: Route, letters: Sequence[str]) -> Route:
    """Return a route of units with steps of all kinds, or another route as it is."""
    if route.units is None:
        return route
    cuts = [step for step in artifact.steps if isinstance(step, Cut)]
    return replace(route, steps=random_route(rng, cuts, letters))


def of_characters(artifact: Artifact) -> Artifact:
    """Return an artifact whose units are single characters, all of one rule."""
    scanners = artifact.scanners
    n_classes, number = scanners.classes.n_classes, len(scanners.automata)
    start, end = ((0, DEAD), (0, START + 1)), ((1, DEAD), (1, DEAD))
    table = (((0, DEAD),) * 2, start, end)
    characters = Automaton("characters", (1,) * n_classes, 2, len(table), 1, table)
    routes = tuple(
        route if route.units is None else replace(route, units=number) for route in artifact.routes
    )
    automata = (*scanners.automata, characters)
    return replace(artifact, scanners=replace(scanners, automata=automata), routes=routes)


# Vocabularies


def random_pairs(rng: Random, symbols: Mapping[int, bytes], first: int, count: int) -> list[Pair]:
    """Pairs that make tokens from id `first` on, of different texts; in most models all replay."""
    texts = dict(symbols)
    parts: dict[int, tuple[int, ...]] = {symbol: (symbol,) for symbol in symbols}
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


def random_base(rng: Random, letters: Sequence[str]) -> BPE:
    """Bytes in some order, and pairs of those of the letters."""
    order = rng.sample(range(256), 256) if rng.random() < 0.5 else range(256)
    symbols = tuple(bytes([byte]) for byte in order)
    used = {symbols.index(bytes([byte])): bytes([byte]) for byte in {*"".join(letters).encode()}}
    if rng.random() < 0.3:
        return with_ranks(rng, BPE(symbols=symbols), sorted(used))
    pairs = random_pairs(rng, dict(sorted(used.items())), 256, rng.randint(0, 12))
    return BPE(symbols=symbols, merges=pairs)


def random_added(rng: Random, letters: Sequence[str], base: BPE) -> tuple[Added, ...]:
    """Added tokens with all flags there are, of ids after those of the base."""
    names = [name for name in ("<|s|>", letters[0] * 2, "[UNK]", "".join(letters[:3])) if name]
    names = [name for name in dict.fromkeys(names) if rng.random() < 0.5]
    flags = [Flag.SPECIAL, *(Flag(rng.randrange(2 * max(Flag))) for _ in range(2))]
    first = len(base.texts)
    ids = [first + 2 * k for k in range(len(names))]
    if rng.random() < 0.2:  # several texts of one id, or ids among those of the base
        ids = sorted(rng.choices(range(rng.choice((0, first)), first + 3), k=len(names)))
    known = dict(enumerate(base.texts))
    return tuple(
        Added(known.get(number, name.encode()).decode(errors="replace"), number, rng.choice(flags))
        if rng.random() < 0.5
        else Added(name, number, rng.choice(flags))
        for name, number in zip(names, ids, strict=True)
    )


def with_ids(rng: Random, base: BPE, added: Sequence[Added]) -> BPE:
    """Return a base with ids of any kind: counted, stepping over those of added tokens, stated."""
    n_tokens, taken = len(base.texts), {token.id for token in added}
    if taken and min(taken) < n_tokens and rng.random() < 0.7:
        return replace(base, id_policy=Ids.STEP)
    unk_id = next((token.id for token in added if token.text == "[UNK]"), None)
    if unk_id is None or list(base.symbols) != sorted(base.symbols) or rng.random() < 0.5:
        return base
    numbers = rng.sample(range(2 * n_tokens), n_tokens)
    given = [None if rng.random() < 0.05 else max(taken) + 1 + number for number in numbers]
    lacks = None in given[: base.n_symbols]
    return replace(
        base,
        id_policy=Ids.STATED,
        stated=tuple(given),
        unknown=Unknown.ID if lacks else Unknown.NONE,
        unk_id=unk_id if lacks else None,
    )


def with_properties(rng: Random, artifact: Artifact) -> Artifact:
    """The artifact with properties of classes, where added tokens need them."""
    if not any(token.flags & TOUCHING for token in artifact.added):
        return artifact
    n_classes = artifact.scanners.classes.n_classes
    return replace(artifact, properties=bytes(rng.randrange(4) for _ in range(n_classes)))


def random_symbols(rng: Random, artifact: Artifact, letters: Sequence[str]) -> tuple[bytes, ...]:
    """Symbols: units of texts, not all of them, and others."""
    scanners, found = artifact.scanners, set[bytes]()
    for number in {route.units for route in artifact.routes if route.units is not None}:
        for _ in range(6):
            text = "".join(rng.choices(letters, k=12))
            cuts = matches(scanners, scanners.automata[number], text)
            found |= {text[start:end].encode() for start, end, _ in cuts}
    found |= {f" {rng.choice(letters)}".encode() for _ in range(rng.randint(0, 3))}
    found |= {rng.choice(letters).encode() for _ in range(3)}
    known = rng.choice((1.0, 0.9, 0.6))
    units = [unit for unit in sorted(found - {b" "}) if len(unit) <= LONGEST_SYMBOL]
    return tuple(unit for unit in units if rng.random() < known)


def with_merges(rng: Random, model: BPE) -> BPE:
    """The model with merges, and perhaps superwords."""
    if model.symbols and rng.random() < 0.4:
        return with_ranks(rng, model, range(len(model.symbols)))
    symbols = dict(enumerate(model.symbols))
    model = replace(model, merges=random_pairs(rng, symbols, len(symbols), rng.randint(0, 15)))
    if rng.random() < 0.5:
        return model
    tokens = dict(enumerate(model.texts))
    superwords = random_pairs(rng, tokens, len(tokens), rng.randint(1, 12))
    return replace(model, merges=[*model.merges, *superwords], n_superwords=len(superwords))


def with_ranks(rng: Random, model: BPE, used: Sequence[int]) -> BPE:
    """The model with tokens in any order of rank: parts after wholes, ties, and some unmade.

    A byte stands for each of the symbols that are used, so that its number is part of a text.
    """
    found, texts = [bytes([symbol]) for symbol in used], set(model.symbols)
    ranks: dict[bytes, float] = {}
    n_tokens = rng.randint(1, 15)
    for rank in rng.sample(range(n_tokens), n_tokens):
        spelled = rng.choice(found) + rng.choice(found)
        text = b"".join(model.symbols[symbol] for symbol in spelled)
        if len(text) <= LONGEST_TOKEN and text not in texts:
            texts.add(text)
            found.append(spelled)
            if rng.random() < 0.9:
                ranks[spelled] = rank // 2 if model.units else rank
    pairs = live_pairs(ranks, ranks, set(found[: len(used)]), singles)
    made = sorted(pairs, key=lambda spelled: (pairs[spelled].rank, spelled))
    numbers = {spelled: number for number, spelled in enumerate(made, model.n_symbols)}
    numbers |= {bytes([symbol]): symbol for symbol in used}
    merges = [(numbers[pairs[k].left], numbers[pairs[k].right]) for k in made]
    ties = (k for k in range(1, len(made)) if pairs[made[k]].rank == pairs[made[k - 1]].rank)
    unmade = [b"".join(model.symbols[k] for k in each) for each in found if each not in numbers]
    model = replace(model, merges=merges, ties=tuple(ties), unmade=tuple(sorted(unmade)))
    return replace(model, whole=bool(unmade) and rng.random() < 0.5)


def with_unknown(rng: Random, model: BPE, added: Sequence[Added]) -> BPE:
    """The model with what becomes of unknown units, and ids: counted, or stated in any order."""
    n_tokens, first = len(model.texts), model.first_id
    unk_id = next((token.id for token in added if token.text == "[UNK]"), None)
    space = rng.random() < 0.5
    choices = [Unknown.SPELL, *([Unknown.BYTES, Unknown.ID] if unk_id is not None else [])]
    unknown = rng.choice(choices if not model.n_superwords else [Unknown.SPELL, choices[-1]])
    parts = unknown is Unknown.SPELL and rng.random() < 0.5
    model = replace(model, unknown=unknown, parts=parts, unk_id=unk_id)
    if unknown is not Unknown.SPELL:
        model = replace(model, fuse=rng.random() < 0.5)
    if unknown is not Unknown.BYTES and (
        unk_id is None or model.n_superwords or rng.random() < 0.4
    ):
        model = replace(model, space_id=first + n_tokens if space else None)
        after = first + n_tokens + space
    else:
        given = [rng.random() < 0.8 for _ in range(n_tokens)]
        numbers = rng.sample(range(2 * n_tokens + space), sum(given) + space)
        ids = tuple(first + numbers.pop() if has else None for has in given)
        model = replace(model, id_policy=Ids.STATED, stated=ids)
        model = replace(model, space_id=first + numbers[0] if space else None)
        after = first + 2 * n_tokens + space
    if unknown is Unknown.BYTES:
        known = rng.choice((1.0, 0.98))
        byte_ids = tuple(after + byte if rng.random() < known else None for byte in range(256))
        model = replace(model, byte_ids=byte_ids)
    return model


def random_affixes(
    rng: Random, letters: Sequence[str], first_id: int, added: Sequence[Added]
) -> BPE:
    """Return a model of characters with a prefix, a suffix, both or none."""
    prefix, suffix = rng.choice((("##", ""), ("", "</w>"), ("#", "a"), ("", "")))
    known = sorted(set(letters))
    written = {
        f"{prefix if later else ''}{letter}{suffix if last else ''}"
        for letter in known
        for later in (False, True)
        for last in (False, True)
        if rng.random() < 0.85
    }
    symbols = tuple(sorted(text.encode() for text in written))
    model = BPE(units=True, symbols=symbols, prefix=prefix, suffix=suffix, first_id=first_id)
    taken, long, merges = set(symbols), set(symbols), list[Pair]()
    parts: list[tuple[bytes, ...]] = [(text,) for text in symbols]
    marked = prefix.encode()
    for _ in range(60):
        left, right = rng.randrange(len(parts)), rng.randrange(len(parts))
        whole = parts[left] + parts[right]
        text = whole[0] + b"".join(each.removeprefix(marked) for each in whole[1:])
        ranks = {pair: model.n_symbols + number for number, pair in enumerate(merges)}
        ranks[left, right] = model.n_symbols + len(merges)
        first = [symbols.index(each) for each in whole]
        replays = merge(first, ranks) == [model.n_symbols + len(merges)]
        if replays and text not in taken and b"".join(whole) not in long and len(whole) < 20:
            taken.add(text)
            long.add(b"".join(whole))
            merges.append((left, right))
            parts.append(whole)
    model = replace(model, merges=merges)
    unk_id = next((token.id for token in added if token.text == "[UNK]"), None)
    if model.affixes and rng.random() < 0.4:
        model = replace(model, whole=True)
    if rng.random() < 0.3 or (unk_id is None and not symbols):
        return replace(model, unknown=Unknown.NONE)
    if unk_id is None or rng.random() < 0.4:  # a symbol of its own, which may merge
        unk_id = first_id + rng.randrange(len(symbols)) if symbols else unk_id
    if rng.random() < 0.3:
        after = first_id + len(model.texts)
        ids = tuple(range(first_id, after))
        byte_ids = tuple(after + byte if rng.random() < 0.98 else None for byte in range(256))
        model = replace(model, id_policy=Ids.STATED, stated=ids, byte_ids=byte_ids)
        model = replace(model, unknown=Unknown.BYTES)
    else:
        model = replace(model, unknown=Unknown.ID)
    return replace(model, unk_id=unk_id, fuse=rng.random() < 0.4)


def with_paths(rng: Random, artifact: Artifact, letters: Sequence[str]) -> Artifact:
    """Return the artifact with a Unigram model for some routes: all with units, or all without."""
    number, has_units = len(artifact.models), [r.units is not None for r in artifact.routes]
    units = rng.choice(has_units)
    own = [has == units and rng.random() < 0.7 for has in has_units]
    model = random_paths(rng, letters, artifact.n_vocab, artifact.added, units=units)
    routes = zip(artifact.routes, own, strict=True)
    return replace(
        artifact,
        models=(*artifact.models, model),
        routes=tuple(replace(route, model=number) if its else route for route, its in routes),
    )


def random_paths(
    rng: Random, letters: Sequence[str], first_id: int, added: Sequence[Added], *, units: bool
) -> Viterbi:
    """Return a Unigram model of some of the letters and texts of them, with scores of any sign."""
    known = {letter for letter in letters if rng.random() < 0.9}
    long = {"".join(rng.choices(letters, k=rng.randint(1, 6))) for _ in range(rng.randint(1, 20))}
    tokens = tuple(sorted(text.encode() for text in known | long))
    narrow = rng.random() < 0.5
    scores = [rng.choice((-1.0, -2.5, 0.0, 3.0, -20 * rng.random())) for _ in tokens]
    model = Viterbi(
        tokens=tokens,
        scores=tuple(map(f32, scores) if narrow else scores),
        narrow=narrow,
        units=units,
        first_id=first_id,
        unknown=Unknown.SPELL,
    )
    return with_unknown_text(rng, model, added)


def with_unknown_text(rng: Random, model: ModelT, added: Sequence[Added]) -> ModelT:
    """Return a Unigram or longest-match model that spells with what becomes of unknown text."""
    ids: list[int] = [*range(model.first_id, model.first_id + len(model.texts))]
    unk_id = next((token.id for token in added if token.text == "[UNK]"), None)
    if unk_id is None or rng.random() < 0.3:
        unk_id = rng.choice(ids)  # a token of its own
    kind = rng.choice((Unknown.SPELL, Unknown.ID, Unknown.BYTES))
    if kind is Unknown.SPELL:
        return model
    if kind is Unknown.ID:
        return replace(model, unknown=kind, unk_id=unk_id)
    byte_ids = [ids[-1] + 1 + byte for byte in range(256)]
    known = rng.choice((1.0, 0.98))
    for byte, token in zip(rng.sample(range(256), 3), reversed(ids), strict=False):
        if rng.random() < 0.3:  # a byte that has the id of a token
            byte_ids[byte] = token
    given = [token if rng.random() < known and token != unk_id else None for token in byte_ids]
    model = replace(model, id_policy=Ids.STATED, stated=tuple(ids), byte_ids=tuple(given))
    return replace(model, unknown=kind, unk_id=unk_id)


def with_longest_match(rng: Random, artifact: Artifact, letters: Sequence[str]) -> Artifact:
    """Return the artifact with a model of the longest match for some routes without units."""
    number = len(artifact.models)
    model = random_longest_match(rng, letters, artifact.n_vocab, artifact.added)
    routes = tuple(
        replace(route, model=number, steps=without_blocks(route.steps))
        if route.units is None and rng.random() < 0.7
        else route
        for route in artifact.routes
    )
    return replace(artifact, models=(*artifact.models, model), routes=routes)


def without_blocks(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps but for BLOCKS, which is for BPE alone."""
    return tuple(step for step in steps if not isinstance(step, Blocks))


def random_longest_match(
    rng: Random, letters: Sequence[str], first_id: int, added: Sequence[Added]
) -> Greedy:
    """Return a model of the longest match, whose tokens begin pretokens, continue them, or both."""

    all_known = rng.random() < 0.2
    single = [bytes([byte]) for byte in range(256)] if all_known else []

    def some() -> tuple[bytes, ...]:
        known = {letter for letter in letters if rng.random() < 0.9}
        n_long = rng.randint(1, 15)
        long = {"".join(rng.choices(letters, k=rng.randint(1, 6))) for _ in range(n_long)}
        found = sorted(text.encode() for text in known | long)
        return tuple(dict.fromkeys((*rng.sample(found, len(found)), *single)))

    first, later = some(), some() if rng.random() < 0.7 else None
    model = Greedy(first=first, later=later, first_id=first_id)
    if all_known:
        return model
    limit = rng.choice((None, None, 1, 5, 100))
    model = replace(model, max_characters=limit, unknown=Unknown.SPELL)
    model = with_unknown_text(rng, model, added)
    if later and model.unknown is Unknown.ID and rng.random() < 0.3:  # tokens of one id
        n_first, both = len(first), min(len(first), len(later))
        ids = [*range(first_id, first_id + len(model.texts))]
        ids[n_first : n_first + both] = ids[:both]
        return replace(model, id_policy=Ids.STATED, stated=tuple(ids))
    return model


# What rewrites texts, and what comes after the models


def some_text(rng: Random, letters: Sequence[str], least: int = 0) -> str:
    """A few letters."""
    return "".join(rng.choices(letters, k=rng.randint(least, 3)))


def with_normalizer(rng: Random, artifact: Artifact, letters: Sequence[str]) -> Artifact:
    """Return the artifact with one to three steps of a normalizer, first or second ones."""
    scanners = artifact.scanners
    behind, n_classes = rng.random() < 0.2, scanners.classes.n_classes
    automata = [*scanners.automata, random_automaton(rng, n_classes, 3, behind=behind)]
    artifact = replace(artifact, scanners=CompiledScanners(scanners.classes, tuple(automata)))
    steps = [random_step(rng, len(automata) - 1, letters) for _ in range(rng.randint(1, 3))]
    first = rng.randint(0, len(steps))
    return replace(artifact, normalizer=tuple(steps[:first]), second=tuple(steps[first:]))


def random_step(rng: Random, automaton: int, letters: Sequence[str]) -> Rewrite:
    """Return a step of any kind that rewrites."""
    known = sorted(set(letters))
    some = rng.sample(known, rng.randint(1, len(known)))
    kind = rng.randrange(5)
    if kind == 4:
        return Spell()
    if kind == 0:
        mapping = {ord(each): tuple(map(ord, some_text(rng, letters))) for each in some}
        mapping = {each: targets for each, targets in mapping.items() if targets != (each,)}
        marks = rng.sample(known, min(rng.randint(0, 2), len(known)))
        composed = chr(rng.choice((0xE9, 0x1F600, 0xFFFD, 0x78)))
        pairs = {} if ord(composed) in mapping else {(ord(some[0]), ord(known[0])): ord(composed)}
        if composed in (some[0], known[0]):
            pairs = {}
        order = {ord(mark): rng.choice((1, 9)) for mark in marks}
        hangul = rng.choice(((False, False), (True, False), (True, True), (False, True)))
        return Map(mapping, order, pairs if rng.random() < 0.5 else {}, *hangul)
    if kind == 1:
        # What comes before the match would have a later place than the match.
        starts = ("", "", MATCH)
        contents = [
            rng.choice((None, rng.choice(starts) + some_text(rng, letters))) for _ in range(3)
        ]
        after = frozenset(k for k in range(3) if contents[k] is not None and rng.random() < 0.3)
        if rng.random() < 0.3:  # the pattern may match nothing
            for k in (1, 2):
                before, behind = some_text(rng, letters), some_text(rng, letters)
                contents[k] = before + MATCH + behind
            return Replace(automaton, tuple(contents), frozenset(), empty=True)
        return Replace(automaton, tuple(contents), after)
    if kind == 2:
        left, right = rng.random() < 0.7, rng.random() < 0.7
        strip = "".join(sorted(some)) if left or right else ""
        prefix = some_text(rng, letters, 0 if strip else 1)
        flags = [bool(prefix) and rng.random() < 0.4 for _ in range(2)]
        return Ends(strip, left, right, prefix, some_text(rng, letters), *flags)
    rules = {some_text(rng, letters, 1): some_text(rng, letters) for _ in range(4)}
    return Rules(rules, rng.choice((None, automaton)))


def random_blocks(rng: Random, known: Sequence[str]) -> Blocks:
    """Return a step that writes some characters as symbols of two blocks."""
    blocks: list[tuple[tuple[int, int], ...]] = []
    for part in (known[::2], known[1::2]):
        if part:
            blocks.append(tuple((ord(each), ord(each)) for each in part))
    most = max(map(len, blocks))
    return Blocks(tuple(blocks), most + rng.choice((0, 1, 300)), rng.random() < 0.5)


def with_ends(rng: Random, artifact: Artifact, letters: Sequence[str]) -> Artifact:
    """The artifact with a template, a decoder, or both."""
    ids = sorted(artifact.decoded)
    if rng.random() < 0.7:
        around = [[Place(What.ID, rng.randrange(3), rng.choice(ids))] for _ in range(3)]
        first, second = (
            Place(what, rng.randrange(3), rng.choice((0, 0, 2, 19, 31)))
            for what in (What.FIRST, What.SECOND)
        )
        pair = rng.choice(([first, *around[0], second], [second, first, *around[1]]))
        template = Template((*around[2], first, *rng.choice(around)), tuple(pair))
        artifact = replace(artifact, template=template)
    if rng.random() < 0.7:
        surfaces = {token: some_text(rng, letters).encode() for token in rng.sample(ids, 2)}
        steps: list[Decoding] = [random_decoding(rng, letters) for _ in range(rng.randint(0, 4))]
        if artifact.blocks and len(steps) != 1:  # bytes that are tokens may be half a symbol
            steps.insert(rng.randint(0, len(steps)), JoinBlocks())
        prefix = rng.choice(("", "##", some_text(rng, letters)))
        artifact = replace(artifact, decoder=Decoder(tuple(steps), prefix, surfaces))
    return artifact


def random_decoding(
    rng: Random, letters: Sequence[str]
) -> ReplaceToken | Strip | Bytes | Join | Unique | Some | Unspell:
    """A step of a decoder, of any kind."""
    text, where = some_text(rng, letters), rng.choice(list(Where))
    return rng.choice(
        (
            ReplaceToken(some_text(rng, letters, 1), text, where),
            Strip(some_text(rng, letters), rng.randrange(3), rng.randrange(3), text, where),
            Bytes(rng.random() < 0.5),
            Join(text),
            Unique(),
            Some(),
            Unspell(),
        )
    )


# Texts


def texts(rng: Random, artifact: Artifact, letters: Sequence[str]) -> Iterator[bytes]:
    """Texts of the model's letters and tokens, short and long; some are broken UTF-8."""
    merged = (text for model in artifact.models for text in model.texts[-40:])
    tokens = [text for text in merged if 1 < len(text) < 40]
    added = [token.text.encode() for token in artifact.added]
    parts = [*(letter.encode() for letter in letters), *tokens, *added]
    for length in (1, 3, 8, 20, 60, 150, 400):
        yield b"".join(rng.choices(parts, k=length))[:LONGEST_TEXT]
        yield "".join(rng.choices(letters, k=length)).encode()
    part = b"".join(rng.choices(parts, k=rng.randint(1, 4)))
    yield (part * rng.randint(1, 200))[:LONGEST_TEXT]
    whole = b"".join(rng.choices(parts, k=20))
    cut = rng.randrange(len(whole) + 1)
    yield (whole[cut:] + b"\x80\xff" + whole[:cut])[:LONGEST_TEXT]
