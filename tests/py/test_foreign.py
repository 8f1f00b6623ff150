"""Files of other libraries in the place of a `.wwho`: the error says whose, and what to do."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers
from tiny import paper_document
from tokenizers import models

from wwho.encodings import model_bytes
from wwho.errors import ArtifactError
from wwho.tokenizer import Tokenizer

ROOT = Path(__file__).resolve().parents[2]


def sentence_piece() -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the quick brown fox", "jumps over the lazy dog"] * 20),
        model_writer=model,
        vocab_size=30,
        minloglevel=2,
    )
    return model.getvalue()


def tokenizer_json() -> bytes:
    return tokenizers.Tokenizer(models.BPE()).to_str(pretty=True).encode()


def ranks() -> bytes:
    return b"".join(b"%s %d\n" % (text, rank) for rank, text in enumerate([b"IQ==", b"Ig=="]))


FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "llama.model": (sentence_piece, "a SentencePiece model; .*wwho import FILE"),
    "tokenizer.json": (tokenizer_json, "a tokenizer.json of Hugging Face; .*wwho import FILE"),
    "x.tiktoken": (ranks, "a tiktoken rank file; .*wwho import FILE"),
    "x.gguf": (lambda: b"GGUF\3\0\0\0" + bytes(16), "a GGUF language model; .*wwho import FILE"),
    "vocab.json": (
        lambda: json.dumps(paper_document()).encode(),
        "a vocab.json of the WWHO paper; .*wwho import FILE",
    ),
    "tokenizer_config.json": (
        lambda: b'{"do_lower_case": true, "unk_token": "[UNK]"}',
        "the settings of a tokenizer; .*take the tokenizer.json beside it",
    ),
    "decoder_config.json": (
        lambda: b'{"added_tokens_decoder": {"0": {"content": "<s>"}}}',
        "the settings of a tokenizer; .*take the tokenizer.json beside it",
    ),
    "sinhala.json": ((ROOT / "schemas" / "sinhala.json").read_bytes, "a schema; .*--schema"),
    "pointer.wwho": (
        lambda: b"version https://git-lfs.github.com/spec/v1\n",
        "a Git LFS pointer; .*git lfs pull",
    ),
    "page.wwho": (lambda: b"<!DOCTYPE html><title>404</title>", "a web page; .*address"),
}


@pytest.fixture(params=FILES)
def file(request: Any, tmp_path: Path) -> tuple[Path, str]:
    """A file, and what is to be said of it."""
    make, said = FILES[request.param]
    path = tmp_path / request.param
    path.write_bytes(make())
    return path, said


def test_python(file: tuple[Path, str]) -> None:
    path, said = file
    ways: tuple[Callable[[], object], ...] = (
        lambda: Tokenizer.load(path),
        lambda: Tokenizer.load(path, backend="reference"),
        lambda: Tokenizer.from_bytes(bytearray(path.read_bytes())),
    )
    for open_it in ways:
        with pytest.raises(ArtifactError, match=f"no .wwho artifact but {said}") as caught:
            open_it()
        assert caught.value.status == "MAGIC"
    with pytest.raises(ArtifactError, match=f"^{path}: MAGIC"):
        Tokenizer.load(path)


@pytest.mark.parametrize(
    "command",
    [
        ["encode", "--model"],
        ["segment", "--model"],
        ["inspect"],
        ["compile", "--schema", "sinhala", "-o", "out.wwho", "--base"],
        ["eval", "--data", "a=a.txt", "-o", "report", "--model"],
    ],
    ids=lambda command: command[0],
)
def test_commands(
    cli: Any, file: tuple[Path, str], command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = file
    monkeypatch.chdir(path.parent)
    Path("a.txt").write_text("a\n")
    result = cli(*command, path)
    assert (result.code, result.out) == (1, b"")
    assert result.err.startswith(f"wwho: {path}: MAGIC: the file is no .wwho artifact but ")
    assert result.err.count("\n") == result.err.count(str(path)) == 1


def test_verify(cli: Any, file: tuple[Path, str]) -> None:
    path, _ = file
    result = cli("verify", path)
    assert result.code == 1
    assert b"FAILED  header, checksum, section table: MAGIC: the file is no .wwho" in result.out


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_javascript_says_the_same(tmp_path: Path) -> None:
    for name, (make, _) in FILES.items():
        (tmp_path / name).write_bytes(make())
    program = """
        import { Tokenizer } from "./web/package/node.js";
        for (const path of process.argv.slice(1)) {
          const error = await Tokenizer.load(path).catch((error) => error);
          console.log(JSON.stringify([error.status, error.message]));
        }
    """
    paths = [str(tmp_path / name) for name in FILES]
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", program, *paths],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    for (make, _), line in zip(FILES.values(), done.stdout.splitlines(), strict=True):
        with pytest.raises(ArtifactError) as caught:
            Tokenizer.from_bytes(make())
        status, message = json.loads(line)
        kind = str(caught.value).partition(" but ")[2].partition(";")[0]
        assert status == "MAGIC"
        assert f"no .wwho artifact but {kind}; " in message, message


def test_a_damaged_artifact_is_not_taken_for_another_file() -> None:
    with pytest.raises(ArtifactError, match="the file begins with 00 57"):
        Tokenizer.from_bytes(b"\0" + model_bytes("cl100k_base")[1:])
