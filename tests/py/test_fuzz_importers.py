"""Damaged files of every kind that is imported: a typed error or a model, in bounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import test_gguf
import test_importers

ROOT = Path(__file__).resolve().parents[2]
COUNT = 60


def tokenizer_json() -> dict[str, Any]:
    """A document with a bit of much."""
    letters = [chr(code) for code in range(97, 123)]
    vocab = {text: number for number, text in enumerate(["<unk>", "\u2581", *letters, "th", "the"])}
    return {
        "version": "1.0",
        "added_tokens": [
            {
                "id": 0,
                "content": "<unk>",
                "single_word": False,
                "lstrip": True,
                "rstrip": False,
                "normalized": True,
                "special": True,
            }
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"Regex": " +"}, "content": "\u2581"},
                {"type": "Lowercase"},
                {"type": "NFC"},
            ],
        },
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": "\\p{L}{1,3}|\\s+(?!\\S)"},
            "behavior": "MergedWithNext",
            "invert": False,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {},
        },
        "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "vocab": vocab,
            "merges": ["t h", ["th", "e"]],
        },
    }


def seeds() -> dict[str, bytes]:
    """A small file of each kind."""
    trained = test_importers.trained
    bpe = trained(model_type="bpe", byte_fallback=True, vocab_size=340)
    stand_ins = {text: number for number, text in enumerate(test_gguf.SINGLES)}
    return {
        "gguf-gpt2": test_gguf.gguf(*test_gguf.gpt2("falcon")),
        "gguf-llama": test_gguf.llama(),
        **{f"gguf-{kind}": data for kind, data in test_gguf.small().items()},
        "ranks": test_importers.RANKS,
        "tekken": test_importers.spelled(test_importers.tekken()),
        "rwkv": test_importers.RWKV,
        "unigram": trained(model_type="unigram", user_defined_symbols=["<sep>"]),
        "bpe": bpe,
        "word": trained(model_type="word", normalization_rule_name="identity"),
        "tokenizer.bin": test_importers.llama2_c(test_importers.exported(bpe)),
        "tokenizer.json": json.dumps(tokenizer_json()).encode(),
        "vocab.json": json.dumps(stand_ins | {"th": 256, "the": 257}).encode(),
        "merges.txt": b"#version: 0.2\nt h\nth e\n",
        "vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##t\nt\n",
    }


@pytest.mark.slow
def test_damaged_files(tmp_path: Path) -> None:
    folder = tmp_path / "seeds"
    folder.mkdir()
    for name, data in seeds().items():
        (folder / name).write_bytes(data)
    program = ROOT / "tests" / "fuzz" / "importers.py"
    count = os.environ.get("WWHO_FUZZ_IMPORTS", str(COUNT))
    command = [sys.executable, str(program), "--seeds", str(folder), "--count", count]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
