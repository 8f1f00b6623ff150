"""Texts of a program, as a source of a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from wwho.corpus.contents import CHUNK
from wwho.corpus.lines import Block, encoded, joined, sampler
from wwho.progress import Advance

if TYPE_CHECKING:
    from wwho.corpus.reader import Reading

Given = Iterable[str | Iterable[str | None] | None]
"""Texts, or batches of texts; None, as in a column with gaps, is passed over."""


class Texts:
    """An iterable of texts, each of which is taken, counted and forgotten.

    Attributes:
        read_once: whether it can be read only once, as a generator can.
    """

    def __init__(self, texts: Given) -> None:
        """Take an iterable; nothing is read yet.

        Raises:
            TypeError: it is a single text, or no iterable.
        """
        if isinstance(texts, (str, bytes, Mapping)) or not isinstance(texts, Iterable):
            raise TypeError(
                f"the texts are given as {_kind(texts)}; an iterable of str is expected, such as a "
                "list, a generator or a column of a dataset; for files, give Corpus([file, ...])"
            )
        self._texts = texts
        self.read_once = isinstance(texts, Iterator)

    def __iter__(self) -> Iterator[str]:
        """The texts, one after another, whether they come alone or in batches.

        Raises:
            TypeError: something else comes.
        """
        for item in self._texts:
            if isinstance(item, str):
                yield item
            elif item is not None:
                yield from _batch(item)


def _batch(items: Iterable[str | None]) -> Iterator[str]:
    if isinstance(items, (bytes, Mapping)) or not isinstance(items, Iterable):
        raise TypeError(_expected(items))
    for item in items:
        if isinstance(item, str):
            yield item
        elif item is not None:
            raise TypeError(_expected(item))


def _expected(found: object) -> str:
    remedy = ""
    if isinstance(found, Mapping):
        remedy = '; of rows give the texts alone, as in (row["text"] for row in rows)'
    elif isinstance(found, bytes):
        remedy = "; decode it"
    return f"a text is expected as str, not as {_kind(found)}{remedy}"


def _paired(text: str) -> str:
    """The text with the characters that pairs of surrogates mean, as a tokenizer reads them."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _kind(found: object) -> str:
    return f"a single {type(found).__name__}" if isinstance(found, str) else type(found).__name__


class TextsReader:
    """Reads texts as a `Reader` reads a column of Parquet.

    Attributes:
        digest: SHA-256 of the texts, each with a line feed behind it, once all have been read:
            that of a file of these lines.
        part_digest: the same: texts are not cut.
    """

    def __init__(self, texts: Texts, reading: Reading) -> None:
        """Say what to read, and how."""
        self._texts = texts
        self._reading = reading
        self.digest: str | None = None
        self.part_digest = ""

    def blocks(self, advance: Advance) -> Iterator[Block]:
        """The texts, in blocks of about a megabyte; at most one block and one text are held.

        Args:
            advance: is told how many bytes of text have been read.

        Raises:
            CorpusError: a text holds lone surrogates, and those are to be refused.
            TypeError: something else than texts comes.
        """
        digest = hashlib.sha256()
        for lines, kept, stray in self._batches():
            text = joined(lines)
            digest.update(text)
            advance(len(text))
            yield self._reading.normalized(Block(joined(kept), len(lines), len(kept), stray))
        self.part_digest = self.digest = digest.hexdigest()

    def _batches(self) -> Iterator[tuple[list[bytes], list[bytes], int]]:
        """Some texts at a time; those that are in the sample; and broken characters of these."""
        strict, keep = self._reading.errors == "stop", sampler(self._reading.sample)
        lines: list[bytes] = []
        kept: list[bytes] = []
        held = stray = 0
        for number, text in enumerate(self._texts, start=1):
            line, broken = encoded(f"text {number}", _paired(text), strict)
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
