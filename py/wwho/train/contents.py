"""The contents of a file, decompressed, as a stream of chunks."""

from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wwho.errors import CorpusError
from wwho.train.progress import Advance, ignore
from wwho.train.sources import STANDARD_INPUT, compression, path_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 1 << 20
"""Bytes read, or decompressed, at a time."""

ZSTD_CHUNK = 1 << 15
"""Stored bytes decompressed at a time: the library cannot be told to stop early."""

MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}


def contents(file: str, stream: io.BufferedReader, advance: Advance = ignore) -> Iterator[bytes]:
    """The decompressed contents of a file, in chunks.

    Args:
        file: its name, whose ending tells how it is compressed; of the standard input the first
            bytes do.
        stream: its stored bytes.
        advance: is told how many of them have been read.

    Raises:
        CorpusError: the package for ``.zst`` is not installed, or that data is damaged.
        EOFError: the data is truncated.
        OSError: it cannot be read, or is damaged.
    """
    metered = buffered(stream, advance)
    kind = sniffed(metered) if file == STANDARD_INPUT else compression(path_of(file)).lower()
    return decompressed(file, metered, kind)


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
