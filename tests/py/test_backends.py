"""Every backend gives what tests/vectors say, and native and reference agree on everything else."""

from __future__ import annotations

import json
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import oracle  # puts tools/ on the path
import pytest
from exhaustive import EXHAUSTIVE, examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import hard_text, raw, texts
from tiny import paper_model, tiny_model
from vector_checks import (
    AFTER,
    ENCODINGS,
    REWRITTEN,
    TINY,
    VECTORS,
    artifact,
    check_after,
    check_rewritten,
    check_vectors,
    vectors,
)

from wwho import BackendError, Tokenizer, UnknownTokenError
from wwho.backends.select import BackendName, default_backend, open_backend
from wwho.format.write import write_artifact
from wwho.reference.merge import merge
from wwho.text import Unk, read_characters
from wwho.tokenizer.special_tokens import allowed_mask

BACKENDS: tuple[BackendName, ...] = ("native", "reference")


@cache
def tokenizer(name: str, backend: BackendName) -> Tokenizer:
    """Return the tokenizer of a small or shipped artifact, opened once for each backend."""
    return Tokenizer.from_bytes(artifact(name), backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ENCODINGS)
def test_vectors(name: str, backend: BackendName) -> None:
    check_vectors(tokenizer(name, backend), name)


def test_vectors_are_those_of_the_generator() -> None:
    from gen_vectors import lines

    for name, make in (("tiny", tiny_model), ("paper", paper_model)):
        assert (VECTORS / f"{name}.wwho").read_bytes() == write_artifact(make())
    for name in ("tiny", "paper", "cl100k_base"):
        assert json.loads(json.dumps(list(lines(name, artifact(name))))) == vectors(name)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", REWRITTEN)
def test_vectors_of_models_that_rewrite_texts(name: str, backend: BackendName) -> None:
    check_rewritten(tokenizer(name, backend), name)


@pytest.mark.parametrize("name", REWRITTEN)
def test_spans_of_rewritten_texts_have_places_in_the_source(name: str) -> None:
    native, reference = (tokenizer(name, backend)._backend for backend in BACKENDS)
    for line in json.loads((VECTORS / "rewritten.json").read_text("utf-8")):
        if line["encoding"] != name:
            continue
        data = line["text"].encode("utf-8", "replace")
        found = native.encode_with_spans(data, None, False)
        assert found == reference.encode_with_spans(data, None, False)
        assert all(0 <= span.start <= span.end <= len(data) for span in found[3])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", AFTER)
def test_vectors_of_templates_and_decoders(name: str, backend: BackendName) -> None:
    check_after(tokenizer(name, backend), name)


@pytest.mark.parametrize("name", sorted({*oracle.NAMES} & {*ENCODINGS}))
def test_vectors_of_the_base_are_tiktokens(name: str) -> None:
    theirs = oracle.tiktoken_encoding(name)
    checked = [line for line in vectors(name) if "text" in line and "ids" in line]
    assert len(checked) > 40
    for line in checked:
        assert (
            theirs.encode(line["text"], allowed_special=set(line["allowed"]), disallowed_special=())
            == line["ids"]
        )


# Native against reference


def agree(name: str, text: str | bytes, allowed: frozenset[str], unk: bool) -> None:
    """Assert that both backends give a text the same ids, places, spans, counts and bytes."""
    native, reference = tokenizer(name, "native"), tokenizer(name, "reference")
    mode: Unk = "token" if unk else "spell"
    found = native.encode_with_offsets(text, allowed_special=allowed, unk=mode)
    assert found == reference.encode_with_offsets(text, allowed_special=allowed, unk=mode)
    assert native.encode(text, allowed_special=allowed, unk=mode) == found[0]
    data = text.encode() if isinstance(text, str) else text
    assert native._backend.spans(data) == reference._backend.spans(data)
    mask = allowed_mask(allowed & {*native.info.specials}, native.info.added)
    one_pass = native._backend.encode_with_spans(data, mask, unk)
    assert one_pass == reference._backend.encode_with_spans(data, mask, unk)
    assert one_pass[0] == found[0]
    decoded = native.decode_bytes(found[0])
    assert decoded == reference.decode_bytes(found[0])
    # [UNK] loses text: on request, and always where it stands for what an encoder lost; so does
    # a step that drops text
    if not unk and name not in ("paper", "kinds", "characters", "odd"):
        assert decoded == data
    for limit in (0, len(found[0]) // 2, len(found[0])):
        expected = len(found[0]) if len(found[0]) <= limit else None
        assert native.count_till_limit(text, limit, allowed_special=allowed, unk=mode) == expected
        assert (
            reference.count_till_limit(text, limit, allowed_special=allowed, unk=mode) == expected
        )


subsets = st.frozensets(
    st.sampled_from(["<|end|>", "<|end|>x", "<|\u0d9a|>", "[PAD]", "[UNK]", "none"])
)


@examples(2000)
@given(text=st.one_of(texts, raw), allowed=subsets, unk=st.booleans())
def test_native_is_reference_tiny(text: str | bytes, allowed: frozenset[str], unk: bool) -> None:
    agree("tiny", text, allowed, unk)


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "tiny"])
@examples(500)
@given(text=st.one_of(texts, raw), special=st.booleans())
def test_native_is_reference(name: str, text: str | bytes, special: bool) -> None:
    agree(
        name, text, tokenizer(name, "native").special_tokens_set if special else frozenset(), False
    )


