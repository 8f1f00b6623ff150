"""Build web/package/wwho.wasm from the C core: no imports, the same bytes every time.

The compiler is the zig of PyPI's `ziglang` package, the one cross compiler that comes without a
download of its own. Binaryen's wasm-opt, from npm, then makes the core smaller, and up to 1.2 times
as fast. The result is part of the repository, so that nobody else needs either of them; a test
compiles it again and compares.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "wasm"
TARGET = ROOT / "web" / "package" / "wwho.wasm"
ZIG = "0.16.0"
STACK_BYTES = 104 * 1024
SOURCES = ["wwho.c"]
# LLVM inlines what is marked `inline` and is small, and what is marked HOT. With its own thresholds
# the core would be larger by a third, and hardly faster. Vectors that it finds by itself take 3 KB
# and gain nothing: where vectors pay, the core is written with them. Unrolled loops take 9 KB.
FLAGS = [
    "-target", "wasm32-freestanding", "-mcpu=generic+bulk_memory+simd128",
    "-std=c11", "-O2", "-mllvm", "-inline-threshold=0", "-mllvm", "-inlinehint-threshold=80",
    "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops",
    "-nostdlib", "-fvisibility=hidden", "-c",
]  # fmt: skip
# zig cc would pad each address to five bytes. wasm-opt drops the names of functions.
LINK_FLAGS = [
    "--no-entry", "--strip-debug", "--gc-sections", "--compress-relocations", "-O2",
    "-z", f"stack-size={STACK_BYTES}", "--export=__heap_base",
]  # fmt: skip
WASM_OPT = ROOT / "tests" / "node_modules" / "binaryen" / "bin" / "wasm-opt"


# The linker leaves the first 1,024 bytes of memory unused, which lets wasm-opt fold small offsets.
OPT_FLAGS = [
    "--enable-bulk-memory", "--enable-simd", "--strip-producers", "--strip-target-features",
    "-O3", "--converge", "--low-memory-unused",
]  # fmt: skip


def exported_functions() -> list[str]:
    """The functions that wwho.h declares, without `wwho_`, but for the one that names statuses.

    C needs the prefix, for it has one namespace; in WebAssembly it would take 90 bytes. The names
    of statuses would take 480; JavaScript and Python have them from the header (gen_header.mjs).
    """
    header = (CORE / "include" / "wwho.h").read_text("utf-8")
    return re.findall(r"^(?:uint32_t|int|size_t) wwho_(\w+)\(", header, re.MULTILINE)


def build(target: Path = TARGET) -> Path:
    """Compile the core to `target`.

    Raises:
        SystemExit: the compiler or wasm-opt is missing, or fails.
    """
    try:
        import ziglang
    except ImportError:
        raise SystemExit(f"the compiler is missing: python -m pip install ziglang=={ZIG}") from None
    del ziglang
    if not WASM_OPT.is_file():
        raise SystemExit("wasm-opt is missing: run npm install in tests/")
    names = exported_functions()
    renames = [f"-Dwwho_{name}={name}" for name in names]
    exports = [f"--export={name}" for name in names]
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        objects = [str(Path(folder, f"{number}.o")) for number in range(len(SOURCES))]
        for source, compiled in zip(SOURCES, objects, strict=True):
            _zig("cc", *FLAGS, *renames, source, "-o", compiled)
        linked, small = Path(folder, "linked.wasm"), Path(folder, target.name)
        _zig("wasm-ld", *objects, *LINK_FLAGS, *exports, "-o", str(linked))
        _run("node", str(WASM_OPT), *OPT_FLAGS, str(linked), "-o", str(small))
        small.replace(target)
    return target


def _zig(*arguments: str) -> None:
    _run(sys.executable, "-m", "ziglang", *arguments)


def _run(*command: str) -> None:
    if subprocess.run(command, cwd=CORE, check=False).returncode:
        raise SystemExit("the core could not be compiled; the messages stand above")


if __name__ == "__main__":
    path = build()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")
