"""Standard input and output as bytes, and files with a progress bar."""

from __future__ import annotations

import errno
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from wwho.errors import BackendError
from wwho.progress import Advance, Progress

STANDARD_INPUT = "-"
MAX_BYTES = 2**31 - 1
"""The longest text that one call takes; an endless input must not fill the memory first."""
BLOCK = 1 << 18
JOINERS = "\u200c\u200d"
CIRCLE = "\u25cc"
"""The dotted circle, on which a sign without a letter is drawn, as in Unicode's charts."""


def write(data: bytes) -> None:
    """Write bytes to standard output, after whatever has been printed.

    Raises:
        OSError: it is closed, or cannot be written to.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "is closed", "standard output")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """Write one value as one line of JSON in UTF-8."""
    write(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def write_lines(lines: Iterable[str]) -> None:
    """Write lines in UTF-8; the bytes of file names that are none come out as they are."""
    write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))


def readable(data: bytes) -> str:
    """Bytes as text for people: each broken sequence becomes U+FFFD."""
    return data.decode("utf-8", "replace")


def printable(text: str) -> str:
    """Text with what cannot be seen written as Python does in a string literal.

    Joiners stay: they cannot be seen, but without them the text around them looks different.
    """
    return "".join(
        char if char.isprintable() or char in JOINERS else repr(char)[1:-1] for char in text
    )


def contents(files: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Each file's number and bytes, with a progress bar over the bytes of all files.

    Args:
        files: paths, `-` for standard input; none at all is standard input too.

    Raises:
        OSError: a file cannot be read.
        BackendError: one is longer than a call takes.
    """
    for number, name, stream, advance in each(files):
        data = read_whole(stream, name)
        yield number, data
        advance(len(data))


def blocks(files: Sequence[str]) -> Iterator[tuple[int, Iterator[bytes]]]:
    """Each file's number and its bytes in blocks; memory holds one block.

    Args:
        files: as in `contents`.

    Raises:
        OSError: a file cannot be read.
    """
    for number, _, stream, advance in each(files):
        yield number, _blocks(stream, advance)


def _blocks(stream: BinaryIO, advance: Advance) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block
        advance(len(block))


def lines(files: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Each file's number and each of its lines without the line feed; memory holds one line.

    Args:
        files: as in `contents`.

    Raises:
        OSError: a file cannot be read.
        BackendError: one is longer than a call takes.
    """
    for number, name, stream, advance in each(files):
        for line in iter(partial(stream.readline, MAX_BYTES + 1), b""):
            if len(line) > MAX_BYTES:
                raise too_long(name, "a line", "break it")
            yield number, line.removesuffix(b"\n")
            advance(len(line))


def each(files: Sequence[str]) -> Iterator[tuple[int, str, BinaryIO, Advance]]:
    """Each file's number and name, the open file, and what is told how much of it was read.

    The bar is over the bytes of all files, where a person is watching and tqdm is there to draw it.
    """
    names = files or [STANDARD_INPUT]
    total = total_size(names)
    bars = Progress(total is not None and sys.stderr.isatty())
    with bars.stage(None, total, unit="B", leave=False) as advance:
        for number, name in enumerate(names):
            with opened(name) as stream:
                yield number, name, stream, advance


def read_whole(stream: BinaryIO, name: str) -> bytes:
    """All bytes of a stream, read in blocks: one read of the limit would reserve all of it.

    Raises:
        BackendError: there are more than a call takes.
    """
    held = io.BytesIO()
    while block := stream.read(BLOCK):
        held.write(block)
        if held.tell() > MAX_BYTES:
            raise too_long(name, "the text", "pass it in parts, or with --lines")
    return held.getvalue()


def too_long(name: str, what: str, remedy: str) -> BackendError:
    """The error for more bytes than one call takes."""
    return BackendError(
        f"{name}: {what} has more than {MAX_BYTES} bytes, the most a call takes: {remedy}"
    )


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file, or standard input for `-`, to read bytes from."""
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "is closed", "standard input")
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as stream:
        yield stream


def total_size(names: Sequence[str]) -> int | None:
    """How many bytes the files hold; None where that cannot be known beforehand.

    Raises:
        OSError: one of the files is missing; better said before the first one is read.
    """
    if STANDARD_INPUT in names:
        return None
    return sum(Path(name).stat().st_size for name in names)
