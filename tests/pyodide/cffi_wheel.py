"""A wheel of cffi for one version of Pyodide: the part that compiled modules import.

Online, Pyodide brings its own. PyPI has none, so this one is compiled from PyPI's source of cffi by
zig; the headers that it needs come from Debian (libffi's, as WebAssembly has them, and CPython's).
What is fetched and built is kept, so that it is built once.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

CFFI = "2.0.0"
SUITES = {"3.13": "trixie", "3.14": "forky"}  # of Debian, that have this Python's headers
FFI_SUITE = "trixie"
APT = """\
deb [arch=amd64] http://deb.debian.org/debian trixie main
deb-src http://deb.debian.org/debian trixie main
deb [arch=amd64] http://deb.debian.org/debian forky main
"""
# zig has no libc for Emscripten, but Emscripten's is musl, and so are these headers, of a machine
# with the same sizes. Its types are otherwise the compiler's own.
LIBC = ("riscv32-linux-musl", "generic-musl")
SHIM = """\
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef __WCHAR_TYPE__ wchar_t;
#define __DEFINED_size_t
#define __DEFINED_ssize_t
#define __DEFINED_wchar_t
"""
COMPILE = [
    "-target", "wasm32-emscripten", "-mcpu=generic-extended_const+simd128", "-fPIC", "-O2",
    "-nostdlibinc", "-DFFI_BUILDING=1", "-DHAVE_SYNC_SYNCHRONIZE", "-Wno-everything",
]  # fmt: skip
LINK = [
    "--experimental-pic", "-shared", "--no-entry", "--allow-undefined", "-Bsymbolic", "--strip-all",
    "--export=PyInit__cffi_backend",
]  # fmt: skip


class UnobtainableError(Exception):
    """A source or header cannot be had here; the message says which."""


def build(
    python: str, platform: str, config: Callable[[], dict[str, object]], folder: Path
) -> Path:
    """The wheel, built where it is not there yet.

    Args:
        python: the version of Pyodide's Python, as in "3.14".
        platform: Pyodide's platform tag.
        config: gives `sysconfig.get_config_vars()` of Pyodide.
        folder: for what is fetched and built.

    Raises:
        UnobtainableError: a registry does not answer, or this is not Debian.
        AssertionError: the compiler fails.
    """
    digits = python.replace(".", "")
    tag = f"cp{digits}-cp{digits}-{platform}"
    wheel = folder / f"cffi-{CFFI}-{tag}.whl"
    if wheel.is_file():
        return wheel
    work = folder / f"cffi-{python}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "shim.h").write_text(SHIM, "ascii")
    package = fetch_apt(folder, f"libpython{python}-dev", python)
    includes = [
        python_headers(python, config(), package, work),
        ffi_headers(fetch_apt(folder, "libffi", None), work),
    ]
    source = unpack(fetch_cffi(folder), work) / "src" / "c" / "_cffi_backend.c"
    module = work / "_cffi_backend.so"
    compile_module(source, includes, work, module)
    return write_wheel(wheel, module, tag)


def compile_module(source: Path, includes: list[Path], work: Path, module: Path) -> None:
    """Compile and link a side module of Pyodide."""
    import ziglang

    libc = Path(ziglang.__file__).parent / "lib" / "libc" / "include"
    flags = [f"-I{path}" for path in includes]
    flags += [flag for name in LIBC for flag in ("-isystem", str(libc / name))]
    flags += ["-include", str(work / "shim.h")]
    unlinked = work / "_cffi_backend.o"
    zig("cc", *COMPILE, *flags, "-c", str(source), "-o", str(unlinked))
    zig("wasm-ld", *LINK, str(unlinked), "-o", str(module))


def python_headers(python: str, config: dict[str, object], package: Path, work: Path) -> Path:
    """CPython's headers, with the pyconfig.h of Pyodide's Python."""
    run("dpkg-deb", "--extract", str(package), str(work / "deb"))
    headers = work / "deb" / "usr" / "include" / f"python{python}"
    machine = work / "deb" / "usr" / "include" / "x86_64-linux-gnu" / f"python{python}"
    known = re.findall(r"#(?:define| ?undef) (\w+)", (machine / "pyconfig.h").read_text("utf-8"))
    # 0 stands for what is not defined.
    values = {name: config[name] for name in sorted(set(known)) if config.get(name)}
    lines = [f"#define {k} {v}\n" for k, v in values.items() if isinstance(v, int)]
    assert len(lines) > 250
    (headers / "pyconfig.h").write_text("".join(lines), "ascii")
    return headers


def ffi_headers(package: Path, work: Path) -> Path:
    """libffi's headers for WebAssembly, as its configure script would write them."""
    source = unpack(package, work)
    headers = work / "ffi"
    headers.mkdir()
    shutil.copy(source / "src" / "wasm32" / "ffitarget.h", headers)
    template = (source / "include" / "ffi.h.in").read_text("utf-8")
    values = {"TARGET": "wasm32", "HAVE_LONG_DOUBLE": "1", "FFI_EXEC_TRAMPOLINE_TABLE": "0"}
    filled = re.sub(r"@(\w+)@", lambda found: values.get(found[1], "0"), template)
    (headers / "ffi.h").write_text(filled, "utf-8")
    return headers


