"""Standard output as bytes and lines, and the reading of input files with a progress bar."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from select import select
from typing import BinaryIO, cast

from wwho.corpus.sources import standard_input
from wwho.errors import BackendError
from wwho.progress import Advance, Progress

STANDARD_INPUT = "-"
MAX_BYTES = 2**31 - 1
"""The longest text that one call takes; an endless input must not fill the memory first."""
BLOCK = 1 << 18
"""How many bytes are read at a time."""
JOINERS = "\u200c\u200d"
CIRCLE = "\u25cc"
"""The dotted circle, on which a sign without a letter is drawn, as in Unicode's charts."""


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output after what has been printed before, and flush.

    Where standard output takes text alone, as in a notebook or under `redirect_stdout`, it gets
    the text of the bytes in UTF-8, with U+FFFD for each broken sequence.

    Raises:
        OSError: it is closed, or cannot be written to.
        BrokenPipeError: its reader has gone away, also in the middle of the bytes.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "is closed", "standard output")
    if not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(to_text(data))
        sys.stdout.flush()
        return
    sys.stdout.flush()
    # With PYTHONUNBUFFERED, the buffer is the file itself: it may write a part, and then the rest
    # fails only if it is tried.
    rest = memoryview(data)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """Write one value to standard output as one line of JSON in UTF-8; surrogates become `?`."""
    write_bytes(to_json_line(value))


def to_json_line(value: object) -> bytes:
    """Return one value as one line of JSON in UTF-8; surrogates become `?`."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output in UTF-8, all at once, each with a line feed.

    Bytes of file names that are not UTF-8 come out as they are.
    """
    write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))


def to_text(data: bytes) -> str:
    """Return bytes as text for people: each broken sequence of UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", "replace")


def escape_invisible(text: str) -> str:
    """Return a text with what cannot be seen written as Python does in a string literal.

    Joiners stay: they cannot be seen, but without them the text around them looks different.
    """
    return "".join(
        char if char.isprintable() or char in JOINERS else repr(char)[1:-1] for char in text
    )


def read_files(files: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Yield each file's number, counted from 0, and all its bytes, with a progress bar.

    Args:
        files: paths, `-` for standard input; none at all is standard input too.

    Raises:
        OSError: a file cannot be read; a missing one is found before the first is read.
        BackendError: a file is longer than a call takes, `MAX_BYTES`.
    """
    for number, name, stream, advance in open_inputs(files):
        data = read_whole(stream, name)
        yield number, data
        advance(len(data))


def read_lines(files: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Yield each file's number and one of its lines, without the line feed; memory holds one line.

    A last line without a line feed counts; a carriage return stays.

    Args:
        files: as in `read_files`.

    Raises:
        OSError: a file cannot be read.
        BackendError: a line is longer than a call takes, `MAX_BYTES`.
    """
    for number, name, stream, advance in open_inputs(files):
        for line in lines_of(stream, name):
            yield number, line
            advance(len(line) + 1)


def lines_of(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the lines of a stream, each as soon as it has come, without its line feed.

    Raises:
        BackendError: a line is longer than a call takes, `MAX_BYTES`; the message has the name.
    """
    return chain.from_iterable(line_lists(stream, name))


def line_lists(stream: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """Yield the lines of a stream, without line feeds, in lists of what came since the last list.

    Args:
        stream: a buffered stream.
        name: its name, for errors.

    Raises:
        BackendError: as `lines_of` does.
    """
    begun: list[bytes] = []
    size = 0
    # Reads what there is, and waits only if there is nothing.
    for block in iter(partial(cast(io.BufferedReader, stream).read1, BLOCK), b""):
        first, *others = block.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > MAX_BYTES:
            raise too_long_error(name, "a line", "break it")
        if others:
            *whole, last = others
            yield [b"".join(begun), *whole]
            begun, size = [last], len(last)
    if size:
        yield [b"".join(begun)]


def input_waits() -> bool:
    """Return whether reading standard input may have to wait; True also if nobody knows."""
    try:
        return not select([sys.stdin], [], [], 0)[0]
    except (
        OSError,
        TypeError,
        ValueError,
    ):  # not a file, or Windows, which tells that of sockets alone
        return True


def open_inputs(files: Sequence[str]) -> Iterator[tuple[int, str, BinaryIO, Advance]]:
    """Yield each file's number and name, the open file, and a function to tell of bytes read.

    A file is closed when the next one is asked for. The progress bar is over the bytes of all
    files, and drawn only if standard error is a terminal, tqdm is installed, and no input is
    standard input.

    Args:
        files: as in `read_files`.

    Raises:
        OSError: a file cannot be read.
    """
    names = files or [STANDARD_INPUT]
    total = total_size(names)
    bars = Progress(total is not None and sys.stderr.isatty())
    with bars.bar(None, total, unit="B", leave=False) as advance:
        for number, name in enumerate(names):
            with open_input(name) as stream:
                yield number, name, stream, advance


def read_whole(stream: BinaryIO, name: str) -> bytes:
    """Return all bytes of a stream, read in blocks: one read of the limit would reserve all of it.

    Raises:
        BackendError: there are more than a call takes, `MAX_BYTES`; the message has the name.
    """
    return join_blocks(read_blocks(stream), name)


def read_blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Return an iterator of the bytes of a stream, in blocks of at most `BLOCK` bytes."""
    return iter(partial(stream.read, BLOCK), b"")


def join_blocks(blocks: Iterable[bytes], name: str) -> bytes:
    """Return all bytes of a text that comes in blocks.

    Raises:
        BackendError: as `read_whole` does.
    """
    held = io.BytesIO()
    for block in blocks:
        held.write(block)
        if held.tell() > MAX_BYTES:
            raise too_long_error(name, "the text", "pass it in parts, or with --lines")
    return held.getvalue()


def too_long_error(name: str, what: str, remedy: str) -> BackendError:
    """Return the error for more bytes in a file than one call takes.

    Args:
        name: the file.
        what: what is too long in it.
        remedy: what the user can do.
    """
    return BackendError(
        f"{name}: {what} has more than {MAX_BYTES} bytes, the most a call takes: {remedy}"
    )


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """Open a file to read bytes from, and close it at the end; `-` is standard input, left open.

    Raises:
        OSError: it cannot be read.
    """
    if name == STANDARD_INPUT:
        yield standard_input()
        return
    # Not a `Path`, of which an empty name is the current folder.
    with open(name, "rb") as stream:
        yield stream


def total_size(names: Sequence[str]) -> int | None:
    """Return how many bytes some files hold; None if standard input is among them.

    Raises:
        OSError: one of the files is missing; better said before the first one is read.
    """
    if STANDARD_INPUT in names:
        return None
    return sum(os.stat(name).st_size for name in names)
