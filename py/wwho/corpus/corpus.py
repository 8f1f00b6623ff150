"""What to train on, and how to read it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import get_args

from wwho.corpus.contents import check_encoding
from wwho.corpus.reader import Errors, Reader, Reading, part_of
from wwho.corpus.sources import STANDARD_INPUT, files_of, size_of, stamp_of
from wwho.corpus.texts import Texts, TextsReader
from wwho.errors import CorpusError
from wwho.normalize import Normalization
from wwho.progress import Advance

Number = int | float | str | Decimal | Fraction
"""A number; text, and a float as Python writes it, is read as a decimal number."""

TEXTS = "texts"
"""What the texts of a program are called."""

MAX_WEIGHT = 1_000_000
"""The largest weight; and what a denominator must divide: six decimals."""


@dataclass(frozen=True)
class Source:
    """A part of a corpus.

    Attributes:
        name: as it was given: a path, a pattern, a URL; `TEXTS` for the texts of a program.
        files: what it stands for.
        weight: how often each of its words counts.
        texts: what is read in place of a file.
        is_counts: whether it is a file of counts; it stands for no file until these are read.
    """

    name: str
    files: tuple[str, ...]
    weight: Fraction
    texts: Texts | None = None
    is_counts: bool = False

    def reader(
        self, file: str, reading: Reading, part: tuple[int, int] = (1, 1)
    ) -> Reader | TextsReader:
        """What reads one of the files, or a part of it.

        Args:
            file: its name.
            reading: how to read it.
            part: which part, from 1, and of how many; texts are not cut.

        Raises:
            CorpusError: it is to be cut, and cannot be read.
        """
        if self.texts:
            return TextsReader(self.texts, reading)
        return Reader(part_of(file, *part, reading), reading)

    def stamp(self, file: str) -> str:
        """What changes when one of the files does; empty where nothing says.

        Raises:
            CorpusError: there is no such file.
        """
        return "" if self.texts or file == STANDARD_INPUT else stamp_of(file)


class Corpus:
    """Sources of text, read one after another, never all in memory at once.

    Attributes:
        sources: in the order given, which no training depends on.
        reading: how all of them are read.
        digests: SHA-256 of the contents of each file that `blocks` has read so far.
    """

    def __init__(
        self,
        sources: Sequence[str | os.PathLike[str]] | Texts = (),
        *,
        counts: Sequence[str | os.PathLike[str]] = (),
        field: str | None = None,
        column: str = "text",
        weights: Mapping[str, Number] | Mapping[Path, Number] | None = None,
        sample: Number = 1,
        errors: Errors = "replace",
    ) -> None:
        """Name the sources, and find their files.

        Args:
            sources: files, folders, patterns, URLs that fsspec can open, or ``-`` for the standard
                input (`files_of` states what each stands for). The ending tells the form:
                ``.jsonl`` or ``.ndjson`` is JSON Lines, ``.parquet`` Parquet, any other plain text;
                text with ``.gz``, ``.xz`` or ``.zst`` behind it is decompressed. The standard input
                is decompressed where it starts like one of those. Or the texts of a program.
            counts: files of counts, of words counted before with the same options; sources, too.
            field: the field of JSON Lines that holds the text, ``text`` where it is None; naming
                one makes the standard input JSON Lines.
            column: the column of Parquet that holds the text; rows without one are passed over.
            weights: how often the words of a source count, by its name as in `sources`; 1 for all
                others. A weight of 3 is the same as naming the source three times; 0.5 halves every
                count. At most 1,000,000, with at most six decimals; the arithmetic is exact.
            sample: the fraction of the lines that counts (`sampler` states which ones): lines of
                text, objects of JSON Lines, rows of Parquet.
            errors: ``replace`` reads every broken character as U+FFFD, ``stop`` refuses them.

        Raises:
            CorpusError: a folder or pattern stands for no file, or there is no source.
            ValueError: a number is out of range, a weight is for no source, or the sources are a
                single text.
        """
        if isinstance(sources, str):
            raise ValueError(f"the sources are {sources!r}; a list of names is expected")
        if not isinstance(sources, Texts) and not sources and not counts:
            raise CorpusError("there is no source to train on; name a file")
        if errors not in get_args(Errors):
            raise ValueError(f"errors is {errors!r}; it must be 'replace' or 'stop'")
        fraction = exact("sample", sample, most=1)
        texts = sources if isinstance(sources, Texts) else None
        names = [TEXTS] if isinstance(sources, Texts) else [os.fspath(name) for name in sources]
        counted = [os.fspath(name) for name in counts]
        asked = {
            os.fspath(name): exact(f"the weight of {name}", weight, most=MAX_WEIGHT)
            for name, weight in (weights or {}).items()
        }
        if unknown := sorted(asked.keys() - {*counted, *names}):
            raise ValueError(
                f"a weight is for {unknown[0]!r}, which is no source; the sources are: "
                f"{', '.join([*counted, *names])}"
            )
        self.sources = tuple(
            Source(name, (), asked.get(name, Fraction(1)), is_counts=True) for name in counted
        ) + tuple(
            Source(name, (name,) if texts else files_of(name), asked.get(name, Fraction(1)), texts)
            for name in names
        )
        self.reading = Reading(field, column, fraction, errors)
        self.digests: list[str] = []

    def normalized(self, form: Normalization | None, *, collapse: bool = False) -> Corpus:
        """The same corpus, its text brought into this form, None: as it is; see `Reading`."""
        corpus = copy(self)
        corpus.reading = replace(self.reading, normalize=form, collapse=collapse)
        corpus.digests = []
        return corpus

    @property
    def unnamed_input(self) -> str | None:
        """What of it has no name under which another process could open it; None: nothing."""
        if any(source.texts for source in self.sources):
            return "the texts of a program"
        return "the standard input" if STANDARD_INPUT in self.files else None

    @property
    def read_once(self) -> str | None:
        """What of it can be read only once; None: nothing."""
        if any(source.texts and source.texts.read_once for source in self.sources):
            return "an iterator"
        return "the standard input" if STANDARD_INPUT in self.files else None

    @property
    def files(self) -> list[str]:
        """The files of all sources."""
        return [file for source in self.sources for file in source.files]

    @property
    def scale(self) -> int:
        """The smallest number that makes every weight whole."""
        return lcm(*(source.weight.denominator for source in self.sources))

    def size(self) -> int | None:
        """Bytes of all files as they are stored; None where that of one is not known.

        Raises:
            CorpusError: a file is missing.
        """
        if any(source.texts for source in self.sources):
            return None
        sizes = [size_of(file) for file in self.files]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def blocks(self, advance: Advance) -> Iterator[bytes]:
        """The text, in blocks that end behind a line (a very long line: before a space).

        Args:
            advance: is told how many stored bytes have been read.

        Raises:
            CorpusError: a file cannot be read, is not what its name says, or begins as no text in
                UTF-8 does.
        """
        for source in self.sources:
            for file in source.files:
                reader = source.reader(file, self.reading)
                for number, block in enumerate(reader.blocks(advance)):
                    if not number:
                        check_encoding(file, block.text)
                    yield block.text
                assert reader.digest is not None
                self.digests.append(reader.digest)


def exact(what: str, value: Number, *, most: int) -> Fraction:
    """A positive number as a fraction.

    Raises:
        ValueError: it is none, or out of range, or has too many decimals.

    Example:
        >>> exact("sample", "0.25", most=1), exact("sample", 0.1, most=1)
        (Fraction(1, 4), Fraction(1, 10))
    """
    try:
        number = Fraction(str(value) if isinstance(value, float) else value)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"{what} is {value!r}; a number such as 2 or 0.5 is expected") from error
    if not 0 < number <= most or MAX_WEIGHT % number.denominator:
        raise ValueError(
            f"{what} is {value}; it must be over 0 and at most {most:,}, with at most six decimals"
        )
    return number


def decimal(number: Fraction) -> str:
    """A number with at most six decimals, as people write it.

    Example:
        >>> decimal(Fraction(5, 2)), decimal(Fraction(3))
        ('2.5', '3')
    """
    return f"{float(number):.6f}".rstrip("0").rstrip(".")
