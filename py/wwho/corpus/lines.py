"""Lines of text, a block of them at a time: plain, of JSON Lines, or a sample of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import NamedTuple

from wwho.corpus.contents import CHUNK
from wwho.errors import CorpusError

HASH_BYTES = 8

Keep = Callable[[bytes], bool]
"""Takes a line without its line feed; tells whether it is in the sample."""

DEFAULT_FIELD = "text"
SHOWN = 8
"""Names of fields that an error lists, at most."""


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


# JSON Lines


@dataclass
class Document:
    """A file of JSON Lines while it is read.

    Attributes:
        file: its name, for errors.
        field: which field of each object holds the text.
        stop: whether a lone surrogate is refused, and not replaced by U+FFFD.
        line: number of the line last read, from 1.
        stray: bytes of broken UTF-8 and lone surrogates replaced so far.
    """

    file: str
    field: str
    stop: bool = False
    line: int = 0
    stray: int = 0


def texts_of(document: Document, blocks: Iterable[bytes], keep: Keep | None) -> Iterator[Block]:
    """The texts in blocks of whole lines, one block of text for each; empty lines are skipped.

    Args:
        document: what is read.
        blocks: whole lines of it.
        keep: which of its lines are in the sample; None: all.

    Raises:
        CorpusError: a line is no JSON object, or lacks the field, or the field is not a string.
    """
    for block in blocks:
        out = []
        lines, stray = 0, document.stray
        for line in block.removesuffix(b"\n").split(b"\n"):
            document.line += 1
            if not line.strip():
                continue
            lines += 1
            if keep is None or keep(line):
                where = f"{document.file}, line {document.line}"
                text, broken = encoded(where, _text(document, line), document.stop)
                out.append(text)
                document.stray += broken
        yield Block(joined(out), lines, len(out), document.stray - stray)


def _text(document: Document, line: bytes) -> str:
    """The text of one line; bytes of broken UTF-8 come out as lone surrogates."""
    where = f"{document.file}, line {document.line}"
    try:
        value = json.loads(line.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"{where}: not valid JSON ({error}); every line must be one JSON object"
        ) from error
    if not isinstance(value, dict):
        raise CorpusError(f"{where}: a JSON object is expected, not {type(value).__name__}")
    if document.field not in value:
        names = ", ".join(map(repr, list(value)[:SHOWN])) or "none"
        raise CorpusError(
            f"{where}: no field {document.field!r}; its fields are: {names}; name one with --field"
        )
    text = value[document.field]
    if not isinstance(text, str):
        raise CorpusError(
            f"{where}: field {document.field!r} must be a string, not {type(text).__name__}"
        )
    return text


# A sample


def sampler(fraction: Fraction) -> Keep | None:
    """What keeps this fraction of all different lines; None where it keeps every one.

    A line is kept where its hash, taken as a number, is below that fraction of all hashes. So equal
    lines are kept or dropped together, a larger sample holds every smaller one, and nothing
    depends on where a line stands.

    Example:
        >>> keep = sampler(Fraction("0.25"))
        >>> sum(keep(b"line %d" % number) for number in range(10_000))
        2545
    """
    if fraction == 1:
        return None
    below = int(fraction * 256**HASH_BYTES)

    def keep(line: bytes) -> bool:
        return int.from_bytes(blake2b(line, digest_size=HASH_BYTES).digest(), "big") < below

    return keep
