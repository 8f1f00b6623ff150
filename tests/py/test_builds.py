"""The C core built in other ways: the same answers, nothing undefined, a stack of bounded size."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import oracle  # puts tools/ on the path
import pytest
from corelib import CORE, HEADER, CompileError, compile_c
from exhaustive import EXHAUSTIVE, chosen
from vector_checks import ENCODINGS

CHECK = Path(__file__).with_name("check_core.py")
WEB_TESTS = oracle.ROOT / "tests" / "web"
LIBRARY = ("-shared", "-fPIC")
UNDEFINED = "-fsanitize=undefined,alignment"
NO_VECTORS = ("-O3", "-fno-tree-vectorize", "-fno-tree-slp-vectorize")
CHECKED = ("-g", UNDEFINED, "-DWWHO_DEBUG")
BUILDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Not optimized, while the shipped build is with -O3. This one stops at the asserts and at what
    # C does not define: gcc's says what it was, and clang's is in the harnesses of test_fuzz.py.
    ("gcc", ("-O0", *CHECKED, "-fno-sanitize-recover=all")),
)
if EXHAUSTIVE:
    BUILDS += (
        ("gcc", ("-O0",)),
        ("gcc", ("-O1", *CHECKED, "-fno-sanitize-recover=all")),
        ("gcc", ("-O3", "-march=native")),
        ("clang", NO_VECTORS),
        ("clang", ("-O1", *CHECKED, "-fsanitize-trap=all")),
    )

NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
FRAME = re.compile(r"(\d+) bytes \(([\w,]+)\)")
EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')

# Builds of wwho.wasm for engines with less than the shipped one asks for: the first lacks what each
# of the others lacks.
CPUS = {"the first WebAssembly": "mvp+mutable_globals"}
if EXHAUSTIVE:
    CPUS["without SIMD"] = "generic+bulk_memory"
    CPUS["without bulk memory"] = "mvp+mutable_globals+simd128"
# What compilers call where there are no instructions for it. Volatile, lest it becomes a call of
# itself.
MEMORY_C = """
#include <stddef.h>
void *memset(void *to, int byte, size_t n) {
    for (volatile unsigned char *p = to; n--; p++) *p = (unsigned char)byte;
    return to;
}
void *memcpy(void *to, const void *from, size_t n) {
    volatile unsigned char *p = to;
    for (const unsigned char *q = from; n--;) *p++ = *q++;
    return to;
}
"""


def built(target: Path, compiler: str, flags: Sequence[str]) -> Path:
    """The core compiled; the test skipped where the compiler is missing or lacks a flag."""
    empty = target.with_suffix(".c")
    empty.write_text("int nothing;\n", "ascii")
    try:
        compile_c(empty, target, compiler, flags)
    except CompileError as error:
        pytest.skip(str(error))
    return compile_c(CORE, target, compiler, flags)


def check(*arguments: str | Path) -> None:
    """Run check_core.py."""
    command = [sys.executable, str(CHECK), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all checks passed\n"


@pytest.mark.slow
def test_the_shipped_build() -> None:
    check()


@pytest.mark.slow
@pytest.mark.parametrize(("compiler", "flags"), BUILDS, ids=lambda value: str(value))
def test_other_builds(tmp_path: Path, compiler: str, flags: tuple[str, ...]) -> None:
    check(built(tmp_path / "core.so", compiler, (*LIBRARY, *flags)))


# The stack

KINDS = ("encode_piece", "encode_segment", "encode_greedy", "encode_viterbi")
"""The functions in a model's kind; the first one is that of models over bytes."""
REWRITES = "encode_word_of"
"""One more, which has the text that steps make of a word encoded by one of these."""
SPELLS = ("put_unknown", "put_unknowns", "put_path", "encode_unknown", "encode_word")
"""What the others call for a unit that they lack, where the compiler keeps it as a function."""


def call_graph(folder: Path, level: str) -> tuple[dict[str, tuple[int, str]], dict[str, set[str]]]:
    """The frame of each function of the core, in bytes and its kind, and what it calls."""
    flags = ("-c", level, "-fcallgraph-info=su")
    graph = built(folder / "core.o", "gcc", flags).with_suffix(".ci").read_text("utf-8")
    frames = {}
    for title, label in NODE.findall(graph):
        if frame := FRAME.search(label):
            frames[title] = (int(frame[1]), frame[2])
    calls: dict[str, set[str]] = {title: set() for title in frames}
    for caller, callee in EDGE.findall(graph):
        calls[caller].add(callee)
    return frames, calls


