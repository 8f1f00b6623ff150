"""The public Python API: like tiktoken's where that has it, and the same for str and bytes."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import oracle
import pytest
from exhaustive import examples
from hypothesis import given
from strategies import raw, texts
from tiny import SPECIALS_BASE, tiny_model

import wwho
from wwho import ArtifactError, Segment, SpecialTokenError, Tokenizer, UnknownTokenError
from wwho.format.write import write_artifact

TINY = write_artifact(tiny_model())
SENTENCE = "The kettle\u2019s on, ශ්\u200dරී ලංකා होती \U0001f600."
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def enc() -> Tokenizer:
    """Return o200k_base."""
    return wwho.get_encoding("o200k_base")


@pytest.fixture(scope="module", params=["native", "reference"])
def tiny(request: pytest.FixtureRequest) -> Tokenizer:
    """Return a tiny model, opened by each backend in turn."""
    return Tokenizer.from_bytes(TINY, backend=request.param)


# Like tiktoken


@pytest.mark.parametrize("name", oracle.NAMES)
@examples(400)
@given(text=texts)
def test_every_method_gives_what_tiktokens_does(name: str, text: str) -> None:
    ours, theirs = wwho.get_encoding(name), oracle.tiktoken_encoding(name)
    ids = theirs.encode(text, allowed_special="all")
    assert ours.encode(text, allowed_special="all") == ids
    assert ours.encode_to_numpy(text, allowed_special="all").tolist() == ids
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
    assert ours.encode_batch([text, ""]) == [theirs.encode_ordinary(text), []]
    assert ours.encode_ordinary_batch([text]) == theirs.encode_ordinary_batch([text])
    assert ours.decode(ids) == theirs.decode(ids) == text
    assert ours.decode_bytes(ids) == theirs.decode_bytes(ids)
    assert ours.decode_tokens_bytes(ids) == theirs.decode_tokens_bytes(ids)
    assert ours.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)
    assert ours.decode_batch([ids, []]) == theirs.decode_batch([ids, []])
    assert ours.decode_bytes_batch([ids]) == theirs.decode_bytes_batch([ids])
    half = ids[len(ids) // 2 :]
    assert ours.decode(half) == theirs.decode(half)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_every_property_is_tiktokens(name: str) -> None:
    ours, theirs = wwho.get_encoding(name), oracle.tiktoken_encoding(name)
    for each in ("name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set"):
        assert getattr(ours, each) == getattr(theirs, each), each
    for token in (0, ours.eot_token, ours.max_token_value):
        assert ours.is_special_token(token) == theirs.is_special_token(token)
        assert ours.decode_single_token_bytes(token) == theirs.decode_single_token_bytes(token)


def test_signatures_accept_tiktokens_calls(enc: Tokenizer) -> None:
    theirs = type(oracle.tiktoken_encoding("o200k_base"))
    for name, method in inspect.getmembers(theirs, inspect.isfunction):
        if name.startswith("_"):
            continue
        wanted = inspect.signature(method).parameters
        given = inspect.signature(getattr(wwho.Encoding, name)).parameters
        for parameter in wanted.values():
            assert given[parameter.name].kind == parameter.kind, (name, parameter)


# Special tokens


def test_special_tokens_are_ordinary_text_unless_allowed(enc: Tokenizer) -> None:
    text = f"a{END}b"
    assert enc.eot_token not in enc.encode(text)
    assert enc.encode(text) == enc.encode_ordinary(text)
    assert enc.encode(text, allowed_special={END}) == [64, 199999, 65]
    assert enc.encode(text, allowed_special={"<|endofprompt|>"}) == enc.encode(text)
    assert enc.encode(text.encode(), allowed_special=[END]) == [64, 199999, 65]
    assert enc.decode([64, 199999, 65]) == text


def test_disallowed_special(enc: Tokenizer) -> None:
    theirs = oracle.tiktoken_encoding("o200k_base")
    text = f"a{END}b"
    with pytest.raises(ValueError, match="disallowed special token") as expected:
        theirs.encode(text)
    for call in (enc.encode, enc.count, enc.encode_with_offsets, enc.encode_to_numpy):
        for each in (text, text.encode()):
            with pytest.raises(SpecialTokenError) as found:
                call(each, disallowed_special="all")
            assert str(found.value) == str(expected.value)
    with pytest.raises(SpecialTokenError):
        enc.count_till_limit(text, 1, disallowed_special={END})
    with pytest.raises(SpecialTokenError):
        enc.encode_batch(["", text], disallowed_special="all")
    with pytest.raises(SpecialTokenError):
        enc.encode(text, allowed_special={END}, disallowed_special={END})
    assert enc.encode(text, allowed_special={END}, disallowed_special="all") == [64, 199999, 65]
    assert enc.encode(text, disallowed_special={"<|endofprompt|>"}) == enc.encode(text)
    assert enc.encode(text, disallowed_special=()) == enc.encode(text)


def test_a_string_is_no_set_of_special_tokens(enc: Tokenizer) -> None:
    with pytest.raises(TypeError, match="expected a set of special tokens or 'all'"):
        enc.encode("x", allowed_special=END)
    with pytest.raises(TypeError, match="expected a set of special tokens or 'all'"):
        enc.encode("x", disallowed_special=END)
    for wrong in (1, b"x"):
        with pytest.raises(TypeError, match=f"or 'all', found {wrong!r}"):
            enc.encode("x", allowed_special={END, wrong})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=f"or 'all', found {wrong!r}"):
            enc.encode("x", disallowed_special={wrong})  # type: ignore[arg-type]


def test_the_longest_special_token_wins(tiny: Tokenizer) -> None:
    short, long, sinhala = SPECIALS_BASE
    ids = {text: tiny.encode_single_token(text) for text in SPECIALS_BASE}
    assert tiny.encode(long, allowed_special="all") == [ids[long]]
    assert tiny.encode(long, allowed_special={short})[0] == ids[short]
    assert tiny.encode(f"{short}{sinhala}{short}", allowed_special="all") == [
        ids[short],
        ids[sinhala],
        ids[short],
    ]
    with pytest.raises(SpecialTokenError, match=re.escape("special token '<|end|>x'")):
        tiny.encode(f"a {long}", disallowed_special="all")


# SGPE


def test_unknown_syllables_are_spelled(tiny: Tokenizer) -> None:
    text = "\u0d9a\u0da4\u0dad\u0ddd"
    ids = tiny.encode(text)
    assert tiny.decode(ids) == text
    assert all(token < tiny.info.models[1].first_id for token in ids[1:])
    unk = tiny.encode_single_token("[UNK]")
    assert tiny.encode(text, unk="token") == [ids[0], unk, unk]
    assert tiny.count(text, unk="token") == 3
    with pytest.raises(ValueError, match="unk is 'drop'"):
        tiny.encode(text, unk="drop")  # type: ignore[arg-type]


def test_unk_needs_a_model_that_has_it(enc: Tokenizer) -> None:
    for call in (enc.encode, enc.count, enc.encode_with_offsets, enc.encode_to_numpy):
        with pytest.raises(ValueError, match="o200k_base has no token for unknown syllables"):
            call(SENTENCE, unk="token")


def test_a_limit_is_a_whole_number(tiny: Tokenizer) -> None:
    with pytest.raises(TypeError):
        tiny.count_till_limit(SENTENCE, 1.5)  # type: ignore[arg-type]
    assert tiny.count_till_limit("", np.uint8(3)) == 0  # type: ignore[arg-type]


def test_the_empty_text_is_no_token(tiny: Tokenizer) -> None:
    with pytest.raises(UnknownTokenError, match="the empty text is not a token"):
        tiny.encode_single_token("")


def test_each_stray_byte_of_a_segment_is_a_character(tiny: Tokenizer) -> None:
    # bytes.decode would make one U+FFFD of the first two bytes of a letter
    (segment,) = tiny.segment("\u0d9a".encode()[:2] + b"a\xff")
    assert segment.text == "\ufffd\ufffda\ufffd"


def test_segments(tiny: Tokenizer) -> None:
    assert tiny.segment("\u0d94\u0dba\u0dcf 1 special \u0905\u0926\u094d\u092d\u0941\u0924") == [
        Segment("sinhala", "\u0d94\u0dba\u0dcf", ("\u0d94", "\u0dba\u0dcf")),
        Segment("other", " 1 special", ()),
        Segment(
            "devanagari",
            " \u0905\u0926\u094d\u092d\u0941\u0924",
            (" \u0905", "\u0926\u094d\u092d\u0941", "\u0924"),
        ),
    ]
    assert tiny.segment("") == []
    assert tiny.segment(b"") == []


@examples(600)
@given(text=texts)
def test_segments_join_to_the_text(text: str) -> None:
    found = SHARED.segment(text)
    assert "".join(segment.text for segment in found) == text
    for segment in found:
        assert "".join(segment.units) == ("" if segment.route == "other" else segment.text)


SHARED = Tokenizer.from_bytes(TINY)


def test_sgpes_token_comes_before_the_bases(tiny: Tokenizer) -> None:
    # the letter is a token of the base and an atom
    token = tiny.encode_single_token("\u0d9a")
    assert token >= tiny.info.models[1].first_id
    assert tiny.encode_single_token(b"the") < 300


# Round trip and offsets


@examples(1000)
@given(data=raw)
def test_every_byte_comes_back(data: bytes) -> None:
    for each in (SHARED, wwho.get_encoding("o200k_base")):
        assert each.decode_bytes(each.encode(data)) == data
        assert each.encode(bytearray(data)) == each.encode(memoryview(data)) == each.encode(data)


@examples(1000)
@given(text=texts)
def test_offsets_are_the_characters_a_token_touches(text: str) -> None:
    for each in (SHARED, wwho.get_encoding("cl100k_base")):
        ids, offsets = each.encode_with_offsets(text)
        assert ids == each.encode(text) == each.encode(text.encode())
        owners = [k for k, char in enumerate(text) for _ in char.encode()]
        at = 0
        for part, (first, last) in zip(each.decode_tokens_bytes(ids), offsets, strict=True):
            touched = owners[at : at + len(part)]
            assert (first, last) == (touched[0], touched[-1] + 1)
            at += len(part)
        assert at == len(owners)


# Lone surrogates


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("\ud800", "\ufffd"),
        ("a\udfff b", "a\ufffd b"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ud800\ud83d\ude00\u0d9a", "\ufffd\U0001f600\u0d9a"),
        ("\ud83dx\ud83d", "\ufffdx\ufffd"),
    ],
)
def test_lone_surrogates_are_replaced_in_every_method(text: str, read: str) -> None:
    for each in (SHARED, wwho.get_encoding("o200k_base", "reference")):
        assert each.encode(text) == each.encode(read)
        assert each.encode(text, allowed_special="all") == each.encode(read)
        assert each.encode(text, disallowed_special="all") == each.encode(read)
        assert each.encode_ordinary(text) == each.encode(read)
        assert (
            each.encode_batch([text]) == each.encode_ordinary_batch([text]) == [each.encode(read)]
        )
        assert each.encode_to_numpy(text).tolist() == each.encode(read)
        assert each.encode_with_offsets(text)[0] == each.encode(read)
        assert each.count(text) == each.count_till_limit(text, 99) == each.count(read)
        assert each.segment(text) == each.segment(read)
        assert each.decode(each.encode(text)) == read
    theirs = oracle.tiktoken_encoding("o200k_base")
    assert theirs.encode_ordinary(text) == wwho.get_encoding("o200k_base").encode(text)


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("\ud83d\ude00 a", [(0, 2), (2, 4)]),
        ("\ud800\ud83d\ude00b", [(0, 1), (1, 3), (3, 4)]),
        ("a\udfff b", [(0, 1), (1, 2), (2, 4)]),
    ],
)
def test_places_are_those_of_the_str_that_was_given(
    text: str, offsets: list[tuple[int, int]]
) -> None:
    enc = wwho.get_encoding("o200k_base")
    assert list(dict.fromkeys(enc.encode_with_offsets(text)[1])) == offsets
    chunks = enc.chunk(text, 4)
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert enc.truncate(text, 99) == text
    assert text.startswith(enc.truncate(text, 2))


def test_a_lone_surrogate_is_looked_up_as_what_it_is_read_as(enc: Tokenizer) -> None:
    with pytest.raises(UnknownTokenError):
        enc.encode_single_token("no such token \ud800")
    assert enc.encode_single_token("\ud83d\ude00") == enc.encode_single_token("\U0001f600")


# Counting


def test_count_till_limit(enc: Tokenizer) -> None:
    n = len(enc.encode(SENTENCE))
    assert enc.count(SENTENCE) == n
    assert enc.count_till_limit(SENTENCE, n) == n
    assert enc.count_till_limit(SENTENCE, n + 1) == n
    assert enc.count_till_limit(SENTENCE, n - 1) is None
    assert enc.count_till_limit("", 0) == 0
    assert enc.count_till_limit("x" * 1_000_000, 5) is None
    with pytest.raises(ValueError, match="limit is -1"):
        enc.count_till_limit("", -1)


# Wrong arguments


@pytest.mark.parametrize("wrong", [5, None, ["a"], 1.5])
def test_texts_are_str_or_bytes(tiny: Tokenizer, wrong: Any) -> None:
    for call in (tiny.encode, tiny.count, tiny.segment, tiny.encode_single_token):
        with pytest.raises(TypeError, match="expected str or bytes"):
            call(wrong)


@pytest.mark.parametrize("wrong", [-1, 10**9, 2**32, 2**64, -(2**70)])
def test_ids_outside_the_vocabulary(tiny: Tokenizer, wrong: int) -> None:
    for call in (
        tiny.decode,
        tiny.decode_bytes,
        tiny.decode_tokens_bytes,
        tiny.decode_with_offsets,
    ):
        with pytest.raises(UnknownTokenError, match=f"^{wrong} is not the id of a token"):
            call([1, wrong, 2])
    with pytest.raises(KeyError):
        tiny.decode_single_token_bytes(wrong)


def test_ids_are_integers(tiny: Tokenizer) -> None:
    for wrong in ("a", 1.0, None):
        with pytest.raises(TypeError, match=f"'{type(wrong).__name__}' object cannot"):
            tiny.decode([1, wrong])  # type: ignore[list-item]


def test_ids_may_be_what_stands_for_integers(tiny: Tokenizer) -> None:
    class Id:
        """An integer that is no `int`, as numpy has them."""

        def __index__(self) -> int:
            return 97

    assert tiny.decode_bytes([97, Id()]) == tiny.decode_bytes([97, 97])  # type: ignore[list-item]


def test_ids_may_be_a_numpy_array(tiny: Tokenizer) -> None:
    ids = tiny.encode_to_numpy(SENTENCE)
    assert ids.dtype == np.uint32
    ids[:0] = 1  # writable
    array: Any = ids
    assert tiny.decode(array) == tiny.decode(tuple(ids.tolist())) == SENTENCE
    assert tiny.decode_batch([array]) == [SENTENCE]


def test_strict_decoding(enc: Tokenizer) -> None:
    half = enc.encode(b"\xe0\xb6")
    assert enc.decode(half) == "\ufffd"
    assert enc.decode(half, errors="ignore") == ""
    with pytest.raises(UnicodeDecodeError):
        enc.decode(half, errors="strict")
    with pytest.raises(UnicodeDecodeError):
        enc.decode_with_offsets(half)


def test_no_end_of_text(tiny: Tokenizer) -> None:
    with pytest.raises(UnknownTokenError, match="tiny has no special token"):
        _ = tiny.eot_token


# One object, many threads and processes


def test_threads(enc: Tokenizer) -> None:
    lines = [SENTENCE * (k % 50) + str(k) for k in range(400)]
    expected = [enc.encode(line) for line in lines]
    barrier = threading.Barrier(8)

    def work(_: int) -> list[list[int]]:
        """Encode all lines, at the same time as the other threads."""
        barrier.wait()
        return [enc.encode(line) for line in lines]

    with ThreadPoolExecutor(8) as executor:
        for found in executor.map(work, range(8)):
            assert found == expected
    assert enc.encode_batch(lines, num_threads=8) == expected
    assert enc.decode_batch(expected, num_threads=8) == lines


def test_get_encoding_opens_once() -> None:
    with ThreadPoolExecutor(8) as executor:
        found = set(executor.map(lambda _: wwho.get_encoding("cl100k_base"), range(32)))
    assert len(found) == 1
    assert wwho.get_encoding("cl100k_base", "native") in found
    assert wwho.get_encoding("cl100k_base", "reference") not in found


def test_pickling(tiny: Tokenizer, enc: Tokenizer) -> None:
    assert pickle.loads(pickle.dumps(enc)) is enc
    assert len(pickle.dumps(enc)) < 200
    again = pickle.loads(pickle.dumps(tiny))
    assert again.encode(SENTENCE) == tiny.encode(SENTENCE)
    assert (again.name, again.backend) == (tiny.name, tiny.backend)
    assert copy.deepcopy(tiny).encode(SENTENCE) == tiny.encode(SENTENCE)
    reference = wwho.get_encoding("cl100k_base", "reference")
    assert pickle.loads(pickle.dumps(reference)) is reference


def test_a_tokenizer_has_no_attributes_to_set(enc: Tokenizer) -> None:
    with pytest.raises(AttributeError):
        enc.name = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        enc.extra = 1  # type: ignore[attr-defined]


def test_loading(tmp_path: object) -> None:
    assert Tokenizer.from_bytes(bytearray(TINY)).name == "tiny"
    assert Tokenizer.from_bytes(memoryview(TINY)).name == "tiny"
    with pytest.raises(FileNotFoundError):
        Tokenizer.load("no/such/file.wwho")
    with pytest.raises(ArtifactError, match="TRUNCATED"):
        Tokenizer.from_bytes(b"")


def test_large_and_small_texts_in_turn(enc: Tokenizer) -> None:
    for size in (0, 10, 3_000_000, 1, 200_000, 10):
        text = ("word " * (size // 5 + 1))[:size]
        assert enc.decode(enc.encode(text)) == text
