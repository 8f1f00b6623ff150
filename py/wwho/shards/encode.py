"""Encoding documents in threads, in order, with the tokens that begin and end each."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from wwho.backends.backend import Backend
from wwho.corpus.documents import Documents
from wwho.shards.encoded import EncodedDocuments
from wwho.shards.token_types import TokenType, pack_ids

BATCHES_AHEAD = 2
"""Batches of documents in memory for each thread that encodes."""


@dataclass(frozen=True)
class Encoding:
    """A model with the type of the ids and the tokens around documents: it turns them into ids.

    Attributes:
        backend: the open model; special tokens that a text spells are ordinary text.
        token_type: the type of the ids.
        bos: the id before each document; None for none.
        eos: the id after each document; None for none.
    """

    backend: Backend
    token_type: TokenType
    bos: int | None = None
    eos: int | None = None

    def encode(self, documents: Documents) -> EncodedDocuments:
        """Return the ids of some documents, with their names and faults, found in this thread.

        The texts of special tokens are text as any other. Tokens that begin and end a document are
        added, where there are such.
        """
        packed, starts = self.backend.encode_batch_packed(documents.texts, None, False, 1)
        size = self.token_type.size
        ids = pack_ids(packed, size)
        if self.bos is not None or self.eos is not None:
            ids, starts = self._put_around(ids, starts)
        return EncodedDocuments(ids, starts, documents.names, documents.faults)

    def _put_around(
        self, ids: bytes | bytearray, starts: array[int]
    ) -> tuple[bytearray, array[int]]:
        """Return a copy of ids and starts with the tokens that begin and end each document."""
        size = self.token_type.size
        before = b"" if self.bos is None else self.bos.to_bytes(size, "little")
        after = b"" if self.eos is None else self.eos.to_bytes(size, "little")
        more = (len(before) + len(after)) // size
        joined = bytearray()
        begin = 0
        for start in starts[1:]:
            end = start * size
            joined += before
            joined += ids[begin:end]
            joined += after
            begin = end
        return joined, array("q", (start + k * more for k, start in enumerate(starts)))


def encode_in_order(
    batches: Iterable[Documents], encoding: Encoding, threads: int
) -> Generator[EncodedDocuments]:
    """Yield the ids of batches of documents in their order, encoded in several threads.

    Up to `BATCHES_AHEAD` batches for each thread are in memory.

    Args:
        batches: the documents, which this thread reads.
        encoding: what encodes them.
        threads: how many threads encode; with 1, this one does.
    """
    if threads == 1:
        yield from map(encoding.encode, batches)
        return
    running: deque[Future[EncodedDocuments]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for batch in batches:
                if len(running) == BATCHES_AHEAD * threads:
                    yield running.popleft().result()
                running.append(pool.submit(encoding.encode, batch))
            while running:
                yield running.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
