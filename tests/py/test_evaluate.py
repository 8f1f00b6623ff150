"""What `wwho eval` measures, against figures worked out by hand (`evaluated.py`)."""

from __future__ import annotations

import math
import re
import tempfile
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from evaluated import LINES, TEXT, byte_model, hand_model, put_files, super_model
from hypothesis import given
from hypothesis import strategies as st

import wwho
from wwho.artifact.write import write_model
from wwho.backend.base import Backend
from wwho.backend.packed import packing
from wwho.backend.select import open_backend
from wwho.errors import CorpusError, WwhoError
from wwho.evaluate.baselines import open_baseline, open_model
from wwho.evaluate.clusters import clusters
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.encoder_tokenizers import TokenizersEncoder
from wwho.evaluate.encoder_wwho import WwhoEncoder
from wwho.evaluate.evaluate import evaluate
from wwho.evaluate.extents import Damage, Extents
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.identity import SENTENCES, Identity
from wwho.evaluate.measure import Meter, measure
from wwho.evaluate.metrics import id_bytes, renyi_efficiency
from wwho.evaluate.results import Efficiency, Evaluation, Figures
from wwho.evaluate.text import Block, DataSet, blocks
from wwho.evaluate.vocabulary import Glitch, VocabularyPart
from wwho.schema.load import load_schema
from wwho.train.inputs import Corpus

BYTE_TOKENS = 28
OUR_TOKENS = 2 + 9 + 0 + 4 + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put_files(tmp_path)


def measured(folder: Path, *baselines: Encoder, **options: object) -> Evaluation:
    model = open_model(str(folder / "hand.wwho"), unk=options.pop("unk", "spell"))  # type: ignore[arg-type]
    return evaluate(
        model,
        [*baselines, open_baseline(str(folder / "bytes.wwho"))],
        [DataSet("text", str(folder / "text.txt"))],
        example_texts=["මල කි"],
        **options,  # type: ignore[arg-type]
    )


def opened(folder: Path, name: str) -> Encoder:
    return open_baseline(str(folder / f"{name}.wwho"))


# Every figure, by hand


def test_the_text(folder: Path) -> None:
    (found,) = measured(folder).texts
    assert (found.lines, found.bytes, found.characters) == (5, 28, 14)
    assert found.words == 2 + 2 + 0 + 2 + 1
    assert found.syllables == 3 + 1 + 0 + 1 + 0
    assert found.clusters == 4 + 4 + 0 + 4 + 1
    assert found.broken_bytes == 0


def test_the_model(folder: Path) -> None:
    found = measured(folder).overall.figures["hand"]
    # how often each id occurs: a, b and the byte E0 twice, nine others once
    shares = np.array([2] * 3 + [1] * 10) / OUR_TOKENS
    assert found == Figures(
        efficiency=Efficiency(OUR_TOKENS, 16 / 7, 14 / 16, saved=None, context=None),
        bytes_per_token=28 / 16,
        compression_ratio=28 / (2 * 16),  # 264 ids take two bytes each
        # of the 12 tokens in Sinhala segments, six bytes of කි and the lone ්  are not whole
        efficiency_score=pytest.approx(100 * 5 / 12),
        renyi_efficiency=pytest.approx(-math.log((shares**2.5).sum()) / 1.5 / math.log(13)),
        damaged_lines=0,
        damaged_by_unk=0,
        unk_tokens=0,
        broken_syllables=0,
        syllable_cuts=0,
        spelled_syllables=1,
        spelled_tokens=7,
        broken_clusters=1,
        cluster_cuts=5,
    )


