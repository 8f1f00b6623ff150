"""wwho/compat in the place of other packages: programs of which the import alone is changed."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from packaged import MODULES, ROOT, missing, program, run
from test_package_docs import README, blocks, printed

pytestmark = pytest.mark.page

PROGRAMS = Path(__file__).parent / "compat"
PEERS = (
    *("gpt-tokenizer", "js-tiktoken", "base64-js"),
    *("@langchain/core", "@langchain/textsplitters"),
)
TSC = MODULES / "typescript" / "bin" / "tsc"
ENCODINGS = {
    path.stem: path.read_bytes() for path in (ROOT / "py" / "wwho" / "models").glob("*.wwho")
}


@pytest.fixture(scope="module")
def user(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with the packed package, the packages that it stands in for, and texts."""
    for name in PEERS:
        if not (MODULES / name).is_dir():
            missing(name, "npm ci in tests/")
    folder = tmp_path_factory.mktemp("compat")
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
    (folder / "node_modules").mkdir()
    shutil.copytree(project / "node_modules" / "wwho", folder / "node_modules" / "wwho")
    for name in PEERS:
        place = folder / "node_modules" / name
        place.parent.mkdir(exist_ok=True)
        # Copies, but for the large one: what a link imports is looked for beside its target.
        if name == "@langchain/core":
            place.symlink_to(MODULES / name)
        else:
            shutil.copytree(MODULES / name, place, ignore=shutil.ignore_patterns("*.map", "src"))
    (folder / "texts.mjs").write_text(f"export const texts = {json.dumps(texts())};\n", "utf-8")
    return folder


def texts() -> list[str]:
    """Return 300 texts: those of the vectors, and lines of the READMEs."""
    vectors = (ROOT / "tests" / "vectors").glob("*.jsonl")
    rows = (json.loads(line) for path in vectors for line in path.read_text("utf-8").splitlines())
    found = {row["text"] for row in rows if "text" in row and "error" not in row}
    lines = (ROOT / "web" / "package" / "README.md").read_text("utf-8").splitlines()
    # Two are white space in JavaScript alone, or not there (MIGRATING.md); the long s ends a
    # contraction in OpenAI's tiktoken, so that a generator's parts are others, of the same ids.
    odd = re.compile("[\ufeff\x85\u017f]")
    plain = [text for text in (*sorted(found), *lines) if not odd.search(text)]
    chosen = [text for text in plain if len(text) < 400][:300]
    assert len(chosen) == 300
    return chosen


def with_our_import(text: str) -> str:
    """Return a program that imports what wwho/compat has in place of the packages."""
    changed = re.sub(
        r'(from ")((?:gpt-tokenizer|js-tiktoken|@langchain)[/"])', r"\1wwho/compat/\2", text
    )
    assert changed != text
    return changed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt-tokenizer", "js-tiktoken", "langchain"])
def test_a_program_with_another_import_prints_the_same(user: Path, name: str) -> None:
    """On 300 texts, in modules of both kinds."""
    text = (PROGRAMS / f"{name}.mjs").read_text("utf-8")
    (user / "theirs.mjs").write_text(text, "utf-8")
    (user / "ours.mjs").write_text(with_our_import(text), "utf-8")
    said = run("node", "theirs.mjs", cwd=user).splitlines()
    assert len(said) > 300
    assert run("node", "ours.mjs", cwd=user).splitlines() == said
    if name == "langchain":  # which awaits
        return
    options = ("--bundle", "--platform=node", "--format=cjs", "--packages=external")
    for whose in ("theirs", "ours"):
        output = f"--outfile={whose}.cjs"
        run(program("esbuild"), f"{whose}.mjs", *options, output, cwd=user)
    said = run("node", "theirs.cjs", cwd=user).splitlines()
    assert run("node", "ours.cjs", cwd=user).splitlines() == said


