"""Each component of Hugging Face's tokenizers: the example of its file is what the library does."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")

import wwho.importers.huggingface as package  # noqa: E402
from wwho.importers.huggingface import (  # noqa: E402
    decoders,
    examples,
    models,
    normalizers,
    post_processors,
    pre_tokenizers,
)

KINDS = ("normalizers", "pre_tokenizers", "models", "decoders", "post_processors")
NO_COMPONENTS = ("models.vocabulary", "post_processors.parts")
NUMBERS = {str(number): number for number in range(256)}
Component = Mapping[str, Any]

COMPONENTS = sorted(
    name
    for kind in KINDS
    for module in pkgutil.iter_modules([f"{package.__path__[0]}/{kind}"])
    if (name := f"{kind}.{module.name}") not in NO_COMPONENTS
)


def tokenizer(**parts: Component | None) -> Any:
    """A tokenizer of the library with these components; its words are numbers."""
    word_level = {"type": "WordLevel", "vocab": NUMBERS, "unk_token": "0"}
    document: dict[str, Any] = {"version": "1.0", "added_tokens": [], "model": word_level, **parts}
    return tokenizers.Tokenizer.from_str(json.dumps(document))


def normalize(component: Component, text: str) -> str:
    normalized: str = tokenizer(normalizer=component).normalizer.normalize_str(text)
    return normalized


def pre_tokenize(component: Component, text: str) -> list[str]:
    found = tokenizer(pre_tokenizer=component).pre_tokenizer.pre_tokenize_str(text)
    return [piece for piece, _ in found]


def tokenize(component: Component, text: str) -> list[int]:
    ids: list[int] = tokenizer(model=component).encode(text).ids
    return ids


def decode(component: Component, tokens: Sequence[str]) -> str:
    text: str = tokenizer(decoder=component).decoder.decode(list(tokens))
    return text


def process(
    component: Component, ids: Sequence[int], pair: Sequence[int] | None = None
) -> list[int]:
    made = tokenizer(post_processor=component, pre_tokenizer={"type": "WhitespaceSplit"})
    texts = (" ".join(map(str, each)) for each in (ids, pair) if each is not None)
    found: list[int] = made.encode(*texts).ids
    return found


@pytest.mark.parametrize("name", COMPONENTS)
def test_the_example_of_a_component(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for function in (normalize, pre_tokenize, tokenize, decode, process):
        monkeypatch.setattr(examples, function.__name__, function)
    module = importlib.import_module(f"{package.__name__}.{name}")
    text = module.__doc__ or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert len(example.examples) > 1, "the file has no example"
    assert doctest.DocTestRunner().run(example).failed == 0


def test_each_type_is_read() -> None:
    """The types of the library but for Sequence, of which ByteLevel and others are of two kinds."""
    types = (*normalizers.STEPS, *pre_tokenizers.STEPS, *decoders.STEPS)
    types += (*models.READERS, *post_processors.PROCESSES)
    assert len(types) == 41
    assert len(COMPONENTS) == len(types) - 3 + 4  # NFC to NFKD share a file; Sequence has four
