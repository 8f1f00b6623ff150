"""Blocks of lines: from chunks of bytes, plain text or JSON Lines, whole or a sample."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

from wwho.corpus.contents import CHUNK
from wwho.errors import CorpusError

HASH_BYTES = 8
"""Bytes of the hash of a line that decides whether it is in a sample."""

MAX_LINE = 1 << 26
"""A line of more bytes than this is refused: 64 MiB, where lines of text have kilobytes."""

Keep = Callable[[bytes], bool]
"""A function that takes a line without its line feed and tells whether it is in the sample."""

DEFAULT_FIELD = "text"
MAX_FIELDS_SHOWN = 8
"""Names of fields that an error lists, at most."""


class Block(NamedTuple):
    """A block of text of a corpus, usually of about a megabyte.

    Attributes:
        text: the text, in UTF-8, which may have broken bytes; it ends where no word goes on.
        lines: how many lines (objects, rows) of the file begin in it.
        sampled: how many of them are in the sample: the text of the others is left out.
        stray: how many broken characters were replaced with U+FFFD. Broken bytes that are still in
            the text are not among them: they are counted where the text is cut into words.
    """

    text: bytes
    lines: int
    sampled: int
    stray: int = 0


def blocks_of(
    chunks: Iterable[bytes],
    *,
    long_line: int | None,
    file: str = "",
    start: int = 0,
    max_line: int = MAX_LINE,
    or_else: str = "",
) -> Iterator[bytes]:
    """Yield the bytes of chunks in blocks that end after a line.

    A block ends after the last line feed of a chunk; the last block may end without one. Chunks are
    held until a line feed comes, or `max_line` bytes have come without one.

    Args:
        chunks: bytes, cut anywhere.
        long_line: how many bytes are held before a block may also end before a space: where one
            U+0020 stands before a word, it belongs to that word. None: a block always ends after a
            line.
        file: its name, for the error.
        start: bytes of the contents that come before the first chunk.
        max_line: the most bytes of a line that goes on in another chunk.
        or_else: what else than breaking the line would do, for the error.

    Raises:
        CorpusError: more than `max_line` bytes come without an end; it names the byte from which.
    """
    parts: list[bytes] = []
    held, at = 0, start
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        to_end = chunk.find(b"\n") if cut else len(chunk)
        if not cut and long_line is not None and held >= long_line:
            cut = max(chunk.rfind(b" "), 0)
            to_end = 0 if cut else len(chunk)
        if held + to_end > max_line:
            ends = "line feed" if long_line is None else "line feed and no space"
            raise CorpusError(
                f"{file}: the {max_line:,} bytes from byte {at:,} of the contents on have no "
                f"{ends}; break the line where a text ends{or_else}"
            )
        if cut:
            yield b"".join((*parts, chunk[:cut]))
            at += held + cut
            parts, held = [], 0
        parts.append(chunk[cut:])
        held += len(chunk) - cut
    if held:
        yield b"".join(parts)


def plain_text_blocks(blocks: Iterable[bytes], keep: Keep | None) -> Iterator[Block]:
    """Yield a `Block` of the lines in the sample for each block of plain text.

    Args:
        blocks: whole lines; where `keep` is None, a line may go on in the next block. It is counted
            in the block in which it begins.
        keep: which lines are in the sample; None: all, and the text stays as it is. Otherwise every
            line gets a line feed.
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


def check_utf8(file: str, blocks: Iterable[bytes], start: int) -> Iterator[bytes]:
    """Yield the blocks as they are, and raise an error at the first one that is not UTF-8.

    Args:
        file: its name, for the error.
        blocks: whole lines, or lines cut before a space.
        start: bytes of the contents that come before the first block.

    Raises:
        CorpusError: a block is not; it names the line, counted from the first block, and the byte.
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


def join_lines(texts: Iterable[bytes]) -> bytes:
    """Return texts as one, with a line feed after each."""
    return b"".join(text + b"\n" for text in texts)


def encode_text(where: str, text: str, strict: bool) -> tuple[bytes, int]:
    """Return a text as UTF-8, with U+FFFD for every surrogate, and how many surrogates there were.

    A surrogate is a code point from U+D800 to U+DFFF. In a `str` each is alone: two side by side
    are no character, but become U+FFFD twice, and count as two.

    Args:
        where: where the text stands, for the error.
        text: the text.
        strict: whether surrogates are refused.

    Raises:
        CorpusError: the text has a surrogate, and `strict` is true; the message names the first.
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


def seek_line_start(stream: io.BufferedReader, offset: int) -> int:
    """Move a stream to the first line that begins at `offset` or later, and return where that is.

    With the offset 0 the stream stays where it is. Past the last line the result is the end.
    """
    if not offset:
        return 0
    stream.seek(offset - 1)
    return offset - 1 + sum(map(len, read_rest_of_line(stream)))


def read_lines_until(stream: io.BufferedReader, start: int, stop: int) -> Iterator[bytes]:
    """Yield the lines that begin before byte `stop`, in chunks of up to `CHUNK` bytes.

    Args:
        stream: the file, which is at `start`.
        start: where a line begins.
        stop: the byte before which the last line begins; it is read to its end.
    """
    last = b"\n"
    while start < stop and (last := stream.read(min(CHUNK, stop - start))):
        start += len(last)
        yield last
    if last and not last.endswith(b"\n"):
        yield from read_rest_of_line(stream)


def read_rest_of_line(stream: io.BufferedReader) -> Iterator[bytes]:
    """Yield what is left of the line at which a stream is, with its line feed, in chunks."""
    while piece := stream.readline(CHUNK):
        yield piece
        if piece.endswith(b"\n"):
            return


# JSON Lines


