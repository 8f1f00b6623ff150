"""Tokens that `WWHOTokenizer` draws: those of `Tokenizer`, by calls alone, and from a seed."""

from __future__ import annotations

import json
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import kinds
import pytest

from wwho import SamplingError, Tokenizer
from wwho.errors import WwhoError
from wwho.format.model import Unknown
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact
from wwho.importers import import_file

pytest.importorskip("transformers", reason="needs the extra hf")
tokenizers = pytest.importorskip("tokenizers")

from wwho.hf import WWHOTokenizer  # noqa: E402

TEXTS = ["hello world of tokens", "ගෙදර ගියා කොහොමද", "", "hello world of tokens", "नदियक् 👩‍👩‍👧 x"]
DROPS: Any = {"dropout": 0.4, "seed": 2**64 - 2}
PATHS: Any = {"sample": (0.2, -1), "seed": 5}


@cache
def tokenizer(name: str = "wwho_128k") -> WWHOTokenizer:
    """Return the tokenizer of an encoding, which tests must not change."""
    return WWHOTokenizer(name)


@cache
def unigram() -> WWHOTokenizer:
    """Return the tokenizer of a small Unigram model."""
    model = Viterbi(
        tokens=(b"a", b"ab", b"aba", b"b", b"ba", b"bb"),
        scores=(-1.0, -1.5, -2.5, -1.25, -3.0, -2.0),
        unknown=Unknown.ID,
        unk_id=9,
    )
    return WWHOTokenizer(Tokenizer.from_bytes(write_artifact(kinds.tokenizer_of(model))))


@pytest.mark.parametrize("name", ["wwho_128k", "o200k_base"])
def test_rows_are_those_of_encode_batch(name: str) -> None:
    hf = tokenizer(name)
    rows = hf(TEXTS, **DROPS)["input_ids"]
    assert rows == hf.wwho.encode_batch(TEXTS, **DROPS) != hf(TEXTS)["input_ids"]
    assert rows[0] != rows[3]
    assert hf.batch_decode(rows) == TEXTS
    assert hf(TEXTS[0], **DROPS)["input_ids"] == hf.encode(TEXTS[0], **DROPS) == rows[0]
    assert hf.convert_tokens_to_ids(hf.tokenize(TEXTS[0], **DROPS)) == rows[0]
    placed = hf(TEXTS, return_offsets_mapping=True, **DROPS)
    expected = hf.wwho.encode_batch_with_offsets(TEXTS, **DROPS)
    found = zip(placed["input_ids"], placed["offset_mapping"], strict=True)
    assert list(found) == expected


def test_paths_of_a_unigram_model() -> None:
    hf, texts = unigram(), ["ababbab"] * 12
    rows = hf(texts, **PATHS)["input_ids"]
    assert rows == hf.wwho.encode_batch(texts, **PATHS)
    assert len({*map(tuple, rows)}) > 3
    assert hf.batch_decode(rows) == texts


def test_each_text_of_a_pair_and_each_word_counts() -> None:
    hf = tokenizer()
    firsts, seconds = TEXTS[:2], TEXTS[3:]
    pairs = hf(firsts, seconds, **DROPS)["input_ids"]
    assert pairs == hf.wwho.encode_batch(firsts, seconds, **DROPS)
    words = [TEXTS[0].split(), [], TEXTS[0].split()]
    rows = hf(words, is_split_into_words=True, **DROPS)["input_ids"]
    parts = hf.wwho.encode_batch([word for row in words for word in row], **DROPS)
    assert rows == [[*chain(*parts[:4])], [], [*chain(*parts[4:])]]


def test_targets_are_drawn_as_a_call_of_their_own() -> None:
    hf = tokenizer()
    both = hf(TEXTS, text_target=TEXTS[::-1], **DROPS)
    assert both["input_ids"] == hf(TEXTS, **DROPS)["input_ids"]
    assert both["labels"] == hf(TEXTS[::-1], **DROPS)["input_ids"]


def test_encodings_are_those_of_the_drawn_tokens() -> None:
    """They are made later than ids, row by row."""
    hf = tokenizer()
    firsts, seconds = [TEXTS[0], "", TEXTS[1]], [TEXTS[3], TEXTS[4], TEXTS[0]]
    batch = hf(firsts, seconds, return_offsets_mapping=True, **DROPS)
    plain = hf(firsts, seconds)
    for k in range(3):
        encoding, ids = batch.encodings[k], batch["input_ids"][k]
        assert encoding.ids == ids != plain["input_ids"][k]
        assert encoding.offsets == batch["offset_mapping"][k]
        assert len(encoding.word_ids) == len(ids)
        for sequence, text in enumerate((firsts[k], seconds[k])):
            words = [
                w
                for w, s in zip(encoding.word_ids, encoding.sequence_ids, strict=True)
                if s == sequence
            ]
            # Words are those of the text, however many tokens each is drawn as.
            whole = hf(text).encodings[0].word_ids
            assert sorted({*words}) == sorted({*whole})
            assert words == sorted(words)


