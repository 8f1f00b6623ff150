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
from wwho.backends.backend import (
    MAX_LENGTH,
    SPAN,
    Form,
    Part,
    Span,
    to_form,
    unknown_id,
    unknown_text,
    unpack_spans,
)
from wwho.backends.c_core import CoreBackend, check_version, core_info, refuse_artifact
from wwho.errors import BackendError, UnknownTokenError
from wwho.format.layout import NONE, Kind
from wwho.sampling import Sampling
from wwho.text import Text, to_bytes

NORMALIZER_BYTES = 65536
"""The memory that normalizing works in at first."""
PAGE = 65536
"""Bytes of a page of WebAssembly memory, which grows by pages."""
WASM_FILE = "wwho.wasm"
COLUMNS = ("ids", "starts", "ends")
"""Fields of a job that point to a 32-bit number for each token."""


class WasmBackend(CoreBackend):
    """An artifact, opened by the C core in WebAssembly. A lock lets one call in at a time."""

    kind = "wasm"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact, which is copied into WebAssembly memory.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
            BackendError: this is not Pyodide, or the package came without its .wasm file.
        """
        self._core = CoreInstance()
        self._lock = threading.Lock()
        core = self._core
        data, size = core.put(blob), core.reserve(4)
        _check_opening(core.call("workspace_size", data, len(blob), size), blob)
        workspace_size = core.number(size)
        workspace, model = core.reserve(workspace_size), core.reserve(4)
        _check_opening(core.call("open", data, len(blob), workspace, workspace_size, model), blob)
        self._model = core.number(model)
        scratch_size = core.call("scratch_size", self._model)
        self._scratch = (core.reserve(scratch_size), scratch_size)
        core.clear(*self._scratch)
        core.keep_reserved()
        self.info = core_info(WasmModel(core, self._model))

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """Call the core's `normalize`, again with twice the memory while that is too little.

        Args:
            text: the text.
            more: whether text follows, so that only what it cannot change is normalized.
            with_sources: whether to say where each byte came from.

        Returns:
            The normalized text; for each of its bytes the place in `text` at which the character
            begins that it came from, or () without `with_sources`; and how many bytes of `text`
            were read, which is all of them without `more`.
        """
        core, capacity, work_size = self._core, 2 * len(text) + 64, NORMALIZER_BYTES
        with self._lock:
            while True:
                core.free_unkept()
                data = core.put(text)
                n_read_at, size_at = core.reserve(4), core.reserve(4)
                work, out = core.reserve(work_size), core.reserve(capacity)
                sources = core.reserve(4 * capacity) if with_sources else 0
                status = core.call(
                    "normalize",
                    self._model,
                    data,
                    len(text),
                    int(more),
                    work,
                    work_size,
                    out,
                    sources,
                    capacity,
                    n_read_at,
                    size_at,
                )
                # Without `more`, a text that was not read to its end needs more memory, too.
                if status == header.OK and (more or core.number(n_read_at) == len(text)):
                    break
                if status != header.BUFFER:
                    _check_call(status)
                capacity, work_size = 2 * capacity, 2 * work_size
            size = core.number(size_at)
            source_list = core.numbers(sources, size) if with_sources else ()
            return core.read(out, size), source_list, core.number(n_read_at)

    def encode(self, text: Text, allowed: bytes | None, unk: bool) -> list[int]:
        """Return the ids of a text."""
        return self._encode(to_bytes(text), allowed, _unk_flag(unk))[0]

    def encode_unadded(self, text: bytes) -> list[int]:
        """Return the ids of a text in which no added token is found, whatever its flags."""
        return self._encode(text, None, header.NO_ADDED)[0]

    def encode_piece(self, piece: bytes) -> list[int]:
        """Return the ids of a text that is one pretoken of the first route, without any cutting."""
        return self._encode(piece, None, header.ONE_PIECE)[0]

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """Return the ids of a text, and the bytes at which the text of each begins and ends."""
        return self._encode(text, allowed, _unk_flag(unk))

    def sample_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool, sampling: Sampling, number: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return drawn ids of a text, and the bytes at which the text of each begins and ends."""
        n_best = NONE if sampling.paths else 0  # WWHO_ALL_PATHS
        request = struct.pack(
            "<QddIIII", sampling.seed, sampling.dropout, sampling.alpha, n_best, number, 0, 0
        )
        with self._lock:
            flags = _unk_flag(unk)
            return self._columns(self._run_job(text, allowed, flags, COLUMNS, sampling=request))

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """Return ids with their places, and the spans between added tokens, by one call."""
        with self._lock:
            job = self._run_job(text, allowed, _unk_flag(unk), (*COLUMNS, "spans"))
            return *self._columns(job), self._spans(job)

    def _encode(
        self, text: bytes, allowed: bytes | None, flags: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return the ids of a text, and the bytes at which the text of each begins and ends."""
        with self._lock:
            return self._columns(self._run_job(text, allowed, flags, COLUMNS))

    def _columns(self, job: dict[str, int]) -> tuple[list[int], list[int], list[int]]:
        """Return the ids, starts and ends that a job has written."""
        ids, starts, ends = (self._core.numbers(job[name], job["n"]) for name in COLUMNS)
        return ids, starts, ends

    def _spans(self, job: dict[str, int]) -> list[Span]:
        """Return the spans that a job has written."""
        return unpack_spans(self._core.read(job["spans"], SPAN.size * job["n_spans"]))

    def _run_job(
        self,
        text: Part,
        allowed: bytes | None,
        flags: int,
        wanted: Sequence[str],
        cap: int = MAX_LENGTH,
        place: int = 0,
        sampling: bytes = b"",
    ) -> dict[str, int]:
        """Call the core's `encode`, again with more memory while that is too little.

        The caller holds the lock, and reads the columns before the next call overwrites them.

        Args:
            text: the text.
            allowed: the mask of allowed special tokens; None for none.
            flags: those of wwho.h.
            wanted: the columns to fill, of `COLUMNS` and "spans"; without "ids" it only counts.
            cap: without "ids", the number of tokens after which counting may stop.
            place: where the part begins, of a text that comes in parts.
            sampling: a `wwho_sampling`, to call `sample`; empty: nothing is drawn.

        Returns:
            The fields of the job (`wwho_job` of wwho.h) after the call, by name; pointers are
            addresses.

        Raises:
            BackendError: the text is too long, or memory cannot grow.
        """
        core, room = self._core, len(text)
        if room > MAX_LENGTH:
            raise BackendError(
                f"a text of {room} bytes is too long for WebAssembly: pass it in parts"
            )
        while True:
            core.free_unkept()
            data, mask = core.put(text), 0 if allowed is None else core.put(allowed)
            fields = {
                "scratch": self._scratch[0],
                "scratch_len": self._scratch[1],
                "flags": flags,
                "cap": room if "ids" in wanted else cap,
                "spans_cap": room,
                "place": place,
            }
            for name in wanted:
                fields[name] = core.reserve((SPAN.size if name == "spans" else 4) * room)
            words = [0] * (header.JOB["size"] // 4)
            for name, value in fields.items():
                words[header.JOB[name] // 4] = value
            job_at = core.put(struct.pack(f"<{len(words)}I", *words))
            if sampling:
                request = core.put(sampling)
                status = core.call("sample", self._model, data, len(text), mask, request, job_at)
            else:
                status = core.call("encode", self._model, data, len(text), mask, job_at)
            words = core.numbers(job_at, len(words))
            job = {name: words[at // 4] for name, at in header.JOB.items() if name != "size"}
            if status != header.BUFFER:
                break
            needed = max(job["n"], job["n_spans"])
            if needed > room:
                room = needed
            else:
                self._grow_scratch()
        _check_call(status)
        return job

    def _grow_scratch(self) -> None:
        """Replace the scratch memory by one of twice the size, for this call and all later ones."""
        core, size = self._core, 2 * self._scratch[1]
        core.free_unkept()
        self._scratch = (core.reserve(size), size)
        core.clear(*self._scratch)
        core.keep_reserved()

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, form: Form
    ) -> tuple[list[int] | int | bytes, int, int]:
        """Encode the next part of a text that comes in parts, as far as its ids are certain.

        Args:
            text: the bytes that came and were not read yet.
            more: whether bytes follow, so that only what they cannot change is encoded.
            place: 0 for the first part, otherwise what the call before returned.
            allowed: the mask of allowed special tokens; None for none.
            unk: whether unknown units become the unknown token.
            form: what to make of the ids.

        Returns:
            The ids in that form, how many bytes of `text` were read, and the place for the next
            call.
        """
        flags = _unk_flag(unk) | header.GOES_ON * more
        wanted = () if form == "number" else ("ids",)
        with self._lock:
            job = self._run_job(text, allowed, flags, wanted, place=place)
            n = job["n"]
            ids = n if form == "number" else to_form(self._core.numbers(job["ids"], n), form)
            return ids, job["read"], job["place"]

    def count(self, text: Text, allowed: bytes | None, unk: bool, limit: int) -> int:
        """Return how many ids a text has, or some number over `limit` if there are more.

        With a limit below the length of the text, counting stops soon after the limit.
        """
        with self._lock:
            cap = min(limit, MAX_LENGTH)
            return self._run_job(to_bytes(text), allowed, _unk_flag(unk), (), cap)["n"]

    def spans(self, text: bytes) -> list[Span]:
        """Return the pretokens and units of a normalized text, in order, without encoding it."""
        with self._lock:
            return self._spans(self._run_job(text, None, header.CUT_ONLY, ("spans",)))

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """Convert the places of tokens from bytes to code points, or UTF-16 units.

        Args:
            text: the text that was encoded.
            starts: the first byte of each token, ascending.
            ends: the byte after the last of each token, ascending.
            utf16: whether to count UTF-16 units; if not, code points.

        Returns:
            For each token the first character that it touches, and the one after the last.
        """
        core, n = self._core, len(ends)
        with self._lock:
            core.free_unkept()
            data = core.put(text)
            starts_at = core.put(struct.pack(f"<{n}I", *starts))
            ends_at = core.put(struct.pack(f"<{n}I", *ends))
            first, last = core.reserve(4 * n), core.reserve(4 * n)
            _check_call(
                core.call(
                    "offsets", data, len(text), starts_at, ends_at, n, int(utf16), first, last
                )
            )
            return list(zip(core.numbers(first, n), core.numbers(last, n), strict=True))

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the text of some tokens, as the model's decoder joins them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """
        return self.decode_part(ids, False, False, False)[0]

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """Decode tokens that come in parts, as far as tokens that follow cannot change the text.

        Args:
            ids: the tokens that came and were not read yet.
            skip_special: whether special tokens are left out.
            after: whether tokens before these gave text that is not empty.
            more: whether tokens follow; if not, all of `ids` are read.

        Returns:
            The text, and how many of `ids` were read for it.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """
        self._check_ids(ids)
        core, n, capacity = self._core, len(ids), 8 * len(ids) + 64
        flags = header.SKIP_SPECIAL * skip_special | header.AFTER * after | header.MORE * more
        with self._lock:
            while True:
                core.free_unkept()
                data = core.put(struct.pack(f"<{n}I", *ids))
                n_read_at, size_at = core.reserve(4), core.reserve(4)
                out = core.reserve(capacity)
                status = core.call(
                    "decode_part", self._model, data, n, flags, out, capacity, n_read_at, size_at
                )
                if status != header.BUFFER:
                    break
                capacity = core.number(size_at)
            if status == header.TOKEN:
                wrong = ids[core.number(size_at)]
                raise UnknownTokenError(unknown_id(wrong, self.info.n_vocab))
            _check_call(status)
            return core.read(out, core.number(size_at)), core.number(n_read_at)

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, before any decoder.

        Raises:
            UnknownTokenError: the id is not in the vocabulary.
            TypeError: the id is no integer.
        """
        self._check_ids([token])
        core = self._core
        with self._lock:
            core.free_unkept()
            text_at, size_at = core.reserve(4), core.reserve(4)
            status = core.call("token_bytes", self._model, index(token), text_at, size_at)
            if status == header.TOKEN:
                raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
            _check_call(status)
            return core.read(core.number(text_at), core.number(size_at))

    def _check_ids(self, ids: Sequence[int]) -> None:
        """Raise UnknownTokenError if an id is negative or does not fit 32 bits.

        Raises:
            UnknownTokenError: see above.
            TypeError: an id is no integer.
        """
        for token in ids:
            if not 0 <= index(token) <= NONE:
                raise UnknownTokenError(unknown_id(token, self.info.n_vocab))

    def token_id(self, text: bytes) -> int:
        """Return the id of the token with exactly these bytes.

        It is that of the last model that has such a token, otherwise that of an added token.

        Raises:
            UnknownTokenError: no token has these bytes.
        """
        core = self._core
        with self._lock:
            core.free_unkept()
            data, token_at = core.put(text), core.reserve(4)
            status = core.call("token_id", self._model, data, len(text), token_at)
            if status == header.TOKEN:
                raise UnknownTokenError(unknown_text(text))
            _check_call(status)
            return core.number(token_at)


class WasmModel(NamedTuple):
    """A `CoreModel` in WebAssembly: an instance of the core, and the address of the model in it."""

    core: CoreInstance
    model: int

    def number(self, of: int, number: int, index: int) -> int | None:
        """Return a number of a thing by `wwho_info`, or None if there is no such number."""
        status, (value,) = self._call("info", 1, of, number, index)
        return None if status else value

    def route_name(self, route: int) -> bytes:
        """Return the name of a route in UTF-8."""
        start, size = self._results("route_name", 2, route)
        return self.core.read(start, size)

    def added_token(self, index: int) -> tuple[int, int, bytes]:
        """Return the id, flags and UTF-8 text of an added token."""
        token, flags, start, size = self._results("added", 4, index)
        return token, flags, self.core.read(start, size)

    def section(self, kind: Kind) -> bytes:
        """Return a copy of the bytes of a section of the artifact."""
        start, size = self._results("section_bytes", 2, kind, 0)
        return self.core.read(start, size)

    def _call(self, name: str, n_results: int, *arguments: int) -> tuple[int, list[int]]:
        """Call a function of the core whose last arguments are pointers for its results.

        Args:
            name: the function, without `wwho_`.
            n_results: how many pointers it takes, each for a 32-bit number.
            arguments: what it takes between the model and the pointers.

        Returns:
            Its status, and the numbers that it has written.
        """
        self.core.free_unkept()
        results_at = self.core.reserve(4 * n_results)
        pointers = range(results_at, results_at + 4 * n_results, 4)
        status = self.core.call(name, self.model, *arguments, *pointers)
        return status, self.core.numbers(results_at, n_results)

    def _results(self, name: str, n_results: int, *arguments: int) -> list[int]:
        """Call a function as `_call` does, and return the numbers that it has written.

        Raises:
            BackendError: its status is not OK.
        """
        status, results = self._call(name, n_results, *arguments)
        _check_call(status)
        return results


class CoreInstance:
    """One instance of the .wasm file and its memory, of which bytes are reserved upwards.

    A call reserves its buffers, reads the results, and the next call begins with `free_unkept`.
    Each call into JavaScript takes longer than encoding a word, so functions and views are kept.
    """

    def __init__(self) -> None:
        """Instantiate the core.

        Raises:
            BackendError: this is not Pyodide, or the .wasm file is missing or of another version.
        """
        module = _wasm_module()
        import js  # type: ignore[import-not-found]

        self._js = js
        self._exports = js.WebAssembly.Instance.new(module, js.Object.new()).exports
        self._functions: dict[str, Callable[..., int]] = {}
        self._memory = self._exports.memory
        self._renew_views()
        # Bytes below `_kept` stay reserved; `_top` is the first that is not reserved.
        self._kept = self._top = int(getattr(self._exports, "__heap_base").value)
        check_version(self.call("abi_version"), WASM_FILE)

    def call(self, name: str, *arguments: int) -> int:
        """Call a function of the core by its name without `wwho_`, and return what it returns.

        Arguments are numbers, sizes and addresses below 2^32.
        """
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = getattr(self._exports, name)
        # JavaScript takes a result for signed.
        return int(function(*arguments)) & NONE

    def keep_reserved(self) -> None:
        """Keep all that is reserved now, whatever `free_unkept` frees later."""
        self._kept = self._top

    def free_unkept(self) -> None:
        """Free all that was reserved since the last `keep_reserved`."""
        self._top = self._kept

    def reserve(self, size: int) -> int:
        """Reserve `size` bytes, which are not cleared, and return their address.

        The address is a multiple of 16. Memory grows if it must, which detaches views of it.

        Raises:
            BackendError: memory cannot grow.
        """
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
            self._renew_views()
        return start

    def put(self, data: Part) -> int:
        """Copy bytes into memory that is reserved for them, and return their address."""
        at = self.reserve(len(data))
        if data:
            self._view(at, len(data)).assign(data)
        return at

    def clear(self, at: int, size: int) -> None:
        """Set `size` bytes to zero from an address on."""
        self._view(at, size).fill(0)

    def read(self, at: int, size: int) -> bytes:
        """Return a copy of `size` bytes from an address on."""
        return bytes(self._view(at, size).to_bytes())

    def number(self, at: int) -> int:
        """Return the 32-bit number at an address, which is a multiple of 4."""
        return int(self._words[at // 4])

    def numbers(self, at: int, count: int) -> list[int]:
        """Return `count` 32-bit numbers from an address on."""
        return list(struct.unpack(f"<{count}I", self.read(at, 4 * count)))

    def _renew_views(self) -> None:
        """Get new views of the memory, as growing it detaches older ones."""
        buffer = self._memory.buffer
        self._size = int(buffer.byteLength)
        self._bytes = self._js.Uint8Array.new(buffer)
        self._words = self._js.Uint32Array.new(buffer)

    def _view(self, at: int, size: int) -> Any:
        """Return a `Uint8Array` of `size` bytes of the memory from an address on."""
        return self._bytes.subarray(at, at + size)


@cache
def _wasm_module() -> Any:
    """Return the compiled .wasm file, a `WebAssembly.Module`; it is compiled once.

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
        code = resources.files("wwho.web").joinpath("package", WASM_FILE).read_bytes()
    except (ImportError, OSError) as error:
        raise BackendError(
            f"this installation of wwho has no web/package/{WASM_FILE}: reinstall it"
        ) from error
    return js.WebAssembly.Module.new(to_js(code))


def _unk_flag(unk: bool) -> int:
    """Return the flag for the core that says whether unknown units become the unknown token."""
    return header.UNK_TOKEN if unk else 0


def _check_opening(status: int, blob: bytes) -> None:
    """Raise ArtifactError unless the status of a call that opens an artifact is OK."""
    if status != header.OK:
        refuse_artifact(header.STATUSES[status], blob)


def _check_call(status: int) -> None:
    """Raise BackendError unless a call's status is OK; this file passes nothing wrong."""
    if status != header.OK:
        raise BackendError(
            f"the WebAssembly core returned {header.STATUSES[status]}: please report this"
        )
