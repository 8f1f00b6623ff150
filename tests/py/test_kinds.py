"""GREEDY, VITERBI and byte tokens: the ids of the engines whose models they hold."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sentencepiece
from exhaustive import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import BYTE_NAMES, from_sentencepiece, from_tokenizers, tokenizer_of
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from wwho.backends.backend import Backend
from wwho.backends.select import open_backend
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact

PROSE = (
    "the cat sat on the mat, the hat sat on that cat. ආයුබෝවන් ලංකාව नमस्ते ab abc abcd " * 9
).split()
WORDS = (
    "the",
    "cat",
    "that",
    "ab",
    "é",
    "ක",
    "😀",
    "X",
    "XY",
    "#",
    "<unk>",
    "[UNK]",
    "<0x41>",
    "",
    " ",
)

texts = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.tuples(st.sampled_from("abcté😀X"), st.integers(1, 60)).map(lambda p: p[0] * p[1]),
        st.text(max_size=5),
    ),
    max_size=20,
).map("".join)


def backends(artifact: Artifact) -> tuple[Backend, Backend]:
    """The C core and the reference, after the file was written, read and written again."""
    blob = write_artifact(artifact)
    assert write_artifact(read_artifact(blob)) == blob
    return open_backend(blob, "native"), open_backend(blob, "reference")


def agree(both: tuple[Backend, Backend], text: str, expected: list[int]) -> None:
    """Both give these ids, and ends that cover the text."""
    data = text.encode("utf-8")
    native, reference = (each.encode_with_places(data, None, False) for each in both)
    assert native == reference
    assert native[0] == expected == both[0].encode(data, None, False)
    assert both[0].encode(data, None, False) == expected  # what the cache has kept
    assert both[0].count(data, None, False, len(data)) == len(expected)
    assert native[2] == sorted(native[2])


def theirs(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def changed(tokenizer: Tokenizer, **fields: Any) -> Tokenizer:
    """The model of a tokenizer with other settings, and without added tokens."""
    data = json.loads(tokenizer.to_str()) | {"added_tokens": []}
    data["model"] |= fields
    made: Tokenizer = Tokenizer.from_str(json.dumps(data))
    return made


# GREEDY


@cache
def word_piece(max_characters: int) -> tuple[Tokenizer, tuple[Backend, Backend]]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(vocab_size=120, special_tokens=["[UNK]"])
    tokenizer.train_from_iterator(PROSE, trainer)
    tokenizer = changed(tokenizer, max_input_chars_per_word=max_characters)
    return tokenizer, backends(tokenizer_of(from_tokenizers(tokenizer), words=True))


@pytest.mark.parametrize("max_characters", [100, 7])
@examples(400)
@given(text=texts)
def test_word_piece(max_characters: int, text: str) -> None:
    tokenizer, both = word_piece(max_characters)
    # A piece that begins with "##" could be a token that continues one, by the letter of its name.
    text = text.replace("#", "")
    agree(both, text, theirs(tokenizer, text))


# VITERBI

scores = st.one_of(
    st.floats(-12, -0.5),
    st.integers(-3, -1).map(float),  # many ties
    st.integers(0, 40).map(float),  # then an unknown character may be better than a token
)


@settings(max_examples=80)
@given(
    tokens=st.dictionaries(st.text("abé😀", min_size=1, max_size=4), scores, max_size=12),
    unk=scores,
    fallback=st.sampled_from(["", "all", "some"]),
    texts=st.lists(st.one_of(texts, st.text("abé😀X", max_size=60)), min_size=1, max_size=8),
)
def test_unigram(tokens: dict[str, float], unk: float, fallback: str, texts: list[str]) -> None:
    names = {"": (), "all": BYTE_NAMES, "some": BYTE_NAMES[0x80:0xD0]}[fallback]
    vocabulary = [("<unk>", unk), *tokens.items(), *((name, -5.0) for name in names)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, 0, bool(names)))
    both = backends(tokenizer_of(from_tokenizers(tokenizer)))
    for text in texts:
        agree(both, text, theirs(tokenizer, text))


LONG = [
    ("<unk>", -20.0),
    ("a", -3.0),
    ("aa", -4.0),
    ("aaa", -5.0),
    ("aab", -4.5),
    ("b", -9.0),
    ("aaaaaaa", -11.0),
]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        "a" * 50_001 + "b",
        ("a" * 9_999 + "b") * 7,
        ("a" * 4_096 + "é") * 9,
        "Xé" * 9_000,
        "ab" * 9_000 + "a" * 9_000 + "X" * 9_000 + "aab" * 9_000,
    ],
    ids=lambda text: f"{text[:2]}{len(text)}",
)
def test_a_long_piece_in_windows(text: str) -> None:
    tokenizer = Tokenizer(models.Unigram(LONG, 0, False))
    model = from_tokenizers(tokenizer)
    assert isinstance(model, Viterbi)
    native, _ = backends(tokenizer_of(model))
    data = text.encode("utf-8")
    ids, _, ends = native.encode_with_places(data, None, False)
    assert ids == theirs(tokenizer, text)
    assert ends[-1] == len(data)
    narrow, reference = backends(tokenizer_of(replace(model, narrow=True)))
    assert narrow.encode(data, None, False) == reference.encode(data, None, False)


def test_counting_a_long_piece_stops_soon() -> None:
    native, _ = backends(tokenizer_of(from_tokenizers(Tokenizer(models.Unigram(LONG, 0, False)))))
    for text in (b"ab" * 200_000, b"a" * 400_000):
        assert 10 < native.count(text, None, False, 10) < 5_000


@cache
def trained_sentencepiece(
    fallback: bool,
) -> tuple[sentencepiece.SentencePieceProcessor, tuple[Backend, Backend]]:
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(PROSE * 5),
        model_writer=out,
        vocab_size=350 if fallback else 90,
        model_type="unigram",
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        byte_fallback=fallback,
        user_defined_symbols=["that", "é"],
        hard_vocab_limit=False,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    return processor, backends(tokenizer_of(from_sentencepiece(processor)))


@pytest.mark.parametrize("fallback", [False, True])
@examples(400)
@given(text=texts)
def test_sentencepiece(fallback: bool, text: str) -> None:
    processor, both = trained_sentencepiece(fallback)
    text = text.replace("\0", "")  # where SentencePiece's own words end
    agree(both, text.replace(" ", "\u2581"), processor.encode(text))


def test_sums_of_sentencepiece_are_shifted() -> None:
    """Its sums are f32; where they are over 100,000, they lose what decides between paths."""
    processor, (native, reference) = trained_sentencepiece(False)
    text = " ".join(PROSE[k % 97 % len(PROSE)] + PROSE[k * k % 89] for k in range(9_000))
    data = text.replace(" ", "\u2581").encode()
    assert native.encode(data, None, False) == processor.encode(text)
    assert reference.encode(data, None, False) == processor.encode(text)


# Byte tokens, and unknown characters, of BPE


@cache
def character_bpe(
    names: tuple[str, ...], unk: bool, fuse: bool
) -> tuple[Tokenizer, tuple[Backend, Backend]]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.train_from_iterator(PROSE, trainers.BpeTrainer(vocab_size=110))
    vocabulary = dict(tokenizer.get_vocab())
    for name in ("<unk>", *names):
        vocabulary[name] = len(vocabulary)
    tokenizer = changed(
        tokenizer,
        vocab=vocabulary,
        unk_token="<unk>" if unk else None,
        fuse_unk=fuse,
        byte_fallback=bool(names),
    )
    return tokenizer, backends(tokenizer_of(from_tokenizers(tokenizer)))


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize(
    ("names", "unk"),
    [((), True), (BYTE_NAMES, True), (BYTE_NAMES, False), (BYTE_NAMES[0xA0:0xD0], True)],
)
@examples(150)
@given(text=texts)
def test_bpe_over_characters(names: tuple[str, ...], unk: bool, fuse: bool, text: str) -> None:
    """With byte tokens for some bytes only, unknown characters are written after them."""
    if fuse and not unk:
        return
    tokenizer, both = character_bpe(names, unk, fuse)
    agree(both, text, theirs(tokenizer, text))
