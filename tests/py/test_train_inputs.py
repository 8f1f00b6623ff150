"""What the trainer reads: forms, compressions, parts, and all that can be wrong with a file."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wwho.assemble.base import base_model
from wwho.assemble.training_artifacts import unit_model
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.corpus.lines import Block, blocks_of
from wwho.corpus.reader import Part, Reader, Reading
from wwho.errors import CorpusError
from wwho.format.read import read_artifact
from wwho.progress import ignore
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model

if TYPE_CHECKING:
    from tests.conftest import Cli

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


def blocks(file: object, **reading: Any) -> list[Block]:
    return list(Reader(Part(str(file)), Reading(**reading)).blocks(ignore))


def read(file: object, **reading: Any) -> bytes:
    return b"".join(block.text for block in blocks(file, **reading))


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
    same = put(tmp_path, f"rows.NDJSON{suffix}", path.read_bytes())
    assert read(same) == read(path)
    assert read(path, field="body") == "x\u2028y\n\U0001f600\n".encode()


@pytest.mark.slow
def test_standard_input(tmp_path: Path, cli: Cli) -> None:
    """The same text gives the same model from a file and from a pipe, compressed or not."""
    path, output = put(tmp_path, "a.txt", TEXT * 20), tmp_path / "out.wwho"
    train = ("train", "--schema", "sinhala", "-o", str(output))
    run = [sys.executable, "-m", "wwho", *train, "-"]
    subprocess.run(run, input=TEXT * 20, check=True)  # a real pipe, in which nobody can go back
    expected = output.read_bytes()
    assert unit_model(read_artifact(expected)).merges
    assert cli(*train, path).code == 0
    assert output.read_bytes() == expected
    for suffix in COMPRESS:
        output.unlink()
        assert cli(*train, "-", stdin=COMPRESS[suffix](TEXT * 20)).code == 0
        assert output.read_bytes() == expected


def test_json_lines_from_standard_input(tmp_path: Path, cli: Cli) -> None:
    data = json.dumps({"body": LINES[0]}).encode()
    output = tmp_path / "out.wwho"
    train = ("train", "--schema", "sinhala", "--prune", "1", "--field", "body", "-o", output, "-")
    assert cli(*train, stdin=data).code == 0
    assert "ගම".encode()[:3] in unit_model(read_artifact(output.read_bytes())).symbols


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_damaged_archives(tmp_path: Path, suffix: str) -> None:
    packed = COMPRESS[suffix](TEXT * 50)
    for cut in (1, len(packed) // 2, len(packed) - 1):
        with pytest.raises(CorpusError, match=rf"cut\.txt\{suffix}: .*(truncated|damaged)"):
            read(put(tmp_path, f"cut.txt{suffix}", packed[:cut]))
    with pytest.raises(CorpusError, match=rf"no\.txt\{suffix}: .*(damaged|Not a gzipped file)"):
        read(put(tmp_path, f"no.txt{suffix}", TEXT))
    for behind in (TEXT, b"\xff" + packed[1:], packed[:-1]):
        with pytest.raises(CorpusError, match=r"truncated|damaged|Not a gzipped file"):
            read(put(tmp_path, f"more.txt{suffix}", packed + behind))


def test_xz_may_be_padded_with_zeros_in_fours(tmp_path: Path) -> None:
    packed = lzma.compress(TEXT)
    for zeros in (4, 8, 100_000):
        padded = packed + bytes(zeros)
        assert read(put(tmp_path, "a.xz", padded + packed)) == TEXT * 2
        assert read(put(tmp_path, "a.xz", padded)) == TEXT
    for wrong in (packed + bytes(3), packed + bytes(6) + packed, bytes(4) + packed):
        with pytest.raises(CorpusError, match=r"a\.xz: the compressed data is (damaged|truncated)"):
            read(put(tmp_path, "a.xz", wrong))


def test_zstandard_with_a_large_window(tmp_path: Path) -> None:
    """Made as with --long=28; a reader's limit is 27 unless it says otherwise."""
    options = zstandard.ZstdCompressionParameters(window_log=28)
    packer = zstandard.ZstdCompressor(compression_params=options).compressobj()
    assert read(put(tmp_path, "a.zst", packer.compress(TEXT) + packer.flush())) == TEXT


FOREIGN = {
    "bzip2": bz2.compress(TEXT, 5),
    "zip": b"PK\3\4\x14\0\0\0\x08\0",
    "7z": b"7z\xbc\xaf\x27\x1c\0\4",
    "Parquet": b"PAR1\x15\x04\x15",
}


