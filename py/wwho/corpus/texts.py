"""Texts that a program gives, as a source of a corpus, and their reader."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from wwho.corpus.contents import CHUNK
from wwho.corpus.lines import Block, encode_text, join_lines, sampler
from wwho.progress import Advance

if TYPE_CHECKING:
    from wwho.corpus.reader import Reading

Given = Iterable[str | Iterable[str | None] | None]
"""An iterable of texts, or of batches of texts; None, as in a column with gaps, is passed over."""


class Texts:
    """The texts that a program gives: an iterable, which is iterated anew for each reading.

    Attributes:
        read_once: whether it can be read only once, as a generator can.
    """

    def __init__(self, texts: Given) -> None:
        """Keep an iterable of texts or of batches; nothing is read yet.

        Raises:
            TypeError: it is a single text, or no iterable.
        """
        if isinstance(texts, (str, bytes, Mapping)) or not isinstance(texts, Iterable):
            raise TypeError(
                f"the texts are given as {_type_name(texts)}; an iterable of str is expected, such "
                "as a list, a generator or a column of a dataset; for files, give "
                "Corpus([file, ...])"
            )
        self._texts = texts
        self.read_once = isinstance(texts, Iterator)

    def __iter__(self) -> Iterator[str]:
        """Yield the texts, one after another, whether they come alone or in batches.

        Raises:
            TypeError: an item is no text, no batch and not None.
        """
        for item in self._texts:
            if isinstance(item, str):
                yield item
            elif item is not None:
                yield from _texts_of_batch(item)


def _texts_of_batch(items: Iterable[str | None]) -> Iterator[str]:
    """Yield the texts of a batch; None is passed over.

    Raises:
        TypeError: the batch is no iterable of texts, or is a mapping, such as a row of a dataset.
    """
    if isinstance(items, (bytes, Mapping)) or not isinstance(items, Iterable):
        raise TypeError(_wrong_type_message(items))
    for item in items:
        if isinstance(item, str):
            yield item
        elif item is not None:
            raise TypeError(_wrong_type_message(item))


def _wrong_type_message(found: object) -> str:
    """Return the message of the error for something that is no text, with what to do about it."""
    remedy = ""
    if isinstance(found, Mapping):
        remedy = '; of rows give the texts alone, as in (row["text"] for row in rows)'
    elif isinstance(found, bytes):
        remedy = "; decode it"
    return f"a text is expected as str, not as {_type_name(found)}{remedy}"


def _join_surrogate_pairs(text: str) -> str:
    """Return the text with each pair of surrogates replaced by the character that it means.

    A tokenizer reads text in the same way. Lone surrogates stay.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _type_name(found: object) -> str:
    """Return the name of an object's type; of a text, which may be a mistaken list: "a single"."""
    return f"a single {type(found).__name__}" if isinstance(found, str) else type(found).__name__


class TextsReader:
    """Reads the texts of a program once, as a `Reader` reads a column of Parquet.

    Attributes:
        digest: SHA-256 of the texts, each with a line feed after it, in hexadecimal: the digest of
            a file of these lines. None until all have been read.
        part_digest: the same, for texts are not cut into parts; empty until all have been read.
    """

    def __init__(self, texts: Texts, reading: Reading) -> None:
        """Keep what to read, and how; nothing is read yet."""
        self._texts = texts
        self._reading = reading
        self.digest: str | None = None
        self.part_digest = ""

    def blocks(self, advance: Advance) -> Iterator[Block]:
        """Yield the texts in blocks of about a megabyte, a line for each text.

        A text with line feeds becomes several lines. At most one block and one text are held.

        Args:
            advance: is told how many bytes of text have been read.

        Raises:
            CorpusError: a text holds lone surrogates, and those are to be refused.
            TypeError: an item is no text, no batch and not None.
        """
        digest = hashlib.sha256()
        for lines, kept, stray in self.read_batches():
            text = join_lines(lines)
            digest.update(text)
            advance(len(text))
            block = Block(join_lines(kept), len(lines), len(kept), stray)
            yield self._reading.finish_block(block)
        self.part_digest = self.digest = digest.hexdigest()

    def read_batches(self) -> Iterator[tuple[list[bytes], list[bytes], int]]:
        """Yield about a megabyte of texts at a time, in UTF-8.

        With each batch come those of its texts that are in the sample, and the number of broken
        characters in these.

        Raises:
            CorpusError: a text holds lone surrogates, and those are to be refused.
            TypeError: an item is no text, no batch and not None.
        """
        strict, keep = self._reading.errors == "stop", sampler(self._reading.sample)
        lines: list[bytes] = []
        kept: list[bytes] = []
        held = stray = 0
        for number, text in enumerate(self._texts, start=1):
            line, broken = encode_text(f"text {number}", _join_surrogate_pairs(text), strict)
            lines.append(line)
            if keep is None or keep(line):
                kept.append(line)
                stray += broken
            held += len(line)
            if held >= CHUNK:
                yield lines, kept, stray
                lines, kept, held, stray = [], [], 0, 0
        if lines:
            yield lines, kept, stray
