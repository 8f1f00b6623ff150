"""The example of wwho.h, compiled with the core and run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from corelib import CORE, HEADER, CompileError, compile_c

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