@dataclass
class JsonLinesFile:
    """A file of JSON Lines while it is read: what to read, and how far reading has come.

    Attributes:
        file: the file's name, for errors.
        field: the field of each object that holds the text.
        stop: whether a lone surrogate is refused, and not replaced with U+FFFD.
        line: the number of the line last read, from 1; 0 before the first.
        stray: how many bytes of broken UTF-8 and lone surrogates were replaced so far.
    """

    file: str
    field: str
    stop: bool = False
    line: int = 0
    stray: int = 0

    @property
    def place(self) -> str:
        """The file and the line last read, for errors."""
        return f"{self.file}, line {self.line}"


def json_lines_blocks(
    document: JsonLinesFile, blocks: Iterable[bytes], keep: Keep | None
) -> Iterator[Block]:
    """Yield a `Block` of the texts in the sample for each block of JSON Lines.

    Each text becomes a line; one with line feeds becomes several. Empty lines are passed over.

    Args:
        document: the file; its line number and broken characters are counted up.
        blocks: whole lines of the file.
        keep: which of its lines, as JSON, are in the sample; None: all.

    Raises:
        CorpusError: a line is no JSON object, or lacks the field, or the field is not a string.
    """
    for block in blocks:
        texts = []
        lines, stray = 0, document.stray
        for line in block.removesuffix(b"\n").split(b"\n"):
            document.line += 1
            if not line.strip():
                continue
            lines += 1
            if keep is None or keep(line):
                value = plain_object_of_line(line) or object_of_line(document, line)
                encoded, broken = encode_text_of_object(document, value)
                texts.append(encoded)
                document.stray += broken
        yield Block(join_lines(texts), lines, len(texts), document.stray - stray)


_decoder = json.JSONDecoder()


def plain_object_of_line(line: bytes) -> dict[str, object] | None:
    """Return the object in a line of JSON that holds it from the first byte to the last, in UTF-8.

    For any other line, also a wrong one, the result is None: then `object_of_line` tells. Reading a
    corpus takes a third less time where most lines are such.
    """
    try:
        text = line.decode()
        value, end = _decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) and type(value) is dict else None


def encode_text_of_object(document: JsonLinesFile, value: dict[str, object]) -> tuple[bytes, int]:
    """Return the text in an object of JSON Lines as UTF-8, and how many surrogates were replaced.

    The text is that of the document's field; see `encode_text`.

    Raises:
        CorpusError: the object lacks the field, the field is not a string, or it holds a lone
            surrogate that is to be refused.
    """
    text = value_of_field(document, value, document.field)
    if not isinstance(text, str):
        raise CorpusError(
            f"{document.place}: field {document.field!r} must be a string, not "
            f"{type(text).__name__}"
        )
    try:
        return text.encode(), 0
    except UnicodeEncodeError:
        return encode_text(document.place, text, document.stop)


def object_of_line(document: JsonLinesFile, line: bytes) -> dict[str, object]:
    """Return the object in one line of JSON; bytes of broken UTF-8 become lone surrogates.

    A byte order mark before the object is passed over.

    Raises:
        CorpusError: the line is no JSON object.
    """
    try:
        value = json.loads(line.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"{document.place}: not valid JSON ({error}); every line must be one JSON object"
        ) from error
    if not isinstance(value, dict):
        raise CorpusError(
            f"{document.place}: a JSON object is expected, not {type(value).__name__}"
        )
    return value


def value_of_field(document: JsonLinesFile, value: dict[str, object], field: str) -> object:
    """Return what an object of JSON Lines has in a field.

    Raises:
        CorpusError: it has no such field; the message names those that it has.
    """
    if field not in value:
        names = ", ".join(map(repr, list(value)[:MAX_FIELDS_SHOWN])) or "none"
        raise CorpusError(
            f"{document.place}: no field {field!r}; its fields are: {names}; name one with --field"
        )
    return value[field]


# A sample


def sampler(fraction: Fraction) -> Keep | None:
    """Return a function that tells whether a line is in a sample; None for a sample of all lines.

    The sample has about this fraction of all different lines. A line is kept if its hash, taken as
    a number, is below that fraction of all hashes. So equal lines are kept or dropped together, a
    larger sample holds every smaller one, and nothing depends on where a line stands.

    Example:
        >>> keep = sampler(Fraction("0.25"))
        >>> sum(keep(b"line %d" % number) for number in range(10_000))
        2545
    """
    if fraction == 1:
        return None
    below = int(fraction * 256**HASH_BYTES)

    def keep(line: bytes) -> bool:
        """Return whether a line, without its line feed, is in the sample."""
        return int.from_bytes(blake2b(line, digest_size=HASH_BYTES).digest(), "big") < below

    return keep


class LineFold(NamedTuple):
    """One of several folds of lines, which together have each line of a text once.

    Attributes:
        number: which fold, from 0.
        of: how many folds there are.
    """

    number: int
    of: int


def lines_of_fold(text: bytes, fold: LineFold) -> bytes:
    """Return the lines of a text that are in a fold, in order, each with a line feed.

    A line's digest says in which fold it is. So equal lines are in one fold, and nothing depends on
    where a line stands, or on the form of the file. Blank lines go with the line before them, as
    the words of a base may hold several line feeds; at the beginning they are in fold 0.

    Example:
        >>> [lines_of_fold(b"a\\n\\nb\\nc\\nd\\n", LineFold(k, 2)) for k in range(2)]
        [b'd\\n', b'a\\n\\nb\\nc\\n']
    """
    kept: list[bytes] = []
    within = fold.number == 0
    for line in text.removesuffix(b"\n").split(b"\n") if text else ():
        if line.strip():
            within = crc32(line) % fold.of == fold.number
        if within:
            kept.append(line)
    return join_lines(kept)
