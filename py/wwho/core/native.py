"""The native backend: the C core through cffi. The GIL is released while C runs."""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate, chain, pairwise
from operator import index
from struct import Struct
from typing import Any, NamedTuple, TypeVar

from wwho._core import ffi, lib
from wwho.core.base import Span, unknown_id, unknown_text
from wwho.core.core import Of, check_version, core_info, refuse
from wwho.core.packed import SPAN, Placed
from wwho.core.parts import in_parts
from wwho.errors import BackendError, UnknownTokenError
from wwho.format.layout import NONE, Kind

OUTPUT_BYTES = 1 << 16
NORMALIZER_BYTES = 1 << 16
MAX_LENGTH = 2**31 - 1
_Result = TypeVar("_Result")

# Buffers that C fills need no zeroing. The bounds of wwho.h (never more tokens than bytes) are
# taken as sizes: memory that is reserved and not touched costs next to nothing.
_uncleared = ffi.new_allocator(should_clear_after_alloc=False)
_NULL = ffi.NULL
_PLACE = Struct("=II")
_UNK = int(lib.WWHO_UNK_TOKEN)


class NativeBackend:
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
        # The model lies in the workspace and reads the blob: both must live as long as it.
        self._memory = (held, workspace)
        self._pool = Pool(self._model)
        self._outputs: list[Output] = []  # of past calls of decode; append and pop are atomic
        self.info = core_info(_Opened(self._model))

    def normalize(self, text: bytes) -> bytes:
        """See `Backend`."""
        return self._normalize(text)[0]

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """See `Backend`."""
        normalized, _, read = self._normalize(text, more=True)
        return normalized, read

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """See `Backend`."""
        return self._normalize(text, with_sources=True)[:2]

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """A normalized text, its sources if they are wanted, and how many bytes were read."""
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
        # As `_encode` does it, without what that costs: a third of the price of a short call.
        n, pool = len(text), self._pool
        columns = pool.take(n, False)
        status = lib.wwho_encode(self._model, text, n, allowed or _NULL, _UNK * unk, *columns.alone)
        ids = [] if status else columns.id_list(columns.n[0])
        pool.give_back(columns)
        return self._encode(text, allowed, _UNK * unk, Columns.id_list) if status else ids

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

        def lists(c: Columns, n: int) -> tuple[list[int], list[int], list[int]]:
            return c.id_list(n), _id_list(c.starts, n), _id_list(c.ends, n)

        return self._encode(text, allowed, _UNK * unk, lists, places=True)

    def encode_packed(self, text: bytes, allowed: bytes | None, unk: bool) -> bytearray:
        """See `Packing`."""
        return self._encode(text, allowed, _UNK * unk, Columns.packed)

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """See `Packing`."""

        def packed(c: Columns, n: int) -> tuple[bytes, bytes]:
            return bytes(ffi.buffer(c.ids, 4 * n)), bytes(ffi.buffer(c.ends, 4 * n))

        return self._encode(text, allowed, _UNK * unk, packed, places=True)

    def _encode(
        self,
        text: bytes,
        allowed: bytes | None,
        flags: int,
        result: Callable[[Columns, int], _Result],
        *,
        places: bool = False,
    ) -> _Result:
        """What `result` makes of the columns, which it must not keep, and the number of ids."""
        given = (self._model, text, len(text), allowed or _NULL, flags)

        def call(c: Columns) -> Any:
            return lib.wwho_encode(*given, *c.scratch, *c.outputs(places), c.room, c.n)

        return self._run(len(text), call, result, places)

    def _run(
        self,
        room: int,
        call: Callable[[Columns], Any],
        result: Callable[[Columns, int], _Result],
        places: bool = False,
    ) -> _Result:
        """What `result` makes of columns that a call of the core has filled, and of their number.

        The call gives its status, and writes to `n` how many ids there are. It is repeated with
        more room where there was too little, for ids or scratch memory.
        """
        columns = self._pool.take(room, places)
        while status := call(columns):
            if status != lib.WWHO_BUFFER:
                _called(status)
            needed = columns.n[0]
            if needed > columns.room:
                columns.widen(needed, places)
            else:
                columns = self._pool.grow(columns, places)
        found = result(columns, columns.n[0])
        self._pool.give_back(columns)
        return found

    def encode_part(
        self, text: bytes, more: bool, place: int, allowed: bytes | None, unk: bool, count: bool
    ) -> tuple[list[int] | int, int, int]:
        """See `Backend`."""
        read, at = ffi.new("size_t *"), ffi.new("uint32_t *", place)
        given = (self._model, text, len(text), more, allowed or _NULL, _UNK * unk)

        def call(c: Columns) -> Any:
            ids, cap = (_NULL, 0) if count else (c.ids, c.room)
            return lib.wwho_encode_part(*given, *c.scratch, ids, cap, at, read, c.n)

        def found(c: Columns, n: int) -> list[int] | int:
            return n if count else c.id_list(n)

        return self._run(0 if count else len(text), call, found), read[0], at[0]

    def encode_batch(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """See `Packing`."""
        return [*chain.from_iterable(self._batch(texts, allowed, unk, threads, _id_lists))]

    def encode_batch_packed(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """See `Packing`."""
        parts = self._batch(texts, allowed, unk, threads, lambda e: (e.packed(), e.lengths()))
        lengths = chain.from_iterable(part for _, part in parts)
        starts = array("q", accumulate(lengths, initial=0))
        if len(parts) == 1:
            return parts[0][0], starts  # a copy less: 4 % of known text
        return bytearray().join(ids for ids, _ in parts), starts

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> Placed:
        """See `Packing`."""

        def placed(c: Columns, n: int) -> Placed:
            places = (c.starts, c.ends)
            _called(lib.wwho_offsets(text, len(text), *places, n, 0, *places))
            return c.id_list(n), c.places(n)

        return self._encode(text, allowed, _UNK * unk, placed, places=True)

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[Placed]:
        """See `Packing`."""
        return [*chain.from_iterable(self._batch(texts, allowed, unk, threads, _placed))]

    def count_batch(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """See `Packing`."""
        parts = self._batch(texts, allowed, unk, threads, Encoded.lengths)
        return [*chain.from_iterable(parts)]

    def _batch(
        self,
        texts: Sequence[bytes],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        result: Callable[[Encoded], _Result],
    ) -> list[_Result]:
        """What `result` makes of each part of a batch."""
        mask, flags, places = allowed or _NULL, _UNK * unk, result is _placed

        def encode(part: Sequence[bytes]) -> _Result:
            data, n = b"".join(part), len(part)
            bounds = [*accumulate(map(len, part), initial=0)]
            given = (self._model, data, ffi.new("uint32_t[]", bounds), n, mask, flags)
            rows = _uncleared("uint32_t[]", n + 1)

            def call(c: Columns) -> Any:
                status = lib.wwho_encode_batch(*given, *c.scratch, *c.outputs(places), c.room, rows)
                c.n[0] = rows[n]
                return status

            def found(c: Columns, _: int) -> _Result:
                return result(Encoded(data, bounds, c, ffi.unpack(rows, n + 1)))

            return self._run(len(data), call, found, places)

        return in_parts(encode, texts, threads)

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """See `Backend`."""
        given = (self._model, text, len(text), allowed or _NULL, _UNK * unk)

        def call(c: Columns) -> Any:
            return lib.wwho_count(*given, *c.scratch, min(limit, MAX_LENGTH), c.n)

        if len(text) > MAX_LENGTH:
            raise _too_long(len(text))
        return self._run(0, call, Columns.number)

    def safe_cut(self, text: bytes, allowed: bytes | None) -> int:
        """See `Backend`."""
        cut = ffi.new("size_t *")
        _called(lib.wwho_safe_cut(self._model, text, len(text), allowed or _NULL, cut))
        return int(cut[0])

    def spans(self, text: bytes) -> list[Span]:
        """See `Backend`."""
        found = SPAN.iter_unpack(self.spans_packed(text))
        return [Span(a, b, route, rule, bool(first)) for a, b, route, rule, first in found]

    def spans_packed(self, text: bytes) -> bytes:
        """See `Packing`."""
        spans, n = _uncleared("wwho_span[]", len(text)), ffi.new("size_t *")
        _called(lib.wwho_spans(self._model, text, len(text), spans, len(text), n))
        return bytes(ffi.buffer(spans, SPAN.size * n[0]))

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
        """See `Packing`."""
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
    """See `wwho.core.core.Opened`."""

    model: Any

    def number(self, of: Of, number: int, index: int) -> tuple[str, int] | None:
        """See `Opened`."""
        name, value = ffi.new("const char **"), ffi.new("uint32_t *")
        if lib.wwho_info(self.model, of, number, index, name, value) != lib.WWHO_OK:
            return None
        return ffi.string(name[0]).decode("ascii"), value[0]

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
        room: how many ids there is room for.
        ids: the buffer of ids, which must not be kept.
        starts: at which byte each token begins; null until it is wanted.
        ends: at which byte it ends; null until it is wanted.
        n: where a call writes how many ids there are.
        alone: what `wwho_encode` takes after the text where ids alone are wanted.
        owner: what keeps the scratch memory.
    """

    __slots__ = ("alone", "ends", "ids", "n", "owner", "room", "scratch", "starts")

    def __init__(self, size: int) -> None:
        """Columns without room, with so much scratch memory."""
        self.owner, at = _zeroed(size)
        self.scratch = (at, size)
        self.n = ffi.new("size_t *")
        self.clear()

    def clear(self) -> None:
        """Give up all room for ids."""
        self.ids = self.starts = self.ends = _NULL
        self.room = 0
        self.alone = (*self.scratch, _NULL, _NULL, _NULL, 0, self.n)

    def widen(self, room: int, places: bool) -> None:
        """Make room for so many ids, and for their places if these are wanted."""
        if self.room < room:
            self.room = max(room, min(2 * room, Pool.KEPT_LENGTH))
            self.ids = _uncleared("uint32_t[]", self.room)
            self.starts = self.ends = _NULL
            self.alone = (*self.scratch, self.ids, _NULL, _NULL, self.room, self.n)
        if places and not self.ends:
            self.starts, self.ends = (_uncleared("uint32_t[]", self.room) for _ in range(2))

    def outputs(self, places: bool) -> tuple[Any, Any, Any]:
        """The buffers, without those of places unless they are wanted."""
        return (self.ids, self.starts, self.ends) if places else (self.ids, _NULL, _NULL)

    def id_list(self, n: int) -> list[int]:
        """The first n ids."""
        return ffi.unpack(self.ids, n) if n else []

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
        self._free: list[Columns] = []  # append and pop are atomic

    def take(self, room: int, places: bool) -> Columns:
        """Columns for so many ids, which no other call uses until they are given back.

        Raises:
            BackendError: the text is too long.
        """
        try:
            columns = self._free.pop()
        except IndexError:
            columns = Columns(self._size)
        if columns.room < room or places:
            if room > MAX_LENGTH:
                raise _too_long(room)
            columns.widen(room, places)
        return columns

    def grow(self, columns: Columns, places: bool) -> Columns:
        """The same with twice the scratch memory, for a part that cannot be cut.

        Up to KEPT_SCRATCH, that is what calls have from now on.

        Raises:
            BackendError: it would be over 8 GiB.
        """
        size = 2 * columns.scratch[1]
        if size > 1 << 33:
            raise BackendError("the text has no place at which it may be cut; pass shorter ones")
        self.give_back(columns)
        if size <= self.KEPT_SCRATCH:
            self._size = size
        grown = Columns(size)
        grown.widen(columns.room, places)
        return grown

    def give_back(self, columns: Columns) -> None:
        """Keep them for the next call, unless their scratch memory has grown."""
        if columns.room > self.KEPT_LENGTH:
            columns.clear()
        if columns.scratch[1] == self._size:
            self._free.append(columns)


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
    bounds: list[int]
    columns: Columns
    rows: list[int]

    def packed(self) -> bytearray:
        """A copy of the ids."""
        return self.columns.packed(self.rows[-1])

    def lengths(self) -> list[int]:
        """How many ids each text has."""
        return [end - start for start, end in pairwise(self.rows)]


def _id_lists(part: Encoded) -> list[list[int]]:
    """The ids of each text of a part."""
    ids = memoryview(ffi.buffer(part.columns.ids, 4 * part.rows[-1])).cast("I")
    return [ids[start:end].tolist() for start, end in pairwise(part.rows)]


def _placed(part: Encoded) -> list[Placed]:
    """The ids of each text of a part, and where they stand."""
    c, n, data = part.columns, part.rows[-1], ffi.from_buffer(part.data)
    for (start, end), (row, stop) in zip(pairwise(part.bounds), pairwise(part.rows), strict=True):
        places = (c.starts + row, c.ends + row)
        _called(lib.wwho_offsets(data + start, end - start, *places, stop - row, 0, *places))
    offsets = c.places(n)
    rows = (offsets[start:end] for start, end in pairwise(part.rows))
    return list(zip(_id_lists(part), rows, strict=True))


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
    return owner, _align(owner, alignment)


def _align(owner: Any, alignment: int) -> Any:
    return owner + -int(ffi.cast("uintptr_t", owner)) % alignment


def _name(status: int) -> str:
    """The name of a status, as in wwho.h, without its prefix."""
    return bytes(ffi.string(lib.wwho_status_str(status))).decode("ascii")


def _opened(status: int, blob: bytes) -> None:
    """Raise for an artifact that the core refuses."""
    if status != lib.WWHO_OK:
        refuse(_name(status), blob)


def _called(status: int) -> None:
    """Raise for a call that failed and could not, given what this file passes."""
    if status != lib.WWHO_OK:
        raise BackendError(f"the native core returned {_name(status)}: please report this")
