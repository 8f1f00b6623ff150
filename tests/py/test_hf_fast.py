"""wwho.hf beside a fast tokenizer of transformers with the same merges: all that it gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_export import KINDS, imported, like_t5

from wwho.encodings import model_bytes
from wwho.exporters import export
from wwho.format.read import read_artifact

transformers = pytest.importorskip("transformers", reason="needs the extra hf")

from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers  # noqa: E402

from wwho.hf import WWHOTokenizer  # noqa: E402

END = "<|endoftext|>"
TEXTS = [
    "The kettle sings; nobody's home at 10:45.",
    "",
    "  white   space\n\n and 👩‍👩‍👧 ගෙදර",
    f"one{END} two {END}",
    "short",
    "a somewhat longer text, of more than a few words, so that it goes over several rows",
]
PAIRS = [*reversed(TEXTS)]


@cache
def both() -> tuple[Any, Any, dict[int, int]]:
    """Ours, the fast one, and what ids of the latter are in ours: those of its special token."""
    exported = export(read_artifact(model_bytes("cl100k_base")), "tokenizer.json")
    rust = Tokenizer.from_str(exported.data.decode())
    rust.add_special_tokens([END])
    end = rust.token_to_id(END)
    assert end is not None
    rust.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A {END} $B:1 {END}:1", special_tokens=[(END, end)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=rust,
        eos_token=END,
        pad_token=END,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    ours = WWHOTokenizer(
        "cl100k_base", special_tokens_pattern="eos", model_input_names=fast.model_input_names
    )
    eos: Any = ours.eos_token_id
    return ours, fast, {end: eos}


@pytest.fixture(params=["right", "left"])
def tokenizers(request: pytest.FixtureRequest) -> Any:
    """Both, padding and truncating on one side."""
    ours, fast, ids = both()
    for each in (ours, fast):
        each.padding_side = each.truncation_side = request.param
    return ours, fast, ids


ALL = {
    "return_offsets_mapping": True,
    "return_special_tokens_mask": True,
    "return_length": True,
}
INPUTS: dict[str, dict[str, Any]] = {
    "text": {"text": TEXTS[0]},
    "texts": {"text": TEXTS},
    "pair": {"text": TEXTS[0], "text_pair": TEXTS[5]},
    "pairs": {"text": TEXTS, "text_pair": PAIRS},
    "tuples": {"text": list(zip(TEXTS, PAIRS, strict=True))},
    "words": {"text": TEXTS[0].split(), "is_split_into_words": True},
    "lists of words": {"text": [text.split() for text in TEXTS[::2]], "is_split_into_words": True},
    "pairs of words": {
        "text": TEXTS[0].split(),
        "text_pair": ["a", "word"],
        "is_split_into_words": True,
    },
}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bare": {"add_special_tokens": False},
    "cut": {"truncation": True, "max_length": 9},
    "cut short": {"truncation": True, "max_length": 4},
    "first": {"truncation": "only_first", "max_length": 26},
    "second": {"truncation": "only_second", "max_length": 26},
    "padded": {"padding": True},
    "multiple": {"padding": True, "pad_to_multiple_of": 8},
    "padded to": {"padding": "max_length", "max_length": 40},
    "windows": {"truncation": True, "max_length": 7, "return_overflowing_tokens": True},
    "stride": {
        "truncation": "only_first",
        "max_length": 24,
        "stride": 2,
        "return_overflowing_tokens": True,
    },
    "strides": {
        "truncation": "longest_first",
        "max_length": 9,
        "stride": 1,
        "padding": True,
        "return_overflowing_tokens": True,
    },
}


def answers(encoded: Any, ids: dict[int, int]) -> dict[str, Any]:
    """What was returned, special tokens by their own ids, and what is known of each row."""
    found = dict(encoded)
    rows = found["input_ids"]
    rows = rows if rows and isinstance(rows[0], list) else [rows]
    found["input_ids"] = [[ids.get(token, token) for token in row] for row in rows]
    found["n_sequences"] = encoded.n_sequences
    for name in ("word_ids", "sequence_ids"):
        found[name] = [getattr(encoded, name)(k) for k in range(len(rows))]
    found["chars"] = [
        [
            encoded.char_to_token(k, at, sequence)
            for at in range(90)
            for sequence in range(encoded.n_sequences)
        ]
        for k in range(len(rows))
    ]
    found["words"] = [[encoded.char_to_word(k, at) for at in range(90)] for k in range(len(rows))]
    found["spans"] = [
        [encoded.token_to_chars(k, at) for at in range(len(row))] for k, row in enumerate(rows)
    ]
    return found


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("inputs", INPUTS)
def test_all_is_as_the_fast_tokenizer_has_it(inputs: str, options: str, tokenizers: Any) -> None:
    ours, fast, ids = tokenizers
    given = {**INPUTS[inputs], **OPTIONS[options], **ALL}
    try:
        expected = fast(**given)
    except BaseException as error:
        if "Truncation error" not in str(error):
            raise
        with pytest.raises(ValueError, match="truncation="):
            ours(**given)
    else:
        assert answers(ours(**given), {}) == answers(expected, ids)


CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "<s>",
    "pad_token": "<|end|>",
    "unk_token": "<unk>",
    "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
    "chat_template": "{% for m in messages %}<s>{{ m.content }}<|end|>{% endfor %}",
}


@pytest.mark.parametrize("make", KINDS)
def test_a_folder_of_another_library(make: Callable[[], Any], tmp_path: Path) -> None:
    imported(make, tmp_path)
    (tmp_path / f"{make.__name__}.json").rename(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(CONFIG))
    ours = WWHOTokenizer.from_pretrained(tmp_path)
    fast = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    for name, inputs in INPUTS.items():
        for options in ("plain", "bare", "cut", "padded", "padded to", "windows"):
            given = {**inputs, **OPTIONS[options], **ALL}
            found, expected = answers(ours(**given), {}), answers(fast(**given), {})
            if make is like_t5:  # Metaspace cuts rewritten text
                for words in ("word_ids", "words"):
                    del found[words], expected[words]
            assert found == expected, (name, options)
    chat = [{"role": "user", "content": "the cats"}, {"role": "user", "content": " Thé"}]
    assert ours.apply_chat_template(chat) == fast.apply_chat_template(chat)
    for text in TEXTS:
        ids = fast(text)["input_ids"]
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == fast.decode(
                ids, skip_special_tokens=skip
            )


@pytest.mark.parametrize("keeps", [False, True])
def test_trimmed_offsets(tmp_path: Path, keeps: bool) -> None:
    """As RoBERTa's: trimmed after rows are cut, so that each has a first token."""
    rust = Tokenizer(models.BPE())
    rust.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=keeps)
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "</s>"],
        show_progress=False,
    )
    rust.train_from_iterator(["the cat  sat on the mat"] * 3, trainer)
    rust.post_processor = processors.RobertaProcessing(
        ("</s>", 1), ("<s>", 0), add_prefix_space=keeps
    )
    rust.save(str(tmp_path / "tokenizer.json"))
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=rust)
    ours = WWHOTokenizer(tmp_path)
    asked: dict[str, Any] = {"return_offsets_mapping": True, "add_special_tokens": False}
    windows = {"truncation": True, "max_length": 3, "return_overflowing_tokens": True}
    text = " the cat  sat on  the mat "
    found = []
    for given in ({"text": text}, {"text": text, "text_pair": " cat"}):
        for more in ({}, windows, {"add_special_tokens": True}):
            encoded, expected = (
                ours(**given, **{**asked, **more}),
                fast(**given, **{**asked, **more}),
            )
            assert encoded["offset_mapping"] == expected["offset_mapping"]
            for mine, theirs in zip(encoded.encodings, expected.encodings, strict=True):
                assert mine.offsets == theirs.offsets
            found.append(encoded["offset_mapping"])
    assert ((0, 4) if keeps else (1, 4)) == found[0][0]


def test_types_are_given_where_the_template_has_some(tmp_path: Path) -> None:
    """Without a configuration: as BERT's models want it."""
    model = {"type": "WordLevel", "vocab": {"?": 0, "a": 1, "b": 2}, "unk_token": "?"}
    pair = [{"Sequence": {"id": which, "type_id": kind}} for kind, which in enumerate("AB")]
    template = {"type": "TemplateProcessing", "single": pair[:1], "pair": pair}
    document = {"model": model, "post_processor": {**template, "special_tokens": {}}}
    document["pre_tokenizer"] = {"type": "Whitespace"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    encoded = WWHOTokenizer(tmp_path)("a b", "b")
    assert dict(encoded) == {
        "input_ids": [1, 2, 2],
        "token_type_ids": [0, 0, 1],
        "attention_mask": [1, 1, 1],
    }
