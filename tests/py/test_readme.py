"""The README's code blocks run, and print what it says."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TYPESCRIPT = ROOT / "tests" / "node_modules" / "typescript" / "bin" / "tsc"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
}


def blocks(language: str) -> list[str]:
    """The code blocks in this language, in order."""
    return [text for name, text in BLOCKS if name == language]


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {name for name, _ in BLOCKS} == {"sh", "console", "python", "js"}
    assert README.count("```") == 2 * len(BLOCKS)


def python_examples() -> doctest.DocTest:
    """All Python of the README: one session."""
    examples = "\n".join(blocks("python"))
    return doctest.DocTestParser().get_doctest(examples, {}, "README", "README.md", 0)


def test_python_is_typed(tmp_path: Path) -> None:
    mypy = pytest.importorskip("mypy.api", reason="needs mypy")
    script = tmp_path / "quickstarts.py"
    examples = python_examples().examples
    assert len(examples) > 8
    script.write_text("".join(example.source for example in examples), "utf-8")
    out, err, code = mypy.run(
        ["--strict", "--config-file", str(ROOT / "pyproject.toml"), str(script)]
    )
    assert (code, err) == (0, ""), out


@pytest.mark.skipif(not TYPESCRIPT.is_file(), reason="needs TypeScript: npm ci in tests")
def test_js_is_typed(tmp_path: Path) -> None:
    for number, block in enumerate(blocks("js")):
        name = tmp_path / f"quickstart{number}.mjs"
        name.write_text(block.replace('"./web/', f'"{ROOT}/web/'), "utf-8")
    options = ["--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022"]
    kinds = ["--module", "nodenext", "--lib", "es2023,dom,esnext.disposable", "--skipLibCheck"]
    kinds += ["--types", "node", "--typeRoots", str(TYPESCRIPT.parents[2] / "@types")]
    files = sorted(map(str, tmp_path.glob("*.mjs")))
    done = run(["node", str(TYPESCRIPT), *options, *kinds, *files], cwd=ROOT)
    assert done.returncode == 0, done.stdout


def check_console(
    folder: Path, environment: Mapping[str, str] = ENVIRONMENT, page: str = README
) -> None:
    """Run a page's commands in a folder: each prints what the page says."""
    commands = [
        command
        for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        for command in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]
    assert len(commands) == page.count("\n$ ") > 0
    for command, expected in commands:
        done = run(["bash", "-c", command], folder, environment)
        assert done.stderr == ""
        # Output without a line feed at its end is shown like any other.
        assert done.stdout.removesuffix("\n") == expected.removesuffix("\n"), command


# test_wheel.py runs them and the Python, in a fresh environment with the wheel.


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_js() -> None:
    for block in blocks("js"):
        shown = re.findall(r"^console\.log\(.*\); // (.*)$", block, re.MULTILINE)
        assert len(shown) == block.count("console.log")
        done = run(["node", "--input-type=module", "--eval", block], cwd=ROOT)
        assert done.stdout.splitlines() == shown, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(
    Path(sys.prefix) != ROOT / ".venv",
    reason="the two commands set up .venv, so they are tried where it is in use",
)
def test_the_two_commands() -> None:
    (block,) = blocks("sh")
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    assert [command[1:] for command in commands] == [
        ["tools/dev.py", "demo"],
        ["tools/dev.py", "test"],
    ]
    demo = run([*commands[0], "--check"], cwd=ROOT)
    assert demo.returncode == 0, demo.stderr
    example = blocks("console")[0].partition("\n")[2]
    assert demo.stdout.endswith(example)
    test = run([*commands[1], "--version"], cwd=ROOT)
    assert test.returncode == 0, test.stderr
    assert "pytest" in test.stdout


@pytest.mark.parametrize("user", [0, 1000])
def test_debian_packages_are_installed_only_if_asked_for(
    monkeypatch: pytest.MonkeyPatch, user: int
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    dev, commands = importlib.import_module("dev"), list[list[str]]()
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: name)

    def note(command: list[str]) -> tuple[int, str]:
        commands.append(command)
        return 0, ""

    monkeypatch.setattr(dev, "run_with_progress", note)
    monkeypatch.delattr(subprocess, "run")  # nor does anything else start a program
    monkeypatch.delattr(subprocess, "Popen")
    monkeypatch.setattr(sys, "argv", ["dev.py", "test"])
    assert not dev.install_debian_packages(["chromium"])
    assert commands == []
    sys.argv.append("--sudo")
    dev.install_debian_packages(["chromium"])
    assert commands[-1][-1] == "chromium"
    assert ("sudo" in commands[-1]) == bool(user)


STOPPED = """
import runpy, subprocess, sys
def stop(*_, **__):
    raise KeyboardInterrupt
subprocess.run, sys.argv = stop, ["dev.py", "demo"]
runpy.run_path("tools/dev.py", run_name="__main__")
"""


def test_ctrl_c_while_things_are_set_up_is_one_line() -> None:
    done = run([sys.executable, "-c", STOPPED], cwd=ROOT)
    assert done.returncode == 130
    assert done.stderr == "\nStopped. The same command goes on from here.\n"


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []


def run(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str] = ENVIRONMENT
) -> subprocess.CompletedProcess[str]:
    """Run a command with `wwho` on the path; its output as text."""
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )
