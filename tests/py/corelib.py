"""The C core at the level of wwho.h: as the package has it, or compiled anew with other flags."""

from __future__ import annotations

import mmap
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import oracle  # puts tools/ on the path
from cffi import FFI

from wwho._core import ffi, lib

HEADER = oracle.ROOT / "wasm" / "include" / "wwho.h"
CORE = oracle.ROOT / "wasm" / "wwho.c"
CANARY = 0xABABABAB
GUARDS = 16  # canaries behind each buffer


@dataclass(frozen=True)
class Library:
    """A compiled core, as cffi has it."""

    ffi: Any
    lib: Any


SHIPPED = Library(ffi, lib)


class CompileError(Exception):
    """A compiler is missing, or does not take these flags."""


def compile_c(source: Path, target: Path, compiler: str, flags: Sequence[str]) -> Path:
    """Compile a file of C, such as CORE; to a library with -shared among the flags.

    Raises:
        CompileError: it cannot be done here.
    """
    command = [*shlex.split(compiler), "-std=c11", *flags, str(source), "-o", str(target)]
    try:
        done = subprocess.run(command, cwd=target.parent, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise CompileError(str(error)) from None
    if done.returncode:
        raise CompileError(f"{shlex.join(command)}\n{done.stderr.decode(errors='replace')}")
    return target


def load_library(path: Path) -> Library:
    """The core that `compile_c` made a library of."""
    from build_native import read_declarations

    found = FFI()
    found.cdef(read_declarations(HEADER))
    return Library(found, found.dlopen(str(path)))


class Zeros:
    """Zeroed memory, at the start of a page. To zero it again costs no more than it was used."""

    def __init__(self, size: int) -> None:
        self._size = size
        if sys.platform == "linux":
            self.memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:
            self.memory = mmap.mmap(-1, size)

    def clear(self) -> None:
        if sys.platform == "linux":
            self.memory.madvise(mmap.MADV_DONTNEED)
        else:
            self.memory[:] = bytes(self._size)


@dataclass
class Core:
    """An opened model and a scratch area for texts of up to `longest` bytes."""

    binding: Library
    model: Any
    scratch: Any
    scratch_len: int
    zeros: Zeros
    owners: list[Any]

    @classmethod
    def open(cls, blob: bytes, longest: int = 4096, library: Library = SHIPPED) -> Core:
        ffi, lib = library.ffi, library.lib
        data, size = ffi.from_buffer(blob), ffi.new("size_t *")
        model = ffi.new("const wwho_model **")
        assert lib.wwho_workspace_size(data, len(blob), size) == lib.WWHO_OK
        work = Zeros(size[0])
        at = ffi.from_buffer(work.memory)
        assert lib.wwho_open(data, len(blob), at, size[0], model) == lib.WWHO_OK
        needed = lib.wwho_scratch_size(model[0])
        zeros = Zeros(needed)
        scratch = ffi.from_buffer(zeros.memory)
        return cls(library, model[0], scratch, needed, zeros, [data, blob, work, at])

    def forget(self) -> None:
        """Zero the scratch: the cache is as new."""
        self.zeros.clear()

    def encode(
        self, text: bytes, cap: int, *, with_ends: bool = True
    ) -> tuple[int, list[int], list[int], int]:
        """Status, ids and ends with canaries behind them, and n; without ends, those are canaries.

        Ids beyond n are canaries, or anything: the core may use all of the buffer.
        """
        ffi, lib = self.binding.ffi, self.binding.lib
        canaries = [CANARY] * (cap + GUARDS)
        ids, ends = ffi.new("uint32_t[]", canaries), ffi.new("uint32_t[]", canaries)
        job = self.job(ids=ids, ends=ends if with_ends else ffi.NULL, cap=cap)
        status = lib.wwho_encode(self.model, text, len(text), ffi.NULL, job)
        return status, list(ids), list(ends), job.n

    def job(self, **fields: Any) -> Any:
        """A job that works in the scratch, with these fields."""
        scratch = {"scratch": self.scratch, "scratch_len": self.scratch_len}
        return self.binding.ffi.new("wwho_job *", scratch | fields)

    def tokens(self, text: bytes) -> tuple[list[int], list[int]]:
        """All ids and ends of a text."""
        status, ids, ends, n = self.encode(text, len(text))
        assert status == self.binding.lib.WWHO_OK
        return ids[:n], ends[:n]

    def count(self, text: bytes, limit: int) -> int:
        """The number of tokens, up to more than `limit`."""
        lib, job = self.binding.lib, self.job(cap=limit)
        status = lib.wwho_encode(self.model, text, len(text), self.binding.ffi.NULL, job)
        assert status == lib.WWHO_OK
        return int(job.n)
