"""`python -m wwho.serve FOLDER`: the page as plain files, for any other host."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from wwho.format.files import write_atomic
from wwho.serve.files import FOLDERS, FONTS, IMPORTER, PYTHON, from_npm, packed, paths


def write(folder: Path, pyodide: Path | None) -> None:
    """Write all that the page asks for; without Pyodide it imports nothing and runs no Python."""
    files = {FONTS: b"", IMPORTER: packed(models=False), PYTHON: packed(models=True)}
    files |= {name: path.read_bytes() for name, path in paths(FOLDERS).items()}
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / name, data)
    if pyodide is not None:
        shutil.copytree(pyodide, folder / "pyodide", dirs_exist_ok=True)


def main() -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m wwho.serve", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write; files there are replaced")
    parser.add_argument("--pyodide", type=Path, help="as for wwho serve")
    options = parser.parse_args()
    if options.pyodide is not None and not options.pyodide.is_dir():
        parser.error(f"{options.pyodide} is no folder of npm's package pyodide")
    write(options.folder, options.pyodide or from_npm("pyodide"))


if __name__ == "__main__":
    main()
