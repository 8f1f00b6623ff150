"""The code blocks of web/package/README.md and MIGRATING.md run where and print what they say."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import brotli
import pytest
from bundling import COPY_FILES, COPY_NONE, PAGES, html
from packaged import (
    MODULES,
    POLICY,
    ROOT,
    answer,
    esbuild,
    program,
    run,
    served,
    workerd,
)

import wwho

pytestmark = pytest.mark.page

README = (ROOT / "web" / "package" / "README.md").read_text("utf-8")
MIGRATING = (ROOT / "web" / "package" / "MIGRATING.md").read_text("utf-8")
PEERS = ("gpt-tokenizer", "js-tiktoken", "base64-js", "tiktoken")


def blocks(text: str, language: str, *words: str) -> list[str]:
    """The code blocks of a language that these words, and no others, stand behind."""
    found = re.findall(r"^```(\w+)(.*)\n((?:.*\n)*?)```$", text, re.MULTILINE)
    return [code for lang, more, code in found if lang == language and more.split() == list(words)]


def blocks_for(tool: str) -> list[str]:
    """The code blocks of README that a tool, perhaps among others, is named behind."""
    found = re.findall(r"^```js (.+)\n((?:.*\n)*?)```$", README, re.MULTILINE)
    return [code for tools, code in found if tool in tools.split()]


def printed(code: str) -> str:
    """What a block says that it prints: behind its console.log, or in comments of whole lines."""
    return "\n".join(re.findall(r"(?:console\.log.*; |^)// (.*)$", code, re.MULTILINE))


def check_node(project: Path, code: str, *command: str | Path) -> str:
    (project / "block.mjs").write_text(code, "utf-8")
    return run(*(command or ("node",)), "block.mjs", cwd=project, NO_COLOR="1").rstrip("\n")


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    kinds = re.findall(r"^```(\w.*)$", README, re.MULTILINE)
    assert set(kinds) == {
        *("sh", "js", "html", "csp", "js node deno bun", "js workerd"),
        *("js next", "js next-edge", "js jest"),  # test_bundlers.py
        "sh npx",  # test_package_bin.py
        "js importing",  # test_package.py and tests/pyodide run it
        "js langchain",  # test_compat.py
        *("js vite webpack parcel node deno bun",),
        *("js vite webpack parcel esbuild rollup bun-build node deno bun",),
    }
    assert set(re.findall(r"^```(\w.*)$", MIGRATING, re.MULTILINE)) == {"js before", "js after"}
    assert blocks(README, "sh") == ["npm install wwho\n"]


@pytest.mark.slow
def test_the_blocks_for_any_runtime(project: Path) -> None:
    found = blocks(README, "js")
    assert len(found) > 3
    for code in found:
        assert check_node(project, code) == printed(code) != ""


@pytest.mark.parametrize("name", ["node", "deno", "bun"])
def test_the_blocks_for_runtimes_with_files(project: Path, name: str) -> None:
    command = {"node": (), "deno": ("run", "--allow-read=."), "bun": ("run",)}[name]
    path = shutil.which("node") if name == "node" else program(name)
    assert path
    found = blocks_for(name)
    assert len(found) == 4
    for code in found:
        assert check_node(project, code, path, *command) == printed(code) != ""


def test_the_block_for_workerd(project: Path) -> None:
    (code,) = blocks(README, "js", "workerd")
    (project / "block.js").write_text(code, "utf-8")
    esbuild(project, "workerd", "block.js")
    with workerd(project) as address:
        assert json.loads(answer(address, b"hello world")) == {"tokens": 2}


def console(page: Any, address: str, lines: int) -> str:
    """What a page writes to the console."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text))
    page.goto(address)
    while len(found) < lines:
        page.wait_for_timeout(50)
    return "\n".join(found)


def test_the_block_for_browsers(page: Any, project: Path) -> None:
    (code,) = blocks(README, "html")
    found = re.fullmatch(r'<script type="module">\n(.*)</script>\n', code, re.DOTALL)
    assert found
    # The policy of the test's server allows no inline script.
    (project / "block.js").write_text(found[1], "utf-8")
    (project / "block.html").write_text(html("block.js"), "utf-8")
    with served(project) as address:
        assert console(page, f"{address}/block.html", 1) == printed(code)


@pytest.mark.parametrize("tool", [*COPY_FILES, *COPY_NONE])
def test_the_blocks_for_bundlers(page: Any, apps: Path, tool: str) -> None:
    build = {**COPY_FILES, **COPY_NONE}[tool]
    found = blocks_for("bun-build" if tool == "bun" else tool)
    assert len(found) == (2 if tool in COPY_FILES else 1)
    for number, code in enumerate(found):
        entry, target = f"block-{tool}-{number}", apps / "built" / f"block-{tool}-{number}"
        (apps / f"{entry}.js").write_text(code, "utf-8")
        (apps / f"{entry}.html").write_text(html(f"./{entry}.js"), "utf-8")
        target.mkdir(parents=True)
        build(apps, entry, target)
        with served(target, PAGES) as address:
            assert console(page, f"{address}/index.html", 1) == printed(code) != ""


def test_the_policy_is_the_one_that_the_tests_serve_under() -> None:
    assert blocks(README, "csp") == [f"{POLICY}\n"]


