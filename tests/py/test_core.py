"""The C core through cffi, at the level of wwho.h: what it writes, and what it never touches."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from typing import Any

import pytest
from corelib import CANARY, GUARDS, HEADER, Core, Zeros
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import raw, texts
from vector_checks import artifact

from wwho._core import ffi, lib
from wwho.backends import header
from wwho.backends.backend import SPAN
from wwho.format.layout import Kind
from wwho.format.model import Flag

NAMES = ("tiny", "paper", "o200k_base", "wwho_328k", "wwho_super_328k")
TEXT = "Syllables stay whole: ආයුබෝවන්, नमस्ते, done.".encode()
TEXTS = (
    TEXT,
    b"x",
    b"zqxjkvbp" * 9,  # one piece of many tokens
    " විද්‍යාලය विद्यालय කකකකකක क्ष्म्य्व्ट्ठ्ळ".encode(),
    b"\xff\xe0\xb6 broken \xf0\x9f\x98",
    b"a bc, def. " * 5,  # as many pieces as tokens
)
LARGEST = 2**31 - 1
CUT = 6  # the kind of a step that cuts: FORMAT.md, STEPS


@cache
def opened(name: str) -> Core:
    return Core.open(artifact(name))


@pytest.fixture(scope="module")
def core() -> Core:
    return opened("o200k_base")


def test_status_names_are_those_of_the_header() -> None:
    text = HEADER.read_text("utf-8")
    declared = re.findall(r"^    WWHO_(\w+) = (\d+)", text.split("/* Kinds of sections")[0], re.M)
    assert len(declared) > 25
    for name, code in declared:
        assert ffi.string(lib.wwho_status_str(int(code))).decode() == name
    assert ffi.string(lib.wwho_status_str(999)) == b"unknown status"
    assert lib.wwho_abi_version() == header.VERSION_MAJOR << 16 | header.VERSION_MINOR


def test_what_the_bindings_copy_is_as_in_the_header() -> None:
    numbers = {name: value for name, value in vars(header).items() if isinstance(value, int)}
    assert len(numbers) > 60
    for name, value in numbers.items():
        assert name.startswith("VERSION_") or getattr(lib, f"WWHO_{name}") == value
    assert {kind.name: kind.value for kind in Kind} == {
        kind.name: getattr(lib, f"WWHO_SECTION_{kind.name}") for kind in Kind
    }
    assert [getattr(lib, f"WWHO_ADDED_{flag.name}") for flag in Flag] == [*Flag]
    things = [name.removeprefix("OF_") for name in numbers if name.startswith("OF_")]
    assert [*header.NUMBERS] == [numbers[f"OF_{thing}"] for thing in things]
    for thing, names in zip(things, header.NUMBERS.values(), strict=True):
        for index, name in enumerate(names):
            assert getattr(lib, f"WWHO_{thing}_{name.upper()}") == index


def numbers(model: Any, of: int, number: int = 0) -> list[int]:
    """What wwho_info tells of a thing."""
    value = ffi.new("uint32_t *")
    found: list[int] = []
    while lib.wwho_info(model, of, number, len(found), value) == lib.WWHO_OK:
        found.append(value[0])
    assert lib.wwho_info(model, of, number, 2**32 - 1, value) == lib.WWHO_ARGUMENT
    return found


def test_a_model_tells_what_it_is_made_of() -> None:
    model = opened("wwho_super_328k").model
    whole = numbers(model, lib.WWHO_OF_TOKENIZER)
    wanted = (lib.WWHO_TOKENIZER_N_VOCAB, lib.WWHO_TOKENIZER_N_MODELS, lib.WWHO_TOKENIZER_N_ROUTES)
    assert [whole[index] for index in wanted] == [328020, 2, 3]
    base, sgpe = (numbers(model, lib.WWHO_OF_MODEL, k) for k in range(2))
    wanted = (lib.WWHO_MODEL_SYMBOLS, lib.WWHO_MODEL_N_SYMBOLS, lib.WWHO_MODEL_N_IDS)
    assert [base[index] for index in wanted] == [0, 256, 199998]
    wanted = (lib.WWHO_MODEL_SYMBOLS, lib.WWHO_MODEL_SPELLER, lib.WWHO_MODEL_N_SUPERWORDS)
    assert [sgpe[index] for index in wanted] == [1, 0, 31780]
    assert numbers(model, lib.WWHO_OF_MODEL, 2) == numbers(model, 99) == []
    assert numbers(model, lib.WWHO_OF_ROUTE, 0) == [0, 2**32 - 1, 0]
    kind, automaton, *actions = numbers(model, lib.WWHO_OF_STEP, 0)
    assert kind == CUT
    _, rules = numbers(model, lib.WWHO_OF_AUTOMATON, automaton)
    assert actions == [0] * rules
    assert numbers(ffi.NULL, lib.WWHO_OF_TOKENIZER) == []


def test_the_layouts_of_structs() -> None:
    """As generated; those of the job with pointers and sizes of four bytes."""
    offsets = {name: field.offset for name, field in ffi.typeof("wwho_span").fields}
    assert {"size": ffi.sizeof("wwho_span"), **offsets} == header.SPAN
    assert header.SPAN["size"] == SPAN.size
    words = ["size", *(name for name, _ in ffi.typeof("wwho_job").fields)]
    assert [*header.JOB] == words
    assert [*header.JOB.values()] == [4 * len(words[1:]), *range(0, 4 * len(words[1:]), 4)]


def test_the_steps_of_an_automaton_find_its_pieces() -> None:
    """Scanned as FORMAT.md says it, by wwho_class and wwho_advance, one character at a time."""
    core = opened("cl100k_base")
    text, found, place = "It's 1234 නමස්  done.\n\n", [], 0
    rule, state, kind = ffi.new("uint32_t *"), ffi.new("uint32_t *"), ffi.new("uint32_t *")
    _, automaton, *_ = numbers(core.model, lib.WWHO_OF_STEP, 0)
    while place < len(text):
        state[0], at, end = 1, place, place
        while state[0]:
            code_point = ord(text[at]) if at < len(text) else 0x110000
            assert lib.wwho_class(core.model, code_point, kind) == lib.WWHO_OK
            step = (core.model, automaton, state[0], kind[0], rule, state)
            assert lib.wwho_advance(*step) == lib.WWHO_OK
            end = at if rule[0] != 2**32 - 1 else end
            at += 1
        found.append(text[place:end])
        place = end
    raw = text.encode()
    spans = ffi.new("wwho_span[]", len(raw))
    job = core.job(spans=spans, spans_cap=len(raw), flags=lib.WWHO_CUT_ONLY)
    assert lib.wwho_encode(core.model, raw, len(raw), ffi.NULL, job) == lib.WWHO_OK
    assert found == [raw[span.start : span.end].decode() for span in spans[0 : job.n_spans]]
    assert lib.wwho_advance(core.model, automaton, 4095, 0, rule, state) == lib.WWHO_ARGUMENT
    assert lib.wwho_advance(core.model, 99, 1, 0, rule, state) == lib.WWHO_ARGUMENT


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("name", NAMES)
def test_a_buffer_of_any_size_reports_the_size_and_is_not_overrun(
    name: str, text: bytes, cold: bool
) -> None:
    core = opened(name)
    ids, ends = core.tokens(text)
    n = len(ids)
    assert ends[-1] == len(text)
    assert all(start < end for start, end in zip([0, *ends], ends, strict=False))
    for cap in range(n + GUARDS + 1):
        expected = lib.WWHO_OK if cap >= n else lib.WWHO_BUFFER
        written = min(cap, n)
        for with_ends in (False, True):
            if cold:
                core.forget()
            status, some_ids, some_ends, again = core.encode(text, cap, with_ends=with_ends)
            assert (status, again) == (expected, n)
            assert some_ids[:written] == ids[:written]
            assert some_ids[cap:] == [CANARY] * GUARDS
            assert some_ends[:written] == (ends if with_ends else [CANARY] * n)[:written]
            assert some_ends[cap:] == [CANARY] * GUARDS


@pytest.mark.parametrize("name", NAMES)
@examples(600)
@given(text=st.one_of(texts.map(str.encode), raw, st.binary(max_size=200)), part=st.floats(0, 1))
def test_count_is_exact_up_to_its_limit(name: str, text: bytes, part: float) -> None:
    core = opened(name)
    total = len(core.tokens(text)[0])
    for limit in (0, 1, int(part * total), total - 1, total, total + 1, LARGEST, 2**32, 2**64 - 1):
        if limit >= total:
            assert core.count(text, limit) == total
        elif limit >= 0:
            assert limit < core.count(text, limit) <= total


def test_counting_stops_soon_behind_its_limit() -> None:
    for name in NAMES:
        core = opened(name)
        for text in (b"ab, " * 1000, "ක ".encode() * 1000, "ක, 1 ".encode() * 500):
            assert 10 < core.count(text, 10) < 100


@contextmanager
def mapped(size: int, access: int, fd: int = -1) -> Iterator[int]:
    """The address of that much memory, or of a file over and over; it costs what is used of it."""
    libc, no_reserve, fixed = ctypes.CDLL(None, use_errno=True), 0x4000, 0x10
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    flags = mmap.MAP_PRIVATE | no_reserve
    at = libc.mmap(None, size, access, flags | mmap.MAP_ANONYMOUS, -1, 0)
    assert at not in (None, ctypes.c_void_p(-1).value), os.strerror(ctypes.get_errno())
    part = os.fstat(fd).st_size if fd >= 0 else size
    for place in range(at, at + size, part) if fd >= 0 else ():
        assert libc.mmap(place, part, access, flags | fixed, fd, 0) == place
    yield at
    libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(size))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="maps a file many times, as Linux does it")
def test_the_longest_text() -> None:
    """Of 2^31 - 1 bytes: a mebibyte over and over, whose last line is then one byte shorter."""
    line = f"The kettle sings; nobody's home at 10:45, ගෙදර{' internationalization' * 40}\n"
    part = line.encode() * (1 << 11)
    part = part[: (1 << 20) - 2] + b"\n\n"
    core = Core.open(artifact("o200k_base"), len(part))
    rounds = (LARGEST + 1) // len(part)
    expected = (rounds - 1) * core.count(part, LARGEST) + core.count(part[:-1], LARGEST)
    fd = os.memfd_create("part")
    os.write(fd, part)
    needed = lib.wwho_scratch_size(core.model)
    with mapped(LARGEST + 1, mmap.PROT_READ, fd) as text, mapped(needed, 3) as scratch:
        given = (ffi.cast("uint8_t *", text), LARGEST, ffi.NULL)
        for limit in (100, LARGEST):
            job = core.job(cap=limit)
            job.scratch = ffi.cast("void *", scratch)
            assert lib.wwho_encode(core.model, *given, job) == lib.WWHO_OK
            assert (job.n > 100) if limit == 100 else (job.n == expected)
    os.close(fd)


def test_bad_arguments_are_refused(core: Core) -> None:
    job, ids = core.job(cap=9), ffi.new("uint32_t *")

    def encode(model: Any = core.model, text: Any = b"x", job: Any = job, **changed: Any) -> int:
        asked = ffi.new("wwho_job *", job[0]) if job else job
        for name, value in changed.items():
            setattr(asked, name, value)
        return int(lib.wwho_encode(model, text, 1, ffi.NULL, asked))

    assert encode() == lib.WWHO_OK
    assert encode(ids=ids, cap=0) == lib.WWHO_BUFFER
    assert encode(scratch_len=0) == lib.WWHO_BUFFER
    for wrong in (
        {"model": ffi.NULL},
        {"text": ffi.NULL},
        {"job": ffi.NULL},
        {"scratch": ffi.NULL},
        {"scratch": core.scratch + 8},
        {"starts": ids},  # without ends
        {"bounds": ids},  # without rows
        {"place": 8},
        {"flags": lib.WWHO_GOES_ON | lib.WWHO_ONE_PIECE},
    ):
        assert encode(**wrong) == lib.WWHO_ARGUMENT, wrong


def test_a_batch_is_its_texts_one_after_another(core: Core) -> None:
    """Each as if it stood alone, wherever the last ends; what is over the cap is only counted."""
    texts = [b"", TEXT[:3], b"ing", b"\xe0\xb6", TEXT, b"", TEXT[7:], b""]
    alone = [core.tokens(text) for text in texts]
    data = b"".join([b"before", *texts])
    starts = ffi.new("uint32_t[]", list(accumulate(map(len, texts), initial=6)))
    total = sum(len(ids) for ids, _ in alone)
    needed = lib.wwho_scratch_size(core.model)

    def encode(cap: int, with_ends: bool = True, scratch_len: int = needed) -> tuple[Any, ...]:
        ids, ends = ffi.new("uint32_t[]", total), ffi.new("uint32_t[]", total)
        rows = ffi.new("uint32_t[]", len(texts) + 1)
        job = core.job(ids=ids, ends=ends if with_ends else ffi.NULL, cap=cap)
        job.bounds, job.rows, job.n_texts, job.scratch_len = starts, rows, len(texts), scratch_len
        status = lib.wwho_encode(core.model, data, len(data), ffi.NULL, job)
        return status, list(ids), list(ends), list(rows)

    status, ids, ends, rows = encode(total)
    assert status == lib.WWHO_OK
    assert rows == list(accumulate((len(ids) for ids, _ in alone), initial=0))
    for k, (expected, ends_alone) in enumerate(alone):
        assert ids[rows[k] : rows[k + 1]] == expected
        assert ends[rows[k] : rows[k + 1]] == ends_alone
    assert encode(total, with_ends=False)[:2] == (lib.WWHO_OK, ids)
    assert encode(0)[::3] == encode(total - 1)[::3] == (lib.WWHO_BUFFER, rows)
    assert encode(total, scratch_len=needed - 1)[0] == lib.WWHO_BUFFER
    starts[2] = starts[1] - 1
    assert encode(total)[0] == lib.WWHO_ARGUMENT


def test_open_wants_aligned_memory_that_is_large_enough() -> None:
    blob = artifact("cl100k_base")
    data, size, model = ffi.from_buffer(blob), ffi.new("size_t *"), ffi.new("wwho_model **")
    assert lib.wwho_workspace_size(data, len(blob), size) == lib.WWHO_OK
    zeros = Zeros(size[0] + 16)
    work = ffi.from_buffer(zeros.memory)
    assert lib.wwho_open(data, len(blob), work + 8, size[0], model) == lib.WWHO_ARGUMENT
    assert lib.wwho_open(data, len(blob), work, size[0] - 1, model) == lib.WWHO_BUFFER
    assert lib.wwho_open(data + 1, len(blob) - 1, work, size[0], model) == lib.WWHO_ARGUMENT
    assert lib.wwho_open(data, len(blob), ffi.NULL, size[0], model) == lib.WWHO_ARGUMENT


def test_spans_cover_the_text_without_gaps(core: Core) -> None:
    cap = len(TEXT)
    spans = ffi.new("wwho_span[]", cap)
    job = core.job(spans=spans, spans_cap=cap, flags=lib.WWHO_CUT_ONLY)
    assert lib.wwho_encode(core.model, TEXT, cap, ffi.NULL, job) == lib.WWHO_OK
    found = [(s.start, s.end, s.route, s.rule, s.first) for s in spans[0 : job.n_spans]]
    assert [start for start, *_ in found] == [0, *(end for _, end, *_ in found[:-1])]
    assert found[-1][1] == len(TEXT)
    assert {(route, rule) for _, _, route, rule, _ in found} == {(0, lib.WWHO_PIECE)}
    assert [first for *_, first in found] == [1] + [0] * (job.n_spans - 1)
    job.spans_cap = 0
    assert lib.wwho_encode(core.model, TEXT, cap, ffi.NULL, job) == lib.WWHO_BUFFER
    assert job.n_spans == len(found)


def test_decode_reports_the_length_and_the_place_of_a_bad_id(core: Core) -> None:
    ids, _ = core.tokens(TEXT)
    n, length, out = len(ids), ffi.new("size_t *"), ffi.new("uint8_t[]", len(TEXT) + 1)
    assert lib.wwho_decode(core.model, ids, n, ffi.NULL, 0, length) == lib.WWHO_BUFFER
    assert length[0] == len(TEXT)
    out[len(TEXT)] = 0x55
    assert lib.wwho_decode(core.model, ids, n, out, len(TEXT), length) == lib.WWHO_OK
    assert bytes(out) == TEXT + b"\x55"
    for bad in (199998, 200019, 2**32 - 1):
        assert (
            lib.wwho_decode(core.model, [*ids[:3], bad], 4, out, len(TEXT), length)
            == lib.WWHO_TOKEN
        )
        assert length[0] == 3


def test_every_token_has_its_text_and_every_text_its_token(core: Core) -> None:
    text, length, found = ffi.new("uint8_t **"), ffi.new("size_t *"), ffi.new("uint32_t *")
    missing = []
    for token in range(200_019):
        if lib.wwho_token_bytes(core.model, token, text, length) != lib.WWHO_OK:
            missing.append(token)
            continue
        assert lib.wwho_token_id(core.model, text[0], length[0], found) == lib.WWHO_OK
        assert found[0] == token
    assert missing == [199998, *range(200000, 200018)]
    assert lib.wwho_token_id(core.model, b"", 0, found) == lib.WWHO_TOKEN
    assert lib.wwho_token_id(core.model, b"zqzqzqzq", 8, found) == lib.WWHO_TOKEN


def offsets(text: bytes, ends: list[int], utf16: bool) -> list[tuple[int, int]]:
    first, last = ffi.new("uint32_t[]", len(ends)), ffi.new("uint32_t[]", len(ends))
    status = lib.wwho_offsets(text, len(text), ffi.NULL, ends, len(ends), utf16, first, last)
    assert status == lib.WWHO_OK
    return list(zip(first, last, strict=True))


def test_offsets_name_the_characters_that_a_token_touches() -> None:
    text = "a😀é".encode()
    assert offsets(text, [1, 5, 7], False) == [(0, 1), (1, 2), (2, 3)]
    assert offsets(text, [1, 5, 7], True) == [(0, 1), (1, 3), (3, 4)]
    assert offsets(text, [2, 3, 6, 7], False) == [(0, 2), (1, 2), (1, 3), (2, 3)]
    assert offsets(b"\xf0\x9f\x98a", [1, 2, 4], False) == [(0, 1), (1, 2), (2, 4)]
    assert offsets(b"", [], False) == []
    first = ffi.new("uint32_t[1]")
    assert lib.wwho_offsets(text, len(text), ffi.NULL, [8], 1, 0, first, first) == lib.WWHO_ARGUMENT


def safe_cut(core: Core, text: bytes, allowed: bytes | None = None) -> int:
    cut = ffi.new("size_t *")
    status = lib.wwho_safe_cut(core.model, text, len(text), allowed or ffi.NULL, cut)
    assert status == lib.WWHO_OK
    return int(cut[0])


@pytest.mark.parametrize("name", NAMES)
@examples(200)
@given(text=st.one_of(raw, texts.map(str.encode)), data=st.data())
def test_what_is_cut_encodes_as_the_whole(name: str, text: bytes, data: st.DataObject) -> None:
    core = opened(name)
    cut = safe_cut(core, text[: data.draw(st.integers(0, len(text)))])
    parts = [core.encode(part, len(part))[1][:-GUARDS] for part in (text, text[:cut], text[cut:])]
    whole, head, tail = ([i for i in part if i != CANARY] for part in parts)
    assert head + tail == whole


@pytest.mark.parametrize("name", NAMES)
def test_sentences_are_cut_near_their_end(name: str) -> None:
    for text in ("One two, three\nfour and five", "ලංකාව, ගම\nगाँव है।\nहिन्दी है"):
        seen = text.encode() * 2
        assert safe_cut(opened(name), seen) > len(seen) - 40
    assert safe_cut(opened(name), b"x" * 1000) == safe_cut(opened(name), b"") == 0


def test_a_cut_spares_what_may_become_a_special_token(core: Core) -> None:
    text, one = b"One. <|endoftext|> two, <|endof", bytes([1, 0])
    assert text[safe_cut(core, text, one) :] == b", <|endof"
    assert safe_cut(core, text[:18], one) == 18
    assert safe_cut(core, text[:17], one) <= 5
    assert safe_cut(core, text) == safe_cut(core, text, bytes(2)) == 23
    assert safe_cut(core, b"<|endoftext|>" * 3 + b"x", one) == 39


def test_a_cut_refuses_what_is_no_text(core: Core) -> None:
    cut = ffi.new("size_t *")
    for model, text, length, out in (
        (ffi.NULL, TEXT, 1, cut),
        (core.model, ffi.NULL, 1, cut),
        (core.model, TEXT, LARGEST + 1, cut),
        (core.model, TEXT, 1, ffi.NULL),
    ):
        assert lib.wwho_safe_cut(model, text, length, ffi.NULL, out) == lib.WWHO_ARGUMENT
