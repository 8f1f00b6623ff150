"""A file of the corpus, or a part of one, as a stream of text blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeVar

from wwho.corpus.contents import CHUNK, check_text, contents
from wwho.corpus.lines import (
    DEFAULT_FIELD,
    Block,
    Document,
    blocks_of,
    checked,
    joined,
    line_start,
    lines_until,
    plain,
    sampler,
    texts_of,
)
from wwho.corpus.parquet import Rows, check_texts
from wwho.corpus.sources import (
    JSON_LINES,
    PARQUET,
    STANDARD_INPUT,
    compression,
    opened,
    path_of,
    reported,
    size_of,
)
from wwho.normalize import Normalization, nfc
from wwho.progress import Advance

LONG_LINE = 1 << 24
"""Bytes of a line from which on it is also cut at spaces."""

T = TypeVar("T")
Errors = Literal["replace", "stop"]


@dataclass(frozen=True)
class Reading:
    """How the files of a corpus are read.

    Attributes:
        field: the field of JSON Lines that holds the text; None: ``text``, and the standard input
            is plain text.
        column: the column of Parquet that holds the text.
        sample: the fraction of the lines that counts, over 0 and at most 1.
        errors: ``replace`` reads every broken character as U+FFFD, ``stop`` refuses them.
        normalize: the form that text is brought into, once lines are chosen; None: as it is.
        collapse: whether white space then becomes one space, which stands behind every word.
    """

    field: str | None = None
    column: str = "text"
    sample: Fraction = Fraction(1)
    errors: Errors = "replace"
    normalize: Normalization | None = None
    collapse: bool = False

    def normalized(self, block: Block) -> Block:
        """The block in that form; it ends where no character joins the next block's."""
        text = nfc(block.text) if self.normalize else block.text
        if self.collapse:
            words = text.decode("utf-8", "surrogateescape").split()
            text = "".join(f"{word} " for word in words).encode("utf-8", "surrogateescape")
        return block._replace(text=text)

    @property
    def text_field(self) -> str:
        """The field of JSON Lines that holds the text."""
        return DEFAULT_FIELD if self.field is None else self.field


@dataclass(frozen=True)
class Part:
    """A file, or a part of one.

    Attributes:
        file: its path or URL.
        start: where the part begins: in bytes for text, in row groups for Parquet.
        stop: where it ends; None: it is the whole file. A line belongs to the part it begins in.
    """

    file: str
    start: int = 0
    stop: int | None = None


def part_of(file: str, number: int, of: int, reading: Reading) -> Part:
    """One of the parts of a file; what cannot be cut is all in the first.

    Raises:
        CorpusError: the file cannot be read.
    """
    if of == 1:
        return Part(file)
    with reported(file):
        if is_parquet(file):
            with Rows(file, reading.column) as rows:
                size = len(rows.group_bytes)
        else:
            size = 0 if compression(path_of(file)) else size_of(file) or 0
    if not size:
        return Part(file) if number == 1 else Part(file, 1, 1)
    # every part but the first begins with 1 or more: that is how the first is told
    start, stop = (max(size * k // of, k > 0) for k in (number - 1, number))
    return Part(file, start, stop)


class Reader:
    """Reads a part of the corpus, never all of it in memory at once.

    Attributes:
        part_digest: SHA-256 of the (decompressed) contents of the part, once it has been read to
            its end, in hexadecimal. Of Parquet: of the texts of the column, each with a line feed
            behind it.
        digest: that of the whole file, for the part that it begins with; else None.
    """

    def __init__(self, part: Part, reading: Reading) -> None:
        """Name what to read; nothing is opened yet."""
        self._part = part
        self._reading = reading
        self.part_digest = hashlib.sha256().hexdigest()
        self.digest: str | None = None

    def blocks(self, advance: Advance) -> Iterator[Block]:
        """The text, in blocks that end behind a line (a very long line: before a space).

        The same part always comes in the same blocks. Behind the part that a file begins with, the
        rest of the file is read too, for the digest.

        Args:
            advance: is told how many stored bytes of a whole file have been read.

        Raises:
            CorpusError: the file cannot be read, or is not what its name says.
        """
        if self._part.start and self._part.start == self._part.stop:
            return
        read = self._rows if is_parquet(self._part.file) else self._lines
        with reported(self._part.file):
            yield from map(self._reading.normalized, read(advance))

    def _lines(self, advance: Advance) -> Iterator[Block]:
        """The blocks of plain text or JSON Lines."""
        file, stop = self._part.file, self._part.stop
        keep = sampler(self._reading.sample)
        jsonl = is_jsonl(file, self._reading)
        with opened(file, anywhere=self._part.start > 0) as stream:
            start = line_start(stream, self._part.start)
            if not start:
                check_text(file, stream)
            rest: Iterable[bytes] = ()
            if stop is None:
                chunks = contents(file, stream, advance)
            else:
                chunks = lines_until(stream, start, stop)
                rest = iter(lambda: stream.read(CHUNK), b"")
            chunks = self._hashed(chunks, bytes, rest)
            blocks = blocks_of(chunks, long_line=None if jsonl or keep else LONG_LINE)
            where = f"{file}, from byte {start} on" if start else file
            strict = self._reading.errors == "stop"
            if strict:
                blocks = checked(where, blocks, start)
            if jsonl:
                document = Document(where, self._reading.text_field, strict)
                yield from texts_of(document, blocks, keep)
            else:
                yield from plain(blocks, keep)

    def _rows(self, advance: Advance) -> Iterator[Block]:
        """The blocks of Parquet."""
        strict, keep = self._reading.errors == "stop", sampler(self._reading.sample)
        start, stop = self._part.start, self._part.stop
        with Rows(self._part.file, self._reading.column) as rows:
            rest = rows.texts(stop) if stop is not None else ()
            for texts in self._hashed(rows.texts(start, stop, advance), joined, rest):
                if strict:
                    check_texts(self._part.file, texts)
                kept = texts if keep is None else list(filter(keep, texts))
                yield Block(joined(kept), len(texts), len(kept))

    def _hashed(
        self, items: Iterable[T], content: Callable[[T], bytes], rest: Iterable[T]
    ) -> Iterator[T]:
        """The items of the part; they are hashed, and for the first part the file's others are."""
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
    """Whether a file is Parquet, as its name says."""
    return path_of(file).lower().endswith(PARQUET)


def is_jsonl(file: str, reading: Reading) -> bool:
    """Whether a file is JSON Lines: as its name says, or for the standard input, the options."""
    if file == STANDARD_INPUT:
        return reading.field is not None
    path = path_of(file)
    return path.removesuffix(compression(path)).lower().endswith(JSON_LINES)
