"""Counting the words of one source of a corpus by an executor, such as a cluster's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from wwho.corpus.corpus import Source
from wwho.corpus.reader import Reading, is_parquet
from wwho.corpus.sources import STANDARD_INPUT, compression, path_of, size_of
from wwho.errors import CorpusError
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.progress import Advance, ignore
from wwho.train.count_source import WHOLE_FILE, FilePart, ParallelTables, count_parts
from wwho.train.counts import CountedText, Counts
from wwho.train.native import NativeModel

TASK_BYTES = 1 << 26
"""About how many stored bytes of files one task counts; what is compressed is never cut."""


@dataclass(frozen=True)
class CountTask:
    """The parts of a source whose words one worker counts, with all that it needs but the files.

    Attributes:
        model: the artifact that cuts text into words.
        source: the source.
        reading: how its files are read.
        parts: the files, or parts of them, that are counted.
    """

    model: bytes
    source: Source
    reading: Reading
    parts: tuple[FilePart, ...]


def do_count_task(task: CountTask) -> bytes:
    """Count the words of a task, and return the counts as the bytes of a file of counts.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says.
    """
    model = NativeModel(read_artifact(task.model))
    with ThreadPoolExecutor(1) as pool:
        tables = ParallelTables(model, pool, 1)
        counts = count_parts(task.source, task.parts, task.reading, tables, ignore)
    return b"".join(counts.to_pieces())


def count_source_elsewhere(
    executor: Executor,
    cutter: Artifact,
    source: Source,
    reading: Reading,
    part: tuple[int, int],
    advance: Advance,
) -> Counts:
    """Count the files of a source, or a part of each, by an executor; the sum is the same.

    Args:
        executor: runs the tasks. Its workers must be able to open the files by these names.
        cutter: the model that cuts text into words.
        source: the source, which has files.
        reading: how they are read.
        part: which part of each file, from 1, and of how many.
        advance: is told about how many stored bytes have been counted, when a task is done.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says; or it is the
            standard input.
        Exception: what the executor raises.
    """
    if STANDARD_INPUT in source.files:
        raise CorpusError("the standard input cannot be read elsewhere; leave the executor out")
    blob = write_artifact(cutter)
    tasks = [
        (executor.submit(do_count_task, CountTask(blob, source, reading, tuple(parts))), size)
        for parts, size in cut_source(source, part)
    ]
    total = Counts()
    try:
        for future, size in tasks:
            total.add(Counts.from_bytes(future.result(), "the counts of a worker"))
            advance(size)
    except BaseException:
        for future, _ in tasks:
            future.cancel()
        raise
    if part == WHOLE_FILE:
        total.texts = [join_parts(source, file, total.texts) for file in source.files]
    return total


def cut_source(source: Source, part: tuple[int, int]) -> Iterator[tuple[list[FilePart], int]]:
    """Yield the parts of files for each task, and about how many stored bytes they have.

    Large files of text are cut, if all of each is counted; small neighbours are counted together.

    Raises:
        CorpusError: a file is missing.
    """
    held: list[FilePart] = []
    held_bytes = 0
    for file in source.files:
        size = size_of(file) or 0
        # Every part of Parquet opens the file again, and row groups may be larger than a task.
        is_cut = part == WHOLE_FILE and not compression(path_of(file)) and not is_parquet(file)
        n_parts = max(1, size // TASK_BYTES) if is_cut else part[1]
        numbers = range(1, n_parts + 1) if is_cut else (part[0],)
        for number in numbers:
            if held and held_bytes + size // n_parts > TASK_BYTES:
                yield held, held_bytes
                held, held_bytes = [], 0
            held.append((file, number, n_parts))
            held_bytes += size // n_parts
    if held:
        yield held, held_bytes


def join_parts(source: Source, file: str, texts: list[CountedText]) -> CountedText:
    """Return the record of a whole file that was counted in parts, as if it had been in one.

    Nothing is added up, for the words are counted elsewhere. The record has the stamp of the parts,
    and as `digest` and `whole` the digest of the whole file, which part 1 has.

    Args:
        source: the source that the file is of.
        file: the name of the file.
        texts: the records of parts of all files; those of this file are in any order, and part 1
            is among them.

    Raises:
        CorpusError: the parts differ in their stamps: the file changed while it was counted.
    """
    found = [text for text in texts if text.file == file]
    if len({text.stamp for text in found}) > 1:
        raise CorpusError(f"{file}: changed while it was counted; count it again")
    whole = next(text.whole for text in found if text.part == 1)
    return CountedText(file, found[0].stamp, *WHOLE_FILE, whole, whole)
