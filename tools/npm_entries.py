"""The entries of the npm package in one list, and the files that are written from that list.

An entry is what a program imports, such as `wwho/worker`. A runtime for which the entry is written
differently imports a module of its own, whose name begins with the runtime's prefix:
`node-worker.js`. To add an entry, add a line to `ENTRIES`, write its modules and its types
(`NAME.d.ts`) in web/package, and run tools/build_npm.py, which names it in package.json.

tools/build_npm.py writes the modules that have a template here. Those of browsers and of Node stand
in web/package, too, because the demo page and the tests import them from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import Template
from typing import Any

GENERATED = "Written by tools/build_npm.py."
"""What the first line of each generated module says."""


@dataclass(frozen=True)
class Runtime:
    """A kind of program that runs the package, and how its modules find what they need.

    Attributes:
        title: its name in comments.
        prefix: what its modules' names begin with.
        main: its module for `wwho` itself, without the suffix.
        conditions: the conditions of package.json under which it imports its own modules; empty
            for browsers, whose modules everybody gets who meets no condition.
        has_commonjs: whether programs in CommonJS require its modules, from cjs/.
        is_in_sources: whether its generated modules also stand in web/package.
        core: the line that imports wwho.wasm, as a value or as a function that returns a source.
        core_source: the function that returns the core's source, in JavaScript.
        reader: the function of lib that reads what a caller names, and its module.
        loads: the template of its module for `wwho`.
        is_one_file: whether programs are bundled to one file, which then holds each encoding that
            is loaded by its name.
    """

    title: str
    prefix: str
    main: str
    conditions: tuple[str, ...]
    has_commonjs: bool
    is_in_sources: bool
    core: str
    core_source: str
    reader: tuple[str, str]
    loads: Template
    is_one_file: bool = False

    def module(self, entry: str) -> str:
        """Return the name of this runtime's module for an entry, without the suffix.

        Args:
            entry: the entry's name; empty for `wwho` itself.
        """
        return self.prefix + entry if entry else self.main


TOKENIZER = Template("""\
// wwho/tokenizer for $title: everything in wwho except the encodings. $generated
$imports
export { WwhoError } from "./lib/errors.js";
export { initSync } from "./lib/module.js";

export const { Tokenizer, init } = /* @__PURE__ */ runtime($core_source, $reader);
""")

# A constant for each function: bundlers leave out those that a program does not import.
OPENAI = Template("""\
// wwho/openai for $title: OpenAI's models, chats in tokens, and what they cost. $generated
$imports
export { fromAISDK } from "./lib/openai/ai-sdk.js";
export { fromLangChain } from "./lib/openai/langchain.js";
export { estimateCost } from "./lib/openai/prices.js";
export { date as modelsDate, models } from "./lib/openai-models.js";

export const encodingForModel = /* @__PURE__ */ encodingFunction(getEncoding);
export const countChat = /* @__PURE__ */ chatFunction(COUNT, $loader);
export const countMessages = /* @__PURE__ */ chatFunction(COUNT_EACH, $loader);
export const isWithinTokenLimit = /* @__PURE__ */ chatFunction(IS_WITHIN, $loader);
export const encodeChat = /* @__PURE__ */ chatFunction(ENCODE, $loader);
export const fitChat = /* @__PURE__ */ chatFunction(FIT, $loader);
""")

# For runtimes that import modules: a bundle then holds all encodings.
FROM_MODULES = Template("""\
// wwho for $title. $generated

import { loadEntry } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-modules.js";

export * from "./$tokenizer.js";

/**
 * Load an encoding of the package. All callers get the same tokenizer, until it is freed.
 * A bundle with this function holds every encoding; modules such as wwho/o200k_base hold one.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<import("./lib/tokenizer.js").BaseTokenizer>}
 * @throws {import("./lib/errors.js").WwhoError} ARGUMENT for another name; the reason of the signal
 */
export async function getEncoding(name, options) {
  return loadEntry(ENCODINGS, name, options);
}
""")

# For browsers, which fetch an encoding when it is first wanted.
FROM_FILES = Template("""\
// wwho for $title: no Node built-ins, no top-level await, nothing happens on import. $generated

