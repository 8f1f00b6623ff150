"""Superwords: learnt as stated, lossless, and never across anything but one space."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from exhaustive import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from wwho.assemble.base import base_model, byte_base
from wwho.assemble.training_artifacts import counting_model, unit_model, with_merges
from wwho.backends.reference import ReferenceBackend
from wwho.cli.verify_artifact import check_merges
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.errors import CorpusError, SchemaError
from wwho.format.layout import SYLLABLE
from wwho.format.model import Artifact, Pair
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.reference.bpe import Units, words_of
from wwho.tokenizer import Tokenizer
from wwho.train import superwords as stage
from wwho.train.native import Phrases
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.reference import merge_pair, train_reference

SCHEMAS = [load_schema("sinhala"), load_schema("devanagari")]
BASE = base_model(
    [*(bytes([byte]) for byte in range(256)), b"th", b"\xe0\xb6"],
    pattern=r"\s?\w+|\s+|[^\s\w]+",
    specials={},
    provenance={"name": "toy"},
)
WORDS = [
    "ක",
    "ම",
    "කම",
    "ගම",
    "කි",
    "න්ද්‍ර",
    "ඤ",
    "क",
    "कम",
    "में",
    "हो",
    "।",
    "१",
    "a",
    "b.",
    ",",
    "්",
    "\n",
]
SEPARATORS = [" ", " ", " ", " ", "", "  ", "\n", ", "]
texts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(SEPARATORS)).map("".join), max_size=80
).map("".join)


def trained(folder: Path, text: str, count: Any, **options: Any) -> Artifact:
    """A vocabulary with superwords, of a file with this text and enough words to train on."""
    file = folder / "corpus.txt"
    file.write_text(f"{text}\nක ක ක ගම ගම\n", "utf-8")
    small = {"prune": 1, "min_freq": 1, "vocab_size": 60} | options
    return train_model([file], TrainOptions(schemas=SCHEMAS, base=BASE, superwords=count, **small))


def first_stage(model: Artifact) -> Artifact:
    """The same vocabulary without its superwords."""
    units = unit_model(model)
    return with_merges(model, units.merges[: len(units.merges) - units.n_superwords], 0)


def phrases_of(model: Artifact, text: str) -> Iterator[list[int]]:
    """The tokens of neighbouring words, word by word, as the documentation of Phrases says it."""
    backend = ReferenceBackend(write_artifact(model))
    engine = backend._walk.engines[1]
    assert isinstance(engine, Units)
    for line in text.encode("utf-8").splitlines(keepends=True):
        phrase: list[int] = []
        last = None
        found = backend.spans(line)
        starts = [k for k, span in enumerate(found) if span.first]
        for first, end in pairwise([*starts, len(found)]):
            spans = found[first:end]
            route = backend.artifact.routes[spans[0].route]
            rules = iter(spans)
            for word in words_of([(line[span.start : span.end], span.rule) for span in spans]):
                rule, *_ = [next(rules).rule for _ in word]
                known = route.units is not None and rule == SYLLABLE
                tokens = engine._known_tokens([word], None) if known else None
                if tokens is None or route is not last or word[0][:1] != b" ":
                    yield phrase
                    phrase = []
                last = route if tokens is not None else None
                phrase += tokens or []
        yield phrase


def sizes_of(model: Artifact) -> list[int]:
    """How many atoms each token of a first stage has."""
    units = [1] * len(unit_model(model).symbols)
    for left, right in unit_model(model).merges:
        units.append(units[left] + units[right])
    return units


def learnt(
    model: Artifact, text: str, count: int, max_words: int, max_units: int, min_freq: int
) -> list[tuple[Pair, int]]:
    """Superwords and their gains the slow way: all pairs are counted anew each time."""
    phrases = list(phrases_of(model, text))
    tokens = list(unit_model(model).texts)
    n_words, n_units = [1] * len(tokens), sizes_of(model)
    pairs: list[tuple[Pair, int]] = []
    while len(pairs) < count:
        counts: Counter[Pair] = Counter()
        for phrase in phrases:
            for left, right in pairwise(phrase):
                allowed = n_words[left] + n_words[right] <= max_words
                allowed = allowed and n_units[left] + n_units[right] <= max_units
                if tokens[right][:1] == b" " and allowed:
                    counts[left, right] += 1
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < min_freq:
            break
        pairs.append((best, counts[best]))
        tokens.append(tokens[best[0]] + tokens[best[1]])
        n_words.append(n_words[best[0]] + n_words[best[1]])
        n_units.append(n_units[best[0]] + n_units[best[1]])
        phrases = [merge_pair(phrase, best, len(tokens) - 1) for phrase in phrases]
    return pairs


@pytest.mark.slow
@settings(max_examples=60)
@given(
    texts, st.integers(1, 25), st.integers(2, 5), st.sampled_from([1, 2, 4, 99]), st.integers(1, 3)
)
def test_what_is_learnt_is_what_the_slow_trainer_learns(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    count: int,
    max_words: int,
    max_units: int,
    min_freq: int,
) -> None:
    model = trained(
        tmp_path_factory.mktemp("x"),
        text,
        count,
        max_words=max_words,
        max_token_units=max_units,
        min_freq=min_freq,
    )
    plain = first_stage(model)
    expected = learnt(plain, f"{text}\nක ක ක ගම ගම\n", count, max_words, max_units, min_freq)
    assert max(sizes_of(model)) <= max_units
    assert list(unit_model(model).merges[len(unit_model(plain).merges) :]) == [
        pair for pair, _ in expected
    ]
    assert unit_model(read_artifact(write_artifact(model))).n_superwords == len(expected)


def chosen(model: Artifact) -> int:
    """How many superwords the provenance says were chosen."""
    found = re.search(r"superwords auto \((\d+)\), max_words 4", model.provenance["training"])
    assert found is not None
    return int(found[1])


@examples(160)
@given(texts, st.sampled_from([30, 45, 90]), st.integers(1, 3))
def test_superwords_are_worth_their_ids_up_to_where_both_merges_save_the_same(
    tmp_path_factory: pytest.TempPathFactory, text: str, size: int, min_freq: int
) -> None:
    folder = tmp_path_factory.mktemp("x")
    options = {"vocab_size": size, "min_freq": min_freq}
    auto = trained(folder, text, "auto", **options)
    corpus = f"{text}\nක ක ක ගම ගම\n"
    full = trained(folder, text, 0, **options)
    within = train_reference(
        counting_model(SCHEMAS), corpus, vocab_size=size - 5, prune=1, min_freq=min_freq
    ).gains
    room = size - 5 - len(unit_model(full).symbols)
    saved = [gain for _, gain in learnt(full, corpus, room, 4, 1023, min_freq)]
    lost = [*within, *[0] * (room - len(within))][::-1]
    worth = [ours >= theirs for ours, theirs in zip(saved, lost, strict=False)]
    assert chosen(auto) == [*worth, False].index(False)
    asked_for = trained(folder, text, chosen(auto), **options)
    assert replace(auto, provenance={}) == replace(asked_for, provenance={})


def test_the_automatic_share_is_near_the_best_one(tmp_path: Path) -> None:
    rng = random.Random(11)
    words = ["".join(rng.choices(WORDS[:5], k=rng.randint(1, 4))) for _ in range(120)]
    phrases = [" ".join(rng.choices(words, k=rng.randint(2, 3))) for _ in range(80)]
    ranks = [1 / rank for rank in range(1, 201)]
    text = "\n".join(" ".join(rng.choices(words + phrases, ranks, k=8)) for _ in range(1500))

    def tokens(superwords: int | str) -> int:
        model = trained(tmp_path, text, superwords, vocab_size=200)
        return Tokenizer(write_artifact(model)).count(text)

    by_hand = {count: tokens(count) for count in range(0, 181, 20)}
    best = min(by_hand.values())
    assert 0 < chosen(trained(tmp_path, text, "auto", vocab_size=200)) < 180
    assert tokens("auto") < 1.01 * best < 0.9 * max(by_hand.values())


def test_the_automatic_share_goes_by_weights(tmp_path: Path) -> None:
    few, many = sources(tmp_path)
    weighted = Corpus([few, many], weights={few: 100})
    options: dict[str, Any] = {"prune": 1, "vocab_size": 40, "superwords": "auto"}
    models = [
        train_model(corpus, TrainOptions(schemas=SCHEMAS, base=BASE, **options))
        for corpus in (weighted, Corpus([few] * 100 + [many]), Corpus([many] + [few] * 100))
    ]
    assert len({(chosen(model), tuple(unit_model(model).merges)) for model in models}) == 1


@pytest.mark.slow
def test_the_command_takes_auto(cli: Any, tmp_path: Path) -> None:
    file, output = tmp_path / "corpus.txt", tmp_path / "x.wwho"
    file.write_text("ගම කම ගම කම\n" * 9, "utf-8")
    options = ("--prune", "1", "--vocab-size", "20", "--superwords")
    done = cli("train", *options, "auto", "-o", output, file)
    model = read_artifact(output.read_bytes())
    assert chosen(model) == unit_model(model).n_superwords > 0
    assert done.out.endswith(
        f" merges, {unit_model(model).n_superwords} of them superwords\n".encode()
    )
    done = cli("train", *options, "auto", "--json", "-o", output, file)
    assert json.loads(done.out)["superwords"] == unit_model(model).n_superwords
    assert cli("train", *options, "many", "-o", output, file).code == 2
    with pytest.raises(ValueError, match="superwords is 'many'; it must be 0 or more, or 'auto'"):
        trained(tmp_path, "ක ක", "many")


@pytest.mark.slow
@settings(max_examples=60)
@given(texts, texts)
def test_every_backend_gives_the_same_tokens_and_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, corpus: str, text: str
) -> None:
    blob = write_artifact(trained(tmp_path_factory.mktemp("x"), corpus, 20))
    native, reference = Tokenizer(blob, "native"), Tokenizer(blob, "reference")
    ids, offsets = native.encode_with_offsets(text)
    assert (ids, offsets) == reference.encode_with_offsets(text)
    assert native.decode(ids) == text
    assert native.count(text) == len(ids)
    plain = Tokenizer(write_artifact(first_stage(read_artifact(blob))), "native")
    assert len(ids) <= plain.count(text)


def test_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("ක ම ක ම\nක ම ක ම\nක, ම\n", "utf-8")
    model = train_model(
        [file], TrainOptions(schemas=SCHEMAS, base=BASE, prune=1, vocab_size=12, superwords=2)
    )
    tokens = [token.decode() for token in unit_model(model).texts]
    assert tokens == [" ක", " ම", "ක", "ම", " ක ම", " ම ක ම"]
    enc = Tokenizer(write_artifact(model))
    assert [enc.decode([token]) for token in enc.encode("ක ම ක ම, ක")] == ["ක", " ම ක ම", ",", " ක"]
    check_merges(model)


@pytest.mark.parametrize("atoms", ["syllable", "grapheme", "codepoint"])
def test_no_superword_reaches_across_anything_but_one_space(tmp_path: Path, atoms: str) -> None:
    rng = random.Random(7)
    pairs = [rng.choice(WORDS) + rng.choice(SEPARATORS) for _ in range(4000)]
    model = trained(tmp_path, "".join(pairs), 150, vocab_size=400, max_words=3, atoms=atoms)
    superwords = unit_model(model).texts[unit_model(model).first_superword :]
    assert len(superwords) == 150
    enc = Tokenizer(write_artifact(first_stage(model)))
    for token in superwords:
        text = token.decode("utf-8")
        assert 2 <= len(text.removeprefix(" ").split(" ")) <= 3
        assert "  " not in text
        assert not text.endswith(" ")
        assert len({segment.route for segment in enc.segment(text)}) == 1
        assert not set(text) & set("।१,.\n")


@pytest.mark.parametrize("atoms", ["syllable", "grapheme", "codepoint", "byte"])
def test_without_schemas_there_are_none(cli: Any, tmp_path: Path, atoms: str) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("a, b! 1  2\n" * 9, "utf-8")
    with pytest.raises(SchemaError, match="superwords join words of a script"):
        train_model(
            [file], TrainOptions(schemas=[], base=byte_base(), atoms=atoms, prune=1, superwords=3)
        )
    if atoms != "syllable":  # for those the command takes all schemas
        options = ("--base", "none", "--atoms", atoms, "--superwords", "3")
        ran = cli("train", *options, "-o", tmp_path / "x.wwho", file)
        assert (ran.code, "name schemas" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"superwords": -1}, "superwords is -1"),
        ({"superwords": 1000}, "superwords is 1000"),
        ({"superwords": 3, "max_words": 1}, "max_words is 1"),
        ({"superwords": 3, "max_words": 128}, "max_words is 128"),
    ],
)
def test_numbers_out_of_range(tmp_path: Path, options: dict[str, int], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        trained(tmp_path, "ක ක", options.pop("superwords"), **options)


def test_a_file_that_changes_between_its_two_readings(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("ක ක ක\n", "utf-8")
    with pytest.raises(CorpusError, match=r"corpus\.txt has changed"):
        train_model(
            [file],
            TrainOptions(
                schemas=SCHEMAS,
                base=BASE,
                prune=1,
                vocab_size=20,
                superwords=2,
                on_counted=lambda _: file.write_text("ම ම ම\n", "utf-8"),
            ),
        )


def test_a_large_corpus_is_sampled_by_the_text_of_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    lines = [" ".join(rng.choices(WORDS[:5], k=9)) for _ in range(400)]
    monkeypatch.setattr(stage, "MOST_WORDS", 1500)
    merges = set()
    for _ in range(3):
        rng.shuffle(lines)
        merges.add(tuple(unit_model(trained(tmp_path, "\n".join(lines), 20)).merges))
    assert len(merges) == 1


def sources(folder: Path) -> tuple[str, str]:
    """Two files: few lines that are all alike, and many of all sorts."""
    rng = random.Random(5)
    few, many = folder / "few.txt", folder / "many.txt"
    few.write_text("ගම කම\n" * 2, "utf-8")
    many.write_text("".join(" ".join(rng.choices(WORDS[:5], k=6)) + "\n" for _ in range(80)))
    return str(few), str(many)


def superwords_of(corpus: Corpus, min_freq: int = 2) -> list[bytes]:
    """The superwords learnt from a corpus."""
    model = train_model(
        corpus,
        TrainOptions(
            schemas=SCHEMAS, base=BASE, prune=1, min_freq=min_freq, vocab_size=70, superwords=30
        ),
    )
    return list(unit_model(model).texts[unit_model(model).first_superword :])


def test_a_whole_weight_is_naming_a_source_so_often(tmp_path: Path) -> None:
    few, many = sources(tmp_path)
    weighted = superwords_of(Corpus([few, many], weights={few: 100}))
    assert weighted == superwords_of(Corpus([few] * 100 + [many]))
    assert weighted != superwords_of(Corpus([few, many]))
    assert len(weighted) == 30  # what is light is learnt as well


def test_decimal_weights_are_exact(tmp_path: Path) -> None:
    few, many = sources(tmp_path)
    quarter = superwords_of(Corpus([few, many], weights={few: "1.75", many: "0.25"}), min_freq=2)
    assert quarter == superwords_of(Corpus([few, many], weights={few: 7}), min_freq=8)
    assert quarter


def test_weights_do_not_choose_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MOST_WORDS", 150)
    few, many = sources(tmp_path)
    heavy = Corpus([few, many], weights={few: 5, many: 5})
    assert superwords_of(heavy, min_freq=5) == superwords_of(Corpus([few, many]), min_freq=1)


def test_a_share_of_the_lines(tmp_path: Path) -> None:
    letters = [*"කඛගඝඞචඡජඣඤටඨඩඪණතථදධනපඵබභමයරලව"]
    model = first_stage(trained(tmp_path, " ".join(2 * letters), 1, vocab_size=80))
    text = "".join(f"{left} {right}\n" for left in letters for right in letters).encode()
    learnt_of = []
    for share in (Fraction(0), Fraction(1, 4), Fraction(1)):
        phrases = Phrases(model)
        phrases.collect(text, share, 1)
        learnt_of.append(phrases.make_merger(1000, min_freq=1, max_words=2).merge_more(1000))
    assert learnt_of[0] == 0  # each line is a pair of its own
    assert 150 < learnt_of[1] < 280
    assert learnt_of[2] == len(letters) ** 2
