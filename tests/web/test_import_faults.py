"""Files that are no tokenizers, refused in JavaScript: in Python's words, and no others."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaged import ROOT, missing, run

sys.path += [str(ROOT / "tests" / folder) for folder in ("py", "fuzz")]
from exhaustive import EXHAUSTIVE, SEED
from importers import damage
from test_fuzz_importers import seeds

from wwho.errors import SourceError
from wwho.importers import Source
from wwho.importers.detect import READERS, reader_of

COUNT = 4000 if EXHAUSTIVE else 400

# Kinds of tokenizers that test_fuzz_importers has no small file of; here a beginning is enough.
MORE = {
    "list": b"\xef\xbb\xbf0\t!\n1\tthe\n",
    "script": b' {"info": {"version": "sebpe-v1"}}',
    "script-gzip": gzip.compress(b'{"merge_rules": []}'),
    "clip": gzip.compress(b'"bpe_simple_vocab_16e6.txt#version: 0.2\nt h</w>\n'),
    "tiktoken-js": b'{"pat_str": ".", "special_tokens": {}, "bpe_ranks": ""}',
    "paper": b'{"vocab": {}, "merges": [], "special_tokens": []}',
    "escaped": b'{"p\\u0061t_str": ".", "bpe_ranks": ""}',
    "g": '{"\u0120the": 1}'.encode(),
}

OTHERS = {
    "empty": b"",
    "spaces": b" \n\n",
    "page": b"\n\n <!-- saved -->\n<HTML>",
    "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "photo": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "document": b"%PDF-1.7\n",
    "zip": b"PK\x03\x04\x14\0",
    "pickle": b"\x80\x02}q\0.",
    "safetensors": b"\x10\x09\0\0\0\0\0\0" + b'{"__metadata__":{"format":"pt"}}',
    "wwho": b"\x89WWHO\r\n\x1a\n",
    "utf16": '{"model": {}}'.encode("utf-16"),
    "zstd": b"\x28\xb5\x2f\xfd\x04",
    "merges": b"#version: 0.2\na b\n",
    "template": b"{%- for m in messages %}[UNK",
    "settings": b'{"tokenizer_class": "LlamaTokenizer", "add_bos_token": true}',
    "config": b'\xef\xbb\xbf{"model_type": "bert", "eps": 1e-12, "vocab_size": 3}',
    "cut": b'{"added_tokens": [], "model": {"type": "BPE"}}',
    "package": b'{"name": "wwho", "version": "1.0.0"}',
    "text": "\u0d9c\u0dd9\u0daf\u0dbb 'tea' \"time\"\\\t\x7f".encode(),
    "quoted": b"It's tea\r\n",
    "csv": b"a,b\n1,2\n",
    "number": b"12",
}


def in_python(path: Path) -> str:
    """Why Python refuses a file by its beginning; "" if one of the readers takes it."""
    try:
        reader_of(Source(path))
    except SourceError as error:
        return str(error).removeprefix(f"{path}: ")
    return ""


def in_javascript(folder: Path, files: Mapping[str, bytes]) -> dict[str, str]:
    """Why JavaScript refuses each file, which is written into a folder; "" if Python is to tell."""
    if shutil.which("node") is None:
        missing("node", "install Node.js 20 or later")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    listed = folder / "listed.json"
    listed.write_text(json.dumps([str(folder / name) for name in files]), "utf-8")
    said = run("node", ROOT / "tests" / "web" / "faults.mjs", listed, cwd=ROOT)
    return dict(zip(files, map(json.loads, said.splitlines()), strict=True))


def test_other_files_are_told_without_python(tmp_path: Path) -> None:
    found = in_javascript(tmp_path, OTHERS)
    page = found.pop("page")  # begins as a SentencePiece model may
    assert page == ""
    assert found == {name: in_python(tmp_path / name) for name in found}
    assert all(found.values())


def test_each_tokenizer_is_left_to_a_reader(tmp_path: Path) -> None:
    tokenizers = seeds() | MORE
    del tokenizers["merges.txt"]
    found = in_javascript(tmp_path, tokenizers)
    assert {name for name, fault in found.items() if fault} == set()
    readers = {name: reader_of(Source(tmp_path / name)) for name in tokenizers}
    assert {reader.kind for reader in readers.values()} == {reader.kind for reader in READERS}
    for name, reader in readers.items():
        text = tokenizers[name].decode("utf-8", "replace")
        is_json = text.lstrip("\ufeff ").startswith("{")
        assert not is_json or "\\u" in text or any(mark in text for mark in reader.marks), name


@pytest.mark.slow
def test_damaged_files_are_refused_in_the_same_words(tmp_path: Path) -> None:
    """And never what Python would take."""
    whole = list((seeds() | MORE | OTHERS).items())
    files = {}
    for k in range(COUNT):
        rng = random.Random(f"faults {SEED} {k}")
        name, data = whole[k % len(whole)]
        try:
            files[f"{k}-{name}"] = damage(rng, data)
        except json.JSONDecodeError:  # it only begins as JSON does
            continue
    found = in_javascript(tmp_path, files)
    for name, fault in found.items():
        assert fault in ("", in_python(tmp_path / name)), name
    assert sum(map(bool, found.values())) > 0.2 * COUNT
