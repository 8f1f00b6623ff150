"""`make -C wasm install`, and programs in other languages that use what it installs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from corelib import CORE, HEADER
from exhaustive import EXHAUSTIVE
from strategies import PARTS

import wwho
from wwho.encodings import model_bytes

EXAMPLES = CORE.parents[1] / "tools" / "examples"
TEXT = "The kettle sings, නමස්කාර. <|endoftext|>\n" * 3
# How each example is compiled: the program that it needs, and the command, in a shell.
COMMANDS = {
    "c": "gcc -std=c11 -Wall -Wextra -Werror {source} $(pkg-config --cflags --libs wwho) "
    "-o {target}",
    "cpp": "g++ -std=c++17 -Wall -Wextra -Werror {source} $(pkg-config --cflags --libs wwho) "
    "-o {target}",
    "rust": "rustc -D warnings {source} -L $(pkg-config --variable=libdir wwho) -o {target}",
    "go": "go build -o {target} {source}",
}


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder where the core is installed, compiled quickly, for tests need no speed."""
    need("make", "cc", "pkg-config")
    folder = tmp_path_factory.mktemp("installed")
    command = ["make", "-C", str(CORE.parent), "install", "CFLAGS=-O0 -std=c11"]
    subprocess.run(
        [*command, f"PREFIX={folder}", f"BUILD={folder}/build"], check=True, capture_output=True
    )
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "cl100k_base.wwho"
    path.write_bytes(model_bytes("cl100k_base"))
    return path


def with_library(folder: Path) -> dict[str, str]:
    """The environment in which compilers and programs find what is installed in a folder."""
    return {
        **os.environ,
        "PKG_CONFIG_PATH": f"{folder}/lib/pkgconfig",
        "LD_LIBRARY_PATH": f"{folder}/lib",
        "GOCACHE": f"{folder}/go",
        "GO111MODULE": "off",
    }


def check_program(program: Path, model: Path, environment: dict[str, str]) -> None:
    """Check what an example counts, and what it says of what is wrong."""

    def run(*arguments: Path, text: str = "") -> subprocess.CompletedProcess[str]:
        command = [str(program), *map(str, arguments)]
        return subprocess.run(
            command, input=text, capture_output=True, env=environment, check=False, encoding="utf-8"
        )

    done = run(model, text=TEXT)
    expected = wwho.get_encoding("cl100k_base").count(TEXT)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected}\n", "")
    assert run(model).stdout == "0\n"
    done = run(HEADER, text=TEXT)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{HEADER}: MAGIC\n")
    done = run()
    assert done.returncode == 2
    assert done.stderr == "usage: count MODEL.wwho < TEXT\n"


@pytest.mark.parametrize("language", COMMANDS)
def test_an_example(language: str, installed: Path, model: Path, tmp_path: Path) -> None:
    need(COMMANDS[language].split()[0])
    (source,) = (EXAMPLES / language).glob("count.*")
    command = COMMANDS[language].format(source=source, target=tmp_path / "count")
    environment = with_library(installed)
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    check_program(tmp_path / "count", model, environment)


def test_cmake(installed: Path, model: Path, tmp_path: Path) -> None:
    need("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        f"""
        cmake_minimum_required(VERSION 3.16)
        project(example C)
        find_package(wwho 4.0 REQUIRED)
        foreach(kind wwho static)
          add_executable(with_${{kind}} {EXAMPLES}/c/count.c)
          target_link_libraries(with_${{kind}} wwho::${{kind}})
        endforeach()
        find_package(wwho 5.0 QUIET)
        if(wwho_FOUND)
          message(FATAL_ERROR "4 is not 5")
        endif()
        """,
        "utf-8",
    )
    build = tmp_path / "build"
    configure = ["cmake", "-S", str(tmp_path), "-B", str(build), f"-DCMAKE_PREFIX_PATH={installed}"]
    for command in (configure, ["cmake", "--build", str(build)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    for program in ("with_wwho", "with_static"):
        check_program(build / program, model, dict(os.environ))


def test_destdir(tmp_path: Path) -> None:
    """As packagers of distributions install: into a folder that is not where it will be."""
    need("make", "cc")
    command = ["make", "-C", str(CORE.parent), "install", "CFLAGS=-O0 -std=c11", "PREFIX=/usr"]
    command += [f"DESTDIR={tmp_path}/root", f"BUILD={tmp_path}/build"]
    subprocess.run(command, check=True, capture_output=True)
    root = tmp_path / "root" / "usr"
    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}
    assert {"include/wwho.h", "lib/libwwho.a", "lib/pkgconfig/wwho.pc"} < found
    assert "prefix=/usr\n" in (root / "lib" / "pkgconfig" / "wwho.pc").read_text("utf-8")


@pytest.mark.slow
def test_the_ids_of_an_arm_processor(model: Path, tmp_path: Path) -> None:
    """On ARM64, which is emulated, NEON finds the edges of words."""
    pytest.importorskip("ziglang", reason="needs ziglang")
    need("qemu-aarch64-static")
    program, text = tmp_path / "ids", tmp_path / "text"
    source = Random(44)
    parts = [part for part in PARTS if part != "\n"]  # the program reads lines
    lines = ["".join(source.choices(parts, k=k % 150)) for k in range(1500)]
    lines += [(CORE.parent / "src" / "encode.c").read_text("utf-8").replace("\n", " ")]
    text.write_text("\n".join(lines), "utf-8")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", "-static", "-O2"]
    sources = ["-I", HEADER.parent, CORE.parent / "tests" / "ids.c", CORE]
    subprocess.run([*map(str, [*zig, *sources, "-o", program])], check=True)
    command = ["qemu-aarch64-static", str(program), str(model), str(text)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    enc = wwho.get_encoding("cl100k_base", "native")
    assert [[*map(int, line.split())] for line in found.splitlines()] == enc.encode_batch(lines)


@pytest.mark.skipif(not EXHAUSTIVE, reason="zig compiles a libc first")
@pytest.mark.parametrize("processor", ["x86_64", "aarch64"])
def test_a_program_for_a_small_board(processor: str, model: Path, tmp_path: Path) -> None:
    """Without libraries, and for another processor, which is emulated."""
    pytest.importorskip("ziglang", reason="needs ziglang")
    emulator = ["qemu-aarch64-static"] if processor == "aarch64" else []
    need(*emulator)
    program = tmp_path / "count"
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", f"{processor}-linux-musl", "-static"]
    sources = [EXAMPLES / "c" / "count.c", CORE]
    command = [*zig, "-O2", "-s", "-I", HEADER.parent, *sources, "-o", program]
    subprocess.run(list(map(str, command)), check=True)
    assert program.stat().st_size < 200_000
    done = subprocess.run(
        [*emulator, str(program), str(model)], input=TEXT.encode(), capture_output=True, check=True
    )
    assert int(done.stdout) == wwho.get_encoding("cl100k_base").count(TEXT)
