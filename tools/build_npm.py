"""Assemble the npm package `wwho` in build/npm/wwho and pack it: build/npm/wwho-VERSION.tgz.

    python tools/build_npm.py
    python tools/build_npm.py --encoding qwen.wwho --name @wwho/qwen --license Apache-2.0

The second packs one tokenizer as a package of its own, which needs `wwho` beside it. Whoever
publishes it knows its licence; we publish our own encodings alone.

web/package holds its sources, which run as they are. The package adds what has another home, the
encodings and the licence, and what is generated:

* ``o200k_base.js`` and its like, an entry for each file in py/wwho/models, with the file inside;
* ``lib/shipped-core.js``, the core inside, and the same for Node in ``lib/node-core.js``;
* ``lib/shipped-modules.js``, an import of each entry;
* ``python.zip``, wwho in Python without encodings, which wwho/import runs in Pyodide;
* ``cjs/``, the same modules for CommonJS, which read core and encodings from their files;
* ``node*.js``, with the modules of lib that they import joined in a few files.

The folder py/wwho/models is the list of encodings. What is written of it in web/package (an
address and a type for each) is brought up to date first. Needs npm to pack, and esbuild (npm ci in
tests/).
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "web" / "package"
MODELS = ROOT / "py" / "wwho" / "models"
TARGET = ROOT / "build" / "npm"
ESBUILD = ROOT / "tests" / "node_modules" / ".bin" / "esbuild"

PACKAGE = re.compile(r"(?=.{1,214}$)(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*")
"""A name that npm allows."""

FILES = SOURCES / "lib" / "shipped-files.js"
TYPES = SOURCES / "index.d.ts"

CORE = """\
// The core.

import { %(decode)s } from "./embedded.js";

export const coreSource = () => %(decode)s(CORE);

const CORE =
  "%(text)s";
"""
ENTRY = """\
// The encoding %s, with its file inside.

import { Tokenizer } from "wwho/tokenizer";
import { fromBase64, kept } from "./lib/embedded.js";

export const bytes = () => fromBase64(FILE);
export const load = /* @__PURE__ */ kept(() => Tokenizer.loadSync(bytes()));

const FILE =
  "%s";
"""
# For CommonJS, which reads files from their folder: the package should not hold them a third time.
ENTRY_ON_DISK = """\
// The encoding %s.

import { readFileSync } from "node:fs";

import { kept } from "./lib/embedded.js";
import { Tokenizer } from "./node-tokenizer.js";

const file = new URL("../models/%s.wwho", import.meta.url);

export const bytes = () => new Uint8Array(readFileSync(file));
export const load = kept(() => Tokenizer.loadSync(bytes()));
"""
ENTRY_TYPES = """\
import type { Tokenizer } from "./index.js";

/** The tokenizer %s, which is in this module: the same for all who ask, until it is freed. */
export function load(): Tokenizer;

/** That file, such as WorkerTokenizer.load takes it. */
export function bytes(): Uint8Array<ArrayBuffer>;
"""
# The same of a package of its own, bundled, so that nothing of wwho is imported but what is public.
ENTRY_ALONE = """\
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Tokenizer } from "wwho/tokenizer";
import { kept } from "./lib/embedded.js";

export const bytes = () => new Uint8Array(readFileSync(join(__dirname, "model.wwho")));
export const load = kept(() => Tokenizer.loadSync(bytes()));
"""
README = """\
# %(package)s

