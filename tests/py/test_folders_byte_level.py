"""Folders with vocab.json and merges.txt: what their class makes of them."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from folder_judge import (
    WORDS,
    assert_same_as_auto_tokenizer,
    assert_same_document,
    tokenizers,
    transformers,
)

from wwho.errors import SourceError
from wwho.importers import import_file
from wwho.importers.transformers.byte_level import ALIASES, CLASSES, RECIPES, WHISPER_LANGUAGES

OF_WORDS = ("HerbertTokenizer", "OpenAIGPTTokenizer")
BYTE_LEVEL = [name for name in RECIPES if name not in ("CLIPTokenizer", *OF_WORDS)]
LINES = [" ".join(WORDS)] * 4 + ["low lower lowest, new newer newest; don't we'll 12 345"] * 9
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", "<|startoftext|>")
WHISPER = (
    "<|startoftranscript|>",
    *(f"<|{code}|>" for code in WHISPER_LANGUAGES),
    *("<|translate|>", "<|transcribe|>", "<|notimestamps|>"),
)


@pytest.fixture(scope="module")
def byte_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a byte-level BPE."""
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return _trained(theirs, tmp_path_factory.mktemp("bytes"), "")


@pytest.fixture(scope="module")
def word_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a BPE whose words end in </w>."""
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(unk_token="<unk>", end_of_word_suffix="</w>")
    )
    theirs.normalizer = tokenizers.normalizers.BertNormalizer()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return _trained(theirs, tmp_path_factory.mktemp("words"), "</w>")


@pytest.fixture(scope="module")
def clip_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a byte-level BPE whose words end in </w>."""
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(end_of_word_suffix="</w>"))
    theirs.normalizer = tokenizers.normalizers.Lowercase()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return _trained(theirs, tmp_path_factory.mktemp("clip"), "</w>")


def _trained(theirs: Any, folder: Path, suffix: str) -> Path:
    """Train a tokenizer on `LINES`, and write its files into a folder, which is returned."""
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=list(SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        end_of_word_suffix=suffix,
        show_progress=False,
    )
    theirs.train_from_iterator(LINES, trainer)
    theirs.model.save(str(folder))
    return folder


def _folder(files: Path, folder: Path, **settings: Any) -> Path:
    """Copy files into a folder, and write a tokenizer_config.json."""
    shutil.copytree(files, folder, dirs_exist_ok=True)
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return folder


def _random_settings(chance: random.Random, name: str) -> dict[str, Any]:
    """Return settings that change what a class makes of its files."""
    settings: dict[str, Any] = {"tokenizer_class": name}
    for option in ("add_prefix_space", "trim_offsets", "add_bos_token", "add_eos_token"):
        if chance.random() < 0.4:
            settings[option] = chance.random() < 0.5
    if chance.random() < 0.3:
        settings["mask_token"] = chance.choice(["<mask>", "[MASK]", "low"])
    if chance.random() < 0.3:
        settings["pad_token"] = chance.choice(["<pad>", "<|pad|>", None])
    if chance.random() < 0.3:
        key = chance.choice(["extra_special_tokens", "additional_special_tokens"])
        settings[key] = chance.sample(["<x>", "<y>", "new", "<s>"], 2)
    if chance.random() < 0.2:
        settings["image_token"] = "<image>"
    if chance.random() < 0.4:
        flags = ("lstrip", "rstrip", "single_word", "normalized", "special")
        settings["added_tokens_decoder"] = {
            str(number): {
                "content": content,
                **{flag: chance.random() < 0.4 for flag in flags},
            }
            for number, content in chance.choice(
                [((0, "<s>"), (700, "<new>")), ((4, "<mask>"), (3, "<unk>")), ((900, "wide"),)]
            )
        }
    return settings


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_a_byte_level_class(name: str, byte_files: Path, tmp_path: Path) -> None:
    files = byte_files
    if name == "WhisperTokenizer":
        files = tmp_path / "files"
        shutil.copytree(byte_files, files)
        vocab = json.loads((files / "vocab.json").read_text("utf-8"))
        vocab |= {text: len(vocab) + number for number, text in enumerate(WHISPER)}
        (files / "vocab.json").write_text(json.dumps(vocab), "utf-8")
    plain = _folder(files, tmp_path / "plain", tokenizer_class=name)
    assert_same_document(plain)
    assert_same_as_auto_tokenizer(plain)
    chance = random.Random(f"folders of {name}")
    for number in range(3):
        settings = _random_settings(chance, name)
        if name == "WhisperTokenizer":
            settings |= {"language": chance.choice(["german", "en", None]), "task": "translate"}
        folder = _folder(files, tmp_path / str(number), **settings)
        assert_same_document(folder)
        assert_same_as_auto_tokenizer(folder, seed=number)