@pytest.mark.slow
def test_types(user: Path) -> None:
    """A strict program that takes our functions for theirs."""
    shutil.copyfile(PROGRAMS / "types.ts", user / "types.ts")
    for options in (
        ("--module", "nodenext"),
        ("--module", "preserve", "--moduleResolution", "bundler"),
    ):
        given = (
            "--strict",
            "--noEmit",
            "--skipLibCheck",
            "--target",
            "es2022",
            "--lib",
            "es2023,dom",
        )
        run("node", TSC, *given, *options, "types.ts", cwd=user)


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        ("gpt-tokenizer", {"o200k_base"}),
        ("gpt-tokenizer/encoding/cl100k_base", {"cl100k_base"}),
        ("gpt-tokenizer/model/gpt-4", {"cl100k_base"}),
        ("js-tiktoken/ranks/gpt2", {"gpt2"}),
        ("js-tiktoken/lite", set()),
        ("js-tiktoken", {"cl100k_base", "o200k_base", "p50k_base", "p50k_edit", "r50k_base"}),
    ],
)
def test_a_bundle_holds_what_the_program_asks_for(user: Path, entry: str, names: set[str]) -> None:
    """No other encoding, and nothing of Node's."""
    code = f'import * as all from "wwho/compat/{entry}";\nglobalThis.all = all;\n'
    (user / "all.js").write_text(code, "utf-8")
    options = ("--bundle", "--minify", "--format=esm", "--platform=browser")
    bundle = run(program("esbuild"), "all.js", *options, cwd=user)
    assert "node:" not in bundle
    held = {name for name, blob in ENCODINGS.items() if base64.b64encode(blob).decode() in bundle}
    assert held == names


@pytest.mark.slow
def test_sizes_are_as_stated(user: Path) -> None:
    """In README, of the whole of js-tiktoken, there and here, and of gpt-tokenizer's functions."""
    options = ("--bundle", "--minify", "--format=esm", "--platform=browser", "--charset=utf8")

    def bundled(entry: str) -> bytes:
        code = f'import * as all from "{entry}";\nglobalThis.all = all;\n'
        (user / "size.js").write_text(code, "utf-8")
        return run(program("esbuild"), "size.js", *options, cwd=user).encode()

    found = re.search(r"gives each at once: ([\d.]+) MB, js-tiktoken ([\d.]+) MB", README)
    added = re.search(
        r"gpt-tokenizer add (\d+) KB to a bundle with the encoding, with gzip", README
    )
    assert found
    assert added
    for entry, size in (("wwho/compat/js-tiktoken", found[1]), ("js-tiktoken", found[2])):
        assert len(bundled(entry)) / 1e6 == pytest.approx(float(size), rel=0.03)
    encoding, ours = (
        len(gzip.compress(bundled(entry), 9))
        for entry in ("wwho/o200k_base", "wwho/compat/gpt-tokenizer")
    )
    assert (ours - encoding) / 1e3 == pytest.approx(float(added[1]), rel=0.1)


@pytest.mark.slow
def test_langchains_encodings_are_imported_one_by_one(user: Path) -> None:
    """A bundle has a file for each, of which a program loads one."""
    (user / "later.js").write_text(
        'export * from "wwho/compat/@langchain/core/utils/tiktoken";\n', "utf-8"
    )
    options = ("--bundle", "--splitting", "--format=esm", "--outdir=later")
    run(program("esbuild"), "later.js", *options, cwd=user)
    files = {path.name: path.read_text("utf-8") for path in (user / "later").iterdir()}
    held = {
        file: {name for name, blob in ENCODINGS.items() if base64.b64encode(blob).decode() in text}
        for file, text in files.items()
    }
    assert held.pop("later.js") == set()
    assert all(len(names) <= 1 for names in held.values())
    assert set.union(*held.values()) == {
        *("cl100k_base", "gpt2", "o200k_base", "p50k_base", "p50k_edit", "r50k_base"),
    }


def test_the_block_of_readme_for_langchain(user: Path) -> None:
    """It prints what it says, without a network."""
    (code,) = blocks(README, "js", "langchain")
    (user / "block.mjs").write_text(code, "utf-8")
    assert run("node", "block.mjs", cwd=user).rstrip("\n") == printed(code)


def test_there_is_a_module_for_each_model(user: Path) -> None:
    """Of those that wwho/openai knows; another one is refused by its name."""
    models = json.loads((ROOT / "py" / "wwho" / "openai.json").read_text("utf-8"))["models"]
    folder = user / "node_modules" / "wwho" / "compat" / "gpt-tokenizer" / "model"
    assert {path.stem for path in folder.glob("*.js")} == {*models}
    module = "wwho/compat/gpt-tokenizer/model/gpt-9"
    code = f'import("{module}").catch(({{ message }}) => console.log(message))'
    assert "gpt-9" in run("node", "--input-type=module", "-e", code, cwd=user)
