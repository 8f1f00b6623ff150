"""`wwho import --check`: the model beside the engine whose ids it gives."""

from __future__ import annotations

import base64
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sentencepiece
import tokenizers

from wwho import Tokenizer
from wwho.assemble.base import byte_base
from wwho.backends.select import open_backend
from wwho.encodings import model_bytes
from wwho.errors import BackendError
from wwho.evaluate.check import core_comparison as core
from wwho.evaluate.check.library_comparison import compare_with_library
from wwho.format.read import read_artifact
from wwho.importers import Imported, Options, Source, import_source

CORPUS = ["the quick brown fox, the lazy dog's 12 tails", "ගමේ पानी über"] * 9
SPECIALS = ["[UNK]", "[CLS]", "[SEP]"]


def byte_level() -> Any:
    made = tokenizers.ByteLevelBPETokenizer()
    made.train_from_iterator(CORPUS, vocab_size=330, special_tokens=["<|endoftext|>"])
    return made


def tokenizer_json(folder: Path) -> tuple[Path, Options]:
    made = byte_level()
    made.enable_truncation(3)  # is not obeyed
    made.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json", Options()


def vocab_json(folder: Path) -> tuple[Path, Options]:
    byte_level().save_model(str(folder))
    return folder / "vocab.json", Options()


def vocab_txt(folder: Path) -> tuple[Path, Options]:
    words = [*SPECIALS, *{word for text in CORPUS for word in text.lower().split()}, "##s", "a"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    return folder / "vocab.txt", Options(lowercase=True)


def rank_file(folder: Path) -> tuple[Path, Options]:
    tokens = [*(bytes([byte]) for byte in range(256)), b"th", b"the"]
    lines = (b"%s %d\n" % (base64.b64encode(text), rank) for rank, text in enumerate(tokens))
    (folder / "my.tiktoken").write_bytes(b"".join(lines))
    return folder / "my.tiktoken", Options(pattern="cl100k_base", specials={"<|end|>": 300})


def sentences(folder: Path) -> tuple[Path, Options]:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_writer=written,
        vocab_size=296,
        byte_fallback=True,
        minloglevel=2,
    )
    (folder / "tokenizer.model").write_bytes(written.getvalue())
    return folder / "tokenizer.model", Options()


KINDS = {
    "tokenizer.json": (tokenizer_json, "tokenizers"),
    "vocab.json": (vocab_json, "tokenizers"),
    "vocab.txt": (vocab_txt, "tokenizers"),
    "ranks": (rank_file, "tiktoken"),
    "sentencepiece": (sentences, "sentencepiece"),
}


def opened(kind: str, folder: Path) -> tuple[Source, Options, Imported]:
    path, options = KINDS[kind][0](folder)
    source = Source(path)
    return source, options, import_source(source, options)


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_differs(kind: str, tmp_path: Path) -> None:
    found = compare_with_library(*opened(kind, tmp_path), ["the fox\n"])
    assert found.engine.split()[0] == KINDS[kind][1]
    assert found.texts > 500
    assert found.differences == ()


@pytest.mark.parametrize("kind", KINDS)
def test_other_ids_are_found(kind: str, tmp_path: Path) -> None:
    """Bytes are not the tokens of any of these files."""
    source, options, found = opened(kind, tmp_path)
    differences = compare_with_library(
        source, options, replace(found, artifact=byte_base())
    ).differences
    assert differences
    assert differences[0].what == "ids"


def test_other_text_is_found(tmp_path: Path) -> None:
    source, options, found = opened("vocab.txt", tmp_path)
    artifact = replace(found.artifact, decoder=None)
    differences = compare_with_library(
        source, options, replace(found, artifact=artifact)
    ).differences
    assert {each.what for each in differences} == {"text"}


def test_tekken(tmp_path: Path) -> None:
    package = pytest.importorskip("mistral_common", reason="needs mistral-common")
    path = Path(package.__file__).parent / "data" / "tekken_240911.json"
    source = Source(path)
    assert compare_with_library(source, Options(), import_source(source)).differences == ()


def test_gguf(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="needs llama-cpp-python")
    from test_gguf import gguf, gpt2

    (tmp_path / "x.gguf").write_bytes(gguf(*gpt2()))
    source = Source(tmp_path / "x.gguf")
    assert compare_with_library(source, Options(), import_source(source)).differences == ()


def test_the_command(cli: Any, tmp_path: Path) -> None:
    path, _ = tokenizer_json(tmp_path)
    (tmp_path / "my.txt").write_text("the\nfox\n")
    out = tmp_path / "x.wwho"
    done = cli("import", path, "-o", out, "--check", tmp_path / "my.txt")
    assert done.code == 0
    line = done.out.decode().splitlines()[-1]
    assert line.startswith("compared with tokenizers ")
    assert ": 0 of " in line
    said = json.loads(cli("import", path, "-o", out, "--json", "--check").out)["check"]
    assert said["different"] == 0
    assert said["first"] is None
    assert json.loads(cli("import", path, "-o", out, "--json").out)["check"] is None


def test_the_command_says_what_differs(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = tokenizer_json(tmp_path)
    document = json.loads(path.read_text("utf-8"))

    def from_buffer(_: bytes) -> Any:
        document["normalizer"] = {"type": "Lowercase"}
        return tokenizers.Tokenizer.from_str(json.dumps(document))

    other = SimpleNamespace(Tokenizer=SimpleNamespace(from_buffer=from_buffer))
    monkeypatch.setitem(sys.modules, "tokenizers", other)
    done = cli("import", path, "-o", tmp_path / "x.wwho", "--check")
    assert done.code == 1
    *_, counted, first, here, there = done.out.decode().splitlines()
    assert not counted.endswith(": 0 of")
    assert (first[:10], here[:8], there[:9]) == ("the first:", "ids here", "ids there")
    assert here[10:] != there[11:]


def test_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = opened("sentencepiece", tmp_path)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(BackendError, match="is not installed: pip install sentencepiece"):
        compare_with_library(*given)
    lines = b"".join(b"%d %r 1\n" % (byte + 1, bytes([byte])) for byte in range(256))
    source = Source("rwkv_vocab.txt", lines)
    with pytest.raises(BackendError, match="no library on PyPI runs"):
        compare_with_library(source, Options(), import_source(source))


def test_the_core_beside_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference names the text; without a core there is nothing to compare."""
    artifact = read_artifact(model_bytes("r50k_base"))
    opened = open_backend(model_bytes("r50k_base"), "reference")
    monkeypatch.setattr(core, "default_backend", lambda: "native")
    monkeypatch.setattr(core, "open_backend", lambda *_: opened)
    monkeypatch.setattr(core, "make_hard_texts", lambda _: ["ab", " 12", "ab"])
    monkeypatch.setattr(Tokenizer, "from_bytes", lambda *_, **__: None)
    assert core.check_core(artifact) == 2
    encode = opened.encode_with_places

    def one_token_too_few(data: bytes, *options: Any) -> Any:
        return [each[: -1 if data == b" 12" else None] for each in encode(data, *options)]

    monkeypatch.setattr(opened, "encode_with_places", one_token_too_few)
    with pytest.raises(
        BackendError, match=r"the core encodes ' 12' otherwise than FORMAT\.md says"
    ):
        core.check_core(artifact)
    monkeypatch.setattr(core, "default_backend", lambda: "reference")
    assert core.check_core(artifact) == 0
