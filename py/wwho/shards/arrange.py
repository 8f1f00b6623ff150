"""Arranging documents before they are written: in rows of one length, in a shuffled order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from random import Random

from wwho.shards.encoded import EncodedDocuments, join_documents
from wwho.shards.formats.shard_format import ShardWriter


class RowPacker:
    """Packs the ids of documents into rows of one length, regardless of where documents end.

    Attributes:
        n_documents: how many documents have been packed.
        left: how many ids at the end fill no row, once all rows have been yielded.
    """

    def __init__(self, length: int, size: int) -> None:
        """Pack rows of `length` ids of `size` bytes each."""
        self._length = length
        self._size = size
        self.n_documents = 0
        self.left = 0

    def pack(self, batches: Iterable[EncodedDocuments]) -> Iterator[EncodedDocuments]:
        """Yield the rows of all documents, each as a document; the ids left fill no row.

        A batch gives one batch of rows, which may be empty, with the faults of the batch.
        `n_documents` counts the documents that came, over all calls, and at the end `left` is the
        number of ids left of this call, which are dropped.
        """
        held = bytearray()
        for batch in batches:
            self.n_documents += len(batch)
            held += batch.ids
            n_rows = len(held) // (self._length * self._size)
            n_bytes = n_rows * self._length * self._size
            starts = array("q", range(0, (n_rows + 1) * self._length, self._length))
            yield EncodedDocuments(bytes(held[:n_bytes]), starts, faults=batch.faults)
            del held[:n_bytes]
        self.left = len(held) // self._size


class ShufflingWriter:
    """Holds the documents of a shard until it is closed, then writes them in a shuffled order."""

    def __init__(self, writer: ShardWriter, seed: str, size: int) -> None:
        """Shuffle for a writer.

        Args:
            writer: what writes the shard.
            seed: decides the order.
            size: the bytes of an id.
        """
        self._writer = writer
        self._seed = seed
        self._size = size
        self._held: list[EncodedDocuments] = []

    def add(self, documents: EncodedDocuments) -> None:
        """Hold documents."""
        self._held.append(documents)

    def close(self) -> None:
        """Write all documents in their new order, and close the shard.

        The order follows from the seed and the number of documents alone. Nothing is held
        afterwards.
        """
        joined = join_documents(self._held)
        self._held = []
        # Of `random`, these numbers alone are the same in every version of Python.
        next_number = Random(self._seed).random
        keys = [next_number() for _ in range(len(joined))]
        ids, starts, size = memoryview(joined.ids), joined.starts, self._size
        order = sorted(range(len(joined)), key=keys.__getitem__)
        shuffled = bytearray()
        new_starts = array("q", (0,))
        for number in order:
            shuffled += ids[starts[number] * size : starts[number + 1] * size]
            new_starts.append(len(shuffled) // size)
        names = [joined.names[number] for number in order] if joined.names else ()
        self._writer.add(EncodedDocuments(shuffled, new_starts, names))
        self._writer.close()
