"""wwho.hf beside a fast tokenizer of transformers with the same merges: all that it gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_export import (
    BYTE_LEVEL,
    PLACES,
    imported,
    like_bert,
    like_llama2,
    like_t5,
    sentencepiece_model,
    without_unknown,
    words,
)
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
MODELS = [*BYTE_LEVEL, like_llama2, like_bert, like_t5, words, *PLACES, without_unknown]


@cache
def both() -> tuple[Any, Any, dict[int, int]]:
    """Return our tokenizer, a fast one of the same model, and our id of its special token."""
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
    """Return what `both` does, with padding and truncation on the left or on the right."""
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
    """Return all that a result of a call says of its rows, with our ids of special tokens."""
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


@pytest.mark.slow
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


def opened(make: Callable[[], Any], folder: Path, **config: Any) -> tuple[Any, Any]:
    """Open the tokenizer.json of a model in a folder as our tokenizer and as the fast one."""
    imported(make, folder)
    (folder / f"{make.__name__}.json").rename(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps({**CONFIG, **config}))
    classes = WWHOTokenizer, transformers.PreTrainedTokenizerFast
    ours, fast = (each.from_pretrained(folder) for each in classes)
    return ours, fast


@pytest.mark.slow
@pytest.mark.parametrize("make", MODELS)
def test_a_folder_of_another_library(make: Callable[[], Any], tmp_path: Path) -> None:
    ours, fast = opened(make, tmp_path)
    for name, inputs in INPUTS.items():
        for options in ("plain", "bare", "cut", "padded", "padded to", "windows"):
            given = {**inputs, **OPTIONS[options], **ALL}
            found, expected = answers(ours(**given), {}), answers(fast(**given), {})
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


def with_first() -> Any:
    """Return a tokenizer with Metaspace at the beginning only, as Llama 2 has it."""
    made = like_llama2()
    made.normalizer = None
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return made


def added(text: str, **flags: bool) -> Any:
    """Return an added token with these flags."""
    return transformers.AddedToken(text, **flags)


@pytest.mark.parametrize("make", [*MODELS, with_first])
def test_tokens_that_are_added(make: Callable[[], Any], tmp_path: Path) -> None:
    """The core finds them, in the normalized text too, and nothing beside them changes."""
    ours, fast = opened(make, tmp_path)
    taking = added("<tag>", lstrip=True, rstrip=True, normalized=False)
    new = ["<new>", "NEW", "<new>", taking, added("cat", single_word=True), added("<|end|>")]
    for tokens in (new, new[:1], [added("<new>", lstrip=True)], ["s"]):
        assert ours.add_tokens(tokens) == fast.add_tokens(tokens)
    roles = {"cls_token": added("<C>", rstrip=True), "extra_special_tokens": ["<E>"]}
    assert ours.add_special_tokens(roles) == fast.add_special_tokens(roles)
    ours.save_pretrained(tmp_path / "again")
    again = WWHOTokenizer.from_pretrained(tmp_path / "again")
    texts = [
        "a <new>b NEW new<new> \u00a0Café",
        "the other scene",
        "x  <tag>  y<tag><tag> ",
        "cat cats Cat",
        "<C> z <E>z<|end|> y",
        "<s><|end|>the cats Thé<new><|end|> it's",
    ]
    for split in (False, True):
        options = {**ALL, "split_special_tokens": split}
        expected = answers(fast(texts, **options), {})
        assert answers(ours(texts, **options), {}) == expected
        assert answers(again(texts, **options), {}) == expected
    for ids in fast(texts)["input_ids"]:
        for skip in (False, True):
            # Theirs makes a byte of the token "\u00e9" that the byte-level folders add.
            text = fast.decode(ids, skip_special_tokens=skip).replace("\ufffd", "\u00e9")
            assert ours.decode(ids, skip_special_tokens=skip) == text
            assert again.decode(ids, skip_special_tokens=skip) == text
    assert ours.vocab == again.vocab == fast.vocab
    assert ours.all_special_tokens == fast.all_special_tokens


def test_tokens_whose_normalized_form_is_another_ones_or_nothing(tmp_path: Path) -> None:
    ours, fast = opened(like_bert, tmp_path)
    for each in (ours, fast):
        each.add_tokens(["\u0301", "Zoé"])
    text = "x\u0301 zoe ZOE"
    assert ours(text)["input_ids"] == fast(text)["input_ids"]
    size, ids = len(ours), ours(text)["input_ids"]
    with pytest.raises(ValueError, match=r"cannot add .*: two added tokens have one text"):
        ours.add_tokens(["<z>", transformers.AddedToken("zoe", normalized=False)])
    assert len(ours) == size
    assert ours(text)["input_ids"] == ids
    with pytest.raises(TypeError):
        ours.add_tokens([3])
    assert ours.add_tokens(["<z>", "zoë"]) == 2  # fast tokenizers find either, by chance
    assert ours(text)["input_ids"] == ids
    assert ours.add_tokens(["zoë"]) == 0
    assert ours.add_tokens(["zoe"]) == 1  # the one that is so spelled
    assert ours("ZOE", add_special_tokens=False)["input_ids"] == [len(ours) - 1]


def test_a_token_with_the_id_of_another_one(tmp_path: Path) -> None:
    """Bytes cannot have it: there they would become that token."""
    listed = {"77": {"content": "<x>", "special": True}}
    with pytest.raises(ValueError, match=r"cannot add '<x>' to .* has the id 77 of b'"):
        opened(BYTE_LEVEL[0], tmp_path, added_tokens_decoder=listed)


def test_listed_tokens_that_the_file_has_too(tmp_path: Path) -> None:
    """They keep the file's ids, and take the flags of the configuration; roles change nothing."""
    listed = {"777": {"content": "<|end|>", "lstrip": True, "special": True}}
    config = {"added_tokens_decoder": listed, "additional_special_tokens": ["cats"]}
    config["bos_token"] = {"__type": "AddedToken", "content": "<s>", "lstrip": True}
    ours, fast = opened(like_bert, tmp_path, **config)
    for text in ("a  <|end|>", "a  <s> b", "cats <|end|> the"):
        ids = fast(text)["input_ids"]
        assert ours(text)["input_ids"] == ids
        cleaned = {"skip_special_tokens": True}
        assert ours.decode(ids, **cleaned) == fast.decode(ids, **cleaned)