@pytest.mark.parametrize("kind", [*FOREIGN, ".gz", ".xz", ".zst"])
def test_what_is_no_text_is_not_read_as_text(tmp_path: Path, kind: str) -> None:
    data = FOREIGN[kind] if kind in FOREIGN else COMPRESS[kind](TEXT)
    path = str(put(tmp_path, "a.txt", data))
    for part in (Part(path), Part(path, 0, 9)):
        with pytest.raises(CorpusError, match=rf"a\.txt: holds {kind} data where text"):
            list(Reader(part, Reading()).blocks(ignore))


def test_parquet_on_the_standard_input_is_refused(tmp_path: Path) -> None:
    data = table(tmp_path, {"text": LINES}).read_bytes()
    command = [sys.executable, "-m", "wwho", "train", "--schema", "sinhala", "-o"]
    run = subprocess.run([*command, str(tmp_path / "x"), "-"], input=data, capture_output=True)
    assert run.returncode == 1
    assert run.stderr.startswith(b"wwho: -: holds Parquet data where text is expected; ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    with pytest.raises(CorpusError, match=r"missing\.txt: cannot be read: No such file"):
        read(missing)
    with pytest.raises(CorpusError, match=r"missing\.txt: cannot be read: No such file"):
        train_model([missing], TrainOptions(schemas=SCHEMAS, base=BASE))
    with pytest.raises(CorpusError, match="cannot be read: Is a directory"):
        read(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file whose reading fails")
def test_a_file_that_fails_while_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="/proc/self/mem: cannot be read: Input/output error"):
        train_model(["/proc/self/mem"], TrainOptions(schemas=SCHEMAS, base=BASE))


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be a user who may not read everything."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_what_may_not_be_read_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = put(Path(folder), "secret.txt", TEXT)
        path.chmod(0)
        with unprivileged(), pytest.raises(CorpusError, match=r"secret\.txt: .*Permission denied"):
            read(path)
        path.chmod(0o644)
        (Path(folder) / "inside").mkdir(mode=0)
        with unprivileged(), pytest.raises(CorpusError, match="cannot be read: Permission denied"):
            Corpus([folder])
        (Path(folder) / "inside").rename(Path(folder) / ".inside")
        with unprivileged():
            assert Corpus([folder]).files == [str(path)]


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


def test_a_field_may_have_an_empty_name(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.jsonl", b'{"": "a", "text": "b"}\n')
    assert (read(path), read(path, field="")) == (b"b\n", b"a\n")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"only English here\n"])
