"""Counting the words of one source of a corpus, in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from wwho.corpus.corpus import Source
from wwho.corpus.reader import Reading
from wwho.progress import Advance
from wwho.train.counts import CountedText, Counts
from wwho.train.native import NativeModel, WordTable

BLOCKS_AHEAD = 2
"""Blocks in memory for each thread that counts."""

WHOLE_FILE = (1, 1)
"""Part 1 of 1."""

FilePart = tuple[str, int, int]
"""A file, the number of one of its parts, from 1, and how many parts it has."""


def count_source(
    source: Source,
    reading: Reading,
    tables: ParallelTables,
    part: tuple[int, int],
    advance: Advance,
) -> Counts:
    """Read the files of one source, or a part of each, and return the counts of their words.

    The counts get no settings. For each file they record its stamp, taken before it is read, and
    its digests. `tables` must be new, and are used up.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says.
    """
    return count_parts(source, [(file, *part) for file in source.files], reading, tables, advance)


def count_parts(
    source: Source,
    parts: Sequence[FilePart],
    reading: Reading,
    tables: ParallelTables,
    advance: Advance,
) -> Counts:
    """Read parts of the files of one source, and return the counts of their words.

    As `count_source`, but each part is of its own.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says.
    """
    counts = Counts()
    for file, number, of in parts:
        stamp = source.stamp(file)
        reader = source.make_reader(file, reading, (number, of))
        for block in reader.blocks(advance):
            tables.count_text(block.text)
            counts.add_sizes(block)
        whole = reader.digest or "" if number == 1 else ""
        counts.texts.append(CountedText(file, stamp, number, of, reader.part_digest, whole))
    counts.words = tables.merge_tables()
    return counts


class ParallelTables:
    """Tables of words that are counted into at the same time, each by one thread.

    The sum does not depend on their number. (Threads are enough: the counting is done in C,
    which leaves Python to the reader of the corpus meanwhile.)
    """

    def __init__(self, model: NativeModel, pool: ThreadPoolExecutor, n_tables: int) -> None:
        """Make this many tables; with a single one, the caller's thread counts."""
        self._model = model
        self._pool = pool
        self._tables = [WordTable() for _ in range(n_tables)]
        self._idle: SimpleQueue[WordTable] = SimpleQueue()
        self._running: deque[Future[None]] = deque()
        for table in self._tables:
            self._idle.put(table)

    def count_text(self, text: bytes) -> None:
        """Count a text that ends where no word goes on, or queue it for a thread to count.

        It waits while `BLOCKS_AHEAD` texts for each table are queued, so memory stays bounded.

        Raises:
            CorpusError: as in `WordTable.count_text`; it may be about an earlier text.
        """
        if len(self._tables) == 1:
            self._tables[0].count_text(self._model, text)
            return
        if len(self._running) == BLOCKS_AHEAD * len(self._tables):
            self._running.popleft().result()
        self._running.append(self._pool.submit(self._count_in_idle_table, text))

    def merge_tables(self) -> WordTable:
        """Wait for all texts, add all tables to the first one, and return that.

        Raises:
            CorpusError: as in `count_text`.
        """
        while self._running:
            self._running.popleft().result()
        words, *others = self._tables
        for other in others:
            words.add_table(other)
        return words

    def _count_in_idle_table(self, text: bytes) -> None:
        """Count a text in a table that no other thread uses, and give the table back."""
        table = self._idle.get()
        try:
            table.count_text(self._model, text)
        finally:
            self._idle.put(table)
