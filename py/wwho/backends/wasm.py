"""The WebAssembly backend, for Pyodide: the same C core through `js.WebAssembly`.

Each model has a WebAssembly instance of its own, whose memory is, in this order: the core's stack
and data, the artifact, its workspace, the scratch area (kept, because the core has a cache in it),
and an area that every call lays out anew.
"""

from __future__ import annotations

import struct
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from operator import index
from typing import Any, NamedTuple

from wwho.backends import header
from wwho.backends.backend import SPAN, Part, Span, unknown_id, unknown_text, unpacked
from wwho.backends.c_core import CoreBackend, check_version, core_info, refuse
from wwho.errors import BackendError, UnknownTokenError
from wwho.format.layout import NONE, Kind

NORMALIZER_BYTES = 65536
PAGE = 65536
MAX_LENGTH = 2**31 - 1
CORE = "wwho.wasm"
COLUMNS = ("ids", "starts", "ends")


class WasmBackend(CoreBackend):
    """An artifact, opened by the C core in WebAssembly. A lock lets one call in at a time."""

    kind = "wasm"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
            BackendError: this is not Pyodide, or the package came without its .wasm file.
        """
        self._core = _Core()
        self._lock = threading.Lock()
        core = self._core
        data, size = core.put(blob), core.take(4)
        _opened(core.call("workspace_size", data, len(blob), size), blob)
        n_work = core.number(size)
        work, model = core.take(n_work), core.take(4)
        _opened(core.call("open", data, len(blob), work, n_work, model), blob)
        self._model = core.number(model)
        n_scratch = core.call("scratch_size", self._model)
        self._scratch = (core.take(n_scratch), n_scratch)
        core.clear(*self._scratch)
        core.keep()
        self.info = core_info(_Opened(core, self._model))

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """See `CoreBackend`."""
        core, cap, work_size = self._core, 2 * len(text) + 64, NORMALIZER_BYTES
        with self._lock:
            while True:
                core.begin()
                data, read, n, work, out = core.put(text), *map(core.take, (4, 4, work_size, cap))
                sources = core.take(4 * cap) if with_sources else 0
                given = (self._model, data, len(text), int(more), work, work_size)
                status = core.call("normalize", *given, out, sources, cap, read, n)
                if status == 0 and (more or core.number(read) == len(text)):
                    break
                if status != header.BUFFER:
                    _called(status)
                cap, work_size = 2 * cap, 2 * work_size
            size = core.number(n)
            found = core.numbers(sources, size) if with_sources else ()
            return core.read(out, size), found, core.number(read)

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """See `Backend`."""
        return self._encode(text, allowed, self._unk(unk))[0]

    def encode_unadded(self, text: bytes) -> list[int]:
        """See `Backend`."""
        return self._encode(text, None, header.NO_ADDED)[0]

    def encode_piece(self, piece: bytes) -> list[int]:
        """See `Backend`."""
        return self._encode(piece, None, header.ONE_PIECE)[0]

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """See `Backend`."""
        return self._encode(text, allowed, self._unk(unk))

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """See `Backend`."""
        with self._lock:
            found = self._call(text, allowed, self._unk(unk), (*COLUMNS, "spans"))
            return *self._columns(found), self._spans(found)

    def _encode(
        self, text: bytes, allowed: bytes | None, flags: int
    ) -> tuple[list[int], list[int], list[int]]:
        """The ids of a text, and where they begin and end."""
        with self._lock:
            return self._columns(self._call(text, allowed, flags, COLUMNS))

    def _columns(self, found: dict[str, int]) -> tuple[list[int], list[int], list[int]]:
        ids, starts, ends = (self._core.numbers(found[name], found["n"]) for name in COLUMNS)
        return ids, starts, ends

    def _spans(self, found: dict[str, int]) -> list[Span]:
        return unpacked(self._core.read(found["spans"], SPAN.size * found["n_spans"]))

    def _unk(self, unk: bool) -> int:
        return header.UNK_TOKEN if unk else 0

    def _call(
        self,
        text: Part,
        allowed: bytes | None,
        flags: int,
        wanted: Sequence[str],
        cap: int = MAX_LENGTH,
        place: int = 0,
    ) -> dict[str, int]:
        """What the core's job has in its fields once there was enough room for what is wanted."""
        core, room = self._core, len(text)
        if room > MAX_LENGTH:
            raise BackendError(
                f"a text of {room} bytes is too long for WebAssembly: pass it in parts"
            )
        while True:
            core.begin()
            data, mask = core.put(text), 0 if allowed is None else core.put(allowed)
            job = {"scratch": self._scratch[0], "scratch_len": self._scratch[1], "flags": flags}
            job |= {"cap": room if "ids" in wanted else cap, "spans_cap": room, "place": place}
            job |= {
                name: core.take((SPAN.size if name == "spans" else 4) * room) for name in wanted
            }
            words = [0] * (header.JOB["size"] // 4)
            for name, value in job.items():
                words[header.JOB[name] // 4] = value
            at = core.put(struct.pack(f"<{len(words)}I", *words))
            status = core.call("encode", self._model, data, len(text), mask, at)
            words = core.numbers(at, len(words))
            found = {name: words[at // 4] for name, at in header.JOB.items() if name != "size"}
            if status != header.BUFFER:
                break
            if (needed := max(found["n"], found["n_spans"])) > room:
                room = needed
            else:  # more scratch memory, which is kept
                core.begin()
                size = 2 * self._scratch[1]
                self._scratch = (core.take(size), size)
                core.clear(*self._scratch)
                core.keep()
        _called(status)
        return found

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, count: bool
    ) -> tuple[list[int] | int, int, int]:
        """See `Backend`."""
        flags, wanted = self._unk(unk) | header.GOES_ON * more, () if count else ("ids",)
        with self._lock:
            found = self._call(text, allowed, flags, wanted, place=place)
            n = found["n"]
            ids = n if count else self._core.numbers(found["ids"], n)
            return ids, found["read"], found["place"]

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """See `Backend`."""
        with self._lock:
            return self._call(text, allowed, self._unk(unk), (), min(limit, MAX_LENGTH))["n"]

    def spans(self, text: bytes) -> list[Span]:
        """See `Backend`."""
        with self._lock:
            return self._spans(self._call(text, None, header.CUT_ONLY, ("spans",)))

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """See `Backend`."""
        core, n = self._core, len(ends)
        with self._lock:
            core.begin()
            data = core.put(text)
            places = [core.put(struct.pack(f"<{n}I", *column)) for column in (starts, ends)]
            first, last = core.take(4 * n), core.take(4 * n)
            arguments = (data, len(text), *places, n, int(utf16), first, last)
            _called(core.call("offsets", *arguments))
            return list(zip(core.numbers(first, n), core.numbers(last, n), strict=True))

    def decode(self, ids: Sequence[int]) -> bytes:
        """See `Backend`."""
        return self.decode_part(ids, False, False, False)[0]

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """See `Backend`."""
        self._check_ids(ids)
        core, n, cap = self._core, len(ids), 8 * len(ids) + 64
        flags = header.SKIP_SPECIAL * skip_special | header.AFTER * after | header.MORE * more
        with self._lock:
            while True:
                core.begin()
                data = core.put(struct.pack(f"<{n}I", *ids))
                read, size, out = core.take(4), core.take(4), core.take(cap)
                arguments = (data, n, flags, out, cap, read, size)
                status = core.call("decode_part", self._model, *arguments)
                if status != header.BUFFER:
                    break
                cap = core.number(size)
            if status == header.TOKEN:
                raise UnknownTokenError(unknown_id(ids[core.number(size)], self.info.n_vocab))
            _called(status)
            return core.read(out, core.number(size)), core.number(read)

    def token_bytes(self, token: int) -> bytes:
        """See `Backend`."""
        self._check_ids([token])
        core = self._core
        with self._lock:
            core.begin()
            text, size = core.take(4), core.take(4)
            status = core.call("token_bytes", self._model, index(token), text, size)
            if status == header.TOKEN:
                raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
            _called(status)
            return core.read(core.number(text), core.number(size))

    def _check_ids(self, ids: Sequence[int]) -> None:
        for token in ids:
            if not 0 <= index(token) <= NONE:
                raise UnknownTokenError(unknown_id(token, self.info.n_vocab))

    def token_id(self, text: bytes) -> int:
        """See `Backend`."""
        core = self._core
        with self._lock:
            core.begin()
            data, token = core.put(text), core.take(4)
            status = core.call("token_id", self._model, data, len(text), token)
            if status == header.TOKEN:
                raise UnknownTokenError(unknown_text(text))
            _called(status)
            return core.number(token)


class _Opened(NamedTuple):
    """See `wwho.backends.c_core.Opened`."""

    core: _Core
    model: int

    def number(self, of: int, number: int, index: int) -> int | None:
        """See `Opened`."""
        status, (value,) = self._ask("info", 1, of, number, index)
        return None if status else value

    def route_name(self, route: int) -> bytes:
        """See `Opened`."""
        return self.core.read(*self._given("route_name", 2, route))

    def added(self, index: int) -> tuple[int, int, bytes]:
        """See `Opened`."""
        token, flags, text, size = self._given("added", 4, index)
        return token, flags, self.core.read(text, size)

    def section(self, kind: Kind) -> bytes:
        """See `Opened`."""
        return self.core.read(*self._given("section_bytes", 2, kind, 0))

    def _ask(self, name: str, n: int, *arguments: int) -> tuple[int, list[int]]:
        """The status of a function, and the n numbers that it writes last."""
        self.core.begin()
        out = self.core.take(4 * n)
        places = range(out, out + 4 * n, 4)
        status = self.core.call(name, self.model, *arguments, *places)
        return status, self.core.numbers(out, n)

    def _given(self, name: str, n: int, *arguments: int) -> list[int]:
        status, numbers = self._ask(name, n, *arguments)
        _called(status)
        return numbers


class _Core:
    """One instance of the .wasm file and its memory, handed out upwards from a mark.

    Each step into JavaScript takes longer than encoding a word: functions and views are kept.
    """

    def __init__(self) -> None:
        module = _module()
        import js  # type: ignore[import-not-found]

        self._js = js
        self._exports = js.WebAssembly.Instance.new(module, js.Object.new()).exports
        self._functions: dict[str, Callable[..., int]] = {}
        self._memory = self._exports.memory
        self._look()
        self._mark = self._top = int(getattr(self._exports, "__heap_base").value)
        check_version(self.call("abi_version"), CORE)

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function; addresses and sizes are below 2^32."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = getattr(self._exports, name)
        return int(function(*arguments)) & NONE

    def keep(self) -> None:
        """What has been taken so far stays."""
        self._mark = self._top

    def begin(self) -> None:
        """What has been taken since `keep` is free again."""
        self._top = self._mark

    def take(self, size: int) -> int:
        """The address, a multiple of 16, of `size` bytes that are not cleared."""
        start = self._top + -self._top % 16
        self._top = start + size
        missing = self._top - self._size
        if missing > 0:
            try:
                self._memory.grow(-(-missing // PAGE))
            except Exception as error:
                raise BackendError(
                    f"WebAssembly memory cannot grow to {self._top} bytes: pass the text in parts"
                ) from error
            self._look()
        return start

    def put(self, data: Part) -> int:
        """The address of a copy of `data`."""
        at = self.take(len(data))
        if data:
            self._view(at, len(data)).assign(data)
        return at

    def clear(self, at: int, size: int) -> None:
        """Make `size` bytes from an address on zero."""
        self._view(at, size).fill(0)

    def read(self, at: int, size: int) -> bytes:
        """A copy of `size` bytes from an address on."""
        return bytes(self._view(at, size).to_bytes())

    def number(self, at: int) -> int:
        """The 32-bit integer at an address."""
        return int(self._words[at // 4])

    def numbers(self, at: int, count: int) -> list[int]:
        """The 32-bit integers from an address on."""
        return list(struct.unpack(f"<{count}I", self.read(at, 4 * count)))

    def _look(self) -> None:
        """Look at the memory anew: growing it detaches older views."""
        buffer = self._memory.buffer
        self._size = int(buffer.byteLength)
        self._bytes = self._js.Uint8Array.new(buffer)
        self._words = self._js.Uint32Array.new(buffer)

    def _view(self, at: int, size: int) -> Any:
        return self._bytes.subarray(at, at + size)


@cache
def _module() -> Any:
    """The compiled .wasm file.

    Raises:
        BackendError: this is not Pyodide, or the package came without its .wasm file.
    """
    if sys.platform != "emscripten":
        raise BackendError(
            "the wasm backend runs in Pyodide, where the module 'js' reaches WebAssembly; "
            f"this is CPython on {sys.platform}: use backend='native' or 'reference'"
        )
    import js
    from pyodide.ffi import to_js  # type: ignore[import-not-found]

    try:
        core = resources.files("wwho.web").joinpath("package", CORE).read_bytes()
    except (ImportError, OSError) as error:
        raise BackendError(
            f"this installation of wwho has no web/package/{CORE}: reinstall it"
        ) from error
    return js.WebAssembly.Module.new(to_js(core))


def _opened(status: int, blob: bytes) -> None:
    """Raise for an artifact that the core refuses."""
    if status != header.OK:
        refuse(header.STATUSES[status], blob)


def _called(status: int) -> None:
    """Raise for a call that failed and could not, given what this file passes."""
    if status != header.OK:
        raise BackendError(
            f"the WebAssembly core returned {header.STATUSES[status]}: please report this"
        )
