"""The command of the npm package: what it prints, and its exit codes, are those of Python's."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaged import ROOT, missing

if TYPE_CHECKING:
    from tests.conftest import Cli

TEXT = "ඔයා 1 special अद्भुत <|endoftext|>\n" * 300
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
DOCUMENT: dict[str, Any] = {
    "version": "1.0",
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": LEVEL,
    "post_processor": None,
    "decoder": LEVEL,
    "model": {
        "type": "BPE",
        "vocab": {"a": 0, "b": 1, "ab": 2, "\u0120": 3},
        "merges": [["a", "b"]],
    },
}
SETTINGS = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "chat_template": "{{ messages[0].content }}",
}


@pytest.fixture
def command(project: Path) -> Path:
    """The program that npm has installed."""
    return project / "node_modules" / ".bin" / "wwho"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files to read, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    (tmp_path / "b.txt").write_bytes(TEXT.encode()[:1001] + b"\xff")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n', "utf-8")
    (tmp_path / "tokenizer.json").write_text(json.dumps(DOCUMENT), "utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(SETTINGS), "utf-8")
    return tmp_path


def run(*command: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a program, and return what it printed, whatever its exit code is."""
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ("a.txt",),
        ("a.txt", "b.txt", "empty.txt"),
        ("--json", "a.txt", "b.txt"),
        ("--model", "gpt2", "a.txt", "-"),
        ("--allowed-special", "all", "a.txt"),
        ("--allowed-special", "<|endoftext|>", "--json"),
        ("--model", f"{ROOT}/tests/vectors/tiny.wwho", "a.txt"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_counts_are_printed_as_python_prints_them(
    command: Path, cli: Cli, arguments: tuple[str, ...]
) -> None:
    ours = run(command, "count", *arguments, stdin=TEXT.encode())
    python = cli("count", *arguments, stdin=TEXT.encode())
    assert (ours.returncode, ours.stderr, python.code) == (0, b"", 0)
    if "--json" in arguments:
        assert json.loads(ours.stdout) == json.loads(python.out)
    else:
        assert ours.stdout == python.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "expected a command, count or import, got none"),
        (("encode",), "expected a command, count or import, got encode"),
        (("count", "--lined", "a.txt"), "'--lined'"),
        (("count", "none.txt"), "none.txt: no such file"),
        (("count", "a.txt", "."), ".: illegal operation on a directory"),
        (("count", "a.txt", "a.jsonl"), "a.jsonl: expected plain text, not .jsonl"),
        (("count", "--model", "nope", "a.txt"), "no encoding and no file 'nope'"),
        (("count", "--model", "a.txt", "a.txt"), "a.txt: not a valid .wwho file (MAGIC)"),
        (("count", "--allowed-special", "<x>", "a.txt"), '"<x>"'),
        (("import",), "takes one file"),
        (("import", "tokenizer.json", "-o", "tokenizer.json"), "is a file that is read"),
        (("import", "tokenizer.json", "--special", "a"), "expected TEXT=ID"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("folder")
def test_errors_are_one_line_with_the_exit_code_of_python(
    command: Path, cli: Cli, arguments: tuple[str, ...], says: str
) -> None:
    found = run(command, *arguments)
    errors = found.stderr.decode()
    assert errors.startswith("wwho: ")
    assert errors.count("\n") == 1
    assert says in errors
    assert found.stdout == b""
    # What Python's command has besides: other commands, folders, and forms of files.
    more = {("encode",): 2, ("count", "a.txt", "."): 1, ("count", "a.txt", "a.jsonl"): 1}
    expected = more.get(arguments) or cli(*arguments).code
    assert found.returncode == expected > 0


def test_help_and_version(command: Path, cli: Cli) -> None:
    helped = run(command, "--help")
    assert helped.returncode == 0
    assert b"usage: wwho" in helped.stdout
    assert helped.stdout == run(command, "count", "--help").stdout
    # Python's line goes on with its version and platform.
    assert run(command, "--version").stdout.split() == cli("--version").out.split()[:2]


@pytest.mark.usefixtures("folder")
def test_a_closed_pipe_is_silent(command: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    found = subprocess.run(
        [command, "count", "a.txt"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (found.returncode, found.stderr) == (141, b"")


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_silent(command: Path) -> None:
    process = subprocess.Popen(
        [command, "count"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(TEXT.encode() * 100)  # more than the pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert process.communicate() == (b"", b"")


@pytest.mark.slow
def test_an_import_writes_the_file_of_python(command: Path, cli: Cli, folder: Path) -> None:
    """With the settings beside the tokenizer; from Pyodide in node_modules of the user's folder."""
    pyodide = ROOT / "tests" / "pyodide" / "node_modules" / "pyodide-314"
    if not pyodide.is_dir():
        missing("Pyodide", "npm ci in tests/pyodide")
    without = run(command, "import", "tokenizer.json")
    assert without.returncode == 1
    assert b"npm install pyodide" in without.stderr
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "pyodide").symlink_to(pyodide.resolve())
    readme = (ROOT / "web" / "package" / "README.md").read_text("utf-8")
    (block,) = re.findall(r"^```sh npx\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    imports, counts = (line.removeprefix("npx wwho ").split() for line in block.splitlines())
    ours = run(command, *imports)
    assert (ours.returncode, ours.stderr) == (0, b"")
    assert ours.stdout.startswith(b"my.wwho: ")
    made = (folder / "my.wwho").read_bytes()
    assert b"messages[0].content" in made
    assert cli(*imports).code == 0
    assert (folder / "my.wwho").read_bytes() == made
    for name in ("README.md", "LICENSE"):
        (folder / name).write_text("ab b", "utf-8")
    lines = b"           3  README.md\n           3  LICENSE\n           6  total\n"
    assert run(command, *counts).stdout == lines


def test_the_files_beside_a_tokenizer_are_those_that_python_reads() -> None:
    named = re.compile(r'\b(?:json_)?beside\("([^"]+)"')
    sources = (ROOT / "py" / "wwho" / "importers").rglob("*.py")
    read = {name for path in sources for name in named.findall(path.read_text("utf-8"))}
    program = (ROOT / "web" / "package" / "bin" / "wwho.js").read_text("utf-8")
    (listed,) = re.findall(r"const COMPANIONS = (\[.*?\]);", program, re.DOTALL)
    assert {*json.loads(listed)} == read | {"tokenizer_config.json"}