@pytest.mark.slow
@pytest.mark.parametrize("level", chosen(["-O0", "-O2", "-O3"], "-O3"))
def test_the_stack_is_bounded(tmp_path: Path, level: str) -> None:
    """No recursion, no frame whose size is known only as it runs.

    The one call through a pointer is that of a model's kind; what spells for another model is one
    over bytes (FORMAT.md, MODEL), which spells for itself.
    """
    frames, calls = call_graph(tmp_path, level)
    names = {title: title.rpartition(":")[2].partition(".")[0] for title in frames}
    kinds = {title for title, name in names.items() if name in KINDS}
    over_bytes = {title for title in kinds if names[title] == KINDS[0]}
    for caller, called in calls.items():
        if "__indirect_call" in called:
            called.remove("__indirect_call")
            called |= over_bytes if names[caller] in KINDS + SPELLS else kinds
            if names[caller] == "put_block":
                called |= {title for title, name in names.items() if name == REWRITES}
    # a bounded one is what arguments are pushed to, and its size the most that it becomes
    assert {kind for _, kind in frames.values()} <= {"static", "dynamic,bounded"}
    assert any(title.endswith("wwho_encode") for title in frames)
    outside = {callee for called in calls.values() for callee in called} - set(frames)
    assert outside <= {"memcpy", "memset", "memmove", "memcmp"}
    try:
        order = list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        pytest.fail(f"recursion: {error.args[1]}")
    deepest: dict[str, int] = {}
    for title in order:  # what is called comes before what calls it
        below = max((deepest[callee] for callee in calls.get(title, ())), default=0)
        deepest[title] = below + (frames[title][0] if title in frames else 0)
    stated = re.search(r"The stack takes at\s+\* most (\d+) KiB", HEADER.read_text("utf-8"))
    assert stated is not None
    assert 4096 < max(deepest.values()) <= 1024 * int(stated[1])


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_the_stack_of_webassembly_is_large_enough(tmp_path: Path, level: str) -> None:
    """As large as all frames together: without recursion, no chain of calls needs more."""
    from build_wasm import STACK_BYTES

    flags = ("-c", "--target=wasm32", "-ffreestanding", level, "-fstack-usage")
    usage = built(tmp_path / "core.o", "clang", flags).with_suffix(".su").read_text("utf-8")
    lines = [line.split("\t") for line in usage.splitlines()]
    assert {kind for _, _, kind in lines} == {"static"}
    assert 4096 < sum(int(size) for _, size, _ in lines) < STACK_BYTES


# WebAssembly


@pytest.mark.slow
def test_the_shipped_core_is_compiled_from_these_sources(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="needs ziglang")
    import build_wasm

    if not build_wasm.WASM_OPT.is_file():
        pytest.skip("needs wasm-opt: npm install in tests/")
    compiled = build_wasm.build(tmp_path / "wwho.wasm").read_bytes()
    assert compiled == build_wasm.TARGET.read_bytes(), "run python tools/build_wasm.py"


@pytest.mark.slow
@pytest.mark.parametrize("cpu", CPUS.values(), ids=CPUS)
def test_webassembly_with_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpu: str) -> None:
    pytest.importorskip("ziglang", reason="needs ziglang")
    import build_wasm

    if not build_wasm.WASM_OPT.is_file():
        pytest.skip("needs wasm-opt: npm install in tests/")
    memory = tmp_path / "memory.c"
    memory.write_text(MEMORY_C, "ascii")
    flags = [f"-mcpu={cpu}" if flag.startswith("-mcpu=") else flag for flag in build_wasm.FLAGS]
    assert f"-mcpu={cpu}" in flags
    monkeypatch.setattr(build_wasm, "FLAGS", flags)
    optional = [flag for flag in build_wasm.OPT_FLAGS if flag.startswith("--enable-")]
    monkeypatch.setattr(build_wasm, "OPT_FLAGS", optional)  # what remains takes wasm-opt seconds
    monkeypatch.setattr(build_wasm, "SOURCES", [*build_wasm.SOURCES, str(memory)])
    core = build_wasm.build(tmp_path / "wwho.wasm")
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(WEB_TESTS / "vectors.test.mjs")],
        env={**os.environ, "WWHO_WASM": str(core)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "# fail 0\n# cancelled 0\n# skipped 0\n" in done.stdout
    assert all(f"- tests/vectors/{name}.jsonl\n" in done.stdout for name in ENCODINGS)
