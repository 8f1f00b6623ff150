"""Pipelines in the form that runs fast: the ids and places of the literal ones, and their shape."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Mapping
from typing import Any

import oracle
import pytest

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import pipelines  # noqa: E402
import test_tokenizer_json as components  # noqa: E402
from test_documents import CUTS, LINES  # noqa: E402
from tokenizers import Regex, models, normalizers, pre_tokenizers  # noqa: E402

from wwho.assemble.fold import _keeps_apart  # noqa: E402
from wwho.compile.codepoints import CodePointSet  # noqa: E402
from wwho.encodings import list_encoding_names, model_bytes  # noqa: E402
from wwho.format.bpe import BPE  # noqa: E402
from wwho.format.greedy import Greedy  # noqa: E402
from wwho.format.model import Artifact  # noqa: E402
from wwho.format.read import read_artifact  # noqa: E402
from wwho.format.steps import STAND_INS, Action, Cut, Map, Replace  # noqa: E402
from wwho.importers import Options, Source  # noqa: E402
from wwho.importers.huggingface.read import literal, make  # noqa: E402

Split, ByteLevel = pre_tokenizers.Split, pre_tokenizers.ByteLevel
Metaspace = pre_tokenizers.Metaspace
Both = tuple[Artifact, Artifact]


def both(tokenizer: Any) -> Both:
    """The literal artifact of a tokenizer of the library, and the folded one."""
    document = json.loads(tokenizer.to_str())
    source = Source("tokenizer.json", b"")
    return (
        literal(document, source, Options())[0],
        make(document, source, Options(), "").artifact,
    )


def check(artifacts: Both, n: int = 60) -> None:
    """Compare ids and places on random texts."""
    first, second = map(pipelines.Ours, artifacts)
    rng = random.Random(7)
    for text in (*(pipelines.text_of(rng) for _ in range(n)), *LINES[:5], " ", "12345  ½1"):
        assert first.encode(text) == second.encode(text), text


@pytest.mark.parametrize("name", components.NORMALIZERS)
def test_a_normalizer(name: str) -> None:
    made = components.spelling()
    made.normalizer = components.NORMALIZERS[name]()
    check(both(made))


@pytest.mark.parametrize("name", components.PRE_TOKENIZERS)
def test_a_pre_tokenizer(name: str) -> None:
    made = components.spelling()
    made.pre_tokenizer = components.PRE_TOKENIZERS[name]()
    check(both(made))


def byte_level(*cuts: Any) -> Any:
    """A byte-level BPE with a few merges behind these pre-tokenizers."""
    vocab = {
        text: number for number, text in enumerate([*STAND_INS, "ab", "Ġa", "Ã©", "12", "Ġab"])
    }
    merges = [("a", "b"), ("Ġ", "a"), ("Ã", "©"), ("1", "2"), ("Ġ", "ab")]
    made = tokenizers.Tokenizer(models.BPE(vocab, merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(list(cuts))
    made.decoder = tokenizers.decoders.ByteLevel()
    return made


@pytest.mark.parametrize("name", CUTS)
def test_bytes(name: str) -> None:
    check(both(byte_level(*CUTS[name])))


def unigram(pre_tokenizer: Any) -> Any:
    """A Unigram model behind a pre-tokenizer; its scores allow cuts where no token is."""
    pieces = [("<unk>", 0.0), ("▁", -1.0), ("a", -1.5), ("b", -2.0), (",", -3.0), ("▁a", -3.5)]
    made = tokenizers.Tokenizer(models.Unigram(pieces, 0, byte_fallback=False))
    made.pre_tokenizer = pre_tokenizer
    return made


def merging(normalizer: Any, pre_tokenizer: Any = None) -> Any:
    """A BPE over characters with a token for what is unknown."""
    vocab = {text: number for number, text in enumerate(["<unk>", "a", "b", "▁", "▁a", ",", "1"])}
    model = models.BPE(vocab, [("▁", "a")], unk_token="<unk>", fuse_unk=True)
    made = tokenizers.Tokenizer(model)
    made.normalizer = normalizer
    if pre_tokenizer is not None:
        made.pre_tokenizer = pre_tokenizer
    return made


def bert(pre_tokenizer: Any) -> Any:
    """WordPiece behind BERT's normalizer."""
    made = components.spelling()
    made.model = models.WordPiece(
        {"[UNK]": 0, "a": 1, "##a": 2, "##": 3, "漢": 4}, unk_token="[UNK]"
    )
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizer
    return made


