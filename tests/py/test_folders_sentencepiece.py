"""Folders with a SentencePiece model that transformers rebuilds: what their class makes of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from folder_judge import assert_same_as_auto_tokenizer, assert_same_document
from small_sentencepiece import train_models

from wwho.errors import SourceError
from wwho.importers import import_file
from wwho.importers.transformers import generic
from wwho.importers.transformers.spm import CLASSES, RECIPES

OPTIONS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "vocab_size": 300},
    "bpe": {"model_type": "bpe", "vocab_size": 320},
    "bytes": {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True,
              "normalization_rule_name": "identity"},
    "user": {"model_type": "unigram", "vocab_size": 300, "user_defined_symbols": ["<x>", "lower"],
             "control_symbols": ["<ctl>"], "normalization_rule_name": "nmt_nfkc_cf"},
    "padded": {"model_type": "unigram", "vocab_size": 300, "pad_id": 0, "eos_id": 1, "unk_id": 2,
               "bos_id": -1, "normalization_rule_name": "nmt_nfkc"},
    "albert": {"model_type": "unigram", "vocab_size": 300, "pad_id": 0, "unk_id": 1, "bos_id": -1,
               "eos_id": -1, "control_symbols": ["[CLS]", "[SEP]", "[MASK]"]},
    "gemma": {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True, "pad_id": 0,
              "eos_id": 1, "bos_id": 2, "unk_id": 3, "pad_piece": "<pad>", "eos_piece": "<eos>",
              "bos_piece": "<bos>", "user_defined_symbols": ["<mask>", "<start_of_turn>"],
              "normalization_rule_name": "identity", "add_dummy_prefix": False},
}  # fmt: skip
"""How the models are trained, by name."""
KINDS = {
    **dict.fromkeys(RECIPES, ("unigram", "user")),
    **dict.fromkeys(("T5Tokenizer", "LasrTokenizer", "VideoPrismTokenizer"), ("padded", "user")),
    **dict.fromkeys(("AlbertTokenizer", "BigBirdTokenizer", "RemBertTokenizer"), ("albert",)),
    **dict.fromkeys(("DebertaV2Tokenizer", "XLNetTokenizer"), ("albert", "unigram")),
    **dict.fromkeys(("NllbTokenizer", "SeamlessM4TTokenizer", "ReformerTokenizer"), ("bpe",)),
    **dict.fromkeys(("LlamaTokenizer", "CodeLlamaTokenizer", "Tipsv2Tokenizer"), ("bytes",)),
    **dict.fromkeys(("GemmaTokenizer", "Siglip2Tokenizer"), ("gemma", "bytes")),
    "PegasusTokenizer": ("padded",),
    "LasrTokenizer": ("user", "padded"),
}
"""The models that folders of a class are made with."""
LANGUAGES = {
    "NllbTokenizer": ["eng_Latn", "sin_Sinh", "hin_Deva"],
    "SeamlessM4TTokenizer": ["__eng__", "__fra__", "__hin__"],
}
"""Extra tokens that folders of a class list."""
SET_BY_CALLS = {"SeamlessM4TTokenizer": ("post_processor",)}
"""What a call of the class changes: the template is that of the other language before."""


@pytest.fixture(scope="module")
def models() -> dict[str, bytes]:
    """The models by the names of `OPTIONS`."""
    return train_models(OPTIONS)


def _folder(folder: Path, name: str, model: bytes, **settings: Any) -> Path:
    """Write a model and a tokenizer_config.json into a folder."""
    folder.mkdir(exist_ok=True)
    (file,) = (CLASSES | generic.CLASSES)[name].files
    (folder / file).write_bytes(model)
    config = {"tokenizer_class": name, **settings}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return folder


def _random_settings(chance: random.Random, name: str) -> dict[str, Any]:
    """Return settings that change what a class makes of its file."""
    settings: dict[str, Any] = {}
    options = (
        *("add_prefix_space", "do_lower_case", "keep_accents", "split_by_punct", "legacy"),
        *("add_bos_token", "add_eos_token", "legacy_behaviour"),
    )
    # XLNet and SeamlessM4T know the option, and do nothing of it: it is refused.
    unused = ("keep_accents",) if name in ("XLNetTokenizer", "SeamlessM4TTokenizer") else ()
    for option in options:
        if option not in unused and chance.random() < 0.4:
            settings[option] = chance.random() < 0.5
    if chance.random() < 0.3:
        settings["mask_token"] = chance.choice(["<m>", "lower"])
    if chance.random() < 0.3:
        settings["image_token"] = "<image>"
    if chance.random() < 0.4 and name != "MBart50Tokenizer":  # which adds languages to these
        settings["extra_special_tokens"] = chance.sample(["<a>", "<b>", "newest", "</s>"], 2)
    if chance.random() < 0.3:
        settings["added_tokens_decoder"] = {
            "9999": {"content": "words", "special": False, "single_word": chance.random() < 0.5}
        }
    if chance.random() < 0.3:
        settings["extra_ids"] = 7
    if name in LANGUAGES:
        settings["extra_special_tokens"] = LANGUAGES[name]
        settings["src_lang"] = chance.choice(LANGUAGES[name])
    elif "MBart" in name and chance.random() < 0.5:
        settings["src_lang"] = "si_LK"
    return settings


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_class(name: str, models: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(f"folders of {name}")
    for kind in KINDS[name]:
        needed = {"extra_special_tokens": LANGUAGES[name]} if name in LANGUAGES else {}
        plain = _folder(tmp_path / kind, name, models[kind], **needed)
        assert_same_document(plain, but=SET_BY_CALLS.get(name, ()))
        assert_same_as_auto_tokenizer(plain)
    for number in range(3):
        model = models[chance.choice(KINDS[name])]
        folder = _folder(tmp_path / str(number), name, model, **_random_settings(chance, name))
        assert_same_document(folder, but=SET_BY_CALLS.get(name, ()))
        assert_same_as_auto_tokenizer(folder, seed=number)


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("name", generic.CLASSES)
def test_a_class_that_says_nothing(
    name: str, kind: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    if name == "FNetTokenizer" and OPTIONS[kind]["model_type"] == "bpe":
        pytest.skip("the class takes a BPE for a Unigram")
    legacy = {"legacy": False, "add_bos_token": True} if kind in ("bytes", "unigram") else {}
    folder = _folder(tmp_path, name, models[kind], **legacy)
    assert_same_document(folder)
    assert_same_as_auto_tokenizer(folder)


@pytest.mark.parametrize("name", generic.CLASSES)
def test_a_listed_token_is_found_as_the_class_finds_it(
    name: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    # These classes find it in the text as given, and not in the normalized text.
    flags = {"lstrip": True, "rstrip": True, "normalized": True, "special": True}
    listed = {"701": {"content": "LOW", **flags}}
    folder = _folder(tmp_path, name, models["unigram"], added_tokens_decoder=listed)
    ours, theirs = assert_same_as_auto_tokenizer(folder, more=["a LOW low"])
    assert ours.added_tokens_decoder == theirs.added_tokens_decoder


@pytest.mark.parametrize("name", ["MBartTokenizer", "LlamaTokenizer"])
def test_extra_tokens_that_the_class_drops(
    name: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    folder = _folder(tmp_path, name, models[KINDS[name][0]], split_special_tokens=True)
    older = {"additional_special_tokens": ["<q>", "low"]}
    (folder / "special_tokens_map.json").write_text(json.dumps(older), "utf-8")
    (folder / "added_tokens.json").write_text('{"<q>": 9000}', "utf-8")
    ours, theirs = assert_same_as_auto_tokenizer(folder, more=["a <q> low"])
    assert ours.added_tokens_decoder == theirs.added_tokens_decoder


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("T5Tokenizer", {"extra_ids": -1}, "extra_ids: found -1"),
        ("AlbertTokenizer", {"keep_accents": "no"}, "keep_accents: found"),
        ("MBartTokenizer", {"src_lang": "xx_YY"}, "no token .*xx_YY.* for the language"),
        ("NllbTokenizer", {}, "no token .*eng_Latn.* for the language"),
        ("PegasusTokenizer", {"unk_token": "<none>"}, "no token .*<none>"),
    ],
)
def test_settings_that_are_none(
    name: str, settings: dict[str, Any], message: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    folder = _folder(tmp_path, name, models[KINDS[name][0]], **settings)
    with pytest.raises(SourceError, match=message):
        import_file(folder)


@pytest.mark.parametrize("name", [name for name, each in CLASSES.items() if each.read is None])
def test_a_class_that_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}), "utf-8")
    with pytest.raises(SourceError, match=r"which .* --as FILE"):
        import_file(tmp_path)


def test_tokens_of_the_class_come_before_other_names(
    models: dict[str, bytes], tmp_path: Path
) -> None:
    image = {"__type": "AddedToken", "content": "<image>"}
    folder = _folder(tmp_path, "CodeLlamaTokenizer", models["bytes"], image_token=image)
    ours, theirs = assert_same_as_auto_tokenizer(folder, more=["<image>"])
    assert list(ours.special_tokens_map) == list(theirs.special_tokens_map)


@pytest.mark.parametrize("name", ["MBartTokenizer", "MBart50Tokenizer", "NllbTokenizer"])
def test_a_token_with_spaces_stands_around_texts(
    name: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    settings = {"extra_special_tokens": LANGUAGES[name]} if name in LANGUAGES else {}
    folder = _folder(tmp_path, name, models[KINDS[name][0]], eos_token="a b", **settings)
    ours, _ = assert_same_as_auto_tokenizer(folder, more=["a b"])
    assert ours.eos_token_id in ours("low")["input_ids"]
