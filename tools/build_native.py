"""The cffi builders of the two native modules: `wwho._core` (the C core) and `wwho.train._native`.

setuptools calls them through `cffi_modules`; `python tools/build_native.py` builds both in place.
The declarations are the ones between the cffi marks of the public headers: nothing is declared
twice. `CFLAGS=-O0` compiles in a sixth of the time, and the result is slow.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "wasm"
TRAIN = ROOT / "py" / "wwho" / "train" / "native"
LEVEL = [] if "-O" in os.environ.get("CFLAGS", "") else ["-O3"]
# Debug information names sources by their place in the project, wherever that lies, so that two
# builds are the same bytes.
PLACES = [] if os.name == "nt" else [f"-ffile-prefix-map={ROOT}=."]
# A product and a sum are rounded one after the other on every machine, so that the trainer learns
# the same everywhere.
FLAGS = [*LEVEL, *PLACES, "-std=c11", "-ffp-contract=off", "-fvisibility=hidden"]
FLAGS += ["-Wall", "-Wextra"]


def read_declarations(header: Path) -> str:
    """Return the part of a header between its cffi marks.

    Raises:
        ValueError: the header has no cffi marks.
    """
    found = re.search(
        r"/\* cffi: begin \*/(.*)/\* cffi: end \*/", header.read_text("utf-8"), re.DOTALL
    )
    if found is None:
        raise ValueError(f"{header} has no part between '/* cffi: begin */' and '/* cffi: end */'")
    return found.group(1)


def make_builder(module: str, headers: list[Path], source: str, folder: Path) -> FFI:
    """Make a cffi builder in API mode, limited to the stable ABI of Python 3.11.

    Args:
        module: the full name of the module to build.
        headers: the headers whose parts between the cffi marks are declared.
        source: C that includes all of the module.
        folder: where that C is looked for, besides the folder of the core.
    """
    ffi = FFI()
    sources = [*CORE.glob("**/*.[ch]"), *folder.glob("*.[ch]")]
    for header in headers:
        ffi.cdef(read_declarations(header))
    ffi.set_source(
        module,
        source,
        include_dirs=[str(CORE), str(CORE / "include"), str(folder)],
        depends=[str(path.relative_to(ROOT)) for path in sorted(sources)],
        define_macros=[("Py_LIMITED_API", "0x030b0000")],
        py_limited_api=True,
        extra_compile_args=FLAGS,
    )
    return ffi


core = make_builder(
    "wwho._core",
    [CORE / "include" / "wwho.h"],
    '#include "wwho.c"\n#include "ids.c"',
    ROOT / "py" / "wwho" / "backends",
)
train = make_builder(
    "wwho.train._native",
    [CORE / "include" / "wwho.h", TRAIN / "train.h"],
    '#include "core.c"\n#include "train.c"',
    TRAIN,
)


if __name__ == "__main__":
    os.chdir(ROOT)
    for ffi in (core, train):
        ffi.compile(tmpdir="py", verbose=True)
