"""The npm package in the tools of its users, none of which is configured for it."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from bundling import COPY_FILES, COPY_NONE, PAGES, build_vite, html, readme_block
from exhaustive import EXHAUSTIVE, chosen
from packaged import BUNDLERS, ROOT, answer, missing, program, run, served, started, vite_dev

import wwho

pytestmark = pytest.mark.page

TEXT = "ඔයා 1 special अद्भुत"
NAME = "wwho_328k"
ENCODINGS = {
    path.stem: path.read_bytes() for path in (ROOT / "py" / "wwho" / "models").glob("*.wwho")
}


def count(name: str = NAME) -> int:
    """The tokens of TEXT, from the native core."""
    return wwho.get_encoding(name).count(TEXT)


EXPECTED = {
    "named": {"name": NAME, "count": count()},
    "by-name": {"name": NAME, "count": count(), "same": True, "nonsense": "ARGUMENT"},
    "worker": {"name": NAME, "count": count()},
}


def shown(browser: Any, address: str) -> Any:
    """What a page found out; not on the fixture `page`, as a missing icon is an error there."""
    context = browser.new_context()
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    errors: list[str] = []
    page.goto(address)
    while not (found := page.evaluate("document.documentElement.dataset.result")):
        assert not errors, errors
        page.wait_for_timeout(50)
    context.close()
    return json.loads(found)


def node(apps: Path, script: str | Path, *more: str) -> Any:
    return json.loads(run("node", *more, script, cwd=apps))


def shipped(folder: Path) -> set[str]:
    """The encodings in what a bundler has made: as files, or inside of JavaScript."""
    contents = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    found = set()
    for name, blob in ENCODINGS.items():
        inside = base64.b64encode(blob)
        if any(each == blob or inside in each for each in contents):
            found.add(name)
    return found


# Bundlers, for browsers


@pytest.mark.slow
@pytest.mark.parametrize("tool", [*COPY_FILES, *COPY_NONE])
def test_an_encoding_that_is_imported(browser: Any, apps: Path, tool: str) -> None:
    """It works behind each bundler, and no other encoding goes along."""
    target = apps / "built" / f"{tool}-named"
    target.mkdir(parents=True)
    {**COPY_FILES, **COPY_NONE}[tool](apps, "named", target)
    assert shipped(target) == {NAME}
    with served(target, PAGES) as address:
        assert shown(browser, f"{address}/index.html") == EXPECTED["named"]


@pytest.mark.slow
@pytest.mark.parametrize("tool", chosen([*COPY_FILES, *COPY_NONE], "webpack", "rollup"))
def test_the_functions_of_other_packages(browser: Any, apps: Path, tool: str) -> None:
    """wwho/compat works behind each bundler, with the one encoding that was asked for."""
    target = apps / "built" / f"{tool}-compat"
    target.mkdir(parents=True)
    {**COPY_FILES, **COPY_NONE}[tool](apps, "compat", target)
    assert shipped(target) == {"cl100k_base"}
    expected = {"ids": [15339, 1917], "text": "hello world", "theirs": [200000, 15339]}
    with served(target, PAGES) as address:
        assert shown(browser, f"{address}/index.html") == expected


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["by-name", "worker"])
@pytest.mark.parametrize("tool", chosen(COPY_FILES, "vite", "webpack"))
def test_an_encoding_by_its_name(browser: Any, apps: Path, tool: str, entry: str) -> None:
    """Bundlers that copy files copy them all; the program fetches the one that it asks for."""
    target = apps / "built" / f"{tool}-{entry}"
    target.mkdir(parents=True)
    COPY_FILES[tool](apps, entry, target)
    assert shipped(target) == set(ENCODINGS)
    with served(target, PAGES) as address:
        assert shown(browser, f"{address}/index.html") == EXPECTED[entry]


@pytest.mark.parametrize("tool", COPY_NONE)
def test_an_encoding_that_was_not_copied(browser: Any, apps: Path, tool: str) -> None:
    """The error says so, and what to write instead."""
    target = apps / "built" / f"{tool}-by-name"
    target.mkdir(parents=True)
    COPY_NONE[tool](apps, "by-name", target)
    assert shipped(target) == set()
    with served(target, PAGES) as address:
        status, message = shown(browser, f"{address}/index.html")["error"]
    assert status == "FETCH"
    assert "HTTP status 404" in message
    assert f'import {{ load }} from "wwho/{NAME}"' in message


def test_a_script_without_an_address(browser: Any, apps: Path) -> None:
    """esbuild's other formats than ES modules have no import.meta.url."""
    options = ("--bundle", "--format=iife", "--log-level=error", "--outdir=built/iife")
    run(program("esbuild"), "named.js", "by-name.js", *options, cwd=apps)
    for entry in ("named", "by-name"):
        (apps / "built" / "iife" / f"{entry}.html").write_text(html(f"./{entry}.js"), "utf-8")
    with served(apps / "built" / "iife") as address:
        assert shown(browser, f"{address}/named.html") == EXPECTED["named"]
        status, message = shown(browser, f"{address}/by-name.html")["error"]
    assert status == "FETCH"
    assert message.startswith("this program does not know its own address")
    assert f'import {{ load }} from "wwho/{NAME}"' in message


def test_a_file_of_ones_own(apps: Path) -> None:
    target = apps / "built" / "vite-own"
    build_vite(apps, "own", target)
    assert shipped(target) == set()
    # The core has 94 KB, the programs 56 KB; the smallest vocabulary would add 200 KB.
    assert sum(path.stat().st_size for path in target.rglob("*")) < 170_000


