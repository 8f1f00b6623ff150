"""What the package says about OpenAI's models."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import oracle  # noqa: F401 - puts tools/ on the path
import pytest

pytest.importorskip("genai_prices", reason="needs the dev extra")
tiktoken_model = pytest.importorskip("tiktoken.model", reason="needs tiktoken")

import gen_openai  # noqa: E402

DATA = json.loads((files("wwho") / "openai.json").read_text(encoding="utf-8"))
MODELS = DATA["models"]


@pytest.mark.skipif(not gen_openai.PEER.exists(), reason="needs `npm ci` in tests/")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        (gen_openai.DATA, gen_openai.json_text),
        (gen_openai.MODULE, gen_openai.module_text),
        (gen_openai.TYPES, gen_openai.types_text),
    ],
)
def test_is_what_the_generator_writes(path: Path, text: Callable[[Any], str]) -> None:
    assert path.read_text(encoding="utf-8") == text(gen_openai.collect())


def test_encodings_and_prefixes_are_tiktokens() -> None:
    assert DATA["prefixes"] == tiktoken_model.MODEL_PREFIX_TO_ENCODING
    assert MODELS.keys() >= tiktoken_model.MODEL_TO_ENCODING.keys()
    known = 0
    for name, model in MODELS.items():
        try:
            expected = tiktoken_model.encoding_name_for_model(name)
        except KeyError:
            continue  # gpt-tokenizer alone has the name: tests/web/openai.test.mjs compares it
        assert model["encoding"] == expected, name
        known += 1
    assert known > 100


def test_where_tiktoken_and_gpt_tokenizer_disagree_nothing_is_written() -> None:
    with pytest.raises(ValueError, match="gpt-4o: tiktoken says o200k_base, gpt-tokenizer r50k"):
        gen_openai.encoding_of("gpt-4o", {"encoding": "r50k_base"})


def test_prices_are_plausible() -> None:
    for price in [model["price"] for model in MODELS.values() if "price" in model]:
        assert 0 < price["input"] <= price.get("output", price["input"])
        assert price.get("cached", 0) < price["input"]
        for key, dollars in price.get("long", {}).items():
            assert dollars > price.get(key, 0)


def test_models_without_a_price_from_openai_have_none() -> None:
    assert MODELS["gpt-oss-20b"]["chat"]
    assert "price" not in MODELS["gpt-oss-20b"]
    price = {"input": 2.5, "cached": 1.25, "output": 10, "batch": {"input": 1.25, "output": 5}}
    assert MODELS["gpt-4o"]["price"] == price


def test_a_batch_costs_half() -> None:
    priced = [model["price"] for model in MODELS.values() if "batch" in model.get("price", {})]
    assert len(priced) > 60
    for price in priced:
        batch = price["batch"]
        assert batch["input"] == price["input"] / 2
        assert batch["output"] == price["output"] / 2
        cached = price.get("cached", price["input"])
        assert cached / 2 <= batch.get("cached", batch["input"]) <= cached


def test_images_are_counted_by_tiles_for_dated_names_too() -> None:
    assert MODELS["gpt-4o-2024-08-06"]["image"] == [85, 170]
    assert MODELS["gpt-4o-mini-2024-07-18"]["image"] == [2833, 5667]
    assert "image" not in MODELS["gpt-5-mini"]
