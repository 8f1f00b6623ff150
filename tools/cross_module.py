"""Compile a cffi module for another system than this one, with the zig of PyPI.

The stable ABI of Python 3.11 makes one binary do for every later version, and leaves nothing of a
foreign Python to be asked for but its headers, which are alike everywhere except for pyconfig.h,
and, on Windows, an import library for python3.dll, which a list of names is enough to make.
"""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from zig import copy_python_headers, list_flags, run_zig

# The target of zig for each platform, by the name that wheels have for it. glibc 2.17 is that of
# 2014, which every distribution that still gets fixes has; macOS 11 is the first for Apple's own
# processors.
PLATFORMS = {
    "manylinux2014_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux2014_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
    "win_arm64": "aarch64-windows-gnu",
}
# zig's dlltool calls the processors of Windows so.
DLL_MACHINES = {"win_amd64": "i386:x86-64", "win_arm64": "arm64"}
# What the headers of the stable ABI ask of pyconfig.h, for machines with addresses of 64 bits.
PYCONFIG = """\
#define HAVE_STDINT_H 1
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_INT 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SHORT 2
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_VOID_P 8
#ifdef _WIN32
#define HAVE_DECLSPEC_DLL 1
#define MS_WIN64 1
#define MS_WINDOWS 1
#define Py_ENABLE_SHARED 1
#define SIZEOF_LONG 4
#define SIZEOF_WCHAR_T 2
#else
#define HAVE_UNISTD_H 1
#define SIZEOF_LONG 8
#define SIZEOF_WCHAR_T 4
#define _GNU_SOURCE 1
#endif
"""


class BuildCrossModule(build_ext):
    """setuptools' build_ext, with zig as the compiler and `platform` as the system."""

    platform: str
    """A key of `PLATFORMS`; a subclass sets it."""

    def get_ext_filename(self, fullname: str) -> str:
        """Return the path of a module in the wheel, with the suffix that its Python looks for."""
        suffix = ".pyd" if self.platform in DLL_MACHINES else ".abi3.so"
        return str(Path(*fullname.split("."))) + suffix

    def build_extension(self, ext: Extension) -> None:
        """Compile and link one module, into the file that setuptools expects.

        Raises:
            SystemExit: zig is missing or fails; its own messages come first.
        """
        product = f"{ext.name} for {self.platform}"
        folder = Path(self.build_temp)
        headers = copy_python_headers(folder / "include", PYCONFIG)
        system = ["-target", PLATFORMS[self.platform], "-fPIC", "-fno-sanitize=undefined"]
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        link = ["-shared", "-s", *self._find_python(headers, folder)]
        run_zig(
            product,
            *("cc", *system, *list_flags(ext, headers)),
            *(*map(str, ext.sources), *link, "-o", str(target)),
        )
        # zig writes these beside a DLL, for programs that link to it.
        for beside in (*target.parent.glob("*.lib"), *target.parent.glob("*.pdb")):
            beside.unlink()

    def _find_python(self, headers: Path, folder: Path) -> list[str]:
        """Return the arguments of the linker with which a module finds the functions of Python.

        On Linux there are none, on macOS undefined names are looked up at run time, and on Windows
        an import library for python3.dll is written to `folder`.
        """
        if self.platform.startswith("macosx"):
            # Without a name of its own, a module would be named by its path on this machine.
            return ["-Wl,-undefined,dynamic_lookup", "-Wl,-install_name,@rpath/module"]
        if self.platform not in DLL_MACHINES:
            return []
        names, library = folder / "python3.def", folder / "libpython3.a"
        names.write_text(list_exports(headers), "ascii")
        machine = DLL_MACHINES[self.platform]
        run_zig(
            "an import library",
            *("dlltool", "-m", machine, "-D", "python3.dll", "-d", str(names), "-l", str(library)),
        )
        return [str(library)]


def list_exports(headers: Path) -> str:
    """Return a module definition file with the functions and variables that Python.h declares.

    It also names those that the stable ABI lacks, which python3.dll does not export. No module
    imports one by mistake: the limited API hides their declarations.

    Args:
        headers: the folder of Python.h; the headers in its subfolders are left out, but for those
            of the limited API, which Python.h includes.
    """
    text = "\n".join(path.read_text("utf-8") for path in sorted(headers.glob("*.h")))
    functions = re.findall(r"\bPyAPI_FUNC\([^)]*\)\s*(\w+)\s*\(", text)
    variables = re.findall(r"\bPyAPI_DATA\([^)]*\)\s*(\w+)\s*;", text)
    lines = [*sorted(set(functions)), *(f"{name} DATA" for name in sorted(set(variables)))]
    return "\n".join(["LIBRARY python3.dll", "EXPORTS", *lines, ""])
