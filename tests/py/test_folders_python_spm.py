"""Folders of classes in Python over a SentencePiece model: what their class makes of them."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from folder_judge import WORDS, assert_same_as_auto_tokenizer

from wwho.errors import SourceError
from wwho.importers import import_file
from wwho.importers.transformers import python_spm

sentencepiece = pytest.importorskip("sentencepiece", reason="needs sentencepiece")

LINES = [" ".join(WORDS)] * 3 + [
    "the lower and the newest words are wide, and newer ones lower still",
    "නව පාසල් දරුවන්ගේ පොත් අලුත් ය",
    "हिन्दी में नए शब्द और पुराने शब्द",
    "new lower words: 1,234 and 5.6 are numbers; U.S. is none",
] * 8
OPTIONS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "vocab_size": 280, "character_coverage": 0.98},
    "bpe": {"model_type": "bpe", "vocab_size": 300, "character_coverage": 0.98},
    "bytes": {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True,
              "normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "user": {"model_type": "unigram", "vocab_size": 300, "user_defined_symbols": ["<x>", "lower"],
             "control_symbols": ["<ctl>"], "normalization_rule_name": "nmt_nfkc_cf"},
    "merged": {"model_type": "bpe", "vocab_size": 330, "user_defined_symbols": ["<x>", "lower"],
               "control_symbols": ["<ctl>"]},
    "char": {"model_type": "char", "vocab_size": 120},
}  # fmt: skip
"""How the models are trained, by name."""


@pytest.fixture(scope="module")
def models() -> dict[str, bytes]:
    """The models by the names of `OPTIONS`."""
    made = {}
    for name, options in OPTIONS.items():
        file = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES),
            model_writer=file,
            minloglevel=2,
            hard_vocab_limit=False,
            num_threads=1,
            **options,
        )
        made[name] = file.getvalue()
    return made


def _folder(folder: Path, name: str, files: Mapping[str, Any], **settings: Any) -> Path:
    """Write files and a tokenizer_config.json into a folder, which is returned."""
    folder.mkdir(exist_ok=True)
    config = {"tokenizer_class": name, **settings}
    for file, content in {**files, "tokenizer_config.json": config}.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / file).write_bytes(data)
    return folder


def _settings(chance: random.Random) -> dict[str, Any]:
    """Return settings that change what a class makes of its files."""
    settings: dict[str, Any] = {"model_max_length": chance.choice([64, 512])}
    if chance.random() < 0.4:
        settings["mask_token"] = chance.choice(["<m>", "lower"])
    if chance.random() < 0.4:
        settings["image_token"] = "<image>"
    if chance.random() < 0.5:
        settings["extra_special_tokens"] = chance.sample(["<a>", "<b>", "newest", "</s>"], 2)
    if chance.random() < 0.4:
        settings["padding_side"] = "left"
    if chance.random() < 0.4:
        settings["clean_up_tokenization_spaces"] = True
    if chance.random() < 0.5:
        flags = {"lstrip": chance.random() < 0.5, "rstrip": chance.random() < 0.5}
        settings["added_tokens_decoder"] = {
            "9999": {"content": "words", "special": False, **flags},
            "9998": {"content": "<z>", "special": True, **flags},
        }
    return settings


@pytest.mark.parametrize("name", python_spm.RECIPES)
def test_a_class_with_numbers_of_pieces(
    name: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    chance = random.Random(f"folders of {name}")
    (file,) = python_spm.CLASSES[name].files
    for turn, kind in enumerate(OPTIONS):
        settings = _settings(chance) if turn % 2 else {}
        folder = _folder(tmp_path / kind, name, {file: models[kind]}, **settings)
        assert_same_as_auto_tokenizer(folder, seed=turn, more=["<x>", "<ctl>", "words <z>", "<a>"])


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("SpeechT5Tokenizer", {"normalize": True}, "normalize: found true, which writes numbers"),
        ("BertGenerationTokenizer", {"legacy": False}, "legacy: found false, expected true"),
        ("BertGenerationTokenizer", {"sp_model_kwargs": {"alpha": 0.1}}, "cut by chance"),
    ],
)
def test_settings_that_are_refused(
    name: str, settings: dict[str, Any], message: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    (file,) = python_spm.CLASSES[name].files
    folder = _folder(tmp_path, name, {file: models["unigram"]}, **settings)
    with pytest.raises(SourceError, match=message):
        import_file(folder)
