"""Build every wheel into dist/ on this machine, without a network and the same bytes every time.

    python tools/build_wheels.py                   all of them
    python tools/build_wheels.py -o FOLDER KIND... some of them, into another folder

They are py3-none-any, whose core is wwho.wasm; one for each platform of Pyodide (`side_module.py`);
and one for each system that people have (`cross_module.py`). zig compiles all but the first. Built
from a copy of the tree, so that nothing an earlier build left behind gets into them. setuptools,
cffi and ziglang, all from PyPI, must be installed: the extra `dev` has them.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from build_backend import ANY, LEFT_BEHIND, PYODIDE
from build_wasm import ROOT, ZIG
from cross_module import PLATFORMS

DIST = ROOT / "dist"
KINDS = (ANY, *PYODIDE, *PLATFORMS)
SOURCES = ("LICENSE", "NOTICE", "README.md", "pyproject.toml")
FOLDERS = ("py", "schemas", "tools", "wasm", "web")
IGNORED = shutil.ignore_patterns(*LEFT_BEHIND, "bench")
# The first moment that a zip archive can name: files are dated so unless the caller says otherwise.
EPOCH = "315532800"


def build(folder: Path = DIST, kinds: Iterable[str] = KINDS) -> list[Path]:
    """Build wheels of these kinds into a folder, which is made if missing, and return their paths.

    Raises:
        SystemExit: what builds them is not installed, or a build fails; its own messages come
            first.
    """
    if faults := find_missing_builders():
        raise SystemExit(f"to build wheels, pip install '.[dev]': {', '.join(faults)}")
    folder.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0o022)  # modes are part of a wheel
    try:
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "wwho"
            copy_sources(tree)
            return [build_wheel(tree, Path(scratch) / kind, folder, kind) for kind in kinds]
    finally:
        os.umask(mask)


def find_missing_builders() -> list[str]:
    """Return what is wrong with the packages that build wheels: each that is missing or too old.

    pip would say so in the middle of a long log, as builds without isolation find it out.
    """
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    faults = []
    for needed in (*pyproject["build-system"]["requires"], f"ziglang=={ZIG}"):
        name, expected = re.split("[=>]=", needed)
        try:
            found = version(name)
        except PackageNotFoundError:
            faults.append(f"{name} is missing")
            continue
        if read_numbers(found) < read_numbers(expected):
            faults.append(f"{name} is {found}, expected {expected} or later")
    return faults


def read_numbers(text: str) -> list[int]:
    """Return the numbers of a version as text, such as 77, 0 and 3 of 77.0.3."""
    return [int(number) for number in re.findall(r"\d+", text)]


def copy_sources(tree: Path) -> None:
    """Copy what wheels are made of into a new folder.

    Only contents are copied: times and modes are this machine's.
    """
    tree.mkdir()
    for name in SOURCES:
        shutil.copyfile(ROOT / name, tree / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name, ignore=IGNORED, copy_function=shutil.copyfile)


def build_wheel(tree: Path, scratch: Path, folder: Path, kind: str) -> Path:
    """Build a wheel of one kind from a tree of sources, and return its path in `folder`.

    Args:
        tree: the sources; what an earlier build left in its `build` is removed.
        scratch: a folder for the build's own files.
        folder: where the wheel goes.
        kind: as `build_backend.py` has them.

    Raises:
        SystemExit: the build fails; its own messages come first.
    """
    shutil.rmtree(tree / "build", ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    chosen = ["--no-build-isolation", "--config-settings", f"wheel={kind}"]
    command = [*pip, *chosen, "--wheel-dir", str(scratch), str(tree)]
    environment = {"SOURCE_DATE_EPOCH": EPOCH, **os.environ}
    if subprocess.run(command, env=environment, check=False).returncode:
        raise SystemExit(f"the wheel {kind!r} could not be built; the messages stand above")
    (wheel,) = scratch.glob("*.whl")
    return Path(shutil.move(wheel, folder / wheel.name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=DIST, help="folder (dist)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (all)")
    options = parser.parse_args()
    if unknown := set(options.kinds) - {*KINDS}:
        parser.error(f"there is no wheel {', '.join(sorted(unknown))}; expected {', '.join(KINDS)}")
    for path in build(options.output, options.kinds or KINDS):
        print(f"{path}: {path.stat().st_size:,} bytes")
