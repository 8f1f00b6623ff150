"""Unigram vocabularies: learnt as a plain program and SentencePiece learn them; and the models."""

from __future__ import annotations

import math
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from wwho.assemble.base import base_model
from wwho.errors import ExportError
from wwho.exporters import export
from wwho.format.bpe import BYTES
from wwho.format.read import read_artifact
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer
from wwho.train import Corpus, count_words, train
from wwho.train.native import UnigramLearner, WordTable, record

Runs = Mapping[tuple[bytes, ...], int]
Weights = dict[tuple[bytes, ...], float]


def table_of(runs: Runs) -> WordTable:
    """Return a table of words of these units."""
    words = WordTable()
    words.add_records(b"".join(map(record, runs)), [*runs.values()])
    return words


def random_runs(seed: int, n: int = 60, most: int = 9) -> Runs:
    """Return words of a few letters, many of which share parts."""
    chance = random.Random(seed)
    parts = ["".join(chance.choices("abcd", k=chance.randint(1, 4))) for _ in range(8)]
    runs: Counter[tuple[bytes, ...]] = Counter()
    for _ in range(n):
        word = "".join(chance.choices(parts, k=chance.randint(1, 4)))[:most]
        runs[tuple(letter.encode() for letter in word)] += chance.randint(1, 30)
    return runs


def ways(run: Sequence[bytes], weights: Mapping[tuple[bytes, ...], float]) -> Iterator[Any]:
    """Yield all ways to cut a run into tokens, each as a list, with its probability."""
    if not run:
        yield [], 1.0
    for end in range(1, len(run) + 1):
        if (token := tuple(run[:end])) in weights:
            for rest, weight in ways(run[end:], weights):
                yield [token, *rest], weights[token] * weight


def digamma(x: float) -> float:
    """Return the digamma function: the derivative of the logarithm of the gamma function."""
    if x < 100:
        return digamma(x + 1) - 1 / x
    return math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def estimated(runs: Runs, weights: Weights) -> Weights:
    """Return the scores after one round of expectation and maximization, over all ways to cut."""
    expected = dict.fromkeys(weights, 0.0)
    for run, count in runs.items():
        found = [*ways(run, weights)]
        total = sum(weight for _, weight in found)
        for tokens, weight in found:
            for token in tokens:
                expected[token] += count * weight / total
    kept = {token: max(number, 0.5) for token, number in expected.items()}
    everything = digamma(sum(kept.values()))
    return {token: digamma(number) - everything for token, number in kept.items()}


@pytest.mark.parametrize("seed", range(12))
def test_scores_are_those_of_all_ways_to_cut(seed: int) -> None:
    runs = random_runs(seed)
    atoms = sorted({unit for run in runs for unit in run})
    learner = UnigramLearner(
        table_of(runs), atoms, max_candidates=40, min_freq=2, max_units=1 + seed % 6
    )
    scores = dict(learner.tokens())
    assert [(atom,) for atom in atoms] == [*scores][: len(atoms)]
    assert all(len(token) <= 1 + seed % 6 for token in scores)
    for _ in range(2):
        for _ in range(2):  # in each step
            scores = estimated(runs, {token: math.exp(score) for token, score in scores.items()})
        assert learner.prune_to(len(scores) + 1) == len(scores)
        found = dict(learner.tokens())
        assert found.keys() == scores.keys()
        assert all(math.isclose(found[token], scores[token], abs_tol=1e-9) for token in scores)


