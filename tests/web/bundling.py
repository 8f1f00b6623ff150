"""The programs of tests/web/bundled, built by the tools of the npm package's users."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaged import BUNDLERS, MODULES, POLICY, ROOT, program, run

SOURCES = Path(__file__).parent / "bundled"


@pytest.fixture(scope="session")
def apps(project: Path) -> Iterator[Path]:
    """The programs of tests/web/bundled and the package, in a folder where the tools work."""
    (BUNDLERS / "build").mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="apps-", dir=BUNDLERS / "build"))
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    shutil.copytree(project / "node_modules" / "wwho", folder / "node_modules" / "wwho")
    (folder / "package.json").write_text('{ "private": true, "type": "module" }\n', "utf-8")
    for name in ("jest", "jsdom", "next"):
        (folder / name / "package.json").write_text('{ "private": true }\n', "utf-8")
    for path in folder.glob("*.js"):
        path.with_suffix(".html").write_text(html(f"./{path.name}"), "utf-8")
    yield folder
    shutil.rmtree(folder)


def readme_block(kind: str) -> str:
    """The code block of web/package/README.md that is for this tool alone."""
    readme = (ROOT / "web" / "package" / "README.md").read_text("utf-8")
    (code,) = re.findall(rf"^```js {kind}\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    return str(code)


def html(script: str) -> str:
    return f'<!doctype html><title>wwho</title><script type="module" src="{script}"></script>\n'


def build_vite(apps: Path, entry: str, target: Path) -> None:
    vite = MODULES / "vite" / "bin" / "vite.js"
    program("vite")
    shutil.copyfile(apps / f"{entry}.html", apps / "index.html")
    run("node", vite, "build", "--logLevel", "error", "--outDir", target, cwd=apps)


def build_webpack(apps: Path, entry: str, target: Path) -> None:
    run(program("webpack"), f"./{entry}.js", "--mode", "production", "-o", target, cwd=apps)
    (target / "index.html").write_text(html("./main.js"), "utf-8")


def build_parcel(apps: Path, entry: str, target: Path) -> None:
    shutil.copyfile(apps / f"{entry}.html", apps / "index.html")
    command = ("build", "index.html", "--public-url", "./", "--dist-dir", target)
    run(program("parcel"), *command, "--cache-dir", apps / "cache", cwd=apps)


def build_esbuild(apps: Path, entry: str, target: Path) -> None:
    options = ("--bundle", "--format=esm", "--log-level=warning", f"--outdir={target}")
    run(program("esbuild"), f"{entry}.js", *options, cwd=apps)
    (target / "index.html").write_text(html(f"./{entry}.js"), "utf-8")


def build_rollup(apps: Path, entry: str, target: Path) -> None:
    options = ("-p", "@rollup/plugin-node-resolve", "-d", target, "--failAfterWarnings")
    run(program("rollup"), f"{entry}.js", *options, cwd=apps)
    (target / "index.html").write_text(html(f"./{entry}.js"), "utf-8")


def build_bun(apps: Path, entry: str, target: Path) -> None:
    run(program("bun"), "build", f"{entry}.js", "--target=browser", "--outdir", target, cwd=apps)
    (target / "index.html").write_text(html(f"./{entry}.js"), "utf-8")


# Parcel's pages have an import map in them.
PAGES = POLICY.replace("script-src", "script-src 'unsafe-inline'")
COPY_FILES = {"vite": build_vite, "webpack": build_webpack, "parcel": build_parcel}
COPY_NONE = {"esbuild": build_esbuild, "rollup": build_rollup, "bun": build_bun}
