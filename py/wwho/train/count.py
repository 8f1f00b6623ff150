"""Counting the words of a corpus."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from wwho.train.native import Scanners, Words


def count_words(scanners: Scanners, blocks: Iterable[bytes], *, processes: int) -> Words:
    """Count the words of a text that comes in blocks.

    With more than one process, each counts into a table of its own, and the tables are added up:
    what is counted does not depend on their number. (They are threads: the counting is done in C,
    which leaves Python to the reader of the corpus meanwhile.)

    Args:
        scanners: what cuts text into words.
        blocks: parts of the text that end where no word goes on.
        processes: how many blocks are counted at the same time.

    Raises:
        CorpusError: as in `Words.count`; what `blocks` raises is passed on.
    """
    if processes == 1:
        words = Words()
        for block in blocks:
            words.count(scanners, block)
        return words
    tables = [Words() for _ in range(processes)]
    idle = tables.copy()
    busy: deque[tuple[Future[None], Words]] = deque()
    with ThreadPoolExecutor(processes) as pool:
        for block in blocks:
            table = idle.pop() if idle else finished(*busy.popleft())
            busy.append((pool.submit(table.count, scanners, block), table))
        while busy:
            finished(*busy.popleft())
    for table in tables[1:]:
        tables[0].merge(table)
    return tables[0]


def finished(future: Future[None], table: Words) -> Words:
    """The table, once the counting into it is done."""
    future.result()
    return table
