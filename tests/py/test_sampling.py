"""Tokens that are drawn: their distribution against enumeration, and the same ids everywhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import kinds
import numpy as np
import pytest
from odd_models import giving_up_bytes, giving_up_letters, lettered

import wwho
from wwho import SamplingError, Tokenizer
from wwho.backends import parallel
from wwho.backends.select import BackendName
from wwho.compile.scanners import compile_scanners, regex_scanner
from wwho.encodings import model_bytes
from wwho.format.bpe import BPE
from wwho.format.greedy import Greedy
from wwho.format.model import Artifact, Model, Unknown
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact
from wwho.reference.merge import merge
from wwho.reference.sampling import GAPS, Stream, gaps, power_of_2

CORES: list[BackendName] = ["native", "reference"]
TEXT = "hello world, the lazy dogs. ගෙදර ගියා කොහොමද हिन्दी में वाक्य है 12345 " + "-" * 20

BPE_MODEL = BPE(
    symbols=tuple(bytes([byte]) for byte in range(256)),
    merges=[(97, 98), (98, 97), (256, 97), (257, 98), (256, 256), (98, 98)],
)
UNIGRAM = Viterbi(
    tokens=(b"a", b"ab", b"aba", b"b", b"ba", b"bb"),
    scores=(-1.0, -1.5, -2.5, -1.25, -3.0, -2.0),
    unknown=Unknown.ID,
    unk_id=9,
)


def opened(model: Model, backend: BackendName = "native") -> Tokenizer:
    """A tokenizer of one model, whose pretokens are whole texts."""
    return Tokenizer.from_bytes(write_artifact(kinds.tokenizer_of(model)), backend=backend)


def chi_square(found: Counter[Any], expected: Mapping[Any, float]) -> float:
    """How far counts are from probabilities, in standard deviations of the statistic."""
    n = found.total()
    assert found.keys() <= expected.keys()
    large = {each: p * n for each, p in expected.items() if p * n >= 5}
    terms = [(found[each] - mean) ** 2 / mean for each, mean in large.items()]
    rest = n - sum(large.values())
    if rest >= 5:
        others = n - sum(found[each] for each in large)
        terms.append((others - rest) ** 2 / rest)
    freedom = len(terms) - 1
    assert freedom > 1
    return float((sum(terms) - freedom) / math.sqrt(2 * freedom))


def bpe_outcomes(symbols: tuple[int, ...], dropout: float) -> dict[tuple[int, ...], float]:
    """The probability of each result of BPE-dropout, by following each choice."""
    made = {pair: token for token, pair in enumerate(BPE_MODEL.merges, 256)}
    pairs = sorted((made[pair], at) for at, pair in enumerate(pairwise(symbols)) if pair in made)
    total: Counter[tuple[int, ...]] = Counter()
    for number, (token, at) in enumerate(pairs):
        chance = dropout**number * (1 - dropout)
        merged = (*symbols[:at], token, *symbols[at + 2 :])
        for result, probability in bpe_outcomes(merged, dropout).items():
            total[result] += chance * probability  # type: ignore[assignment]
    total[symbols] += dropout ** len(pairs)  # type: ignore[assignment]
    return dict(total)


def paths(text: bytes) -> Iterator[tuple[bytes, ...]]:
    """All ways to cut a text into tokens of the Unigram model."""
    if not text:
        yield ()
    for end in range(1, len(text) + 1):
        if text[:end] in UNIGRAM.tokens:
            yield from ((text[:end], *rest) for rest in paths(text[end:]))


# The distribution


@pytest.mark.parametrize(("backend", "n"), [("native", 40_000), ("reference", 2_000)])
@pytest.mark.parametrize("dropout", [0.1, 0.5])
def test_dropout_has_the_distribution_of_bpe_dropout(
    backend: BackendName, n: int, dropout: float
) -> None:
    text = b"ababbab"
    enc = opened(BPE_MODEL, backend)
    rows = enc.encode_batch([text] * n, dropout=dropout, seed=7)
    expected = bpe_outcomes(tuple(text), dropout)
    assert sum(expected.values()) == pytest.approx(1)
    assert len(expected) > 5
    assert abs(chi_square(Counter(map(tuple, rows)), expected)) < 3.5


@pytest.mark.parametrize(("backend", "n"), [("native", 40_000), ("reference", 2_000)])
@pytest.mark.parametrize("alpha", [0.0, 0.2, 1.0])
def test_paths_have_the_distribution_of_their_scores(
    backend: BackendName, n: int, alpha: float
) -> None:
    text = b"ababbab"
    scores = dict(zip(UNIGRAM.tokens, UNIGRAM.scores, strict=True))
    weights = {path: math.exp(alpha * sum(scores[part] for part in path)) for path in paths(text)}
    assert len(weights) > 15
    enc = opened(UNIGRAM, backend)
    rows = enc.encode_batch([text] * n, sample=(alpha, -1), seed=11)
    found = Counter(tuple(map(enc.decode_single_token_bytes, row)) for row in rows)
    expected = {path: weight / sum(weights.values()) for path, weight in weights.items()}
    assert abs(chi_square(found, expected)) < 3.5


def test_a_wrong_distribution_is_noticed() -> None:
    rows = opened(BPE_MODEL).encode_batch([b"ababbab"] * 40_000, dropout=0.12, seed=7)
    assert chi_square(Counter(map(tuple, rows)), bpe_outcomes(tuple(b"ababbab"), 0.1)) > 10


# What is always so


@pytest.mark.parametrize("name", ["o200k_base", "wwho_super_328k"])
def test_the_text_comes_back_and_the_ends_are_plain_and_symbols(name: str) -> None:
    enc = wwho.get_encoding(name)
    plain = enc.encode(TEXT)
    assert enc.encode(TEXT, dropout=0.0, seed=1) == plain
    assert enc.encode(TEXT, dropout=1e-10, seed=1) == plain
    drawn = [enc.encode(TEXT, dropout=0.3, seed=seed) for seed in range(5)]
    assert len({*map(tuple, drawn)}) == 5
    assert all(enc.decode(ids) == TEXT for ids in drawn)
    assert enc.encode(TEXT) == plain
    symbols = enc.encode(TEXT, dropout=1.0, seed=1)
    assert enc.decode(symbols) == TEXT
    letters = map(enc.decode_single_token_bytes, enc.encode("dog", dropout=1.0, seed=2))
    assert [*letters] == [b"d", b"o", b"g"]
    assert len(symbols) > len(plain)


def test_syllables_stay_whole() -> None:
    enc = wwho.get_encoding("wwho_328k")
    text = "කොහොමද ගියා ශ්‍රී ලංකාව"
    units = [unit for segment in enc.segment(text) for unit in segment.units]
    assert "".join(units) == text
    edges = {0, *accumulate(map(len, units))}
    for seed in range(20):
        _, offsets = enc.encode_with_offsets(text, dropout=0.7, seed=seed)
        assert {place for pair in offsets for place in pair} <= edges


def test_long_pretokens_are_drawn_in_windows() -> None:
    """More symbols than a window, in all backends; one token may be as long as the window keeps."""
    for text in (b"ab" * 700, b"a" * 1000, b"ba" * 128, b"ab" * 128 + b"a"):
        for model, options in ((BPE_MODEL, {"dropout": 0.3}), (UNIGRAM, {"sample": (0.3, -1)})):
            given: Any = {**options, "seed": len(text)}
            ids = opened(model).encode(text * 5, **given)
            assert ids == opened(model, "reference").encode(text * 5, **given)
            assert opened(model).decode_bytes(ids) == text * 5


# The same everywhere

KNOWN = {
    "o200k_base": [
        [71, 6053, 2375, 11, 31499, 12609, 13566, 7778, 31499, 129257, 1409, 5760, 811, 99, 840],
        [
            24912,
            220,
            86,
            267,
            75,
            67,
            11,
            31499,
            12609,
            13566,
            7778,
            31499,
            5122,
            106771,
            1409,
            5760,
            166886,
        ],
    ],
    "wwho_super_328k": [
        [71, 6053, 2375, 11, 218203, 215255, 214148],
        [24912, 220, 86, 267, 75, 67, 11, 218203, 201770, 209787, 214148],
    ],
}
"""The ids of two texts, which tests/web/sampling.test.mjs has, too."""


@pytest.mark.parametrize("name", KNOWN)
def test_known_ids(name: str) -> None:
    texts = ["hello world, ගෙදර ගියා हिन्दी"] * 2
    assert wwho.get_encoding(name).encode_batch(texts, dropout=0.3, seed=2**64 - 1) == KNOWN[name]


@pytest.mark.parametrize("name", ["gpt2", "wwho_super_328k"])
def test_backends_agree(name: str) -> None:
    native, reference = (Tokenizer.from_bytes(model_bytes(name), backend=each) for each in CORES)
    for dropout, seed in ((0.1, 0), (0.1, 1), (0.5, 2**64 - 1), (0.9, 2)):
        given: Any = {"dropout": dropout, "seed": seed}
        ours = native.encode_with_offsets(TEXT, **given)
        assert ours == reference.encode_with_offsets(TEXT, **given)


def test_unigrams_agree_on_any_text() -> None:
    """Also on characters that the model lacks, and on bytes that are not UTF-8."""
    native, reference = (opened(UNIGRAM, each) for each in CORES)
    for seed, text in enumerate((b"abxab", b"xyz", "a\u0dc0b".encode(), b"a\xffb\xe0\xb6", b"")):
        for alpha in (0.0, 0.5, 40.0, 1e300):
            given: Any = {"sample": (alpha, -1), "seed": seed}
            ours = native.encode_with_offsets(text, **given)
            assert ours == reference.encode_with_offsets(text, **given)


def test_each_text_of_a_batch_has_its_own_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PART_LENGTH", 200)
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    enc = wwho.get_encoding("o200k_base")
    rows = enc.encode_batch([TEXT] * 40, num_threads=2, dropout=0.2, seed=5)
    assert rows == enc.encode_batch([TEXT] * 40, num_threads=1, dropout=0.2, seed=5)
    assert len({*map(tuple, rows)}) == 40
    assert rows[0] == enc.encode(TEXT, dropout=0.2, seed=5)
    pairs = enc.encode_batch([TEXT] * 20, [TEXT] * 20, dropout=0.2, seed=5)
    assert pairs == [first + second for first, second in zip(rows[::2], rows[1::2], strict=True)]
    assert pairs[0] == enc.encode(TEXT, TEXT, dropout=0.2, seed=5)


def test_all_calls_draw_the_same() -> None:
    enc = wwho.get_encoding("o200k_base")
    given: Any = {"dropout": 0.2, "seed": 3}
    ids = enc.encode(TEXT, **given)
    assert enc.encode_to_numpy(TEXT, **given).tolist() == ids
    assert enc.encode_with_offsets(TEXT, **given)[0] == ids
    assert enc.encode_with_types(TEXT, **given)[0] == ids
    packed, starts = enc.encode_batch_to_numpy([TEXT, TEXT], **given)
    rows = enc.encode_batch([TEXT, TEXT], **given)
    assert [row.tolist() for row in np.split(packed, starts[1:-1])] == rows
    assert [row for row, _ in enc.encode_batch_with_offsets([TEXT, TEXT], **given)] == rows
    assert enc.encode_with_types(TEXT, TEXT, **given)[0] == rows[0] + rows[1]


def test_added_tokens_are_found() -> None:
    enc = wwho.get_encoding("o200k_base")
    ids = enc.encode("a b<|endoftext|>a b", allowed_special="all", dropout=0.9, seed=3)
    assert enc.eot_token in ids


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dropout": 0.1}, "no seed"),
        ({"dropout": 1.5, "seed": 1}, r"dropout is 1\.5"),
        ({"dropout": -0.5, "seed": 1}, r"dropout is -0\.5"),
        ({"dropout": math.nan, "seed": 1}, "dropout is nan"),
        ({"dropout": True, "seed": 1}, "dropout is True"),
        ({"dropout": "0.1", "seed": 1}, r"dropout is '0\.1'"),
        ({"dropout": 0.1, "seed": 2**64}, "seed is 18446744073709551616"),
        ({"dropout": 0.1, "seed": -1}, "seed is -1"),
        ({"dropout": 0.1, "seed": True}, "seed is True"),
        ({"dropout": 0.1, "seed": 1.0}, r"seed is 1\.0"),
        ({"seed": -1}, "seed is -1"),
        ({"sample": (0.1, -1), "seed": 1}, "BPE, which has no paths to draw: leave sample out"),
        ({"sample": (0.1, 64), "seed": 1}, "n_best is 64"),
        ({"sample": (0.1, -2), "seed": 1}, "n_best is -2"),
        ({"sample": (0.1, True), "seed": 1}, "n_best is True"),
        ({"sample": (-0.1, -1), "seed": 1}, r"alpha is -0\.1"),
        ({"sample": ("0.1", -1), "seed": 1}, r"alpha is '0\.1'"),
        ({"sample": (), "seed": 1}, r"sample is \(\)"),
        ({"sample": 0.1, "seed": 1}, r"sample is 0\.1"),
        ({"sample": {"alpha": 0.1, "n_best": -1}, "seed": 1}, r"sample is \{'alpha': 0\.1"),
    ],
)
def test_what_cannot_be_drawn(options: Any, message: str) -> None:
    enc = wwho.get_encoding("o200k_base")
    for call in (enc.encode, enc.encode_to_numpy, enc.encode_with_offsets, enc.encode_with_types):
        with pytest.raises(SamplingError, match=message):
            call("hello", **options)


def test_numbers_of_numpy_are_numbers() -> None:
    given: Any = {"dropout": np.float32(0.25), "seed": np.uint64(7)}
    enc = wwho.get_encoding("o200k_base")
    drawn = enc.encode(TEXT, **given)
    assert drawn == enc.encode(TEXT, dropout=0.25, seed=7)


def test_models_that_cannot_be_drawn_from() -> None:
    greedy = Greedy(first=(b"a", b"b"), later=None, unknown=Unknown.ID, unk_id=5)
    for options in ({"dropout": 0.1}, {"sample": (0.1, -1)}):
        given: Any = {**options, "seed": 1}
        with pytest.raises(SamplingError, match=r"longest match \(WordPiece\)"):
            opened(greedy).encode("ab", **given)
    with pytest.raises(SamplingError, match="Unigram, which cannot drop merges"):
        opened(UNIGRAM).encode("ab", dropout=0.1, seed=1)


def test_the_best_path_is_not_drawn() -> None:
    enc = opened(UNIGRAM)
    assert enc.encode("abab", sample=(0.1, 1)) == enc.encode("abab")
    assert enc.encode("abab", sample=(1000.0, -1), seed=4) == enc.encode("abab")


@pytest.mark.parametrize("make", [giving_up_bytes, giving_up_letters])
def test_a_token_that_its_symbols_do_not_merge_to(make: Callable[[], Artifact]) -> None:
    """The token is found as a whole only where nothing is drawn, even if nothing is skipped."""
    blob = write_artifact(make())
    native, reference = (Tokenizer.from_bytes(blob, backend=each) for each in CORES)
    for seed, text in enumerate((b"abc", b"abcd", b"dabcabc", b"abc" * 30)):
        for dropout in (0.001, 0.2):
            ids = native.encode(text, dropout=dropout, seed=seed)
            assert ids == reference.encode(text, dropout=dropout, seed=seed)
    assert native.encode(b"abc", dropout=0.001, seed=0) != native.encode(b"abc")


# Models of several kinds

MIXED_TEXTS = ["hello world, the lazy dogs. ගෙදර ගියා कल नहीं, ඖෂධ x \u0b81\u0dc0"]


@pytest.mark.parametrize(
    "options",
    [{"dropout": 0.4}, {"sample": (0.1, -1)}, {"dropout": 0.4, "sample": (0.1, -1)}],
    ids=["dropout", "sample", "both"],
)
def test_each_option_acts_on_the_models_that_can_do_it(options: Any) -> None:
    blob = model_bytes("wwho_131k_indic")
    native, reference = (Tokenizer.from_bytes(blob, backend=each) for each in CORES)
    latin, sinhala = "hello world, the lazy dogs", "ගෙදර ගියා කොහොමද"
    for text, option in ((latin, "dropout"), (sinhala, "sample")):
        drawn = {tuple(native.encode(text, seed=seed, **options)) for seed in range(8)}
        assert (len(drawn) > 3) == (option in options)
        assert drawn == {tuple(native.encode(text))} or option in options
    for seed, text in enumerate([latin + sinhala * 3, *MIXED_TEXTS]):
        ours = native.encode_with_offsets(text, seed=seed, **options)
        assert ours == reference.encode_with_offsets(text, seed=seed, **options)
        assert native.encode_batch_to_numpy([text], seed=seed, **options)[0].tolist() == ours[0]
        assert native.decode(ours[0]) == text


def test_a_speller_drops_merges_after_the_path_is_drawn() -> None:
    """Also where unknown text goes on from one window to the next."""
    artifact = kinds.tokenizer_of(UNIGRAM)
    speller = replace(BPE_MODEL, merges=[(99, 99), (256, 256), (257, 99)], first_id=16)
    model = replace(UNIGRAM, unknown=Unknown.SPELL, unk_id=None, speller=0)
    route = replace(artifact.routes[0], model=1)
    blob = write_artifact(replace(artifact, models=(speller, model), routes=(route,), added=()))
    native, reference = (Tokenizer.from_bytes(blob, backend=each) for each in CORES)
    for text in (b"abccccab" * 40, b"ab" * 2030 + b"c" * 90 + b"abccccccb" * 60):
        for given in ({"dropout": 0.3}, {"dropout": 0.3, "sample": (0.4, -1)}):
            options: Any = {**given, "seed": len(text)}
            ids = native.encode(text, **options)
            assert ids == reference.encode(text, **options) != native.encode(text)
            assert native.decode_bytes(ids) == text


# The parts of the reference


def test_a_stream_is_splitmix64() -> None:
    """The first numbers of seed 1234567, as published with the algorithm."""
    stream = Stream(1234567)
    assert [stream.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_powers_and_gaps() -> None:
    for exponent in np.linspace(0, -62.9, 1000).tolist():
        assert power_of_2(exponent) == pytest.approx(2**exponent, rel=1e-8)
    assert power_of_2(-63) == power_of_2(-math.inf) == power_of_2(math.nan) == 0
    assert len(gaps(0.1)) == GAPS
    assert gaps(0.1)[9] / 2**32 == pytest.approx(0.9**10)
    assert gaps(1.0)[0] == 0


def test_nothing_skipped_is_plain_merging() -> None:
    made = {pair: token for token, pair in enumerate(BPE_MODEL.merges, 256)}
    symbols: Sequence[int] = tuple(b"ababbab")
    assert opened(BPE_MODEL).encode(b"ababbab") == merge(symbols, made)


@pytest.mark.parametrize("syllables", ["ba|[a-c]", "ba(?=!)|[a-c]"])
def test_a_token_that_is_cut_into_other_units_than_it_merges_from_is_merged(syllables: str) -> None:
    """Such a token stands for a word by its text, but not where merges may be skipped."""
    scanners = [
        regex_scanner("router", "[^a-c!]+", "[a-c!]+"),
        regex_scanner("other", r"[^\n]+|\n"),
        regex_scanner("units", syllables, "[^a-c]"),
    ]
    made = lettered(compile_scanners(scanners), (b"!", b"a", b"b", b"ba", b"c"), [(4, 2), (5, 1)])
    blob = write_artifact(made)
    native, reference = (Tokenizer.from_bytes(blob, backend=backend) for backend in CORES)
    text = "cba! cba cb ba " * 5
    whole = native.encode(text)
    assert whole == reference.encode(text)
    drawn = [native.encode(text, dropout=0.01, seed=seed) for seed in range(40)]
    assert drawn == [reference.encode(text, dropout=0.01, seed=seed) for seed in range(40)]
    assert whole not in drawn
    assert len(set(map(tuple, drawn))) > 1