The tokenizer %(name)s, with %(ids)s ids, for [wwho](https://www.npmjs.com/package/wwho):
`npm install wwho %(package)s`.

```js
import { load } from "%(package)s";

const enc = load();
console.log(enc.countTokens("hello world"));
```

Its file is in the module; `model.wwho` is the same file. It comes from %(source)s.
Licence: %(license)s.
"""
# import.meta.url of a CommonJS module, for which esbuild has no word.
CJS_URL = 'const __url = require("node:url").pathToFileURL(__filename).href;'


def encodings() -> list[str]:
    """The names of the encodings that ship."""
    return sorted(path.stem for path in MODELS.glob("*.wwho"))


def lists(names: list[str]) -> dict[Path, str]:
    """The files of web/package that name every encoding, as they should be."""
    urls = "".join(
        f'  {name}: () => new URL("../models/{name}.wwho", import.meta.url),\n' for name in names
    )
    types = "".join(f'\n  | "{name}"' for name in names)
    files = replaced(FILES, r"(?<=ENCODINGS = \{\n)(?:  .*\n)*", urls)
    return {FILES: files, TYPES: replaced(TYPES, r"(?<=type EncodingName =)[^;]*", types)}


def replaced(path: Path, pattern: str, text: str) -> str:
    """The text of a file with the one match of `pattern` replaced.

    Raises:
        SystemExit: it does not match once.
    """
    changed, count = re.subn(pattern, lambda _: text, path.read_text("utf-8"))
    if count != 1:
        raise SystemExit(f"{path.relative_to(ROOT)} should match {pattern} once")
    return changed


def modules(names: list[str]) -> str:
    """The text of lib/shipped-modules.js."""
    imports = "".join(f'  {name}: () => import("../{name}.js"),\n' for name in names)
    return (
        "// The encodings as modules, for all but browsers.\n\n"
        f"export const ENCODINGS = {{\n{imports}}};\n"
    )


def base64_of(path: Path) -> str:
    """The contents of a file."""
    return base64.b64encode(path.read_bytes()).decode("ascii")


def printable(data: bytes) -> str:
    """Bytes as fromPrintable of lib/embedded.js reads them."""
    places = [divmod((byte + 4) % 256, 90) for byte in range(256)]
    characters = [("", "}", "~")[page] + chr(place + 35) for page, place in places]
    text = "".join(characters[byte] for byte in data)
    return text.translate({ord("<"): "!", ord("\\"): " "})


def manifest(names: list[str]) -> dict[str, Any]:
    """package.json as it is published.

    Raises:
        SystemExit: its version is not that of the Python package.
    """
    package: dict[str, Any] = json.loads((SOURCES / "package.json").read_text("utf-8"))
    version = (ROOT / "py" / "wwho" / "version.py").read_text("utf-8")
    found = re.search(r'__version__ = "(.+)"', version)
    if found is None or found[1] != package["version"]:
        raise SystemExit(
            f"web/package/package.json has version {package['version']}, the project another"
        )
    # Only what this tool assembles may be published.
    del package["private"]
    package["files"].append("node-*.js")  # see join_modules
    for name in names:
        package["exports"][f"./{name}"] = {
            "types": {"require": f"./cjs/{name}.d.ts", "default": f"./{name}.d.ts"},
            "module": f"./{name}.js",
            "require": f"./cjs/{name}.js",
            "default": f"./{name}.js",
        }
        package["files"] += [f"{name}.d.ts", f"{name}.js"]
    return package


def assemble(folder: Path) -> None:
    """Write the package into an empty folder.

    Raises:
        SystemExit: a file of the package is missing, or esbuild.
    """
    names = encodings()
    package = manifest(names)
    homes = {"LICENSE": ROOT, "NOTICE": ROOT}
    for name in package["files"]:
        source = homes.get(name, SOURCES) / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.is_file():
            shutil.copyfile(source, folder / name)
    shutil.copytree(MODELS, folder / "models", ignore=shutil.ignore_patterns("__pycache__"))
    core = SOURCES / "wwho.wasm"
    text = printable(core.read_bytes())
    files = {
        "lib/shipped-core.js": CORE % {"decode": "fromPrintable", "text": text},
        # Node decodes base64 in a tenth of the time, and its users download no text.
        "lib/node-core.js": CORE % {"decode": "fromBase64", "text": base64_of(core)},
        "lib/shipped-files.js": lists(names)[FILES],
        "lib/shipped-modules.js": modules(names),
        "index.d.ts": lists(names)[TYPES],
        "package.json": json.dumps(package, indent=2) + "\n",
    }
    for name in names:
        files[f"{name}.js"] = ENTRY % (name, base64_of(MODELS / f"{name}.wwho"))
        files[f"{name}.d.ts"] = ENTRY_TYPES % name
    for path, text in files.items():
        (folder / path).write_text(text, "utf-8")
    archive = runpy.run_path(str(ROOT / "py" / "wwho" / "serve" / "files.py"))
    (folder / "python.zip").write_bytes(archive["packed"](models=False))
    commonjs(folder, names)
    join_modules(folder)
    missing = [name for name in package["files"] if not any(folder.glob(name))]
    if missing:
        raise SystemExit(
            f"the package lacks {', '.join(missing)}, which web/package/package.json lists"
        )


def commonjs(folder: Path, names: list[str]) -> None:
    """Write cjs/: the modules that Node runs, each transpiled on its own, and their types.

    Raises:
        SystemExit: esbuild is missing, or fails.
    """
    target = folder / "cjs"
    sources = folder / "cjs-sources"
    shutil.copytree(folder / "lib", sources / "lib")
    for path in (*folder.glob("node*.js"), folder / "chat.js"):
        shutil.copyfile(path, sources / path.name)
    core = (SOURCES / "lib" / "node-core.js").read_text("utf-8")
    core = core.replace("../wwho.wasm", "../../wwho.wasm")
    (sources / "lib" / "node-core.js").write_text(core, "utf-8")
    (sources / "lib" / "shipped-core.js").unlink()
    for name in names:
        (sources / f"{name}.js").write_text(ENTRY_ON_DISK % (name, name), "utf-8")
    esbuild(
        *sorted(str(path) for path in sources.rglob("*.js")),
        *(f"--outdir={target}", f"--outbase={sources}", "--format=cjs", "--platform=node"),
        *("--target=node20", "--supported:dynamic-import=false", "--define:import.meta.url=__url"),
        f"--banner:js={CJS_URL}",
    )
    shutil.rmtree(sources)
    (target / "package.json").write_text('{ "type": "commonjs" }\n', "utf-8")
    for path in (*folder.glob("*.d.ts"), *folder.glob("*.mjs"), folder / "python.zip"):
        shutil.copyfile(path, target / path.name)


def join_modules(folder: Path) -> None:
    """Join the modules that the entries for Node import: as files, importing takes twice as long.

    Those that other entries import, too, stay files where it must be the same one: the errors, for
    programs ask for their class. Those with the core and the encodings are large.
    """
    outside = [folder / "lib" / "errors.js", *folder.glob("lib/shipped-*.js")]
    esbuild(
        *sorted(str(path) for path in folder.glob("node*.js")),
        *(f"--outdir={folder}", "--allow-overwrite", "--chunk-names=node-[hash]"),
        *("--bundle", "--splitting", "--format=esm", "--platform=node", "--target=node20"),
        *(f"--external:{path}" for path in outside),
    )
    for name in ("disk.js", "node-core.js", "node-thread.js"):  # which no other entry imports
        (folder / "lib" / name).unlink()


def esbuild(*arguments: str, text: str | None = None) -> None:
    """Run esbuild in web/package, with a text as its input.

    Raises:
        SystemExit: it is missing, or fails.
    """
    if not ESBUILD.is_file():
        raise SystemExit("esbuild is missing: npm ci in tests/")
    command = [str(ESBUILD), *arguments, "--charset=utf8", "--log-level=warning"]
    if subprocess.run(command, input=text, text=True, cwd=SOURCES, check=False).returncode:
        raise SystemExit("esbuild could not make the package; its messages stand above")


def assemble_alone(
    folder: Path, file: Path, package: str | None, license: str | None, license_file: Path | None
) -> None:
    """Write the package of one tokenizer into an empty folder.

    Args:
        folder: where to.
        file: the .wwho file.
        package: the package's name; None: wwho- and the encoding's, as far as npm allows.
        license: its SPDX identifier; None: what the file says.
        license_file: its text; None: only of Apache-2.0, which is ours too.

    Raises:
        SystemExit: npm allows no such name, the licence or its text is not known, or esbuild is
            missing, or fails.
        OSError: a file cannot be read.
        WwhoError: the file is no tokenizer.
    """
    import wwho

    tokenizer = wwho.Tokenizer.load(file)
    name, recorded = tokenizer.name, tokenizer.info.provenance
    package = package or re.sub(r"[^a-z0-9._~-]+", "-", f"wwho-{name.lower()}")
    if not PACKAGE.fullmatch(package):
        raise SystemExit(f"--name {package!r} is none that npm allows, such as @wwho/qwen")
    license = license or recorded.get("license", "unknown")
    if license == "unknown":
        raise SystemExit(f"{file} does not say its licence: give its identifier with --license")
    if license_file is None and license != "Apache-2.0":
        raise SystemExit(f"give the text of {license} with --license-file FILE")
    shutil.copyfile(license_file or ROOT / "LICENSE", folder / "LICENSE")
    shutil.copyfile(file, folder / "model.wwho")
    bundled(ENTRY % (name, base64_of(file)), folder / "index.js", "esm")
    bundled(ENTRY_ALONE, folder / "index.cjs", "cjs")
    types = ENTRY_TYPES.replace('"./index.js"', '"wwho"') % name
    for declarations in ("index.d.ts", "index.d.cts"):
        (folder / declarations).write_text(types, "utf-8")
    version = json.loads((SOURCES / "package.json").read_text("utf-8"))["version"]
    described = {
        "name": package,
        "version": version,
        "description": f"The tokenizer {name} for wwho",
        "license": license,
        "type": "module",
        "sideEffects": False,
        "peerDependencies": {"wwho": f"^{version}"},
        "main": "./index.cjs",
        "module": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": {
                "types": {"require": "./index.d.cts", "default": "./index.d.ts"},
                "module": "./index.js",
                "require": "./index.cjs",
                "default": "./index.js",
            },
            "./model.wwho": "./model.wwho",
            "./package.json": "./package.json",
        },
    }
    (folder / "package.json").write_text(json.dumps(described, indent=2) + "\n", "utf-8")
    told = {
        "package": package,
        "name": name,
        "ids": f"{tokenizer.n_vocab:,}",
        "source": recorded.get("source") or "a source that its file does not name",
        "license": license,
    }
    (folder / "README.md").write_text(README % told, "utf-8")


def bundled(entry: str, output: Path, form: str) -> None:
    """Bundle an entry that stands in web/package, but for what others install."""
    esbuild(
        *("--bundle", f"--format={form}", "--target=es2022", f"--outfile={output}"),
        *("--external:wwho", "--external:node:*"),
        text=entry,
    )


def build(target: Path = TARGET) -> Path:
    """Assemble and pack the package in `target`; return the tarball.

    Raises:
        SystemExit: a part is missing, or npm fails.
    """
    folder = emptied(target / "wwho")
    assemble(folder)
    return packed(folder)


def build_alone(
    file: Path,
    package: str | None = None,
    license: str | None = None,
    license_file: Path | None = None,
    target: Path = TARGET,
) -> Path:
    """Pack one tokenizer as `assemble_alone` says; return the tarball."""
    folder = emptied(target / file.stem)
    assemble_alone(folder, file, package, license, license_file)
    return packed(folder)


def emptied(folder: Path) -> Path:
    """The folder, without what was there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def packed(folder: Path) -> Path:
    """Pack a package beside its folder; return the tarball.

    Raises:
        SystemExit: npm is missing, or fails.
    """
    target = folder.parent
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing: install Node.js 20 or later")
    command = [npm, "pack", "--json", "--pack-destination", str(target)]
    packed = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)
    if packed.returncode:
        raise SystemExit("npm could not pack the package; its messages stand above")
    answer = json.loads(packed.stdout)
    # npm 11 and before: a list of packages; later: by name.
    details = answer[0] if isinstance(answer, list) else next(iter(answer.values()))
    return target / str(details["filename"])


def main() -> None:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--encoding", type=Path, metavar="FILE", help="pack this tokenizer alone")
    parser.add_argument("--name", help="the name of its package (wwho-NAME)")
    parser.add_argument("--license", help="its licence, as SPDX has it (what the file says)")
    parser.add_argument("--license-file", type=Path, help="the text (of Apache-2.0: ours)")
    options = parser.parse_args()
    if options.encoding is not None:
        from wwho.errors import WwhoError

        given = (options.encoding, options.name, options.license, options.license_file)
        try:
            path = build_alone(*given)
        except (OSError, WwhoError) as error:
            raise SystemExit(str(error)) from None
    else:
        for source, text in lists(encodings()).items():
            source.write_text(text, "utf-8")
        path = build()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
