"""Truncating and chunking: the vectors, what must hold of any text, and what is refused."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import oracle  # noqa: F401 - it knows where gen_vectors is
import pytest
import regex
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts
from vector_checks import VECTORS

import wwho
from wwho import LimitError, SpecialTokenError, Tokenizer
from wwho.tokenizer.boundaries import BOUNDARIES
from wwho.tokenizer.grapheme_clusters import cluster_edges

CASES: list[dict[str, Any]] = json.loads((VECTORS / "chunks.json").read_text("ascii"))
TEXT = "One. Two three.\n\nFour five? Six seven eight."


@pytest.fixture(scope="module", params=["o200k_base", "wwho_328k", "wwho_super_328k"])
def enc(request: pytest.FixtureRequest) -> Tokenizer:
    """Return an encoding of bytes, one of syllables and one of superwords in turn."""
    return wwho.get_encoding(request.param)


def test_vectors() -> None:
    for case in CASES:
        enc = wwho.get_encoding(case["encoding"])
        arguments = (case["text"], case["limit"])
        options = {"overlap": case["overlap"], "prefer": case["prefer"]}
        assert len(enc.truncate(*arguments)) == case["truncated"], case
        if case["chunks"] is None:
            with pytest.raises(LimitError, match=r"more tokens than the limit.*oversize='split'"):
                enc.chunk(*arguments, **options, oversize="error")
        else:
            found = enc.chunk(*arguments, **options)
            assert [list(chunk[1:]) for chunk in found] == case["chunks"], case
    assert {case["prefer"] for case in CASES} == set(BOUNDARIES)
    assert any(case["chunks"] is None for case in CASES)


@pytest.mark.slow
def test_vectors_are_those_of_the_generator() -> None:
    from gen_vectors import chunks

    made = json.loads(json.dumps([line for line in chunks() if len(str(line["text"])) < 60]))
    assert made == [case for case in CASES if len(case["text"]) < 60]


def _check_oversized(enc: Tokenizer, text: str, limit: int, overlap: int) -> None:
    """Check the chunks of a text that has a syllable or cluster above the limit."""
    whole = enc.chunk(text, limit, overlap=overlap, oversize="keep")
    parts = enc.chunk(text, limit, overlap=overlap)
    is_edge = cluster_edges(text)
    for chunks in (whole, parts):
        assert "".join(text[a:b] for a, b in pairwise([0, *(c.end for c in chunks)])) == text
        for chunk in chunks:
            assert chunk.text == text[chunk.start : chunk.end] != ""
            assert chunk.tokens == enc.count(chunk.text)
    assert all(is_edge(chunk.end) for chunk in whole)
    assert max(chunk.tokens for chunk in whole) > limit
    assert all(chunk.tokens <= limit or len(chunk.text) == 1 for chunk in parts)


@examples(600)
@given(text=texts, limit=st.integers(1, 40), data=st.data())
def test_what_holds_of_any_text(enc: Tokenizer, text: str, limit: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, limit - 1))
    start = enc.truncate(text, limit)
    assert text.startswith(start)
    assert enc.count(start) <= limit
    prefer = data.draw(st.sampled_from(BOUNDARIES))
    try:
        chunks = enc.chunk(text, limit, overlap=overlap, prefer=prefer, oversize="error")
    except LimitError:
        _check_oversized(enc, text, limit, overlap)
        return
    assert enc.chunk(text, limit, overlap=overlap, prefer=prefer) == chunks
    is_edge = cluster_edges(text)
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end] != ""
        assert chunk.tokens == enc.count(chunk.text) <= limit
        assert is_edge(chunk.start)
        assert is_edge(chunk.end)
    for before, after in pairwise(chunks):
        assert before.start <= after.start <= before.end < after.end
    assert "".join(text[a:b] for a, b in pairwise([0, *(chunk.end for chunk in chunks)])) == text


@examples(600)
@given(
    text=st.text(
        st.sampled_from(
            "aක්\u200dෂा\u0301\U0001f1f1\U0001f468\U0001f3fd\r\n\u1100\u1161\u11a8\u0600"
        )
    )
)
def test_characters_are_grapheme_clusters(text: str) -> None:
    is_edge = cluster_edges(text)
    expected = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    found = {place for place in range(len(text), -1, -1) if is_edge(place)}
    # Two versions of Unicode may join conjuncts otherwise; our scanner is tested by its own tests.
    assert {
        place for place in found ^ expected if "\u0dca" not in text and "\u093e" not in text
    } == set()


def test_prefer() -> None:
    enc = wwho.get_encoding("o200k_base")
    for prefer, first in (
        ("paragraph", "One. Two three.\n\n"),
        ("word", "One. Two three.\n\nFour five? Six"),
    ):
        assert enc.chunk(TEXT, 9, prefer=prefer)[0].text == first  # type: ignore[arg-type]


def test_special_tokens() -> None:
    enc = wwho.get_encoding("o200k_base")
    text = "a<|endoftext|>b"
    assert [chunk.text for chunk in enc.chunk(text, 1, allowed_special="all")] == [
        "a",
        "<|endoftext|>",
        "b",
    ]
    assert enc.truncate(text, 2, allowed_special="all") == "a<|endoftext|>"
    for call in (enc.chunk, enc.truncate):
        with pytest.raises(SpecialTokenError):
            call(text, 2, disallowed_special="all")


def test_wrong_arguments() -> None:
    enc: Any = wwho.get_encoding("o200k_base")
    for call in (enc.chunk, enc.truncate):
        with pytest.raises(TypeError, match="expected str, found bytes"):
            call(b"a", 2)
        with pytest.raises(TypeError):
            call("a", 2.5)
        with pytest.raises(ValueError, match="limit is -1"):
            call("a", -1)
    with pytest.raises(ValueError, match="limit is 0; give a number of tokens, 1 or more"):
        enc.chunk("a", 0)
    with pytest.raises(ValueError, match="overlap is 2; give less than the limit, which is 2"):
        enc.chunk("a", 2, overlap=2)
    with pytest.raises(ValueError, match="prefer is 'page'; it is one of paragraph, "):
        enc.chunk("a", 2, prefer="page")
    assert (enc.chunk("", 2), enc.truncate("abc", 0)) == ([], "")


@pytest.mark.parametrize("name", ["o200k_base", "wwho_328k"])
@examples(400)
@given(text=texts)
def test_decoding_as_tokens_come(name: str, text: str) -> None:
    enc = wwho.get_encoding(name)
    ids = enc.encode(text)
    parts = list(enc.decode_stream(iter(ids)))
    assert "" not in parts
    assert "".join(parts) == enc.decode(ids)


def test_decoding_what_is_no_text() -> None:
    enc = wwho.get_encoding("o200k_base")
    ids = enc.encode(b"a\xff\xe0\xb6b\xe0\xb6")
    assert "".join(enc.decode_stream(ids)) == enc.decode(ids) == "a\ufffd\ufffdb\ufffd"
    with pytest.raises(UnicodeDecodeError):
        list(enc.decode_stream(ids, errors="strict"))
    stream = enc.decode_stream(iter([64, 4_000_000]))
    assert next(stream) == "a"
    with pytest.raises(KeyError):
        next(stream)
