"""Reading a file of a corpus, or a part of one, as documents: each a text of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wwho.corpus.contents import CHUNK, check_encoding
from wwho.corpus.lines import (
    MAX_LINE,
    JsonLinesFile,
    blocks_of,
    encode_text_of_object,
    object_of_line,
    plain_object_of_line,
    sampler,
    value_of_field,
)
from wwho.corpus.parquet import ParquetColumn, check_texts
from wwho.corpus.reader import Part, Reading, is_jsonl, is_parquet, open_part
from wwho.corpus.sources import report_read_errors
from wwho.corpus.texts import Texts, TextsReader
from wwho.errors import CorpusError
from wwho.normalize import nfc
from wwho.progress import Advance, ignore

OR_ELSE = ", or raise max_document (--max-document), which takes memory"
"""What else than breaking a text that is too long would do."""


@dataclass(frozen=True)
class DocumentSettings:
    """The settings that decide which documents a file holds.

    Attributes:
        reading: how the file is read.
        whole_files: whether a file of plain text is one document, and not each of its lines.
        name_field: the field of JSON Lines, or the column of Parquet, that names a document; None:
            documents have no names.
        skip: whether what is broken is left out and listed, and not an error.
        max_document: the most bytes of a document, and of a line of JSON that holds one.
    """

    reading: Reading
    whole_files: bool = False
    name_field: str | None = None
    skip: bool = False
    max_document: int = MAX_LINE


@dataclass
class Documents:
    """Some documents that follow each other in a file, usually of about a megabyte.

    Attributes:
        texts: their texts, in UTF-8; what was broken is U+FFFD.
        names: the name of each; empty where documents have no names.
        faults: what was left out between them, one message each.
    """

    texts: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def read_documents(
    part: Part, settings: DocumentSettings, advance: Advance = ignore
) -> Iterator[Documents]:
    """Yield the documents of a file, or of a part of one, in order.

    A document is a line of plain text without its line feed (an empty line is none), or the whole
    file; the text of an object of JSON Lines; or that of a row of Parquet (a row without one is
    none). At most about a megabyte and one document are held.

    Args:
        part: the file, or the part; a line belongs to the part that it begins in.
        settings: which documents it holds.
        advance: is told how many stored bytes have been read since it was last called.

    Raises:
        CorpusError: the file cannot be read, is not what its name says, or has a text of more bytes
            than `settings.max_document`. With `settings.skip`, the message is among the faults
            instead: of a broken object or text, that alone is left out, and of a broken file, all
            that follows.
    """
    if part.start and part.start == part.stop:
        return
    read = _read_rows if is_parquet(part.file) else _read_lines
    try:
        with report_read_errors(part.file):
            for batch in read(part, settings, advance):
                if settings.reading.normalize:
                    batch.texts = list(map(nfc, batch.texts))
                yield batch
    except CorpusError as error:
        if not settings.skip:
            raise
        yield Documents(faults=[str(error)])


def _read_lines(part: Part, settings: DocumentSettings, advance: Advance) -> Iterator[Documents]:
    """Yield the documents of a part of plain text or JSON Lines.

    A part of plain text that is to be one document is held in memory whole.

    Raises:
        CorpusError, OSError, EOFError, lzma.LZMAError: as for `read_documents`.
    """
    file, reading = part.file, settings.reading
    jsonl = is_jsonl(file, reading)
    if settings.name_field is not None and not jsonl:
        raise CorpusError(
            f"{file}: plain text has no field {settings.name_field!r} that could name a document; "
            "give JSON Lines or Parquet, or leave the names out"
        )
    # Of a whole file, the reader tells; of a part, what has been read is all that is known.
    told = ignore if part.stop is None else advance
    with open_part(part, advance) as (start, chunks, _):
        where = f"{file}, from byte {start} on" if start else file
        if settings.whole_files and not jsonl:
            yield _whole_file(file, b"".join(_check_length(file, chunks, settings)), settings)
            return
        document = JsonLinesFile(where, reading.text_field, reading.errors == "stop")
        # A line that is too long is told by its number, and skipped alone, if memory can hold it.
        most = max(settings.max_document, MAX_LINE)
        blocks = blocks_of(
            chunks, long_line=None, file=file, start=start, max_line=most, or_else=OR_ELSE
        )
        for number, block in enumerate(blocks):
            if not number and not start:
                check_encoding(file, block)
            if jsonl:
                yield _documents_of_objects(document, block, settings)
            else:
                yield _documents_of_lines(document, block, settings)
            told(len(block))


def _check_length(
    file: str, chunks: Iterable[bytes], settings: DocumentSettings
) -> Iterator[bytes]:
    """Yield chunks as they are, while they are no longer together than a document may be.

    Raises:
        CorpusError: they have more.
    """
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > settings.max_document:
            raise too_long_error(file, settings)
        yield chunk


def too_long_error(where: str, settings: DocumentSettings, what: str = "a document") -> CorpusError:
    """Return the error for a document, or what holds it, of more bytes than one may have."""
    return CorpusError(
        f"{where}: {what} has more than {settings.max_document:,} bytes; break it in parts{OR_ELSE}"
    )


def _whole_file(file: str, text: bytes, settings: DocumentSettings) -> Documents:
    """Return the one document of a file of plain text.

    Raises:
        CorpusError: it is no text in UTF-8.
    """
    check_encoding(file, text[:CHUNK])
    found = Documents()
    _add_text(found, file, text, settings)
    return found


def _documents_of_lines(
    document: JsonLinesFile, block: bytes, settings: DocumentSettings
) -> Documents:
    """Return the lines of a block of plain text that are not empty, each as a document.

    The line number of `document` goes on by the lines of the block.

    Raises:
        CorpusError: a line is too long, or is not UTF-8 and broken bytes are refused; and it is
            not skipped.
    """
    keep = sampler(settings.reading.sample)
    lines = block.removesuffix(b"\n").split(b"\n")
    most = settings.max_document
    if is_utf8(block) and (len(block) <= most or max(map(len, lines)) <= most):
        document.line += len(lines)
        return Documents([line for line in lines if line and (keep is None or keep(line))])
    found = Documents()
    for line in lines:
        document.line += 1
        if line and (keep is None or keep(line)):
            _add_text(found, document.place, line, settings)
    return found


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _add_text(found: Documents, where: str, text: bytes, settings: DocumentSettings) -> bool:
    """Add a text to documents, with U+FFFD for its broken bytes, if it is not to be skipped.

    Args:
        found: the documents.
        where: where the text stands, for errors.
        text: the text.
        settings: whether what is broken is replaced, refused or skipped.

    Returns:
        Whether it was added.

    Raises:
        CorpusError: it is refused, and not skipped.
    """
    try:
        if len(text) > settings.max_document:
            raise too_long_error(where, settings)
        if not is_utf8(text):
            if settings.reading.errors == "stop":
                check_texts(where, [text])
            text = text.decode("utf-8", "replace").encode()
    except CorpusError as error:
        if not settings.skip:
            raise
        found.faults.append(str(error))
        return False
    found.texts.append(text)
    return True


def _documents_of_objects(
    document: JsonLinesFile, block: bytes, settings: DocumentSettings
) -> Documents:
    """Return the texts of the objects in a block of JSON Lines, with their names.

    The line number of `document` goes on by the lines of the block; blank lines are passed over.

    Raises:
        CorpusError: a line is too long, is no object, or lacks a field, and is not skipped.
    """
    keep = sampler(settings.reading.sample)
    found = Documents()
    for line in block.removesuffix(b"\n").split(b"\n"):
        document.line += 1
        if keep is not None and not keep(line):
            continue
        try:
            if len(line) > settings.max_document:
                what = "the line of JSON that holds a document"
                raise too_long_error(document.place, settings, what)
            value = plain_object_of_line(line)
            if value is None:
                if not line.strip():
                    continue
                value = object_of_line(document, line)
            text, _ = encode_text_of_object(document, value)
            if settings.name_field is not None:
                found.names.append(str(value_of_field(document, value, settings.name_field)))
            found.texts.append(text)
        except CorpusError as error:
            if not settings.skip:
                raise
            found.faults.append(str(error))
    return found


def _read_rows(part: Part, settings: DocumentSettings, advance: Advance) -> Iterator[Documents]:
    """Yield the documents of some row groups of Parquet.

    Rows without a text and those outside the sample are left out. The last documents come even if
    they are none.

    Raises:
        CorpusError: as for `read_documents`.
    """
    reading = settings.reading
    keep = sampler(reading.sample)
    found, held = Documents(), 0
    with ParquetColumn(part.file, reading.column, settings.name_field) as column:
        for texts, names in column.read_rows(part.start, part.stop, advance):
            for text, name in zip(texts, names, strict=True):
                if text is None or not (keep is None or keep(text)):
                    continue
                if _add_text(found, part.file, text, settings):
                    held += len(text)
                    if settings.name_field is not None:
                        found.names.append(str(name))
            if held >= CHUNK:
                yield found
                found, held = Documents(), 0
    yield found


def documents_of_texts(texts: Texts, settings: DocumentSettings) -> Iterator[Documents]:
    """Yield the texts of a program as documents, about a megabyte at a time.

    Raises:
        CorpusError: a text holds lone surrogates that are to be refused, or is too long; nothing of
            a program is skipped.
        TypeError: an item is no text, no batch and not None.
    """
    for _, kept, _ in TextsReader(texts, settings.reading).read_batches():
        if any(len(text) > settings.max_document for text in kept):
            raise too_long_error("the texts of a program", settings)
        yield Documents(list(map(nfc, kept)) if settings.reading.normalize else kept)
