"""The comparison of a model's folder here and in transformers' AutoTokenizer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
transformers = pytest.importorskip("transformers", reason="needs transformers")

from wwho.evaluate.check.library_comparison import HARD_TEXTS  # noqa: E402
from wwho.hf import WWHOTokenizer  # noqa: E402
from wwho.importers import Options  # noqa: E402
from wwho.importers.transformers.choice import class_of  # noqa: E402
from wwho.importers.transformers.classes import draft_of  # noqa: E402
from wwho.importers.transformers.folder import ModelFolder  # noqa: E402

WORDS = """
    the a an in on low lower new newest wide Hello world café naïve 123 4567 don't U.S. ab-c x_y
    ශ්‍රී ලංකාව नमस्ते हिन्दी 中文 字 日本語 한국어 Straße İ ǅ ﬁ ½ １２ 🙂 e\u0301 \u200b . , ! ? : ; ' ( )
    <s> </s> <unk> <pad> <mask> [CLS] [SEP] [UNK] [MASK] <extra_id_0> en_XX
""".split()  # noqa: SIM905
"""Words of which texts are made."""


def texts_of(seed: int, number: int = 300, more: Iterable[str] = ()) -> list[str]:
    """Return texts: some that are known to be hard, `more`, and random ones; the same each time.

    Args:
        seed: the seed of the random ones.
        number: how many texts there are in all, at least as many as are given.
        more: texts that matter for one class.
    """
    chance = random.Random(seed)
    texts = list(dict.fromkeys([*more, *HARD_TEXTS]))
    while len(texts) < number:
        words = (chance.choice([*WORDS, *more]) for _ in range(chance.randint(1, 9)))
        texts.append("".join(word + chance.choice(("", " ", " ", "  ", "\n")) for word in words))
    return texts[:number]


def assert_same_as_auto_tokenizer(
    folder: Path,
    seed: int = 42,
    more: Iterable[str] = (),
    but: Callable[[str], bool] = lambda text: False,
    **options: Any,
) -> tuple[Any, Any]:
    """Compare the tokenizer of a folder with AutoTokenizer's, on 300 texts.

    Compared are ids with and without special tokens, pairs with their token types, text decoded
    with and without special tokens, the special ids, padding and the longest input.

    Args:
        folder: the folder.
        seed: the seed of the texts.
        more: further texts.
        but: says which texts are left out.
        options: given to both `from_pretrained`.

    Returns:
        Our tokenizer and theirs.
    """
    theirs = transformers.AutoTokenizer.from_pretrained(folder, **options)
    ours = WWHOTokenizer.from_pretrained(folder, **options)
    texts = [text for text in texts_of(seed, more=more) if not but(text)]
    for text, other in zip(texts, reversed(texts), strict=True):
        for special in (True, False):
            expected = theirs(text, add_special_tokens=special)["input_ids"]
            found = ours(text, add_special_tokens=special)["input_ids"]
            assert found == expected, (text, special, theirs.convert_ids_to_tokens(expected))
            assert ours.decode(found, skip_special_tokens=special) == theirs.decode(
                expected, skip_special_tokens=special
            ), (text, found)
        expected, found = theirs(text, other), ours(text, other)
        assert dict(found) == dict(expected), (text, other)
    assert ours.all_special_ids == theirs.all_special_ids
    assert ours.all_special_tokens == theirs.all_special_tokens
    assert ours.special_tokens_map == theirs.special_tokens_map
    for name in ("pad_token", "pad_token_id", "padding_side", "truncation_side"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.model_max_length == theirs.model_max_length
    assert ours.model_input_names == theirs.model_input_names
    assert len(ours) == len(theirs)
    assert ours.extra_special_tokens == theirs.extra_special_tokens
    return ours, theirs


def assert_same_document(path: Path, *, but: Iterable[str] = ()) -> None:
    """Compare the tokenizer.json that a class makes of a folder here and in transformers.

    Args:
        path: the folder.
        but: components that are not compared.
    """
    folder = ModelFolder(path)
    ours = draft_of(folder, str(class_of(folder)), Options()).document
    assert ours is not None
    judge = transformers.AutoTokenizer.from_pretrained(path)
    theirs = json.loads(judge.backend_tokenizer.to_str())
    model = ours["model"]
    # Both in the form that the library writes, which has all options.
    ours = json.loads(tokenizers.Tokenizer.from_str(json.dumps(ours)).to_str())
    if model["type"] == "Unigram":
        # The library reads some scores otherwise than it wrote them.
        ours["model"] = model
    for part in ("added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if part not in but:
            assert ours[part] == theirs[part], part
    assert ours["model"] == theirs["model"]
