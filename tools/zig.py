"""zig, the cross compiler that PyPI has: how it is run, and Python's headers for its targets."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension


def run_zig(product: str, *arguments: str) -> None:
    """Run zig with arguments; its messages go to the terminal.

    Args:
        product: what zig builds, for the message if it fails.
        arguments: the command line, without the program.

    Raises:
        SystemExit: zig is missing or fails.
    """
    if subprocess.run([sys.executable, "-m", "ziglang", *arguments], check=False).returncode:
        raise SystemExit(f"zig could not build {product}; its messages stand above")


def list_flags(ext: Extension, headers: Path) -> list[str]:
    """Return the compiler's flags for a module: its own, its macros, and where headers are.

    Args:
        ext: the module.
        headers: the folder of Python's headers.
    """
    macros = [f"-D{name}={value}" for name, value in ext.define_macros]
    includes = [f"-I{path}" for path in (headers, *ext.include_dirs)]
    return [*ext.extra_compile_args, *macros, *includes]


def copy_python_headers(folder: Path, pyconfig: str) -> Path:
    """Copy this Python's headers into a folder, replacing it, and return the folder.

    They are copied, because Python.h takes the pyconfig.h beside it before any other.

    Args:
        folder: where the headers go.
        pyconfig: the content of pyconfig.h, which describes the target's machine.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), folder)
    (folder / "pyconfig.h").write_text(pyconfig, "ascii")
    return folder
