"""The texts of a command: from files, folders, patterns and URLs, in any form that train reads."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from wwho.cli import streams
from wwho.corpus.contents import buffer_metered, check_container, decompress, sniff
from wwho.corpus.documents import DocumentSettings, read_documents
from wwho.corpus.reader import Part, Reading, is_jsonl, is_parquet
from wwho.corpus.sources import (
    STANDARD_INPUT,
    compression,
    files_of,
    is_url,
    open_stored,
    path_of,
    report_read_errors,
    size_of,
)
from wwho.progress import Advance, Progress

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


@dataclass(frozen=True)
class TextFiles:
    """The files that hold the texts of a command, and how they are read.

    Attributes:
        names: the names of the files: those that were given, with those that folders and patterns
            stand for.
        reading: the field and the column that hold texts.
    """

    names: list[str]
    reading: Reading


def find_text_files(options: argparse.Namespace) -> TextFiles:
    """Return the files that the arguments of a command name, and how they are read.

    Folders and patterns are replaced by the files that they stand for. A name of a file stays, even
    if there is no such file: `read_text_lists` finds that.

    Args:
        options: the arguments: `files`, names of which none stand for the standard input, and
            `field` and `column`, which hold the texts of JSON Lines and of Parquet.

    Raises:
        CorpusError: a folder or pattern stands for no file, or a URL needs a package that is not
            installed.
        OSError: a name is empty.
    """
    names: list[str] = []
    for name in options.files or [STANDARD_INPUT]:
        if not name:  # which a path would take for the current folder
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        names += files_of(name)
    return TextFiles(names, Reading(options.field, options.column))


def read_text_lists(
    files: TextFiles, *, by_line: bool
) -> Iterator[tuple[int, list[bytes] | BinaryIO]]:
    """Yield texts with the number of their file, counted from 0, and a progress bar.

    A text is that of an object of JSON Lines or of a row of Parquet, as bytes; or the contents of
    a file of plain text, decompressed, as a stream, which must be read before the next text is
    asked for. Texts of bytes come in lists, as many as have been read. Memory holds about a
    megabyte, and no more than one text.

    Args:
        files: the files.
        by_line: whether each line of plain text is a text, without its line feed, as bytes: then
            all texts are.

    Raises:
        CorpusError: a file cannot be read as what its name says, or holds no text.
        BackendError: a line is longer than a call takes.
        OSError: a file cannot be read; a missing one is found before the first is read.
    """
    total = total_size(files.names)
    bars = Progress(total is not None and sys.stderr.isatty())
    settings = DocumentSettings(files.reading)
    with bars.bar(None, total, unit="B", leave=False) as advance:
        for number, name in enumerate(files.names):
            if is_parquet(name) or is_jsonl(name, files.reading):
                for documents in read_documents(Part(name), settings, advance):
                    yield number, documents.texts
                continue
            for stream in open_plain_text(name, advance):
                if by_line:
                    yield from ((number, lines) for lines in streams.line_lists(stream, name))
                else:
                    yield number, stream


def open_plain_text(name: str, advance: Advance) -> Iterator[BinaryIO]:
    """Yield one stream of the decompressed text of a file, and close it when the next is asked for.

    Args:
        name: a path, a URL, or ``-``: the standard input, of which a line can be read before the
            next one has come.
        advance: is told how many stored bytes have been read.

    Raises:
        CorpusError: the file begins as an archive or another container does; or, while it is read,
            its compressed data is damaged.
        OSError: it cannot be read.
    """
    with open_stored(name) if is_url(name) else streams.open_input(name) as raw:
        stream = buffer_metered(cast("io.BufferedIOBase", raw), advance)
        check_container(name, stream)
        kind = sniff(stream) if name == STANDARD_INPUT else compression(path_of(name)).lower()
        if kind:
            yield io.BufferedReader(ChunkStream(name, decompress(name, stream, kind)))
        else:
            yield stream


class ChunkStream(io.RawIOBase):
    """A raw stream of the bytes of chunks."""

    def __init__(self, name: str, chunks: Iterator[bytes]) -> None:
        """Keep the chunks, and the name of their file for errors."""
        self._name = name
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True: this stream can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into the buffer what is left of a chunk, and return how many bytes; 0 at the end.

        Raises:
            CorpusError: a chunk cannot be read.
        """
        with report_read_errors(self._name):
            while not self._rest and (chunk := next(self._chunks, None)) is not None:
                self._rest = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def total_size(names: list[str]) -> int | None:
    """Return how many bytes some files have, as they are stored; None if nobody knows.

    Raises:
        OSError: a file is missing.
        CorpusError: a URL cannot be opened.
    """
    sizes = [
        size_of(name) if is_url(name) or name == STANDARD_INPUT else os.stat(name).st_size
        for name in names
    ]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None