def test_the_baseline(folder: Path) -> None:
    found = asdict(measured(folder).overall.figures["bytes"])
    assert found.pop("renyi_efficiency") == pytest.approx(
        renyi_efficiency(np.bincount(np.frombuffer("".join(LINES).encode(), np.uint8)))
    )
    assert found == {
        "efficiency": {
            "tokens": BYTE_TOKENS,
            "tokens_per_word": 28 / 7,
            "characters_per_token": 14 / 28,
            "saved": pytest.approx(12 / 28),
            "context": 28 / 16,
        },
        "bytes_per_token": 1.0,
        "compression_ratio": 1.0,
        "efficiency_score": pytest.approx(100 * 3 / 24),  # the spaces alone
        "damaged_lines": 0,
        "damaged_by_unk": 0,
        "unk_tokens": None,
        "broken_syllables": 5,
        "syllable_cuts": 2 * 3 + 5 + 2,
        "spelled_syllables": None,
        "spelled_tokens": None,
        "broken_clusters": 6,
        "cluster_cuts": 2 * 3 + 5 + 2 + 2,
    }


def test_the_scripts(folder: Path) -> None:
    other, sinhala = measured(folder).overall.scripts
    assert (other.name, other.bytes, other.characters, other.words) == ("other", 4, 4, 2)
    assert (sinhala.name, sinhala.bytes, sinhala.characters, sinhala.words) == (
        "sinhala",
        24,
        10,
        5,
    )
    assert other.segments == 2
    assert other.figures["hand"] == Efficiency(4, 2.0, 1.0, None, None)
    assert other.figures["bytes"] == Efficiency(4, 2.0, 1.0, 0.0, 1.0)
    assert sinhala.figures["hand"] == Efficiency(12, 12 / 5, 10 / 12, None, None)
    assert sinhala.figures["bytes"] == Efficiency(24, 24 / 5, 10 / 24, 0.5, 2.0)


def test_the_vocabulary(folder: Path) -> None:
    sgpe, base, others = measured(folder).vocabulary
    glitches = (Glitch(261, "්", 1),)
    assert sgpe == VocabularyPart("hand", "SGPE", 8, 5, 3, 5, glitches, (3, 5))
    assert base == VocabularyPart("hand", "base", 256, 8, 248, 11, (), (248, 5, 3))
    assert others.part == "all"
    assert others.used == len(set("".join(LINES).encode()))
    assert sum(others.histogram) == others.size == 256
    assert others.occurrences == BYTE_TOKENS


def test_the_rest(folder: Path) -> None:
    found = measured(folder, width=10)
    assert [each.embedding_parameters for each in found.subjects] == [2640, 2560]
    assert (found.texts[0].figures, found.texts[0].scripts) == (
        found.overall.figures,
        found.overall.scripts,
    )
    (example,) = found.examples
    assert [(token.id, token.text, token.hex) for token in example.tokens["hand"][:3]] == [
        (262, "මල", "e0 b6 b8 e0 b6 bd"),
        (32, " ", "20"),
        (0xE0, None, "e0"),
    ]


# Superwords


def test_a_superword_is_a_token_like_any_other(folder: Path) -> None:
    """It saves the one token of මල ක, and costs an id; nothing else changes."""
    found = measured(folder, opened(folder, "super")).overall
    ours, others = asdict(found.figures["super"]), asdict(found.figures["hand"])
    tokens = OUR_TOKENS - 1
    assert ours.pop("efficiency") == {
        "tokens": tokens,
        "tokens_per_word": tokens / 7,
        "characters_per_token": 14 / tokens,
        "saved": pytest.approx(1 - OUR_TOKENS / tokens),
        "context": tokens / OUR_TOKENS,
    }
    assert ours.pop("bytes_per_token") == 28 / tokens
    assert ours.pop("compression_ratio") == 28 / (2 * tokens)
    # of the 11 tokens in Sinhala segments, six bytes of කි and the lone ් are not whole
    assert ours.pop("efficiency_score") == pytest.approx(100 * 4 / 11)
    shares = np.array([2] * 3 + [1] * 9) / tokens
    entropy = -math.log((shares**2.5).sum()) / 1.5
    assert ours.pop("renyi_efficiency") == pytest.approx(entropy / math.log(12))
    assert ours == {name: others[name] for name in ours}
    other, sinhala = found.scripts
    assert other.figures["super"].tokens == other.figures["hand"].tokens
    assert sinhala.figures["super"].tokens == 11


