"""Rewrite py/wwho/openai.json, facts about OpenAI's models, its copy for JavaScript, and a type.

Encodings are those of tiktoken and gpt-tokenizer, which must agree; contexts, longest outputs and
chat models are gpt-tokenizer's; prices are genai-prices', whose maintainers compare them with
OpenAI's page (gpt-tokenizer's differ from that page for many models, gpt-4o among them).

python tools/gen_openai.py (after `npm ci` in tests/, with the `dev` extra installed)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices.data import providers
from genai_prices.types import ModelPrice, TieredPrices
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "py"))

from wwho.format.files import write_atomic  # noqa: E402

PEER = ROOT / "tests" / "node_modules" / "gpt-tokenizer"
DATA = ROOT / "py" / "wwho" / "openai.json"
MODULE = ROOT / "web" / "package" / "lib" / "openai-models.js"
TYPES = ROOT / "web" / "package" / "openai.d.ts"
HEADER = "// Written by tools/gen_openai.py, as py/wwho/openai.json, which names the sources."

DEFAULT_ENCODING = "o200k_base"
"""What gpt-tokenizer takes for a model that its map does not name."""
OPEN_WEIGHTS = "o200k_harmony"
"""The encoding of models that OpenAI does not sell: others' prices for them differ."""
AZURE = ("gpt-35", "gpt-3.5")
"""How Azure spells a name, whose entry gpt-tokenizer has under OpenAI's."""
PRICES = {
    "input": "input_mtok",
    "cached": "cache_read_mtok",
    "cacheWrite": "cache_write_mtok",
    "output": "output_mtok",
}
BATCH = {"processing": "batch"}
"""What genai-prices calls a request of the Batch interface."""
IMAGES = {
    (85, 170): ("gpt-4-turbo", "gpt-4o", "chatgpt-4o-latest", "gpt-4.1", "gpt-4.5-preview"),
    (2833, 5667): ("gpt-4o-mini",),
    (75, 150): ("o1", "o1-pro", "o3"),
    (70, 140): ("gpt-5", "gpt-5-chat-latest"),
    (65, 129): ("computer-use-preview",),
}
"""The tokens of an image and of each of its tiles, for the models that OpenAI's page "Images and
vision" lists with them; those that it counts by patches are not here."""
DAY = re.compile(r"-\d{4}-\d{2}-\d{2}$")
"""The day at the end of a dated name."""
PROVIDERS = ["openai/", "azure/"]
"""What may stand before a name of OpenAI's."""
OTHERS = [
    *("anthropic", "claude", "mistral", "ministral", "mixtral", "codestral", "devstral"),
    *("magistral", "pixtral", "deepseek", "google", "gemini", "gemma", "meta", "llama", "qwen"),
    *("qwq", "cohere", "command", "xai", "x-ai", "grok", "phi", "kimi", "moonshot", "glm", "z-ai"),
    *("minimax", "nova", "amazon", "nemotron", "nvidia"),
]
"""The beginnings of words in the names of other companies' models."""
TEXT_ENDPOINTS = {"chat_completions", "responses", "completions", "embeddings", "realtime"}

OPENAI = next(provider for provider in providers if provider.id == "openai")

READ_PEER = """
import * as models from "./esm/models.js";
import { chatModelParams, modelToEncodingMap } from "./esm/mapping.js";
const entries = Object.entries(models).map(([name, spec]) =>
  [name, { ...spec, chat: name in chatModelParams, encoding: modelToEncodingMap[name] }]);
console.log(JSON.stringify(Object.fromEntries(entries)));
"""


def read_peer_models() -> dict[str, dict[str, Any]]:
    """Return what gpt-tokenizer says of its models that take and give text, by name.

    Models that tiktoken names too are there whatever they take.
    """
    command = ["node", "--input-type=module", "--eval", READ_PEER]
    output = subprocess.run(command, cwd=PEER, check=True, capture_output=True, text=True).stdout
    return {name: spec for name, spec in json.loads(output).items() if is_text_model(name, spec)}


def is_text_model(name: str, spec: dict[str, Any]) -> bool:
    """Return whether a model turns text into text or embeddings, or tiktoken names it too.

    Args:
        name: the model.
        spec: what gpt-tokenizer says of it.
    """
    modalities = spec["modalities"]
    both = "text" in modalities["input"] and "text" in modalities["output"]
    of_text = both and not TEXT_ENDPOINTS.isdisjoint(spec["supported_endpoints"])
    return of_text or name in MODEL_TO_ENCODING


def tiktoken_encoding(name: str) -> str | None:
    """Return the encoding that tiktoken has for a model's name or its prefix; None for none."""
    found = (e for prefix, e in MODEL_PREFIX_TO_ENCODING.items() if name.startswith(prefix))
    return MODEL_TO_ENCODING.get(name) or next(found, None)


def encoding_of(name: str, spec: dict[str, Any] | None) -> str:
    """Return the encoding of a model, as tiktoken or else gpt-tokenizer says.

    Args:
        name: the model.
        spec: what gpt-tokenizer says of it; None where it has none.

    Raises:
        ValueError: tiktoken and gpt-tokenizer disagree.
    """
    ours = tiktoken_encoding(name)
    theirs = spec and (spec.get("encoding") or DEFAULT_ENCODING)
    if ours and theirs and ours != theirs:
        raise ValueError(f"{name}: tiktoken says {ours}, gpt-tokenizer {theirs}")
    return str(ours or theirs)


