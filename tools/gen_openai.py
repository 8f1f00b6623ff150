"""Rewrite py/wwho/openai.json, facts about OpenAI's models, and its copy for JavaScript.

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
from genai_prices.types import TieredPrices
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "py"))

from wwho.format.files import write_atomic  # noqa: E402

PEER = ROOT / "tests" / "node_modules" / "gpt-tokenizer"
DATA = ROOT / "py" / "wwho" / "openai.json"
MODULE = ROOT / "web" / "package" / "lib" / "openai-models.js"
HEADER = "// Written by tools/gen_openai.py, as py/wwho/openai.json, which names the sources."

DEFAULT_ENCODING = "o200k_base"
"""What gpt-tokenizer takes for a model that its map does not name."""
OPEN_WEIGHTS = "o200k_harmony"
"""The encoding of models that OpenAI does not sell: others' prices for them differ."""
AZURE = ("gpt-35", "gpt-3.5")
"""How Azure spells a name, whose entry gpt-tokenizer has under OpenAI's."""
PRICES = {"input": "input_mtok", "cached": "cache_read_mtok", "output": "output_mtok"}
TEXT_ENDPOINTS = {"chat_completions", "responses", "completions", "embeddings", "realtime"}

OPENAI = next(provider for provider in providers if provider.id == "openai")

READ_PEER = """
import * as models from "./esm/models.js";
import { chatModelParams, modelToEncodingMap } from "./esm/mapping.js";
const entries = Object.entries(models).map(([name, spec]) =>
  [name, { ...spec, chat: name in chatModelParams, encoding: modelToEncodingMap[name] }]);
console.log(JSON.stringify(Object.fromEntries(entries)));
"""


def peer_models() -> dict[str, dict[str, Any]]:
    """What gpt-tokenizer says of its models that take and give text, and of those of tiktoken's."""
    command = ["node", "--input-type=module", "--eval", READ_PEER]
    output = subprocess.run(command, cwd=PEER, check=True, capture_output=True, text=True).stdout
    return {name: spec for name, spec in json.loads(output).items() if is_text_model(name, spec)}


def is_text_model(name: str, spec: dict[str, Any]) -> bool:
    """Whether a model takes text and gives text, or embeddings of it, or is tiktoken's too."""
    modalities = spec["modalities"]
    both = "text" in modalities["input"] and "text" in modalities["output"]
    of_text = both and not TEXT_ENDPOINTS.isdisjoint(spec["supported_endpoints"])
    return of_text or name in MODEL_TO_ENCODING


def tiktoken_encoding(name: str) -> str | None:
    """The encoding that tiktoken has for a model's name, or for its prefix."""
    found = (e for prefix, e in MODEL_PREFIX_TO_ENCODING.items() if name.startswith(prefix))
    return MODEL_TO_ENCODING.get(name) or next(found, None)


def encoding_of(name: str, spec: dict[str, Any] | None) -> str:
    """The encoding of a model.

    Raises:
        ValueError: tiktoken and gpt-tokenizer disagree.
    """
    ours = tiktoken_encoding(name)
    theirs = spec and (spec.get("encoding") or DEFAULT_ENCODING)
    if ours and theirs and ours != theirs:
        raise ValueError(f"{name}: tiktoken says {ours}, gpt-tokenizer {theirs}")
    return str(ours or theirs)


def price_of(name: str, date: datetime) -> dict[str, Any] | None:
    """Dollars per million tokens: the standard rates, and those for prompts above a length."""
    model = OPENAI.find_model(name)
    found = model and model.get_prices(date)
    if not found or found.input_mtok is None:
        return None
    given = {key: getattr(found, field) for key, field in PRICES.items()}
    tiers = {k: p.tiers[0] for k, p in given.items() if isinstance(p, TieredPrices) and p.tiers}
    price: dict[str, Any] = {
        k: number(p.base if isinstance(p, TieredPrices) else p) for k, p in given.items() if p
    }
    if tiers:
        (above,) = {tier.start for tier in tiers.values()}
        price["long"] = {"above": above} | {k: number(tier.price) for k, tier in tiers.items()}
    return price


def number(value: Any) -> float | int:
    """A decimal as JSON writes it shortest."""
    return int(value) if value == int(value) else float(value)


def last_check() -> str:
    """The last day on which genai-prices compared a price of OpenAI's, as its comments say."""
    comments = " ".join(model.price_comments or "" for model in OPENAI.models)
    dates: list[str] = re.findall(r"erified (?:against OpenAI )?on (\d{4}-\d{2}-\d{2})", comments)
    return max(dates)


def entry(name: str, spec: dict[str, Any] | None, date: datetime) -> dict[str, Any]:
    """What the file says of one model; what is not known is left out."""
    encoding = encoding_of(name, spec)
    known = spec or {}
    priced = OPENAI.find_model(name)
    facts = {
        "encoding": encoding,
        "context": known.get("context_window") or (priced and priced.context_window),
        "output": known.get("max_output_tokens"),
        "chat": known.get("chat") or None,
        "price": None if encoding == OPEN_WEIGHTS else price_of(name, date),
    }
    return {key: value for key, value in facts.items() if value is not None}


def collected() -> dict[str, Any]:
    """The whole file."""
    peers = peer_models()
    peer_version = json.loads((PEER / "package.json").read_text(encoding="utf-8"))["version"]
    date = last_check()
    day = datetime.fromisoformat(date).replace(tzinfo=UTC)
    return {
        "date": date,
        "source": {
            "encodings": f"tiktoken {version('tiktoken')}, gpt-tokenizer {peer_version} (MIT)",
            "limits": f"gpt-tokenizer {peer_version} (MIT), for embeddings genai-prices",
            "prices": f"genai-prices {version('genai-prices')} (MIT); dollars per million tokens, "
            "standard rates",
        },
        "models": {
            name: entry(name, peers.get(name.replace(*AZURE)), day)
            for name in sorted(peers.keys() | MODEL_TO_ENCODING.keys())
        },
        "prefixes": dict(MODEL_PREFIX_TO_ENCODING),
    }


def json_text(data: dict[str, Any]) -> str:
    """JSON with one line for each model and each prefix."""
    blocks = []
    for key, value in data.items():
        if isinstance(value, dict):
            lines = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()]
            blocks.append(f"  {json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n  }")
        else:
            blocks.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def module_text(data: dict[str, Any]) -> str:
    """The same as a module of JavaScript, without the sources."""
    exported = {key: data[key] for key in ("date", "models", "prefixes")}
    lines = [f"export const {key} = {json.dumps(value)};" for key, value in exported.items()]
    return "\n".join([HEADER, "", *lines]).replace("}, ", "},\n  ") + "\n"


def main() -> None:
    """Write both files."""
    data = collected()
    write_atomic(DATA, json_text(data).encode())
    write_atomic(MODULE, module_text(data).encode())


if __name__ == "__main__":
    main()
