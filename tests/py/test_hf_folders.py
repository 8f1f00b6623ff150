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
from wwho.importers import import_file  # noqa: E402

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


def test_tokens_that_do_not_say_that_they_are(tmp_path: Path) -> None:
    plain = {"content": "<tag>", "lstrip": True}
    folder = bert_folder(tmp_path / "named", image_token=plain)
    ours, _ = assert_same_as_auto_tokenizer(folder, more=["a <tag>b"])
    assert "<tag>" not in ours.get_vocab()
    folder = bert_folder(tmp_path / "role", sep_token=plain)
    with pytest.raises(TypeError, match="sep_token has to be either str or AddedToken"):
        transformers.AutoTokenizer.from_pretrained(folder)
    with pytest.raises(ArtifactError, match=r'sep_token: found .*, expected a text, or "__type"'):
        WWHOTokenizer.from_pretrained(folder)
    # The older file goes before it.
    (folder / "special_tokens_map.json").write_text(json.dumps({"sep_token": plain}))
    assert_same_as_auto_tokenizer(folder, more=["a <tag>b"])


@pytest.mark.parametrize("name", ["T5Tokenizer", "XLNetTokenizer"])
def test_extra_tokens_that_the_class_drops(name: str, tmp_path: Path) -> None:
    # Both classes have extra tokens of their own, which go before those of the older file.
    from small_sentencepiece import train_models

    model = train_models({"plain": {"model_type": "unigram", "vocab_size": 260}})["plain"]
    (tmp_path / "spiece.model").write_bytes(model)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}))
    older = {"additional_special_tokens": ["[UNK]", "low"]}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(older))
    ours, _ = assert_same_as_auto_tokenizer(tmp_path, more=["low lower [UNK]"])
    assert "[UNK]" not in ours.all_special_tokens
    ours, _ = assert_same_as_auto_tokenizer(
        tmp_path, more=["a <given>low"], extra_special_tokens=["<given>"]
    )
    assert "<given>" in ours.all_special_tokens


def test_a_listed_token_of_the_vocabulary_of_a_tokenizer_json(tmp_path: Path) -> None:
    made = transformers.AutoTokenizer.from_pretrained(bert_folder(tmp_path / "before"))
    made.backend_tokenizer.save(str(tmp_path / "tokenizer.json"))
    after = len(VOCAB)
    listed = {"700": {"content": "world"}, str(after): {"content": "<a>"}}
    listed[str(after + 1)] = {"content": "<b>"}
    image = {"__type": "AddedToken", "content": "<image>"}
    settings = {
        "tokenizer_class": "TokenizersBackend",
        "added_tokens_decoder": listed,
        "image_token": image,
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ours = WWHOTokenizer.from_pretrained(tmp_path)
    text = "low<a> world new<b>er <image>the"
    assert ours(text)["input_ids"] == theirs(text)["input_ids"]
    found = [ours.convert_tokens_to_ids(each) for each in ("world", "<a>", "<b>", "<image>")]
    assert found == [VOCAB.index("world"), after, after + 1, after + 2]
    told = "left out: <a>, <b>, <image>, world; tokenizer_config.json lists them"
    assert any(told in note for note in import_file(tmp_path).notes)


def test_a_normalized_special_token_is_not_split(tmp_path: Path) -> None:
    token = {"__type": "AddedToken", "content": "[X]", "normalized": True, "special": True}
    folder = bert_folder(tmp_path, extra_special_tokens=[token], do_lower_case=True)
    ours, _ = assert_same_as_auto_tokenizer(folder, more=["[X]", "low [x]"])
    with pytest.raises(ValueError, match=r"'\[X\]' is found by its normalized text"):
        ours("low", split_special_tokens=True)