def test_candidates_are_the_parts_that_cover_most() -> None:
    runs = random_runs(99)
    atoms = sorted({unit for run in runs for unit in run})
    counts: Counter[tuple[bytes, ...]] = Counter()
    for run, count in runs.items():
        for start in range(len(run)):
            for end in range(start + 2, min(len(run), start + 5) + 1):
                counts[run[start:end]] += count
    # Of parts that only stand together, the longest one is a candidate.
    longer = {part[:-1]: 0 for part in counts}
    for part, count in counts.items():
        longer[part[:-1]] = max(longer[part[:-1]], count)
    candidates = [part for part in counts if counts[part] > longer.get(part, 0)]
    for most in (0, 1, 7, 30, 10_000):
        learner = UnigramLearner(
            table_of(runs), atoms, max_candidates=most, min_freq=1, max_units=5
        )
        found = {token for token, _ in learner.tokens()} - {(atom,) for atom in atoms}
        assert found <= {*candidates}
        assert len(found) == min(most, len(candidates))
        covered = sorted((counts[part] * len(part) for part in candidates), reverse=True)
        # Scores are told apart by their first nine bits.
        for part, least in zip(found, [covered[len(found) - 1]] * len(found), strict=True):
            assert counts[part] * len(part) >= least * (1 - 2**-8)


def test_runs_whose_paths_are_improbable() -> None:
    """The products of a run's probabilities vanish in 64 bits; the scores are still right."""
    letters = [bytes([byte]) for byte in range(0x21, 0x7F)]
    rare = tuple(letters[k * 37 % 94] for k in range(400))
    common = {(b"a", b"b"): 10**15, (b"a",): 10**15}
    learner = UnigramLearner(
        table_of(common | {rare: 1}), letters, max_candidates=1, min_freq=2, max_units=2
    )
    learner.prune_to(200)
    scores = dict(learner.tokens())
    assert (b"a", b"b") in scores
    # The long run alone has the other letters, each of them four times or five.
    expected = Counter(rare)
    for letter in set(letters) - {b"a", b"b"}:
        than_z = digamma(expected[letter]) - digamma(expected[b"z"])
        assert math.isclose(scores[letter,] - scores[b"z",], than_z, abs_tol=1e-9), letter


def test_pruning_keeps_what_the_text_needs() -> None:
    runs = {tuple(word.encode()[k : k + 1] for k in range(len(word))): n for word, n in
            {"the": 900, "them": 40, "thaw": 3, "a": 50, "lathe": 5}.items()}  # fmt: skip
    atoms = sorted({unit for run in runs for unit in run})
    learner = UnigramLearner(table_of(runs), atoms, max_candidates=100, min_freq=1, max_units=16)
    while learner.prune_to(len(atoms) + 1) > len(atoms) + 1:
        pass
    assert [token for token, _ in learner.tokens()][len(atoms) :] == [(b"t", b"h", b"e")]


# Whole runs of the trainer

BASE = base_model(
    [*BYTES, b"th", b"the", b"\xe0\xb6", b" t"],
    pattern=r"\s?\w+|\s+|[^\s\w]+",
    specials={"<|end|>": 300},
    provenance={"name": "toy"},
)
LINES = [
    *("ගමේ පාසල ගම ගමන", "विद्यालय में पढ़ाई होती है।", "विद्या विद्यालय क्षमा क्ष", "පාසලේ ළමයි ගමේ පාසලට"),
    *("The village school, 1234.", "the villages' schools: 5!", "  two  spaces\tand a tab\n"),
]
KINDS: dict[str, dict[str, Any]] = {
    "pieces": {"atoms": "codepoint", "base": "none", "prune": 1},
    "codepoint": {"atoms": "codepoint", "schemas": ["sinhala"], "base": "none", "prune": 1},
    "grapheme": {"atoms": "grapheme", "base": "none", "prune": 2},
    "grapheme over a base": {"atoms": "grapheme", "prune": 2, "base": BASE},
    "byte": {"atoms": "byte"},
    "syllable": {"schemas": ["sinhala", "devanagari"], "base": "none", "prune": 2},
    "words": {"schemas": ["sinhala"], "base": "none", "words": "whitespace", "prune": 1},
    "ends": {"schemas": ["sinhala"], "base": "none", "end_of_word": True, "prune": 1},
    "nfc": {"atoms": "codepoint", "base": "none", "prune": 1, "normalize": "nfc"},
}


SIZES = dict.fromkeys(KINDS, 120) | {"byte": 330, "pieces": 480, "nfc": 480}


