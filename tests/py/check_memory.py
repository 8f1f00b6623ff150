"""Do something over and over, in a process of its own; print by how many bytes it grew meanwhile.

    python tests/py/check_memory.py WORK TIMES      (for example: open_smallest 100000)

For Linux.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from tiny import smallest_model

import wwho
from wwho import ArtifactError, Tokenizer, UnknownTokenError
from wwho.backends.backend import RowLayout
from wwho.encodings import model_bytes
from wwho.format.write import write_artifact

SENTENCE = "The kettle’s on, ගෙදර යන පාරේ මල් පිපිලා, बगीचे में हवा चल रही थी \U0001f600. "
LONG = SENTENCE * 10_000  # over a megabyte: beyond what is kept from call to call, with its scratch
SMALLEST = write_artifact(smallest_model())
BROKEN = SMALLEST[:-1] + b"?"
WARM_UP = 20  # times at least, and a tenth of all: what is kept is there then
ROUNDS = 3

NO_HUGE_PAGES = 41  # PR_SET_THP_DISABLE

Work = Callable[[int], object]


def encode(enc: Tokenizer) -> Work:
    return lambda k: enc.encode(f"{SENTENCE}{k}")


def methods(enc: Tokenizer) -> Work:
    """Every method that runs the core, and errors."""

    def work(k: int) -> None:
        ids, _ = enc.encode_with_offsets(f"{SENTENCE}{k}")
        enc.count_till_limit(f"{k}{SENTENCE}", k % 50)
        enc.segment(SENTENCE)
        enc.encode_to_numpy(SENTENCE)
        enc.decode_with_offsets(ids)
        enc.encode_single_token(enc.decode_single_token_bytes(ids[0]))
        with suppress(UnknownTokenError):
            enc.decode([*ids, 2**31])

    return work


def batches(enc: Tokenizer) -> Work:
    """Every call of ids.c for a batch, with texts of each kind, and a text that is none."""
    kinds = [SENTENCE, "caf\u00e9", "a\ud800b", b"\xff", bytearray(b"more"), LONG[:3000]]
    spaced = RowLayout(b"", b" ", b"\n")

    def work(k: int) -> None:
        texts: list[Any] = [*kinds, f"{k}{SENTENCE}"]
        enc.encode_batch(texts)
        enc.encode_batch_to_numpy(texts)
        enc.count_batch(texts)
        enc._backend.encode_batch_to_text(texts, None, False, spaced)
        for call in (enc.encode_batch, enc.encode_batch_to_numpy, enc.count_batch):
            with suppress(TypeError):
                call([*texts[:4], cast(Any, None), *texts[4:]])

    return work


def long_texts(enc: Tokenizer) -> Work:
    return lambda k: enc.encode(LONG[k:]) if k % 2 else enc.encode(LONG[k:] * 3)


def open_smallest(_: Tokenizer) -> Work:
    return lambda _: Tokenizer(SMALLEST, "native")


def open_and_use(_: Tokenizer) -> Work:
    blob = model_bytes("gpt2")  # a quarter of the time that o200k_base takes
    return lambda k: Tokenizer(blob, "native").encode(f"{SENTENCE}{k}")


def open_broken(_: Tokenizer) -> Work:
    def work(_: int) -> None:
        with suppress(ArtifactError):
            Tokenizer(BROKEN, "native")

    return work


def resident() -> int:
    """The memory of this process that lies in RAM, in bytes."""
    gc.collect()
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path("/proc/self/status").read_text("ascii"), re.M)
    assert found is not None
    return 1024 * int(found[1])


def growth(work: Work, times: int) -> int:
    """Bytes of RAM that this takes and does not give back.

    The least of some rounds: a leak shows in each of them, while an arena of Python's allocator, of
    1 MiB, stays or goes when it happens to.
    """
    for k in range(max(WARM_UP, times // 10)):
        work(k)
    grown = []
    for _ in range(ROUNDS):
        before = resident()
        for k in range(times):
            work(k)
        grown.append(resident() - before)
    return min(grown)


def main() -> None:
    """What the command line says."""
    # The kernel makes huge pages of small ones, and RAM of what was never used, when it likes.
    ctypes.CDLL(None).prctl(NO_HUGE_PAGES, 1, 0, 0, 0)
    make: Callable[[Tokenizer], Work] = globals()[sys.argv[1]]
    print(growth(make(wwho.get_encoding("wwho_328k", "native")), int(sys.argv[2])))


if __name__ == "__main__":
    main()