def test_a_corpus_with_nothing_to_learn(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(CorpusError, match="holds no text in the scripts of the schemas: sinhala"):
        train_model([put(tmp_path, "a.txt", data)], TrainOptions(schemas=SCHEMAS, base=BASE))


def test_broken_utf8_is_reported_and_survived(tmp_path: Path) -> None:
    whole = put(tmp_path, "whole.txt", TEXT)
    broken = put(tmp_path, "broken.txt", TEXT + b"\xff\xe0\xb6\n")
    with pytest.warns(UserWarning, match="3 broken characters"):
        model = train_model([broken], TrainOptions(schemas=SCHEMAS, base=BASE, prune=1))
    assert unit_model(model) == unit_model(
        train_model([whole], TrainOptions(schemas=SCHEMAS, base=BASE, prune=1))
    )
    assert model.provenance["corpus_broken_characters"] == "3"


def test_broken_characters_in_json_lines(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.jsonl", b'{"text": "\\ud800a\xff"}\n')
    assert blocks(path) == [Block("\ufffda\ufffd\n".encode(), lines=1, sampled=1, stray=2)]


@pytest.mark.parametrize(
    ("name", "data", "named"),
    [
        ("a.txt", TEXT * 3 + b"ab\xe0\xb6\n", f"line 16: byte {3 * len(TEXT) + 2} of the contents"),
        ("a.txt.gz", gzip.compress(b"\n\xff", mtime=0), "line 2: byte 1 of the contents, 0xFF"),
        ("a.jsonl", b'{"text": "a"}\n{"text": "\xff"}', "line 2: byte 24 of the contents, 0xFF"),
        ("a.jsonl", b'\n{"text": "\\udfff"}', "line 2: the text holds the lone surrogate U\\+DFFF"),
    ],
)
def test_broken_text_is_refused_on_request(
    tmp_path: Path, name: str, data: bytes, named: str
) -> None:
    path = put(tmp_path, name, data)
    with pytest.raises(CorpusError, match=rf"{name}, {named}.*--errors replace"):
        train_model(Corpus([path], errors="stop"), TrainOptions(schemas=SCHEMAS, base=BASE))
    assert read(put(tmp_path, "whole.txt", TEXT), errors="stop") == TEXT


def test_broken_text_is_found_across_blocks(tmp_path: Path) -> None:
    lines = (TEXT * 20_000).splitlines(keepends=True)
    lines[60_000] = b"\xff\n"
    with pytest.raises(CorpusError, match=rf"line 60001: byte {sum(map(len, lines[:60_000]))} of"):
        read(put(tmp_path, "a.txt", b"".join(lines)), errors="stop")


def test_progress_reaches_the_size_of_the_files(tmp_path: Path) -> None:
    files = [
        put(tmp_path, f"{k}{suffix}", pack(TEXT))
        for k, (suffix, pack) in enumerate(COMPRESS.items())
    ]
    files.append(table(tmp_path, {"text": LINES * 300}))
    done: list[int] = []
    for file in files:
        assert list(Reader(Part(str(file)), Reading()).blocks(done.append))
    assert sum(done) == Corpus(files).size() == sum(file.stat().st_size for file in files)
    assert Corpus([files[0], "-"]).size() is None


def test_the_digest_is_that_of_the_contents(tmp_path: Path) -> None:
    """And the part that a file begins with gives it, whatever is sampled."""
    files = [put(tmp_path, "a" + suffix, pack(TEXT)) for suffix, pack in COMPRESS.items()]
    files.append(table(tmp_path, {"text": LINES}, row_group_size=2))
    parts = [Part(str(file)) for file in files]
    parts += [Part(str(files[0]), 0, 9), Part(str(files[-1]), 0, 1)]
    for part in parts:
        reader = Reader(part, Reading(sample=Fraction(1, 2)))
        assert list(reader.blocks(ignore))
        assert reader.digest == hashlib.sha256(TEXT).hexdigest()
    for part in (Part(str(files[0]), 9, 99), Part(str(files[-1]), 1, 2)):
        reader = Reader(part, Reading())
        assert list(reader.blocks(ignore))
        assert reader.digest is None


# Parquet


def table(folder: Path, columns: dict[str, Any], name: str = "a.parquet", **options: Any) -> Path:
    path = folder / name
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
    return path


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "string_view"])
def test_a_column_of_parquet(tmp_path: Path, kind: str) -> None:
    body = pyarrow.array([*LINES, None]).cast(getattr(pyarrow, kind)())
    path = table(tmp_path, {"id": range(6), "body": body})
    assert read(path, column="body") == TEXT
    assert blocks(path, column="body")[0].lines == len(LINES)


def test_parquet_with_a_dictionary_and_many_row_groups(tmp_path: Path) -> None:
    values = pyarrow.array(LINES * 1000).dictionary_encode()
    path = table(tmp_path, {"text": values}, row_group_size=700, compression="zstd")
    assert read(path) == TEXT * 1000
    parts = [Reader(Part(str(path), k, k + 1), Reading()) for k in range(8)]
    found = [block for part in parts for block in part.blocks(ignore)]
    assert b"".join(block.text for block in found) == TEXT * 1000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much memory was in use")
def test_parquet_is_read_a_few_rows_at_a_time(tmp_path: Path) -> None:
    """One row group of 240 MB of text takes much less than that in memory."""
    path = tmp_path / "big.parquet"
    row = "".join(map(chr, range(0x4E00, 0x4E00 + 5000)))  # 15 KB
    schema = pyarrow.schema([("text", pyarrow.string())])
    with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=False) as writer:
        rows = [row[k % 5000 :] + row[: k % 5000] for k in range(16_000)]
        writer.write_table(pyarrow.table({"text": rows}), row_group_size=len(rows))
    run = subprocess.run(
        [sys.executable, "-c", READ_AND_MEASURE, path], check=True, capture_output=True
    )
    size, kilobytes = map(int, run.stdout.split())
    assert size == 16_000 * 15_001
    assert kilobytes < 160_000


READ_AND_MEASURE = """
import re, sys
import pyarrow.parquet
from wwho.progress import ignore
from wwho.corpus.reader import Part, Reader, Reading

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])

start = peak()
size = sum(len(block.text) for block in Reader(Part(sys.argv[1]), Reading()).blocks(ignore))
print(size, peak() - start)
"""


