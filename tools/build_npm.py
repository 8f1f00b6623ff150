"""Assemble the npm package `wwho` in build/npm/wwho and pack it: build/npm/wwho-VERSION.tgz.

    python tools/build_npm.py
    python tools/build_npm.py --encoding qwen.wwho --name @wwho/qwen --license Apache-2.0

The second packs one tokenizer as a package of its own, which needs `wwho` beside it. Whoever
publishes it knows its licence; we publish our own encodings alone.

web/package holds its sources, which run as they are. The package adds what has another home, the
encodings and the licence, and what is generated:

* ``edge.js`` and its like, modules of the entries that tools/npm_entries.py lists;
* ``o200k_base.js`` and its like, an entry for each file in py/wwho/models, with the file inside;
* the modules in ``compat/``, which tools/compat_entries.py lists;
* ``lib/shipped-core.js``, the core inside, and the same for Node in ``lib/node-core.js``;
* ``lib/shipped-modules.js``, an import of each encoding's entry;
* ``python.zip``, wwho in Python without encodings, which wwho/import runs in Pyodide;
* ``import-thread.mjs``, the program of its Worker with the modules that it imports;
* ``cjs/``, the same modules for CommonJS, which read core and encodings from their files;
* ``node*.js``, with the modules of lib that they import joined in a few files.

The folder py/wwho/models is the list of encodings. What web/package has from that list and from the
list of entries (`generated_sources`) is written anew first. Needs npm to pack, and esbuild (npm ci
in tests/).
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

from compat_entries import compat_exports, compat_modules
from npm_entries import (
    ASSETS,
    BROWSER,
    ENTRIES,
    OTHER_FILES,
    Entry,
    exports_of,
    files_of,
    generated_modules,
)

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "web" / "package"
MODELS = ROOT / "py" / "wwho" / "models"
TARGET = ROOT / "build" / "npm"
ESBUILD = ROOT / "tests" / "node_modules" / ".bin" / "esbuild"

PACKAGE = re.compile(r"(?=.{1,214}$)(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*")
"""A name that npm allows."""

FILES = SOURCES / "lib" / "shipped-files.js"
TYPES = SOURCES / "index.d.ts"
MANIFEST = SOURCES / "package.json"

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
import { fromBase64, openOnce } from "./lib/embedded.js";

export const bytes = () => fromBase64(FILE);
export const load = /* @__PURE__ */ openOnce(() => Tokenizer.loadSync(bytes()));

const FILE =
  "%s";
"""
# For CommonJS, which reads files from their folder: the package should not hold them a third time.
ENTRY_ON_DISK = """\
// The encoding %s.

import { readFileSync } from "node:fs";

import { openOnce } from "./lib/embedded.js";
import { Tokenizer } from "./node-tokenizer.js";

const file = new URL("../models/%s.wwho", import.meta.url);

export const bytes = () => new Uint8Array(readFileSync(file));
export const load = openOnce(() => Tokenizer.loadSync(bytes()));
"""
ENTRY_TYPES = """\
import type { Tokenizer } from "./index.js";

/** Return the tokenizer %s, whose file this module has: one for all callers, until it is freed. */
export function load(): Tokenizer;

/** Return the bytes of that file, for WorkerTokenizer.load and others. */
export function bytes(): Uint8Array<ArrayBuffer>;
"""
# For CommonJS in a package of one tokenizer. It is bundled, so that it imports nothing of wwho but
# what is public.
ENTRY_ALONE = """\
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Tokenizer } from "wwho/tokenizer";
import { openOnce } from "./lib/embedded.js";

export const bytes = () => new Uint8Array(readFileSync(join(__dirname, "model.wwho")));
export const load = openOnce(() => Tokenizer.loadSync(bytes()));
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
# The first line of a CommonJS module. It defines import.meta.url, which esbuild does not, and what
# the globals of Jest with jsdom lack.
CJS_BANNER = (
    'const __url = require("node:url").pathToFileURL(__filename).href, '
    '{ TextDecoder, TextEncoder } = require("node:util");'
)


def encodings() -> list[str]:
    """Return the names of the encodings that ship, sorted: the .wwho files in py/wwho/models."""
    return sorted(path.stem for path in MODELS.glob("*.wwho"))


def encoding_entries(names: list[str]) -> list[Entry]:
    """Return the entry of each encoding: one module for all runtimes, as for wwho/chat."""
    return [Entry(name, (BROWSER,)) for name in names]


def generated_sources(names: list[str]) -> dict[Path, str]:
    """Return the text of each file of web/package that is written from a list, by its path.

    These are the modules of entries for browsers and Node, package.json, and the two files that
    name every encoding. The files themselves stay as they are.

    Args:
        names: the encodings.

    Raises:
        SystemExit: a file does not have the place where encodings are listed.
    """
    urls = "".join(
        f'  {name}: () => new URL("../models/{name}.wwho", import.meta.url),\n' for name in names
    )
    types = "".join(f'\n  | "{name}"' for name in names)
    package = json.loads(MANIFEST.read_text("utf-8"))
    package["exports"] = exports_of(ENTRIES) | compat_exports() | ASSETS
    package["files"] = sorted([*files_of(ENTRIES), *OTHER_FILES])
    return {
        FILES: replace_once(FILES, r"(?<=ENCODINGS = \{\n)(?:  .*\n)*", urls),
        TYPES: replace_once(TYPES, r"(?<=type EncodingName =)[^;]*", types),
        MANIFEST: json.dumps(package, indent=2) + "\n",
        **{SOURCES / name: text for name, text in generated_modules(in_sources=True).items()},
    }


def replace_once(path: Path, pattern: str, text: str) -> str:
    """Return the text of a file with the one match of `pattern` replaced; the file stays.

    Raises:
        SystemExit: the pattern does not match exactly once.
    """
    changed, count = re.subn(pattern, lambda _: text, path.read_text("utf-8"))
    if count != 1:
        raise SystemExit(f"{path.relative_to(ROOT)} should match {pattern} once")
    return changed


def encoding_imports(names: list[str]) -> str:
    """Return the text of lib/shipped-modules.js: an import of each encoding's module."""
    imports = "".join(f'  {name}: () => import("../{name}.js"),\n' for name in names)
    return (
        "// The encodings as modules, for all but browsers.\n\n"
        f"export const ENCODINGS = {{\n{imports}}};\n"
    )


def base64_of(path: Path) -> str:
    """Return the contents of a file in base64."""
    return base64.b64encode(path.read_bytes()).decode("ascii")


def printable(data: bytes) -> str:
    """Return bytes as the printable ASCII that fromPrintable of lib/embedded.js reads.

    A byte plus 4, modulo 256, is a page of 90 characters and a place in it: the pages begin with
    nothing, "}" and "~", and "#" is the first place. "<" is written "!" and a backslash " ", so
    that the text can stand in a JavaScript string and in a script of HTML.
    """
    places = [divmod((byte + 4) % 256, 90) for byte in range(256)]
    characters = [("", "}", "~")[page] + chr(place + 35) for page, place in places]
    text = "".join(characters[byte] for byte in data)
    return text.translate({ord("<"): "!", ord("\\"): " "})


def manifest(names: list[str]) -> dict[str, Any]:
    """Return package.json as it is published: public, and with the encodings' entries.

    Raises:
        SystemExit: its version is not that of the Python package.
    """
    package: dict[str, Any] = json.loads(generated_sources(names)[MANIFEST])
    version = (ROOT / "py" / "wwho" / "version.py").read_text("utf-8")
    found = re.search(r'__version__ = "(.+)"', version)
    if found is None or found[1] != package["version"]:
        raise SystemExit(
            f"web/package/package.json has version {package['version']}, the project another"
        )
    # Only what this tool assembles may be published.
    del package["private"]
    package["files"].append("node-*.js")  # see join_modules
    package["files"] += files_of(encoding_entries(names))
    package["exports"] |= exports_of(encoding_entries(names))
    return package


def assemble(folder: Path) -> None:
    """Write the package into an empty folder, ready to be packed.

    Raises:
        SystemExit: a file that package.json lists is missing, or esbuild.
    """
    names = encodings()
    package = manifest(names)
    copy_sources(package["files"], folder)
    core = SOURCES / "wwho.wasm"
    text = printable(core.read_bytes())
    files = {
        path.relative_to(SOURCES).as_posix(): text
        for path, text in generated_sources(names).items()
    }
    files |= generated_modules(in_sources=False)
    files |= compat_modules()
    files |= {
        "lib/shipped-core.js": CORE % {"decode": "fromPrintable", "text": text},
        # Node decodes base64 in a tenth of the time, and its users download no text.
        "lib/node-core.js": CORE % {"decode": "fromBase64", "text": base64_of(core)},
        "lib/shipped-modules.js": encoding_imports(names),
        "package.json": json.dumps(package, indent=2) + "\n",
    }
    for name in names:
        files[f"{name}.js"] = ENTRY % (name, base64_of(MODELS / f"{name}.wwho"))
        files[f"{name}.d.ts"] = ENTRY_TYPES % name
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    archive = runpy.run_path(str(ROOT / "py" / "wwho" / "serve" / "python_archive.py"))
    (folder / "python.zip").write_bytes(archive["pack_python"](models=False))
    join_import_thread(folder)
    write_commonjs(folder, names)
    join_modules(folder)
    missing = [name for name in package["files"] if not any(folder.glob(name))]
    if missing:
        raise SystemExit(
            f"the package lacks {', '.join(missing)}, which web/package/package.json lists"
        )