def price_of(name: str, date: datetime) -> dict[str, Any] | None:
    """Return a model's prices in dollars per million tokens; None where none are known.

    They are the standard rates of a day; under "long", those for prompts above a length; and under
    "batch", those of the Batch interface.
    """
    model = OPENAI.find_model(name)
    found = model and model.get_prices(date)
    if not model or not found or found.input_mtok is None:
        return None
    price = rates_of(found)
    for variant in model.price_variants or []:
        start = getattr(variant.constraint, "start_date", date.date())
        if variant.when == BATCH and variant.prices.input_mtok is not None and start <= date.date():
            price["batch"] = rates_of(variant.prices)
            # Where OpenAI's table of batches has no rate for the cache, the standard one applies.
            if "cached" in price and price["cached"] < price["batch"]["input"]:
                price["batch"].setdefault("cached", price["cached"])
    return price


def rates_of(found: ModelPrice) -> dict[str, Any]:
    """Return what genai-prices says of a price, in dollars per million tokens."""
    given = {key: getattr(found, field) for key, field in PRICES.items()}
    tiers = {k: p.tiers[0] for k, p in given.items() if isinstance(p, TieredPrices) and p.tiers}
    price: dict[str, Any] = {
        key: shortest_number(rate.base if isinstance(rate, TieredPrices) else rate)
        for key, rate in given.items()
        if rate
    }
    if tiers:
        (above,) = {tier.start for tier in tiers.values()}
        price["long"] = {"above": above}
        price["long"] |= {key: shortest_number(tier.price) for key, tier in tiers.items()}
    return price


def shortest_number(value: Any) -> float | int:
    """Return a decimal as the number that JSON writes shortest."""
    return int(value) if value == int(value) else float(value)


def image_rule(name: str) -> list[int] | None:
    """Return the tokens of an image and of a tile, for a model that is counted by tiles."""
    base = DAY.sub("", name)
    return next((list(rule) for rule, names in IMAGES.items() if base in names), None)


def find_last_check() -> str:
    """Return the last day on which genai-prices, by its comments, compared a price of OpenAI's."""
    comments = " ".join(model.price_comments or "" for model in OPENAI.models)
    dates: list[str] = re.findall(r"erified (?:against OpenAI )?on (\d{4}-\d{2}-\d{2})", comments)
    return max(dates)


def make_entry(name: str, spec: dict[str, Any] | None, date: datetime) -> dict[str, Any]:
    """Return what the file says of one model; what is not known is left out."""
    encoding = encoding_of(name, spec)
    known = spec or {}
    priced = OPENAI.find_model(name)
    facts = {
        "encoding": encoding,
        "context": known.get("context_window") or (priced and priced.context_window),
        "output": known.get("max_output_tokens"),
        "chat": known.get("chat") or None,
        "image": image_rule(name),
        "price": None if encoding == OPEN_WEIGHTS else price_of(name, date),
    }
    return {key: value for key, value in facts.items() if value is not None}


def collect() -> dict[str, Any]:
    """Collect the facts about all models: what openai.json holds."""
    peers = read_peer_models()
    peer_version = json.loads((PEER / "package.json").read_text(encoding="utf-8"))["version"]
    date = find_last_check()
    day = datetime.fromisoformat(date).replace(tzinfo=UTC)
    return {
        "date": date,
        "source": {
            "encodings": f"tiktoken {version('tiktoken')}, gpt-tokenizer {peer_version} (MIT)",
            "limits": f"gpt-tokenizer {peer_version} (MIT), for embeddings genai-prices",
            "prices": f"genai-prices {version('genai-prices')} (MIT); dollars per million tokens, "
            "standard rates and those of batches",
            "images": "OpenAI's page Images and vision: tokens of an image and of a tile",
        },
        "models": {
            name: make_entry(name, peers.get(name.replace(*AZURE)), day)
            for name in sorted(peers.keys() | MODEL_TO_ENCODING.keys())
        },
        "prefixes": dict(MODEL_PREFIX_TO_ENCODING),
        "providers": PROVIDERS,
        "others": OTHERS,
    }


def json_text(data: dict[str, Any]) -> str:
    """Return the facts as JSON, with one line for each model and each prefix."""
    blocks = []
    for key, value in data.items():
        if isinstance(value, dict):
            lines = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()]
            blocks.append(f"  {json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n  }")
        else:
            blocks.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def module_text(data: dict[str, Any]) -> str:
    """Return the facts as a module of JavaScript, without their sources."""
    exported = {key: data[key] for key in ("date", "models", "prefixes", "providers", "others")}
    lines = [f"export const {key} = {json.dumps(value)};" for key, value in exported.items()]
    return "\n".join([HEADER, "", *lines]).replace("}, ", "},\n  ") + "\n"


def types_text(data: dict[str, Any]) -> str:
    """Return openai.d.ts with the names of the models in its type ModelName."""
    names = "".join(f"\n  | {json.dumps(name)}" for name in data["models"])
    pattern = r"(?<=export type ModelName =)[^;]*"
    return re.sub(pattern, lambda _: names, TYPES.read_text(encoding="utf-8"))


def main() -> None:
    """Write the files."""
    data = collect()
    write_atomic(DATA, json_text(data).encode())
    write_atomic(MODULE, module_text(data).encode())
    write_atomic(TYPES, types_text(data).encode())


if __name__ == "__main__":
    main()
