"""Check one build of the core in a process of its own, since a broken one may crash it.

    python tests/py/check_core.py [LIBRARY]         (default: the core of the installed package)

All vectors; texts, results and scratch memory that end right before, or begin right behind, memory
that may not be touched, at every alignment; lengths at and beyond the limits of wwho.h.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corelib import HEADER, SHIPPED, Core, Library, load_library
from vector_checks import ENCODINGS, artifact, check_vectors

from wwho import Tokenizer
from wwho.backends import native

PAGE = mmap.PAGESIZE
NO_ACCESS, READ_WRITE = 0, 3  # PROT_NONE, PROT_READ | PROT_WRITE
LONGEST = 80  # bytes
ALIGNMENTS = range(16)
LARGEST = 2**31 - 1
TOO_LONG = (2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 5, 2**63 - 1, 2**63, 2**64 - 16, 2**64 - 1)
MODELS = ("tiny", "o200k_base", "wwho_328k")

ASCII = b"The kettle's on;  it'LL boil at 10:45.\r\n\tfor (i = 0; i < n; i++) sum += row[i] * 2; //"
SINHALA = "චන්ද්‍රයාගේ ශ්‍රී විද්‍යාලයේ කකක ශ්‍රීලං".encode()
RANDOM = random.Random(5).randbytes(LONGEST)


# Vectors


def check_all_vectors(library: Library) -> None:
    """Run every vector through the native backend, with this library in place of the package's."""
    uncleared = library.ffi.new_allocator(should_clear_after_alloc=False)
    for name, value in (("ffi", library.ffi), ("lib", library.lib), ("_uncleared", uncleared)):
        assert hasattr(native, name)
        setattr(native, name, value)
    for name in ENCODINGS:
        check_vectors(Tokenizer(artifact(name), "native"), name)


# Memory that ends where it says


class Fence:
    """Memory between two pages that may not be touched."""

    def __init__(self, library: Library, size: int) -> None:
        self._ffi = library.ffi
        self.size = (size + PAGE - 1) // PAGE * PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._memory = mmap.mmap(-1, self.size + 2 * PAGE, flags=flags)
        self.start = self._ffi.from_buffer("uint8_t[]", self._memory) + PAGE
        self.end = self.start + self.size
        self._protect(self.start - PAGE)
        self._protect(self.end)

    def _protect(self, page: Any) -> None:
        address = ctypes.c_void_p(int(self._ffi.cast("uintptr_t", page)))
        assert ctypes.CDLL(None).mprotect(address, ctypes.c_size_t(PAGE), NO_ACCESS) == 0

    def at_end(self, size: int, behind: int = 0) -> Any:
        """The last `size` bytes, but for `behind` ones, which are letters: text goes on there."""
        self._ffi.memmove(self.end - behind, b"a" * behind, behind)
        return self.end - behind - size

    def put(self, at: Any, data: bytes) -> Any:
        """The pointer, to which the data is copied."""
        self._ffi.memmove(at, data, len(data))
        return at


class Fenced:
    """A model, and a fence for each of the buffers of a call."""

    def __init__(self, library: Library, name: str) -> None:
        self.binding = library
        self.core = Core.open(artifact(name), LONGEST, library)
        self.text, self.ids, self.ends, self.spans = (Fence(library, PAGE) for _ in range(4))

    def tokens(self, at: Any, n: int, scratch: Any = None) -> tuple[list[int], list[int]]:
        """Ids and ends of the n bytes at a pointer, written to buffers for just n of them."""
        ffi, lib, core = self.binding.ffi, self.binding.lib, self.core
        ids = ffi.cast("uint32_t *", self.ids.at_end(4 * n))
        ends = ffi.cast("uint32_t *", self.ends.at_end(4 * n))
        job = core.job(ids=ids, ends=ends, cap=n)
        job.scratch = scratch or core.scratch
        assert lib.wwho_encode(core.model, at, n, ffi.NULL, job) == lib.WWHO_OK
        return ffi.unpack(ids, job.n), ffi.unpack(ends, job.n)

    def check(self, at: Any, text: bytes, ids: list[int], ends: list[int]) -> None:
        """What the functions give for the text at a pointer is what it is elsewhere."""
        ffi, lib, model, n = self.binding.ffi, self.binding.lib, self.core.model, len(text)
        assert self.tokens(at, n) == (ids, ends)
        count, token = ffi.new("size_t *"), ffi.new("uint32_t *")
        spans = ffi.cast("wwho_span *", self.spans.at_end(12 * n))
        job = self.core.job(cap=n, spans=spans, spans_cap=n)
        assert lib.wwho_encode(model, at, n, ffi.NULL, job) == lib.WWHO_OK
        assert job.n == len(ids)
        assert (spans[job.n_spans - 1].end if n else job.n_spans) == n
        first = ffi.cast("uint32_t *", self.spans.at_end(4 * len(ids)))
        last = ffi.new("uint32_t[]", len(ids))
        given = ffi.cast("uint32_t *", self.ends.put(self.ends.at_end(4 * len(ids)), packed(ends)))
        assert lib.wwho_offsets(at, n, ffi.NULL, given, len(ids), 1, first, last) == lib.WWHO_OK
        whole = lib.wwho_token_id(model, at, n, token)
        assert whole == lib.WWHO_TOKEN or decoded(self.binding, model, [token[0]], n) == text
        # into the place where the text was: out of line as it was, and with as much room
        out = ffi.cast("uint8_t *", at)
        assert lib.wwho_decode(model, ids, len(ids), out, n, count) == lib.WWHO_OK
        assert bytes(ffi.buffer(out, n)) == text


