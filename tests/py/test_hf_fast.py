"""wwho.hf beside a fast tokenizer of transformers with the same merges: all that it gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_export import KINDS, imported, like_t5, sentencepiece_model
from test_gguf import gguf, gpt2, llama

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
    names = fast.get_vocab()
    by_id = {token: name for name, token in names.items()}
    assert ours.get_vocab() == names
    assert ours.convert_tokens_to_ids([*names]) == [*names.values()]
    assert ours.convert_ids_to_tokens([*names.values()]) == [*names]
    assert (ours.vocab_size, len(ours)) == (fast.vocab_size, len(fast))
    assert sorted(ours.all_special_ids) == sorted(fast.all_special_ids)
    for text in TEXTS:
        ids = fast(text)["input_ids"]
        alone = fast.encode(text, add_special_tokens=False)
        assert ours.tokenize(text) == [by_id[token] for token in alone]
        assert ours.convert_tokens_to_string(ours.tokenize(text)) == fast.decode(alone)
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == fast.decode(
                ids, skip_special_tokens=skip
            )

    for each in (ours, fast):
        each.add_tokens([transformers.AddedToken("<new>", normalized=False), "<newer>"])
    assert ours.get_vocab() == fast.get_vocab()
    assert ours("the <new>cats")["input_ids"] == fast("the <new>cats")["input_ids"]


def test_added_tokens_of_the_configuration_alone(tmp_path: Path) -> None:
    """They keep their ids, as models were trained with them: InternLM2 names unused tokens so."""
    vocab = {"a": 0, "[UNUSED]": 1, "b": 2}
    document: dict[str, Any] = {"model": {"type": "WordLevel", "vocab": vocab, "unk_token": "a"}}
    document |= {"pre_tokenizer": {"type": "Whitespace"}, "decoder": {"type": "Fuse"}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    added = {"1": {"content": "<end>", "special": True}, "5": {"content": "<x>", "special": False}}
    config = json.dumps({"added_tokens_decoder": added})
    (tmp_path / "tokenizer_config.json").write_text(config)
    ours = WWHOTokenizer.from_pretrained(tmp_path)
    assert ours("b<end>a<x>")["input_ids"] == [2, 1, 0, 5]
    assert ours.decode([2, 1, 0, 5]) == "b<end>a<x>"
    assert ours.decode([2, 1, 0], skip_special_tokens=True) == "ba"
    assert ours.add_tokens(["<y>"]) == 1
    assert ours.convert_tokens_to_ids("<y>") == len(ours) - 1 == 6
    assert list(ours.get_vocab().values()) == list(range(7))


def test_folders_without_a_configuration(tmp_path: Path) -> None:
    """The files know their special tokens, and have names for all."""
    kinds = {
        "tokenizer.model": sentencepiece_model(byte_fallback=True, vocab_size=320),
        "x.gguf": llama(("tokenizer.chat_template", "s", "{{ bos_token }}")),
    }
    for name, data in kinds.items():
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_bytes(data)
        ours = WWHOTokenizer.from_pretrained(folder)
        assert (ours.bos_token, ours.eos_token) == ("<s>", "</s>")
        names = ours.tokenize("the\n")
        assert (names[0][:2], names[-1]) == ("\u2581t", "<0x0A>")
    assert ours.chat_template == "{{ bos_token }}"
    ends = ("tokenizer.ggml.bos_token_id", "u", 262), ("tokenizer.ggml.eos_token_id", "u", 261)
    types = [1] * 261 + [3, 3, 3]
    (folder / "x.gguf").write_bytes(gguf(*gpt2("gpt-2", *ends, types=types)))
    ours = WWHOTokenizer.from_pretrained(folder)
    assert (ours.bos_token, ours.eos_token) == ("<user >", "<|im_end|>")
    assert ours.tokenize("the the") == ["the", "\u0120the"]


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


def test_types_are_given_where_a_special_token_after_a_pair_has_one(tmp_path: Path) -> None:
    """Without a configuration: as BERT's models want it, and models that only name types do not."""
    model = {"type": "WordLevel", "vocab": {"?": 0, "a": 1, "b": 2}, "unk_token": "?"}
    pair: list[Any]
    pair = [{"Sequence": {"id": which, "type_id": kind}} for kind, which in enumerate("AB")]
    template: dict[str, Any] = {"type": "TemplateProcessing", "single": pair[:1], "pair": pair}
    document: dict[str, Any] = {"model": model}
    document["post_processor"] = {**template, "special_tokens": {}}
    document["pre_tokenizer"] = {"type": "Whitespace"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    plain = {"input_ids": [1, 2, 2], "attention_mask": [1, 1, 1]}
    assert dict(WWHOTokenizer(tmp_path)("a b", "b")) == plain
    pair.append({"SpecialToken": {"id": "?", "type_id": 1}})
    template["special_tokens"] = {"?": {"id": "?", "ids": [0], "tokens": ["?"]}}
    document["post_processor"] = template
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    assert dict(WWHOTokenizer(tmp_path)("a b", "b")) == {
        "input_ids": [1, 2, 2, 0],
        "token_type_ids": [0, 0, 1, 1],
        "attention_mask": [1, 1, 1, 1],
    }