def test_superwords_are_a_part_of_the_vocabulary(folder: Path) -> None:
    parts = measured(folder, opened(folder, "super")).vocabulary
    sgpe, superwords, base = (part for part in parts if part.encoder == "super")
    # the lone space stands behind the superword and belongs to the others
    glitches = (Glitch(261, "්", 1),)
    assert sgpe == VocabularyPart("super", "SGPE", 8, 3, 5, 3, glitches, (5, 3))
    assert superwords == VocabularyPart("super", "superwords", 1, 1, 0, 1, (), (0, 1))
    assert base.occurrences == sum(part.occurrences for part in parts if part.part == "base") / 2


def test_superwords_of_the_shipped_model() -> None:
    model = open_model("wwho_super_328k")
    texts = [(text or b"").decode() for text in model.tokens_bytes(model.superwords)]
    assert {text.removeprefix(" ").count(" ") for text in texts} == {1, 2, 3}
    assert Grammar(model.backend).are_whole([text.encode() for text in texts]).all()
    assert open_model("wwho_328k").superwords == range(0)


# Damage


def test_unknown_syllables_that_are_lost_are_damage(folder: Path) -> None:
    found = measured(folder, unk="token").overall.figures["hand"]
    assert found.damaged_lines == 1
    assert found.efficiency.tokens == 2 + 3 + 0 + 4 + 1
    assert (found.spelled_tokens, found.spelled_syllables, found.cluster_cuts) == (0, 0, 0)
    assert (found.unk_tokens, found.damaged_by_unk) == (1, 1)
    # of the six tokens in Sinhala segments, [UNK] and the lone ් are not whole
    assert found.efficiency_score == pytest.approx(100 * 4 / 6)


def test_a_model_with_the_ids_of_another_encoder_loses_them_unasked(folder: Path) -> None:
    model = hand_model()
    stated = replace(model, ids=tuple(range(model.first_atom, model.space_id or 0)))
    (folder / "hand.wwho").write_bytes(write_model(stated))
    found = measured(folder)
    assert found.unk == "token"
    figures = found.overall.figures["hand"]
    assert (figures.unk_tokens, figures.damaged_lines, figures.damaged_by_unk) == (2, 2, 2)


def test_a_model_without_unk_cannot_lose_them(folder: Path) -> None:
    with pytest.raises(WwhoError, match="bytes has no token for unknown"):
        open_model(str(folder / "bytes.wwho"), unk="token")


def test_a_tokenizer_that_loses_text_is_found_out(folder: Path) -> None:
    words = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"[UNK]": 0, "ab": 1, "මල": 2}, unk_token="[UNK]")
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    found = measured(folder, saved(words, folder / "words.json")).overall.figures["words"]
    assert found.damaged_lines == 4  # the empty line is all that comes back
    assert found.efficiency.tokens == 2 + 2 + 0 + 2 + 1
    assert (found.syllable_cuts, found.cluster_cuts) == (0, 0)
    assert (found.unk_tokens, found.damaged_by_unk) == (1 + 1 + 1 + 1, 4)


# tokenizer.json


def saved(tokenizer: tokenizers.Tokenizer, path: Path) -> TokenizersEncoder:
    tokenizer.save(str(path))
    encoder = open_baseline(str(path))
    assert isinstance(encoder, TokenizersEncoder)
    return encoder


def byte_level(*merges: str) -> tokenizers.Tokenizer:
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    pairs = [tuple(merge.split()) for merge in merges]
    vocabulary = {text: k for k, text in enumerate([*alphabet, *map("".join, pairs)])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, pairs))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return tokenizer


def test_bytes_are_bytes_whoever_cuts_them(folder: Path) -> None:
    found = measured(folder, saved(byte_level(), folder / "level.json")).overall
    assert found.figures["level"] == found.figures["bytes"]