import { Fetched } from "./lib/encodings.js";
import { ENCODINGS } from "./lib/shipped-files.js";
import { Tokenizer } from "./$tokenizer.js";

export * from "./$tokenizer.js";

const fetched = /* @__PURE__ */ new Fetched((url, options) => Tokenizer.load(url, options));

/**
 * Fetch an encoding from the folder models/ next to this file. All callers get the same tokenizer,
 * until it is freed, and share one download.
 * @param {string} name such as "wwho_328k"
 * @param {import("./lib/source.js").LoadOptions} [options]
 * @returns {Promise<InstanceType<typeof Tokenizer>>}
 * @throws {import("./lib/errors.js").WwhoError} ARGUMENT for another name, FETCH if the file cannot
 *   be fetched; the reason of the signal
 */
export async function getEncoding(name, options) {
  return fetched.get(ENCODINGS, name, options);
}
""")

BROWSER = Runtime(
    title="browsers and Workers",
    prefix="",
    main="index",
    conditions=(),
    has_commonjs=False,
    is_in_sources=True,
    core='import { coreSource } from "./lib/shipped-core.js";',
    core_source="coreSource",
    reader=("readBytes", "source"),
    loads=FROM_FILES,
)
NODE = Runtime(
    title="Node, Deno and Bun",
    prefix="node-",
    main="node",
    conditions=("deno", "bun", "node"),
    has_commonjs=True,
    is_in_sources=True,
    core='import { coreSource } from "./lib/node-core.js";',
    core_source="coreSource",
    reader=("readFromDisk", "disk"),
    loads=FROM_MODULES,
)
# The next two compile nothing at run time: importing wwho.wasm gives a compiled module.
WORKERD = Runtime(
    title="workerd (Cloudflare Workers)",
    prefix="workerd-",
    main="workerd",
    conditions=("workerd",),
    has_commonjs=False,
    is_in_sources=False,
    core='import core from "./wwho.wasm";',
    core_source="() => core",
    reader=("readBytes", "source"),
    loads=FROM_MODULES,
    is_one_file=True,
)
EDGE = Runtime(
    title="the edge runtimes of Vercel and Next.js",
    prefix="edge-",
    main="edge",
    conditions=("edge-light",),
    has_commonjs=False,
    is_in_sources=False,
    core='import core from "./wwho.wasm?module";',
    core_source="() => core",
    reader=("readBytes", "source"),
    loads=FROM_MODULES,
    is_one_file=True,
)
RUNTIMES = (WORKERD, EDGE, NODE, BROWSER)
"""All runtimes, in the order of their conditions in package.json: the first that holds decides."""


@dataclass(frozen=True)
class Entry:
    """An entry of the npm package: the modules that programs import under one name.

    Attributes:
        name: what follows `wwho/`; empty for `wwho` itself.
        runtimes: those with a module of their own. All others import the one for browsers, which
            is always among them.
        is_generated: whether its modules are written from the templates above.
    """

    name: str
    runtimes: tuple[Runtime, ...]
    is_generated: bool = False


ENTRIES = (
    Entry("", RUNTIMES, is_generated=True),
    Entry("tokenizer", RUNTIMES, is_generated=True),
    Entry("worker", (NODE, BROWSER)),
    Entry("openai", RUNTIMES, is_generated=True),
    Entry("import", (NODE, BROWSER)),
    Entry("chat", (BROWSER,)),
)
"""The entries, in the order of package.json. Each encoding is one more, like chat."""

ASSETS: dict[str, Any] = {
    "./wwho.wasm": {"types": "./wwho.d.wasm.ts", "default": "./wwho.wasm"},
    "./wwho.wasm?module": {"types": "./wwho.d.wasm.ts", "default": "./wwho.wasm?module"},
    "./encodings/*.wwho": {"types": "./model.d.ts", "default": "./models/*.wwho"},
    "./package.json": "./package.json",
}
"""What programs import besides entries, as package.json has it."""

OTHER_FILES = (
    "LICENSE",
    "MIGRATING.md",
    "NOTICE",
    "README.md",
    "bin",
    "cjs",
    "compat",
    "import-thread.mjs",
    "lib",
    "model.d.ts",
    "models",
    "node-worker-thread.js",
    "patterns",
    "python.zip",
    "worker-thread.js",
    "wwho.d.wasm.ts",
    "wwho.wasm",
)
"""The files and folders of the package that belong to no single entry."""


def conditions_of(entry: Entry) -> dict[str, Any]:
    """Return what package.json says of an entry: a module for each condition.

    `types` is first and `default` last, as TypeScript and Node want it. `require` takes Node's
    module, or the only one, from cjs/.
    """
    types = BROWSER.module(entry.name)
    conditions: dict[str, Any] = {
        "types": {"require": f"./cjs/{types}.d.ts", "default": f"./{types}.d.ts"}
    }
    required = BROWSER.module(entry.name)
    for runtime in entry.runtimes:
        module = runtime.module(entry.name)
        for condition in runtime.conditions:
            conditions[condition] = f"./{module}.js"
        if runtime.has_commonjs:
            required = module
            conditions[runtime.conditions[-1]] = {
                "module": f"./{module}.js",
                "require": f"./cjs/{module}.js",
                "default": f"./{module}.js",
            }
    default = f"./{BROWSER.module(entry.name)}.js"
    conditions |= {"module": default, "require": f"./cjs/{required}.js", "default": default}
    return conditions


def exports_of(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the conditions of entries by the path that package.json has for each."""
    return {f"./{entry.name}" if entry.name else ".": conditions_of(entry) for entry in entries}


