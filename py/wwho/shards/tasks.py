"""Cutting a corpus into tasks that depend on its files and on the settings alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wwho.corpus.corpus import Corpus
from wwho.corpus.parquet import ParquetColumn
from wwho.corpus.reader import Part, is_jsonl, is_parquet
from wwho.corpus.sources import STANDARD_INPUT, compression, path_of, report_read_errors, size_of
from wwho.errors import CorpusError
from wwho.shards.settings import ShardSettings

PIECES_OF_A_SHUFFLED_TASK = 16
"""From how many places of the corpus a task reads, where documents are shuffled."""

PART_BYTES = 1 << 22
"""Stored bytes of text that a process reads and encodes at a time."""


@dataclass(frozen=True)
class Piece:
    """A part of a file that one task reads.

    Attributes:
        part: the part.
        size: its stored bytes, about; for a file of unknown size, those of a whole task.
    """

    part: Part
    size: int


@dataclass(frozen=True)
class Task:
    """A part of a corpus of which one worker makes shards at a time.

    Attributes:
        number: the number of the task, from 0, which the names of its shards begin with.
        pieces: the pieces of the corpus that it reads, in order.
    """

    number: int
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """The stored bytes of all pieces, about."""
        return sum(piece.size for piece in self.pieces)


def plan_tasks(corpus: Corpus, settings: ShardSettings) -> list[Task]:
    """Cut a corpus into tasks of about `settings.shard_bytes` stored bytes.

    Large files of text, and of Parquet between row groups, are cut; what is compressed is not.
    Small neighbours share a task. Tasks are numbered from 0. To shuffle, files are cut into smaller
    pieces, whose order is that of a hash of the seed and their number.

    Raises:
        CorpusError: a file is missing, or the row groups of one cannot be read; with
            `settings.documents.skip`, such a file is one piece, whose task lists the fault.
    """
    shuffled = settings.shuffle is not None
    size = max(1, settings.shard_bytes // (PIECES_OF_A_SHUFFLED_TASK if shuffled else 1))
    pieces = [piece for file in corpus.files for piece in cut_file(file, size, settings)]
    if shuffled:
        pieces = [pieces[number] for number in hashed_order(len(pieces), str(settings.shuffle))]
    groups: list[list[Piece]] = []
    held = 0
    for piece in pieces:
        if not groups or held + piece.size > settings.shard_bytes:
            groups.append([])
            held = 0
        groups[-1].append(piece)
        held += piece.size
    return [Task(number, tuple(group)) for number, group in enumerate(groups)]


def hashed_order(n: int, seed: str) -> list[int]:
    """Return the numbers below n in an order that a seed decides, the same in every Python."""
    keys = [hashlib.sha256(f"{seed} {number}".encode()).digest() for number in range(n)]
    return sorted(range(n), key=keys.__getitem__)


def cut_file(file: str, size: int, settings: ShardSettings) -> Iterator[Piece]:
    """Yield the pieces of a file, each of about `size` stored bytes or less.

    A file that is not larger, is compressed or the standard input, or is one document, is one
    piece. A piece of a file that is skipped has the size 0.

    Raises:
        CorpusError: the file is missing or damaged, and such files are not skipped.
    """
    reading = settings.documents.reading
    try:
        stored = size_of(file)
        is_cut = stored is not None and stored > size and not compression(path_of(file))
        if stored is None or not is_cut or file == STANDARD_INPUT:
            yield Piece(Part(file), settings.shard_bytes if stored is None else stored)
        elif is_parquet(file):
            yield from _cut_parquet(file, stored, size, reading.column)
        elif settings.documents.whole_files and not is_jsonl(file, reading):
            yield Piece(Part(file), stored)
        else:
            n = -(-stored // size)
            places = [stored * k // n for k in range(n + 1)]
            for start, stop in pairwise(places):
                yield Piece(Part(file, start, stop), stop - start)
    except CorpusError:
        if not settings.documents.skip:
            raise
        yield Piece(Part(file), 0)


def cut_task(task: Task, settings: ShardSettings) -> list[Part] | None:
    """Return the parts of files that a task reads, cut so that one at a time fits into memory.

    Documents are those of the task, in the same order, but faults in a file that is skipped may be
    others, so such tasks are not cut.

    Returns:
        The parts; None if a file of the task is compressed, whole, of unknown size, or skipped if
        it is broken.

    Raises:
        CorpusError: the row groups of a file cannot be read.
    """
    parts: list[Part] = []
    documents = settings.documents
    if documents.skip:
        return None
    for piece in task.pieces:
        file, start, stop = piece.part.file, piece.part.start, piece.part.stop
        is_whole = documents.whole_files and not is_jsonl(file, documents.reading)
        if compression(path_of(file)) or size_of(file) is None:
            return None
        if is_parquet(file):
            with report_read_errors(file), ParquetColumn(file, documents.reading.column) as opened:
                stop = len(opened.group_bytes) if stop is None else stop
            parts += (Part(file, group, group + 1) for group in range(start, stop))
        elif is_whole:
            return None
        else:
            stop = (size_of(file) or 0) if stop is None else stop
            places = [*range(start, stop, PART_BYTES), stop]
            parts += (Part(file, *bounds) for bounds in pairwise(places))
    return parts


def _cut_parquet(file: str, stored: int, size: int, column: str) -> Sequence[Piece]:
    """Return the pieces of a file of Parquet: neighbouring row groups of at least `size` together.

    Raises:
        CorpusError: the file cannot be read, or lacks the column.
    """
    with report_read_errors(file), ParquetColumn(file, column) as opened:
        group_bytes = opened.group_bytes
    total = sum(group_bytes)
    pieces: list[Piece] = []
    first = held = 0
    for group, n_bytes in enumerate(group_bytes):
        held += n_bytes
        if held * stored >= size * total or group == len(group_bytes) - 1:
            pieces.append(Piece(Part(file, first, group + 1), stored * held // max(total, 1)))
            first, held = group + 1, 0
    return pieces or [Piece(Part(file), stored)]
