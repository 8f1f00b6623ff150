"""The C core through cffi, at the level of wwho.h: what it writes, and what it never touches."""

from __future__ import annotations

import random
from typing import Any

import pytest
from corelib import CANARY, GUARDS, Core, Zeros

from wwho._core import ffi, lib
from wwho.encodings import model_bytes


@pytest.fixture(scope="module")
def core() -> Core:
    return Core.open(model_bytes("o200k_base"))


TEXT = "Syllables stay whole: ආයුබෝවන්, नमस्ते, done.".encode()


def test_status_names_are_those_of_the_header() -> None:
    codes = {name: getattr(lib, name) for name in dir(lib) if name.startswith("WWHO_")}
    statuses = {code: name for name, code in codes.items() if code == 0 or 1 <= code <= 41}
    for code in range(16, 42):
        assert "WWHO_" + ffi.string(lib.wwho_status_str(code)).decode() == statuses[code]
    assert ffi.string(lib.wwho_status_str(999)) == b"unknown status"
    assert lib.wwho_abi_version() == 1


@@@
def test_bad_arguments_are_refused(core: Core) -> None:
    n = ffi.new("size_t *")
    args = [
        core.model,
        b"x",
        1,
        ffi.NULL,
        0,
        core.scratch,
        core.scratch_len,
        ffi.NULL,
        ffi.NULL,
        0,
        n,
    ]

    def encode(**changed: Any) -> int:
        called = list(args)
        for index, value in changed.items():
            called[int(index[1:])] = value
        return int(lib.wwho_encode(*called))

    assert encode() == lib.WWHO_BUFFER
    assert n[0] == 1
    assert encode(_0=ffi.NULL) == lib.WWHO_ARGUMENT
    assert encode(_1=ffi.NULL) == lib.WWHO_ARGUMENT
    assert encode(_2=2**31) == lib.WWHO_ARGUMENT
    assert encode(_5=ffi.NULL) == lib.WWHO_ARGUMENT
    assert encode(_5=core.scratch + 8) == lib.WWHO_ARGUMENT
    assert encode(_6=0) == lib.WWHO_BUFFER
    assert encode(_9=1) == lib.WWHO_ARGUMENT
    assert encode(_10=ffi.NULL) == lib.WWHO_ARGUMENT


def test_open_wants_aligned_memory_that_is_large_enough() -> None:
    blob = model_bytes("cl100k_base")
    data, size, model = ffi.from_buffer(blob), ffi.new("size_t *"), ffi.new("wwho_model **")
    assert lib.wwho_workspace_size(data, len(blob), size) == lib.WWHO_OK
    work, owner = aligned(size[0] + 16)
    assert lib.wwho_open(data, len(blob), work + 8, size[0], model) == lib.WWHO_ARGUMENT
    assert lib.wwho_open(data, len(blob), work, size[0] - 1, model) == lib.WWHO_BUFFER
    assert lib.wwho_open(data + 1, len(blob) - 1, work, size[0], model) == lib.WWHO_ARGUMENT
    assert lib.wwho_open(data, len(blob), ffi.NULL, size[0], model) == lib.WWHO_ARGUMENT
    del owner


def test_spans_cover_the_text_without_gaps(core: Core) -> None:
    n, cap = ffi.new("size_t *"), len(TEXT)
    spans = ffi.new("wwho_span[]", cap)
    assert lib.wwho_spans(core.model, TEXT, len(TEXT), spans, cap, n) == lib.WWHO_OK
    found = [(s.start, s.end, s.route, s.rule, s.first) for s in spans[0 : n[0]]]
    assert [start for start, *_ in found] == [0, *(end for _, end, *_ in found[:-1])]
    assert found[-1][1] == len(TEXT)
    assert {(route, rule) for _, _, route, rule, _ in found} == {(0, lib.WWHO_PIECE)}
    assert [first for *_, first in found] == [1] + [0] * (n[0] - 1)
    assert lib.wwho_spans(core.model, TEXT, len(TEXT), ffi.NULL, 0, n) == lib.WWHO_BUFFER
    assert n[0] == len(found)


def test_decode_reports_the_length_and_the_place_of_a_bad_id(core: Core) -> None:
    status, ids, _, n = core.encode(TEXT, len(TEXT))
    assert status == lib.WWHO_OK
    length, out = ffi.new("size_t *"), ffi.new("uint8_t[]", len(TEXT) + 1)
    assert lib.wwho_decode(core.model, ids[:n], n, ffi.NULL, 0, length) == lib.WWHO_BUFFER
    assert length[0] == len(TEXT)
    out[len(TEXT)] = 0x55
    assert lib.wwho_decode(core.model, ids[:n], n, out, len(TEXT), length) == lib.WWHO_OK
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
    status = lib.wwho_offsets(text, len(text), ends, len(ends), utf16, first, last)
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
    assert lib.wwho_offsets(text, len(text), [8], 1, 0, first, first) == lib.WWHO_ARGUMENT
