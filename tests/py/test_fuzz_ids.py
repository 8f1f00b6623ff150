"""ids.c: references, memory, sizes at its limits, buffers that change, texts at a page's end."""

from __future__ import annotations

import ctypes
import gc
import mmap
import re
import sys
import threading
import tracemalloc
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest
from tiny import kinds_model, small_model, steps_model

import wwho
from wwho import Tokenizer
from wwho._core import ffi
from wwho.backends import native
from wwho.backends.backend import format_ids
from wwho.backends.native import CallMemory, NativeBackend
from wwho.format.write import write_artifact
from wwho.sampling import Sampling
from wwho.text import LONG_TEXT, to_bytes

ENC = wwho.get_encoding("wwho_328k", "native")
SHORT_BYTES = 1 << 10  # SHORT_TEXT_BYTES of ids.c
MOST = 1 << 20  # bytes of a batch, for calls of ids.c


class Named(str):
    """A class of texts of its own."""

    __slots__ = ()


SAMPLES = {
    "ascii": "the kettle is on ",
    "1 byte": "café déjà vu ",
    "2 bytes": "ගෙදර යන පාරේ हिन्दी ",
    "4 bytes": "😀 ගෙදර 𐐷 ",
    "lone surrogate": "a\ud800b ",
    "pair of surrogates": "a\ud83d\ude00b ",
}
TEXTS: dict[str, Any] = {
    **SAMPLES,
    **{f"long {name}": text * (LONG_TEXT // len(text) + 1) for name, text in SAMPLES.items()},
    "empty": "",
    "of a class of its own": Named("ගෙදර"),
    "bytes": "ගෙදර".encode() * 300,
    "broken bytes": b"\xff\xe0\xb6",
    "bytearray": bytearray(b"some text"),
    "memoryview": memoryview(b"some text"),
    "None": None,
    "number": 2**40,
    "list": ["a"],
}


def calls_of(enc: Tokenizer) -> Any:
    """The calls of ids.c for a model, which have memory for the texts here."""
    enc.encode("the kettle " * 10_000)
    backend = enc._backend
    assert isinstance(backend, NativeBackend)
    return backend._calls


def call_all(calls: Any, text: Any, batch: list[Any], allowed: bytes) -> None:
    """Every call of ids.c, with this text alone and in the middle of a batch, also with errors."""
    for name in ("encode", "encode_to_numpy"):
        getattr(calls, name)(text, allowed, False)
        getattr(calls, name)(text, None, True)
    calls.count(text, allowed, False, 3)
    calls.count(text, allowed, False, 2**70)
    calls.count(text, allowed, False, 0)
    for name in ("encode_batch", "encode_batch_packed", "count_batch"):
        getattr(calls, name)(batch, allowed, False, MOST)
        getattr(calls, name)(batch, None, False, 5)
        getattr(calls, name)((*batch,), None, False, MOST)
        for limit in (-1, None):
            with pytest.raises((OverflowError, TypeError)):
                getattr(calls, name)(batch, None, False, limit)
    for wrong in ("mask", 7, batch):
        with pytest.raises(TypeError):
            calls.encode("a", wrong, False)
    with pytest.raises(TypeError, match="expected 3 arguments"):
        calls.encode(text)


def format_all(ids: array[int], starts: array[int], part: bytes) -> None:
    """format_ids, and each of its errors."""
    native._ids.format_ids(ids, starts, part, part, part)
    for wrong in (starts[:0], array("q", [1, 0]), array("q", [0, 2**40]), array("q", [-1, 0])):
        with pytest.raises(ValueError, match="do not ascend"):
            native._ids.format_ids(ids, wrong, part, part, part)
    for k in range(5):
        given: list[Any] = [ids, starts, part, part, part]
        given[k] = "text"
        with pytest.raises(TypeError):
            native._ids.format_ids(*given)
    with pytest.raises(TypeError, match="expected 5 arguments"):
        native._ids.format_ids(ids)


@pytest.mark.parametrize("name", TEXTS)
def test_calls_keep_no_references(name: str) -> None:
    calls, text, allowed = calls_of(ENC), TEXTS[name], bytes(len(ENC.info.added))
    batch = ["first text", text, "last text"]
    # The references to None change in Pythons before 3.12.
    shared = [each for each in (batch, allowed, calls, *batch) if each is not None]

    def counts() -> list[int]:
        return [sys.getrefcount(each) for each in shared]

    call_all(calls, text, batch, allowed)
    before = counts()
    for _ in range(20):
        call_all(calls, text, batch, allowed)
    assert counts() == before
    # Nor is the memory of a call lost by an error: ids.c encodes what it can.
    plain = isinstance(text, (str, bytes)) and "surrogate" not in name
    assert calls.encode(text, None, False) == (ENC.encode(text) if plain else None)
    assert calls.encode("the kettle", None, False) == ENC.encode("the kettle")


def test_writing_ids_keeps_no_references() -> None:
    ids, starts, part = array("I", [1, 22, 333]), array("q", [0, 1, 3]), bytes(bytearray(b", "))
    shared = [ids, starts, part]
    before = [sys.getrefcount(each) for each in shared]
    for _ in range(20):
        format_all(ids, starts, part)
    assert [sys.getrefcount(each) for each in shared] == before
    ids.append(4)  # an array whose buffer was not given back would refuse
    starts.append(4)


def test_calls_keep_no_memory() -> None:
    """As tracemalloc counts it; a leak of one small object in a round would be 8,000 bytes."""
    calls, allowed, rounds = calls_of(ENC), bytes(len(ENC.info.added)), 300
    short = [text for name, text in TEXTS.items() if not name.startswith("long")]
    ids, starts = array("I", range(50)), array("q", [0, 20, 50])

    def work() -> None:
        for text in short:
            for name in ("encode", "encode_to_numpy"):
                getattr(calls, name)(text, allowed, False)
            calls.count(text, allowed, False, 3)
            for name in ("encode_batch", "encode_batch_packed", "count_batch"):
                getattr(calls, name)(["a", text, "b"], None, False, MOST)
        native._ids.format_ids(ids, starts, b"", b" ", b"\n")
        with suppress(ValueError):
            native._ids.format_ids(ids, ids, b"", b" ", b"\n")

    tracemalloc.start()
    try:
        for _ in range(10):
            work()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(rounds):
            work()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 8 * rounds
    finally:
        tracemalloc.stop()


# Sizes at which something changes


def rows_by_cffi(texts: Sequence[Any]) -> list[list[int]]:
    """The ids of each text, without ids.c."""
    backend = ENC._backend
    assert isinstance(backend, NativeBackend)
    return backend._encode_part(texts, None, False, native._id_rows)


def check_batch(texts: list[Any]) -> None:
    """Every call of ids.c for a batch has the ids that cffi has."""
    expected = rows_by_cffi(texts)
    lengths = [len(row) for row in expected]
    assert ENC.encode_batch(texts) == expected
    assert ENC.encode_batch(texts, num_threads=1) == expected
    assert ENC.count_batch(texts) == lengths
    values, starts = ENC.encode_batch_to_numpy(texts)
    assert np.diff(starts).tolist() == lengths
    assert [row.tolist() for row in np.split(values, starts[1:-1])] == (expected or [[]])


@pytest.mark.parametrize("n", [0, 1, 2, 65_535, 65_536, 65_537])
def test_batches_of_many_texts(n: int) -> None:
    check_batch([f"{k} ගෙදර" if k % 3 else "" for k in range(n)])


def test_batches_of_empty_texts() -> None:
    check_batch([""] * 100)
    check_batch([b"", "", b""])


@pytest.mark.parametrize("size", [SHORT_BYTES, 1 << 16], ids=["short", "64 KB"])
@pytest.mark.parametrize("name", SAMPLES)
def test_texts_of_a_size(name: str, size: int) -> None:
    sample = SAMPLES[name]
    for n in (size - 1, size, size + 1):
        # as many bytes as wanted, by letters behind whole samples
        repeated = sample * (n // len(to_bytes(sample)))
        text = repeated + "x" * (n - len(to_bytes(repeated)))
        assert len(to_bytes(text)) == n
        (expected,) = rows_by_cffi([text])
        assert ENC.encode(text) == ENC.encode(to_bytes(text)) == expected
        assert ENC.encode_to_numpy(text).tolist() == expected
        assert ENC.count(text) == len(expected)
        check_batch(["a", text, text, "b"])


@pytest.mark.parametrize("name", SAMPLES)
def test_texts_of_a_number_of_characters(name: str) -> None:
    for n in (LONG_TEXT - 1, LONG_TEXT, LONG_TEXT + 1):
        text = (SAMPLES[name] * n)[:n]
        (expected,) = rows_by_cffi([text])
        assert ENC.encode(text) == ENC.encode(text) == expected
        assert ENC.encode_to_numpy(text).tolist() == expected
        assert ENC.count(text) == len(expected)


# What another thread changes


@contextmanager
def changing(change: Callable[[int], object]) -> Iterator[None]:
    """Run `change` over and over in another thread, with a number that counts up."""
    done, failed = threading.Event(), list[BaseException]()

    def run() -> None:
        k = 0
        try:
            while not done.is_set():
                change(k)
                k += 1
        except BaseException as error:
            failed.append(error)
            raise

    thread = threading.Thread(target=run)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert not failed


def test_ids_that_change_while_they_are_written() -> None:
    """Their text has the length of other ids, or of none: no byte is written past its end."""
    n = 100_000
    ids, most = array("I", [1] * n), array("I", [2**32 - 1] * n)
    fills = [memoryview(each) for each in (ids[:], most)]
    view, starts = memoryview(ids), array("q", [0, 10, n])

    def change(k: int) -> None:
        view[:] = fills[k % 2]

    with changing(change):
        for _ in range(20):
            with suppress(ValueError):
                text = native._ids.format_ids(ids, starts, b"", b" ", b";")
                assert re.fullmatch(rb"(\d+( \d+)*;){2}", text)
    change(1)
    expected = format_ids(most.tobytes(), starts, b"", b" ", b";")
    assert native._ids.format_ids(ids, starts, b"", b" ", b";") == expected


def test_starts_that_change_while_ids_are_written() -> None:
    n = 100_000
    ids, starts = array("I", range(n)), array("q", range(n + 1))
    view, fills = memoryview(starts), [array("q", range(n + 1)), array("q", [2**40] * (n + 1))]

    def change(k: int) -> None:
        view[1:] = memoryview(fills[k % 2])[1:]

    expected = b"".join(b"%d;" % number for number in range(n))
    with changing(change):
        for _ in range(20):
            with suppress(ValueError):
                assert native._ids.format_ids(ids, starts, b"", b" ", b";") == expected


@pytest.mark.parametrize("size", [300, 70_000])
def test_texts_that_change_while_they_are_encoded(size: int) -> None:
    """Also their lengths, where nobody reads them."""
    text = bytearray(b"the kettle " * (size // 11))
    view = memoryview(array("B", text))
    fills = [b"a b c " * (size // 6), "ගෙ".encode() * (size // 6)]

    def change(k: int) -> None:
        fill = fills[k % 2]
        view[: len(fill) - 99] = fill[: len(fill) - 99]
        with suppress(BufferError):
            text[:] = fill[: len(fill) - k % 50]

    known = {*b"the kettle abc", *fills[1]}
    with changing(change):
        for _ in range(200 if size < 1000 else 8):
            for given in (text, view):
                assert {*ENC.decode_bytes(ENC.encode(given))} <= known
                assert {*ENC.decode_bytes(ENC.encode_to_numpy(given).tolist())} <= known
                assert ENC.count(given) > 0
                first, second = ENC.encode_batch([given, "the kettle"])
                assert {*ENC.decode_bytes(first)} <= known
                assert second == ENC.encode("the kettle")


def test_a_list_that_changes_while_it_is_encoded() -> None:
    calls, texts = calls_of(ENC), ["the kettle"] * 100
    row = ENC.encode("the kettle")

    def change(k: int) -> None:
        if k % 3:
            texts.append("the kettle")
        else:
            del texts[k % 90 :]

    with changing(change):
        for _ in range(300):
            assert all(each == row for each in calls.encode_batch(texts, None, False, MOST) or ())
            assert {*(calls.count_batch(texts, None, False, MOST) or ())} <= {len(row)}
            packed = calls.encode_batch_packed(texts, None, False, MOST)
            if packed is not None:
                ids, starts = array("I", packed[0]), array("q", packed[1])
                assert ids.tolist() == row * (len(starts) - 1)


# What ends where a page ends

PAGES = 20


@pytest.fixture
def page_end() -> memoryview:
    """Writable memory, behind which nothing may be read or written."""
    if sys.platform == "win32":
        pytest.skip("needs mprotect")
    size = PAGES * mmap.PAGESIZE
    whole = mmap.mmap(-1, size + mmap.PAGESIZE)
    c = ctypes.CDLL(None, use_errno=True)
    c.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    start = ctypes.addressof(ctypes.c_char.from_buffer(whole))
    assert c.mprotect(start + size, mmap.PAGESIZE, 0) == 0, ctypes.get_errno()
    return memoryview(whole)[:size]


def at_end(page_end: memoryview, data: bytes) -> Any:
    """A copy of some bytes, the last of which is the last of the page."""
    view = page_end[len(page_end) - len(data) :]
    view[:] = data
    return view


PAGE_MODELS: dict[str, Callable[[], Tokenizer]] = {
    "o200k_base": lambda: wwho.get_encoding("o200k_base", "native"),
    "wwho_super_328k": lambda: wwho.get_encoding("wwho_super_328k", "native"),
    "kinds": lambda: Tokenizer(write_artifact(kinds_model()), "native"),
    "steps": lambda: Tokenizer(write_artifact(steps_model()), "native"),
    "small": lambda: Tokenizer(write_artifact(small_model()), "native"),
}


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_texts_at_the_end_of_a_page(name: str, page_end: memoryview) -> None:
    """The core, as it is built for users, reads no byte behind a text, whatever its length."""
    enc = PAGE_MODELS[name]()
    backend = enc._backend
    assert isinstance(backend, NativeBackend)
    sample = "The kettle’s on, ගෙදර යන පාරේ मेंद्या 12345  \r\n\tabcdefghijklmnopqrst 😀".encode()
    lengths = [*range(1, 200), 1023, 1024, 1025, 4095, 4096, 4097, 65_535, 65_536]
    sampling = Sampling(7, 0.3, 0.0, False)
    for n in lengths:
        for data in ((sample * n)[:n], (sample * n)[-n:] if n < 5000 else b" " * n):
            text, expected = at_end(page_end, data), enc.encode(data)
            assert backend.encode_part(text, False, 0, None, False, "list")[0] == expected
            assert 0 <= backend.safe_cut(text, None) <= n
            there, drawn = ffi.from_buffer("uint8_t[]", text), native._request(sampling, 0)
            ids = backend._encode(there, None, 0, CallMemory.id_list, 1, drawn)
            assert ids == enc.encode(data, dropout=0.3, seed=7)


def test_ids_at_the_end_of_a_page(page_end: memoryview) -> None:
    for n in range(1, 40):
        ids, starts = array("I", range(10**5, 10**5 + n)), array("q", [0, n // 2, n])
        part = b", " * (n % 3)
        given: list[Any] = [ids, starts, part, part, part]
        for k in range(5):
            moved: list[Any] = list(given)
            moved[k] = at_end(page_end, bytes(given[k]))
            assert native._ids.format_ids(*moved) == format_ids(*given)
