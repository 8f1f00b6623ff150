"""Decompressing a file into chunks, and refusing what is not text in UTF-8."""

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
"""Stored bytes of xz decompressed at a time."""

ZSTANDARD_CHUNK = 1 << 10
"""Stored bytes of Zstandard decompressed at a time: its decompressor cannot be told to stop early,
and four bytes may hold 128 KiB of text, so these may hold 32 MiB."""

MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
"""The first bytes of compressed data, and the ending of files with such data."""

FOREIGN = {
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
    b"PK\3\4": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"PAR1\x15": "Parquet",
}
"""The first bytes of data that is read under its own name or not at all, but never as text."""


def read_contents(
    file: str, stream: io.BufferedReader, advance: Advance = ignore
) -> Iterator[bytes]:
    """Yield the decompressed contents of a file, in chunks of up to `CHUNK` bytes or a bit more.

    Of Zstandard that holds one byte over and over, a chunk may have 32 MiB more.

    Args:
        file: the file's name, whose ending tells how it is compressed; of the standard input the
            first bytes do.
        stream: the stored bytes of the file.
        advance: is told how many stored bytes have been read since it was last called.

    Raises:
        CorpusError: the package for ``.zst`` is not installed, or such data is damaged.
        lzma.LZMAError: data of ``.xz`` is damaged.
        EOFError: the data is truncated.
        OSError: the file cannot be read, or data of ``.gz`` is damaged.
    """
    metered = buffer_metered(stream, advance)
    kind = sniff(metered) if file == STANDARD_INPUT else compression(path_of(file)).lower()
    return decompress(file, metered, kind)


def buffer_metered(raw: io.BufferedIOBase, advance: Advance) -> io.BufferedReader:
    """Return a buffered stream that tells `advance` how many bytes it has read from `raw`."""
    return io.BufferedReader(Metered(raw, advance), CHUNK)


def sniff(stream: io.BufferedReader, kinds: Mapping[bytes, str] = MAGIC) -> str:
    """Return the kind of data that a stream begins with, or "" for none of these kinds.

    The first bytes are looked at and stay in the stream.

    Args:
        stream: the stream.
        kinds: the name of each kind, by its first bytes; of several that fit, the first is taken.
    """
    start = stream.peek(max(map(len, kinds)))
    return next((kind for magic, kind in kinds.items() if start.startswith(magic)), "")


def check_text(file: str, stream: io.BufferedReader) -> None:
    """Raise an error if a file is to be read as text and its first bytes are those of other data.

    A file whose name says that it is compressed is not looked at, and the standard input may be
    compressed. The first bytes stay in the stream.

    Raises:
        CorpusError: the file begins like an archive, Parquet, compressed data, or text in UTF-16
            or UTF-32.
    """
    check_container(file, stream)
    if not compression(path_of(file)) and (name := sniff(stream, BYTE_ORDER_MARKS)):
        raise wrong_encoding_error(file, name)


def check_container(file: str, stream: io.BufferedReader) -> None:
    """Raise an error if a file is to be read as text and its first bytes are those of a container.

    As `check_text`, but text in any encoding passes.

    Raises:
        CorpusError: the file begins like an archive, Parquet or compressed data.
    """
    if compression(path_of(file)):
        return
    if kind := sniff(stream, FOREIGN if file == STANDARD_INPUT else FOREIGN | MAGIC):
        raise CorpusError(
            f"{file}: holds {kind} data where text is expected; unpack it, or name a file that "
            "ends in .gz, .xz, .zst or .parquet and is what it is called"
        )


class Metered(io.RawIOBase):
    """A raw stream over another one that tells how many bytes have been read from it."""

    def __init__(self, stream: io.BufferedIOBase, advance: Advance) -> None:
        """Keep the stream to read from, which stays the caller's to close."""
        self._stream: io.BufferedIOBase = stream
        self._advance = advance

    def readable(self) -> bool:
        """Return True: this stream can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into the buffer what there is without waiting for more, and return how many bytes.

        0 means the end.
        """
        size = self._stream.readinto1(buffer)
        self._advance(size)
        return size


