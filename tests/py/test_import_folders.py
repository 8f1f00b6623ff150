"""`wwho import` of a model's folder: by its class, by one file, and judged by AutoTokenizer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import wwho
from wwho.errors import SourceError
from wwho.importers import import_file

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
pytest.importorskip("transformers", reason="needs transformers")

if TYPE_CHECKING:
    from tests.conftest import Cli


@pytest.fixture
def roberta(tmp_path: Path) -> Path:
    """A folder with RoBERTa's files, as published: no tokenizer.json, and no tokenizer_class."""
    made = tokenizers.ByteLevelBPETokenizer()
    made.train_from_iterator(
        ["the quick brown fox, the lazy dog's 12 tails"] * 9,
        vocab_size=320,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    )
    folder = tmp_path / "roberta"
    folder.mkdir()
    made.save_model(str(folder))
    (folder / "config.json").write_text('{"model_type": "roberta"}', "utf-8")
    return folder


def test_the_class_decides(cli: Cli, roberta: Path, tmp_path: Path) -> None:
    done = cli("import", roberta, "-o", tmp_path / "a.wwho", "--check", "--json")
    found = json.loads(done.out)
    assert (done.code, found["check"]["different"]) == (0, 0)
    assert "AutoTokenizer: RobertaTokenizer" in found["check"]["engine"]
    assert found["kind"] == "a folder of RobertaTokenizer"
    enc = wwho.Tokenizer.load(tmp_path / "a.wwho")
    ids = enc.encode("the fox", add_special_tokens=True)
    assert (ids[0], ids[-1]) == (0, 2)


def test_one_file_as_it_is(cli: Cli, roberta: Path, tmp_path: Path) -> None:
    """The ids are GPT-2's, which the model does not mean; the report and the model say so."""
    done = cli("import", roberta, "--as", "vocab.json", "-o", tmp_path / "a.wwho", "--check")
    assert done.code == 0
    assert "vocab.json alone was taken as it is" in done.out.decode()
    enc = wwho.Tokenizer.load(tmp_path / "a.wwho")
    assert enc.info.provenance["as"] == "vocab.json"
    assert enc.encode("the fox", add_special_tokens=True)[0] != 0
    done = cli("import", roberta, "--as", "none.json", "-o", tmp_path / "b.wwho")
    assert done.code == 1
    assert "has no file none.json" in done.err


@pytest.fixture
def lower(roberta: Path, tmp_path: Path) -> Path:
    """The folder of a RoBERTa whose tokenizer.json makes lower case, as the class does not."""
    theirs = tokenizers.Tokenizer.from_str(
        tokenizers.ByteLevelBPETokenizer(
            str(roberta / "vocab.json"), str(roberta / "merges.txt"), lowercase=True
        ).to_str()
    )
    folder = tmp_path / "lower"
    shutil.copytree(roberta, folder)
    theirs.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "RobertaTokenizer"}')
    return folder


def test_what_a_class_builds_of_a_tokenizer_json(cli: Cli, lower: Path, tmp_path: Path) -> None:
    done = cli("import", lower, "-o", tmp_path / "a.wwho", "--check")
    told = done.out.decode()
    assert done.code == 0, told
    assert "RobertaTokenizer of transformers 5.24 builds normalizer" in told
    assert "ids as transformers 5.24 gives them" in told
    done = cli("import", lower, "--as", "tokenizer.json", "-o", tmp_path / "b.wwho", "--check")
    assert done.code == 0
    assert "ids as tokenizers 0.23.3 gives them" in done.out.decode()
    anew, alone = (wwho.Tokenizer.load(tmp_path / name) for name in ("a.wwho", "b.wwho"))
    assert anew.encode("THE") != alone.encode("THE") == alone.encode("the")


def test_a_difference_is_printed(cli: Cli, lower: Path, tmp_path: Path) -> None:
    """A class that builds what is not known here."""
    (lower / "tokenizer_config.json").write_text('{"tokenizer_class": "EsmcTokenizer"}')
    done = cli("import", lower, "-o", tmp_path / "a.wwho", "--check")
    assert done.code == 1
    told = done.out.decode()
    assert "EsmcTokenizer of transformers 5.24 does not take tokenizer.json as it is" in told
    assert "EsmcTokenizer builds its own normalizer and pre-tokenizer" in told


def test_options_that_say_nothing(cli: Cli, roberta: Path, tmp_path: Path) -> None:
    done = cli("import", roberta, "--pattern", "a|b", "-o", tmp_path / "a.wwho")
    assert done.code == 1
    assert "'pattern' says nothing to a folder of RobertaTokenizer" in done.err


def test_a_program_of_its_own_is_never_run(cli: Cli, roberta: Path, tmp_path: Path) -> None:
    settings = {"tokenizer_class": "GPT2Tokenizer", "auto_map": {"AutoTokenizer": ["a.B", None]}}
    (roberta / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    done = cli("import", roberta, "-o", tmp_path / "a.wwho")
    assert done.code == 1
    assert "auto_map: the folder's tokenizer is a program of its own" in done.err


def test_a_file_that_is_whole_needs_no_class(tmp_path: Path) -> None:
    """As folders with a class of their own have it."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "OwnTokenizer"}', "utf-8")
    (folder / "own.tiktoken").write_bytes(b"IQ== 0\n")
    with pytest.raises(SourceError, match="names no pretokenizer"):
        import_file(folder)