@cache
def trained(kind: str) -> Tokenizer:
    """Return a small tokenizer of a kind."""
    return train(LINES * 3, method="unigram", vocab_size=SIZES[kind], name=kind, **KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
@examples(60)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [*LINES, "ක්‍ෂ", "क्ष", "ි", "\u094d", " ", "🙂", "\u200d", "é", "ग़", "\0"]
            ),
            st.text(max_size=4),
        ),
        max_size=8,
    ).map("".join)
)
def test_every_text_is_kept_and_both_backends_agree(kind: str, text: str) -> None:
    native = trained(kind)
    reference = Tokenizer(native._blob, backend="reference")
    ids = native.encode(text, disallowed_special=())
    assert ids == reference.encode(text, disallowed_special=())
    assert native.encode_with_offsets(text, disallowed_special=()) == (
        reference.encode_with_offsets(text, disallowed_special=())
    )
    if kind == "pieces":
        text = text.replace("\u2581", " ")
    if kind != "nfc":
        assert native.decode(ids) == text


@pytest.mark.parametrize("kind", ["syllable", "grapheme", "codepoint"])
@examples(60)
@given(st.lists(st.sampled_from([*"".join(LINES), "्", "क", "ष", "්", "\u200d"]), max_size=30))
def test_no_token_cuts_a_unit_that_is_one(kind: str, letters: list[str]) -> None:
    enc, text = trained(kind), "".join(letters)
    known = {*read_artifact(enc._blob).models[1].texts}
    starts = accumulate((len(letter.encode()) for letter in text), initial=0)
    places = {start: place for place, start in enumerate(starts)}
    units = [
        (places[span.start], places[span.end])
        for span in enc._backend.spans(text.encode())
        if span.route
    ]
    ends = {place for unit in units for place in unit}
    for start, end in enc.encode_with_offsets(text)[1]:
        for first, last in units:
            if first < end and start < last and text[first:last].encode() in known:
                assert {start, end} <= ends, (text, start, end)
            elif first < end and start < last:
                assert first <= start < end <= last, (text, start, end)


@pytest.mark.parametrize("kind", ["pieces", "syllable", "byte"])
def test_the_same_bytes_from_any_order_and_from_counts(kind: str, tmp_path: Path) -> None:
    chance = random.Random(3)
    lines = [line for text in LINES for line in text.splitlines(keepends=True)] * 9
    options: dict[str, Any] = {**KINDS[kind], "vocab_size": 400}
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n", "utf-8")
    shuffled = chance.sample(lines, len(lines))
    (tmp_path / "b.txt").write_text("\n".join(shuffled) + "\n", "utf-8")
    models = []
    for name, processes in (("a", 1), ("b", 1), ("b", 2)):
        corpus = Corpus([str(tmp_path / f"{name}.txt")])
        enc = train(corpus, method="unigram", processes=processes, name="x", **options)
        models.append(read_artifact(enc._blob))
    counting = {key: value for key, value in options.items() if key not in ("vocab_size", "prune")}
    for part in (1, 2):
        count_words(
            Corpus([str(tmp_path / "a.txt")]),
            tmp_path / f"{part}.counts",
            part=(part, 2),
            **counting,
        )
    counts = Corpus(counts=[str(tmp_path / f"{part}.counts") for part in (2, 1)])
    models.append(read_artifact(train(counts, method="unigram", name="x", **options)._blob))
    first, *others = [write_artifact_without_provenance(model) for model in models]
    assert all(other == first for other in others)


def write_artifact_without_provenance(model: Any) -> bytes:
    """Return the bytes of a model whose provenance, which names files, is left out."""
    return write_artifact(replace(model, provenance={"name": "x"}))


def test_the_size_is_exact_where_the_corpus_has_enough() -> None:
    for size in (600, 633):
        for atoms in ("byte", "codepoint", "grapheme"):
            enc = train(
                sentences(500),
                method="unigram",
                atoms=atoms,
                base="none",
                prune=1,
                specials=[],
                vocab_size=size,
            )
            assert enc.n_vocab == size + 256 * (atoms == "grapheme")
            model = read_artifact(enc._blob).models[-1]
            assert isinstance(model, Viterbi)
            assert [*model.scores] == sorted(model.scores, reverse=True)


