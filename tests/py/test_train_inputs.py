"""What the trainer reads: forms, compressions, streams, and all that can be wrong with a file."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wwho.artifact.read import read_model
from wwho.base.build import base_model
from wwho.errors import CorpusError
from wwho.schema.load import load_schema
from wwho.train.inputs import Corpus, blocks_of
from wwho.train.train import train

SCHEMAS = [load_schema("sinhala")]
BASE = base_model(
    [bytes([byte]) for byte in range(256)],
    pattern=r"\s+|\S+",
    specials={},
    provenance={"name": "bytes"},
)
LINES = ["අපේ ගම ලස්සනයි", "ගමේ ගංගාවක් ගලයි", "", "ගම මැද පන්සල", "the end"]
TEXT = ("\n".join(LINES) + "\n").encode()

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def read(*files: object, field: str | None = None) -> bytes:
    return b"".join(Corpus([str(file) for file in files], field=field).blocks(lambda done: None))


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("suffix", COMPRESS)
def test_plain_text_however_compressed(tmp_path: Path, suffix: str) -> None:
    pack = COMPRESS[suffix]
    assert read(put(tmp_path, f"a.txt{suffix}", pack(TEXT))) == TEXT
    assert read(put(tmp_path, f"a.any{suffix.upper()}", pack(TEXT))) == TEXT
    big = TEXT * 30_000
    assert read(put(tmp_path, f"big{suffix}", pack(big))) == big
    if suffix:  # several members or frames, one behind the other
        assert read(put(tmp_path, f"two{suffix}", pack(TEXT) + pack(big))) == TEXT + big


@pytest.mark.parametrize("suffix", COMPRESS)
def test_json_lines_however_compressed(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"id": 1, "text": LINES[0], "body": "x\u2028y"},
        {"text": LINES[1], "body": "\U0001f600"},
    ]
    data = "\n".join(json.dumps(row) for row in rows).encode() + b"\r\n\n"
    path = put(tmp_path, f"rows.jsonl{suffix}", COMPRESS[suffix](b"\xef\xbb\xbf" + data))
    assert read(path) == f"{LINES[0]}\n{LINES[1]}\n".encode()
    assert read(path, field="body") == "x\u2028y\n\U0001f600\n".encode()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_standard_input(tmp_path: Path, suffix: str) -> None:
    """The same text gives the same model from a file and through a pipe, compressed or not."""
    path = put(tmp_path, "a.txt", TEXT * 20)
    outputs = []
    for source, data in ((path, b""), ("-", COMPRESS[suffix](TEXT * 20))):
        output = tmp_path / "out.wwho"
        run = [sys.executable, "-m", "wwho.cli.main", "train", "--schema", "sinhala"]
        subprocess.run([*run, "-o", str(output), str(source)], input=data, check=True)
        outputs.append(output.read_bytes())
    assert outputs[0] == outputs[1]
    assert read_model(outputs[0]).merges


def test_json_lines_from_standard_input(tmp_path: Path) -> None:
    data = json.dumps({"body": LINES[0]}).encode() * 1
    output = tmp_path / "out.wwho"
    run = [sys.executable, "-m", "wwho.cli.main", "train", "--schema", "sinhala", "--prune", "1"]
    subprocess.run([*run, "--field", "body", "-o", str(output), "-"], input=data, check=True)
    assert "ගම".encode()[:3] in read_model(output.read_bytes()).atoms


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_damaged_archives(tmp_path: Path, suffix: str) -> None:
    packed = COMPRESS[suffix](TEXT * 50)
    for cut in (1, len(packed) // 2, len(packed) - 1):
        with pytest.raises(CorpusError, match=rf"cut\.txt\{suffix}: .*(truncated|damaged)"):
            read(put(tmp_path, f"cut.txt{suffix}", packed[:cut]))
    with pytest.raises(CorpusError, match=rf"no\.txt\{suffix}: .*(damaged|Not a gzipped file)"):
        read(put(tmp_path, f"no.txt{suffix}", TEXT))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    with pytest.raises(CorpusError, match=r"missing\.txt: cannot be read: No such file"):
        read(missing)
    with pytest.raises(CorpusError, match=r"missing\.txt: cannot be read: No such file"):
        train(SCHEMAS, BASE, [missing])
    with pytest.raises(CorpusError, match="cannot be read: Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b"{", "not valid JSON"),
        (b'{"text": "a" "b"}', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1]", "a JSON object is expected, not list"),
        (b'{"body": "x", "id": 1}', "no field 'text'; its fields are: 'body', 'id'"),
        (b'{"text": 5}', "field 'text' must be a string, not int"),
        (b'{"text": null}', "field 'text' must be a string, not NoneType"),
    ],
)
def test_bad_json_lines_are_named(tmp_path: Path, line: bytes, named: str) -> None:
    path = put(tmp_path, "rows.jsonl", b'{"text": "a"}\n\n' + line + b"\n")
    with pytest.raises(CorpusError, match=rf"rows\.jsonl, line 3: {named}"):
        read(path)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"only English here\n"])
def test_a_corpus_with_nothing_to_learn(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(CorpusError, match="holds no text in the scripts of the schemas: sinhala"):
        train(SCHEMAS, BASE, [put(tmp_path, "a.txt", data)])


def test_broken_utf8_is_reported_and_survived(tmp_path: Path) -> None:
    whole = put(tmp_path, "whole.txt", TEXT)
    broken = put(tmp_path, "broken.txt", TEXT + b"\xff\xe0\xb6\n")
    with pytest.warns(UserWarning, match="3 broken characters"):
        model = train(SCHEMAS, BASE, [broken], prune=1)
    assert model.atoms == train(SCHEMAS, BASE, [whole], prune=1).atoms
    assert model.provenance["corpus_broken_characters"] == "3"


def test_broken_characters_in_json_lines(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.jsonl", b'{"text": "\\ud800a\xff"}\n')
    corpus = Corpus([path])
    assert b"".join(corpus.blocks(lambda done: None)) == "\ufffda\ufffd\n".encode()
    assert corpus.stray == 2


def test_progress_reaches_the_size_of_the_files(tmp_path: Path) -> None:
    files = [
        put(tmp_path, f"{k}{suffix}", pack(TEXT))
        for k, (suffix, pack) in enumerate(COMPRESS.items())
    ]
    corpus = Corpus(files)
    done: list[int] = []
    assert b"".join(corpus.blocks(done.append)) == TEXT * 4
    assert sum(done) == corpus.size() == sum(file.stat().st_size for file in files)
    assert corpus.n_bytes == 4 * len(TEXT)
    assert len(set(corpus.digests)) == 1
    assert Corpus([files[0], "-"]).size() is None


@given(st.lists(st.text("ab \n", max_size=5).map(str.encode)), st.sampled_from([None, 0, 3]))
def test_blocks_end_where_no_word_goes_on(chunks: list[bytes], long_line: int | None) -> None:
    blocks = list(blocks_of(chunks, long_line=long_line))
    assert b"".join(blocks) == b"".join(chunks)
    for block, following in pairwise(blocks):
        assert block.endswith(b"\n") or (long_line is not None and following.startswith(b" "))
