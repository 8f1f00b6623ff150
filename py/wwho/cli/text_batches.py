"""The texts of a command, shared out among threads: short ones in batches, long ones in blocks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from wwho.backends.parallel import map_stream, processors
from wwho.cli import streams
from wwho.cli.text_files import TextFiles, read_text_lists

_Part = TypeVar("_Part")

BATCH_BYTES = 1 << 19
"""How much text a thread takes at a time; with less, its calls would take longer than the work."""
TEXT_COST = 100
"""Bytes that a text takes in a batch beside its own: empty lines must not fill the memory."""


@dataclass
class Batch:
    """Short texts, in order.

    Attributes:
        texts: the texts.
        runs: for each run of texts of one file: its number, counted from 0, and how many they are.
        size: what the texts take, in the unit of `BATCH_BYTES`.
    """

    texts: list[bytes] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)
    size: int = 0

    def add(self, number: int, texts: list[bytes]) -> None:
        """Add texts of the file with a number."""
        self.texts += texts
        self.runs.append((number, len(texts)))
        self.size += sum(map(len, texts)) + TEXT_COST * len(texts)


class LongText(NamedTuple):
    """A text of a block or more, which comes in blocks.

    Attributes:
        number: the number of its file, counted from 0.
        blocks: its bytes, which must be read before the next text is asked for.
    """

    number: int
    blocks: Iterator[bytes]


def map_texts(
    short: Callable[[Batch], _Part],
    long: Callable[[LongText], Iterable[_Part]],
    files: TextFiles,
    threads: int,
    *,
    by_line: bool,
) -> Generator[_Part, None, None]:
    """Yield what functions make of the texts of files, in order, while threads work on the next.

    What is made of texts comes before the next one is waited for, as at a terminal, and before the
    error of a file that cannot be read. Memory holds two batches a thread, and a block.

    Args:
        short: makes a result of a batch; called in several threads at once.
        long: makes results of a long text, in this thread.
        files: the files.
        threads: how many threads work on batches; there are never more than processors.
        by_line: whether each line of plain text is a text, without its line feed.

    Raises:
        CorpusError, BackendError, OSError: as `read_text_lists` does.
        Exception: what the functions raise.
    """
    items = read_batches(files, by_line=by_line)
    long_texts: list[LongText] = []

    def batches() -> Iterator[Batch | None]:
        """Yield the batches before the next long text, and keep that."""
        for item in items:
            if isinstance(item, LongText):
                long_texts.append(item)
                return
            yield item

    while True:
        yield from map_stream(short, batches(), min(threads, processors()))
        if not long_texts:
            return
        yield from long(long_texts.pop())


def read_batches(files: TextFiles, *, by_line: bool) -> Iterator[Batch | LongText | None]:
    """Yield the texts of files in batches, but each text of a block or more by itself.

    Args:
        files: the files.
        by_line: whether each line of plain text is a text, without its line feed.

    Yields:
        Texts, in order. None says that the next one may have to be waited for.

    Raises:
        CorpusError, BackendError, OSError: as `read_text_lists` does, after the texts read before.
    """
    batch = Batch()
    try:
        for number, texts in read_text_lists(files, by_line=by_line):
            if not isinstance(texts, list):
                head = texts.read(streams.BLOCK)
                if len(head) == streams.BLOCK:
                    yield batch
                    batch = Batch()
                    yield LongText(number, chain([head], streams.read_blocks(texts)))
                    continue
                texts = [head]
            batch.add(number, texts)
            waits = files.names[number] == streams.STANDARD_INPUT and streams.input_waits()
            if batch.size >= BATCH_BYTES or waits:
                yield batch
                batch = Batch()
            if waits:
                yield None
    except Exception:
        yield batch
        raise
    yield batch