def files_of(entries: Iterable[Entry]) -> list[str]:
    """Return the names of the files that entries consist of: modules and one file of types each."""
    return [
        name
        for entry in entries
        for name in (
            f"{BROWSER.module(entry.name)}.d.ts",
            *(f"{runtime.module(entry.name)}.js" for runtime in entry.runtimes),
        )
    ]


def generated_modules(*, in_sources: bool) -> dict[str, str]:
    """Return the text of every generated module by its file name.

    Args:
        in_sources: whether only those that stand in web/package are wanted.
    """
    return {
        f"{runtime.module(entry.name)}.js": module_text(entry.name, runtime)
        for entry in ENTRIES
        if entry.is_generated
        for runtime in entry.runtimes
        if runtime.is_in_sources or not in_sources
    }


def module_text(entry: str, runtime: Runtime) -> str:
    """Return the text of a runtime's module for a generated entry.

    Args:
        entry: "" for `wwho` itself, "tokenizer" or "openai".
        runtime: who imports the module.

    Raises:
        KeyError: another entry, which has no template.
    """
    reader, reader_module = runtime.reader
    template, imports = {
        "": (runtime.loads, []),
        "tokenizer": (
            TOKENIZER,
            [
                runtime.core,
                'import { runtime } from "./lib/runtime.js";',
                f'import {{ {reader} }} from "./lib/{reader_module}.js";',
            ],
        ),
        "openai": (
            OPENAI,
            [
                chats_import(runtime),
                f'import {{ getEncoding }} from "./{runtime.main}.js";',
            ],
        ),
    }[entry]
    # By path, as in the modules that people write.
    imports.sort(key=lambda line: line.split('"')[1])
    return template.substitute(
        title=runtime.title,
        generated=GENERATED,
        imports="".join(f"\n{line}" for line in imports) + "\n",
        core_source=runtime.core_source,
        reader=reader,
        tokenizer=runtime.module("tokenizer"),
        loader="refuseToLoad" if runtime.is_one_file else "getEncoding",
    )


def chats_import(runtime: Runtime) -> str:
    """Return the line with which a runtime's module for `wwho/openai` imports what it makes."""
    names = [
        "COUNT",
        "COUNT_EACH",
        "ENCODE",
        "FIT",
        "IS_WITHIN",
        "chatFunction",
        "encodingFunction",
    ]
    names += ["refuseToLoad"] if runtime.is_one_file else []
    return f'import {{ {", ".join(names)} }} from "./lib/openai/chats.js";'
