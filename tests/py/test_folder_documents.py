"""Folders with a tokenizer.json whose class builds its own tokenizer around the vocabulary."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import oracle
import pytest

pytest.importorskip("sentencepiece", reason="needs sentencepiece")
pytest.importorskip("transformers", reason="needs transformers")
sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import folder_files
import transformers
from folder_judge import assert_same_as_auto_tokenizer
from transformers.models.auto.tokenization_auto import tokenizer_class_from_name

import wwho
from wwho.errors import WwhoError
from wwho.hf import WWHOTokenizer
from wwho.importers import import_file
from wwho.importers.transformers.class_document import AS_IT_IS
from wwho.importers.transformers.classes import CLASSES, RECORD
from wwho.importers.transformers.same_document import differing

AUTO = transformers.AutoTokenizer
BUILD = sorted(name for name, each in CLASSES.items() if each.rebuild and each.read)
FILE = "tokenizer.json"
OTHER = {
    "normalizer": {"type": "Replace", "pattern": {"String": "e"}, "content": "a"},
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": {"type": "Fuse"},
}
"""Components that no class has."""


SETTINGS = {
    "NllbTokenizer": {"extra_special_tokens": ["eng_Latn", "sin_Sinh"]},
    "SeamlessM4TTokenizer": {"extra_special_tokens": ["__eng__", "__fra__"]},
}
"""What settings of a class must say: the languages, which no vocabulary here has."""


def folder_of(name: str, path: Path) -> Path:
    """Write what AutoTokenizer saves of a folder of a class: a tokenizer.json and settings."""
    for seed in range(90):
        files = folder_files.files_of(random.Random(f"{name} {seed}"), name)
        path.mkdir(exist_ok=True)
        for file, data in files.items():
            (path / file).write_bytes(data)
        settings = {"tokenizer_class": name, **SETTINGS.get(name, {})}
        (path / "tokenizer_config.json").write_text(json.dumps(settings))
        try:
            AUTO.from_pretrained(path).save_pretrained(path / "saved")
        except BaseException as error:  # what tokenizers' own code gives is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        if is_read(path / "saved"):
            return path / "saved"
    raise AssertionError(f"no files of {name} are read by transformers and here")


def is_read(folder: Path) -> bool:
    """Return whether a folder can be imported, and it is known what its class builds."""
    try:
        return not any("cannot be told" in note for note in import_file(folder).notes)
    except WwhoError:
        return False


def change(folder: Path, **parts: Any) -> None:
    """Put other components into the tokenizer.json of a folder."""
    document = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**document, **parts}, ensure_ascii=False))


def test_the_classes_that_build() -> None:
    """They are those that have code of their own; see `convert_to_native_format`."""
    backend = transformers.TokenizersBackend
    for name, each in CLASSES.items():
        theirs = tokenizer_class_from_name(name)
        if theirs is None or not issubclass(theirs, backend):
            assert each.rebuild is None
            continue
        builds = "__init__" in vars(theirs) and theirs is not backend
        assert builds != (name in AS_IT_IS), name
        assert each.rebuild is not None or each.refusal or not builds, name


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILD)
def test_a_file_with_other_components(name: str, tmp_path: Path) -> None:
    folder = folder_of(name, tmp_path / "made")
    change(folder, **OTHER)
    assert_same_as_auto_tokenizer(folder)
    told = import_file(folder).notes
    assert any("of transformers 5.24 builds" in note and "normalizer" in note for note in told)
    as_it_is = WWHOTokenizer.from_pretrained(folder / FILE)
    text = "the lower newest"
    assert as_it_is(text)["input_ids"] != WWHOTokenizer.from_pretrained(folder)(text)["input_ids"]


def test_a_file_that_says_what_the_class_builds(tmp_path: Path) -> None:
    folder = folder_of("BertTokenizer", tmp_path / "made")
    imported = import_file(folder)
    assert not any("builds" in note for note in imported.notes)
    assert imported.engine.startswith("tokenizers")


def test_a_file_that_the_class_cannot_read(tmp_path: Path) -> None:
    """The file is taken as it is, with a note."""
    folder = folder_of("GPT2Tokenizer", tmp_path / "made")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["tokenizer_class"] = "T5Tokenizer"
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (note, *_) = import_file(folder).notes
    assert "T5Tokenizer of transformers 5.24 does not take tokenizer.json as it is" in note
    assert "expected tokens with their scores" in note


BPE = {"type": "BPE", "vocab": {"a": 0}, "merges": []}


def test_two_files_that_say_the_same() -> None:
    cuts = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    made = {
        "model": {**BPE, "dropout": None, "end_of_word_suffix": ""},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [cuts]},
        "added_tokens": [],
    }
    given = {
        "model": {**BPE, "end_of_word_suffix": None},
        "decoder": {"type": "ByteLevel", "trim_offsets": False},
        "pre_tokenizer": {"type": "Metaspace"},
    }
    assert differing(made, given) is None
    assert differing({**made, "normalizer": {"type": "NFC"}}, given) == ["normalizer"]
    assert differing({**made, "model": {**BPE, "unk_token": "a"}}, given) == ["model"]
    assert differing({**made, "model": {**BPE, "merges": [["a", "a"]]}}, given) == ["merges"]


def test_scores_that_are_rounded_otherwise() -> None:
    """They make another model, of which there is nothing to say."""
    one, two = ({"model": {"type": "Unigram", "vocab": [["a", score]]}} for score in (-0.1, -0.2))
    assert differing(one, two) == []


@pytest.mark.parametrize("name", ["ByT5Tokenizer", "CanineTokenizer"])
def test_a_class_that_reads_no_tokenizer_json(name: str, tmp_path: Path) -> None:
    folder = folder_of("BertTokenizer", tmp_path)
    document = json.loads((folder / FILE).read_text("utf-8")) | {"added_tokens": []}
    (folder / FILE).write_text(json.dumps(document))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}))
    ours = wwho.Tokenizer.from_file(folder)
    expected = AUTO.from_pretrained(folder)("a \u00e9")["input_ids"]
    assert ours.encode("a \u00e9", add_special_tokens=True) == expected


def test_a_program_beside_a_tokenizer_json_is_named(tmp_path: Path) -> None:
    folder = folder_of("BertTokenizer", tmp_path)
    settings = {"tokenizer_class": "FooTokenizer", "auto_map": {"AutoTokenizer": ["a.Foo", None]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    assert any(note.startswith("auto_map: ") for note in import_file(folder).notes)


def test_an_imported_folder_knows_its_class(tmp_path: Path) -> None:
    made = import_file(folder_of("BertTokenizer", tmp_path)).artifact
    assert json.loads(made.provenance[RECORD])["class"] == "BertTokenizer"
