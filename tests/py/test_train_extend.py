"""`wwho train --extend`: a language model's tokenizer keeps its ids, and syllables get new ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import transformers
from test_export import TEXTS, imported, like_bert, like_deepseek, like_llama3, like_qwen

import wwho
from wwho.encodings import model_bytes
from wwho.evaluate.check.library_comparison import HARD_TEXTS
from wwho.hf import WWHOTokenizer

SINHALA = "ගමේ පාසල\nගමේ පාර\n"


@pytest.mark.parametrize("make", [like_llama3, like_qwen])
def test_extend(cli: Any, make: Any, tmp_path: Path) -> None:
    imported(make, tmp_path)
    path = tmp_path / f"{make.__name__}.json"
    (tmp_path / "corpus.txt").write_text(SINHALA, "utf-8")
    out = tmp_path / "new.wwho"
    given = ("--extend", path, "--schema", "sinhala", "--prune", "1", "--vocab-size", "20")
    done = cli("train", *given, "-o", out, tmp_path / "corpus.txt")
    assert done.code == 0
    # The corpus is too small for the size, and that is all that is said.
    assert re.fullmatch(
        r"(wwho: this corpus gives [\d,]+ of the [\d,]+ ids asked for: .*\n)?", done.err
    )

    old = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path))
    new = WWHOTokenizer(out)
    for text in (*TEXTS, *HARD_TEXTS, "the <|end|>cats<s>"):
        if not any("\u0d80" <= char <= "\u0dff" for char in text):
            assert new(text)["input_ids"] == old(text)["input_ids"], text
            ids = old(text)["input_ids"]
            assert new.decode(ids) == old.decode(ids)

    table = json.loads((tmp_path / "new.embeddings.json").read_text())
    assert [*map(int, table)] == [*range(len(old), new.vocab_size)]
    enc = wwho.Tokenizer.load(out)
    ids = enc.encode("ගමේ පාසල")
    assert len(ids) < len(old("ගමේ පාසල", add_special_tokens=False)["input_ids"])
    assert ids[0] >= len(old)
    for token, theirs in table.items():
        text = enc.decode([int(token)])
        assert theirs == old(text, add_special_tokens=False)["input_ids"]


def test_what_is_said_of_chats_stays(cli: Any, tmp_path: Path) -> None:
    imported(like_qwen, tmp_path)
    (tmp_path / "like_qwen.json").rename(tmp_path / "tokenizer.json")
    said = {"chat_template": "{{ eos_token }}", "eos_token": "<|end|>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(said))
    out = tmp_path / "new.wwho"
    given = ("--extend", tmp_path, "--schema", "sinhala", "--prune", "1", "--vocab-size", "20")
    done = cli("train", *given, "-o", out, stdin=SINHALA.encode())
    assert done.code == 0, done.err
    record = wwho.Tokenizer.load(out).info.provenance
    assert said.items() <= record.items()
    assert "base:chat_template" not in record


@pytest.mark.parametrize(
    ("make", "reason"),
    [(like_deepseek, "has 2 pretokenizers"), (like_bert, "no BPE over bytes")],
)
def test_what_cannot_be_extended(cli: Any, make: Any, reason: str, tmp_path: Path) -> None:
    imported(make, tmp_path)
    path = tmp_path / f"{make.__name__}.json"
    done = cli("train", "--extend", path, "-o", tmp_path / "x.wwho", stdin=SINHALA.encode())
    assert done.code == 1
    assert f"{path} cannot be extended: " in done.err
    assert reason in done.err
    done = cli("train", "--extend", path, "--base", "o200k_base", "-o", tmp_path / "x.wwho")
    assert done.code == 2


def test_added_tokens_that_look_beside_them_cannot_be_extended(cli: Any, tmp_path: Path) -> None:
    imported(like_llama3, tmp_path)
    path = tmp_path / "like_llama3.json"
    document = json.loads(path.read_text("utf-8"))
    document["added_tokens"][-1] |= {"content": "<mask>", "lstrip": True}
    path.write_text(json.dumps(document), "utf-8")
    done = cli("train", "--extend", path, "-o", tmp_path / "x.wwho", stdin=SINHALA.encode())
    assert done.code == 1
    assert "set lstrip, rstrip and single_word to false of <mask>" in done.err


def test_what_is_a_base_already(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "base.wwho"
    path.write_bytes(model_bytes("r50k_base"))
    for name in (path, "o200k_base"):
        done = cli("train", "--extend", name, "-o", tmp_path / "x.wwho", stdin=SINHALA.encode())
        assert done.code == 1
        assert f"{name} is a .wwho model already: train with --base {name}" in done.err