def test_nothing_is_added_cut_off_or_filled_up(folder: Path) -> None:
    tokenizer = byte_level()
    tokenizer.add_special_tokens(["<s>", "ab"])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 256)]
    )
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=9)
    found = measured(folder, saved(tokenizer, folder / "level.json")).overall.figures
    assert found["level"].efficiency == found["bytes"].efficiency
    assert found["level"].damaged_lines == 0


@cache
def some_merges() -> TokenizersEncoder:
    """Some tokens end inside a character, some begin there, some do both."""
    with tempfile.TemporaryDirectory() as folder:
        return saved(byte_level("ļ à", "à ¶", "Ġ à", "ð Ł"), Path(folder, "level.json"))


@given(st.lists(st.text(st.sampled_from("ක්‍ෂිaé 👩\u200d🏏\u0301නि\u00a0"), max_size=12), min_size=1))
def test_ends_from_offsets_are_those_from_bytes(lines: list[str]) -> None:
    """To the byte between characters; inside one, somewhere inside the same one."""
    block, encoder = Block(lines), some_merges()
    encoding = encoder.encode(block)
    texts = encoder.tokens_bytes(encoding.ids.tolist())
    exact = np.cumsum([len(text or b"") for text in texts])
    starts = block.character_bytes
    assert exact.tolist()[-1:] == block.line_bytes[-1:].tolist()[: len(exact)]
    for true, found in zip(exact.tolist(), encoding.ends.tolist(), strict=True):
        if true in starts:
            assert found == true
        else:
            assert np.searchsorted(starts, true) == np.searchsorted(starts, found)
            assert found not in starts


def test_a_broken_tokenizer_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(WwhoError, match=r"tokenizer\.json: not a tokenizer\.json"):
        open_baseline(str(path))


def test_labels(tmp_path: Path) -> None:
    (tmp_path / "llama").mkdir()
    for path in (tmp_path / "llama" / "tokenizer.json", tmp_path / "my=own.json"):
        byte_level().save(str(path))
    assert open_baseline(str(tmp_path / "llama" / "tokenizer.json")).name == "llama"
    assert open_baseline(str(tmp_path / "my=own.json")).name == "my=own"
    assert open_baseline(f"other={tmp_path / 'my=own.json'}").name == "other"
    assert open_model("mine=o200k_base").name == "mine"


def test_the_token_for_what_cannot_be_written(folder: Path) -> None:
    unigram = tokenizers.Tokenizer(
        tokenizers.models.Unigram([("ම", -1.0), ("?", -2.0)], 1, byte_fallback=False)
    )
    found = measured(folder, saved(unigram, folder / "unigram.json")).overall.figures["unigram"]
    assert (found.unk_tokens, found.damaged_by_unk) == (1 + 1 + 1 + 1, 4)
    assert saved(byte_level(), folder / "level.json").unk_id is None


# tiktoken


def test_tiktokens_encodings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """o200k_harmony has the tokens of o200k_base under another name, which does not ship."""
    from oracle import rank_file  # which knows where gen_base is
    from gen_base import RECIPES  # isort: skip

    pytest.importorskip("tiktoken", reason="needs tiktoken")
    recipe = next(recipe for recipe in RECIPES if recipe.name == "o200k_base")
    (tmp_path / recipe.cache_name).write_bytes(rank_file("o200k_base"))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / "text.txt").write_text("ගමේ school 👩‍👩‍👧\nक्षत्रिय\n\nso be it\n", "utf-8")
    found = evaluate(
        open_model("wwho_328k"),
        [open_baseline("o200k_base"), open_baseline("o200k_harmony")],
        [DataSet("text", str(tmp_path / "text.txt"))],
    )
    assert [subject.kind for subject in found.subjects] == ["wwho", "wwho", "tiktoken"]
    figures = found.overall.figures
    assert figures["o200k_harmony"] == figures["o200k_base"]
    assert figures["o200k_base"].broken_syllables > 0
    assert found.examples[0].tokens["o200k_harmony"] == found.examples[0].tokens["o200k_base"]


