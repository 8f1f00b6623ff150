"""Wheels and source distributions of a clone, which has no wwho.wasm: they all hold one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import oracle  # puts tools/ on the path
import pytest

pytest.importorskip("setuptools", reason="needs setuptools")
import build_backend
import build_pyodide
import build_wasm

ROOT = oracle.ROOT
CORE = "web/package/wwho.wasm"
HOOKS = ("wheel", "sdist", "editable")
# What the README links to, besides what is installed.
READ = {
    "README.md", "web/package/README.md", "web/package/MIGRATING.md", "web/site/wwho.ipynb",
    "tools/examples/edge.py",
    "tools/bench/README.md", "wasm/FORMAT.md", "py/wwho/train/README.md", "tests/conftest.py",
    "tests/vectors/tiny.wwho",
}  # fmt: skip


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project's files, as git would clone them."""
    tree = tmp_path_factory.mktemp("clone") / "wwho"
    copy_sources(tree)
    yield tree
    shutil.rmtree(tree)


def copy_sources(tree: Path) -> None:
    """Copy the project's files, but for what is compiled of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for name in (*build_pyodide.SOURCES, *build_backend.sources()):
            if name != CORE:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(name, tree / name)


@pytest.fixture
def tree(clone: Path) -> Path:
    """The clone without what another test has built in it."""
    (clone / CORE).unlink(missing_ok=True)
    return clone


def hooked(tree: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run Python that calls the build backend, in its tree, as frontends do."""
    setup = f"import sys; sys.path.insert(0, 'tools'); import build_backend; {code}"
    command = [sys.executable, "-c", setup]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


def pip_wheel(tree: Path, folder: Path, *options: str) -> set[str]:
    """Build a wheel from a tree, with this environment's packages; the names of its files."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command = [*pip, "--no-build-isolation", *options, "--wheel-dir", str(folder), str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_compiler_is_asked_for_where_the_core_is_missing(tree: Path) -> None:
    """By every hook, so that pip finds it in its isolated build."""
    ask = "import json; print(json.dumps([" + ", ".join(
        f"build_backend.get_requires_for_build_{hook}()" for hook in HOOKS
    )
    for there in (False, True):
        if there:
            (tree / CORE).touch()
        done = hooked(tree, f"{ask}]))")
        assert done.returncode == 0, done.stderr
        for found in json.loads(done.stdout.splitlines()[-1]):
            assert (build_backend.ZIG in found) != there


@pytest.mark.slow
def test_a_wheel_of_a_clone_holds_the_core(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ziglang", reason="needs ziglang")
    monkeypatch.setenv("CFLAGS", "-O0")  # what is asked for is there, however fast it runs
    names = pip_wheel(tree, tmp_path)
    assert {"wwho/_core.abi3.so", "wwho/web/package/wwho.wasm", "wwho/web/site/index.html"} <= names


def test_a_source_distribution_of_a_clone_needs_no_compiler(tree: Path, tmp_path: Path) -> None:
    """It holds the core, and all else that the project is made of."""
    pytest.importorskip("ziglang", reason="needs ziglang")
    done = hooked(tree, f"build_backend.build_sdist({str(tmp_path)!r})")
    assert done.returncode == 0, done.stderr
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / packed.name.removesuffix(".tar.gz")
    files = (path for path in tree.rglob("*") if path.is_file() and "build" not in path.parts)
    ours = {path.relative_to(tree).as_posix() for path in files}
    theirs = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    missing = {name for name in ours - theirs if ".egg-info/" not in name}
    assert not {name for name in missing if "__pycache__" not in name}
    assert theirs >= READ | {CORE}
    (unpacked / "tools" / "ziglang.py").write_text("raise ImportError('not needed')\n", "ascii")
    names = pip_wheel(unpacked, tmp_path, "--config-settings", "wheel=any")
    assert "wwho/web/package/wwho.wasm" in names


@pytest.mark.parametrize(
    "call", ["build_sdist({!r})", "build_wheel({!r}, {{'wheel': 'any'}})"], ids=["sdist", "any"]
)
def test_what_is_nothing_without_the_core_is_refused(tree: Path, tmp_path: Path, call: str) -> None:
    block = "sys.modules['ziglang'] = None"
    done = hooked(tree, f"{block}; build_backend.{call.format(str(tmp_path))}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"the compiler is missing: python -m pip install ziglang=={build_wasm.ZIG}"
    )
    assert not os.listdir(tmp_path)


def test_a_native_wheel_goes_without_the_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no zig can be had: Python does not need it."""
    monkeypatch.setattr(build_wasm, "TARGET", tmp_path / "wwho.wasm")
    monkeypatch.setitem(sys.modules, "ziglang", None)
    build_backend.make_wasm(needed=False)
    assert "without ziglang there is no wwho.wasm" in capsys.readouterr().err
    assert not os.listdir(tmp_path)