def copy_sources(names: list[str], folder: Path) -> None:
    """Copy what stands in the repository into the package's folder: files, folders, and models.

    Args:
        names: the `files` of package.json; those that are generated later are passed over.
        folder: the package.
    """
    homes = {"LICENSE": ROOT, "NOTICE": ROOT}
    for name in names:
        source = homes.get(name, SOURCES) / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.is_file():
            shutil.copyfile(source, folder / name)
    shutil.copytree(MODELS, folder / "models", ignore=shutil.ignore_patterns("__pycache__"))


def write_commonjs(folder: Path, names: list[str]) -> None:
    """Write cjs/: the modules that Node runs, each transpiled on its own, and their types.

    The modules there read the core, the encodings and the patterns from their files in the package.

    Args:
        folder: the package, with its other modules in place.
        names: the encodings.

    Raises:
        SystemExit: esbuild is missing, or fails.
    """
    target = folder / "cjs"
    sources = folder / "cjs-sources"
    shutil.copytree(folder / "lib", sources / "lib")
    types = shutil.ignore_patterns("*.d.ts")
    shutil.copytree(folder / "compat", sources / "compat", ignore=types)
    for path in (*folder.glob("node*.js"), folder / "chat.js"):
        shutil.copyfile(path, sources / path.name)
    core = (SOURCES / "lib" / "node-core.js").read_text("utf-8")
    core = core.replace("../wwho.wasm", "../../wwho.wasm")
    (sources / "lib" / "node-core.js").write_text(core, "utf-8")
    patterns = sources / "lib" / "shipped-patterns.js"
    text = patterns.read_text("utf-8").replace("../patterns/", "../../patterns/")
    patterns.write_text(text, "utf-8")
    (sources / "lib" / "shipped-core.js").unlink()
    for name in names:
        (sources / f"{name}.js").write_text(ENTRY_ON_DISK % (name, name), "utf-8")
    esbuild(
        *sorted(str(path) for path in sources.rglob("*.js")),
        f"--outdir={target}",
        f"--outbase={sources}",
        "--format=cjs",
        "--platform=node",
        "--target=node20",
        "--supported:dynamic-import=false",
        "--define:import.meta.url=__url",
        f"--banner:js={CJS_BANNER}",
    )
    shutil.rmtree(sources)
    (target / "package.json").write_text('{ "type": "commonjs" }\n', "utf-8")
    copied = [*folder.glob("*.d.ts"), *folder.glob("compat/*.d.ts"), *folder.glob("*.mjs")]
    for path in (*copied, folder / "python.zip"):
        shutil.copyfile(path, target / path.relative_to(folder))


def join_import_thread(folder: Path) -> None:
    """Join the program of an import's Worker with its modules: bundlers copy it as one file.

    Raises:
        SystemExit: esbuild is missing, or fails.
    """
    name = "import-thread.mjs"
    form = ("--bundle", "--format=esm", "--target=es2022")
    esbuild(name, f"--outfile={name}", "--allow-overwrite", *form, folder=folder)
    for path in folder.glob("lib/import-*.js"):  # which no other entry imports
        path.unlink()


def join_modules(folder: Path) -> None:
    """Join the modules that the entries for Node import: as files, importing takes twice as long.

    The joined modules are named node-HASH.js. Modules that other entries import, too, stay files
    where it must be the same one: the errors, for programs ask for their class. So do those with
    the core and the encodings, which are large.

    Raises:
        SystemExit: esbuild is missing, or fails.
    """
    outside = ["lib/errors.js", *(f"lib/{path.name}" for path in folder.glob("lib/shipped-*.js"))]
    # From within the folder: the hashes are also those of the names of files, which must not tell
    # where the package is built.
    esbuild(
        *sorted(path.name for path in folder.glob("node*.js")),
        "--outdir=.",
        "--allow-overwrite",
        "--chunk-names=node-[hash]",
        "--bundle",
        "--splitting",
        "--format=esm",
        "--platform=node",
        "--target=node20",
        *(f"--external:./{path}" for path in outside),
        folder=folder,
    )
    for name in ("disk.js", "node-core.js", "node-thread.js"):  # which no other entry imports
        (folder / "lib" / name).unlink()


