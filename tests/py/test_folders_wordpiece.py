"""Folders with a vocab.txt: what their class makes of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from folder_judge import (
    WORDS,
    assert_same_as_auto_tokenizer,
    assert_same_document,
    texts_of,
    tokenizers,
    transformers,
)

from wwho.errors import SourceError
from wwho.hf import WWHOTokenizer
from wwho.importers import import_file
from wwho.importers.transformers.wordpiece import ALIASES, CLASSES, RECIPES

SPECIAL = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<unk>", "<pad>", "<cls>", "<sep>", "<mask>"),
    *("<s>", "</s>", "[QUESTION]", "."),
)


@pytest.fixture(scope="module")
def vocabulary() -> str:
    """The text of a vocab.txt that was trained on `WORDS`."""
    theirs = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=400, special_tokens=list(SPECIAL), show_progress=False
    )
    theirs.train_from_iterator([" ".join(WORDS).replace("日本語 ", "")] * 4, trainer)
    pieces = theirs.get_vocab()
    return "".join(f"{text}\n" for text in sorted(pieces, key=pieces.__getitem__))


def _folder(folder: Path, vocabulary: str, **settings: Any) -> Path:
    """Write a vocab.txt and a tokenizer_config.json into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text(vocabulary, "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return folder


def _random_settings(chance: random.Random, name: str) -> dict[str, Any]:
    """Return settings that change what a class makes of its file."""
    settings: dict[str, Any] = {"tokenizer_class": name}
    for option in ("do_lower_case", "strip_accents", "tokenize_chinese_chars", "clean_text"):
        if chance.random() < 0.5:
            settings[option] = chance.random() < 0.5
    if chance.random() < 0.3:
        settings["padding_side"] = "left"
    if chance.random() < 0.3:
        settings["unk_token"] = "[MASK]"
    if chance.random() < 0.3:
        settings["mask_token"] = {"__type": "AddedToken", "content": "<m>", "lstrip": True}
    if chance.random() < 0.4:
        settings["extra_special_tokens"] = chance.sample(["[E1]", "low", "[E2]", "[SEP]"], 2)
    if chance.random() < 0.4:
        settings["added_tokens_decoder"] = {
            "2": {"content": "[CLS]", "special": True, "rstrip": chance.random() < 0.5},
            "999": {"content": "newest", "special": False, "single_word": chance.random() < 0.5},
        }
    return settings


@pytest.mark.parametrize("name", RECIPES)
def test_a_class(name: str, vocabulary: str, tmp_path: Path) -> None:
    plain = _folder(tmp_path / "plain", vocabulary, tokenizer_class=name)
    assert_same_document(plain)
    assert_same_as_auto_tokenizer(plain)
    chance = random.Random(f"folders of {name}")
    for number in range(3):
        settings = _random_settings(chance, name)
        folder = _folder(tmp_path / str(number), vocabulary, **settings)
        assert_same_document(folder)
        assert_same_as_auto_tokenizer(folder, seed=number)


@pytest.mark.parametrize("name", ALIASES)
def test_an_older_name(name: str, vocabulary: str, tmp_path: Path) -> None:
    assert_same_document(_folder(tmp_path, vocabulary, tokenizer_class=name))


def test_lines_that_come_twice(vocabulary: str, tmp_path: Path) -> None:
    lines = vocabulary.split("\n")
    lines.insert(40, lines[60])
    folder = _folder(tmp_path, "\n".join(lines), tokenizer_class="BertTokenizer")
    assert_same_document(folder)
    theirs, ours = transformers.AutoTokenizer.from_pretrained(folder), WWHOTokenizer(folder)
    for text in texts_of(42):
        assert ours(text)["input_ids"] == theirs(text)["input_ids"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"do_lower_case": 1}, "do_lower_case: found 1, expected true or false"),
        ({"strip_accents": "no"}, "strip_accents: found"),
        ({"cls_token": None}, "there is no cls_token"),
    ],
)
def test_settings_that_are_none(
    settings: dict[str, Any], message: str, vocabulary: str, tmp_path: Path
) -> None:
    folder = _folder(tmp_path, vocabulary, tokenizer_class="BertTokenizer", **settings)
    with pytest.raises(SourceError, match=message):
        import_file(folder)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (
            [{"normalized": True, "special": True}, {"special": True}],
            "'normalized' true and then false",
        ),
        ([{"special": True}, {"special": False}], "'special' true and then false"),
    ],
)
def test_a_token_that_is_given_twice(
    tokens: list[dict[str, Any]], message: str, vocabulary: str, tmp_path: Path
) -> None:
    given = [
        {"__type": "AddedToken", "content": "[X]", "normalized": False, **each} for each in tokens
    ]
    settings = {"tokenizer_class": "BertTokenizer", "extra_special_tokens": given}
    with pytest.raises(SourceError, match=message):
        import_file(_folder(tmp_path, vocabulary, **settings))
    assert_same_as_auto_tokenizer(
        _folder(tmp_path, vocabulary, **settings | {"extra_special_tokens": given[::-1]})
    )
    # Where the normalizer leaves the text as it is, it says nothing that it was normalized.
    if given[0]["normalized"]:
        assert_same_as_auto_tokenizer(
            _folder(tmp_path, vocabulary, do_lower_case=False, **settings)
        )


@pytest.mark.parametrize("name", [name for name, each in CLASSES.items() if each.read is None])
def test_a_class_that_is_refused(name: str, vocabulary: str, tmp_path: Path) -> None:
    folder = _folder(tmp_path, vocabulary, tokenizer_class=name)
    with pytest.raises(SourceError, match=f"{name}, which .* --as FILE"):
        import_file(folder)
