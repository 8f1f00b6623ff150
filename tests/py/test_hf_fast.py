"""wwho.hf beside a fast tokenizer of transformers with the same merges: all that it gives."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from wwho.encodings import model_bytes
from wwho.exporters import export
from wwho.format.read import read_artifact

transformers = pytest.importorskip("transformers", reason="needs the extra hf")

from tokenizers import Tokenizer, processors  # noqa: E402

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