def test_tiktoken_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("tiktoken", reason="needs tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    with pytest.raises(WwhoError, match=r"cannot load p50k_base: .*TIKTOKEN_CACHE_DIR"):
        open_baseline("p50k_base")


# Parts


@pytest.mark.parametrize("unk", [False, True])
@given(text=st.text(st.sampled_from("කමල්ිab \u200d\n😀")))
def test_what_packs_for_a_backend_packs_what_the_core_does(unk: bool, text: str) -> None:
    native, data = _super_backend(), text.encode()
    by_core, by_packer = packing(native), packing(Unpacking(native))  # type: ignore[arg-type]
    assert by_core is native
    assert by_packer.spans_packed(data) == by_core.spans_packed(data)
    found = by_core.encode_with_ends_packed(data, None, unk)
    assert by_packer.encode_with_ends_packed(data, None, unk) == found
    assert np.frombuffer(found[0], np.uint32).tolist() == native.encode(data, None, unk)


@cache
def _super_backend() -> Backend:
    return open_backend(write_model(super_model()), "native")


class Unpacking:
    """A backend that gives lists, and nothing packed."""

    def __init__(self, backend: Backend) -> None:
        self.spans, self.encode_with_ends = backend.spans, backend.encode_with_ends
        self.token_bytes = backend.token_bytes


def test_many_tokens_are_as_one_by_one() -> None:
    """Gaps between ids and the longest tokens too."""
    native = open_backend(wwho.encodings.model_bytes("cl100k_base"), "native")
    tokens = [*range(0, native.info.n_vocab, 7), *range(100_200, native.info.n_vocab), 2**31]
    found = packing(native).tokens_bytes(tokens)
    assert found == packing(Unpacking(native)).tokens_bytes(tokens)  # type: ignore[arg-type]
    assert found.count(None) > 1


def test_a_token_longer_than_any_buffer(folder: Path) -> None:
    (folder / "long.wwho").write_bytes(
        write_model(byte_model(*(b"a" * 2**k for k in range(1, 10))))
    )
    encoder = open_baseline(str(folder / "long.wwho"))
    assert encoder.tokens_bytes([264, 97, 263]) == [b"a" * 512, b"a", b"a" * 256]


def test_all_backends_measure_the_same(folder: Path) -> None:
    results = []
    for name in ("native", "reference"):
        model = open_model(str(folder / "super.wwho"), name)
        base = open_baseline(str(folder / "bytes.wwho"), name)
        results.append(evaluate(model, [base], [DataSet("text", str(folder / "text.txt"))]))
    assert results[0] == results[1]


def test_the_grammar_of_schemas(folder: Path) -> None:
    """A model without syllables of its own, measured by those of a schema."""
    data = [DataSet("text", str(folder / "text.txt"))]
    model = open_model(str(folder / "bytes.wwho"))
    own = evaluate(model, [], data, example_texts=[])
    assert (own.overall.syllables, own.overall.figures["bytes"].broken_syllables) == (0, 0)
    assert own.overall.figures["bytes"].efficiency_score is None
    by_schema = evaluate(model, [], data, example_texts=[], schemas=[load_schema("sinhala")])
    assert by_schema.grammar == "sinhala"
    assert (by_schema.overall.syllables, by_schema.overall.figures["bytes"].broken_syllables) == (
        5,
        5,
    )


def test_scripts_that_a_model_lacks_are_broken_not_spelled(folder: Path) -> None:
    """The model has SGPE, but not for Devanagari: its base does there what it does anywhere."""
    (folder / "text.txt").write_text("कक ක\n", "utf-8")
    found = measured(folder, schemas=[load_schema("devanagari"), load_schema("sinhala")]).overall
    for name in ("hand", "bytes"):
        assert found.figures[name].broken_syllables == (2 if name == "hand" else 3)
    assert (found.figures["hand"].spelled_tokens, found.figures["hand"].spelled_syllables) == (0, 0)
    assert [script.name for script in found.scripts] == ["devanagari", "sinhala"]


def test_identity_with_the_base(folder: Path) -> None:
    lines = [f"It's line {k}." for k in range(7)]
    (folder / "text.txt").write_text("\n".join([*lines, "", "  ", "මල"]), "utf-8")
    expected = [Identity(name, "bytes", SENTENCES, 7, 0) for name in ("hand", "super")]
    assert list(measured(folder, opened(folder, "super")).identities) == expected


def test_a_base_that_is_another_is_found_out(folder: Path) -> None:
    (folder / "bytes.wwho").write_bytes(write_model(byte_model(b"th")))
    (test,) = measured(folder).identities
    assert 0 < test.different <= SENTENCES


def test_a_model_without_a_base_at_hand(folder: Path) -> None:
    model = WwhoEncoder("hand", write_model(hand_model()))
    found = evaluate(model, [], [DataSet("text", str(folder / "text.txt"))], example_texts=[])
    assert found.identities == ()


def test_premium(folder: Path) -> None:
    (folder / "en.txt").write_text("ab\nab\n", "utf-8")
    (folder / "si.txt").write_text("මල\nමල\n", "utf-8")
    texts = [DataSet(name, str(folder / f"{name}.txt")) for name in ("en", "si")]
    found = measured(folder, parallel_texts=texts).parallel
    assert found is not None
    assert (found.reference, found.lines) == ("en", 2)
    en, si = found.languages
    assert en.premium == {"hand": 1.0, "bytes": 1.0}
    assert si.tokens == {"hand": 2, "bytes": 12}
    assert si.premium == {"hand": 0.5, "bytes": 3.0}


def test_parallel_texts_must_match(folder: Path) -> None:
    for name, lines in (("en", 2), ("si", 2), ("hi", 3), ("kn", 1)):
        (folder / f"{name}.txt").write_text("ab\n" * lines, "utf-8")
    texts = [DataSet(name, str(folder / f"{name}.txt")) for name in ("en", "si", "hi", "kn")]
    with pytest.raises(CorpusError, match="en has 2, but hi has 3, kn has 1"):
        measured(folder, parallel_texts=texts)


def test_clusters_by_rule_gb9c() -> None:
    """Conjuncts are one cluster in Devanagari, not in Sinhala; and none without a first letter."""
    for line, expected in (
        ("क्षि", ["क्षि"]),
        ("क्‍ष", ["क्‍ष"]),
        ("क्‌ष", ["क्‌", "ष"]),
        ("क्ष්", ["क्ष්"]),
        ("ක්‍ෂ", ["ක්‍", "ෂ"]),
        ("a्क", ["a्", "क"]),
        ("कि्क", ["कि्", "क"]),
        ("a\r\nb", ["a", "\r\n", "b"]),
        ("👩‍👩‍👧🇱🇰🇱🇰", ["👩‍👩‍👧", "🇱🇰", "🇱🇰"]),
    ):
        found = clusters(Block(["", line]))
        data = line.encode()
        assert [
            data[start:end].decode()
            for start, end in zip(*map(np.ndarray.tolist, found), strict=True)
        ] == expected


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=8),
    st.sets(st.integers(0, 60)),
)
def test_damage_is_what_counting_gives(gaps: list[tuple[int, int]], cuts: set[int]) -> None:
    stretches, end = [], 0
    for gap, size in gaps:
        stretches.append((end + gap, end + gap + size))
        end += gap + size
    hits = [cut for cut in cuts for start, stop in stretches if start < cut < stop]
    broken = [span for span in stretches if any(span[0] < cut < span[1] for cut in cuts)]
    extents = Extents(*np.array(stretches, np.int64).reshape(-1, 2).T)
    assert extents.damage(np.array(sorted(cuts), np.int64)) == Damage(len(hits), len(broken))


