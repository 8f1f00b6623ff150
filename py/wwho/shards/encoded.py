"""Documents as ids, many in one buffer."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field


@dataclass
class EncodedDocuments:
    """The ids of documents that follow each other.

    Attributes:
        ids: those of all documents, packed.
        starts: where those of each document begin in `ids`, counted in ids, and at last where those
            of the last one end; the first is 0.
        names: the name of each document; empty where documents have no names.
        faults: what was left out of the corpus between these documents, one message each.
    """

    ids: bytes | bytearray | memoryview
    starts: array[int] = field(default_factory=lambda: array("q", (0,)))
    names: Sequence[str] = ()
    faults: Sequence[str] = ()

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self.starts) - 1

    def slice(self, first: int, last: int, size: int) -> EncodedDocuments:
        """Return the documents from number `first` up to `last`, whose ids are not copied.

        Args:
            first: a number, from 0.
            last: the number after the last.
            size: the bytes of an id.
        """
        if last - first == len(self):
            return self
        begin, end = self.starts[first], self.starts[last]
        starts = array("q", (start - begin for start in self.starts[first : last + 1]))
        ids = memoryview(self.ids)[begin * size : end * size]
        return EncodedDocuments(ids, starts, self.names[first:last])


def join_documents(parts: Iterable[EncodedDocuments]) -> EncodedDocuments:
    """Return documents that came in several parts as one, their ids copied, without faults."""
    ids, starts, names = bytearray(), array("q", (0,)), list[str]()
    for part in parts:
        ids += part.ids
        before = starts[-1]
        starts.extend(before + start for start in part.starts[1:])
        names += part.names
    return EncodedDocuments(ids, starts, names)


def cut_documents(
    batches: Iterable[EncodedDocuments], size: int, *, max_ids: int, max_documents: int
) -> Iterator[tuple[EncodedDocuments, bool]]:
    """Yield documents again in groups that depend on the documents alone, not on how they came.

    A group takes documents until the next one would be too many. A document with more ids than a
    group may have is a group of its own.

    Args:
        batches: the documents, in any batches.
        size: the bytes of an id.
        max_ids: the most ids of a group.
        max_documents: the most documents of a group.

    Yields:
        Documents of one group, and whether the next ones are those of a new group.
    """
    n_ids = n_documents = 0
    for batch in batches:
        first = 0
        while first < len(batch):
            end = batch.starts[first] + max_ids - n_ids
            last = bisect_right(batch.starts, end) - 1
            last = min(last, len(batch), first + max_documents - n_documents)
            if last <= first and not n_documents:
                last = first + 1
            if last > first:
                group = batch.slice(first, last, size)
                n_ids += group.starts[-1]
                n_documents += len(group)
                first = last
            else:
                group = EncodedDocuments(b"")
            # Not where the ids come to the most just so: documents without ids may follow.
            is_full = first < len(batch) or n_documents >= max_documents
            yield group, is_full
            if is_full:
                n_ids = n_documents = 0
