"""Check the licences of built packages: each file is ours, or of a material that NOTICE names.

    python tools/release/licences.py PACKAGE...      wheels, .tar.gz and .tgz

The table is materials.toml. What the packages that a material was taken from say about their own
licence is compared with it, where they are installed.
"""

from __future__ import annotations

import json
import sys
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from materials import Materials, read_materials

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    ROOT / folder / "node_modules"
    for folder in ("tests", "tests/pyodide", "tools/docs", "web/site")
]
"""Where npm has installed what packages are built from."""
SOURCE_TEXTS = {
    *(".py", ".pyi", ".c", ".h", ".js", ".mjs", ".ts", ".cpp", ".rs", ".go", ".css", ".html"),
    *(".md", ".markdown", ".json", ".toml", ".yml", ".txt", ".tsv", ".cfg", ".in", ".ipynb"),
    ".capnp",
}
"""The kinds of files that are ours, except where a pattern of the table says otherwise."""
PLAIN_NAMES = {"LICENSE", "NOTICE", "Makefile", "py.typed"}
"""Files of ours without such an ending."""


def list_files(package: Path) -> list[str]:
    """Return the paths of the files in a wheel, or in a .tar.gz or .tgz."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return [name for name in archive.namelist() if not name.endswith("/")]
    with tarfile.open(package) as packed:
        return [member.name for member in packed if member.isfile()]


def find_unnamed(paths: list[str], materials: Materials) -> list[str]:
    """Return the paths, of those in a package, of which nobody says whose they are."""
    return [
        path
        for path in paths
        if materials.owner_of(path) is None
        and Path(path).suffix not in SOURCE_TEXTS
        and Path(path).name not in PLAIN_NAMES
    ]


def stated_licence(package: str) -> str | None:
    """Return the licence that a package states, as SPDX names it; None if it is not installed.

    Args:
        package: such as "npm:typedoc" or "pypi:genai-prices".
    """
    kind, _, name = package.partition(":")
    if kind == "pypi":
        try:
            return str(metadata(name)["License-Expression"])
        except PackageNotFoundError:
            return None
    for folder in MODULES:
        if (manifest := folder / name / "package.json").is_file():
            return str(json.loads(manifest.read_text("utf-8"))["license"])
    return None


def find_contradictions(materials: Materials) -> list[str]:
    """Return a line for each package whose stated licence is none of its material's."""
    faults = []
    for material in materials.of_others:
        for package in material.packages:
            stated = stated_licence(package)
            if stated is not None and stated not in material.licences:
                licences = " and ".join(material.licences)
                faults.append(f"{package} states {stated}, and {material.name} has {licences}")
    return faults


def main() -> int:
    """Print what is wrong with the packages of the command line, and return 1 if anything is."""
    materials = read_materials()
    faults = find_contradictions(materials)
    for package in map(Path, sys.argv[1:]):
        for path in find_unnamed(list_files(package), materials):
            faults.append(f"{package.name}: {path} is of nobody that materials.toml names")
    print("\n".join(faults) or f"the licences of {len(sys.argv) - 1} packages are named")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
