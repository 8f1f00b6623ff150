"""Reading a file of a corpus, or a part of one, as blocks of text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeVar

from wwho.corpus.contents import CHUNK, check_text, read_contents
from wwho.corpus.lines import (
    DEFAULT_FIELD,
    Block,
    JsonLinesFile,
    LineFold,
    blocks_of,
    check_utf8,
    join_lines,
    json_lines_blocks,
    lines_of_fold,
    plain_text_blocks,
    read_lines_until,
    sampler,
    seek_line_start,
)
from wwho.corpus.parquet import ParquetColumn, check_texts
from wwho.corpus.sources import (
    JSON_LINES,
    PARQUET,
    STANDARD_INPUT,
    compression,
    open_stored,
    path_of,
    report_read_errors,
    size_of,
)
from wwho.normalize import Normalization, nfc
from wwho.progress import Advance

LONG_LINE = 1 << 24
"""A line of more bytes than this is also cut at spaces."""

T = TypeVar("T")
Errors = Literal["replace", "stop"]


@dataclass(frozen=True)
class Reading:
    """The settings under which all files of a corpus are read.

    Attributes:
        field: the field of JSON Lines that holds the text; None: ``text``, and the standard input
            is plain text.
        column: the column of Parquet that holds the text.
        sample: the fraction of the lines that counts, over 0 and at most 1.
        errors: ``replace`` reads every broken character as U+FFFD, ``stop`` refuses them.
        normalize: the normal form that text is brought into, once lines are sampled; None: as it
            is.
        collapse: whether each run of white space, line feeds among it, then becomes one space, and
            a space stands after every word.
        fold: the fold whose lines are left of the text, at last; None: all lines.
    """

    field: str | None = None
    column: str = "text"
    sample: Fraction = Fraction(1)
    errors: Errors = "replace"
    normalize: Normalization | None = None
    collapse: bool = False
    fold: LineFold | None = None

    def finish_block(self, block: Block) -> Block:
        """Return a block normalized, its white space collapsed, with the lines of its fold alone.

        The block must end where no character of its text joins the next block's: after a line, or
        before a space. Its counts of lines stay, and are of all folds.
        """
        text = nfc(block.text) if self.normalize else block.text
        if self.collapse:
            words = text.decode("utf-8", "surrogateescape").split()
            text = "".join(f"{word} " for word in words).encode("utf-8", "surrogateescape")
        if self.fold is not None:
            text = lines_of_fold(text, self.fold)
        return block._replace(text=text)

    @property
    def text_field(self) -> str:
        """The field of JSON Lines that holds the text."""
        return DEFAULT_FIELD if self.field is None else self.field


@dataclass(frozen=True)
class Part:
    """A file, or a part of one: from `start` up to `stop`.

    Attributes:
        file: the file's path or URL.
        start: where the part begins: in bytes for text, in row groups for Parquet.
        stop: where the part ends; None: it is the whole file. A line belongs to the part it begins
            in. A part whose `stop` is its `start` is empty, unless both are 0.
    """

    file: str
    start: int = 0
    stop: int | None = None


def part_of(file: str, number: int, of: int, reading: Reading) -> Part:
    """Return one of the parts of a file, all of about the same size.

    A file that cannot be cut (compressed, empty, or of unknown size) is all in part 1, and its
    other parts are empty.

    Args:
        file: the file's path or URL.
        number: which part, from 1.
        of: how many parts there are; with 1 nothing is looked at.
        reading: the settings for reading, for the column of Parquet.

    Raises:
        CorpusError: the file cannot be read.
    """
    if of == 1:
        return Part(file)
    with report_read_errors(file):
        if is_parquet(file):
            with ParquetColumn(file, reading.column) as column:
                size = len(column.group_bytes)
        else:
            size = 0 if compression(path_of(file)) else size_of(file) or 0
    if not size:
        return Part(file) if number == 1 else Part(file, 1, 1)
    # Every part but the first begins at 1 or more: by that a reader tells which is the first.
    start, stop = (max(size * k // of, k > 0) for k in (number - 1, number))
    return Part(file, start, stop)


@contextmanager
def open_part(
    part: Part, advance: Advance
) -> Iterator[tuple[int, Iterable[bytes], Iterable[bytes]]]:
    """Open a part of plain text or JSON Lines, and close it after the block.

    Args:
        part: a part of a file that is not Parquet.
        advance: is told how many stored bytes have been read since it was last called; for a whole
            file alone.

    Yields:
        The byte of the contents at which the first line of the part begins; the decompressed lines
        of the part in chunks; and those after it, which may be read once the part has been.

    Raises:
        CorpusError: the file begins as data that is no text does.
        OSError: the file cannot be opened or read.
    """
    file, stop = part.file, part.stop
    with open_stored(file, anywhere=part.start > 0) as stream:
        start = seek_line_start(stream, part.start)
        if not start:
            check_text(file, stream)
        if stop is None:
            yield start, read_contents(file, stream, advance), ()
        else:
            rest = iter(lambda: stream.read(CHUNK), b"")
            yield start, read_lines_until(stream, start, stop), rest


class Reader:
    """Reads a file, or a part of one, once, in blocks, never all of it in memory at once.

    Attributes:
        part_digest: SHA-256 of the (decompressed) contents of the part, in hexadecimal, once it
            has been read to its end; of Parquet, of the texts of the column, each with a line feed
            after it.
        digest: SHA-256 of the whole file, likewise, if the part is its first; else None.
    """

    def __init__(self, part: Part, reading: Reading) -> None:
        """Keep what to read, and how; nothing is opened yet."""
        self._part = part
        self._reading = reading
        self.part_digest = hashlib.sha256().hexdigest()
        self.digest: str | None = None

    def blocks(self, advance: Advance) -> Iterator[Block]:
        """Yield the text in blocks that end after a line (in a very long line: before a space).

        Each block is yielded as `Reading.finish_block` makes it. The same part always comes in
        the same blocks; an empty part that is not a file's first yields none, and its file is not
        opened. After the first part of a file the rest of the file is read, too, for the digest.

        Args:
            advance: is told how many stored bytes have been read since it was last called; for a
                whole file alone.

        Raises:
            CorpusError: the file cannot be read, or is not what its name says.
        """
        if self._part.start and self._part.start == self._part.stop:
            return
        read = self._read_column if is_parquet(self._part.file) else self._read_lines
        with report_read_errors(self._part.file):
            yield from map(self._reading.finish_block, read(advance))

    def _read_lines(self, advance: Advance) -> Iterator[Block]:
        """Yield the blocks of a part of plain text or JSON Lines, and set the digests at its end.

        Raises:
            CorpusError: the file is not what its name says, or is broken and that is refused.
            OSError, EOFError, lzma.LZMAError: the file cannot be read or decompressed.
        """
        file = self._part.file
        keep = sampler(self._reading.sample)
        jsonl = is_jsonl(file, self._reading)
        with open_part(self._part, advance) as (start, chunks, rest):
            chunks = self._hash_items(chunks, bytes, rest)
            long_line = None if jsonl or keep else LONG_LINE
            blocks = blocks_of(chunks, long_line=long_line, file=file, start=start)
            where = f"{file}, from byte {start} on" if start else file
            strict = self._reading.errors == "stop"
            if strict:
                blocks = check_utf8(where, blocks, start)
            if jsonl:
                document = JsonLinesFile(where, self._reading.text_field, strict)
                yield from json_lines_blocks(document, blocks, keep)
            else:
                yield from plain_text_blocks(blocks, keep)

    def _read_column(self, advance: Advance) -> Iterator[Block]:
        """Yield the blocks of a part of a column of Parquet, and set the digests at its end.

        Raises:
            CorpusError: the file is no Parquet, lacks the column, or is broken and that is refused.
        """
        strict, keep = self._reading.errors == "stop", sampler(self._reading.sample)
        start, stop = self._part.start, self._part.stop
        with ParquetColumn(self._part.file, self._reading.column) as column:
            rest = column.read_texts(stop) if stop is not None else ()
            for texts in self._hash_items(
                column.read_texts(start, stop, advance), join_lines, rest
            ):
                if strict:
                    check_texts(self._part.file, texts)
                kept = texts if keep is None else list(filter(keep, texts))
                yield Block(join_lines(kept), len(texts), len(kept))

    def _hash_items(
        self, items: Iterable[T], content: Callable[[T], bytes], rest: Iterable[T]
    ) -> Iterator[T]:
        """Yield the items of the part as they are, hash them, and set the digests at the end.

        Args:
            items: the items of the part.
            content: a function that returns the bytes of an item, which are hashed.
            rest: the items of the file after the part; they are read and hashed for the first part
                alone.
        """
        digest = hashlib.sha256()
        for item in items:
            digest.update(content(item))
            yield item
        self.part_digest = digest.hexdigest()
        if not self._part.start:
            for item in rest:
                digest.update(content(item))
            self.digest = digest.hexdigest()


def is_parquet(file: str) -> bool:
    """Return whether a file is Parquet, by its name alone."""
    return path_of(file).lower().endswith(PARQUET)


def is_jsonl(file: str, reading: Reading) -> bool:
    """Return whether a file is JSON Lines: by its name, or for the standard input by the field."""
    if file == STANDARD_INPUT:
        return reading.field is not None
    path = path_of(file)
    return path.removesuffix(compression(path)).lower().endswith(JSON_LINES)
