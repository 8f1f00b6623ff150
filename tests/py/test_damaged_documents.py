"""Damaged tokenizer.json files and folders: an error that says what is wrong, or a tokenizer."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wwho.errors import SourceError, WwhoError
from wwho.format.greedy import Greedy
from wwho.importers import Source, import_file, import_source

ODD: tuple[Any, ...] = (
    *(None, True, "", "a", "\u2581", [], {}, [[]], [None], {"type": "NFC"}, {"": {}}),
    *(0, -1, 1, 255, 256, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, -(1 << 63), 1 << 70, 10**30),
    *(0.5, -1e300, 1e-320, "<s>", "\ud7ff", "\U0010ffff", "(", "[a", "(?<=a+)b", "\\G", "a{99999}"),
)
"""Values that are put in the place of others."""
BYTES = sorted({chr(code) for code in range(33, 127)} | {chr(code) for code in range(161, 384)})
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [
        {"Sequence": {"id": "A", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
    ],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
}
ADDED = [
    {"id": 0, "content": "<s>", "single_word": False, "lstrip": True, "rstrip": False,
     "normalized": False, "special": True},
]  # fmt: skip
DOCUMENTS: dict[str, dict[str, Any]] = {
    "bpe": {
        "version": "1.0",
        "added_tokens": ADDED,
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {
            "type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\s"}, "behavior": "Isolated",
             "invert": False}, BYTE_LEVEL]},
        "post_processor": {"type": "Sequence", "processors": [BYTE_LEVEL, TEMPLATE]},
        "decoder": BYTE_LEVEL,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False,
                  "byte_fallback": False, "ignore_merges": False,
                  "vocab": {text: at for at, text in enumerate(["<s>", *BYTES, "ab", "abc"])},
                  "merges": [["a", "b"], "ab c"]},
    },
    "wordpiece": {
        "version": "1.0",
        "added_tokens": ADDED,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["<s>", 0], "cls": ["<s>", 0]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100,
                  "vocab": {"<s>": 0, "a": 1, "##b": 2, "abc": 3, "[UNK]": 4}},
    },
    "unigram": {
        "version": "1.0",
        "added_tokens": ADDED,
        "normalizer": {"type": "Strip", "strip_left": True, "strip_right": True},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
                          "split": True},
        "post_processor": TEMPLATE,
        "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
                    "split": True},
        "model": {"type": "Unigram", "unk_id": 1, "byte_fallback": False,
                  "vocab": [["<s>", -9.0], ["<unk>", 0.0], ["\u2581", -2.0], ["a", -3.5],
                            ["ab", -4.25]]},
    },
}  # fmt: skip
"""Documents that are whole, by the kind of model."""


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all values in a document, but few of a large list or object."""
    yield path
    if isinstance(value, (dict, list)):
        keys = [*value] if isinstance(value, dict) else [*range(len(value))]
        for key in keys[:12]:
            yield from _places(value[key], (*path, key))


def _damaged(document: dict[str, Any], chance: random.Random) -> Any:
    """Return a copy of a document with one or two values replaced, removed or doubled."""
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 2)):
        path = chance.choice([path for path in _places(document) if path])
        inner = document
        for key in path[:-1]:
            inner = inner[key]
        what = chance.random()
        if what < 0.8:
            inner[path[-1]] = copy.deepcopy(chance.choice(ODD))
        elif what < 0.9 and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[path[-1]]))
        else:
            del inner[path[-1]]
    return document


@pytest.mark.slow
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_damaged_document(kind: str) -> None:
    chance = random.Random(f"damaged {kind}")
    refused = 0
    import_source(Source("tokenizer.json", json.dumps(DOCUMENTS[kind]).encode()))
    for _ in range(500):
        data = json.dumps(_damaged(DOCUMENTS[kind], chance)).encode()
        try:
            import_source(Source("tokenizer.json", data))
        except WwhoError:
            refused += 1
    assert 100 < refused < 500


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("bpe", "GPT2Tokenizer"),
        ("bpe", "RobertaTokenizer"),
        ("wordpiece", "BertTokenizer"),
        ("unigram", "T5Tokenizer"),
        ("unigram", "AlbertTokenizer"),
    ],
)
def test_a_damaged_document_around_which_a_class_builds(
    kind: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}))
    chance = random.Random(f"damaged {kind} {name}")
    refused = 0
    for _ in range(200):
        data = json.dumps(_damaged(DOCUMENTS[kind], chance))
        (tmp_path / "tokenizer.json").write_text(data, "utf-8")
        try:
            import_file(tmp_path)
        except WwhoError:
            refused += 1
    assert 40 < refused < 200


