"""`WWHOTokenizer.from_pretrained` of folders without a tokenizer.json, beside AutoTokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers", reason="needs transformers")

from folder_judge import assert_same_as_auto_tokenizer  # noqa: E402

from wwho.errors import ArtifactError  # noqa: E402
from wwho.hf import WWHOTokenizer  # noqa: E402
from wwho.importers.transformers import classes  # noqa: E402
from wwho.importers.transformers.folder import ModelFolder  # noqa: E402
from wwho.importers.transformers.model_class import Draft, ModelClass  # noqa: E402

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = "a b c d e f h i l m n o r s t u w x y z 1 2 3 é ü 中 字 . , ! ? ' -".split()  # noqa: SIM905
WORDS = "the low new ##er ##est wide hello world ##low café cafe".split()  # noqa: SIM905
VOCAB = [*SPECIALS, *PIECES, *(f"##{each}" for each in PIECES), *WORDS]


def bert_folder(folder: Path, **settings: Any) -> Path:
    """Write a folder of BertTokenizer, with a vocab.txt and no tokenizer.json."""
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in VOCAB), "utf-8")
    settings = {"tokenizer_class": "BertTokenizer", **settings}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def read_bert(folder: ModelFolder, _: Any) -> Draft:
    """Return the draft of a folder of BertTokenizer."""
    settings = folder.settings
    lines = folder.needed_file("vocab.txt").data.decode().split("\n")[:-1]
    vocab = {line: number for number, line in enumerate(lines)}

    def text(role: str, usual: str) -> str:
        token = settings.get(role, usual)
        return str(token["content"] if isinstance(token, dict) else token)

    roles = {
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    }
    used = [text(role, usual) for role, usual in roles.items()]
    sep, cls = text("sep_token", "[SEP]"), text("cls_token", "[CLS]")
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = {vocab[each] for each in used if each in vocab}
    document = {
        "added_tokens": [
            {"id": number, "content": lines[number], "special": True, **flags}
            for number in sorted(added)
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
            "strip_accents": settings.get("strip_accents"),
            "lowercase": settings.get("do_lower_case", True),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": cls, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": sep, "type_id": 0}},
            ],
            "pair": [
                {"SpecialToken": {"id": cls, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": sep, "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
                {"SpecialToken": {"id": sep, "type_id": 1}},
            ],
            "special_tokens": {
                each: {"id": each, "ids": [vocab[each]], "tokens": [each]} for each in (cls, sep)
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": text("unk_token", "[UNK]"),
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    }
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return Draft(document=document, defaults={**roles, "model_input_names": names})


@pytest.fixture(autouse=True)
def _bert_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        classes.CLASSES, "BertTokenizer", ModelClass(files=("vocab.txt",), read=read_bert)
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"do_lower_case": True, "model_max_length": 77},
        {"padding_side": "left", "truncation_side": "left"},
        {"do_lower_case": True, "strip_accents": False, "tokenize_chinese_chars": False},
        {"mask_token": {"__type": "AddedToken", "content": "[MASK]", "lstrip": True,
                        "rstrip": False, "single_word": False, "normalized": False}},
        {"additional_special_tokens": ["<tag>", "world"], "pad_token": "<mine>"},
        {"pad_token": None},
    ],
    ids=lambda each: "+".join(each) or "silent",
)  # fmt: skip
def test_settings_count_before_the_defaults_of_the_class(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    assert_same_as_auto_tokenizer(bert_folder(tmp_path, **settings), more=["<tag>", "<mine>"])


def test_lines_that_come_twice(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path)
    (folder / "vocab.txt").write_text("".join(f"{each}\n" for each in [*VOCAB, "a", "b"]), "utf-8")
    ours, theirs = assert_same_as_auto_tokenizer(folder)
    assert len(ours) == len(VOCAB)
    assert ours.add_tokens(["<mine>"]) == theirs.add_tokens(["<mine>"])
    assert len(ours) == len(theirs)


def test_what_is_imported_is_the_same_where_it_is_saved(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path, padding_side="left", pad_token="<mine>", model_max_length=9)
    ours = WWHOTokenizer.from_pretrained(folder)
    ours.save_pretrained(tmp_path / "saved")
    again = WWHOTokenizer.from_pretrained(tmp_path / "saved")
    by_auto = transformers.AutoTokenizer.from_pretrained(tmp_path / "saved")
    for each in (again, by_auto):
        assert each("the low", "new")["token_type_ids"] == ours("the low", "new")["token_type_ids"]
        assert each.special_tokens_map == ours.special_tokens_map
        assert (each.padding_side, each.model_max_length) == ("left", 9)
        assert (len(each), each.pad_token_id) == (len(ours), ours.pad_token_id)
    # An artifact alone has the roles of its class, too.
    ours.wwho.save(tmp_path / "alone.wwho")
    alone = WWHOTokenizer(tmp_path / "alone.wwho")
    assert alone.cls_token == "[CLS]"
    assert alone.model_input_names == ["input_ids", "token_type_ids", "attention_mask"]


def test_a_class_that_is_not_known_is_refused_by_name(tmp_path: Path) -> None:
    bert_folder(tmp_path, tokenizer_class="MadeUpTokenizer")
    with pytest.raises(ArtifactError, match="MadeUpTokenizer, which is not known here"):
        WWHOTokenizer.from_pretrained(tmp_path)


def test_files_that_transformers_finds_do_not_go_before_the_class(tmp_path: Path) -> None:
    # transformers gives a tokenizer.model to each class; the folder's own reads vocab.txt.
    folder = bert_folder(tmp_path)
    (folder / "tokenizer.model").write_bytes(b"no model")
    assert WWHOTokenizer.from_pretrained(folder).tokenize("lower") == ["low", "##er"]