def test_words_of_inputs_in_words() -> None:
    words = TEXTS[0].split()
    found = tokenizer()([words, words], is_split_into_words=True, **DROPS)
    for k in range(2):
        pieces = found["input_ids"][k]
        numbers = found.word_ids(k)
        assert len(numbers) == len(pieces)
        for number, word in enumerate(words):
            drawn = [t for t, n in zip(pieces, numbers, strict=True) if n == number]
            assert tokenizer().decode(drawn) == word


def test_without_a_probability_nothing_is_drawn() -> None:
    plain = tokenizer()(TEXTS)["input_ids"]
    assert tokenizer()(TEXTS, dropout=0.0, seed=1)["input_ids"] == plain
    assert tokenizer()(TEXTS, seed=1)["input_ids"] == plain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dropout": 0.1}, "no seed"),
        ({"dropout": 1.5, "seed": 1}, r"dropout is 1\.5"),
        ({"sample": (0.1, -1), "seed": 1}, "BPE, which has no paths to draw"),
        ({"sample": (0.1, 64), "seed": 1}, "n_best is 64"),
        ({"nbest_size": 64}, "nbest_size=64 is no option of a call here"),
        ({"enable_sampling": True}, r"enable_sampling=True .* sample=\(alpha, -1\) and a seed"),
    ],
)
def test_calls_that_are_refused(options: Any, message: str) -> None:
    for text in ("hello", [], ["hello"]):
        with pytest.raises(SamplingError, match=message):
            tokenizer()(text, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dropout": 0.1, "seed": 1}, r"^dropout=0\.1 would draw .* a seed of its own"),
        (
            {"sample": (0.1, -1)},
            r"^sample=.0\.1, -1. would draw .* and sample=\(alpha, -1\)$",
        ),
        (
            {"sp_model_kwargs": {"enable_sampling": True, "nbest_size": -1, "alpha": 0.3}},
            r"^sp_model_kwargs=.* a seed of its own and sample=\(0\.3, -1\) .*dropout=0\.3\)$",
        ),
        (
            {"sp_model_kwargs": {"enable_sampling": True, "nbest_size": 64}, "seed": 1},
            "from all that there are, not from nbest_size=64$",
        ),
    ],
)
def test_a_tokenizer_never_draws_by_itself(options: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(SamplingError, match=message):
        WWHOTokenizer("o200k_base", **options)
    unigram().save_pretrained(tmp_path)
    with pytest.raises(SamplingError, match=message):
        WWHOTokenizer.from_pretrained(tmp_path, **options)


def test_a_saved_folder_keeps_nothing_that_draws(tmp_path: Path) -> None:
    hf = WWHOTokenizer("wwho_128k")
    rows = hf(TEXTS, **DROPS)["input_ids"]
    hf.save_pretrained(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    assert not {"dropout", "sample", "seed", "sp_model_kwargs"} & settings.keys()
    again = WWHOTokenizer.from_pretrained(tmp_path)
    assert again(TEXTS)["input_ids"] == hf.wwho.encode_batch(TEXTS)
    assert again(TEXTS, **DROPS)["input_ids"] == rows


def test_dropout_of_a_tokenizer_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    vocab = {"a": 0, "b": 1, "ab": 2}
    model = tokenizers.models.BPE(vocab=vocab, merges=[("a", "b")], dropout=0.5)
    theirs = tokenizers.Tokenizer(model)
    assert len({tuple(theirs.encode("ab").ids) for _ in range(64)}) == 2
    theirs.save(str(path))
    for opened in (import_file, WWHOTokenizer.from_pretrained):
        with pytest.raises(WwhoError, match=r"dropout gives other ids .* a seed to each call"):
            opened(path.parent)
    document = json.loads(path.read_text("utf-8"))
    document["model"]["dropout"] = None
    path.write_text(json.dumps(document), "utf-8")
    hf = WWHOTokenizer.from_pretrained(tmp_path)
    drawn = {tuple(row) for row in hf(["ab"] * 64, dropout=0.5, seed=1)["input_ids"]}
    assert drawn == {(0, 1), (2,)}
