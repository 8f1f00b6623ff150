"""Lines of text, a block of them at a time."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wwho.errors import CorpusError
from wwho.train.contents import CHUNK
from wwho.train.sample import Keep


class Block(NamedTuple):
    """Some text of a corpus.

    Attributes:
        text: UTF-8; it ends where no word goes on.
        lines: how many lines (objects, rows) of the file begin in it.
        sampled: how many of them are in the sample: the text of the others is left out.
        stray: broken characters replaced by U+FFFD; those still in the text are counted where it is
            scanned.
    """

    text: bytes
    lines: int
    sampled: int
    stray: int = 0


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


def plain(blocks: Iterable[bytes], keep: Keep | None) -> Iterator[Block]:
    """The lines of plain text.

    Args:
        blocks: whole lines; where every line is kept, a line may go on in the next block.
        keep: which lines are in the sample; None: all.
    """
    within = False
    for block in blocks:
        lines = block.count(b"\n") + (not block.endswith(b"\n")) - within
        within = not block.endswith(b"\n")
        if keep is None:
            yield Block(block, lines, lines)
            continue
        kept = [line for line in block.split(b"\n")[:lines] if keep(line)]
        yield Block(b"".join(line + b"\n" for line in kept), lines, len(kept))


def checked(file: str, blocks: Iterable[bytes], start: int) -> Iterator[bytes]:
    """The blocks, as long as they are UTF-8.

    Args:
        file: its name, for the error.
        blocks: whole lines, or lines cut before a space.
        start: bytes of the contents that come before the first block.

    Raises:
        CorpusError: they are not; it names the line and the byte.
    """
    offset, line = start, 1
    for block in blocks:
        try:
            block.decode("utf-8")
        except UnicodeDecodeError as error:
            here = line + block.count(b"\n", 0, error.start)
            raise CorpusError(
                f"{file}, line {here}: byte {offset + error.start} of the contents, "
                f"0x{block[error.start]:02X}, is not valid UTF-8 ({error.reason}); repair it, or "
                "read every such byte as U+FFFD with --errors replace"
            ) from error
        yield block
        offset += len(block)
        line += block.count(b"\n")


def joined(texts: Iterable[bytes]) -> bytes:
    """Texts with a line feed behind each."""
    return b"".join(text + b"\n" for text in texts)


def encoded(where: str, text: str, strict: bool) -> tuple[bytes, int]:
    """UTF-8 with U+FFFD for every lone surrogate, and how many there were.

    Args:
        where: where the text stands, for the error.
        text: the text.
        strict: whether lone surrogates are refused.

    Raises:
        CorpusError: they are, and there is one.
    """
    try:
        return text.encode("utf-8"), 0
    except UnicodeEncodeError as error:
        if strict:
            raise CorpusError(
                f"{where}: the text holds the lone surrogate U+{ord(text[error.start]):04X}; "
                "repair it, or read every such one as U+FFFD with --errors replace"
            ) from error
        stray = sum("\ud800" <= char <= "\udfff" for char in text)
        whole = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
        return whole.encode(), stray


def line_start(stream: io.BufferedReader, offset: int) -> int:
    """Go to the first line that begins at this offset or behind it; gives its own offset."""
    if not offset:
        return 0
    stream.seek(offset - 1)
    return offset - 1 + sum(map(len, rest_of_line(stream)))


def lines_until(stream: io.BufferedReader, start: int, stop: int) -> Iterator[bytes]:
    """The lines that begin before `stop`, in chunks; the stream is at `start`, where one begins."""
    last = b"\n"
    while start < stop and (last := stream.read(min(CHUNK, stop - start))):
        start += len(last)
        yield last
    if last and not last.endswith(b"\n"):
        yield from rest_of_line(stream)


def rest_of_line(stream: io.BufferedReader) -> Iterator[bytes]:
    """What is left of a line, in chunks."""
    while piece := stream.readline(CHUNK):
        yield piece
        if piece.endswith(b"\n"):
            return