@pytest.mark.slow
@examples(300)
@given(part=hard_text, times=st.integers(2, 60))
def test_native_is_reference_on_long_pieces(part: str, times: int) -> None:
    for name in ("tiny", "paper", "o200k_base"):
        agree(name, part * times, frozenset(), False)


@examples(300)
@given(
    text=st.one_of(texts.map(str.encode), raw),
    cuts=st.lists(st.floats(0, 1), max_size=12),
    utf16=st.booleans(),
)
def test_offsets_of_any_tokens(text: bytes, cuts: list[float], utf16: bool) -> None:
    ends = sorted({*(int(cut * len(text)) for cut in cuts), len(text)} - {0})
    native, reference = (tokenizer("tiny", backend)._backend for backend in BACKENDS)
    starts = [0, *ends][: len(ends)]
    found = native.offsets(text, starts, ends, utf16)
    assert found == reference.offsets(text, starts, ends, utf16)


def found(enc: Tokenizer, text: bytes) -> int | None:
    """Return the id of the token with a text; None for a token of a byte, which is not found."""
    try:
        return enc.encode_single_token(text)
    except UnknownTokenError:
        return None


@pytest.mark.parametrize("name", ENCODINGS)
def test_tokens_in_both(name: str) -> None:
    """All of them, or every ninth one."""
    native, reference = (tokenizer(name, backend) for backend in BACKENDS)
    assert native.info == reference.info
    for token in range(0, native.n_vocab, 1 if EXHAUSTIVE else 9):
        try:
            text = reference.decode_single_token_bytes(token)
        except UnknownTokenError:
            with pytest.raises(UnknownTokenError, match=str(token)):
                native.decode_single_token_bytes(token)
            continue
        assert native.decode_single_token_bytes(token) == text
        assert found(native, text) == found(reference, text)


# Selection


def test_the_default_is_native() -> None:
    assert default_backend() == "native"
    assert Tokenizer.load(TINY).backend == "native"
    assert repr(Tokenizer.load(TINY)) == "<Tokenizer 'tiny' (native)>"


def test_without_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wwho._core", None)
    monkeypatch.delitem(sys.modules, "wwho.backends.native", raising=False)
    with pytest.warns(RuntimeWarning, match="runs in plain Python"):
        assert default_backend() == "reference"
    with pytest.warns(RuntimeWarning, match="runs in plain Python"):
        assert Tokenizer.load(TINY).backend == "reference"
    with pytest.raises(BackendError, match="the native backend cannot be imported"):
        Tokenizer.load(TINY, backend="native")
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert default_backend() == "wasm"


def test_a_backend_that_cannot_run_here_is_an_error() -> None:
    with pytest.raises(BackendError, match="runs in Pyodide"):
        Tokenizer.load(TINY, backend="wasm")
    with pytest.raises(
        BackendError, match="no backend 'rust'; choose one of native, wasm, reference"
    ):
        open_backend(Path(TINY).read_bytes(), "rust")  # type: ignore[arg-type]


# Parts of the reference


@given(st.lists(st.integers(0, 3), max_size=40), st.permutations(range(8)))
def test_merge_is_the_definition(ids: list[int], order: list[int]) -> None:
    pairs = [(0, 1), (1, 0), (2, 2), (0, 0), (4, 4), (5, 6), (7, 3), (1, 8)]
    ranks = {pairs[which]: 4 + place for place, which in enumerate(order)}
    plain = list(ids)
    while found := [(ranks[pair], k) for k, pair in enumerate(pairwise(plain)) if pair in ranks]:
        rank, k = min(found)
        plain[k : k + 2] = [rank]
    assert merge(ids, ranks) == plain


@given(raw)
def test_characters_cover_the_bytes(data: bytes) -> None:
    text, starts = read_characters(data)
    assert (starts[0], starts[-1], len(starts)) == (0, len(data), len(text) + 1)
    parts = [data[begin:end] for begin, end in pairwise(starts)]
    for char, part in zip(text, parts, strict=True):
        assert part == char.encode() or (char == "\ufffd" and len(part) == 1 and part[0] >= 0x80)
    if data.decode("utf-8", "ignore").encode() == data:
        assert text == data.decode()
