"""A trained model has as many ids as were asked for, whatever it is made of."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

import wwho
from wwho.corpus import Corpus
from wwho.tokenizer import Tokenizer
from wwho.train import train

SYLLABLES = [*"කමයගලන", "කි", "මා", "ගේ", *"कमनरल", "कि", "मा"]
RECIPES: dict[str, dict[str, Any]] = {
    "over o200k_base": {"schemas": ["sinhala", "devanagari"], "prune": 2},
    "over the bytes": {"schemas": ["sinhala", "devanagari"], "base": "none", "prune": 2},
    "no special tokens": {"schemas": ["sinhala"], "base": "none", "prune": 2, "specials": []},
    "end of word": {"schemas": ["sinhala"], "base": "none", "prune": 2, "end_of_word": True},
    "graphemes": {"atoms": "grapheme", "base": "none", "prune": 2},
    "bytes": {"atoms": "byte", "specials": ["<|endoftext|>"]},
    "script": {"atoms": "script", "pattern": "script"},
    "superwords": {"schemas": ["sinhala", "devanagari"], "prune": 2, "superwords": 20},
    "auto": {"schemas": ["sinhala", "devanagari"], "prune": 2, "superwords": "auto"},
    "unigram": {"schemas": ["sinhala"], "base": "none", "prune": 2, "method": "unigram"},
    "unigram over bytes": {"atoms": "byte", "method": "unigram"},
    "pieces": {"atoms": "codepoint", "base": "none", "method": "unigram"},
    "wordpiece": {"atoms": "codepoint", "method": "wordpiece"},
    "balanced": {"schemas": ["sinhala", "devanagari"], "balanced": True},
    "balanced over a base": {
        "schemas": ["sinhala", "devanagari"],
        "balanced": True,
        "base": "r50k_base",
    },
    "balanced unigram": {
        "schemas": ["sinhala", "devanagari"],
        "balanced": True,
        "method": "unigram",
    },
}

pytestmark = pytest.mark.filterwarnings("ignore:the base is the 256")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four files of words that come again and again."""
    rng, folder = random.Random(1), tmp_path_factory.mktemp("corpus")
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(90)]
    words += ["house", "garden", "tree"]
    files = [folder / f"{number}.txt" for number in range(4)]
    for file in files:
        lines = (" ".join(rng.choices(words, k=6)) for _ in range(300))
        file.write_text("\n".join(lines), "utf-8")
    return files


def size_beside(recipe: dict[str, Any]) -> int:
    """The ids that a vocabulary has before anything is learnt, and some room."""
    bases = {"none": 256, "r50k_base": 50257}
    base = recipe.get("base", "none" if "balanced" in recipe else "o200k_base")
    if recipe.get("atoms") == "script":
        return 2172
    if recipe.get("atoms") == "codepoint":
        return 300 if recipe["method"] == "unigram" else 30
    return 256 if recipe.get("atoms") == "byte" else bases.get(base, 200_019)


@pytest.mark.parametrize("name", RECIPES)
def test_the_size_is_exact(corpus: list[Path], name: str) -> None:
    recipe = RECIPES[name]
    total = size_beside(recipe) + 61
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the base is the 256")
        tokenizer = train(Corpus(corpus), total_size=total, **recipe)
    assert tokenizer.n_vocab == total
    assert not any("reserved" in text for text in tokenizer.special_tokens_set)


@pytest.mark.parametrize("name", RECIPES)
def test_too_small_a_text_leaves_reserved_tokens(corpus: list[Path], name: str) -> None:
    total = size_beside(RECIPES[name]) + 6000
    with pytest.warns(UserWarning, match=rf"of the {total:,} ids asked for; the last [\d,]+ are"):
        tokenizer = train(Corpus(corpus), total_size=total, **RECIPES[name])
    assert tokenizer.n_vocab == total
    reserved = [text for text in tokenizer.special_tokens_set if "reserved" in text]
    assert tokenizer.encode("<|reserved_0|>", allowed_special="all") == [total - len(reserved)]
    assert tokenizer.decode([total - 1]) == f"<|reserved_{len(reserved) - 1}|>"
    text = "කමල मकान garden"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert Tokenizer.from_bytes(tokenizer._blob, backend="reference").n_vocab == total


def test_a_multiple_is_reached(corpus: list[Path]) -> None:
    options: dict[str, Any] = {"atoms": "byte", "vocab_size": 300}
    plain = train(Corpus(corpus), **options)
    padded = train(Corpus(corpus), pad_to_multiple=64, **options)
    assert (plain.n_vocab, padded.n_vocab) == (300, 320)
    text = "කමල मकान garden"
    assert plain.encode(text) == padded.encode(text)
    same = train(Corpus(corpus), pad_to_multiple=100, **options)
    assert same._blob == plain._blob


def test_a_size_that_the_text_does_not_fill_is_told(corpus: list[Path]) -> None:
    with pytest.warns(UserWarning, match=r"gives [\d,]+ of the 5,000 ids asked for: no further"):
        train(Corpus(corpus), atoms="byte", vocab_size=5000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"total_size": 200_019}, "total_size is 200019; it must be between 200021"),
        ({"total_size": 1 << 31}, "total_size is"),
        ({"total_size": 300_000, "vocab_size": 7}, "give one of them"),
        ({"total_size": 300_001, "pad_to_multiple": 8}, "300001, which is no multiple of 8"),
        ({"pad_to_multiple": 0}, "pad_to_multiple is 0"),
    ],
)
def test_wrong_sizes_are_refused(options: dict[str, Any], message: str) -> None:
    assert wwho.get_encoding("o200k_base").n_vocab == 200_019
    with pytest.raises(ValueError, match=message):
        train(["කමල"], schemas=["sinhala"], **options)
