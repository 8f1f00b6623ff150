"""Every class of tokenizers of transformers is read, or refused with a reason."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import oracle  # puts tools/ on the path
import pytest
from folder_judge import assert_same_as_auto_tokenizer, transformers

from wwho.errors import SourceError
from wwho.hf import WWHOTokenizer
from wwho.importers import import_file
from wwho.importers.transformers import byte_ids
from wwho.importers.transformers.classes import CLASSES, MODULES
from wwho.importers.transformers.tokens import ROLES, Token, Tokens

MODELS = Path(transformers.__file__).parent / "models"
BASES = (
    "PreTrainedTokenizer",
    "PreTrainedTokenizerFast",
    "PythonBackend",
    "SentencePieceBackend",
    "TokenizersBackend",
)


def _names() -> set[str]:
    """Return the names of all classes of tokenizers, without "Fast"."""
    bases: dict[str, set[str]] = {}
    for path in MODELS.glob("*/tokenization_*.py"):
        for each in ast.parse(path.read_text("utf-8")).body:
            if isinstance(each, ast.ClassDef):
                bases[each.name] = {ast.unparse(base) for base in each.bases}
    found = set(BASES)
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

    # RAG's has no base: it is two tokenizers.
    named = {name for name in TOKENIZER_MAPPING_NAMES.values() if name} | {"RagTokenizer"}
    return {name.removesuffix("Fast") for name in (found - set(BASES)) | named}


def test_every_class_is_in_a_table() -> None:
    names = _names()
    assert len(names) > 90
    assert sorted(names - CLASSES.keys()) == []
    assert sum(len(module.CLASSES) for module in MODULES) == len(CLASSES)
    for name, each in CLASSES.items():
        assert (each.read is None) == bool(each.refusal), name


def test_the_files_of_the_generator_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(oracle.ROOT / "tools"))
    import gen_model_classes as made

    assert made.TABLES.read_text("utf-8") == made.tables()
    assert made.PAGE.read_text("utf-8") == made.page()


@pytest.mark.parametrize("name", [name for name, each in CLASSES.items() if each.read is None])
def test_a_refusal_says_why(name: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}), "utf-8")
    with pytest.raises(SourceError, match=rf"is a {name}, (which|whose) .*--as FILE"):
        import_file(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", byte_ids.CLASSES)
def test_a_class_without_files(name: str, tmp_path: Path) -> None:
    texts = {"ByT5Tokenizer": "</s>", "PerceiverTokenizer": "[BOS]", "DiaTokenizer": "[S1]"}
    settings: dict[str, Any] = {"tokenizer_class": name, "image_token": "<img>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    # What the notes of ByT5 say of texts that end in </s>.
    ends_twice = name == "ByT5Tokenizer"
    assert any("another one" in note for note in import_file(tmp_path).notes) == ends_twice
    flags = {"lstrip": False, "rstrip": True, "normalized": True, "special": True}
    for more in (
        {},
        {"pad_token": "<p>", "extra_special_tokens": ["<x>", "émi"]},
        {"eos_token": {"content": "</s>", "__type": "AddedToken", **flags}},
        {"added_tokens_decoder": {"1": {"content": texts[name], **flags}}},
    ):
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | more), "utf-8")
        _, theirs = assert_same_as_auto_tokenizer(
            tmp_path, but=lambda text: ends_twice and text.rstrip().endswith("</s>")
        )
    theirs.save_pretrained(tmp_path / "saved")
    assert_same_as_auto_tokenizer(
        tmp_path / "saved", but=lambda text: ends_twice and text.rstrip().endswith("</s>")
    )


def test_bytes_have_the_names_of_the_class(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}', "utf-8")
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ours = WWHOTokenizer.from_pretrained(tmp_path)
    assert ours.tokenize("a \0 é") == theirs.tokenize("a \0 é")
    assert ours.get_vocab() == theirs.get_vocab()
    assert ours.convert_tokens_to_string(ours.tokenize("a \0 é")) == "a \0 é"


@pytest.mark.slow
@pytest.mark.parametrize("given", [[], ["<x>"]])
def test_a_list_of_extra_tokens_takes_the_place_of_sentinels(
    given: list[str], tmp_path: Path
) -> None:
    settings = {"tokenizer_class": "ByT5Tokenizer", "extra_special_tokens": given}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    assert_same_as_auto_tokenizer(
        tmp_path, more=["a <x> <extra_id_0>"], but=lambda text: text.rstrip().endswith("</s>")
    )


def test_sentinels_that_are_too_few(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}', "utf-8")
    older = {"additional_special_tokens": ["<extra_id_0>"]}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(older), "utf-8")
    with pytest.raises(SourceError, match=r"found 1 tokens with extra_id, .* extra_ids, 125"):
        import_file(tmp_path)
    with pytest.raises(ValueError, match="must include the extra_ids"):
        transformers.AutoTokenizer.from_pretrained(tmp_path)


def test_tokens_get_ids_in_the_order_of_their_roles() -> None:
    # The settings name the unknown token, and the class the separator: the former comes first.
    found = Tokens(roles={"unk_token": Token("<u>")}).with_defaults({"sep_token": "<s>"})
    assert [*found.roles] == [role for role in ROLES if role in ("unk_token", "sep_token")]