def packed(numbers: list[int]) -> bytes:
    """Numbers as the core has them."""
    return b"".join(number.to_bytes(4, sys.byteorder) for number in numbers)


def decoded(library: Library, model: Any, ids: list[int], room: int) -> bytes:
    """The text of ids."""
    out, size = library.ffi.new("uint8_t[]", room), library.ffi.new("size_t *")
    assert library.lib.wwho_decode(model, ids, len(ids), out, room, size) == library.lib.WWHO_OK
    return bytes(library.ffi.buffer(out, size[0]))


def texts() -> Iterator[bytes]:
    """Texts of every length, easy and hard to read."""
    for whole in (ASCII, SINHALA, RANDOM, b"a" * LONGEST):
        yield from (whole[:length] for length in range(LONGEST + 1))


def check_edges(library: Library) -> None:
    """No byte outside of what is given is touched, and no place changes the tokens."""
    for name in MODELS:
        fenced = Fenced(library, name)
        for text in texts():
            ids, ends = fenced.core.tokens(text)
            for behind in ALIGNMENTS:
                at = fenced.text.put(fenced.text.at_end(len(text), behind), text)
                fenced.check(at, text, ids, ends)
            for before in ALIGNMENTS:
                at = fenced.text.put(fenced.text.start + before, text)
                fenced.check(at, text, ids, ends)


def check_scratch(library: Library) -> None:
    """The scratch may be just as large as `wwho_scratch_size` says, and stand anywhere."""
    fenced = Fenced(library, "tiny")
    size = library.lib.wwho_scratch_size(fenced.core.model)
    for text in (whole[:length] for whole in (ASCII, RANDOM) for length in range(0, LONGEST, 7)):
        scratch = Fence(library, size)
        at = fenced.text.put(fenced.text.at_end(len(text)), text)
        for place in (scratch.at_end(size), scratch.start):
            place_is_aligned = int(library.ffi.cast("uintptr_t", place)) % 16 == 0
            assert place_is_aligned
            library.ffi.memmove(place, bytes(size), size)
            assert fenced.tokens(at, len(text), place) == fenced.core.tokens(text)


# Limits


def check_limits(library: Library) -> None:
    """A length beyond 2^31 - 1 is refused, and nothing of the text is read; that one is not."""
    ffi, lib = library.ffi, library.lib
    core = Core.open(artifact("tiny"), LONGEST, library)
    out = ffi.new("uint32_t *")
    page = Fence(library, PAGE).end
    given = (core.model, page)
    for length in TOO_LONG:
        refused = (
            lib.wwho_encode(*given, length, ffi.NULL, core.job()),
            lib.wwho_offsets(page, length, ffi.NULL, ffi.NULL, 0, 0, out, out),
            lib.wwho_token_id(*given, length, out),
        )
        assert set(refused) == {lib.WWHO_ARGUMENT}, (length, refused)
    assert lib.wwho_token_id(*given, LARGEST, out) == lib.WWHO_TOKEN
    stated = re.search(r"needs: at most (\d+) MiB, whatever", HEADER.read_text("utf-8"))
    needed = lib.wwho_scratch_size(core.model)
    assert stated is not None
    assert needed <= 2**20 * float(stated[1])
    for job in (core.job(cap=1), core.job(ids=out, starts=out, ends=out, cap=1)):
        job.scratch_len = needed - 1
        assert lib.wwho_encode(*given, LARGEST, ffi.NULL, job) == lib.WWHO_BUFFER


def check_files_too_long(library: Library) -> None:
    """Of a file beyond the limit, no more than its header is read."""
    header = artifact("tiny")[:24]
    fence = Fence(library, PAGE)
    at, size = fence.put(fence.at_end(24), header), library.ffi.new("size_t *")
    for length in TOO_LONG:
        assert library.lib.wwho_workspace_size(at, length, size) == library.lib.WWHO_TRAILING


def main() -> None:
    """Check the library that the command line names."""
    faulthandler.enable()
    library = load_library(Path(sys.argv[1])) if sys.argv[1:] else SHIPPED
    check_all_vectors(library)
    if hasattr(mmap, "MAP_ANONYMOUS"):
        check_edges(library)
        check_scratch(library)
        check_limits(library)
        check_files_too_long(library)
    print("all checks passed")


if __name__ == "__main__":
    main()
