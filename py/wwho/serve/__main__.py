"""`python -m wwho.serve FOLDER`: write the demo page as plain files, for any other host."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from wwho.format.files import write_atomic
from wwho.serve.python_archive import pack_python
from wwho.serve.site_files import (
    DOCS,
    FOLDERS,
    FONTS,
    IMPORTER,
    PYTHON,
    find_npm_package,
    list_files,
)


def write_site(folder: Path, pyodide: Path | None) -> None:
    """Write all files that the page asks for into a folder, which is made if missing.

    Files of the same names are replaced, others stay.

    Args:
        folder: where to write.
        pyodide: the folder of npm's package pyodide, which is copied; without it the page can
            neither import tokenizers nor run Python.

    Raises:
        OSError: a file cannot be read or written.
    """
    files = {
        FONTS: b"",
        IMPORTER: pack_python(models=False),
        PYTHON: pack_python(models=True),
    }
    files |= {name: path.read_bytes() for name, path in list_files(FOLDERS).items()}
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / name, data)
    if DOCS.is_dir():
        shutil.copytree(DOCS, folder / "docs", dirs_exist_ok=True)
    if pyodide is not None:
        shutil.copytree(pyodide, folder / "pyodide", dirs_exist_ok=True)


def main() -> None:
    """Write the demo page into the folder that the command line names.

    Files of the same names in the folder are replaced, and others stay.

    Raises:
        SystemExit: with 2, the command line makes no sense; with 1, a file cannot be read or
            written.
    """
    parser = argparse.ArgumentParser(prog="python -m wwho.serve", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write; files there are replaced")
    parser.add_argument("--pyodide", type=Path, help="as for wwho serve")
    options = parser.parse_args()
    if options.pyodide is not None and not options.pyodide.is_dir():
        parser.error(f"{options.pyodide} is no folder of npm's package pyodide")
    try:
        write_site(options.folder, options.pyodide or find_npm_package("pyodide"))
    except OSError as error:
        parser.exit(1, f"{parser.prog}: {error.filename}: {error.strerror}\n")


if __name__ == "__main__":
    main()
