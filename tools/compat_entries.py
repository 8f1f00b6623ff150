"""The entries of the npm package that stand in for other packages, written from lists.

An entry has the name of what a program imports now, after `wwho/compat/`: `gpt-tokenizer` becomes
`wwho/compat/gpt-tokenizer`. The code is in web/package/lib/compat, the types in web/package/compat.
Each module here ties a part of that code to the encoding that it needs, and to no other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

GPT_ENCODINGS = (
    "cl100k_base",
    "gpt2",
    "o200k_base",
    "o200k_harmony",
    "p50k_base",
    "p50k_edit",
    "r50k_base",
)
"""The encodings of gpt-tokenizer."""
JS_ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base")
"""The encodings of js-tiktoken."""
SAME = {"gpt2": "r50k_base"}
"""Of encodings with the same tokens, the one that a module with both holds."""

GPT_FUNCTIONS = (
    "clearMergeCache",
    "countTokens",
    "decode",
    "decodeAsyncGenerator",
    "decodeGenerator",
    "encode",
    "encodeChat",
    "encodeChatGenerator",
    "encodeGenerator",
    "estimateCost",
    "isWithinTokenLimit",
    "setMergeCacheSize",
    "vocabularySize",
)
"""What a module of gpt-tokenizer exports, but for the default and the texts of special tokens."""

GPT_MODULE = """\
// gpt-tokenizer%(path)s over wwho/%(encoding)s.

import { load } from "%(root)s%(encoding)s.js";
import { gptFunctions } from "%(root)slib/compat/gpt-tokenizer.js";

export * from "%(root)slib/compat/special-names.js";

const api = /* @__PURE__ */ gptFunctions(%(given)s);
export default api;
export const { %(names)s } = api;
"""
LITE = """\
// js-tiktoken/lite: without encodings.

export { Tiktoken, getEncodingNameForModel } from "../../lib/compat/js-tiktoken.js";
"""
RANKS = """\
// js-tiktoken/ranks/%(name)s: what Tiktoken of js-tiktoken/lite takes.

import { load } from "../../../%(name)s.js";
import { ranksOf } from "../../../lib/compat/js-tiktoken.js";

export default /* @__PURE__ */ ranksOf("%(name)s", load);
"""
JS_MAIN = """\
// js-tiktoken: like that package, it holds every encoding, and gives each at once by its name.

%(imports)s
import { Tiktoken, findRanks, getEncodingNameForModel } from "../lib/compat/js-tiktoken.js";

export { Tiktoken, getEncodingNameForModel };

const RANKS = { %(names)s };

/** Return an encoding by its name, with further special tokens. */
export const getEncoding = (name, more) => new Tiktoken(findRanks(RANKS, name), more);

/** Return the encoding of a model, with further special tokens. */
export const encodingForModel = (model, more) => getEncoding(getEncodingNameForModel(model), more);
"""
LANGCHAIN_TIKTOKEN = """\
// @langchain/core/utils/tiktoken: an encoding is imported when it is wanted, and not fetched.

import { tiktokenFunctions } from "../lib/compat/langchain.js";

export const { encodingForModel, getEncoding } = /* @__PURE__ */ tiktokenFunctions({
%(loaders)s});
"""
LANGCHAIN_SPLITTERS = """\
// @langchain/textsplitters, whose TokenTextSplitter takes our encodings.

import { TextSplitter } from "@langchain/textsplitters";
import { windowsOf } from "../lib/compat/langchain.js";
import { getEncoding } from "./langchain-tiktoken.js";

export * from "@langchain/textsplitters";

/** Cuts a text into windows of `chunkSize` tokens. */
export class TokenTextSplitter extends TextSplitter {
  static lc_name() {
    return "TokenTextSplitter";
  }

  constructor(fields) {
    super(fields);
    this.encodingName = fields?.encodingName ?? "gpt2";
    this.allowedSpecial = fields?.allowedSpecial ?? [];
    this.disallowedSpecial = fields?.disallowedSpecial ?? "all";
  }