def test_bad_parquet_is_named(tmp_path: Path) -> None:
    path = table(tmp_path, {"id": [1], "body": ["a"], "tags": [["a"]]})
    for column, named in (
        ("text", "no column 'text'; its columns are: id, body, tags"),
        ("id", "column 'id' must hold strings, not int64"),
        ("tags", "column 'tags' must hold strings, not list"),
    ):
        with pytest.raises(CorpusError, match=rf"a\.parquet: {named}"):
            read(path, column=column)
    with pytest.raises(CorpusError, match=r"no\.parquet: not a Parquet file"):
        read(put(tmp_path, "no.parquet", TEXT))
    packed = bytearray(table(tmp_path, {"text": LINES * 500}, compression="gzip").read_bytes())
    packed[200:250] = bytes(50)
    with pytest.raises(CorpusError, match=r"cut\.parquet: (the Parquet data is damaged|cannot be)"):
        read(put(tmp_path, "cut.parquet", bytes(packed)))
    broken = table(tmp_path, {"text": [b"a", b"b\xff"]}, name="broken.parquet")
    assert read(broken) == b"a\nb\xff\n"
    with pytest.raises(CorpusError, match=r"broken\.parquet: the text .* byte 1 is 0xFF"):
        read(broken, errors="stop")


# Blocks and parts


@given(st.lists(st.text("ab \n", max_size=5).map(str.encode)), st.sampled_from([None, 0, 3]))
def test_blocks_end_where_no_word_goes_on(chunks: list[bytes], long_line: int | None) -> None:
    blocks = list(blocks_of(chunks, long_line=long_line))
    assert b"".join(blocks) == b"".join(chunks)
    for block, following in pairwise(blocks):
        assert block.endswith(b"\n") or (long_line is not None and following.startswith(b" "))


@given(
    st.lists(st.sampled_from([b"a", b"\xe0\xb6\x9a", b"\n", b" "]), max_size=40).map(b"".join),
    st.integers(1, 9),
)
def test_the_parts_of_a_file_are_the_file(data: bytes, size: int) -> None:
    """Every line is in one part, and errors name the byte of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(put(Path(folder), "a.txt", data))
        cuts = [*range(0, len(data), size), len(data)]
        parts = [Reader(Part(path, *cut), Reading()) for cut in pairwise(cuts)]
        found = [[*part.blocks(ignore)] for part in parts]
        put(Path(folder), "a.txt", data + b"\n\xff")
        last = Reader(Part(path, len(data) // 2, len(data) + 2), Reading(errors="stop"))
        with pytest.raises(CorpusError, match=f"byte {len(data) + 1} of the contents"):
            list(last.blocks(ignore))
    texts = [b"".join(block.text for block in part) for part in found]
    assert b"".join(texts) == data
    assert all(text.endswith(b"\n") for text in texts[:-1] if text and text != data[-len(text) :])
    assert sum(block.lines for part in found for block in part) == len(data.splitlines())


def test_the_parts_of_json_lines(tmp_path: Path) -> None:
    rows = [json.dumps({"text": line}) for line in LINES * 50]
    path = str(put(tmp_path, "a.jsonl", "\n".join(rows).encode()))
    size = Path(path).stat().st_size
    cuts = [*range(0, size, 777), size]
    readers = [Reader(Part(path, *cut), Reading()) for cut in pairwise(cuts)]
    assert b"".join(block.text for part in readers for block in part.blocks(ignore)) == TEXT * 50
    put(tmp_path, "a.jsonl", "\n".join([*rows, "{"]).encode())
    with pytest.raises(CorpusError, match=r"a\.jsonl, from byte \d+ on, line \d+: not valid JSON"):
        list(Reader(Part(path, size // 2, size + 2), Reading()).blocks(ignore))


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\nb", "\n\n", "a\n\n"])
def test_lines_are_counted(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, "a.txt", text.encode())
    assert sum(block.lines for block in blocks(path)) == len(text.splitlines())


def test_a_line_without_end_is_one_line(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", b"a " * (3 << 23) + b"\nb")
    found = blocks(path)
    assert len(found) > 2
    assert sum(block.lines for block in found) == 2
    assert b"".join(block.text for block in found) == path.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_text_in_another_encoding_is_called_by_its_name(
    tmp_path: Path, name: str, encoding: str
) -> None:
    path = put(tmp_path, name, '{"text": "ගම"}\n'.encode(encoding))
    expected = rf"{name}: this is no text in UTF-8 but {encoding.upper()}; .*iconv"
    with pytest.raises(CorpusError, match=expected):
        train_model([path], TrainOptions(schemas=SCHEMAS, base=BASE))


@pytest.mark.parametrize(
    ("package", "name"),
    [("pyarrow", "a.parquet"), ("fsspec.core", "memory://a.txt"), ("zstandard", "a.txt.zst")],
)
def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, name: str
) -> None:
    path = tmp_path / name
    if "://" not in name:
        path.write_bytes(b"x")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CorpusError, match=r"pip install 'wwho\[train\]'"):
        train_model([name if "://" in name else path], TrainOptions(schemas=SCHEMAS, base=BASE))