@given(st.lists(st.text(st.sampled_from("aක \t\u00a0\u3000\x1c\u200b😀"), max_size=9), min_size=1))
def test_words_are_those_of_split(lines: list[str]) -> None:
    block = Block(lines)
    assert int(block.word_starts.sum()) == sum(len(line.split()) for line in lines)
    routes = np.array([char == "ක" for char in "".join(lines)], np.int64)
    runs = [
        part for line in lines for word in line.split() for part in re.findall("ක+|[^ක]+", word)
    ]
    assert int(block.word_starts_within(routes).sum()) == len(runs)


def test_blocks_are_lines_whatever_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\n\u2028ක\r\n".encode() + "ක".encode()[:2] + b"x\n\xff")
    found = list(blocks(Corpus([path]), lambda size: None))
    assert [line for block in found for line in block.lines] == [
        *("", "\u2028ක\r", "\ufffd\ufffdx", "\ufffd")
    ]
    assert sum(block.broken for block in found) == 3


def test_large_texts_come_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT * 60_000, "utf-8")
    found = list(blocks(Corpus([path]), lambda size: None))
    assert len(found) > 1
    assert [line for block in found for line in block.lines] == LINES * 60_000


@pytest.mark.parametrize("cut", range(len(LINES) + 1))
def test_nothing_depends_on_where_blocks_end(folder: Path, cut: int) -> None:
    model = open_model(str(folder / "hand.wwho"))
    grammar = Grammar(model.backend)
    meters = [Meter(encoder, grammar) for encoder in (model, open_baseline("o200k_base"))]
    parts = [Block(lines) for lines in (LINES[:cut], LINES[cut:]) if lines]
    text, tallies = measure(parts, grammar, meters)
    whole_text, whole_tallies = measure([Block(LINES)], grammar, meters)
    for found, expected in zip([text, *tallies], [whole_text, *whole_tallies], strict=True):
        for name, value in vars(expected).items():
            assert np.array_equal(getattr(found, name), value), name