KEEP, DROP = (Action.KEEP,), (Action.KEEP, Action.DROP)
LLAMA3 = r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+(?!\S)|\s+"
SHAPES: Mapping[str, tuple[Callable[[], Any], str, str]] = {
    "GPT-2": (lambda: byte_level(ByteLevel(add_prefix_space=False)), "", "Cut"),
    "a space in front": (lambda: byte_level(ByteLevel()), "Ends", "Cut"),
    "Llama 3": (
        lambda: byte_level(
            Split(Regex(LLAMA3), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)
        ),
        "",
        "Cut",
    ),
    "DeepSeek": (
        lambda: byte_level(
            Split(Regex(r"\p{N}{1,3}"), "isolated"),
            Split(Regex("[一-龥]+"), "isolated"),
            ByteLevel(add_prefix_space=False),
        ),
        "",
        "Cut",
    ),
    "Falcon": (lambda: byte_level(*CUTS["Falcon"]), "", "Cut Cut"),
    "numbers with a space": (
        lambda: byte_level(pre_tokenizers.Digits(), ByteLevel()),
        "",
        "Cut Ends Cut",
    ),
    "BERT": (lambda: bert(pre_tokenizers.BertPreTokenizer()), "Replace Map Map Map", "Cut"),
    "BERT, Whitespace": (lambda: bert(pre_tokenizers.Whitespace()), "Replace Map Map Map", "Cut"),
    "T5": (
        lambda: unigram(pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), Metaspace()])),
        "Ends Replace",
        "Cut",
    ),
    "ALBERT": (lambda: unigram(Metaspace()), "Map Ends", "Cut"),
    "first": (lambda: unigram(Metaspace(prepend_scheme="first")), "Map Ends", "Cut"),
    "never": (lambda: unigram(Metaspace(prepend_scheme="never")), "Map", "Cut"),
    "digits and words": (
        lambda: unigram(pre_tokenizers.Sequence([pre_tokenizers.Digits(True), Metaspace()])),
        "",
        "Cut Map Ends",
    ),
    "Llama 2": (
        lambda: merging(
            normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        ),
        "Ends Replace",
        "Cut",
    ),
    "Gemma": (
        lambda: merging(normalizers.Replace(" ", "▁"), Split(" ", "merged_with_previous")),
        "Replace",
        "Cut",
    ),
}
"""Tokenizers, the steps before the route, and those of the route; each cut only keeps or drops."""


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape(name: str) -> None:
    maker, before, steps = SHAPES[name]
    artifacts = both(maker())
    check(artifacts, 200)
    _, folded = artifacts
    (route,), (model,) = folded.routes, folded.models
    found = [*folded.normalizer, *folded.second]
    assert " ".join(type(step).__name__ for step in found) == before
    assert " ".join(type(step).__name__ for step in route.steps) == steps
    cuts = [step for step in route.steps if isinstance(step, Cut)]
    if len(cuts) == 1:
        assert {*cuts[0].actions} <= {Action.KEEP, Action.DROP}
    assert not (isinstance(model, BPE) and model.units and name in ("GPT-2", "Falcon"))


def test_bert_keeps_its_beginnings_where_they_may_be_pieces() -> None:
    """With Whitespace, `##a` may begin a piece; with BertPreTokenizer it is three."""
    firsts = []
    for pre_tokenizer in (pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Whitespace()):
        (model,) = both(bert(pre_tokenizer))[1].models
        assert isinstance(model, Greedy)
        firsts.append(b"##a" in model.first)
    assert firsts == [False, True]


def test_what_must_stay() -> None:
    """A cut that counts bytes, one that tells bytes of a letter, ideographs in added tokens."""
    counting = both(
        byte_level(
            ByteLevel(add_prefix_space=False, use_regex=False), Split(Regex("[^a]{3}"), "isolated")
        )
    )
    splitting = both(
        byte_level(ByteLevel(add_prefix_space=False, use_regex=False), Split("©", "removed"))
    )
    for artifacts in (counting, splitting):
        (model,) = artifacts[1].models
        assert isinstance(model, BPE)
        assert model.units
        check(artifacts)
    made = bert(pre_tokenizers.BertPreTokenizer())
    made.add_tokens([tokenizers.AddedToken("漢a", normalized=True)])
    artifacts = both(made)
    assert isinstance(artifacts[1].normalizer[1], Replace)
    check(artifacts)


def test_a_map_before_a_cut_of_what_it_makes() -> None:
    made = byte_level(
        pre_tokenizers.Digits(),
        Metaspace("_", prepend_scheme="never"),
        ByteLevel(add_prefix_space=False, use_regex=False),
    )
    artifacts = both(made)
    (route,) = artifacts[1].routes
    assert [type(step) for step in route.steps] == [Cut, Map]
    check(artifacts, 200)


@pytest.mark.parametrize("name", list_encoding_names())
def test_our_own_encodings_stay_as_they_are(name: str) -> None:
    from wwho.assemble.fold import fold

    artifact = read_artifact(model_bytes(name))
    assert fold(artifact) == artifact


def test_a_step_that_decomposes_hangul_does_not_keep_its_syllables_apart() -> None:
    """Each of them becomes letters, which are other characters."""
    kept = CodePointSet.of("\u4e00", "\u4e01")
    syllables = CodePointSet.of("\uac00", "\u4e00")
    for step, chars, expected in (
        (Map({}), syllables, True),
        (Map({}, decomposes_hangul=True), kept, True),
        (Map({}, decomposes_hangul=True), syllables, False),
        (Map({}, decomposes_hangul=True), CodePointSet.of("\u1100"), False),
    ):
        assert _keeps_apart(step, chars) == expected
