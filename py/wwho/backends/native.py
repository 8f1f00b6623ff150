"""The native backend: the C core through cffi. The GIL is released while C runs."""

from __future__ import annotations

import mmap
import sys
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec, spec_from_loader
from itertools import accumulate, chain, pairwise
from operator import index, sub
from struct import Struct
from typing import Any, NamedTuple, TypeVar, cast

from wwho._core import ffi, lib
from wwho.backends.backend import SPAN, Part, Placed, Span, unknown_id, unknown_text, unpacked
from wwho.backends.c_core import CoreBackend, check_version, core_info, refuse
from wwho.backends.header import STATUSES
from wwho.backends.parallel import in_parts, processors
from wwho.errors import BackendError, UnknownTokenError
from wwho.format.layout import NONE, Kind
from wwho.text import Text, all_bytes

OUTPUT_BYTES = 1 << 16
NORMALIZER_BYTES = 1 << 16
MAX_LENGTH = 2**31 - 1
_Result = TypeVar("_Result")

# Buffers that C fills need no zeroing. The bounds of wwho.h (never more tokens than bytes) are
# taken as sizes: memory that is reserved and not touched costs next to nothing.
_uncleared = ffi.new_allocator(should_clear_after_alloc=False)
_NULL = ffi.NULL
# A second module in the library of the first: what it does takes twice as long through cffi.
_loader = ExtensionFileLoader("wwho._ids", str(sys.modules["wwho._core"].__file__))
_ids: Any = module_from_spec(cast(ModuleSpec, spec_from_loader("wwho._ids", _loader)))
_PLACE = Struct("=II")
_UNK = int(lib.WWHO_UNK_TOKEN)
# What a call is to find beyond the number of tokens.
_IDS, _PLACES, _SPANS = 1, 2, 4


