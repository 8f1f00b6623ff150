"""The native backend: the C core through cffi.

Python's global lock is released while the core runs, so that threads encode at the same time.
"""

from __future__ import annotations

import gc
import mmap
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec, spec_from_loader
from itertools import accumulate, chain, pairwise
from operator import index, sub
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from wwho._core import ffi, lib
from wwho.backends.backend import (
    MAX_LENGTH,
    SPACED,
    SPAN,
    Form,
    IdsWithOffsets,
    Part,
    RowLayout,
    Span,
    unknown_id,
    unknown_text,
    unpack_spans,
)
from wwho.backends.c_core import (
    CoreBackend,
    check_version,
    core_info,
    refuse_artifact,
)
from wwho.backends.header import STATUSES
from wwho.backends.parallel import PART_LENGTH, map_parts
from wwho.errors import BackendError, UnknownTokenError
from wwho.format.layout import NONE, Kind
from wwho.sampling import Sampling
from wwho.text import Text, all_bytes, plain_texts, to_bytes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DECODED_BYTES = 1 << 16
"""The size of the buffers for decoded text that are kept from call to call."""
NORMALIZER_BYTES = 1 << 16
"""The memory that normalizing works in at first."""
MAX_SCRATCH_BYTES = 1 << 33
"""No call gets more scratch memory than this."""
_Result = TypeVar("_Result")

# Buffers that C fills need no zeroing. The bounds of wwho.h (never more tokens than bytes) are
# taken as sizes: memory that is reserved and not touched costs next to nothing.
_uncleared = ffi.new_allocator(should_clear_after_alloc=False)
_NULL = ffi.NULL
# ids.c: a second module in the library of the first. What it does takes twice as long through cffi.
_ids_loader = ExtensionFileLoader("wwho._ids", str(sys.modules["wwho._core"].__file__))
_ids: Any = module_from_spec(cast(ModuleSpec, spec_from_loader("wwho._ids", _ids_loader)))
_PLACE_PAIR = Struct("=II")
_UNK_FLAG = int(lib.WWHO_UNK_TOKEN)
# The columns that a call fills, as bits of `want`. Without any, it counts tokens.
_IDS, _PLACES, _SPANS = 1, 2, 4