@pytest.mark.parametrize("make", [like_bert, words, like_t5, like_llama2, BYTE_LEVEL[0]])
def test_clean_up(make: Callable[[], Any], tmp_path: Path) -> None:
    """It leaves BPE alone, unless it is told to corrupt that."""
    ours, fast = opened(make, tmp_path, clean_up_tokenization_spaces=True)
    ids = fast("the cats , it 's .")["input_ids"]
    for forced in (False, True):
        for each in (ours, fast):
            each.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output = forced
        assert ours.decode(ids) == fast.decode(ids)
        plain = {"clean_up_tokenization_spaces": False}
        assert ours.decode(ids, **plain) == fast.decode(ids, **plain)


def test_an_empty_second_text_is_none() -> None:
    ours, fast, ids = both()
    for given in (("a", ""), (["a"], [""])):
        assert answers(ours(*given), {}) == answers(fast(*given), ids)
    options = {"is_split_into_words": True}
    assert answers(ours(["a"], [], **options), {}) == answers(fast(["a"], [], **options), ids)


def test_sides_that_the_file_states(tmp_path: Path) -> None:
    opened(like_bert, tmp_path)
    rust = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    rust.enable_truncation(6, direction="left")
    rust.enable_padding(direction="left", pad_id=1, pad_token="<s>", pad_type_id=3)
    rust.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").unlink()
    given: dict[str, Any] = {"text": TEXTS, "padding": True, "truncation": True, "max_length": 9}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    expected = fast(**given)["input_ids"]
    for source in (tmp_path, tmp_path / "tokenizer.json"):
        ours = WWHOTokenizer(source)
        assert ours(**given)["input_ids"] == expected
        assert (ours.pad_token, ours.pad_token_type_id) == (fast.pad_token, fast.pad_token_type_id)
    ours.save_pretrained(tmp_path / "again")
    assert WWHOTokenizer.from_pretrained(tmp_path / "again")(**given)["input_ids"] == expected
    sides = {"padding_side": "right", "truncation_side": "right"}
    fast.padding_side = fast.truncation_side = "right"
    assert WWHOTokenizer(tmp_path, **sides)(**given)["input_ids"] == fast(**given)["input_ids"]


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
    assert ours.add_tokens(["[UNUSED]"]) == 1
    assert ours("[UNUSED]<end>")["input_ids"] == [7, 1]


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
    for given in ({"text": text}, {"text": text, "text_pair": " cat"}, {"text": "\u00a0the"}):
        for more in ({}, windows, {"add_special_tokens": True}):
            encoded, expected = (
                ours(**given, **{**asked, **more}),
                fast(**given, **{**asked, **more}),
            )
            assert encoded["offset_mapping"] == expected["offset_mapping"]
            for mine, theirs in zip(encoded.encodings, expected.encodings, strict=True):
                assert (mine.offsets, mine.word_ids) == (theirs.offsets, theirs.word_ids)
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


@pytest.mark.parametrize("name", ["max_length", "stride", "pad_to_multiple_of"])
def test_a_negative_number_of_tokens_is_refused(name: str) -> None:
    # A negative stride would leave tokens out between two rows, and a negative length all of them.
    ours, _, _ = both()
    options = {"truncation": True, "padding": True, "return_overflowing_tokens": True}
    with pytest.raises(ValueError, match=f"{name} is -1; it must be at least 0"):
        ours(TEXTS, **{**options, "max_length": 9, name: -1})
