"""The `wwho` command: what it prints, and how it fails."""

from __future__ import annotations

import base64
import errno
import gzip
import io
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import wwho
from wwho.cli.main import COMMANDS, main

if TYPE_CHECKING:
    from tests.conftest import Cli, Result

WWHO = Path(sys.executable).with_name("wwho.exe" if os.name == "nt" else "wwho")
MIXED = "ගමේ පාසල school 12 हिन्दी विद्यालय 😀\n"
HOSTILE = [b"", b"\n", b"\xff\xfe\x80", "ක්".encode()[:-1], b"a\x00b\r\n", MIXED.encode()]
CORPUS = "ගමේ පාසල ගමේ පාර\nहिन्दी विद्यालय हिन्दी\n" * 30
PATTERN = r"\w+|\W"
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and terminals")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of two lines, thirty times over."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text(CORPUS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(corpus: Path) -> Path:
    """A vocabulary trained on that corpus."""
    path = corpus.with_name("small.wwho")
    subprocess.run([WWHO, *train_arguments(path), corpus], check=True, capture_output=True)
    return path


def train_arguments(output: Path) -> list[str]:
    """The arguments of a small training, without the corpus."""
    schemas = ["--schema", "sinhala", "--schema", "devanagari"]
    return ["train", *schemas, "--prune", "2", "--vocab-size", "60", "-o", str(output)]


def one_line_error(result: Result) -> str:
    """The message of a command that failed as it should: exit code 1, one line, no traceback."""
    assert result.code == 1
    assert result.out == b""
    assert re.fullmatch(r"wwho: [^\n]+\n", result.err), result.err
    return result.err


# Help and usage


def test_ctrl_c_is_silent_also_while_the_parser_is_made(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wwho.cli.main.build_parser", stop)
    result = cli("encode")
    assert (result.code, result.out, result.err) == (130, b"", "")


@pytest.mark.parametrize("module", ["wwho", "wwho.cli.main"])
def test_modules_are_the_command(module: str) -> None:
    run = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True)
    assert (run.returncode, run.stdout.split()[0], run.stderr) == (0, b"wwho", b"")


def test_help_lists_every_command(cli: Cli) -> None:
    result = cli("--help")
    assert result.code == 0
    for command in COMMANDS:
        assert re.search(rf"\n    {command.NAME}\s", result.out.decode())  # a long one has a line


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.NAME)
def test_help_of_a_command_shows_an_example(cli: Cli, command: ModuleType) -> None:
    result = cli(command.NAME, "--help")
    assert result.code == 0
    assert re.search(rf"\nexample:\n(.*\n)*? +\$ .*wwho {command.NAME}\b", result.out.decode())


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("sing",),
        ("encode", "--nonsense"),
        ("encode", "--backend", "abacus"),
        ("train", "--schema", "sinhala", "corpus.txt"),
        ("train", "--schema", "sinhala", "--prune", "0", "-o", "x.wwho"),
        ("train", "--schema", "sinhala", "--vocab-size", "99999999", "-o", "x.wwho"),
        ("import", "x", "--abacus", "-o", "x.wwho"),
        ("import", "x", "--pattern", ".", "--special", "no-id", "-o", "x.wwho"),
    ],
)
def test_usage_errors_exit_with_2(
    cli: Cli, arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli(*arguments)
    assert result.code == 2
    assert result.err
    assert "Traceback" not in result.err
    assert list(tmp_path.iterdir()) == []


def test_version(cli: Cli) -> None:
    found = wwho.versions()
    assert found["package"] == wwho.__version__
    expected = f"wwho {found['package']} (core {found['core']}, format {found['format']})"
    assert cli("--version").out.decode().strip() == expected


def test_the_command_of_a_python() -> None:
    said = subprocess.check_output([sys.executable, "-m", "wwho", "--version"], text=True)
    assert said.startswith(f"wwho {wwho.__version__} ")


# encode, decode, count


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_encode_then_decode_gives_the_bytes(cli: Cli, model: Path, text: bytes) -> None:
    ids = cli("encode", "--model", model, stdin=text)
    assert ids.code == 0
    assert cli("decode", "--model", model, stdin=ids.out).out == text


def test_encode_is_the_tokenizers(cli: Cli, model: Path) -> None:
    tokenizer = wwho.Tokenizer.load(model)
    ids = tokenizer.encode(MIXED)
    assert any(number >= tokenizer.info.models[1].first_id for number in ids)
    printed = cli("encode", "--model", model, stdin=MIXED.encode()).out
    assert [int(word) for word in printed.split()] == ids


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_encode_json_with_tokens(cli: Cli, model: Path, backend: str) -> None:
    arguments = ("encode", "--model", model, "--backend", backend, "--json", "--show")
    found = json.loads(cli(*arguments, stdin=MIXED.encode()).out)
    tokenizer = wwho.Tokenizer.load(model)
    ids = tokenizer.encode(MIXED)
    assert found == {"ids": ids, "tokens": [tokenizer.decode([number]) for number in ids]}


def test_encode_show_quotes_every_token(cli: Cli) -> None:
    shown = cli("encode", "--model", "o200k_base", "--show", stdin="a b\n\u0dc3".encode()).out
    rows = [line.split(maxsplit=1) for line in shown.decode().splitlines()]
    assert [number for number, _ in rows] == [
        str(number) for number in wwho.get_encoding("o200k_base").encode("a b\n\u0dc3")
    ]
    assert [text for _, text in rows] == ["'a'", "' b'", "'\\n'", "'\u0dc3'"]


def test_encode_show_writes_parts_of_characters_as_bytes(cli: Cli) -> None:
    text = "\U000e0041"
    shown = cli("encode", "--model", "o200k_base", "--show", stdin=text.encode()).out.decode()
    found = re.findall(r"<([0-9a-f ]+)>", shown)
    assert len(found) > 1
    assert bytes.fromhex(" ".join(found)) == text.encode()


def test_lines_are_texts_of_their_own(cli: Cli, model: Path) -> None:
    text = "ගමේ පාසල\n\nschool"
    ids = cli("encode", "--model", model, "--lines", stdin=text.encode()).out
    tokenizer = wwho.Tokenizer.load(model)
    expected = [tokenizer.encode(line) for line in text.split("\n")]
    assert [[int(word) for word in line.split()] for line in ids.splitlines()] == expected
    back = cli("decode", "--model", model, "--lines", stdin=ids)
    assert back.out == text.encode() + b"\n"


def test_special_tokens_are_text_unless_allowed(cli: Cli) -> None:
    text = b"<|endoftext|>"
    ordinary = cli("encode", "--model", "o200k_base", stdin=text).out.split()
    assert len(ordinary) > 1
    for allowed in ("all", "<|endoftext|>"):
        arguments = ("encode", "--model", "o200k_base", "--allowed-special", allowed)
        assert cli(*arguments, stdin=text).out == b"199999\n"


def test_unknown_special_tokens_are_refused(cli: Cli) -> None:
    for command in ("encode", "count"):
        arguments = (command, "--model", "o200k_base", "--allowed-special", "foo")
        message = one_line_error(cli(*arguments, stdin=b"foo"))
        assert "'foo'" in message
        assert "<|endoftext|>" in message


@pytest.mark.parametrize("command", ["encode", "count", "decode", "segment", "inspect", "verify"])
def test_an_empty_name_is_no_model(cli: Cli, command: str) -> None:
    arguments = ("",) if command in ("inspect", "verify") else ("--model", "")
    assert one_line_error(cli(command, *arguments)).startswith("wwho: there is no encoding ''; ")


@pytest.mark.parametrize("options", [(), ("--lines",), ("--show",)])
def test_an_empty_name_is_no_file(cli: Cli, options: Sequence[str]) -> None:
    result = one_line_error(cli("encode", "--model", "o200k_base", *options, ""))
    assert result == "wwho: '': No such file or directory\n"


@pytest.mark.parametrize("command", ["encode", "count"])
@pytest.mark.parametrize("options", [(), ("--lines",)])
def test_endless_input_stops_at_the_limit(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str, options: Sequence[str]
) -> None:
    """Of one word, or of one line; what can be cut may go on."""
    monkeypatch.setattr("wwho.cli.streams.MAX_BYTES", 1000)
    monkeypatch.setattr("wwho.tokenizer.stream_methods.MAX_WAITING_BYTES", 1000)
    monkeypatch.setattr("wwho.tokenizer.stream_methods.PART_BYTES", 100)
    monkeypatch.setattr("wwho.cli.streams.BLOCK", 50)
    arguments = (command, "--model", "o200k_base", *options)
    assert cli(*arguments, stdin=b"a, b\n" * 1000).code == 0
    assert cli(*arguments, stdin=b"a" * 1000).code == 0
    message = one_line_error(cli(*arguments, stdin=b"a" * 1001))
    assert "more than 1000 bytes" in message


@pytest.mark.parametrize("ids", [b"1 two 3", b"-1", b"1.5"])
def test_decode_refuses_what_is_no_number(cli: Cli, ids: bytes) -> None:
    message = one_line_error(cli("decode", "--model", "o200k_base", stdin=ids))
    assert "decimal" in message


def test_decode_refuses_unknown_ids(cli: Cli) -> None:
    message = one_line_error(cli("decode", "--model", "o200k_base", stdin=b"4000000"))
    assert message.startswith("wwho: -: 4000000 is not the id of a token")


@pytest.mark.parametrize("ids", [b"9" * 5000, b"9" * 11])
def test_decode_refuses_numbers_too_long_for_an_id(cli: Cli, ids: bytes) -> None:
    message = one_line_error(cli("decode", "--model", "o200k_base", stdin=b"1 " + ids))
    assert "at most 10 digits" in message
    assert len(message) < 200


def test_decode_json(cli: Cli) -> None:
    result = cli("decode", "--model", "o200k_base", "--json", stdin=b"24912 2375")
    assert json.loads(result.out) == {"text": "hello world"}


def test_count_of_files_and_their_total(
    cli: Cli, model: Path, corpus: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(HOSTILE[2])
    tokenizer = wwho.Tokenizer.load(model)
    expected = [tokenizer.count(path.read_bytes()) for path in (corpus, other)]
    rows = cli("count", "--model", model, corpus, other).out.decode().splitlines()
    assert [int(row.split()[0]) for row in rows] == [*expected, sum(expected)]
    assert rows[-1].split() == [str(sum(expected)), "total"]
    found = json.loads(cli("count", "--model", model, "--json", corpus, other).out)
    assert found["tokens"] == sum(expected)
    assert found["bytes"] == corpus.stat().st_size + other.stat().st_size
    assert [row["tokens"] for row in found["files"]] == expected


def in_many_forms(folder: Path, lines: Sequence[str]) -> dict[str, Path]:
    """The same lines as files of each form that train reads."""
    zstandard = pytest.importorskip("zstandard", reason="needs zstandard")
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    text = "".join(f"{line}\n" for line in lines).encode()
    rows = "".join(json.dumps({"body": line}) + "\n" for line in lines).encode()
    contents = {
        "a.txt": text,
        "a.txt.gz": gzip.compress(text),
        "a.txt.xz": lzma.compress(text),
        "a.txt.zst": zstandard.compress(text),
        "a.jsonl": rows,
        "a.ndjson.gz": gzip.compress(rows),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    parquet.write_table(pyarrow.table({"body": list(lines)}), folder / "a.parquet")
    return {name: folder / name for name in (*contents, "a.parquet")}


def test_commands_read_what_train_reads(cli: Cli, tmp_path: Path) -> None:
    lines = ["hello world", "ගමේ පාසල", "हिन्दी", "x" * 3000]
    enc = wwho.get_encoding("o200k_base")
    forms = in_many_forms(tmp_path, lines)
    options = ("--model", "o200k_base", "--field", "body", "--column", "body")
    ids = "".join(" ".join(map(str, enc.encode(line))) + "\n" for line in lines)
    rows = cli("segment", forms["a.txt"], "--schema", "sinhala").out
    for name, path in forms.items():
        found = json.loads(cli("count", *options, "--lines", "--json", path).out)
        assert found["tokens"] == sum(map(enc.count, lines)), name
        assert found["bytes"] == len("".join(lines).encode()), name
        assert cli("encode", *options, "--lines", path).out.decode() == ids, name
        assert cli("segment", path, *options[2:], "--schema", "sinhala").out == rows, name
        if name.startswith("a.txt"):
            whole = "".join(f"{line}\n" for line in lines)
            assert cli("encode", *options, path).out.split() == [
                str(token).encode() for token in enc.encode(whole)
            ]
            assert (
                cli("encode", *options[:2], stdin=path.read_bytes()).out
                == cli("encode", *options[:2], path).out
            )
        else:
            assert cli("encode", *options, path).out.decode() == ids, name
    listed = cli("count", *options, tmp_path).out.decode().splitlines()
    assert [row.split()[1] for row in listed] == [*map(str, sorted(forms.values())), "total"]
    assert cli("count", *options, f"file://{tmp_path}/*.gz").out.count(b"\n") == 3
    rows = cli("encode", *options, stdin=forms["a.jsonl"].read_bytes()).out
    assert rows.decode() == ids


def share_small_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands have three threads, and blocks and batches of a few hundred bytes."""
    for module in ("backends.parallel", "tokenizer.stream_methods", "cli.text_batches"):
        monkeypatch.setattr(f"wwho.{module}.processors", lambda: 3)
    monkeypatch.setattr("wwho.tokenizer.stream_methods.PART_BYTES", 100)
    monkeypatch.setattr("wwho.cli.streams.BLOCK", 150)
    monkeypatch.setattr("wwho.cli.text_batches.BATCH_BYTES", 1000)


@pytest.mark.parametrize(
    ("command", "form"),
    [("count", ("--json",)), ("encode", ()), ("encode", ("--json",)), ("encode", ("--show",))],
)
def test_threads_change_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, form: Sequence[str]
) -> None:
    """Of files of each form, long and short, with blocks and batches of a few hundred bytes."""
    share_small_texts(monkeypatch)
    lines = [f"hello world {k}, ගමේ පාසල e\u0301" + "x" * (k % 7 * 30) for k in range(60)]
    in_many_forms(tmp_path, lines)
    (tmp_path / "short.txt").write_bytes(b"a word")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "broken.txt").write_bytes(HOSTILE[0] * 40)
    common = (command, *form, "--field", "body", "--column", "body", tmp_path)
    for model in ("o200k_base", "wwho_328k"):
        for options in ((), ("--lines",), ("--normalize", "nfc")):
            found = [
                cli(*common, "--model", model, *options, "--threads", threads).out
                for threads in ("1", "3")
            ]
            assert len(found[0]) > 500
            assert found[0] == found[1]
            assert cli(*common, "--model", model, *options).out == found[0]


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_encode_prints_the_ids_of_each_text(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str, threads: str
) -> None:
    share_small_texts(monkeypatch)
    texts = [b"", MIXED.encode() * 9, *HOSTILE, b"one\ntwo" * 90]
    files = [tmp_path / str(number) for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text)
    enc = wwho.get_encoding("wwho_328k")
    common = ("encode", "--backend", backend, "--model", "wwho_328k", "--threads", threads)
    rows = [enc.encode(text) for text in texts]
    lines = [enc.encode(line.removesuffix(b"\n")) for text in texts for line in io.BytesIO(text)]
    for expected, options in ((rows, ()), (lines, ("--lines",))):
        printed = cli(*common, *options, *files).out
        assert printed.decode() == "".join(" ".join(map(str, row)) + "\n" for row in expected)
        objects = cli(*common, *options, "--json", *files).out.splitlines(keepends=True)
        assert [line.decode() for line in objects] == [
            json.dumps({"ids": row}) + "\n" for row in expected
        ]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_encode_prints_what_comes_before_an_error(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    share_small_texts(monkeypatch)
    (tmp_path / "a.txt").write_bytes(MIXED.encode() * 200)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(MIXED.encode() * 200)[:-10])
    options = ("encode", "--lines", "--model", "o200k_base", "--threads", threads)
    expected = cli(*options, tmp_path / "a.txt").out
    found = cli(*options, tmp_path / "a.txt", tmp_path / "b.txt.gz")
    assert found.code == 1
    assert "b.txt.gz: the compressed data is truncated" in found.err
    assert found.out.startswith(expected)
    assert set(found.out.splitlines()) == set(expected.splitlines())


@posix
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ids_of_a_line_come_before_the_next_line_and_ctrl_c_ends_that(threads: str) -> None:
    command = [WWHO, "encode", "--lines", "--model", "o200k_base", "--threads", threads]
    pipe = subprocess.PIPE
    with subprocess.Popen(list(map(str, command)), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        for _ in range(2):
            process.stdin.write(b"hello world\nhel")
            process.stdin.flush()
            assert process.stdout.readline() == b"24912 2375\n"
            process.stdin.write(b"lo world\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"24912 2375\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""
    assert process.returncode in (130, -signal.SIGINT)


def test_threads_are_at_least_one(cli: Cli) -> None:
    for command in ("count", "encode"):
        assert cli(command, "--threads", "0").code == 2


@pytest.mark.parametrize("command", ["count", "encode", "segment"])
def test_containers_are_refused_by_name(cli: Cli, tmp_path: Path, command: str) -> None:
    forms = in_many_forms(tmp_path, ["one"])
    cases = {"a.parquet": "Parquet", "a.txt.xz": ".xz", "a.txt.zst": ".zst", "a.txt.gz": ".gz"}
    for name, kind in cases.items():
        path = forms[name].rename(tmp_path / "b.txt")
        message = one_line_error(cli(command, path))
        assert message.startswith(f"wwho: {path}: holds {kind} data where text is expected; ")
    message = one_line_error(cli(command, forms["a.jsonl"]))
    assert "a.jsonl, line 1: no field 'text'; its fields are: 'body'" in message
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(b"one two" * 1000)[:-10])
    message = one_line_error(cli(command, tmp_path / "c.txt.gz"))
    assert "c.txt.gz: the compressed data is truncated" in message


def test_count_of_lines_leaves_the_line_feeds_out(cli: Cli, model: Path, corpus: Path) -> None:
    tokenizer = wwho.Tokenizer.load(model)
    expected = sum(tokenizer.count(line) for line in CORPUS.splitlines())
    found = json.loads(cli("count", "--model", model, "--lines", "--json", corpus).out)
    assert found["tokens"] == expected
    assert found["bytes"] == corpus.stat().st_size - CORPUS.count("\n")


# segment


def test_segment_by_schemas_needs_no_model(cli: Cli) -> None:
    arguments = ("segment", "--schema", "sinhala", "--schema", "devanagari", "--json")
    assert json.loads(cli(*arguments, stdin="ඔයා 1 special अद्भुत\n".encode()).out) == {
        "segments": [
            {"route": "sinhala", "text": "ඔයා", "units": ["ඔ", "යා"]},
            {"route": "other", "text": " 1 special"},
            {"route": "devanagari", "text": " अद्भुत", "units": [" अ", "द्भु", "त"]},
        ]
    }


def test_segment_prints_one_row_a_line(cli: Cli) -> None:
    lines = b"\xe0\xb6 \xff x\n\nlast"
    out = cli("segment", "--schema", "sinhala", "--json", stdin=lines).out
    rows = [json.loads(row)["segments"] for row in out.splitlines()]
    texts = ["".join(segment["text"] for segment in row) for row in rows]
    assert texts == ["\ufffd\ufffd \ufffd x", "", "last"]


def test_segment_of_schemas_and_of_their_model_agree(cli: Cli, model: Path) -> None:
    by_model = cli("segment", "--model", model, "--json", stdin=MIXED.encode())
    arguments = ("--schema", "sinhala", "--schema", "devanagari", "--json")
    by_schemas = cli("segment", *arguments, stdin=MIXED.encode())
    assert by_model.out == by_schemas.out
    assert b"units" in by_model.out


def test_segment_for_people(cli: Cli) -> None:
    out = cli("segment", "--schema", "sinhala", stdin="ඔයා x".encode()).out.decode()
    assert out == "sinhala\tඔ|යා\nother\t x\n\n"
    out = cli("segment", "--schema", "sinhala", stdin="ක්\u200dෂx\r\n".encode()).out.decode()
    assert out == "sinhala\tක්\u200dෂ\nother\tx\\r\n\n"


def test_segment_refuses_invalid_schemas_unless_told(cli: Cli) -> None:
    schema = Path(__file__).parents[2] / "schemas" / "paper" / "sinhala.json"
    text = "කිි".encode()
    refused = cli("segment", "--schema", schema, "--json", stdin=text)
    assert (refused.code, refused.out) == (1, b"")
    faults = refused.err.splitlines()
    assert [re.findall(r"condition (\d)", fault)[0] for fault in faults] == ["4", "5"]
    assert all(fault.startswith(f"wwho: {schema}: /") for fault in faults)
    allowed = cli("segment", "--schema", schema, "--allow-invalid", "--json", stdin=text)
    assert json.loads(allowed.out)["segments"][0]["units"] == ["කිි"]
    warned = [f"{fault}; loaded all the same (--allow-invalid)" for fault in faults]
    assert allowed.err.splitlines() == warned


def test_segment_takes_several_schemas_at_once(cli: Cli, tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "schemas"
    files = [folder / "sinhala.json", folder / "devanagari.json"]
    text = "ගම गम x\n".encode()
    lines = tmp_path / "lines.txt"
    lines.write_bytes(text)
    one_by_one = cli("segment", "--schema", files[0], "--schema", files[1], stdin=text)
    assert b"devanagari\t" in one_by_one.out
    for arguments in (
        ("--schema", *files),
        (lines, "--schema", *files),
        ("--schema", *files, "--", lines),
    ):
        assert cli("segment", *arguments, stdin=text).out == one_by_one.out


def test_a_text_in_the_place_of_a_schema_says_where_texts_go(cli: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("ගම\n", encoding="utf-8")
    message = one_line_error(cli("segment", "--schema", "sinhala", lines))
    assert f"{lines}: the schema is not JSON" in message
    assert "after --" in message


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_a_deeply_nested_schema_is_one_line(cli: Cli, tmp_path: Path, text: str) -> None:
    schema = tmp_path / "deep.json"
    schema.write_text(text)
    message = one_line_error(cli("segment", "--schema", schema))
    assert f"{schema}: the schema is nested too deeply" in message


def test_segment_names_the_shipped_schemas_for_an_unknown_one(cli: Cli) -> None:
    assert "sinhala" in one_line_error(cli("segment", "--schema", "klingon"))


# Building models


@pytest.mark.slow
def test_compile_adds_routes_and_no_ids(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "routes.wwho"
    arguments = ("--schema", "sinhala", "--base", "o200k_base", "-o", output, "--json")
    facts = json.loads(cli("compile", *arguments).out)
    assert facts["bytes"] == output.stat().st_size
    tokenizer = wwho.Tokenizer.load(output)
    assert tokenizer.name == "routes"
    assert tokenizer.n_vocab == wwho.get_encoding("o200k_base").n_vocab
    assert tokenizer.decode(tokenizer.encode(MIXED)) == MIXED
    assert [segment.route for segment in tokenizer.segment("ගම x")] == ["sinhala", "other"]
    again = cli("compile", "--schema", "devanagari", "--base", output, "-o", tmp_path / "x.wwho")
    assert again.code == 2


def test_import_of_a_rank_file(cli: Cli, tmp_path: Path) -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), b"he", b"ll", b"hell", b"hello"]
    ranks = tmp_path / "toy.tiktoken"
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens))
    ranks.write_text("".join(lines))
    output = tmp_path / "toy.wwho"
    arguments = ("--pattern", PATTERN, "--special", "<|a=b|>=300", "--name", "toy-bpe")
    assert cli("import", ranks, *arguments, "-o", output).code == 0
    tokenizer = wwho.Tokenizer.load(output)
    assert tokenizer.name == "toy-bpe"
    assert tokenizer.encode("hello<|a=b|>", allowed_special="all") == [259, 300]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text here")
def test_names_of_files_need_not_be_text(cli: Cli, model: Path, tmp_path: Path) -> None:
    copy, made = (
        Path(os.fsdecode(os.fsencode(tmp_path) + end)) for end in (b"/\xff.wwho", b"/\xfe")
    )
    copy.write_bytes(model.read_bytes())
    assert cli("inspect", copy).code == 0
    assert cli("export", "gpt2", "--to", "tiktoken", "-o", made).code == 0
    assert made.stat().st_size


@pytest.mark.parametrize("content", [b"", b"not base64 at all\n", b"YQ== 0\n"])
def test_import_refuses_what_is_no_rank_file(cli: Cli, tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "broken.tiktoken"
    broken.write_bytes(content)
    output = tmp_path / "x.wwho"
    message = one_line_error(cli("import", broken, "--pattern", PATTERN, "-o", output))
    assert message.startswith(f"wwho: {broken}")
    assert not output.exists()


@pytest.mark.parametrize(
    ("specials", "named"),
    [
        (["x=2097151"], "has the id 2097151; ids are 0 to 2097150"),
        (["x=9999999999"], "has the id 9999999999"),
        ([f"{'x' * 1025}=300"], "has 1025 bytes; 1 to 1024"),
        (["\udcff=300"], "is not valid Unicode"),
        (["x=300", "x=301"], "--special x=... is given twice"),
    ],
    ids=["id", "larger id", "length", "bytes", "twice"],
)
def test_import_refuses_special_tokens_that_cannot_be(
    cli: Cli, tmp_path: Path, specials: Sequence[str], named: str
) -> None:
    ranks, output = tmp_path / "bytes.tiktoken", tmp_path / "x.wwho"
    ranks.write_bytes(b"".join(b"%b %d\n" % (base64.b64encode(bytes([k])), k) for k in range(256)))
    output.write_bytes(b"old")
    options = [option for special in specials for option in ("--special", special)]
    done = cli("import", ranks, "--pattern", PATTERN, *options, "-o", output)
    assert done.code in (1, 2)
    assert named in done.err
    assert output.read_bytes() == b"old"


def test_what_nobody_could_open_is_not_written(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second check behind those of each command."""
    monkeypatch.setattr("wwho.assemble.base.MAX_IDS", 2**22)
    ranks, output = tmp_path / "bytes.tiktoken", tmp_path / "x.wwho"
    ranks.write_bytes(b"".join(b"%b %d\n" % (base64.b64encode(bytes([k])), k) for k in range(256)))
    options = ("--pattern", PATTERN, "--special", f"x={2**21}", "-o", output)
    message = one_line_error(cli("import", ranks, *options))
    assert f"x.wwho would be no artifact: ADDED: an added token has the id {2**21}" in message
    assert not output.exists()


def test_train_reads_standard_input_and_gives_the_same_bytes(
    cli: Cli, model: Path, tmp_path: Path
) -> None:
    outputs = [tmp_path / "one" / "small.wwho", tmp_path / "two" / "small.wwho"]
    for output, processes in zip(outputs, ("1", "2"), strict=True):
        output.parent.mkdir()
        arguments = (*train_arguments(output), "--processes", processes)
        assert cli(*arguments, stdin=CORPUS.encode()).code == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert wwho.Tokenizer.load(outputs[0]).encode(MIXED) == wwho.Tokenizer.load(model).encode(MIXED)


def test_train_without_schemas_takes_all_that_ship(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "x.wwho"
    assert cli("train", "--prune", "1", "-o", output, stdin="ගමේ ගමේ\nघर घर\n".encode()).code == 0
    tokenizer = wwho.Tokenizer.load(output)
    assert {"sinhala", "devanagari"} <= {segment.route for segment in tokenizer.segment("ගමේ घर")}
    assert min(tokenizer.encode("ගමේ घर")) >= tokenizer.info.models[1].first_id


def test_an_output_that_is_read_is_refused_and_stays(cli: Cli, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(CORPUS)
    (tmp_path / "link.wwho").symlink_to(corpus)
    for command in (
        ("train", "--prune", "1", "-o", tmp_path / "link.wwho", tmp_path),
        ("import", corpus, "--pattern", ".", "-o", corpus),
    ):
        ran = cli(*command)
        assert ran.code == 2
        assert "is a file that is read; name another" in ran.err
    assert corpus.read_text() == CORPUS


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--superwords", "-5"], "superwords is -5"),
        (["--max-words", "1"], "max_words is 1"),
        (["--superwords", "5"], "name a file"),
        (["--weight", "a=2", "--weight", "a=3"], "--weight a=... is given twice"),
    ],
)
def test_train_refuses_before_it_counts(
    cli: Cli, tmp_path: Path, options: Sequence[str], named: str
) -> None:
    ran = cli("train", *options, "--processes", "1", "-o", tmp_path / "x.wwho", stdin=b"")
    assert ran.code in (1, 2)
    assert named in ran.err  # and not that the corpus is empty


def test_train_warns_of_a_vocabulary_of_nothing(cli: Cli, tmp_path: Path) -> None:
    ran = cli("train", "-o", tmp_path / "x.wwho", stdin="ගම ගම\n".encode())
    assert ran.code == 0
    assert "no syllable is seen 20 times" in ran.err


def test_train_takes_special_tokens_and_a_field(cli: Cli, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"body": line, "text": "नहीं"} for line in CORPUS.splitlines()]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "x.wwho"
    arguments = (
        *train_arguments(output),
        "--field",
        "body",
        "--special",
        "[A]",
        "--special",
        "[B]",
    )
    assert cli(*arguments, corpus).code == 0
    tokenizer = wwho.Tokenizer.load(output)
    assert {"[A]", "[B]"} < tokenizer.special_tokens_set
    learnt = range(tokenizer.info.models[1].first_id, tokenizer.n_vocab)
    assert all(tokenizer.decode([number]) in CORPUS for number in learnt)
    assert tokenizer.count("हिन्दी") == 1


def test_train_fails_before_the_work_where_the_output_has_no_folder(
    cli: Cli, tmp_path: Path, corpus: Path
) -> None:
    message = one_line_error(cli(*train_arguments(tmp_path / "missing" / "x.wwho"), corpus))
    assert "missing" in message


@pytest.mark.parametrize("command", ["train", "compile", "import"])
def test_a_folder_as_output_fails_before_the_work(cli: Cli, tmp_path: Path, command: str) -> None:
    # The inputs do not exist: an error that names them would mean that the work had begun.
    inputs = {
        "train": ("--schema", "no/schema.json", "-o", tmp_path),
        "compile": ("--schema", "no/schema.json", "-o", tmp_path),
        "import": ("no/ranks", "--pattern", ".", "-o", tmp_path),
    }
    message = one_line_error(cli(command, *inputs[command]))
    assert message == f"wwho: {tmp_path}: is a folder; name a file in it\n"


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_names_of_files_may_be_any_bytes(cli: Cli, tmp_path: Path) -> None:
    output = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.wwho")
    result = cli("compile", "--schema", "sinhala", "-o", output)
    assert result.code == 0
    assert result.out.startswith(os.fsencode(output) + b": ")
    assert wwho.Tokenizer.load(output).name == "\ufffd"


@posix
@pytest.mark.usefixtures("interruptible")
def test_train_interrupted_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [WWHO, *train_arguments(tmp_path / "x.wwho")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(CORPUS.encode() * 100)  # more than the pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")
    assert list(tmp_path.iterdir()) == []


# inspect, verify


@pytest.mark.slow
def test_inspect(cli: Cli, model: Path) -> None:
    text = cli("inspect", model).out.decode()
    assert "provenance" in text
    assert "sinhala" in text
    facts = json.loads(cli("inspect", "--json", model).out)
    assert facts["sizes"]["ids"] == wwho.Tokenizer.load(model).n_vocab
    names = [section["name"] for section in facts["sections"]]
    assert names == ["CLASSES", "AUTOMATA", "STEPS", "ROUTES", "MODEL", "MODEL", "ADDED",
                     "PROVENANCE"]  # fmt: skip
    last = facts["sections"][-1]
    assert last["offset"] + last["bytes"] <= facts["bytes"] < last["offset"] + last["bytes"] + 4


TINY = Path(__file__).resolve().parents[1] / "vectors" / "tiny.wwho"
"""Few tokens: verifying `model`, which has o200k_base in it, takes five seconds."""


@pytest.mark.slow
def test_verify_accepts_the_good(cli: Cli, model: Path) -> None:
    assert cli("verify", TINY).code == 0
    found = json.loads(cli("verify", "--json", model).out)
    assert found["ok"]
    assert [row["ok"] for row in found["checks"]] == [True] * 5


def test_verify_skips_the_core_where_there_is_none(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the wheel without a compiled part is installed."""
    monkeypatch.setitem(sys.modules, "wwho._core", None)
    ran = cli("verify", TINY)
    assert ran.code == 0
    assert ran.err.count("its native core cannot be imported") == 1
    skipped = "skipped every section, by the native core: it cannot be imported here\n"
    assert ran.out.decode().count(skipped) == 1
    assert ran.out.decode().count("ok      ") == 4
    found = json.loads(cli("verify", "--json", TINY).out)
    assert found["ok"]
    assert [row["ok"] for row in found["checks"]] == [True, True, None, True, True]


@pytest.mark.parametrize(
    ("damage", "status"),
    [
        (lambda blob: blob[:-4], "TRUNCATED"),
        (lambda blob: blob + b"\0\0\0\0", "TRAILING"),
        (lambda blob: blob[:1000] + bytes([blob[1000] ^ 1]) + blob[1001:], "CHECKSUM"),
        (lambda blob: b'{"version": "1.0"}', "MAGIC"),
    ],
)
def test_verify_and_others_refuse_the_damaged(
    cli: Cli, model: Path, tmp_path: Path, damage: Callable[[bytes], bytes], status: str
) -> None:
    broken = tmp_path / "broken.wwho"
    broken.write_bytes(damage(model.read_bytes()))
    assert cli("verify", broken).code == 1
    found = json.loads(cli("verify", "--json", broken).out)
    assert not found["ok"]
    assert found["checks"][-1]["status"] == status
    for command in (("inspect", broken), ("encode", "--model", broken)):
        message = one_line_error(cli(*command, stdin=b"x"))
        assert message.startswith(f"wwho: {broken}: ")
        assert status in message


# serve


@pytest.mark.slow
@posix
@pytest.mark.usefixtures("interruptible")
def test_serve_answers_until_interrupted() -> None:
    process = subprocess.Popen(
        [WWHO, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        address = None
        while address is None:
            line = process.stdout.readline()
            assert line, "the server ended before it printed its address"
            address = re.search(r"http://127\.0\.0\.1:\d+/?", line)
        with urllib.request.urlopen(f"{address[0].rstrip('/')}/") as answer:
            assert answer.status == 200
            assert b"<html" in answer.read()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode in (0, 130)


def test_serve_without_flask_says_what_to_install(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == "flask" or name.startswith("wwho.serve."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flask", None)
    assert "pip install" in one_line_error(cli("serve"))


# Files, pipes, terminals


@pytest.mark.parametrize("command", ["encode", "decode", "count", "segment"])
def test_missing_files_are_named(cli: Cli, model: Path, command: str) -> None:
    message = one_line_error(cli(command, "--model", model, "no/such/file.txt"))
    assert message == f"wwho: no/such/file.txt: {os.strerror(errno.ENOENT)}\n"


def test_unknown_models_are_named(cli: Cli) -> None:
    assert "o200k_base" in one_line_error(cli("encode", "--model", "o300k_base"))
    assert "no/model.wwho" in one_line_error(cli("encode", "--model", "no/model.wwho"))
    assert "or a path to a .wwho file" in one_line_error(cli("inspect", "o300k_base"))


def test_a_file_that_is_no_artifact_is_said_to_be_none(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("big.txt").write_text("text\n" * 100)
    for command in (("inspect", "big.txt"), ("encode", "--model", "big.txt")):
        assert "MAGIC" in one_line_error(cli(*command))


def test_closed_streams_are_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    assert one_line_error(cli("encode", stdin=b"x")) == "wwho: standard output: is closed\n"
    # The fixture puts bytes there; `main` finds what Python puts there for a closed descriptor.
    monkeypatch.setattr("io.TextIOWrapper", lambda stream: None)
    assert one_line_error(cli("count")) == "wwho: standard input: is closed\n"


def test_streams_of_text_alone(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook: they have no buffer of bytes."""

    def run(*arguments: str, stdin: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        monkeypatch.setattr("sys.stdout", printed := io.StringIO())
        assert main([*arguments, "--model", str(model)]) == 0
        return printed.getvalue()

    ids = run("encode", stdin=MIXED)
    assert run("decode", stdin=ids) == MIXED
    assert run("count", stdin=MIXED).split()[0] == str(len(ids.split()))
    # The byte 0xFF alone is no text.
    assert run("decode", stdin="187") == "\ufffd"


def test_training_on_a_stream_of_text_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "x.wwho"
    monkeypatch.setattr("sys.stdin", io.StringIO("ගමේ පාසල\n"))
    assert main(["train", "--schema", "sinhala", "--prune", "1", "-o", str(made)]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("ගමේ පාසල\n"))
    shards = str(tmp_path / "shards")
    assert main(["tokenize", "-", "--model", str(made), "--processes", "1", "-o", shards]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "--prune", "0"), "--prune: found '0', expected a whole number of at least 1"),
        (("count", "--threads", "x"), "--threads: found 'x', expected a whole number of at least"),
        (("train", "--superwords", "some"), "found 'some', expected a whole number or auto"),
        (("count-words", "--part", "3"), "--part: found '3', expected two numbers, as in 1/3"),
        (("import", "f", "--special", "=1"), "--special: found '=1', expected a text and an id"),
        (("import", "f", "--special", "<s>"), "--special: found '<s>', expected a text and an id"),
    ],
)
def test_an_argument_that_is_none(arguments: tuple[str, ...], message: str, cli: Cli) -> None:
    found = cli(*arguments)
    assert found.code == 2
    assert message in found.err


@pytest.mark.parametrize("command", [("import",), ("train", "--extend")])
def test_an_empty_name_of_a_tokenizer(
    command: tuple[str, ...], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A variable of the shell that is not set: not the current folder, and not nothing.
    monkeypatch.chdir(tmp_path)
    Path("vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n")
    Path("tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    found = cli(*command, "", "-o", "x.wwho", stdin="ගමේ\n".encode())
    assert one_line_error(found) == "wwho: '': No such file or directory\n"


@posix
def test_a_closed_pipe_is_silent(model: Path) -> None:
    process = subprocess.Popen(
        [WWHO, "encode", "--model", model, "--lines", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"x\n")
    process.stdin.flush()
    process.stdout.close()
    try:
        process.stdin.write(b"x\n" * 100_000)
        process.stdin.close()
    except BrokenPipeError:
        pass  # the command ended before it had read everything
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 141


@pytest.mark.slow
@posix
def test_a_closed_pipe_ends_also_what_is_written_at_once() -> None:
    """Unbuffered, as PYTHONUNBUFFERED has it, a write to a pipe may end without an error."""
    process = subprocess.Popen(
        [WWHO, "inspect", "--tokens", "o200k_base"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        bufsize=0,
    )
    assert process.stdout is not None
    # The command has begun to write, and waits until the pipe has room for the rest.
    assert process.stdout.read(1) == b"0"
    process.stdout.close()
    assert process.wait() == 141


@posix
def test_a_terminal_sees_progress_and_a_pipe_does_not(model: Path, corpus: Path) -> None:
    import termios

    command = [str(each) for each in (WWHO, "count", "--model", model, corpus, corpus)]
    leader, follower = os.openpty()
    os.set_blocking(leader, False)
    termios.tcsetwinsize(leader, (24, 80))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=follower)
    seen = os.read(leader, 10_000)
    os.close(leader)
    os.close(follower)
    assert b"%|" in seen
    assert subprocess.run(command, check=True, capture_output=True).stderr == b""


@posix
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_modules_are_imported_prints_nothing() -> None:
    code = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, *rest):
        if name == "wwho.cli.main":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from wwho_command import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


INTERRUPT = """
import atexit, os, signal, sys
moment, reached, listening = int(os.environ["MOMENT"]), 0, False
def trace(frame, event, arg):
    global reached, listening
    listening = listening or signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    ours = frame.f_code.co_filename.endswith(("wwho_command.py", "main.py"))
    if listening and event == ("line" if ours else "call"):
        reached += 1
        if reached == moment:
            sys.settrace(None)
            os.kill(os.getpid(), signal.SIGINT)
    return trace if ours else None
if moment == 0:
    atexit.register(lambda: print(reached - 1, file=sys.stderr))
sys.settrace(trace)
"""
"""Sends SIGINT at a moment: a call of any function, or a line of the command's own frame. With no
moment to send it, prints how many there are, without the call that prints this."""


@posix
@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("command", [[sys.executable, "-m", "wwho"], [WWHO]])
def test_ctrl_c_prints_nothing_at_any_moment(command: list[str], tmp_path: Path) -> None:
    """From the package's first lines on, which Python runs before its command, to the last one."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT, "utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    def run(moment: int) -> subprocess.CompletedProcess[bytes]:
        """Run a short command, with SIGINT at one of its moments, from 1 on; at none for 0."""
        return subprocess.run(
            [*command, "count", "--model", "r50k_base"],
            input=b"hello",
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path, "MOMENT": str(moment)},
            check=False,
        )

    whole = run(0)
    assert whole.returncode == 0
    last = int(whole.stderr)
    assert last > 1000
    for moment in {1, 2, *range(5, last, last // 6), *range(last - 6, last + 1)}:
        done = run(moment)
        assert (moment, done.stderr) == (moment, b"")
        assert done.returncode in (130, -signal.SIGINT)