class NativeBackend(CoreBackend):
    """An artifact, opened by the C core through cffi.

    It is immutable, and each running call has scratch memory of its own, so threads may share it.
    """

    kind = "native"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact, which is copied.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
            BackendError: the compiled core is of another version than this package.
        """
        check_version(lib.wwho_abi_version(), "wwho._core")
        blob_owner, data = _aligned_memory(len(blob), 4)
        ffi.memmove(data, blob, len(blob))
        size = ffi.new("size_t *")
        _check_opening(lib.wwho_workspace_size(data, len(blob), size), blob)
        workspace_owner, workspace = _zeroed_memory(size[0])
        model = ffi.new("const wwho_model **")
        _check_opening(lib.wwho_open(data, len(blob), workspace, size[0], model), blob)
        self._model = model[0]
        # The model lies in the workspace and reads the blob: both must live as long as it.
        self._owners = (blob_owner, workspace_owner)
        self._pool = MemoryPool(self._model)
        self._calls = self._pool.calls
        # Buffers of past calls of decode. Any thread takes and returns one: append and pop are
        # atomic.
        self._decode_buffers: list[DecodeBuffer] = []
        self.info = core_info(NativeModel(self._model))

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """Call `wwho_normalize`, again with twice the memory while that is too little.

        Args:
            text: the text.
            more: whether text follows, so that only what it cannot change is normalized.
            with_sources: whether to say where each byte came from.

        Returns:
            The normalized text; for each of its bytes the place in `text` at which the character
            begins that it came from, or () without `with_sources`; and how many bytes of `text`
            were read, which is all of them without `more`.
        """
        capacity, work_size = 2 * len(text) + 64, NORMALIZER_BYTES
        size, n_read = ffi.new("size_t *"), ffi.new("size_t *")
        while True:
            owner, work = _aligned_memory(work_size, 16)
            out = _uncleared("uint8_t[]", capacity)
            sources = _uncleared("uint32_t[]", capacity) if with_sources else _NULL
            status = lib.wwho_normalize(
                self._model,
                text,
                len(text),
                more,
                work,
                work_size,
                out,
                sources,
                capacity,
                n_read,
                size,
            )
            # Without `more`, a text that was not read to its end needs more memory, too.
            if status == lib.WWHO_OK and (more or n_read[0] == len(text)):
                break
            if status != lib.WWHO_BUFFER:
                _check_call(status)
            capacity, work_size = 2 * capacity, 2 * work_size
        del owner
        source_list = _number_list(sources, size[0]) if with_sources else ()
        return bytes(ffi.buffer(out, size[0])), source_list, n_read[0]

    # Encoding one text

    def encode(self, text: Text, allowed: bytes | None, unk: bool) -> list[int]:
        """Return the ids of a text; `Calls` does it if free memory has room for them."""
        ids: list[int] | None = self._calls.encode(text, allowed, unk)
        if ids is None:
            return self._encode(to_bytes(text), allowed, _UNK_FLAG * unk, CallMemory.id_list)
        return ids

    def encode_unadded(self, text: bytes) -> list[int]:
        """Return the ids of a text in which no added token is found, whatever its flags."""
        return self._encode(text, None, lib.WWHO_NO_ADDED, CallMemory.id_list)

    def encode_piece(self, piece: bytes) -> list[int]:
        """Return the ids of a text that is one pretoken of the first route, without any cutting."""
        return self._encode(piece, None, lib.WWHO_ONE_PIECE, CallMemory.id_list)

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """Return the ids of a text, and the bytes at which the text of each begins and ends."""
        want = _IDS | _PLACES
        return self._encode(text, allowed, _UNK_FLAG * unk, CallMemory.id_and_place_lists, want)

    def sample_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool, sampling: Sampling, number: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return drawn ids of a text, and the bytes at which the text of each begins and ends."""
        want = _IDS | _PLACES
        flags, read_result = _UNK_FLAG * unk, CallMemory.id_and_place_lists
        drawn = _request(sampling, number)
        return self._encode(text, allowed, flags, read_result, want, sampling=drawn)

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """Return ids with their places, and the spans between added tokens, by one call."""

        def read_all(
            memory: CallMemory, n: int
        ) -> tuple[list[int], list[int], list[int], list[Span]]:
            """Return the lists of ids and places, and the spans."""
            return *memory.id_and_place_lists(n), unpack_spans(memory.packed_spans())

        return self._encode(text, allowed, _UNK_FLAG * unk, read_all, _IDS | _PLACES | _SPANS)

    def encode_to_numpy(
        self, text: Text, allowed: bytes | None, unk: bool
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of a text as an array; `Calls` does it if free memory has room."""
        ids: npt.NDArray[np.uint32] | None = self._calls.encode_to_numpy(text, allowed, unk)
        if ids is None:
            import numpy as np

            data, flags = to_bytes(text), _UNK_FLAG * unk
            ids = np.frombuffer(
                self._encode(data, allowed, flags, CallMemory.packed_ids), np.uint32
            )
        return ids

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """Return the ids of a text, and the byte after the last of each, both 32 bits each."""

        def read_packed(memory: CallMemory, n: int) -> tuple[bytes, bytes]:
            """Return copies of the first n ids and ends."""
            return bytes(ffi.buffer(memory.ids, 4 * n)), bytes(ffi.buffer(memory.ends, 4 * n))

        return self._encode(text, allowed, _UNK_FLAG * unk, read_packed, _IDS | _PLACES)

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, form: Form
    ) -> tuple[list[int] | int | bytes, int, int]:
        """Encode the next part of a text that comes in parts, without copying it.

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

        def read_part(memory: CallMemory, n: int) -> tuple[list[int] | int | bytes, int, int]:
            """Return the first n ids in the form, and what the job says was read."""
            job = memory.last_job
            return _FORMS[form](memory, n), job.read, job.place

        flags = _UNK_FLAG * unk | lib.WWHO_GOES_ON * more
        want = 0 if form == "number" else _IDS
        # Read where it lies: it may be as long as a file.
        with ffi.from_buffer("uint8_t[]", text) as data:
            return self._encode(data, allowed, flags, read_part, want, place=place)

    def safe_cut(self, text: Part, allowed: bytes | None) -> int:
        """Return the last place where a text may be cut, whatever follows; 0 if there is none."""
        cut = ffi.new("size_t *")
        with ffi.from_buffer("uint8_t[]", text) as data:
            _check_call(lib.wwho_safe_cut(self._model, data, len(text), allowed or _NULL, cut))
        n: int = cut[0]
        return n

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> IdsWithOffsets:
        """Return the ids of a text, and the code points that each touches.

        For each id these are the first one and the one after the last.
        """

        def read_offsets(memory: CallMemory, n: int) -> IdsWithOffsets:
            """Convert the places in the columns themselves, then return ids and offsets."""
            places = (memory.starts, memory.ends)
            _check_call(lib.wwho_offsets(text, len(text), *places, n, 0, *places))
            return memory.id_list(n), memory.place_pairs(n)

        return self._encode(text, allowed, _UNK_FLAG * unk, read_offsets, _IDS | _PLACES)

    def count(self, text: Text, allowed: bytes | None, unk: bool, limit: int) -> int:
        """Return how many ids a text has, or some number over `limit` if there are more.

        With a limit below the length of the text, counting stops soon after the limit. `Calls`
        counts, if there is free memory.
        """
        n: int | None = self._calls.count(text, allowed, unk, limit)
        if n is None:
            data, flags, capacity = to_bytes(text), _UNK_FLAG * unk, min(limit, MAX_LENGTH)
            n = self._encode(data, allowed, flags, _number_alone, 0, cap=capacity)
        return n

    def spans(self, text: bytes) -> list[Span]:
        """Return the pretokens and units of a normalized text, in order, without encoding it."""
        return unpack_spans(self.spans_packed(text))

    def spans_packed(self, text: bytes) -> bytes:
        """Return the pretokens and units of a normalized text, as one `SPAN` after another."""

        def read_spans(memory: CallMemory, _: int) -> bytes:
            """Return a copy of the spans."""
            return memory.packed_spans()

        return self._encode(text, None, lib.WWHO_CUT_ONLY, read_spans, _SPANS)

    def _encode(
        self,
        text: bytes,
        allowed: bytes | None,
        flags: int,
        read_result: Callable[[CallMemory, int], _Result],
        want: int = _IDS,
        sampling: Any = None,
        **fields: Any,
    ) -> _Result:
        """Call `wwho_encode`, again with more memory while that is too little.

        Args:
            text: bytes, or a cffi buffer of bytes.
            allowed: the mask of allowed special tokens; None for none.
            flags: those of wwho.h.
            read_result: makes the result of the memory, whose columns are then filled, and of the
                number of ids. It must copy what it returns: the memory goes back to the pool.
            want: bits of `_IDS`, `_PLACES` and `_SPANS`: the columns to fill; 0 counts only.
            sampling: a `wwho_sampling`, to call `wwho_sample`; None: nothing is drawn.
            fields: other fields of the job: `cap`, `place` or `batch` of `CallMemory.make_job`.

        Raises:
            BackendError: the text is too long, or needs too much scratch memory.
        """
        if len(text) > MAX_LENGTH:
            raise _too_long(len(text))
        memory, mask = self._pool.take(len(text) if want else 0, want), allowed or _NULL
        while True:
            job = memory.make_job(want, flags, **fields)
            if sampling is None:
                status = lib.wwho_encode(self._model, text, len(text), mask, job)
            else:
                status = lib.wwho_sample(self._model, text, len(text), mask, sampling, job)
            if status != lib.WWHO_BUFFER:
                break
            needed = max(job.n, job.n_spans)
            if needed > memory.room:
                memory.reserve(needed, want)
            else:
                # The columns had room, so it was scratch memory that was too small.
                memory = self._pool.exchange_for_larger(memory, want)
        _check_call(status)
        result = read_result(memory, job.n)
        self._pool.give_back(memory)
        return result

    # Batches

    def encode_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """Return the ids of each of several texts, in order.

        Texts may be `str`. Up to `threads` threads, but no more than processors, encode parts of
        the batch.
        """
        rows: list[list[int]] | None = self._calls.encode_batch(texts, allowed, unk, PART_LENGTH)
        if rows is not None and threads > 0:
            return rows

        def encode_part(_: int, part: Sequence[Text]) -> list[list[int]]:
            """Return the ids of each text of a part."""
            rows: list[list[int]] | None
            rows = self._calls.encode_batch(part, allowed, unk, MAX_LENGTH)
            return self._encode_part(part, allowed, unk, _id_rows) if rows is None else rows

        # Between parts, the garbage collector would visit all lists that are made already, a sixth
        # of the time, and none of them can be garbage.
        collects = gc.isenabled()
        gc.disable()
        try:
            return [*chain.from_iterable(map_parts(encode_part, plain_texts(texts), threads))]
        finally:
            if collects:
                gc.enable()

    def encode_batch_packed(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """Return the ids of several texts in one buffer, and where those of each text begin.

        Up to `threads` threads encode parts of the batch, whose ids are then joined.

        Returns:
            The ids of all texts, 32 bits each; and 64 bits for each text and for the end: the
            number of ids before it.
        """
        packed: tuple[bytearray, bytearray] | None
        packed = self._calls.encode_batch_packed(texts, allowed, unk, PART_LENGTH)
        if packed is not None and threads > 0:
            return packed[0], array("q", packed[1])

        def encode_part(_: int, part: Sequence[Text]) -> tuple[bytearray, bytearray]:
            """Return the ids of all texts of a part, 32 bits each, and its rows, 64 bits each."""
            packed: tuple[bytearray, bytearray] | None
            packed = self._calls.encode_batch_packed(part, allowed, unk, MAX_LENGTH)
            return self._encode_part(part, allowed, unk, _packed_rows) if packed is None else packed

        parts = map_parts(encode_part, plain_texts(texts), threads)
        starts = array("q", bytes(8))
        for _, part_starts in parts:
            starts.extend(map(starts[-1].__add__, array("q", part_starts)[1:]))
        if len(parts) == 1:
            return parts[0][0], starts  # one copy less: 4 % of the time of known text
        return bytearray().join(ids for ids, _ in parts), starts

    def encode_batch_to_text(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, layout: RowLayout
    ) -> bytes:
        """Return the ids of several texts as decimal text, by one call of the core."""
        packed: tuple[bytearray, bytearray] | None
        packed = self._calls.encode_batch_packed(texts, allowed, unk, MAX_LENGTH)
        if packed is None:
            packed = self._encode_part(texts, allowed, unk, _packed_rows)
        text: bytes = _ids.format_ids(*packed, *layout)
        return text

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[IdsWithOffsets]:
        """Return, for each of several texts, its ids and the code points that each id touches."""

        def encode_part(_: int, part: Sequence[bytes]) -> list[IdsWithOffsets]:
            """Return the ids and offsets of each text of a part."""
            return self._encode_part(part, allowed, unk, _rows_with_offsets, _IDS | _PLACES)

        parts = map_parts(encode_part, texts, threads)
        return [*chain.from_iterable(parts)]

    def sample_batch_packed(
        self,
        texts: Sequence[Text],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        sampling: Sampling,
    ) -> tuple[bytearray, array[int]]:
        """Return drawn ids of several texts in one buffer, and where those of each text begin."""

        def sample_part(first: int, part: Sequence[Text]) -> tuple[bytearray, list[int]]:
            """Return the ids of all texts of a part, 32 bits each, and how many each text has."""
            drawn = _request(sampling, first)
            read_result = EncodedPart.packed_ids_and_lengths
            return self._encode_part(part, allowed, unk, read_result, sampling=drawn)

        parts = map_parts(sample_part, plain_texts(texts), threads)
        lengths = chain.from_iterable(part_lengths for _, part_lengths in parts)
        starts = array("q", accumulate(lengths, initial=0))
        return bytearray().join(ids for ids, _ in parts), starts

    def sample_batch_with_offsets(
        self,
        texts: Sequence[bytes],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        sampling: Sampling,
    ) -> list[IdsWithOffsets]:
        """Return, for each of several texts, drawn ids and the code points that each id touches."""

        def sample_part(first: int, part: Sequence[bytes]) -> list[IdsWithOffsets]:
            """Return the ids and offsets of each text of a part."""
            drawn, want = _request(sampling, first), _IDS | _PLACES
            return self._encode_part(part, allowed, unk, _rows_with_offsets, want, drawn)

        return [*chain.from_iterable(map_parts(sample_part, texts, threads))]

    def count_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """Return how many ids each of several texts has, without a limit."""
        counts: list[int] | None = self._calls.count_batch(texts, allowed, unk, PART_LENGTH)
        if counts is not None and threads > 0:
            return counts

        def count_part(_: int, part: Sequence[Text]) -> list[int]:
            """Return how many ids each text of a part has."""
            counts: list[int] | None = self._calls.count_batch(part, allowed, unk, MAX_LENGTH)
            if counts is None:
                return self._encode_part(part, allowed, unk, EncodedPart.lengths)
            return counts

        return [*chain.from_iterable(map_parts(count_part, plain_texts(texts), threads))]

    def _encode_part(
        self,
        part: Sequence[Text],
        allowed: bytes | None,
        unk: bool,
        read_result: Callable[[EncodedPart], _Result],
        want: int = _IDS,
        sampling: Any = None,
    ) -> _Result:
        """Encode the texts of a part of a batch by one call of the core, joined.

        Args:
            part: the texts.
            allowed: the mask of allowed special tokens; None for none.
            unk: whether unknown units become the unknown token.
            read_result: makes the result of the part; it must copy what it returns.
            want: bits of `_IDS` and `_PLACES`: the columns to fill.
            sampling: a `wwho_sampling` for the part; None: nothing is drawn.

        Raises:
            BackendError: a text is too long, or needs too much scratch memory.
            TypeError: a text is neither `str` nor bytes.
        """
        part_bytes = all_bytes(part)
        data, n_texts = b"".join(part_bytes), len(part_bytes)
        bounds = array("I", accumulate(map(len, part_bytes), initial=0))
        rows = array("I", bytes(4 * (n_texts + 1)))

        def read_part(memory: CallMemory, _: int) -> _Result:
            """Return the result of the part; the core has filled `rows`, too."""
            return read_result(EncodedPart(data, bounds, memory, rows))

        batch = (
            ffi.from_buffer("uint32_t[]", bounds),
            ffi.from_buffer("uint32_t[]", rows),
            n_texts,
        )
        flags = _UNK_FLAG * unk
        return self._encode(data, allowed, flags, read_part, want, sampling, batch=batch)

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """Convert the places of tokens from bytes to code points, or UTF-16 units, by one call.

        Args:
            text: the text that was encoded.
            starts: the first byte of each token, ascending.
            ends: the byte after the last of each token, ascending.
            utf16: whether to count UTF-16 units; if not, code points.

        Returns:
            For each token the first character that it touches, and the one after the last.
        """
        n = len(ends)
        if not n:
            return []
        first, last = _uncleared("uint32_t[]", n), _uncleared("uint32_t[]", n)
        start_column = ffi.new("uint32_t[]", list(starts))
        end_column = ffi.new("uint32_t[]", list(ends))
        _check_call(
            lib.wwho_offsets(text, len(text), start_column, end_column, n, utf16, first, last)
        )
        return list(zip(ffi.unpack(first, n), ffi.unpack(last, n), strict=True))

    # Decoding

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the text of some tokens, as the model's decoder joins them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """
        return self._decode(ids, lib.wwho_decode)

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
        flags = lib.WWHO_SKIP_SPECIAL * skip_special | lib.WWHO_AFTER * after | lib.WWHO_MORE * more
        n_read = ffi.new("size_t *")

        def decode(model: Any, id_column: Any, n: int, out: Any, capacity: int, size: Any) -> int:
            """Call `wwho_decode_part` with the arguments of `wwho_decode` and those above."""
            return int(
                lib.wwho_decode_part(model, id_column, n, flags, out, capacity, n_read, size)
            )

        return self._decode(ids, decode), n_read[0]

    def _decode(self, ids: Sequence[int], decode: Callable[..., int]) -> bytes:
        """Return the text that a function of the core makes of ids, in a buffer that is kept.

        A longer text is decoded again, into a buffer of its own.

        Args:
            ids: the tokens.
            decode: `wwho_decode`, or a function that takes the same arguments.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """
        id_column, n = ffi.from_buffer("uint32_t[]", self._id_array(ids)), len(ids)
        try:
            buffer = self._decode_buffers.pop()
        except IndexError:
            buffer = DecodeBuffer.of_size(DECODED_BYTES)
        status = decode(self._model, id_column, n, buffer.start, DECODED_BYTES, buffer.size)
        size = buffer.size[0]
        text: bytes = buffer.view[: min(size, DECODED_BYTES)]
        self._decode_buffers.append(buffer)
        if status == lib.WWHO_OK:
            return text
        if status == lib.WWHO_TOKEN:
            raise UnknownTokenError(unknown_id(ids[size], self.info.n_vocab))
        if status == lib.WWHO_BUFFER:
            longer = DecodeBuffer.of_size(size)
            status = decode(self._model, id_column, n, longer.start, size, longer.size)
            text = longer.view[: longer.size[0]]
        _check_call(status)
        return text

    def _id_array(self, ids: Sequence[int]) -> array[int]:
        """Return ids as an array of 32-bit numbers.

        Raises:
            UnknownTokenError: an id is negative, or does not fit 32 bits.
            TypeError: an id is no integer.
        """
        try:
            return array("I", ids)  # much quicker than ffi.new
        except (OverflowError, TypeError):
            wrong = [token for token in map(index, ids) if not 0 <= token <= NONE]
            raise UnknownTokenError(unknown_id(wrong[0], self.info.n_vocab)) from None

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, before any decoder.

        Raises:
            UnknownTokenError: the id is not in the vocabulary.
            TypeError: the id is no integer.
        """
        (text,) = self.tokens_bytes([*self._id_array([token])])
        if text is None:
            raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
        return text

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """Return the bytes of each of several tokens, before any decoder; None for an unknown id.

        The core is called once for each. Ids must not be negative, and fit 32 bits.
        """
        text, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        texts: list[bytes | None] = []
        for token in tokens:
            status = lib.wwho_token_bytes(self._model, token, text, size)
            texts.append(bytes(ffi.buffer(text[0], size[0])) if status == lib.WWHO_OK else None)
        return texts

    def token_id(self, text: bytes) -> int:
        """Return the id of the token with exactly these bytes.

        It is that of the last model that has such a token, otherwise that of an added token.

        Raises:
            UnknownTokenError: no token has these bytes.
        """
        token = ffi.new("uint32_t *")
        status = lib.wwho_token_id(self._model, text, len(text), token)
        if status == lib.WWHO_TOKEN:
            raise UnknownTokenError(unknown_text(text))
        _check_call(status)
        return int(token[0])


class NativeModel(NamedTuple):
    """A `CoreModel` through cffi: a model that the core has opened."""

    model: Any

    def number(self, of: int, number: int, index: int) -> int | None:
        """Return a number of a thing by `wwho_info`, or None if there is no such number."""
        value = ffi.new("uint32_t *")
        status = lib.wwho_info(self.model, of, number, index, value)
        return None if status else int(value[0])

    def route_name(self, route: int) -> bytes:
        """Return the name of a route in UTF-8."""
        name, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        _check_call(lib.wwho_route_name(self.model, route, name, size))
        return bytes(ffi.buffer(name[0], size[0]))

    def added_token(self, index: int) -> tuple[int, int, bytes]:
        """Return the id, flags and UTF-8 text of an added token."""
        token, flags = ffi.new("uint32_t *"), ffi.new("uint32_t *")
        text, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        _check_call(lib.wwho_added(self.model, index, token, flags, text, size))
        return token[0], flags[0], bytes(ffi.buffer(text[0], size[0]))

    def section(self, kind: Kind) -> bytes:
        """Return a copy of the bytes of a section of the artifact."""
        start, size = ffi.new("const uint8_t **"), ffi.new("size_t *")
        _check_call(lib.wwho_section_bytes(self.model, kind, 0, start, size))
        return bytes(ffi.buffer(start[0], size[0]))


class DecodeBuffer(NamedTuple):
    """Memory for the text of some tokens.

    Attributes:
        start: the pointer to its first byte.
        view: its bytes, as a cffi buffer; a slice of it is a copy.
        size: the pointer where the core writes how many bytes the text has.
    """

    start: Any
    view: Any
    size: Any

    @classmethod
    def of_size(cls, size: int) -> DecodeBuffer:
        """Return a buffer of `size` bytes, not cleared."""
        start = _uncleared("uint8_t[]", size)
        return cls(start, ffi.buffer(start), ffi.new("size_t *"))


class CallMemory:
    """The memory of one running call of `wwho_encode`: scratch memory, and columns for its result.

    A column is a buffer with a number for each token. The memory is kept from call to call: new
    memory would cost as much as a short encoding, and the core keeps a cache in scratch memory.

    Attributes:
        scratch: the pointer to the scratch memory, and its size in bytes.
        room: how many ids, and spans, the columns have room for.
        ids: the column of ids.
        starts: the column of the byte at which each token begins; null until it was wanted.
        ends: the column of the byte after the last of each token; null until it was wanted.
        spans: the column of pretokens and units; null until it was wanted.
        ids_job: a job that writes ids alone, for `Calls`.
        address: the address of `ids_job`, which ids.c reads by this name.
        last_job: the job that `make_job` returned last.
        scratch_owner: keeps the scratch memory alive.
    """

    __slots__ = (
        "address",
        "ends",
        "ids",
        "ids_job",
        "last_job",
        "room",
        "scratch",
        "scratch_owner",
        "spans",
        "starts",
    )

    def __init__(self, scratch_size: int) -> None:
        """Get scratch memory of a size in bytes; the columns have no room yet."""
        self.scratch_owner, start = _zeroed_memory(scratch_size)
        self.scratch = (start, scratch_size)
        self.ids_job = ffi.new("wwho_job *", self.scratch)
        self.address = _address(self.ids_job)
        self.drop_columns()

    def drop_columns(self) -> None:
        """Give up the columns, and keep the scratch memory."""
        self.ids = self.starts = self.ends = self.spans = self.ids_job.ids = _NULL
        self.room = self.ids_job.cap = 0

    def reserve(self, room: int, want: int) -> None:
        """Make room for at least `room` ids, and get the other columns that are wanted.

        Growing drops what the columns contain. They grow to twice what is needed, as far as that
        would be kept by the pool.

        Args:
            room: how many ids there may be.
            want: bits of `_PLACES` and `_SPANS`.
        """
        if self.room < room:
            self.room = max(room, min(2 * room, MemoryPool.KEPT_LENGTH))
            self.ids = self.ids_job.ids = _uncleared("uint32_t[]", self.room)
            self.ids_job.cap = self.room
            self.starts = self.ends = self.spans = _NULL
        if want & _PLACES and not self.ends:
            self.starts = _uncleared("uint32_t[]", self.room)
            self.ends = _uncleared("uint32_t[]", self.room)
        if want & _SPANS and not self.spans:
            self.spans = _uncleared("wwho_span[]", self.room)

    def make_job(
        self,
        want: int,
        flags: int,
        *,
        cap: int = MAX_LENGTH,
        place: int = 0,
        batch: tuple[Any, Any, int] = (_NULL, _NULL, 0),
    ) -> Any:
        """Return a `wwho_job` that fills the columns that are wanted, and keep it as `last_job`.

        Args:
            want: bits of `_IDS`, `_PLACES` and `_SPANS`.
            flags: those of wwho.h.
            cap: without `_IDS`, the number of tokens after which counting may stop.
            place: where the part begins, of a text that comes in parts.
            batch: for a batch, the pointers to its bounds and rows, and how many texts it has.
        """
        ids, room = (self.ids, self.room) if want & _IDS else (_NULL, cap)
        starts, ends = (self.starts, self.ends) if want & _PLACES else (_NULL, _NULL)
        spans, span_room = (self.spans, self.room) if want & _SPANS else (_NULL, 0)
        # In the order of `wwho_job` in wwho.h.
        fields = (
            *self.scratch,
            ids,
            starts,
            ends,
            room,
            spans,
            span_room,
            *batch,
            flags,
            place,
        )
        self.last_job = ffi.new("wwho_job *", fields)
        return self.last_job

    def id_list(self, n: int) -> list[int]:
        """Return a list of the first n ids."""
        return _number_list(self.ids, n)

    def id_and_place_lists(self, n: int) -> tuple[list[int], list[int], list[int]]:
        """Return lists of the first n ids, starts and ends."""
        return self.id_list(n), _number_list(self.starts, n), _number_list(self.ends, n)

    def packed_spans(self) -> bytes:
        """Return a copy of the spans that the last job wrote."""
        return bytes(ffi.buffer(self.spans, SPAN.size * self.last_job.n_spans))

    def place_pairs(self, n: int) -> list[tuple[int, int]]:
        """Return start and end of each of the first n tokens."""
        pairs = array("I", bytes(8 * n))
        pairs[::2] = array("I", bytes(ffi.buffer(self.starts, 4 * n)))
        pairs[1::2] = array("I", bytes(ffi.buffer(self.ends, 4 * n)))
        return list(_PLACE_PAIR.iter_unpack(pairs))  # half the time of a zip of two lists

    def id_text(self, n: int) -> bytes:
        """Return the first n ids as decimal text, with spaces between them."""
        ids = ffi.buffer(self.ids, 4 * n) if n else b""
        text: bytes = _ids.format_ids(ids, array("q", [0, n]), *SPACED)
        return text

    def packed_ids(self, n: int) -> bytearray:
        """Return a copy of the first n ids, 32 bits each."""
        return bytearray(ffi.buffer(self.ids, 4 * n))


def _number_alone(_: CallMemory, n: int) -> int:
    """Return the number of ids, as the result of a call that counts them."""
    return n


_FORMS: Mapping[Form, Callable[[CallMemory, int], list[int] | int | bytes]] = {
    "list": CallMemory.id_list,
    "number": _number_alone,
    "text": CallMemory.id_text,
}


class MemoryPool:
    """The memory that no call of one model uses at the moment.

    There comes to be as much of it as calls have run at once. Columns for long texts are not kept.

    Attributes:
        calls: has the memory, and encodes in it what it can without cffi (`Calls` of ids.c).
    """

    KEPT_LENGTH = 1 << 22
    """Columns with room for more ids than this are dropped after the call."""
    KEPT_SCRATCH = 1 << 26
    """Scratch memory of more bytes than this is dropped after the call."""

    def __init__(self, model: Any) -> None:
        """Begin with an empty pool for a model that the core has opened."""
        self._scratch_size = lib.wwho_scratch_size(model)
        self.calls = _ids.Calls(_address(model))

    def take(self, room: int, want: int) -> CallMemory:
        """Return memory for a call, which has it alone until it gives it back.

        Args:
            room: how many ids there may be.
            want: bits of `_IDS`, `_PLACES` and `_SPANS`: the columns that the call fills.

        Raises:
            BackendError: `room` is over `MAX_LENGTH`.
        """
        memory: CallMemory = self.calls.take() or CallMemory(self._scratch_size)
        if memory.room < room or want > _IDS:
            if room > MAX_LENGTH:
                raise _too_long(room)
            memory.reserve(room, want)
        return memory

    def exchange_for_larger(self, memory: CallMemory, want: int) -> CallMemory:
        """Give memory back, and return one with as much room and twice the scratch memory.

        A long part of a text that cannot be cut needs that. Up to `KEPT_SCRATCH` bytes, all calls
        get as much from now on.

        Raises:
            BackendError: it would be more than `MAX_SCRATCH_BYTES`.
        """
        scratch_size, room = 2 * memory.scratch[1], memory.room
        if scratch_size > MAX_SCRATCH_BYTES:
            raise BackendError("the text has no place at which it may be cut; pass shorter ones")
        self.give_back(memory)
        if scratch_size <= self.KEPT_SCRATCH:
            self._scratch_size = scratch_size
        larger = CallMemory(scratch_size)
        larger.reserve(room, want)
        return larger

    def give_back(self, memory: CallMemory) -> None:
        """Keep memory for the next call, if its scratch memory has the size that calls now get."""
        if memory.room > self.KEPT_LENGTH:
            memory.drop_columns()
        if memory.scratch[1] == self._scratch_size:
            self.calls.give_back(memory)


def _number_list(numbers: Any, n: int) -> list[int]:
    """Return a list of the first n numbers of a cffi buffer, which may be null if n is 0."""
    return ffi.unpack(numbers, n) if n else []


def _too_long(length: int) -> BackendError:
    """Return the error for a text of `length` bytes, which are too many for one call."""
    return BackendError(
        f"the text has {length} bytes, a call takes at most {MAX_LENGTH}: pass it in parts"
    )


class EncodedPart(NamedTuple):
    """A part of a batch whose texts one call of the core has encoded.

    Attributes:
        data: the bytes of its texts, joined.
        bounds: the byte at which each text begins, and the number of bytes.
        memory: the ids and places of all texts; other calls use it after this one.
        rows: how many ids are before those of each text, and in all.
    """

    data: bytes
    bounds: array[int]
    memory: CallMemory
    rows: array[int]

    def lengths(self) -> list[int]:
        """Return how many ids each text has."""
        return [*map(sub, self.rows[1:], self.rows)]

    def packed_ids_and_lengths(self) -> tuple[bytearray, list[int]]:
        """Return a copy of the ids of all texts, 32 bits each, and how many each text has."""
        return self.memory.packed_ids(self.rows[-1]), self.lengths()


def _request(sampling: Sampling, first_text: int) -> Any:
    """Return a `wwho_sampling` for texts whose first one has this number."""
    n_best = lib.WWHO_ALL_PATHS if sampling.paths else 0
    fields = (sampling.seed, sampling.dropout, sampling.alpha, n_best, first_text, 0)
    return ffi.new("wwho_sampling *", fields)


def _id_rows(part: EncodedPart) -> list[list[int]]:
    """Return the ids of each text of a part."""
    ids = part.memory.id_list(part.rows[-1])
    return [ids[first:last] for first, last in pairwise(part.rows)]


def _packed_rows(part: EncodedPart) -> tuple[bytearray, bytearray]:
    """Return the ids of all texts of a part, 32 bits each, and its rows, 64 bits each."""
    return part.memory.packed_ids(part.rows[-1]), bytearray(array("q", part.rows))


def _rows_with_offsets(part: EncodedPart) -> list[IdsWithOffsets]:
    """Return the ids of each text of a part, and the code points that each id touches in its text.

    The byte places in the part's memory become these, in place: call it once for a part.
    """
    memory, data = part.memory, ffi.from_buffer(part.data)
    texts = zip(pairwise(part.bounds), pairwise(part.rows), strict=True)
    for (begin, end), (first_row, last_row) in texts:
        places = (memory.starts + first_row, memory.ends + first_row)
        n = last_row - first_row
        _check_call(lib.wwho_offsets(data + begin, end - begin, *places, n, 0, *places))
    offsets = memory.place_pairs(part.rows[-1])
    offset_rows = (offsets[first:last] for first, last in pairwise(part.rows))
    return list(zip(_id_rows(part), offset_rows, strict=True))


def _zeroed_memory(size: int) -> tuple[Any, Any]:
    """Return at least `size` zero bytes, on pages of their own: huge ones if the system has them.

    The core reads its tables at random places; with small pages, finding the page costs as much as
    the reading.

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


def _aligned_memory(size: int, alignment: int) -> tuple[Any, Any]:
    """Return at least `size` bytes, not cleared, at an address that is a multiple of `alignment`.

    Returns:
        The owner, which must be kept as long as the memory is used, and the pointer.
    """
    owner = _uncleared("uint8_t[]", size + alignment - 1)
    return owner, owner + -_address(owner) % alignment


def _address(pointer: Any) -> int:
    """Return the address that a cffi pointer points to."""
    return int(ffi.cast("uintptr_t", pointer))


def _check_opening(status: int, blob: bytes) -> None:
    """Raise ArtifactError unless the status of a call that opens an artifact is WWHO_OK."""
    if status != lib.WWHO_OK:
        refuse_artifact(STATUSES[status], blob)


def _check_call(status: int) -> None:
    """Raise BackendError unless a call's status is WWHO_OK; this file passes nothing wrong."""
    if status != lib.WWHO_OK:
        raise BackendError(f"the native core returned {STATUSES[status]}: please report this")
