"""Counting the words of a corpus, on the cores of this machine."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from wwho.corpus.corpus import Corpus, Source
from wwho.corpus.reader import Reading
from wwho.errors import CountsError
from wwho.format.model import Artifact
from wwho.progress import Advance
from wwho.train.counts import Counts, Held, Made, Text, check_once, check_whole
from wwho.train.native import Scanners, Words
from wwho.train.report import Report, counts_of, routes_of, total_of

MAX_COUNT = 2**63 - 1
"""The most that counts may come to, all together."""

AHEAD = 2
"""Blocks in memory for each core that counts."""

WHOLE = (1, 1)
"""Part 1 of 1."""


class Counted(NamedTuple):
    """What was counted of a corpus.

    Attributes:
        words: all words; their counts are multiplied by the weights and by `scale`.
        scale: makes all weights whole numbers.
        report: what was counted, before weights.
        corpus: the corpus; a source that is counts stands for the files whose beginnings it holds.
    """

    words: Words
    scale: int
    report: Report
    corpus: Corpus


def count_corpus(
    corpus: Corpus,
    model: Artifact,
    made: Made,
    *,
    processes: int,
    advance: Advance,
    each: Callable[[Words], object] | None = None,
) -> Counted:
    """Count the words of a corpus, or take them from files of counts.

    Memory grows with the distinct words of the corpus and, beside them, those of one source.

    Args:
        corpus: the sources, and how to read them.
        model: what cuts text into words.
        made: what counts must have been made with.
        processes: how many cores count at the same time.
        advance: is told how many stored bytes have been counted.
        each: is given the words of each source, before they are used up.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says.
        CountsError: counts are damaged, of other options, hold a text that comes twice, or lack a
            part of one.
        OSError: a file of counts cannot be read.
        ValueError: the weights make counts too large.
    """
    scanners = Scanners(model)
    total, rows, sources, most = Words(), [], [], 0
    texts: list[tuple[Text, Fraction]] = []
    held: Held = {}
    found = source_counts(corpus, scanners, made, processes=processes, advance=advance)
    for source, counts in found:
        check_once(counts.texts, source.name, held if source.counted else dict(held))
        sources.append(source)
        texts += ((text, source.weight) for text in counts.texts)
        rows.append(counts_of(source, counts, routes_of(counts.words, scanners, model)))
        factor = int(source.weight * corpus.scale)
        most += factor * counts.n_bytes
        if most > MAX_COUNT:
            raise ValueError(
                f"with these weights counts may reach {most}, and {MAX_COUNT} is the most: "
                "give smaller weights with fewer decimals"
            )
        if each is not None:
            each(counts.words)
        total = with_added(total, counts.words, factor)
    check_whole(texts)
    report = Report(tuple(rows), total_of(rows, total.info(), routes_of(total, scanners, model)))
    corpus = copy(corpus)
    corpus.sources = tuple(sources)
    return Counted(total, corpus.scale, report, corpus)


def count_to_file(
    file: Path,
    corpus: Corpus,
    model: Artifact,
    made: Made,
    *,
    part: tuple[int, int] = WHOLE,
    processes: int,
    advance: Advance,
) -> tuple[Counts, bool]:
    """Count the words of a corpus, or of a part of each of its files, and save the counts.

    Where the file is there already, with the counts of just that, nothing is counted.

    Args:
        file: where to save; it is written beside its place and renamed.
        corpus: the sources, and how to read them; counts among them are added.
        model: what cuts text into words.
        made: what decides that.
        part: which part of each file, from 1, and of how many. What is compressed is not cut: it is
            all in part 1.
        processes: how many cores count at the same time.
        advance: is told how many stored bytes have been counted.

    Returns:
        The counts, and whether they were made now.

    Raises:
        CorpusError, CountsError: as for `count_corpus`; or the file holds something else.
        OSError: it cannot be written.
        ValueError: there is no such part, or of what cannot be cut; or a source has a weight.
    """
    number, parts = part
    if not 1 <= number <= parts:
        raise ValueError(f"part {number}/{parts}: there are parts 1 to N, such as 1/8 to 8/8")
    if parts > 1 and corpus.nameless:
        raise ValueError(f"{corpus.nameless} cannot be cut into parts; name files")
    if weighted := [source.name for source in corpus.sources if source.weight != 1]:
        raise ValueError(f"{weighted[0]}: counts are saved as they are; give weights to train with")
    if file.exists():
        return saved_before(file, corpus, made, part), False
    total, scanners = Counts(made), Scanners(model)
    held: Held = {}
    given = (corpus, scanners, made)
    for source, counts in source_counts(*given, part=part, processes=processes, advance=advance):
        check_once(counts.texts, source.name, held)
        total.add(counts)
    total.save(file)
    return total, True


def saved_before(file: Path, corpus: Corpus, made: Made, part: tuple[int, int]) -> Counts:
    """The counts in a file, which are those of this corpus.

    Raises:
        CountsError: they are not, or nobody can tell.
    """
    saved, remedy = Counts.load(file), "remove it, or name another file"
    if corpus.nameless:
        raise CountsError(f"{file}: is there, and may not be that of {corpus.nameless}; {remedy}")
    saved.check_made(file, made)
    wanted: list[tuple[object, ...]] = []
    for source in corpus.sources:
        if source.counted:
            wanted += (text[:4] for text in Counts.load(Path(source.name)).texts)
        wanted += ((name, source.stamp(name), *part) for name in source.files)
    held: list[tuple[object, ...]] = [text[:4] for text in saved.texts]
    for there, here in zip_longest(held, wanted, fillvalue=("nothing more",)):
        if there != here:
            raise CountsError(
                f"{file}: holds the counts of {said(there)}, and not of {said(here)}; {remedy}"
            )
    return saved


def said(text: tuple[object, ...]) -> str:
    """A file, its stamp and its part, in words."""
    file, *rest = text
    return f"{file} ({rest[0]}; part {rest[1]} of {rest[2]})" if rest else str(file)


def source_counts(
    corpus: Corpus,
    scanners: Scanners,
    made: Made,
    *,
    part: tuple[int, int] = WHOLE,
    processes: int,
    advance: Advance,
) -> Iterator[tuple[Source, Counts]]:
    """The counts of each source, one after the other; see `count_corpus`."""
    with ThreadPoolExecutor(processes) as pool:
        for source in corpus.sources:
            if source.counted:
                file = Path(source.name)
                counts = Counts.load(file)
                counts.check_made(file, made)
                files = tuple(text.file for text in counts.texts if text.whole)
                source = replace(source, files=files)
            else:
                tables = Tables(scanners, pool, processes)
                counts = count_source(source, corpus.reading, tables, part, advance)
            yield source, counts


def count_source(
    source: Source, reading: Reading, tables: Tables, part: tuple[int, int], advance: Advance
) -> Counts:
    """Count the words of one source, or of a part of each of its files."""
    counts = Counts()
    for file in source.files:
        stamp = source.stamp(file)
        reader = source.reader(file, reading, part)
        for block in reader.blocks(advance):
            tables.count(block.text)
            counts.note(block)
        whole = reader.digest or "" if part[0] == 1 else ""
        counts.texts.append(Text(file, stamp, *part, reader.part_digest, whole))
    counts.words = tables.total()
    return counts


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
        for table in self._tables:
            self._idle.put(table)

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

    def total(self) -> Words:
        """All words counted.

        Raises:
            CorpusError: as in `count`.
        """
        while self._running:
            self._running.popleft().result()
        words, *others = self._tables
        for other in others:
            words.merge(other)
        return words

    def _count(self, text: bytes) -> None:
        table = self._idle.get()
        try:
            table.count(self._scanners, text)
        finally:
            self._idle.put(table)


def with_added(total: Words, words: Words, factor: int) -> Words:
    """The total with these words, counted `factor` times; both tables are used up."""
    if factor != 1:
        records, counts = words.export()
        total.add(records, array("Q", [factor * count for count in counts]))
    elif total.info().n_words:
        total.merge(words)
    else:
        return words
    return total
