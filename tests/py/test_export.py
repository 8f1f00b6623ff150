"""Exported models give the same ids in the libraries that they are for."""

from __future__ import annotations

import base64
import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import given
from strategies import texts

import wwho
from wwho.encodings import list_encoding_names, model_bytes
from wwho.errors import ExportError
from wwho.exporters import FORMATS, export
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.train import train

TEXTS = ["the cat that sat on the mat, the hat", "कमल और कमला", "don't, DON'T, it's 1234567"] * 3
BYTE_MODELS = [name for name in list_encoding_names() if not name.startswith("wwho")]
IN_TOKENIZERS = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]


@cache
def artifact_of(name: str) -> Artifact:
    return read_artifact(model_bytes(name))


@cache
def text_of_vectors() -> list[str]:
    """Hard texts of every kind; no other library takes lone surrogates."""
    lines = (oracle.ROOT / "tests" / "vectors" / "o200k_base.jsonl").read_text("utf-8").splitlines()
    found = [row["text"] for row in map(json.loads, lines) if "text" in row]
    return [text for text in found if not any(0xD800 <= ord(char) < 0xE000 for char in text)]


@cache
def tokenizers_of(name: str) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    return tokenizers.Tokenizer.from_str(export(artifact_of(name), "tokenizer.json").data.decode())


@pytest.mark.parametrize("name", BYTE_MODELS)
def test_a_rank_file_in_tiktoken(name: str) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="needs tiktoken")
    artifact, ours = artifact_of(name), wwho.get_encoding(name)
    lines = export(artifact, "tiktoken").data.splitlines()
    rows = (line.split() for line in lines)
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


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base"])
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
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    trained = train(TEXTS, atoms="byte", vocab_size=300)
    path = tmp_path / "trained.wwho"
    trained.save(path)
    exported = export(read_artifact(path.read_bytes()), "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_str(exported.data.decode())
    for text in [*TEXTS, *text_of_vectors()]:
        assert theirs.encode(text).ids == trained.encode(text)


def test_what_cannot_be_exported_is_refused() -> None:
    for to in FORMATS:
        with pytest.raises(ExportError, match="wwho_328k has routes"):
            export(artifact_of("wwho_328k"), to)
    with pytest.raises(ExportError, match="share the id 200018"):
        export(artifact_of("o200k_harmony"), "tokenizer.json")


def test_the_command(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "r50k.tiktoken"
    result = cli("export", "r50k_base", "--to", "tiktoken", "-o", str(path), "--json")
    assert result.code == 0
    said = json.loads(result.out)
    assert said["bytes"] == path.stat().st_size
    assert any("<|endoftext|> 50256" in note for note in said["notes"])