def fetch_cffi(folder: Path) -> Path:
    """The source of cffi, from PyPI."""
    archive = folder / f"cffi-{CFFI}.tar.gz"
    if not archive.is_file():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
        obtain(*pip, "--dest", str(folder), f"cffi=={CFFI}")
    return archive


def fetch_apt(folder: Path, package: str, python: str | None) -> Path:
    """A Debian package of Python's headers, or else the original source of a package."""
    pattern = f"{package}_*.orig.tar.gz" if python is None else f"{package}_*.deb"
    if not list(folder.glob(pattern)):
        options = apt_options(folder)
        if python is None:
            what = ["source", "--download-only", "--only-source", f"{package}/{FFI_SUITE}"]
        else:
            what = ["download", f"{package}/{SUITES[python]}"]
        obtain("apt-get", *options, *what, cwd=folder)
    return next(folder.glob(pattern))


def apt_options(folder: Path) -> list[str]:
    """Options for package lists of our own: they need no rights and leave the system's alone."""
    apt = folder / "apt"
    options = {
        "Dir::Etc::SourceList": apt / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": apt / "lists",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "",
    }
    flags = [
        "-qq",
        *(part for name, value in options.items() for part in ("-o", f"{name}={value}")),
    ]
    if not (apt / "updated").is_file():
        (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (apt / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        (apt / "sources.list").write_text(APT, "ascii")
        obtain("apt-get", *flags, "update")
        (apt / "updated").touch()
    return flags


def unpack(archive: Path, work: Path) -> Path:
    """Unpack a tar archive; the one folder in it."""
    shutil.unpack_archive(archive, work)
    with tarfile.open(archive) as tar:
        return work / tar.getnames()[0].partition("/")[0]


def write_wheel(wheel: Path, module: Path, tag: str) -> Path:
    """A wheel of this one module."""
    info = f"cffi-{CFFI}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: cffi\nVersion: {CFFI}\n"
    about = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: false\nTag: {tag}\n"
    unfinished = wheel.with_suffix(".tmp")
    with ZipFile(unfinished, "w") as archive:
        archive.write(module, module.name)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", about)
        archive.writestr(f"{info}/RECORD", "")
    return unfinished.replace(wheel)


def obtain(*command: str, cwd: Path | None = None) -> None:
    """Run a command that fetches something.

    Raises:
        UnobtainableError: it is missing or fails.
    """
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise UnobtainableError(f"needs {command[0]}") from error
    if done.returncode:
        raise UnobtainableError(f"{' '.join(command)}: {done.stderr.strip()}")


def zig(*arguments: str) -> None:
    run(sys.executable, "-m", "ziglang", *arguments)


def run(*command: str) -> None:
    """Run a command that must not fail."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
