"""The npm package as its users install it, in each runtime and behind each bundler."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from packaged import (
    MODULES,
    ROOT,
    answer,
    esbuild,
    free_address,
    missing,
    program,
    run,
    workerd,
)

import wwho

pytestmark = pytest.mark.page

TEXT = "ඔයා 1 special अद्भुत"
RESULT = "document.documentElement.dataset.result"
ENCODINGS = ("o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k")
TSC = MODULES / "typescript" / "bin" / "tsc"
OLDER_TSC = MODULES / "typescript-5" / "bin" / "tsc"  # the last one written in JavaScript


IMPORTS = """\
import model from "wwho/encodings/o200k_base.wwho";
import { bytes as file, load } from "wwho/o200k_base";
import { Tokenizer as Same } from "wwho/tokenizer";
import module from "wwho/wwho.wasm";
import again from "wwho/wwho.wasm?module";
export const core: WebAssembly.Module[] = [module, again];
export const tokenizers: Promise<Tokenizer>[] = [Same.load(model), Same.load(file())];
export const loaded: Tokenizer = load();
"""
REQUIRED = """\
import wwho = require("wwho");
import { load } from "wwho/o200k_base";
export const name: Promise<string> = wwho.getEncoding("cl100k_base").then(({ name }) => name);
export const ids: Uint32Array = load().encode("text");
"""


EMBEDDED = """\
import { fromBase64, fromPrintable } from "./node_modules/wwho/lib/embedded.js";
import { coreSource } from "./node_modules/wwho/lib/shipped-core.js";
const { Buffer } = globalThis;
const [printable, base64] = process.argv.slice(1);
const read = [coreSource(), fromPrintable(printable), fromBase64(base64)];
delete Uint8Array.fromBase64; // of later versions
read.push(fromBase64(base64));
delete globalThis.Buffer;
read.push(fromBase64(base64));
console.log(JSON.stringify(read.map((bytes) => Buffer.from(bytes).toString("hex"))));
"""

ONE_CLASS = """\
import { WwhoError } from "wwho";
import { load } from "wwho/o200k_base";
import { countChat } from "wwho/openai";
import { Tokenizer } from "wwho/tokenizer";
import { WorkerTokenizer } from "wwho/worker";
const calls = [
  () => load().encode(5),
  () => countChat([], 5),
  () => Tokenizer.load(5),
  () => WorkerTokenizer.load(5),
];
const failed = (call) => call().then(() => false, (error) => error instanceof WwhoError);
const all = await Promise.all(calls.map((call) => failed(async () => call())));
console.log(JSON.stringify([load() instanceof Tokenizer, ...all]));
"""


@pytest.fixture(scope="session")
def count() -> int:
    """The tokens of TEXT, from the native core."""
    return wwho.get_encoding("wwho_328k").count(TEXT)


def lines(name: str) -> int:
    """How many vectors of a tokenizer are no errors."""
    path = ROOT / "tests" / "vectors" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return sum("error" not in row for row in rows)


def expect_all(checked: dict[str, int], *more: str) -> None:
    assert checked == {name: lines(name) for name in (*ENCODINGS, *more)}


def shown(page: Any, address: str) -> Any:
    """What a page found out."""
    page.goto(address)
    page.wait_for_selector("html[data-result]", state="attached")
    return json.loads(page.evaluate(RESULT))


# What is in it


def imported(path: Path) -> list[Path]:
    """The modules beside it that a module imports."""
    found = re.findall(r'(?:from|import) "(\.[^"]+)"', path.read_text("utf-8"))
    return [(path.parent / each).resolve() for each in found]


def test_what_javascript_holds_is_the_file(project: Path) -> None:
    """However a runtime decodes it."""
    import build_npm

    every = bytes(range(256))
    text = build_npm.printable(every)
    assert text.isascii()
    assert text.isprintable()
    assert not {*'"\\<'} & {*text}
    given = ("--input-type=module", "-e", EMBEDDED, "--", text, b64encode(every).decode())
    core = (ROOT / "web" / "package" / "wwho.wasm").read_bytes()
    assert json.loads(run("node", *given, cwd=project)) == [core.hex(), *4 * [every.hex()]]


def test_node_reads_few_files(project: Path) -> None:
    """Modules of lib are joined for it, but for those that other entries share."""
    package = project / "node_modules" / "wwho"
    reached, todo = set[Path](), [package / "node-tokenizer.js"]
    while todo:
        path = todo.pop()
        if path not in reached:
            reached.add(path)
            todo += imported(path)
    kept = {path.name for path in reached if path.parent.name == "lib"}
    assert kept == {"errors.js"}
    assert len(reached) < 10
    folders = ("", "lib/**/", "compat/**/")
    modules = {path for each in folders for path in package.glob(f"{each}*.js")}
    used = {each for path in modules for each in imported(path)}
    assert {path for path in modules - used if package / "lib" in path.parents} == set()
    given = ("--input-type=module", "-e", ONE_CLASS)
    assert json.loads(run("node", *given, cwd=project)) == [True] * 5


def test_the_tarball_holds_what_is_needed_and_nothing_else(project: Path) -> None:
    package = project / "node_modules" / "wwho"
    names = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert {f"models/{name}.wwho" for name in ENCODINGS} <= names
    assert {"LICENSE", "NOTICE", "README.md", "MIGRATING.md", "wwho.wasm"} <= names
    assert {f"{name}.{kind}" for name in ENCODINGS for kind in ("js", "d.ts")} <= names
    assert not [name for name in names if name.startswith(("page", "test")) or "html" in name]
    assert (package / "import-thread.mjs").stat().st_size > 4096  # import.js says why
    described = json.loads((package / "package.json").read_text("utf-8"))
    assert described["version"] == wwho.__version__
    assert described["sideEffects"] is False
    assert "private" not in described
    for name in ENCODINGS:
        source = ROOT / "py" / "wwho" / "models" / f"{name}.wwho"
        assert (package / "models" / f"{name}.wwho").read_bytes() == source.read_bytes()


def targets(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from targets(each)


def test_every_export_leads_to_a_file(project: Path) -> None:
    package = project / "node_modules" / "wwho"
    described = json.loads((package / "package.json").read_text("utf-8"))
    for target in targets([described[key] for key in ("main", "module", "types", "exports")]):
        path = target.removeprefix("./").removesuffix("?module")
        assert list(package.glob(path)), target
    for conditions in described["exports"].values():
        if not isinstance(conditions, str):
            assert next(iter(conditions)) == "types"
            assert list(conditions)[-1] == "default"


def test_what_is_written_from_lists_is_up_to_date() -> None:
    """The lists are the folder of models, and the entries in tools/npm_entries.py."""
    sys.path.insert(0, str(ROOT / "tools"))
    import build_npm

    for path, text in build_npm.generated_sources(build_npm.encodings()).items():
        assert path.read_text("utf-8") == text, "python tools/build_npm.py brings it up to date"


def test_building_needs_no_package_of_python() -> None:
    """As README says, any Python will do: this one runs without what is installed."""
    for name in ("py/wwho/serve/python_archive.py", "tools/build_npm.py"):
        code = f"import runpy, sys; sys.path.insert(0, 'tools'); runpy.run_path({name!r})"
        run(sys.executable, "-S", "-c", code, cwd=ROOT, PYTHONPATH="")


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import build_npm

    first, second = (build_npm.build(tmp_path / name).read_bytes() for name in ("a", "longer"))
    assert first == second


def test_nothing_happens_on_import_and_nothing_waits(project: Path) -> None:
    """An import that is not used leaves no byte in a bundle: sideEffects is true to its word."""
    bundle = project / "unused.mjs"
    bundle.write_text(
        'import "wwho"; import "wwho/worker"; import "wwho/o200k_base"; export {};', "utf-8"
    )
    options = ("--bundle", "--format=esm", "--platform=browser", "--minify")
    # In the format of a script, a top-level await is an error.
    script = (
        "--bundle",
        "--format=iife",
        "--platform=browser",
        "--log-override:empty-import-meta=silent",
    )
    assert run(program("esbuild"), bundle, *options, cwd=project).strip() == ""
    used = project / "used.mjs"
    used.write_text('export * from "wwho"; export * as far from "wwho/worker";', "utf-8")
    built = run(program("esbuild"), used, *script, cwd=project)
    assert "node:" not in built
    assert "getEncoding" in built


@pytest.mark.slow
def test_declarations_serve_a_strict_project(project: Path) -> None:
    """The consumer of tests/web/types, against the installed package."""
    consumer = (ROOT / "tests" / "web" / "types" / "consumer.ts").read_text("utf-8")
    consumer = re.sub(r'"../../../web/package/(\w+)\.js"', r'"wwho/\1"', consumer)
    consumer = consumer.replace('"wwho/index"', '"wwho"')
    assert "../web" not in consumer
    (project / "consumer.ts").write_text(f"{consumer}\n{IMPORTS}", "utf-8")
    (project / "required.cts").write_text(REQUIRED, "utf-8")
    options = json.loads((ROOT / "tests/web/types/tsconfig.json").read_text("utf-8"))
    options["files"] += ["required.cts"]
    for module, resolution, compiler in (
        ("nodenext", "nodenext", TSC),
        ("preserve", "bundler", OLDER_TSC),
    ):
        options["compilerOptions"] |= {"module": module, "moduleResolution": resolution}
        (project / "tsconfig.json").write_text(json.dumps(options), "utf-8")
        run("node", compiler, "-p", "tsconfig.json", cwd=project)


ALONE = """\
import { createRequire } from "node:module";
import { bytes, load } from "@our/tiny";
const common = createRequire(import.meta.url)("@our/tiny");
const [ids, again] = [load(), common.load()].map((enc) => [...enc.encode(process.argv[2])]);
console.log(JSON.stringify({ ids, again, size: bytes().length, once: load() === load() }));
"""
ALONE_TYPES = """\
import { bytes, load } from "@our/tiny";
import type { Tokenizer } from "wwho";
export const tokenizer: Tokenizer = load();
export const file: Uint8Array = bytes();
"""


@pytest.mark.slow
def test_one_tokenizer_as_a_package_of_its_own(project: Path, tmp_path: Path) -> None:
    """Packed, installed beside wwho, used by modules of both kinds, by TypeScript and a bundler."""
    import build_npm

    tiny = ROOT / "tests" / "vectors" / "tiny.wwho"
    with pytest.raises(SystemExit, match="--license-file"):
        build_npm.build_alone(tiny, license="MIT", target=tmp_path / "refused")
    with pytest.raises(SystemExit, match="'Bad Name' is none that npm allows"):
        build_npm.build_alone(tiny, "Bad Name", target=tmp_path / "refused")
    wrong = [sys.executable, build_npm.__file__, "--encoding", "no.wwho"]
    done = subprocess.run(wrong, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["[Errno 2] No such file or directory: 'no.wwho'"]
    tarball = build_npm.build_alone(tiny, "@our/tiny", "Apache-2.0", target=tmp_path / "packed")
    (ours,) = (project.parent / "packed").glob("wwho-*.tgz")
    user = tmp_path / "user"
    user.mkdir()
    (user / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
    npm = ("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund")
    run(*npm, ours, tarball, cwd=user)
    installed = user / "node_modules" / "@our" / "tiny"
    assert sorted(path.name for path in installed.iterdir()) == [
        *("LICENSE", "README.md", "index.cjs", "index.d.cts", "index.d.ts", "index.js"),
        *("model.wwho", "package.json"),
    ]
    assert (installed / "model.wwho").read_bytes() == tiny.read_bytes()
    (user / "alone.mjs").write_text(ALONE, "utf-8")
    found = json.loads(run("node", "alone.mjs", TEXT, cwd=user))
    ids = wwho.Tokenizer.load(tiny).encode(TEXT)
    assert found == {"ids": ids, "again": ids, "size": tiny.stat().st_size, "once": True}
    (user / "alone.ts").write_text(ALONE_TYPES, "utf-8")
    types = ("--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "alone.ts")
    run("node", TSC, *types, cwd=user)
    built = run(program("esbuild"), "alone.ts", "--bundle", "--format=esm", cwd=user)
    assert "node:" not in built


# Runtimes


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("node",),
        # CommonJS as before 20.19, for programs of both kinds.
        ("node", "--no-experimental-require-module"),
        ("deno", "run", "--allow-read=."),
        ("bun", "run"),
    ],
    ids=" ".join,
)
def test_runtimes_with_files(project: Path, command: tuple[str, ...]) -> None:
    name, *arguments = command
    path = shutil.which("node") if name == "node" else program(name)
    assert path
    found = json.loads(run(path, *arguments, "files.mjs", cwd=project, NO_COLOR="1"))
    expect_all(found["checked"], "tiny")
    assert found["counts"] == [2, 2, 2, 1, 2, 1001, 2]


@pytest.mark.slow
def test_imports_in_node(project: Path, tmp_path: Path, cli: Any) -> None:
    """The bytes of `wwho import`, in JavaScript and in Python; and what is refused, by status."""
    pyodide = ROOT / "tests" / "pyodide" / "node_modules" / "pyodide-314"
    if not pyodide.is_dir():
        missing("Pyodide", "npm ci in tests/pyodide")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    sentencepiece = pytest.importorskip("sentencepiece", reason="sentencepiece is not installed")
    theirs = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "a": 1}, "[UNK]"))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    theirs.save(str(tmp_path / "tokenizer.json"))
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["shore and storm", "the shore"]),
        model_prefix=str(tmp_path / "tiny"),
        vocab_size=16,
        minloglevel=2,
    )
    level = tokenizers.pre_tokenizers.ByteLevel
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer, theirs.decoder = level(), tokenizers.decoders.ByteLevel()
    theirs.normalizer = tokenizers.normalizers.NFC()
    trainer = tokenizers.trainers.BpeTrainer(initial_alphabet=level.alphabet())
    theirs.train_from_iterator(["shore and storm", "the shore"], trainer)
    theirs.save(str(tmp_path / "bytes.json"))
    files = [tmp_path / name for name in ("bytes.json", "tokenizer.json", "tiny.model")]
    hashes = []
    for path in files:
        made = path.with_suffix(".wwho")
        assert cli("import", path, "-o", made).code == 0
        hashes.append(hashlib.sha256(made.read_bytes()).hexdigest())
    found = json.loads(run("node", "importing.mjs", pyodide, *files, cwd=project))
    assert found["inJavaScript"] == 2 * hashes[:1]
    assert found["by"] == 2 * ["javascript"]
    assert found["made"] == hashes[1:]
    assert found["steps"] == ["load", "start", "import"] * 2
    assert found["damaged"]["status"] == "IMPORT"
    assert found["damaged"]["message"].startswith("tokenizer: /model/type: ")
    assert "Oak" in found["damaged"]["message"]
    assert [found[key]["status"] for key in ("option", "gone", "without")] == [
        *("ARGUMENT", "FETCH", "FETCH")
    ]
    assert "npm install pyodide" in found["without"]["message"]
    assert found["aborted"]["name"] == "AbortError"
    assert (found["stopped"]["name"], found["stopped"]["message"]) == ("RangeError", "enough")


@pytest.mark.slow
def test_workerd(project: Path) -> None:
    """The core is an import, compiled beforehand: there, nothing may be compiled at run time."""
    names = [f"{name}.jsonl" for name in ENCODINGS]
    vectors = {name: (project / "vectors" / name).read_text("utf-8") for name in names}
    (project / "vectors.json").write_text(json.dumps(vectors), "utf-8")
    esbuild(project, "workerd")
    with workerd(project) as address:
        found = json.loads(answer(address))
    assert "error" not in found, found["error"]
    expect_all(found["checked"])
    assert found["compiled"] == "refused"
    assert found["refused"] == "ARGUMENT"


# Chromium


def expect_page(found: dict[str, Any]) -> None:
    assert "error" not in found, found["error"]
    expect_all(found["checked"], "tiny")
    after = json.loads((ROOT / "tests" / "vectors" / "after.json").read_text("ascii"))
    assert found["after"] == Counter(line["encoding"] for line in after)
    enc = wwho.get_encoding("wwho_328k")
    assert found["counts"] == [enc.count("hello world"), enc.count(TEXT), enc.count("hello world")]
    assert found["missing"] == "ARGUMENT"
    size = (ROOT / "py" / "wwho" / "models" / "o200k_base.wwho").stat().st_size
    assert found["progress"] == {"loaded": size, "total": size}


def test_a_plain_page(browser: Any, site: str) -> None:
    """<script type="module">, a strict policy, and a server that takes .wasm for text."""
    context = browser.new_context()
    expect_page(shown(context.new_page(), f"{site}/page.html"))
    context.close()


def test_files_that_a_bundler_copies(page: Any, project: Path, site: str, count: int) -> None:
    """The core and a tokenizer by the addresses that esbuild gives them."""
    esbuild(project, "files")
    assert shown(page, f"{site}/built-files.html") == {"count": count}


REALMS = """async () => {
  const other = document.body.appendChild(document.createElement("iframe")).contentWindow;
  const { Tokenizer, initSync } = await import("./node_modules/wwho/tokenizer.js");
  const bytesOf = async (path) => (await fetch(`node_modules/wwho/${path}`)).arrayBuffer();
  initSync(new other.WebAssembly.Module(await bytesOf("wwho.wasm")));
  const model = await bytesOf("models/o200k_base.wwho");
  const address = new URL("node_modules/wwho/models/o200k_base.wwho", location.href);
  const bytes = new other.Uint8Array(new Uint8Array(model));
  const loaded = [
    Tokenizer.loadSync(bytes),
    Tokenizer.loadSync(bytes.buffer),
    Tokenizer.loadSync(new other.DataView(bytes.buffer)),
    await Tokenizer.load(new other.Blob([model])),
    await Tokenizer.load(new other.File([model], "o200k_base.wwho")),
    await Tokenizer.load(new other.Response(model)),
    await Tokenizer.load(new other.URL(address)),
  ];
  const [enc] = loaded;
  const ids = new other.Uint32Array(enc.encode("hello world"));
  const text = new other.Uint8Array(new TextEncoder().encode("hello world"));
  const { written } = enc.encodeInto(text, new other.Uint32Array(9));
  return [loaded.map(({ name }) => name), enc.decode(ids), enc.countTokens(text), written,
    await enc.countStream(new other.Blob([text]))];
}"""


def test_values_of_another_realm(page: Any, site: str) -> None:
    """A frame's, as those of a sandbox: they are no instances of this page's classes."""
    page.goto(f"{site}/big-file.html")
    assert page.evaluate(REALMS) == [["o200k_base"] * 7, "hello world", 2, 2, 2]


@pytest.mark.service_worker
def test_a_service_worker(page: Any, site: str, count: int) -> None:
    assert shown(page, f"{site}/service.html") == {"count": count, "streamed": count}


def test_100_megabytes_and_a_live_page(page: Any, site: str) -> None:
    """Counted in a Worker, with progress, while the page is drawn."""
    page.goto(f"{site}/big-file.html")
    line = "The kettle sings, ගෙදර යන පාරේ මල් පිපිලා; बगीचे में हवा चल रही थी 😀.\n"
    found = page.evaluate("(line) => window.countBigFile(line)", line)
    assert found["bytes"] >= 100_000_000
    assert found["count"] == found["expected"]
    assert found["reported"] == found["bytes"]
    assert found["progress"] > 100
    assert found["frames"] > 5
    assert found["reason"] == "AbortError"


def test_a_worker_whose_script_is_missing(browser: Any, site: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route("**/worker-thread.js", lambda route: route.fulfill(status=404))
    page.goto(f"{site}/big-file.html")
    found = page.evaluate(
        """async () => {
          const { getEncoding } = await import("./node_modules/wwho/worker.js");
          return getEncoding("o200k_base").catch(({ status, message }) => [status, message]);
        }"""
    )
    context.close()
    assert found[0] == "WORKER"
    assert "its script cannot be loaded" in found[1]


# Other engines


def polled(result: Callable[[], str | None]) -> Any:
    """What a page found out, asked for until it is there."""
    while not (text := result()):
        time.sleep(0.2)
    return json.loads(text)


@contextmanager
def virtual_display(program: str) -> Iterator[str]:
    """A screen that nobody sees; gives its name."""
    read, write = os.pipe()
    command = [program, "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        assert number, "Xvfb does not start"
        yield f":{number}"
    finally:
        process.terminate()
        process.wait()


def test_firefox(site: str, tmp_path: Path) -> None:
    driver = pytest.importorskip("marionette_driver", reason="marionette_driver is not installed")
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if firefox is None:
        missing("Firefox", "apt-get install firefox-esr")
    _, port = free_address()
    log = str(tmp_path / "gecko.log")
    browser = driver.marionette.Marionette(
        host="127.0.0.1", port=port, bin=firefox, headless=True, gecko_log=log
    )
    browser.start_session()
    try:
        browser.navigate(f"{site}/page.html")
        found = polled(lambda: browser.execute_script(f"return {RESULT}"))
    finally:
        browser.quit(in_app=False)
    expect_page(found)


def test_webkit(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    driver, display = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    browsers = sorted(Path("/usr/lib").glob("*/webkit2gtk-4*/MiniBrowser"))
    if driver is None or display is None or not browsers:
        missing("WebKitGTK", "apt-get install webkit2gtk-driver xvfb")
    for name in ("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "WEBKIT_DISABLE_COMPOSITING_MODE"):
        monkeypatch.setenv(name, "1")
    from selenium.webdriver.webkitgtk.options import Options
    from selenium.webdriver.webkitgtk.service import Service

    options = Options()
    options.binary_location = str(browsers[-1])
    options.add_argument("--automation")
    with virtual_display(str(display)) as screen:
        monkeypatch.setenv("DISPLAY", screen)
        browser = selenium.WebKitGTK(options=options, service=Service(executable_path=driver))
        try:
            browser.get(f"{site}/page.html")
            found = polled(lambda: browser.execute_script(f"return {RESULT}"))
        finally:
            browser.quit()
    expect_page(found)
