"""Compile a cffi module for Pyodide with the zig of PyPI, without Emscripten.

Pyodide loads extension modules as WebAssembly side modules: position-independent code with a
`dylink.0` section, which finds Python and libc in the main module. zig's compiler and linker make
one as it stands, so long as the C needs neither setjmp nor stdio. The stable ABI of Python 3.11
makes one binary do for every version of Pyodide.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from zig import copy_python_headers, list_flags, run_zig

SUFFIX = ".abi3.so"
# extended_const lets addresses be base + offset, which is how a side module finds its data.
COMPILE = ["-target", "wasm32-wasi", "-mcpu=generic-extended_const+simd128", "-fPIC"]
LINK = [
    "--experimental-pic", "-shared", "--no-entry", "--allow-undefined", "-Bsymbolic", "--strip-all",
]  # fmt: skip
# What the headers of the stable ABI ask of pyconfig.h, for the 32-bit machine of WebAssembly.
PYCONFIG = """\
#define ALIGNOF_LONG 4
#define ALIGNOF_MAX_ALIGN_T 8
#define ALIGNOF_SIZE_T 4
#define HAVE_STDARG_PROTOTYPES 1
#define HAVE_STDINT_H 1
#define HAVE_UNISTD_H 1
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SHORT 2
#define SIZEOF_SIZE_T 4
#define SIZEOF_TIME_T 8
#define SIZEOF_VOID_P 4
#define SIZEOF_WCHAR_T 4
#define WITH_DOC_STRINGS 1
#define _GNU_SOURCE 1
"""


class BuildSideModule(build_ext):
    """setuptools' build_ext, with zig as the compiler and WebAssembly as the machine."""

    def get_ext_filename(self, fullname: str) -> str:
        """Return the path of a module in the wheel, with the suffix that Pyodide looks for."""
        return str(Path(*fullname.split("."))) + SUFFIX

    def build_extension(self, ext: Extension) -> None:
        """Compile and link one module, into the file that setuptools expects.

        Raises:
            SystemExit: zig is missing or fails; its own messages come first.
        """
        product = f"{ext.name} for Pyodide"
        folder = Path(self.build_temp)
        headers = copy_python_headers(folder / "include", PYCONFIG)
        flags = [*COMPILE, *list_flags(ext, headers)]
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        unlinked = folder / f"{ext.name}.o"
        run_zig(product, "cc", *flags, "-c", *map(str, ext.sources), "-o", str(unlinked))
        start = f"--export=PyInit_{ext.name.rpartition('.')[2]}"
        second = "--export-if-defined=PyInit__ids"  # of the library of wwho._core
        run_zig(product, "wasm-ld", *LINK, start, second, str(unlinked), "-o", str(target))