def test_damaged_settings_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps(DOCUMENTS["bpe"]["model"]["vocab"]), "utf-8")
    (tmp_path / "merges.txt").write_text("a b\nab c\n", "utf-8")
    whole = {
        "tokenizer_class": "RobertaTokenizer",
        "add_prefix_space": True,
        "bos_token": "<s>",
        "mask_token": {"__type": "AddedToken", "content": "<mask>", "lstrip": True},
        "extra_special_tokens": ["<x>"],
        "added_tokens_decoder": {"3": {"content": "abc", "special": True}},
    }
    chance = random.Random("damaged settings")
    refused = 0
    for _ in range(200):
        settings = json.dumps(_damaged(whole, chance))
        (tmp_path / "tokenizer_config.json").write_text(settings, "utf-8")
        try:
            import_file(tmp_path)
        except WwhoError:
            refused += 1
    assert 40 < refused < 200


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ("normalizer", "normalizers", 1, "content"),
            "a" * (1 << 20) + "b",
            "1,048,576 are possible",
        ),
        (
            ("pre_tokenizer", "pretokenizers", 0, "pattern"),
            {"Regex": "a|" * 50_001},
            "/pre_tokenizer/pretokenizers/0/pattern/Regex: a text of 100,002 characters",
        ),
        (
            ("post_processor", "processors", 1, "single"),
            [{"Sequence": {"id": "A", "type_id": 0}}] * 100_001,
            "/post_processor/processors/1/single: 100,001 items",
        ),
        (
            ("post_processor", "processors", 1, "special_tokens", "<s>", "ids"),
            [0] * 100_001,
            "/post_processor/processors/1/single: its items are more than 100,000 texts and ids",
        ),
        (
            ("normalizer", "normalizers", 1),
            {"type": "Prepend", "prepend": "a" * (1 << 20) + "b"},
            "/normalizer/normalizers/1/prepend: .* 1,048,576 are possible",
        ),
        (
            ("decoder",),
            {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * (1 << 20) + "b"},
            "/decoder/content: .* 1,048,576 are possible",
        ),
        (("added_tokens", 0, "id"), -1, "/added_tokens/0/id: found -1, expected an id, 0 to 429"),
        (("added_tokens", 0, "id"), 1 << 32, "/added_tokens/0/id: found 4294967296, expected an"),
    ],
)
def test_limits_come_before_the_work(path: tuple[Any, ...], value: Any, message: str) -> None:
    document = copy.deepcopy(DOCUMENTS["bpe"])
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(SourceError, match=message):
        import_source(Source("tokenizer.json", json.dumps(document).encode()))


def test_numbers_that_no_machine_has() -> None:
    """JSON has whole numbers of any length; those of a model are of 64 bits."""
    for kind, path, message in (
        ("unigram", ("vocab", 1, 1), "/model/vocab/1/1: found 1000.*, expected a finite number"),
        ("wordpiece", ("max_input_chars_per_word",), "/model/max_.*: found 1000.*, expected 0 to"),
    ):
        document = copy.deepcopy(DOCUMENTS[kind])
        inner: Any = document["model"]
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = 10**400
        with pytest.raises(SourceError, match=message):
            import_source(Source("tokenizer.json", json.dumps(document).encode()))


def test_a_long_template_of_a_large_vocabulary() -> None:
    """Its ids are looked for in time that does not grow with their product."""
    document = copy.deepcopy(DOCUMENTS["bpe"])
    vocab = document["model"]["vocab"]
    vocab |= {f"zz{number}": len(vocab) + number for number in range(2000)}
    template = document["post_processor"]["processors"][1]
    template["special_tokens"]["<s>"]["ids"] = [vocab["zz1999"]]
    template["single"] = [template["single"][0]] * 99_999 + template["single"][1:]
    found = import_source(Source("tokenizer.json", json.dumps(document).encode())).artifact.template
    assert found is not None
    assert len(found.single) == 100_000


def test_a_limit_that_no_word_reaches() -> None:
    document = copy.deepcopy(DOCUMENTS["wordpiece"])
    document["model"]["max_input_chars_per_word"] = 1 << 40
    (model,) = import_source(Source("t.json", json.dumps(document).encode())).artifact.models
    assert isinstance(model, Greedy)
    assert model.max_characters == 0xFFFF_FFFE
