"""The core as C users have it: the example of wwho.h, the Makefile and the tests in C."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from corelib import CORE, HEADER, CompileError, compile_c
from exhaustive import EXHAUSTIVE

import wwho
from wwho.encodings import model_bytes

EXAMPLE = re.compile(r" \* example: begin\n(.*?) \* example: end\n", re.DOTALL)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_example_of_the_header(compiler: str, tmp_path: Path) -> None:
    found = EXAMPLE.search(HEADER.read_text("utf-8"))
    assert found
    lines = found[1].splitlines()
    source = tmp_path / "example.c"
    source.write_text("\n".join(line.removeprefix(" *").removeprefix(" ") for line in lines))
    model = tmp_path / "model.wwho"
    model.write_bytes(model_bytes("cl100k_base"))
    flags = ["-Wall", "-Wextra", "-Werror", "-I", str(HEADER.parent), str(CORE)]
    try:
        program = compile_c(source, tmp_path / "example", compiler, flags)
    except CompileError as error:
        if "No such file" not in str(error):
            raise
        pytest.skip(str(error))
    text = "The kettle sings, නමස්කාර."
    done = subprocess.run([program, model, text], capture_output=True, check=True)
    assert [int(line) for line in done.stdout.split()] == wwho.get_encoding("cl100k_base").encode(
        text
    )
    assert subprocess.run([program, HEADER, text], capture_output=True, check=False).stderr == (
        b"MAGIC\n"
    )


ZIG = f"{shlex.quote(sys.executable)} -m ziglang cc"
WARNINGS = "-std=c11 -Wall -Wextra -Wpedantic -Werror"
# With -O1, gcc follows values to what it warns of. clang does so without, in a tenth of the time.
STRICT = {"gcc": f"-O1 {WARNINGS}", "clang": f"-O0 {WARNINGS}"}
# As for a compiler that has nothing beyond C11: what common.h falls back to.
PLAIN = f"-O0 -DWWHO_PLAIN_C {WARNINGS}"


COMPILERS = {**{name: (name, flags) for name, flags in STRICT.items()}, "plain C": ("gcc", PLAIN)}
if EXHAUSTIVE:  # it is clang, with a C library of its own
    COMPILERS["zig"] = (ZIG, STRICT["clang"])


@pytest.mark.parametrize(("compiler", "flags"), COMPILERS.values(), ids=COMPILERS)
def test_the_tests_in_c(compiler: str, flags: str, tmp_path: Path) -> None:
    if compiler == ZIG:
        pytest.importorskip("ziglang", reason="needs ziglang")
    for program in ("make", *shlex.split(compiler)[:1]):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    command = ["make", "-C", str(CORE.parent), "test", f"CC={compiler}", f"CFLAGS={flags}"]
    done = subprocess.run(
        [*command, f"BUILD={tmp_path}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "all checks passed" in done.stdout.splitlines()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("file", sorted(CORE.parent.glob("src/*.c")), ids=lambda file: file.name)
def test_every_file_compiles_alone(file: Path, compiler: str, tmp_path: Path) -> None:
    """With the compilers' extensions, and as plain C11."""
    flags = ["-c", "-std=c11", "-Wall", "-Wextra", "-Werror"]
    for more in ([], ["-DWWHO_PLAIN_C"]):
        try:
            compile_c(file, tmp_path / "alone.o", compiler, flags + more)
        except CompileError as error:
            if "No such file" not in str(error):
                raise
            pytest.skip(str(error))
