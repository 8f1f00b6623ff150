"""Much at once from a backend, for callers that make arrays of it.

A Python object for each unit or id, or a call for each token, costs many times what the core does.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Protocol, TypeAlias, runtime_checkable

from wwho.core.base import Backend, Span
from wwho.errors import UnknownTokenError

Placed: TypeAlias = tuple[list[int], list[tuple[int, int]]]
"""Ids, and for each the first and last-plus-one code point that it touches."""

MOST = 2**31 - 1
"""More tokens than any text has."""

SPAN = struct.Struct("=IIHBB")
"""The fields of a span, in their order: a `wwho_span` of wwho.h."""


def unpacked(spans: bytes) -> list[Span]:
    """Spans, of which each was a `SPAN`."""
    found = SPAN.iter_unpack(spans)
    return [Span(a, b, route, rule, bool(first)) for a, b, route, rule, first in found]


@runtime_checkable
class Packing(Protocol):
    """Packed numbers are in the machine's byte order, one after the other, without gaps.

    `threads` is how many may share a batch, at most.
    """

    def encode_batch(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """As `Backend.encode`, for many."""

    def encode_batch_packed(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """32 bits for each id; and 64 bits for each text, where its ids begin, and for the end."""

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> Placed:
        """As `Backend.encode_with_places` and `Backend.offsets` (code points)."""

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[Placed]:
        """The same, for many."""

    def count_batch(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """As `Backend.count` without a limit, for many."""

    def spans_packed(self, text: bytes) -> bytes:
        """As `Backend.spans`: a `SPAN` for each."""

    def encode_packed(self, text: bytes, allowed: bytes | None, unk: bool) -> bytearray:
        """As `Backend.encode`: 32 bits for each id."""

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """As `Backend.encode_with_places`: 32 bits for each id, and for each end."""

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """As `Backend.token_bytes`, for many; None for what is no token."""


def packing(backend: Backend) -> Packing:
    """The backend itself, where it can pack; else what packs for it.

    Example:
        >>> from wwho.core.select import open_backend
        >>> from wwho.encodings import model_bytes
        >>> backend = open_backend(model_bytes("cl100k_base"), "reference")
        >>> [SPAN.unpack(packing(backend).spans_packed(b"a")), backend.spans(b"a")]
        [(0, 1, 0, 3, 1), [Span(start=0, end=1, route=0, rule=3, first=True)]]
    """
    return backend if isinstance(backend, Packing) else _Packer(backend)


class _Packer:
    """Packs what a backend gives as lists."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def encode_batch(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """See `Packing`."""
        return [self._backend.encode(text, allowed, unk) for text in texts]

    def encode_batch_packed(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """See `Packing`."""
        rows = self.encode_batch(texts, allowed, unk, threads)
        ids = array("I", chain.from_iterable(rows))
        return bytearray(ids), array("q", accumulate(map(len, rows), initial=0))

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> Placed:
        """See `Packing`."""
        ids, starts, ends = self._backend.encode_with_places(text, allowed, unk)
        return ids, self._backend.offsets(text, starts, ends, False)

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[Placed]:
        """See `Packing`."""
        return [self.encode_with_offsets(text, allowed, unk) for text in texts]

    def count_batch(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """See `Packing`."""
        return [self._backend.count(text, allowed, unk, MOST) for text in texts]

    def spans_packed(self, text: bytes) -> bytes:
        """See `Packing`."""
        return b"".join(SPAN.pack(*span) for span in self._backend.spans(text))

    def encode_packed(self, text: bytes, allowed: bytes | None, unk: bool) -> bytearray:
        """See `Packing`."""
        return bytearray(array("I", self._backend.encode(text, allowed, unk)))

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """See `Packing`."""
        ids, _, ends = self._backend.encode_with_places(text, allowed, unk)
        return array("I", ids).tobytes(), array("I", ends).tobytes()

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """See `Packing`."""
        return [self._token_bytes(token) for token in tokens]

    def _token_bytes(self, token: int) -> bytes | None:
        try:
            return self._backend.token_bytes(token)
        except UnknownTokenError:
            return None
