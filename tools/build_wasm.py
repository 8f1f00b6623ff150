"""Build web/package/wwho.wasm from the C core: no imports, the same bytes every time.

The compiler is the zig of PyPI's `ziglang` package, the one cross compiler that comes without a
download of its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "wasm"
TARGET = ROOT / "web" / "package" / "wwho.wasm"
ZIG = "0.16.0"
STACK_BYTES = 96 * 1024
FLAGS = [
    "-target", "wasm32-freestanding", "-mcpu=generic+bulk_memory+simd128",
    "-std=c11", "-O3", "-nostdlib", "-fvisibility=hidden",
    "-Wl,--no-entry", "-Wl,--strip-all", f"-Wl,-z,stack-size={STACK_BYTES}",
    "-Wl,--export=__heap_base",
]  # fmt: skip


def exported_functions() -> list[str]:
    """The names of the functions that wwho.h declares."""
    header = (CORE / "include" / "wwho.h").read_text("utf-8")
    return re.findall(r"^(?:uint32_t|int|size_t|const char \*) ?(wwho_\w+)\(", header, re.MULTILINE)


def build(target: Path = TARGET) -> Path:
    """Compile the core to `target`.

    Raises:
        SystemExit: the compiler is missing, of another version, or fails.
    """
    try:
        import ziglang
    except ImportError:
        raise SystemExit(f"the compiler is missing: python -m pip install ziglang=={ZIG}") from None
    del ziglang
    temporary = target.with_suffix(".tmp")
    exports = [f"-Wl,--export={name}" for name in exported_functions()]
    zig = [sys.executable, "-m", "ziglang", "cc"]
    try:
        if subprocess.run([*zig, *FLAGS, *exports, "wwho.c", "-o", temporary], cwd=CORE).returncode:
            raise SystemExit("zig could not compile the core; its messages stand above")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return target


if __name__ == "__main__":
    path = build()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")