def test_the_development_server_of_vite(browser: Any, apps: Path) -> None:
    with vite_dev(apps) as address:
        found = {entry: shown(browser, f"{address}{entry}.html") for entry in EXPECTED}
    assert found == EXPECTED


# Bundlers, for Node


@pytest.mark.parametrize("entry", ["named", "by-name"])
@pytest.mark.parametrize("format", ["esm", "cjs"])
def test_esbuild_for_node(apps: Path, entry: str, format: str) -> None:
    """One file, away from node_modules; also for Node 20, which has no Uint8Array.fromBase64."""
    output = apps.parent / f"{apps.name}-{entry}.{'mjs' if format == 'esm' else 'cjs'}"
    options = ("--bundle", "--platform=node", f"--format={format}", f"--outfile={output}")
    run(program("esbuild"), f"{entry}.js", *options, "--log-level=warning", cwd=apps)
    try:
        assert node(apps, output) == EXPECTED[entry]
    finally:
        output.unlink()


@pytest.mark.parametrize("entry", ["named", "by-name"])
def test_bun_build_for_node_and_bun(apps: Path, entry: str) -> None:
    for target, runtime in (("node", "node"), ("bun", program("bun"))):
        folder = f"built/bun-{target}-{entry}"
        options = (f"--target={target}", "--outdir", folder)
        run(program("bun"), "build", f"{entry}.js", *options, cwd=apps)
        found = json.loads(run(runtime, f"{folder}/{entry}.js", cwd=apps))
        assert found == EXPECTED[entry]


# Runtimes


@pytest.mark.parametrize("entry", EXPECTED)
def test_deno_with_no_permission(apps: Path, entry: str) -> None:
    found = run(program("deno"), "run", "--no-prompt", f"{entry}.js", cwd=apps, NO_COLOR="1")
    assert json.loads(found) == EXPECTED[entry]


def test_deno_says_what_a_path_needs(apps: Path) -> None:
    (apps / "path.mjs").write_text(
        'import { Tokenizer } from "wwho";\n'
        'await Tokenizer.load("node_modules/wwho/models/o200k_base.wwho")'
        ".catch(({ message }) => console.log(message));\n",
        "utf-8",
    )
    said = run(program("deno"), "run", "--no-prompt", "path.mjs", cwd=apps, NO_COLOR="1")
    assert "--allow-read" in said
    assert "check the path" not in said


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--no-experimental-require-module",)], ids=str)
def test_jest_and_commonjs(apps: Path, flags: tuple[str, ...]) -> None:
    """Jest with a longer limit than its 5 s; and in Node 20.0, where require loads no ES module."""
    program("jest")
    jest = BUNDLERS / "node_modules" / "jest" / "bin" / "jest.js"
    (apps / "jest" / "readme.test.js").write_text(readme_block("jest"), "utf-8")
    options = ("--rootDir", ".", "--cacheDirectory", "cache", "--testTimeout", "600000")
    run("node", *flags, jest, *options, cwd=apps / "jest", NODE_OPTIONS="")


@pytest.mark.slow
def test_jest_with_jsdom(apps: Path) -> None:
    """Whose globals lack TextEncoder and others, and whose classes are not those of Node."""
    if not (BUNDLERS / "node_modules" / "jest-environment-jsdom").is_dir():
        missing("jest-environment-jsdom", "npm install in tests/bundlers/")
    jest = BUNDLERS / "node_modules" / "jest" / "bin" / "jest.js"
    options = ("--rootDir", ".", "--cacheDirectory", "cache", "--testTimeout", "600000")
    run("node", jest, *options, "--env", "jsdom", cwd=apps / "jsdom", NODE_OPTIONS="")


# Next.js


@pytest.mark.parametrize("builder", ["--turbopack", *(["--webpack"] if EXHAUSTIVE else [])])
def test_next(browser: Any, apps: Path, builder: str) -> None:
    """Client component, server component, route handler and edge route.

    By its own bundler; with `WWHO_EXHAUSTIVE` also by webpack, which the tests above have alone.
    """
    app = apps / "next"
    for kind in ("next", "next-edge"):
        (app / "app" / "api" / kind).mkdir(exist_ok=True)
        (app / "app" / "api" / kind / "route.js").write_text(readme_block(kind), "utf-8")
    shutil.rmtree(app / ".next", ignore_errors=True)
    run(program("next"), "build", builder, cwd=app, NEXT_TELEMETRY_DISABLED="1")
    names = ("o200k_base", "cl100k_base", NAME)
    expected = {"named": ["cl100k_base", count("cl100k_base")]}
    expected |= {name: [name, count(name), True] for name in names}
    found = {}
    with started(r"Local: +(http://\S+)", program("next"), "start", "-p", "0", cwd=app) as address:
        for route in ("node", "edge"):
            found[route] = json.loads(answer(f"{address}/api/{route}"))
        for kind in ("next", "next-edge"):
            assert json.loads(answer(f"{address}/api/{kind}", b"hello world")) == {"tokens": 2}
        context = browser.new_context()
        page = context.new_page()
        for kind, path in (("client", "/"), ("server", "/server")):
            page.goto(f"{address}{path}")
            page.wait_for_selector(f"#{kind}:not(:empty)", timeout=0)
            found[kind] = json.loads(page.inner_text(f"#{kind}"))
        context.close()
    for kind, each in found.items():
        status, message = each.pop("nonsense")
        assert each == expected, kind
        assert status == "ARGUMENT"
        assert 'the encoding is "nonsense"; expected one of cl100k_base, ' in message