def decompress(file: str, stream: io.BufferedReader, kind: str) -> Iterator[bytes]:
    """Return an iterator of the decompressed chunks of a stream.

    Args:
        file: the file's name, for errors.
        stream: the stored bytes.
        kind: ``.zst``, ``.xz``, ``.gz``, or "" for data that is not compressed.

    Raises:
        CorpusError, OSError, EOFError, lzma.LZMAError: as for `read_contents`.
    """
    if kind == ".zst":
        return zstandard_chunks(file, stream)
    if kind == ".xz":
        return xz_chunks(stream)
    reader = gzip.GzipFile(fileobj=stream, mode="rb") if kind == ".gz" else stream
    return iter(lambda: reader.read(CHUNK), b"")


def xz_chunks(stream: io.BufferedReader) -> Iterator[bytes]:
    """Yield the decompressed chunks of xz streams, one after another in one file.

    After each there may be padding: zeros in fours. `lzma.LZMAFile` is not used, for it ends
    without an error where a further stream is damaged.

    Raises:
        lzma.LZMAError: the data is damaged.
        EOFError: it is truncated.
    """
    import lzma  # here: Pyodide brings it as a package of its own

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
    """Yield the decompressed chunks of a Zstandard stream of one or more frames.

    A chunk has at least `CHUNK` bytes, but for the last. Besides, memory holds as much as the frame
    asks for: up to 2 GiB, for one made with ``--long=31``.

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
    held = io.BytesIO()
    while data := rest or stream.read(ZSTANDARD_CHUNK):
        if frame.eof:
            frame = unpacker.decompressobj()
        try:
            held.write(frame.decompress(data))
        except zstandard.ZstdError as error:
            raise CorpusError(f"{file}: the compressed data is damaged: {error}") from error
        rest = frame.unused_data
        if held.tell() >= CHUNK:
            yield held.getvalue()
            held = io.BytesIO()
    yield held.getvalue()
    if not frame.eof:
        raise EOFError


JUNK_DIVISOR = 3
"""A file is refused as no text if more than one byte in so many is broken or NUL."""

BYTE_ORDER_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""The first bytes of text in other encodings; the longest first, for one begins with another."""


def check_encoding(file: str, data: bytes) -> None:
    """Raise an error if a file seems to be in another encoding than UTF-8, or to be no text.

    Text with a few broken bytes passes. Without a byte order mark, UTF-16 is told by its NULs.

    Args:
        file: the file's name.
        data: the first block of its text.

    Raises:
        CorpusError: the file begins with the byte order mark of another encoding, or more than a
            third of the block's bytes are broken or NUL; it says which encoding the file seems to
            be in, and how to convert it.

    Example:
        >>> check_encoding("a.txt", "one two".encode("utf-16-le"))
        Traceback (most recent call last):
        wwho.errors.CorpusError: a.txt: this is no text in UTF-8 but UTF-16LE; convert it, for \
example with: iconv -f UTF-16LE -t UTF-8
    """
    name = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "")
    broken, nuls = count_broken_bytes(data), data.count(0)
    if not name and broken + nuls <= len(data) / JUNK_DIVISOR:
        return
    if name := name or _guess_utf16(data, nuls):
        raise wrong_encoding_error(file, name)
    raise CorpusError(
        f"{file}: this is no text in UTF-8: of its first {len(data):,} bytes {broken:,} belong to "
        f"no character and {nuls:,} are NUL; convert it, for example with iconv"
    )


def wrong_encoding_error(file: str, name: str) -> CorpusError:
    """Return the error for a file that is text in the encoding `name`, with how to convert it."""
    return CorpusError(
        f"{file}: this is no text in UTF-8 but {name}; convert it, for example with: "
        f"iconv -f {name} -t UTF-8"
    )


def count_broken_bytes(data: bytes) -> int:
    """Return how many bytes are part of no well-formed sequence of UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return sum("\udc80" <= char <= "\udcff" for char in data.decode("utf-8", "surrogateescape"))
    return 0


def _guess_utf16(data: bytes, nuls: int) -> str:
    """Return which UTF-16 text without a byte order mark is in, or "" if it seems to be in neither.

    `nuls` is the number of NULs in the data. In UTF-16 every Latin character, space and line feed
    has one NUL, always on the same side.
    """
    if nuls * 50 < len(data):
        return ""
    return {0: "UTF-16LE", nuls: "UTF-16BE"}.get(data[::2].count(0), "")