# Beside SentencePiece, and in its file


def sentences(n: int) -> list[str]:
    """Return lines of made-up words with common stems and endings, as a language has them."""
    chance = random.Random(8)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or")]
    stems = ["".join(chance.choices(syllables, k=chance.randint(1, 3))) for _ in range(900)]
    endings = ["", "", "s", "ed", "ing", "ly", "er", "ness"]
    weights = [1 / (k + 2) for k in range(len(stems))]
    return [
        " ".join(
            chance.choices(stems, weights)[0] + chance.choice(endings)
            for _ in range(chance.randint(4, 12))
        )
        for _ in range(n)
    ]


@cache
def beside_sentencepiece() -> tuple[Any, Tokenizer, list[str]]:
    """Return SentencePiece's model and ours of the same text and size, and other text."""
    lines = sentences(5000)
    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines[:4000]),
            model_prefix=f"{folder}/m",
            vocab_size=1000,
            model_type="unigram",
            character_coverage=1.0,
            byte_fallback=True,
            normalization_rule_name="identity",
            add_dummy_prefix=False,
            remove_extra_whitespaces=False,
            minloglevel=2,
            num_threads=1,
        )
        theirs = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/m.model")
    ours = train(
        lines[:4000],
        method="unigram",
        atoms="codepoint",
        base="none",
        pattern=r" ?[^ \n]+|[ \n]+",
        vocab_size=1000,
        prune=1,
        specials=[],
    )
    return theirs, ours, lines[4000:]


def test_as_few_tokens_and_bits_as_sentencepiece() -> None:
    theirs, ours, texts = beside_sentencepiece()
    assert ours.n_vocab == theirs.get_piece_size()
    found = {}
    for name, tokens in (("theirs", theirs.encode(texts)), ("ours", ours.encode_batch(texts))):
        counts = Counter(token for each in tokens for token in each)
        total = counts.total()
        bits = -sum(number * math.log2(number / total) for number in counts.values())
        found[name] = total, bits
    for ours_is, theirs_is in zip(found["ours"], found["theirs"], strict=True):
        assert ours_is <= 1.005 * theirs_is, found


@pytest.mark.parametrize("specials", [None, [], ["[UNK]", "<end>"], ["<end>"]])
def test_exports_open_in_their_libraries_with_the_same_ids(specials: list[str] | None) -> None:
    texts = [*sentences(40), *LINES, "", " ", "a  b ", " é🙂 \u200d"]
    enc = train(
        [*sentences(300), *LINES],
        method="unigram",
        atoms="codepoint",
        base="none",
        vocab_size=700,
        prune=1,
        specials=specials,
    )
    artifact = read_artifact(enc._blob)
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(export(artifact, "sentencepiece").data)
    judge = tokenizers.Tokenizer.from_buffer(export(artifact, "tokenizer.json").data)
    with pytest.raises(ExportError, match=r"llama\.cpp has one token for them"):
        export(artifact, "gguf")
    for text in texts:
        assert enc.encode(text) == processor.encode(text), text
        assert enc.encode(text) == judge.encode(text, add_special_tokens=False).ids, text
        assert enc.decode(enc.encode(text)) == text == processor.decode(enc.encode(text))


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "wordy"}, "method is 'wordy'; it must be one of bpe, unigram, wordpiece"),
        ({"superwords": 3}, "superwords is 3, but method unigram merges nothing"),
        ({"atoms": "script"}, "no model of script atoms"),
        ({"atoms": "byte", "merge_constraint": "character"}, "merge_constraint is 'character'"),
        (
            {"atoms": "codepoint", "base": "none", "protect": ["[x]"]},
            "has no protected texts, and there are 1",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        train(LINES, **{"method": "unigram", **options})