def test_whole_tokens() -> None:
    grammar = Grammar(WwhoEncoder("wwho_328k", wwho.encodings.model_bytes("wwho_328k")).backend)
    whole = ["ක්‍ෂි", "ක ක්‍ෂි ම", " ක", "ක්", "।", "12", " ", "ab", "ॐ", "(ක"]
    broken = ["ි", "්ක", "\u200dර", " \u200dර", "ं"]
    found = grammar.are_whole([text.encode() for text in whole + broken])
    assert found.tolist() == [True] * len(whole) + [False] * len(broken)
    assert grammar.are_whole([None, b"", "ක".encode()[:2]]).tolist() == [False, True, False]
    assert grammar.are_whole([]).tolist() == []


def test_ids_take_whole_bytes() -> None:
    sizes = {1: 1, 256: 1, 257: 2, 65_536: 2, 65_537: 3, 328_020: 3, 2**24: 3, 2**24 + 1: 4}
    assert {n_vocab: id_bytes(n_vocab) for n_vocab in sizes} == sizes


@pytest.mark.corpora
def test_the_model_cards_figures(corpora: Path) -> None:
    """The row of test_mixed in the model card of wwho_328k is what comes out here."""
    card = (Path(wwho.__file__).parent / "models" / "README.md").read_text("utf-8")
    row = re.search(
        r"^\| test_mixed \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \|", card, re.M
    )
    assert row is not None
    found = evaluate(
        open_model("wwho_328k"),
        [open_baseline("o200k_base")],
        [DataSet("test_mixed", str(corpora / "test_mixed.txt.xz"))],
        example_texts=[],
    ).overall
    ours = found.figures["wwho_328k"]
    lines, tokens, per_word, per_token = row.groups()
    assert found.lines == int(lines.replace(",", ""))
    assert ours.efficiency.tokens == int(tokens.replace(",", ""))
    assert f"{ours.efficiency.tokens_per_word:.3f}" == per_word
    assert f"{ours.efficiency.characters_per_token:.2f}" == per_token
    assert (ours.damaged_lines, ours.syllable_cuts, ours.broken_syllables) == (0, 0, 0)
    assert found.figures["o200k_base"].broken_syllables > 0.1 * found.syllables
