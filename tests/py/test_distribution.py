"""Wheels and source distributions of a clone: all hold wwho.wasm, and none compiles it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from zipfile import ZipFile

import oracle  # puts tools/ on the path
import pytest

pytest.importorskip("setuptools", reason="needs setuptools")
import build_backend
import build_wheels

ROOT = oracle.ROOT
CORE = "web/package/wwho.wasm"
# What the README links to, besides what is installed.
READ = {
    "README.md", "web/package/README.md", "web/package/MIGRATING.md", "web/site/wwho.ipynb",
    "tools/examples/edge.py",
    "tools/bench/README.md", "wasm/FORMAT.md", "py/wwho/train/README.md", "tests/conftest.py",
    "tests/vectors/tiny.wwho",
}  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project's files, as git would clone them."""
    tree = tmp_path_factory.mktemp("clone") / "wwho"
    copy_sources(tree)
    yield tree
    shutil.rmtree(tree)


def copy_sources(tree: Path) -> None:
    """Copy the project's files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for name in (*build_wheels.SOURCES, *build_backend.list_sources()):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(name, tree / name)


def run_in_tree(tree: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run Python that calls the build backend in a tree, as frontends do."""
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


def test_zig_is_asked_for_only_for_pyodide(tree: Path) -> None:
    """By the hook, so that pip finds it in its isolated build."""
    ask = "build_backend.get_requires_for_build_wheel({})"
    kinds = ["{}", "{'wheel': 'any'}", f"{{'wheel': {build_backend.PYODIDE[0]!r}}}"]
    calls = ", ".join(ask.format(kind) for kind in kinds)
    done = run_in_tree(tree, f"import json; print(json.dumps([{calls}]))")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert [build_backend.ZIG in each for each in found] == [False, False, True]


# test_wheel.py builds the wheel of a source distribution, with the core compiled.


@pytest.fixture(scope="module")
def built_folder(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a source distribution and a wheel of the clone."""
    folder = tmp_path_factory.mktemp("built")
    build = "build_backend.build_sdist({0!r}); build_backend.build_wheel({0!r}, {{'wheel': 'any'}})"
    done = run_in_tree(tree, build.format(str(folder)))
    assert done.returncode == 0, done.stderr
    return folder


def date_differently(folder: Path) -> None:
    """Give files other times and permissions than they have."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        path.chmod(0o600)
        os.utime(path, (10**9, 10**9))


def digests_of(folder: Path, pattern: str) -> dict[str, str]:
    """The hash of each file whose name matches, by its name."""
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.glob(pattern)}


@pytest.mark.slow
def test_a_source_distribution_of_a_clone_needs_no_compiler(
    tree: Path, built_folder: Path, tmp_path: Path
) -> None:
    """The distribution holds all that the project is made of; its wheel is that of the clone."""
    (packed,) = built_folder.glob("*.tar.gz")
    shutil.unpack_archive(packed, tmp_path)
    unpacked = tmp_path / packed.name.removesuffix(".tar.gz")
    files = (path for path in tree.rglob("*") if path.is_file() and "build" not in path.parts)
    ours = {path.relative_to(tree).as_posix() for path in files}
    theirs = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    missing = {name for name in ours - theirs if ".egg-info/" not in name}
    assert not {name for name in missing if "__pycache__" not in name}
    assert theirs >= READ | {CORE}
    (unpacked / "tools" / "ziglang.py").write_text("raise ImportError('not needed')\n", "ascii")
    date_differently(unpacked)
    names = pip_wheel(unpacked, tmp_path, "--config-settings", "wheel=any")
    assert "wwho/web/package/wwho.wasm" in names
    assert digests_of(tmp_path, "*.whl") == digests_of(built_folder, "*.whl")


@pytest.mark.slow
def test_source_distributions_are_the_same_everywhere(
    tree: Path, built_folder: Path, tmp_path: Path
) -> None:
    """Whatever the folder, the times of files, and their permissions."""
    other = tmp_path / "elsewhere" / "deep"
    shutil.copytree(tree, other, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    date_differently(other)
    done = run_in_tree(other, f"build_backend.build_sdist({str(tmp_path)!r})")
    assert done.returncode == 0, done.stderr
    assert len(digests_of(built_folder, "*.tar.gz")) == 1
    assert digests_of(tmp_path, "*.tar.gz") == digests_of(built_folder, "*.tar.gz")


def test_what_builds_wheels_is_looked_for_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    versions = {"setuptools": "65.5.0", "cffi": "2.10.1"}

    def find_version(name: str) -> str:
        """Return the version of a package that is installed."""
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(build_wheels, "version", find_version)
    with pytest.raises(SystemExit, match=r"setuptools is 65\.5\.0, .*, ziglang is missing$"):
        build_wheels.build(tmp_path / "wheels")
    assert not (tmp_path / "wheels").exists()