def test_a_policy_without_webassembly_is_named(browser: Any, project: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    policy = POLICY.replace(" 'wasm-unsafe-eval'", "")
    with served(project, policy) as address:
        page.goto(f"{address}/page.html")
        page.wait_for_selector("html[data-result]", state="attached")
        result = json.loads(page.evaluate("document.documentElement.dataset.result"))
    context.close()
    assert "Content-Security-Policy has 'wasm-unsafe-eval'" in result["error"]


@pytest.mark.slow
def test_sizes_are_as_stated(project: Path) -> None:
    """Within 1 %: kilobytes of 1,000 bytes."""
    rows = re.findall(r"^\| `(\w+)`.*\| ([\d,]+) \| ([\d,]+) KB \| ([\d,]+) KB \|$", README, re.M)
    assert sorted(name for name, *_ in rows) == wwho.list_encoding_names()
    for name, *numbers in rows:
        n_vocab, size, packed = (int(number.replace(",", "")) for number in numbers)
        blob = (ROOT / "py" / "wwho" / "models" / f"{name}.wwho").read_bytes()
        assert wwho.get_encoding(name).n_vocab == n_vocab
        assert len(blob) / 1000 == pytest.approx(size, rel=0.01)
        # Each takes seconds to pack; two will do.
        if name in ("o200k_base", "cl100k_base"):
            assert len(brotli.compress(blob)) / 1000 == pytest.approx(packed, rel=0.01)


@pytest.mark.slow
def test_the_download_is_as_stated(project: Path) -> None:
    code, whole = stated(r"(\d+) KB of JavaScript"), stated(r"(\d+) KB for o200k_base\.")
    file, inside = stated(r"one file: (\d+) KB"), stated(r"in the bundle: (\d+) KB")
    options = ("--bundle", "--minify", "--format=esm", "--platform=browser", "--charset=utf8")

    def packed(entry: str) -> float:
        (project / "all.js").write_text(f'export * from "{entry}";\n', "utf-8")
        bundle = run(program("esbuild"), "all.js", *options, cwd=project)
        return len(brotli.compress(bundle.encode())) / 1000

    assert packed("wwho") == pytest.approx(code, rel=0.03)
    assert packed("wwho/o200k_base") == pytest.approx(inside, rel=0.03)
    assert whole == code + file


def test_the_importer_is_as_small_as_stated() -> None:
    """What reads the file is at most 10 KB, with the Worker around it 12.5; and what it fetches."""
    folder = ROOT / "web" / "package"
    options = ("--bundle", "--minify", "--format=esm")
    for name, size in (
        ("lib/import-tokenizer-json.js", stated(r"\(([\d.]+) KB read the file\), a table")),
        ("lib/shipped-patterns.js", stated(r"a table of ([\d.]+) KB that says")),
        ("import-thread.mjs", stated(r"([\d.]+) KB of code with brotli \(")),
    ):
        code = run(program("esbuild"), name, *options, cwd=folder)
        packed = len(brotli.compress(code.encode()))
        assert packed <= (12_500 if name == "import-thread.mjs" else 10_000)
        assert packed / 1000 == pytest.approx(size, rel=0.03)
    for path in (folder / "patterns").glob("*.wwho"):
        most = {"nfc": 7.3, "nfkc": 13.6}.get(path.stem, 4.1)
        assert len(brotli.compress(path.read_bytes())) / 1000 <= most, path


def stated(pattern: str) -> float:
    """The number of README that a pattern finds."""
    found = re.search(pattern, README)
    assert found, pattern
    return float(found[1])


def test_the_ways_to_send_a_file_take_what_is_stated() -> None:
    data = (ROOT / "py" / "wwho" / "models" / "o200k_base.wwho").read_bytes()
    for name, sent in (
        ("`.wwho`, with brotli by the server", brotli.compress(data)),
        ("`.wwho.gz`, by any server", gzip.compress(data, 9)),
        ("`.wwho`, by a server that does not compress it", data),
    ):
        size = stated(rf"\| {re.escape(name)} \| (\d+) KB")
        assert len(sent) / 1000 == pytest.approx(size, rel=0.01), name  # as other zlibs make others


def test_the_size_of_all_encodings_is_as_stated() -> None:
    """In megabytes, as base64 in JavaScript."""
    sizes = [path.stat().st_size for path in (ROOT / "py" / "wwho" / "models").glob("*.wwho")]
    assert sum(sizes) * 4 / 3 / 1e6 == pytest.approx(stated(r"every encoding, (\d+) MB"), rel=0.1)


# MIGRATING.md


def install_peers(project: Path) -> None:
    for name in PEERS:
        if not (MODULES / name).is_dir():
            program(name)
        if not (project / "node_modules" / name).exists():
            (project / "node_modules" / name).symlink_to(MODULES / name)


def test_the_sizes_of_vocabularies_are_as_stated(project: Path) -> None:
    install_peers(project)
    stated = re.search(r"vocabularySize`.*: ([\d,]+)\).*nVocab`.*\(([\d,]+)\)", MIGRATING)
    assert stated
    code = (
        'import { vocabularySize } from "gpt-tokenizer";\nimport { getEncoding } from "wwho";\n'
        'console.log(vocabularySize, (await getEncoding("o200k_base")).info.nVocab);\n'
    )
    assert check_node(project, code) == f"{stated[1]} {stated[2]}".replace(",", "")


@pytest.mark.slow
def test_each_call_beside_ours_gives_the_same(project: Path) -> None:
    """Against the real packages."""
    install_peers(project)
    before, after = blocks(MIGRATING, "js", "before"), blocks(MIGRATING, "js", "after")
    assert len(before) == len(after) > 7
    for theirs, ours in zip(before, after, strict=True):
        assert 'from "wwho' in ours
        assert 'from "wwho' not in theirs
        assert check_node(project, ours) == check_node(project, theirs) != ""


def test_the_stated_versions_are_those_that_are_tested() -> None:
    packages = json.loads((ROOT / "tests" / "package.json").read_text("utf-8"))["devDependencies"]
    for name in ("gpt-tokenizer", "js-tiktoken", "tiktoken"):
        assert f"{name} {packages[name]}" in MIGRATING
