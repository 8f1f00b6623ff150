"""The harnesses: how they are built with clang, into build/fuzz, and run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FUZZ = Path(__file__).resolve().parent
BUILD = ROOT / "build" / "fuzz"
HARNESSES = ("open", "encode", "decode", "specials")

ADDRESS = ("-O2", "-fsanitize=address,undefined")
# Coverage counts the core alone. Comparisons are not traced: most are the sanitizers' own and took
# three quarters of the time; what they would teach, the seeds and the mutations by section bring.
FUZZER = (
    "-fsanitize=fuzzer",
    f"-fsanitize-coverage-allowlist={FUZZ / 'core.txt'}",
    "-fno-sanitize-coverage=trace-cmp",
)
FLAGS_OF = {
    **dict.fromkeys(HARNESSES, (*ADDRESS, *FUZZER)),
    # with the core of the harnesses, whose counters nobody reads then
    **dict.fromkeys(("splices", "draws"), ADDRESS),
    # without -O2, under which clang takes eight times as long and leaves out accesses to see
    "threads": ("-fsanitize=thread", "-pthread"),
    # without sanitizers, which would count as code: for `coverage`
    **dict.fromkeys(
        (f"{name}-profile" for name in HARNESSES),
        ("-O2", "-fsanitize=fuzzer", "-fprofile-instr-generate", "-fcoverage-mapping"),
    ),
}
FLAGS = (
    *("-std=c11", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"),
    "-DWWHO_DEBUG",  # the core's asserts (common.h)
)
WARNINGS = ("-Wall", "-Wextra", "-Werror")
# The longest inputs, in bytes.
MAX_LEN = {"open": 65_537, "encode": 4096, "decode": 4096, "specials": 2048}
# Beyond these, a finding: seconds for one input, one allocation, and the memory of a harness. That
# is left to ASan: libFuzzer's own figure begins with the peak of the process that started it.
MEMORY_MB = 2048
LIMITS = ("-timeout=600", f"-malloc_limit_mb={MEMORY_MB}", "-rss_limit_mb=0")

INSTALL = "install Debian's clang and libclang-rt-dev"


class BuildError(Exception):
    """A program does not compile."""


class MissingError(BuildError):
    """clang or its libraries are not installed."""


def clang() -> str:
    """The compiler.

    Raises:
        MissingError: there is none.
    """
    found = shutil.which(os.environ.get("CLANG", "clang"))
    if found is None:
        raise MissingError(f"clang is missing: {INSTALL}")
    return found


@cache
def check_runtime(*flags: str) -> None:
    """See whether clang has the libraries that these flags want.

    Raises:
        MissingError: it has not.
    """
    empty = b"int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return !p + !n; }"
    if not any("fuzzer" in flag for flag in flags):
        empty = b"int main(void) { return 0; }"
    with tempfile.TemporaryDirectory() as folder:
        command = [clang(), *flags, "-x", "c", "-", "-o", str(Path(folder) / "empty")]
        done = subprocess.run(command, input=empty, capture_output=True, check=False)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()
        raise MissingError(f"clang cannot link {' '.join(flags)}: {INSTALL}\n{why}")


def build(name: str) -> Path:
    """The program with this name, built again where a source has changed since.

    Raises:
        MissingError: clang or its libraries are not installed.
        BuildError: the sources do not compile.
    """
    flags = FLAGS_OF[name]
    check_runtime(*flags)
    source = FUZZ / f"{name.removesuffix('-profile')}.c"
    of_core = FLAGS_OF["open"] if flags == ADDRESS else flags
    return compile_with_clang(BUILD / name, [source, core(of_core)], flags)


def core(flags: tuple[str, ...]) -> Path:
    """The core for programs with these flags: one compilation, which takes most of the time."""
    same = next(name for name, other in FLAGS_OF.items() if other == flags)
    return compile_with_clang(BUILD / f"core-{same}.o", [ROOT / "wasm" / "wwho.c"], (*flags, "-c"))


def compile_with_clang(target: Path, files: list[Path], flags: tuple[str, ...]) -> Path:
    """Return the path of what clang makes of files; made only if a source is newer than it."""
    sources = [*FUZZ.glob("*.[ch]"), *(ROOT / "wasm").glob("**/*.[ch]"), FUZZ / "core.txt"]
    newest = max(path.stat().st_mtime_ns for path in [*sources, Path(__file__)])
    if target.is_file() and target.stat().st_mtime_ns == newest:
        return target
    BUILD.mkdir(parents=True, exist_ok=True)
    # Under another name until it is complete: tests in several processes build at the same time.
    made = target.with_name(f"{target.name}.{os.getpid()}")
    command = [clang(), *FLAGS, *WARNINGS, *flags, *map(str, files), "-o", str(made)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        reason = done.stderr.decode(errors="replace")
        raise BuildError(f"{target.name} does not compile:\n{reason}")
    # Not when it was compiled: what is edited meanwhile is newer.
    os.utime(made, ns=(newest, newest))
    made.replace(target)
    return target


@dataclass(frozen=True)
class Outcome:
    """What a run of a harness came to."""

    harness: str
    executions: int
    edges: int  # of the core that were reached
    seconds: int
    log: str
    finding: bool

    def __str__(self) -> str:
        found = "A FINDING" if self.finding else "no finding"
        return (
            f"{self.harness:9}{self.executions:>12,} executions in {self.seconds} s, "
            f"{self.edges} edges, {found}"
        )


def number(pattern: str, log: str) -> int:
    """The last number that the pattern finds in a log; 0 where there is none."""
    found: list[str] = re.findall(pattern, log)
    return int(found[-1]) if found else 0


@cache
def seeds() -> Path:
    """The folder of what the harnesses begin with, one for each, written anew where it is old."""
    from seeds import write_seeds

    write_seeds(BUILD / "seeds")
    return BUILD / "seeds"


def fuzz(
    harness: str, corpus: Path, findings: Path, *, seconds: int = 0, runs: int = -1
) -> Outcome:
    """Run a harness for some seconds or so often, from the seeds and what `corpus` holds.

    Raises:
        BuildError: it cannot be built here.
    """
    program = build(harness)
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    command = [
        str(program),
        f"-max_total_time={seconds}",  # 0: without end
        f"-runs={runs}",  # the seeds are among them; -1: without end
        f"-max_len={MAX_LEN[harness]}",
        f"-artifact_prefix={findings}/{harness}-",
        "-print_final_stats=1",
        *LIMITS,
        str(corpus),
        str(seeds() / harness),
    ]
    env = {**os.environ, "ASAN_OPTIONS": f"hard_rss_limit_mb={MEMORY_MB}"}
    begun = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, check=False)
    log = done.stderr.decode(errors="replace")
    return Outcome(
        harness,
        executions=number(r"stat::number_of_executed_units: (\d+)", log),
        edges=number(r"cov: (\d+)", log),
        seconds=round(time.monotonic() - begun),
        log=log,
        finding=done.returncode != 0,
    )


def coverage() -> dict[str, tuple[int, int]]:
    """For each file of the core, its lines that seeds and build/fuzz/corpus reach, and all lines.

    Raises:
        MissingError: clang or LLVM's tools are not installed.
        BuildError: the sources do not compile.
    """
    tools = [shutil.which(name) for name in ("llvm-profdata", "llvm-cov")]
    if None in tools:
        raise MissingError("llvm-profdata and llvm-cov are missing: install Debian's llvm")
    profdata, cov = map(str, tools)
    with tempfile.TemporaryDirectory() as folder:
        for harness in HARNESSES:
            command = [str(build(f"{harness}-profile")), "-runs=0", str(seeds() / harness)]
            learnt = BUILD / "corpus" / harness
            command += [str(learnt)] if learnt.is_dir() else []
            env = {**os.environ, "LLVM_PROFILE_FILE": f"{folder}/{harness}.profraw"}
            subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=True)
        merged = f"{folder}/all.profdata"
        raw = [f"{folder}/{harness}.profraw" for harness in HARNESSES]
        subprocess.run([profdata, "merge", "-o", merged, *raw], check=True)
        # The core is the same in all programs.
        export = [
            cov,
            "export",
            "-summary-only",
            f"-instr-profile={merged}",
            str(BUILD / "open-profile"),
        ]
        report = json.loads(subprocess.run(export, capture_output=True, check=True).stdout)
    lines = {
        Path(file["filename"]): file["summary"]["lines"] for file in report["data"][0]["files"]
    }
    return {
        path.name: (count["covered"], count["count"])
        for path, count in sorted(lines.items())
        if path.parent.name == "src"
    }
