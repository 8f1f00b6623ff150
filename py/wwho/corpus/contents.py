"""The contents of a file, decompressed, as a stream of chunks; whether they are text in UTF-8."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from wwho.corpus.sources import STANDARD_INPUT, compression, path_of
from wwho.errors import CorpusError
from wwho.progress import Advance, ignore

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 1 << 20
"""Bytes read, or decompressed, at a time."""

STORED_CHUNK = 1 << 15
"""Stored bytes decompressed at a time: zstandard cannot be told to stop early."""

MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
FOREIGN = {
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
    b"PK\3\4": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"PAR1\x15": "Parquet",
}
"""What is read under its own name or not at all, but never as text."""


def contents(file: str, stream: io.BufferedReader, advance: Advance = ignore) -> Iterator[bytes]:
    """The decompressed contents of a file, in chunks.

    Args:
        file: its name, whose ending tells how it is compressed; of the standard input the first
            bytes do.
        stream: its stored bytes.
        advance: is told how many of them have been read.

    Raises:
        CorpusError: the package for ``.zst`` is not installed, or that data is damaged.
        lzma.LZMAError: ``.xz`` is.
        EOFError: the data is truncated.
        OSError: it cannot be read, or is damaged.
    """
    metered = buffered(stream, advance)
    kind = sniffed(metered) if file == STANDARD_INPUT else compression(path_of(file)).lower()
    return decompressed(file, metered, kind)


def buffered(raw: io.BufferedIOBase, advance: Advance) -> io.BufferedReader:
    """A stream that tells how many bytes have been read from `raw`."""
    return io.BufferedReader(Metered(raw, advance), CHUNK)


def sniffed(stream: io.BufferedReader, kinds: Mapping[bytes, str] = MAGIC) -> str:
    """Which of these a stream is, judged by its first bytes, which are not consumed; or ""."""
    start = stream.peek(max(map(len, kinds)))
    return next((kind for magic, kind in kinds.items() if start.startswith(magic)), "")


def check_text(file: str, stream: io.BufferedReader) -> None:
    """Refuse a file that is to be read as text and is something else, as its first bytes say.

    Raises:
        CorpusError: it is; what is compressed may be so as its name says, or on the standard input.
    """
    if compression(path_of(file)):
        return
    if kind := sniffed(stream, FOREIGN if file == STANDARD_INPUT else FOREIGN | MAGIC):
        raise CorpusError(
            f"{file}: holds {kind} data where text is expected; unpack it, or name a file that "
            "ends in .gz, .xz, .zst or .parquet and is what it is called"
        )
    if name := sniffed(stream, MARKS):
        raise in_another(file, name)


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
    if kind == ".xz":
        return xz_chunks(stream)
    reader = gzip.GzipFile(fileobj=stream, mode="rb") if kind == ".gz" else stream
    return iter(lambda: reader.read(CHUNK), b"")


def xz_chunks(stream: io.BufferedReader) -> Iterator[bytes]:
    """The chunks of one or more xz streams, with padding behind each: zeros in fours.

    `lzma.LZMAFile` ends without an error where a further stream is damaged.

    Raises:
        lzma.LZMAError: the data is damaged.
        EOFError: it is truncated.
    """
    import lzma  # which Pyodide brings as a package of its own

    frame, rest = lzma.LZMADecompressor(lzma.FORMAT_XZ), b""
    while data := rest or stream.read(STORED_CHUNK):
        if frame.eof:
            zeros = len(data) - len(data.lstrip(b"\0"))
            data, rest = data[zeros // 4 * 4 :], b""
            if not data:
                continue
            frame = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        yield frame.decompress(data, CHUNK)
        while not (frame.needs_input or frame.eof):
            yield frame.decompress(b"", CHUNK)
        rest = frame.unused_data
    if not frame.eof:
        raise EOFError


def zstandard_chunks(file: str, stream: io.BufferedReader) -> Iterator[bytes]:
    """The chunks of a Zstandard stream of one or more frames.

    As much memory is taken as the frame asks for: up to 2 GiB, for one made with ``--long=31``.

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
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << zstandard.WINDOWLOG_MAX)
    frame, rest = unpacker.decompressobj(), b""
    while data := rest or stream.read(STORED_CHUNK):
        if frame.eof:
            frame = unpacker.decompressobj()
        try:
            yield frame.decompress(data)
        except zstandard.ZstdError as error:
            raise CorpusError(f"{file}: the compressed data is damaged: {error}") from error
        rest = frame.unused_data
    if not frame.eof:
        raise EOFError


MOST_JUNK = 3
"""Text of which one part in so many is no text is binary data, or in another encoding."""

MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""What text in another encoding begins with; the longest first, for one begins with another."""


def check_encoding(file: str, data: bytes) -> None:
    """Refuse a file that begins as no text in UTF-8 does.

    Args:
        file: its name.
        data: its first block.

    Raises:
        CorpusError: the file begins with the mark of another encoding, or more than a third of the
            block is no text; it says which encoding the file seems to be in, and how to convert it.

    Example:
        >>> check_encoding("a.txt", "one two".encode("utf-16-le"))
        Traceback (most recent call last):
        wwho.errors.CorpusError: a.txt: this is no text in UTF-8 but UTF-16LE; convert it, for \
example with: iconv -f UTF-16LE -t UTF-8
    """
    name = next((name for mark, name in MARKS.items() if data.startswith(mark)), "")
    broken, nuls = broken_bytes(data), data.count(0)
    if not name and broken + nuls <= len(data) / MOST_JUNK:
        return
    if name := name or _without_a_mark(data, nuls):
        raise in_another(file, name)
    raise CorpusError(
        f"{file}: this is no text in UTF-8: of its first {len(data):,} bytes {broken:,} belong to "
        f"no character and {nuls:,} are NUL; convert it, for example with iconv"
    )


def in_another(file: str, name: str) -> CorpusError:
    """The error for a file that is text in another encoding."""
    return CorpusError(
        f"{file}: this is no text in UTF-8 but {name}; convert it, for example with: "
        f"iconv -f {name} -t UTF-8"
    )


def broken_bytes(data: bytes) -> int:
    """How many bytes are part of no well-formed sequence."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return sum("\udc80" <= char <= "\udcff" for char in data.decode("utf-8", "surrogateescape"))
    return 0


def _without_a_mark(data: bytes, nuls: int) -> str:
    """The encoding of such text, "" for none known.

    In UTF-16 every Latin character, space and line feed has one NUL, always on the same side.
    """
    if nuls * 50 < len(data):
        return ""
    return {0: "UTF-16LE", nuls: "UTF-16BE"}.get(data[::2].count(0), "")