def esbuild(*arguments: str, text: str | None = None, folder: Path = SOURCES) -> None:
    """Run esbuild in a folder.

    Args:
        *arguments: of its command line.
        text: a module on its standard input, if that is the entry.
        folder: the folder, from which names on the command line start.

    Raises:
        SystemExit: it is missing, or fails.
    """
    if not ESBUILD.is_file():
        raise SystemExit("esbuild is missing: npm ci in tests/")
    command = [str(ESBUILD), *arguments, "--charset=utf8", "--log-level=warning"]
    if subprocess.run(command, input=text, text=True, cwd=folder, check=False).returncode:
        raise SystemExit("esbuild could not make the package; its messages stand above")


def assemble_alone(
    folder: Path, file: Path, package: str | None, license: str | None, license_file: Path | None
) -> None:
    """Write the package of one tokenizer into an empty folder: modules, types, README and licence.

    Args:
        folder: where to.
        file: the .wwho file.
        package: the package's name; None: wwho- and the encoding's, as far as npm allows.
        license: its SPDX identifier; None: what the file says.
        license_file: its text; None: only of Apache-2.0, which is ours too.

    Raises:
        SystemExit: npm allows no such name, the licence or its text is not known, or esbuild is
            missing or fails.
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
    write_bundle(ENTRY % (name, base64_of(file)), folder / "index.js", "esm")
    write_bundle(ENTRY_ALONE, folder / "index.cjs", "cjs")
    types = ENTRY_TYPES.replace('"./index.js"', '"wwho"') % name
    for declarations in ("index.d.ts", "index.d.cts"):
        (folder / declarations).write_text(types, "utf-8")
    version = json.loads((SOURCES / "package.json").read_text("utf-8"))["version"]
    manifest_alone = {
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
    (folder / "package.json").write_text(json.dumps(manifest_alone, indent=2) + "\n", "utf-8")
    facts = {
        "package": package,
        "name": name,
        "ids": f"{tokenizer.n_vocab:,}",
        "source": recorded.get("source") or "a source that its file does not name",
        "license": license,
    }
    (folder / "README.md").write_text(README % facts, "utf-8")


def write_bundle(entry: str, output: Path, form: str) -> None:
    """Bundle a module with what it imports from web/package; `wwho` and Node's stay imports.

    Args:
        entry: the module's text.
        output: the file to write.
        form: "esm" or "cjs".

    Raises:
        SystemExit: esbuild is missing, or fails.
    """
    esbuild(
        "--bundle",
        f"--format={form}",
        "--target=es2022",
        f"--outfile={output}",
        "--external:wwho",
        "--external:node:*",
        text=entry,
    )


def build(target: Path = TARGET) -> Path:
    """Assemble the package in `target`/wwho and pack it beside that folder; return the tarball.

    What was in the folder is deleted; the sources stay as they are.

    Raises:
        SystemExit: a part is missing, or npm fails.
    """
    folder = empty_folder(target / "wwho")
    assemble(folder)
    return pack(folder)


def build_alone(
    file: Path,
    package: str | None = None,
    license: str | None = None,
    license_file: Path | None = None,
    target: Path = TARGET,
) -> Path:
    """Assemble the package of one tokenizer below `target`, and pack it; return the tarball.

    The arguments and errors are those of `assemble_alone`, and SystemExit if npm fails.
    """
    folder = empty_folder(target / file.stem)
    assemble_alone(folder, file, package, license, license_file)
    return pack(folder)


def empty_folder(folder: Path) -> Path:
    """Delete a folder with all in it, make it again, and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def pack(folder: Path) -> Path:
    """Run npm pack on a package, which writes the tarball beside its folder; return the tarball.

    Raises:
        SystemExit: npm is missing, or fails.
    """
    target = folder.parent
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing: install Node.js 20 or later")
    command = [npm, "pack", "--json", "--pack-destination", str(target)]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit("npm could not pack the package; its messages stand above")
    answer = json.loads(done.stdout)
    # npm 11 and before: a list of packages; later: by name.
    details = answer[0] if isinstance(answer, list) else next(iter(answer.values()))
    return target / str(details["filename"])


def main() -> None:
    """Build what the command line asks for, and print the tarball's path and size.

    Without --encoding, files of web/package that are written from lists are brought up to date.
    """
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
        for source, text in generated_sources(encodings()).items():
            source.write_text(text, "utf-8")
        path = build()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
