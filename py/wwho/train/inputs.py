"""A corpus as a stream of text blocks, whatever the files are."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wwho.errors import CorpusError
from wwho.train.jsonl import DEFAULT_FIELD, Document, texts
from wwho.train.progress import Advance

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = "-"
CHUNK = 1 << 20
"""Bytes read, or decompressed, at a time."""

ZSTD_CHUNK = 1 << 15
"""Stored bytes decompressed at a time: the library cannot be told to stop early."""

LONG_LINE = 1 << 24
"""Bytes of a line from which on it is also cut at spaces."""

MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}


class Corpus:
    """Files to train on, read one after another and never held in memory.

    Attributes:
        digests: SHA-256 of the (decompressed) contents of each file read so far.
        n_bytes: bytes of text given out so far.
        stray: broken characters of JSON Lines replaced by U+FFFD so far; those of plain text are
            counted where it is scanned.
    """

    def __init__(
        self, files: Sequence[str | os.PathLike[str]], *, field: str | None = None
    ) -> None:
        """Name the files; nothing is opened yet.

        Args:
            files: paths, or ``-`` for the standard input. The ending tells the form: ``.jsonl`` is
                JSON Lines, anything else plain text; ``.gz``, ``.xz`` and ``.zst`` behind it are
                decompressed. The standard input is decompressed where it starts like one of those.
            field: the field of JSON Lines that holds the text, ``text`` where it is None; naming
                one makes the standard input JSON Lines.
        """
        self.files = [os.fspath(file) for file in files]
        self.field = field
        self.digests: list[str] = []
        self.n_bytes = 0
        self.stray = 0

    def size(self) -> int | None:
        """Bytes of all files as they are stored; None where the standard input is among them.

        Raises:
            CorpusError: a file is missing.
        """
        if STANDARD_INPUT in self.files:
            return None
        total = 0
        for file in self.files:
            with reported(file):
                total += Path(file).stat().st_size
        return total

    def blocks(self, advance: Advance) -> Iterator[bytes]:
        """The text, in blocks that end behind a line (a very long line: before a space).

        Args:
            advance: is told how many stored bytes have been read.

        Raises:
            CorpusError: a file cannot be read, or is not what its name says.
        """
        for file in self.files:
            digest = hashlib.sha256()
            with reported(file), opened(file, advance) as chunks:
                for block in self._texts(file, hashed(chunks, digest.update)):
                    self.n_bytes += len(block)
                    yield block
            self.digests.append(digest.hexdigest())

    def _texts(self, file: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The text of one file's contents, in blocks."""
        if not self._is_jsonl(file):
            yield from blocks_of(chunks, long_line=LONG_LINE)
            return
        document = Document(file, self.field or DEFAULT_FIELD)
        yield from texts(document, blocks_of(chunks, long_line=None))
        self.stray += document.stray

    def _is_jsonl(self, file: str) -> bool:
        if file == STANDARD_INPUT:
            return self.field is not None
        return Path(file.removesuffix(compression(file))).suffix.lower() == ".jsonl"


def compression(file: str) -> str:
    """The ending that tells how a file is compressed, as it is spelled; "" for none."""
    suffix = Path(file).suffix
    return suffix if suffix.lower() in MAGIC.values() else ""


@contextmanager
def reported(file: str) -> Iterator[None]:
    """Say of every failure to read a file which file it was, and what it means.

    Raises:
        CorpusError: instead of what the libraries raise.
    """
    try:
        yield
    except EOFError as error:
        raise CorpusError(
            f"{file}: the compressed data is truncated; get the file again"
        ) from error
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{file}: the compressed data is damaged: {error}") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(f"{file}: cannot be read: {reason}") from error


@contextmanager
def opened(file: str, advance: Advance) -> Iterator[Iterator[bytes]]:
    """The decompressed contents of a file, in chunks."""
    if file == STANDARD_INPUT:
        stream = buffered(cast("io.BufferedReader", sys.stdin.buffer), advance)
        yield decompressed(file, stream, sniffed(stream))
        return
    with Path(file).open("rb") as raw:
        yield decompressed(file, buffered(raw, advance), compression(file).lower())


def buffered(raw: io.BufferedIOBase, advance: Advance) -> io.BufferedReader:
    """A stream that tells how many bytes have been read from `raw`."""
    return io.BufferedReader(Metered(raw, advance), CHUNK)


def sniffed(stream: io.BufferedReader) -> str:
    """How a stream is compressed, judged by its first bytes, which are not consumed."""
    start = stream.peek(max(map(len, MAGIC)))
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "")


class Metered(io.RawIOBase):
    """A stream that tells how many bytes have been read from it."""

    def __init__(self, stream: io.BufferedIOBase, advance: Advance) -> None:
        """Read from `stream`, which stays the caller's to close."""
        self._stream: io.BufferedIOBase = stream
        self._advance = advance

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill the buffer as far as there is something at once; 0 at the end."""
        size = self._stream.readinto1(buffer)
        self._advance(size)
        return size


def decompressed(file: str, stream: io.BufferedReader, kind: str) -> Iterator[bytes]:
    """The chunks of a stream, decompressed."""
    if kind == ".zst":
        return zstandard_chunks(file, stream)
    reader: io.BufferedReader | gzip.GzipFile | lzma.LZMAFile = stream
    if kind == ".gz":
        reader = gzip.GzipFile(fileobj=stream, mode="rb")
    elif kind == ".xz":
        reader = lzma.LZMAFile(stream)  # noqa: SIM115 - its reader reads it to the end
    return iter(lambda: reader.read(CHUNK), b"")


def zstandard_chunks(file: str, stream: io.BufferedReader) -> Iterator[bytes]:
    """The chunks of a Zstandard stream of one or more frames.

    Raises:
        CorpusError: the library is not installed, or the data is damaged.
        EOFError: the data is truncated.
    """
    try:
        import zstandard
    except ImportError as error:
        raise CorpusError(
            f"{file}: reading .zst needs the package zstandard; pip install 'wwho[train]'"
        ) from error
    frame = zstandard.ZstdDecompressor().decompressobj()
    data = stream.read(ZSTD_CHUNK)
    while data:
        try:
            yield frame.decompress(data)
        except zstandard.ZstdError as error:
            raise CorpusError(f"{file}: the compressed data is damaged: {error}") from error
        data = frame.unused_data if frame.eof else b""
        if data:
            frame = zstandard.ZstdDecompressor().decompressobj()
        else:
            data = stream.read(ZSTD_CHUNK)
            if data and frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
    if not frame.eof:
        raise EOFError


def hashed(chunks: Iterable[bytes], update: Callable[[bytes], object]) -> Iterator[bytes]:
    """The chunks, each of which is also given to `update`."""
    for chunk in chunks:
        update(chunk)
        yield chunk


def blocks_of(chunks: Iterable[bytes], *, long_line: int | None) -> Iterator[bytes]:
    """Join chunks of any size into blocks of whole lines.

    Args:
        chunks: bytes, cut anywhere.
        long_line: bytes of a line from which on a block may also end before a space: where one
            U+0020 stands before a word, it belongs to that word. None: never.
    """
    parts: list[bytes] = []
    held = 0
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if not cut and long_line is not None and held >= long_line:
            cut = max(chunk.rfind(b" "), 0)
        if cut:
            yield b"".join((*parts, chunk[:cut]))
            parts, held = [], 0
        parts.append(chunk[cut:])
        held += len(chunk) - cut
    if held:
        yield b"".join(parts)