  async splitText(text) {
    const tokenizer = await getEncoding(this.encodingName);
    const ids = tokenizer.encode(text, this.allowedSpecial, this.disallowedSpecial);
    return windowsOf(tokenizer, ids, this.chunkSize, this.chunkOverlap);
  }
}
"""


def compat_modules() -> dict[str, str]:
    """Return the text of each module that stands in for another package's, by its path."""
    models = json.loads((ROOT / "py" / "wwho" / "openai.json").read_text("utf-8"))["models"]
    modules = {
        "compat/gpt-tokenizer.js": gpt_module("", "o200k_base"),
        "compat/js-tiktoken.js": JS_MAIN
        % {
            "imports": "\n".join(
                f'import {name} from "./js-tiktoken/ranks/{name}.js";'
                for name in JS_ENCODINGS
                if name not in SAME
            ),
            "names": ", ".join(
                f"{name}: {SAME[name]}" if name in SAME else name for name in JS_ENCODINGS
            ),
        },
        "compat/js-tiktoken/lite.js": LITE,
        "compat/langchain-tiktoken.js": LANGCHAIN_TIKTOKEN
        % {
            "loaders": "".join(
                f'  {name}: () => import("../{name}.js"),\n' for name in JS_ENCODINGS
            )
        },
        "compat/langchain-textsplitters.js": LANGCHAIN_SPLITTERS,
    }
    for name in JS_ENCODINGS:
        modules[f"compat/js-tiktoken/ranks/{name}.js"] = RANKS % {"name": name}
    for name in GPT_ENCODINGS:
        modules[f"compat/gpt-tokenizer/encoding/{name}.js"] = gpt_module(f"/encoding/{name}", name)
    for model, facts in models.items():
        modules[f"compat/gpt-tokenizer/model/{model}.js"] = gpt_module(
            f"/model/{model}", facts["encoding"], model
        )
    return modules


def gpt_module(path: str, encoding: str, model: str | None = None) -> str:
    """Return the text of a module of gpt-tokenizer, which is for an encoding or for a model.

    Args:
        path: what follows the package's name, such as "/model/gpt-4o".
        encoding: the encoding that the module holds.
        model: the model that its functions take if the caller names none.
    """
    given = ["load", json.dumps(encoding)]
    names = list(GPT_FUNCTIONS)
    if model is not None:
        given.append(json.dumps(model))
        names.append("countChatCompletionTokens")
    return GPT_MODULE % {
        "path": path,
        "root": "../" * (1 + path.count("/")),
        "encoding": encoding,
        "given": ", ".join(given),
        "names": ", ".join(sorted(names)),
    }


def compat_exports() -> dict[str, Any]:
    """Return the conditions of these entries by the path that package.json has for each."""
    entries = {
        "gpt-tokenizer": ("gpt-tokenizer", "gpt-tokenizer"),
        "gpt-tokenizer/encoding/*": ("gpt-tokenizer/encoding/*", "gpt-tokenizer"),
        "gpt-tokenizer/model/*": ("gpt-tokenizer/model/*", "gpt-tokenizer-model"),
        "js-tiktoken": ("js-tiktoken", "js-tiktoken"),
        "js-tiktoken/lite": ("js-tiktoken/lite", "js-tiktoken-lite"),
        "js-tiktoken/ranks/*": ("js-tiktoken/ranks/*", "js-tiktoken-ranks"),
        "@langchain/core/utils/tiktoken": ("langchain-tiktoken", "langchain-tiktoken"),
        "@langchain/textsplitters": ("langchain-textsplitters", "langchain-textsplitters"),
    }
    return {
        f"./compat/{name}": {
            "types": {"require": f"./cjs/compat/{types}.d.ts", "default": f"./compat/{types}.d.ts"},
            "module": f"./compat/{module}.js",
            "require": f"./cjs/compat/{module}.js",
            "default": f"./compat/{module}.js",
        }
        for name, (module, types) in entries.items()
    }