@pytest.mark.parametrize("name", OF_WORDS)
def test_a_class_of_words(name: str, word_files: Path, tmp_path: Path) -> None:
    folder = _folder(word_files, tmp_path, tokenizer_class=name)
    assert_same_document(folder)
    assert_same_as_auto_tokenizer(folder)


def test_qwen_adds_its_tokens_by_their_texts(byte_files: Path, tmp_path: Path) -> None:
    token = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "normalized": True}
    settings = {"tokenizer_class": "Qwen2Tokenizer", "sep_token": token}
    folder = _folder(byte_files, tmp_path, **settings)
    ours, theirs = assert_same_as_auto_tokenizer(folder, more=["b <mask> x"])
    number = theirs.convert_tokens_to_ids("<mask>")
    assert ours.added_tokens_decoder[number] == theirs.added_tokens_decoder[number]
    assert_same_document(folder)


def test_clip(clip_files: Path, tmp_path: Path) -> None:
    folder = _folder(clip_files, tmp_path, tokenizer_class="CLIPTokenizer")
    # What the class does to decoded text is a step of ours.
    assert_same_document(folder, but=["decoder"])
    assert_same_as_auto_tokenizer(folder)


@pytest.mark.parametrize("name", ALIASES)
def test_an_older_name(name: str, byte_files: Path, tmp_path: Path) -> None:
    folder = _folder(byte_files, tmp_path, tokenizer_class=name)
    assert_same_document(folder)


@pytest.mark.parametrize("kind", ["roberta", "bart", "whisper_", "gpt2"])
def test_the_kind_of_model_names_the_class(kind: str, byte_files: Path, tmp_path: Path) -> None:
    shutil.copytree(byte_files, tmp_path, dirs_exist_ok=True)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}), "utf-8")
    if kind.endswith("_"):  # which is no kind: what lies there is taken, and said
        assert "GPT-2's was taken" in import_file(tmp_path).notes[0]
    else:
        assert_same_document(tmp_path)


def test_tokens_of_older_files(byte_files: Path, tmp_path: Path) -> None:
    folder = _folder(byte_files, tmp_path, tokenizer_class="RobertaTokenizer")
    (folder / "added_tokens.json").write_text('{"<new>": 900, "<mask2>": 901}', "utf-8")
    roles = {
        "mask_token": {"content": "<mask2>", "lstrip": True, "rstrip": False, "normalized": False},
        "cls_token": "<|startoftext|>",
    }
    (folder / "special_tokens_map.json").write_text(json.dumps(roles), "utf-8")
    assert_same_document(folder)
    assert_same_as_auto_tokenizer(folder)
    assert any("900" in note for note in import_file(folder).notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"add_prefix_space": "yes"}, "add_prefix_space: found"),
        ({"mask_token": 7}, "mask_token: found 7"),
        ({"added_tokens_decoder": {"x": {"content": "a"}}}, "an id: found"),
        ({"added_tokens_decoder": {"1": {"content": "a", "shiny": True}}}, "shiny"),
        ({"extra_special_tokens": 3}, "extra_special_tokens: found 3"),
        ({"sep_token": None}, "there is no sep_token"),
    ],
)
def test_settings_that_are_none(
    settings: dict[str, Any], message: str, byte_files: Path, tmp_path: Path
) -> None:
    folder = _folder(byte_files, tmp_path, tokenizer_class="RobertaTokenizer", **settings)
    with pytest.raises(SourceError, match=message):
        import_file(folder)


@pytest.mark.parametrize("name", [name for name, each in CLASSES.items() if each.read is None])
def test_a_class_that_is_refused(name: str, byte_files: Path, tmp_path: Path) -> None:
    folder = _folder(byte_files, tmp_path, tokenizer_class=name)
    with pytest.raises(SourceError, match=f"{name}, which .* --as FILE"):
        import_file(folder)


def test_the_judge_is_the_one_of_the_table() -> None:
    assert transformers.__version__.startswith("5.24.")