class NativeBackend(CoreBackend):
    """An artifact, opened by the C core.

    Immutable; each running call has scratch memory of its own, so threads may share it.
    """

    kind = "native"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
            BackendError: the compiled core is of another version than this package.
        """
        check_version(lib.wwho_abi_version(), "wwho._core")
        held, data = _aligned(len(blob), 4)
        ffi.memmove(data, blob, len(blob))
        size = ffi.new("size_t *")
        _opened(lib.wwho_workspace_size(data, len(blob), size), blob)
        workspace, work = _zeroed(size[0])
        model = ffi.new("const wwho_model **")
        _opened(lib.wwho_open(data, len(blob), work, size[0], model), blob)
        self._model = model[0]
        self._address = _address(model[0])
        # The model lies in the workspace and reads the blob: both must live as long as it.
        self._memory = (held, workspace)
        self._pool = Pool(self._model)
        self._free = self._pool.free
        self._outputs: list[Output] = []  # of past calls of decode; append and pop are atomic
        self.info = core_info(_Opened(self._model))

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """See `CoreBackend`."""
        cap, work_size = 2 * len(text) + 64, NORMALIZER_BYTES
        n, read = ffi.new("size_t *"), ffi.new("size_t *")
        while True:
            owner, work = _aligned(work_size, 16)
            out = _uncleared("uint8_t[]", cap)
            sources = _uncleared("uint32_t[]", cap) if with_sources else ffi.NULL
            given = (self._model, text, len(text), more, work, work_size)
            status = lib.wwho_normalize(*given, out, sources, cap, read, n)
            if status == lib.WWHO_OK and (more or read[0] == len(text)):
                break
            if status != lib.WWHO_BUFFER:
                _called(status)
            cap, work_size = 2 * cap, 2 * work_size
        del owner
        found = _id_list(sources, n[0]) if with_sources else ()
        return bytes(ffi.buffer(out, n[0])), found, read[0]

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """See `Backend`."""
        ids: list[int] | None = _ids.encode(self._address, self._free, text, allowed, unk)
        return self._encode(text, allowed, _UNK * unk, Columns.id_list) if ids is None else ids

    def encode_unadded(self, text: bytes) -> list[int]:
        """See `Backend`."""
        return self._encode(text, None, lib.WWHO_NO_ADDED, Columns.id_list)

    def encode_piece(self, piece: bytes) -> list[int]:
        """See `Backend`."""
        return self._encode(piece, None, lib.WWHO_ONE_PIECE, Columns.id_list)

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """See `Backend`."""
        return self._encode(text, allowed, _UNK * unk, Columns.lists, _IDS | _PLACES)

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """See `Backend`."""

        def lists(c: Columns, n: int) -> tuple[list[int], list[int], list[int], list[Span]]:
            return *c.lists(n), unpacked(c.packed_spans())

        return self._encode(text, allowed, _UNK * unk, lists, _IDS | _PLACES | _SPANS)

    def encode_packed(self, text: bytes, allowed: bytes | None, unk: bool) -> bytearray:
        """See `Backend`."""
        ids: bytearray | None = _ids.encode_packed(self._address, self._free, text, allowed, unk)
        return self._encode(text, allowed, _UNK * unk, Columns.packed) if ids is None else ids

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """See `Backend`."""

        def packed(c: Columns, n: int) -> tuple[bytes, bytes]:
            return bytes(ffi.buffer(c.ids, 4 * n)), bytes(ffi.buffer(c.ends, 4 * n))

        return self._encode(text, allowed, _UNK * unk, packed, _IDS | _PLACES)

    def _encode(
        self,
        text: bytes,
        allowed: bytes | None,
        flags: int,
        result: Callable[[Columns, int], _Result],
        want: int = _IDS,
        **given: Any,
    ) -> _Result:
        """What `result` makes of the columns, which it must not keep, and the number of ids.

        The call of the core is repeated with more room where there was too little, for what is
        wanted or for scratch memory. `given` are other fields of its job.
        """
        if len(text) > MAX_LENGTH:
            raise _too_long(len(text))
        columns, mask = self._pool.take(len(text) if want else 0, want), allowed or _NULL
        while True:
            job = columns.ask(want, flags, **given)
            status = lib.wwho_encode(self._model, text, len(text), mask, job)
            if status != lib.WWHO_BUFFER:
                break
            needed = max(job.n, job.n_spans)
            if needed > columns.room:
                columns.widen(needed, want)
            else:
                columns = self._pool.grow(columns, want)
        _called(status)
        found = result(columns, job.n)
        self._pool.give_back(columns)
        return found

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, count: bool
    ) -> tuple[list[int] | int, int, int]:
        """See `Backend`."""

        def found(c: Columns, n: int) -> tuple[list[int] | int, int, int]:
            return n if count else c.id_list(n), c.asked.read, c.asked.place

        flags = _UNK * unk | lib.WWHO_GOES_ON * more
        want = 0 if count else _IDS
        with ffi.from_buffer("uint8_t[]", text) as data:  # in place: it may be as long as a file
            return self._encode(data, allowed, flags, found, want, place=place)

    def encode_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """See `Backend`."""
        if min(threads, processors()) == 1:
            # All at once: between parts, the collector would visit the lists that are made already.
            found: list[list[int]] = _ids.lists(*self.encode_batch_packed(texts, allowed, unk, 1))
            return found
        return [*chain.from_iterable(self._batch(texts, allowed, unk, threads, _lists))]

    def encode_batch_packed(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """See `Backend`."""
        parts = self._batch(texts, allowed, unk, threads, lambda e: (e.packed(), e.lengths()))
        lengths = chain.from_iterable(part for _, part in parts)
        starts = array("q", accumulate(lengths, initial=0))
        if len(parts) == 1:
            return parts[0][0], starts  # a copy less: 4 % of known text
        return bytearray().join(ids for ids, _ in parts), starts

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> Placed:
        """See `Backend`."""

        def placed(c: Columns, n: int) -> Placed:
            places = (c.starts, c.ends)
            _called(lib.wwho_offsets(text, len(text), *places, n, 0, *places))
            return c.id_list(n), c.places(n)

        return self._encode(text, allowed, _UNK * unk, placed, _IDS | _PLACES)

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[Placed]:
        """See `Backend`."""
        return [*chain.from_iterable(self._batch(texts, allowed, unk, threads, _placed))]

    def count_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """See `Backend`."""
        parts = self._batch(texts, allowed, unk, threads, Encoded.lengths)
        return [*chain.from_iterable(parts)]

    def _batch(
        self,
        texts: Sequence[Text],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        result: Callable[[Encoded], _Result],
    ) -> list[_Result]:
        """What `result` makes of each part of a batch."""
        want = _IDS | _PLACES if result is _placed else _IDS

        def encode(part: Sequence[Text]) -> _Result:
            parts = all_bytes(part)
            data, n = b"".join(parts), len(parts)
            bounds = array("I", accumulate(map(len, parts), initial=0))
            rows = array("I", bytes(4 * n + 4))

            def found(c: Columns, _: int) -> _Result:
                return result(Encoded(data, bounds, c, rows))

            batch = (*(ffi.from_buffer("uint32_t[]", each) for each in (bounds, rows)), n)
            return self._encode(data, allowed, _UNK * unk, found, want, batch=batch)

        return in_parts(encode, texts, threads)

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """See `Backend`."""
        n: int | None = None
        if limit >= len(text):
            n = _ids.count(self._address, self._free, text, allowed, unk)
        if n is None:
            n = self._encode(
                text, allowed, _UNK * unk, Columns.number, 0, cap=min(limit, MAX_LENGTH)
            )
        return n

    def spans(self, text: bytes) -> list[Span]:
        """See `Backend`."""
        return unpacked(self.spans_packed(text))

    def spans_packed(self, text: bytes) -> bytes:
        """See `Backend`."""

        def packed(c: Columns, _: int) -> bytes:
            return c.packed_spans()

        return self._encode(text, None, lib.WWHO_CUT_ONLY, packed, _SPANS)

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """See `Backend`."""
        n = len(ends)
        first, last = _uncleared("uint32_t[]", n), _uncleared("uint32_t[]", n)
        given = [ffi.new("uint32_t[]", list(column)) for column in (starts, ends)]
        _called(lib.wwho_offsets(text, len(text), *given, n, utf16, first, last))
        return list(zip(ffi.unpack(first, n), ffi.unpack(last, n), strict=True)) if n else []

    def decode(self, ids: Sequence[int]) -> bytes:
        """See `Backend`."""
        return self._decode(ids, lib.wwho_decode)

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """See `Backend`."""
        flags = lib.WWHO_SKIP_SPECIAL * skip_special | lib.WWHO_AFTER * after | lib.WWHO_MORE * more
        read = ffi.new("size_t *")

        def call(model: Any, given: Any, n: int, at: Any, cap: int, size: Any) -> int:
            return int(lib.wwho_decode_part(model, given, n, flags, at, cap, read, size))

        return self._decode(ids, call), read[0]

    def _decode(self, ids: Sequence[int], call: Callable[..., int]) -> bytes:
        """What `call` makes of some ids, in a buffer that is large enough."""
        given, n = ffi.from_buffer("uint32_t[]", self._ids(ids)), len(ids)
        try:
            output = self._outputs.pop()
        except IndexError:
            output = Output.new(OUTPUT_BYTES)
        status = call(self._model, given, n, output.at, OUTPUT_BYTES, output.size)
        size = output.size[0]
        text: bytes = output.text[: min(size, OUTPUT_BYTES)]
        self._outputs.append(output)
        if not status:
            return text
        if status == lib.WWHO_TOKEN:
            raise UnknownTokenError(unknown_id(ids[size], self.info.n_vocab))
        if status == lib.WWHO_BUFFER:
            longer = Output.new(size)
            status = call(self._model, given, n, longer.at, size, longer.size)
            text = longer.text[: longer.size[0]]
        _called(status)
        return text

    def _ids(self, ids: Sequence[int]) -> array[int]:
        """Ids as the core takes them.

        Raises:
            UnknownTokenError: one is beyond all ids.
        """
        try:
            return array("I", ids)  # much quicker than ffi.new
        except (OverflowError, TypeError):
            wrong = [each for each in map(index, ids) if not 0 <= each <= NONE]
            raise UnknownTokenError(unknown_id(wrong[0], self.info.n_vocab)) from None

    def token_bytes(self, token: int) -> bytes:
        """See `Backend`."""
        (text,) = self.tokens_bytes([*self._ids([token])])
        if text is None:
            raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
        return text

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """See `Backend`."""
        text, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        found: list[bytes | None] = []
        for token in tokens:
            status = lib.wwho_token_bytes(self._model, token, text, size)
            found.append(bytes(ffi.buffer(text[0], size[0])) if status == lib.WWHO_OK else None)
        return found

    def token_id(self, text: bytes) -> int:
        """See `Backend`."""
        token = ffi.new("uint32_t *")
        status = lib.wwho_token_id(self._model, text, len(text), token)
        if status == lib.WWHO_TOKEN:
            raise UnknownTokenError(unknown_text(text))
        _called(status)
        return int(token[0])


class _Opened(NamedTuple):
    """See `wwho.backends.c_core.Opened`."""

    model: Any

    def number(self, of: int, number: int, index: int) -> int | None:
        """See `Opened`."""
        value = ffi.new("uint32_t *")
        status = lib.wwho_info(self.model, of, number, index, value)
        return None if status else int(value[0])

    def route_name(self, route: int) -> bytes:
        """See `Opened`."""
        name, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        _called(lib.wwho_route_name(self.model, route, name, size))
        return bytes(ffi.buffer(name[0], size[0]))

    def added(self, index: int) -> tuple[int, int, bytes]:
        """See `Opened`."""
        token, flags = ffi.new("uint32_t *"), ffi.new("uint32_t *")
        text, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        _called(lib.wwho_added(self.model, index, token, flags, text, size))
        return token[0], flags[0], bytes(ffi.buffer(text[0], size[0]))

    def section(self, kind: Kind) -> bytes:
        """See `Opened`."""
        at, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        _called(lib.wwho_section_bytes(self.model, kind, 0, at, size))
        return bytes(ffi.buffer(at[0], size[0]))


class Output(NamedTuple):
    """Memory for the text of some tokens.

    Attributes:
        at: where it begins.
        text: its bytes.
        size: where the core writes how many there are.
    """

    at: Any
    text: Any
    size: Any

    @classmethod
    def new(cls, size: int) -> Output:
        """Memory for `size` bytes, not cleared."""
        at = _uncleared("uint8_t[]", size)
        return cls(at, ffi.buffer(at), ffi.new("size_t *"))


class Columns:
    """What a call works in and where it writes: scratch memory, and columns of numbers.

    They are kept from call to call: new memory would cost as much as a short encoding.

    Attributes:
        scratch: where the scratch memory begins, and its size in bytes.
        room: how many ids, and spans, there is room for.
        ids: the buffer of ids, which must not be kept.
        starts: at which byte each token begins; null until it is wanted.
        ends: at which byte it ends; null until it is wanted.
        spans: pretokens and units; null until they are wanted.
        job: what `wwho_encode` takes where ids alone are wanted.
        address: where `job` is.
        asked: what it took otherwise.
        owner: what keeps the scratch memory.
    """

    __slots__ = (
        *("scratch", "room", "ids", "starts", "ends", "spans"),
        *("job", "address", "asked", "owner"),
    )

    def __init__(self, size: int) -> None:
        """Columns without room, with so much scratch memory."""
        self.owner, at = _zeroed(size)
        self.scratch = (at, size)
        self.job = ffi.new("wwho_job *", self.scratch)
        self.address = _address(self.job)
        self.clear()

    def clear(self) -> None:
        """Give up all room for ids."""
        self.ids = self.starts = self.ends = self.spans = self.job.ids = _NULL
        self.room = self.job.cap = 0

    def widen(self, room: int, want: int) -> None:
        """Make room for so many ids, and for what else is wanted."""
        if self.room < room:
            self.room = max(room, min(2 * room, Pool.KEPT_LENGTH))
            self.ids = self.job.ids = _uncleared("uint32_t[]", self.room)
            self.job.cap = self.room
            self.starts = self.ends = self.spans = _NULL
        if want & _PLACES and not self.ends:
            self.starts, self.ends = (_uncleared("uint32_t[]", self.room) for _ in range(2))
        if want & _SPANS and not self.spans:
            self.spans = _uncleared("wwho_span[]", self.room)

    def ask(
        self,
        want: int,
        flags: int,
        *,
        cap: int = MAX_LENGTH,
        place: int = 0,
        batch: tuple[Any, Any, int] = (_NULL, _NULL, 0),
    ) -> Any:
        """The job that finds what is wanted; `cap` is for counting, `batch` its bounds and rows."""
        ids = (self.ids, self.room) if want & _IDS else (_NULL, cap)
        places = (self.starts, self.ends) if want & _PLACES else (_NULL, _NULL)
        spans = (self.spans, self.room) if want & _SPANS else (_NULL, 0)
        fields = (*self.scratch, ids[0], *places, ids[1], *spans, *batch, flags, place)
        self.asked = ffi.new("wwho_job *", fields)
        return self.asked

    def id_list(self, n: int) -> list[int]:
        """The first n ids."""
        return ffi.unpack(self.ids, n) if n else []

    def lists(self, n: int) -> tuple[list[int], list[int], list[int]]:
        """The first n ids, and where they begin and end."""
        return self.id_list(n), _id_list(self.starts, n), _id_list(self.ends, n)

    def packed_spans(self) -> bytes:
        """A copy of the spans."""
        return bytes(ffi.buffer(self.spans, SPAN.size * self.asked.n_spans))

    def places(self, n: int) -> list[tuple[int, int]]:
        """Where the first n begin and end."""
        pairs = array("I", bytes(8 * n))
        pairs[::2] = array("I", bytes(ffi.buffer(self.starts, 4 * n)))
        pairs[1::2] = array("I", bytes(ffi.buffer(self.ends, 4 * n)))
        return list(_PLACE.iter_unpack(pairs))  # half the time of a zip of two lists

    def packed(self, n: int) -> bytearray:
        """A copy of the first n ids."""
        return bytearray(ffi.buffer(self.ids, 4 * n))

    def number(self, n: int) -> int:
        """Their number alone."""
        return n


class Pool:
    """Columns for the calls of one model, kept because the core keeps a cache in scratch memory.

    It holds as many as calls have run at once. Room for the ids of long texts is not kept.
    """

    KEPT_LENGTH = 1 << 22
    KEPT_SCRATCH = 1 << 26

    def __init__(self, model: Any) -> None:
        """Begin with an empty pool."""
        self._size = lib.wwho_scratch_size(model)
        self.free: list[Columns] = []  # append and pop are atomic

    def take(self, room: int, want: int) -> Columns:
        """Columns for so many ids, and what else is wanted, until they are given back.

        Raises:
            BackendError: the text is too long.
        """
        try:
            columns = self.free.pop()
        except IndexError:
            columns = Columns(self._size)
        if columns.room < room or want > _IDS:
            if room > MAX_LENGTH:
                raise _too_long(room)
            columns.widen(room, want)
        return columns

    def grow(self, columns: Columns, want: int) -> Columns:
        """The same with twice the scratch memory, for a part that cannot be cut.

        Up to KEPT_SCRATCH, that is what calls have from now on.

        Raises:
            BackendError: it would be over 8 GiB.
        """
        size, room = 2 * columns.scratch[1], columns.room
        if size > 1 << 33:
            raise BackendError("the text has no place at which it may be cut; pass shorter ones")
        self.give_back(columns)
        if size <= self.KEPT_SCRATCH:
            self._size = size
        grown = Columns(size)
        grown.widen(room, want)
        return grown

    def give_back(self, columns: Columns) -> None:
        """Keep them for the next call, unless their scratch memory has grown."""
        if columns.room > self.KEPT_LENGTH:
            columns.clear()
        if columns.scratch[1] == self._size:
            self.free.append(columns)


def _id_list(ids: Any, n: int) -> list[int]:
    """The first n numbers of a buffer."""
    return ffi.unpack(ids, n) if n else []


def _too_long(length: int) -> BackendError:
    return BackendError(
        f"the text has {length} bytes, a call takes at most {MAX_LENGTH}: pass it in parts"
    )


class Encoded(NamedTuple):
    """A part of a batch, encoded.

    Attributes:
        data: its texts, one after another.
        bounds: where each text begins, and the end.
        columns: ids and places, which must not be kept.
        rows: where the ids of each text begin, and the end.
    """

    data: bytes
    bounds: array[int]
    columns: Columns
    rows: array[int]

    def packed(self) -> bytearray:
        """A copy of the ids."""
        return self.columns.packed(self.rows[-1])

    def lengths(self) -> list[int]:
        """How many ids each text has."""
        return [*map(sub, self.rows[1:], self.rows)]


def _lists(part: Encoded) -> list[list[int]]:
    """The ids of each text of a part; other threads encode meanwhile."""
    found: list[list[int]] = _ids.lists(part.packed(), array("q", part.rows))
    return found


def _placed(part: Encoded) -> list[Placed]:
    """The ids of each text of a part, and where they stand."""
    c, n, data = part.columns, part.rows[-1], ffi.from_buffer(part.data)
    for (start, end), (row, stop) in zip(pairwise(part.bounds), pairwise(part.rows), strict=True):
        places = (c.starts + row, c.ends + row)
        _called(lib.wwho_offsets(data + start, end - start, *places, stop - row, 0, *places))
    offsets = c.places(n)
    rows = (offsets[start:end] for start, end in pairwise(part.rows))
    return list(zip(_lists(part), rows, strict=True))


def _zeroed(size: int) -> tuple[Any, Any]:
    """At least `size` bytes, all zero, on pages of their own: huge ones where the system has them.

    The tables are read at random; with small pages, finding the page costs as much as the reading.

    Returns:
        The owner, which must be kept as long as the memory is used, and the pointer.
    """
    private = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
    # Shared memory, the default, would be written to by both sides of a fork.
    pages = mmap.mmap(-1, size, flags=private) if private else mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    owner = ffi.from_buffer("uint8_t[]", pages, require_writable=True)
    return owner, owner + 0


def _aligned(size: int, alignment: int) -> tuple[Any, Any]:
    """At least `size` bytes, not cleared, at an address that is a multiple of `alignment`.

    Returns:
        The owner, which must be kept as long as the memory is used, and the pointer.
    """
    owner = _uncleared("uint8_t[]", size + alignment - 1)
    return owner, owner + -_address(owner) % alignment


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _opened(status: int, blob: bytes) -> None:
    """Raise for an artifact that the core refuses."""
    if status != lib.WWHO_OK:
        refuse(STATUSES[status], blob)


def _called(status: int) -> None:
    """Raise for a call that failed and could not, given what this file passes."""
    if status != lib.WWHO_OK:
        raise BackendError(f"the native core returned {STATUSES[status]}: please report this")
