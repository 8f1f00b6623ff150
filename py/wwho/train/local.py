"""The engine that counts on the cores of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from queue import SimpleQueue

from wwho.corpus.contents import CHUNK
from wwho.corpus.corpus import Corpus, Source, stored
from wwho.corpus.lines import Block
from wwho.corpus.reader import Reading
from wwho.errors import CheckpointError
from wwho.format.model import Model
from wwho.progress import Advance
from wwho.train.native import Scanners, Words
from wwho.train.tally import Position, Tally

AHEAD = 2
"""Blocks in memory for each core that counts."""


class LocalEngine:
    """Counts on the cores of this machine.

    A position is how many files of the source are done, and of the next one, how many blocks and
    how many bytes of text. To go on there, that file is read again from its beginning.
    """

    name = f"local, with blocks of {CHUNK} bytes"

    def __init__(self, processes: int = 1) -> None:
        """Count on so many cores at the same time."""
        self._processes = processes

    def tallies(
        self,
        corpus: Corpus,
        model: Model,
        starts: Sequence[Position | None],
        *,
        due: Callable[[], bool],
        advance: Advance,
    ) -> Iterator[Tally]:
        """Count the words of the sources; see `Engine.tallies`."""
        scanners = Scanners(model)
        with ThreadPoolExecutor(self._processes) as pool:
            for source, start in zip(corpus.sources, starts, strict=True):
                if start is None:
                    advance(stored(source.files) or 0)
                    continue
                tables = Tables(scanners, pool, self._processes)
                yield from count_source(source, corpus.reading, tables, start, due, advance)


def count_source(
    source: Source,
    reading: Reading,
    tables: Tables,
    start: Position,
    due: Callable[[], bool],
    advance: Advance,
) -> Iterator[Tally]:
    """Count the words of one source, from this position on."""
    done, *skipped = start
    advance(stored(source.files[:done]) or 0)
    tally = Tally()
    for number, file in enumerate(source.files[done:], start=done):
        reader = source.reader(file, reading)
        blocks = reader.blocks(advance)
        n_blocks, n_bytes = skipped or (0, 0)
        skip(file, blocks, n_blocks, n_bytes)
        skipped = []
        for block in blocks:
            tables.count(block.text)
            tally.figures.note(block)
            n_blocks, n_bytes = n_blocks + 1, n_bytes + len(block.text)
            if due():
                tally.figures.position = (number, n_blocks, n_bytes)
                tally.words = tables.take()
                yield tally
                tally = Tally()
        assert reader.digest is not None
        tally.figures.digests.append(reader.digest)
    tally.figures.position, tally.figures.done = (len(source.files),), True
    tally.words = tables.take()
    yield tally


def skip(file: str, blocks: Iterator[Block], n_blocks: int, n_bytes: int) -> None:
    """Pass over the first blocks of a file, which have been counted.

    Raises:
        CheckpointError: they are not the ones that were counted.
    """
    found = sum(len(block.text) for block in islice(blocks, n_blocks))
    if found != n_bytes:
        raise CheckpointError(
            f"{file}: the first {n_blocks} blocks held {n_bytes} bytes of text when they were "
            f"counted, and hold {found} now; the file has changed: name an empty folder"
        )


class Tables:
    """Tables of words that are counted into at the same time, each by one thread.

    What is counted does not depend on their number. (Threads are enough: the counting is done in C,
    which leaves Python to the reader of the corpus meanwhile.)
    """

    def __init__(self, scanners: Scanners, pool: ThreadPoolExecutor, n: int) -> None:
        """Make `n` tables; with a single one, the caller's thread counts."""
        self._scanners = scanners
        self._pool = pool
        self._tables = [Words() for _ in range(n)]
        self._idle: SimpleQueue[Words] = SimpleQueue()
        self._running: deque[Future[None]] = deque()
        self._release()

    def count(self, text: bytes) -> None:
        """Count a text that ends where no word goes on, or have it counted before long.

        Raises:
            CorpusError: as in `Words.count`; it may be about an earlier text.
        """
        if len(self._tables) == 1:
            self._tables[0].count(self._scanners, text)
            return
        if len(self._running) == AHEAD * len(self._tables):
            self._running.popleft().result()
        self._running.append(self._pool.submit(self._count, text))

    def take(self) -> Words:
        """All words counted so far; the counting begins anew.

        Raises:
            CorpusError: as in `count`.
        """
        while self._running:
            self._running.popleft().result()
        words, *others = self._tables
        for other in others:
            words.merge(other)
        self._tables = [Words() for _ in self._tables]
        self._idle = SimpleQueue()
        self._release()
        return words

    def _release(self) -> None:
        for table in self._tables:
            self._idle.put(table)

    def _count(self, text: bytes) -> None:
        table = self._idle.get()
        try:
            table.count(self._scanners, text)
        finally:
            self._idle.put(table)
