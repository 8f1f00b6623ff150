"""`wwho/openai` of the installed package: in a page, in a bundle, in workerd, in Deno and Bun."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from packaged import answer, esbuild, program, run, served, workerd

pytestmark = pytest.mark.page

CHAT = '[{ role: "user", content: "ඔයා 1 special अद्भुत" }]'
PAGE = f"""
import {{ countChat, encodingForModel, estimateCost }} from "%s";

const run = async () => [
  (await encodingForModel("gpt-4")).name,
  await countChat({CHAT}, "gpt-4o"),
  estimateCost("gpt-4o", {{ input: 1_000_000 }}),
  await encodingForModel("gpt4").catch(({{ status }}) => status),
];
run().then(
  (found) => (document.documentElement.dataset.result = JSON.stringify(found)),
  (error) => (document.documentElement.dataset.result = JSON.stringify(String(error))),
);
"""
EDGE = f"""
import {{ countChat, estimateCost, fitChat }} from "wwho/openai";
import {{ load }} from "wwho/o200k_base";

export default {{
  async fetch() {{
    const options = {{ tokenizer: load() }};
    const count = countChat({CHAT}, "gpt-4o", options);
    const {{ tokens }} = fitChat({CHAT}, "gpt-4o", options);
    const {{ message }} = await countChat({CHAT}, "gpt-4").catch((error) => error);
    return Response.json([count, tokens, estimateCost("gpt-4o", {{ input: 1_000_000 }}), message]);
  }},
}};
"""
MOST_BYTES = 1_300_000
"""What a program for the edge may have, with one encoding and the prices of all models."""
NODE = f"""
import {{ countChat }} from "wwho/openai";
import {{ getEncoding }} from "wwho";

const tokenizer = await getEncoding("o200k_base");
console.log(await countChat({CHAT}, "gpt-4o"), await countChat({CHAT}, "gpt-4o", {{ tokenizer }}));
"""
WORKERD = f"""
import {{ Tokenizer }} from "wwho";
import model from "wwho/encodings/o200k_base.wwho";
import {{ countChat, encodingForModel }} from "wwho/openai";

export default {{
  async fetch() {{
    const tokenizer = await Tokenizer.load(model);
    const {{ name }} = await encodingForModel("gpt-4o");
    return Response.json([await countChat({CHAT}, "gpt-4o", {{ tokenizer }}), name]);
  }},
}};
"""


@pytest.fixture(scope="module")
def count() -> int:
    """Three for the message, one for its role, three for the answer."""
    import wwho

    return 7 + wwho.get_encoding("o200k_base").count("ඔයා 1 special अद्भुत")


def shown(page: Any, address: str) -> Any:
    page.goto(address)
    page.wait_for_selector("html[data-result]", state="attached")
    return json.loads(page.evaluate("document.documentElement.dataset.result"))


def bundled(project: Path, entry: str, conditions: str) -> str:
    """The text of a program that esbuild has made one file of, minified, without wwho.wasm."""
    externals = [f"--external:{name}" for name in ("*.wasm", "*.wasm?module", "node:*")]
    options = ("--bundle", "--format=esm", "--minify", f"--conditions={conditions}", *externals)
    return run(program("esbuild"), entry, *options, cwd=project)


def test_a_page(page: Any, project: Path, count: int) -> None:
    (project / "openai.js").write_text(PAGE % "./node_modules/wwho/openai.js", "utf-8")
    (project / "openai.html").write_text(
        '<!doctype html><title>wwho</title><script type="module" src="openai.js"></script>\n',
        "utf-8",
    )
    with served(project) as address:
        assert shown(page, f"{address}/openai.html") == ["cl100k_base", count, 2.5, "ARGUMENT"]


@pytest.mark.parametrize("name", ["node", "deno", "bun"])
def test_runtimes_with_files(project: Path, name: str, count: int) -> None:
    command = {"node": (), "deno": ("run", "--allow-read=."), "bun": ("run",)}[name]
    path = shutil.which("node") if name == "node" else program(name)
    assert path
    (project / "openai.mjs").write_text(NODE, "utf-8")
    printed = run(path, *command, "openai.mjs", cwd=project, NO_COLOR="1")
    assert printed.split() == [str(count), str(count)]


def test_workerd(project: Path, count: int) -> None:
    (project / "openai-workerd.js").write_text(WORKERD, "utf-8")
    esbuild(project, "workerd", "openai-workerd.js")
    with workerd(project) as address:
        assert json.loads(answer(address)) == [count, "o200k_base"]


def test_workerd_with_one_encoding(project: Path, count: int) -> None:
    """The program holds no encoding but the one that it imports, and an error names others."""
    (project / "edge-openai.js").write_text(EDGE, "utf-8")
    esbuild(project, "workerd", "edge-openai.js")
    with workerd(project) as address:
        found = json.loads(answer(address))
    assert found[:3] == [count, count, 2.5]
    assert 'import { load } from "wwho/cl100k_base"' in found[3]
    for conditions in ("workerd,worker", "edge-light"):
        assert len(bundled(project, "edge-openai.js", conditions)) < MOST_BYTES


def test_prices_alone_bring_no_encoding(project: Path) -> None:
    text = 'import { estimateCost } from "wwho/openai"; console.log(estimateCost("o3", {}));\n'
    (project / "prices.mjs").write_text(text, "utf-8")
    for conditions in ("workerd,worker", "edge-light", "browser", "node"):
        bundle = bundled(project, "prices.mjs", conditions)
        assert "import(" not in bundle
        assert len(bundle) < 45_000


def test_an_import_that_is_not_used_leaves_nothing(project: Path) -> None:
    (project / "unused-openai.mjs").write_text('import "wwho/openai"; export {};\n', "utf-8")
    options = ("--bundle", "--format=esm", "--platform=browser", "--minify")
    assert run(program("esbuild"), "unused-openai.mjs", *options, cwd=project).strip() == ""
