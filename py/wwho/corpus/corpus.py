"""The corpus: its sources with their weights, and the settings for reading them."""

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
from wwho.corpus.lines import LineFold
from wwho.corpus.reader import Errors, Reader, Reading, part_of
from wwho.corpus.sources import STANDARD_INPUT, files_of, size_of, stamp_of
from wwho.corpus.texts import Texts, TextsReader
from wwho.errors import CorpusError
from wwho.normalize import Normalization
from wwho.progress import Advance

Number = int | float | str | Decimal | Fraction
"""A number; text, and a float as Python writes it, is read as a decimal number."""

TEXTS = "texts"
"""The name of a source that is the texts of a program."""

MAX_WEIGHT = 1_000_000
"""The largest weight. A number with at most six decimals is one whose denominator divides it."""


@dataclass(frozen=True)
class Source:
    """A source of a corpus: one name that was given, and the files that it stands for.

    Attributes:
        name: the name, as it was given: a path, a pattern, a URL; `TEXTS` for the texts of a
            program.
        files: the files that the name stands for.
        weight: how often each word of the source counts.
        texts: the texts of a program, which are read in place of a file.
        is_counts: whether it is a file of counts; it stands for no file until these are read.
        fold: the fold of the lines that it has of its files; None: all lines.
    """

    name: str
    files: tuple[str, ...]
    weight: Fraction
    texts: Texts | None = None
    is_counts: bool = False
    fold: LineFold | None = None

    def make_reader(
        self, file: str, reading: Reading, part: tuple[int, int] = (1, 1)
    ) -> Reader | TextsReader:
        """Return what reads one of the files, or a part of it; nothing is read yet.

        What it reads is of the source's `fold` alone.

        Args:
            file: one of `files`.
            reading: the settings for reading, without a fold.
            part: which part, from 1, and of how many; the texts of a program are not cut.

        Raises:
            CorpusError: the file is to be cut, and its size cannot be read.
        """
        reading = replace(reading, fold=self.fold)
        if self.texts:
            return TextsReader(self.texts, reading)
        return Reader(part_of(file, *part, reading), reading)

    def stamp(self, file: str) -> str:
        """Return a text that changes when one of the files does (`stamp_of`).

        It is empty for the standard input and the texts of a program.

        Raises:
            CorpusError: there is no such file.
        """
        return "" if self.texts or file == STANDARD_INPUT else stamp_of(file)


class Corpus:
    """Sources of text, read one after another, never all in memory at once.

    Attributes:
        sources: the sources, files of counts first, then in the order given; no training depends
            on their order.
        reading: the settings under which all of them are read.
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
        """Name the sources, and find their files, of which none is read.

        Args:
            sources: files, folders, patterns, URLs that fsspec can open, or ``-`` for the standard
                input (`files_of` states what each stands for). The ending tells the form:
                ``.jsonl`` or ``.ndjson`` is JSON Lines, ``.parquet`` Parquet, any other plain text;
                text with ``.gz``, ``.xz`` or ``.zst`` after it is decompressed. The standard input
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
        fraction = parse_number("sample", sample, most=1)
        texts = sources if isinstance(sources, Texts) else None
        names = [TEXTS] if isinstance(sources, Texts) else [os.fspath(name) for name in sources]
        names_of_counts = [os.fspath(name) for name in counts]
        weight_of = {
            os.fspath(name): parse_number(f"the weight of {name}", weight, most=MAX_WEIGHT)
            for name, weight in (weights or {}).items()
        }
        if unknown := sorted(weight_of.keys() - {*names_of_counts, *names}):
            raise ValueError(
                f"a weight is for {unknown[0]!r}, which is no source; the sources are: "
                f"{', '.join([*names_of_counts, *names])}"
            )
        self.sources = tuple(
            Source(name, (), weight_of.get(name, Fraction(1)), is_counts=True)
            for name in names_of_counts
        )
        self.sources += tuple(
            Source(
                name,
                (name,) if texts else files_of(name),
                weight_of.get(name, Fraction(1)),
                texts,
            )
            for name in names
        )
        self.reading = Reading(field, column, fraction, errors)
        self.digests: list[str] = []

    def with_normalization(self, form: Normalization | None, *, collapse: bool = False) -> Corpus:
        """Return this corpus with other settings for what is done to text after it is read.

        Its `digests` begin empty.

        Args:
            form: the normal form that text is brought into; None: as it is.
            collapse: whether each run of white space becomes one space, as `Reading` says.
        """
        corpus = copy(self)
        corpus.reading = replace(self.reading, normalize=form, collapse=collapse)
        corpus.digests = []
        return corpus

    @property
    def unnamed_input(self) -> str | None:
        """The words for input that no other process could open by its name; None: there is none."""
        if any(source.texts for source in self.sources):
            return "the texts of a program"
        return "the standard input" if STANDARD_INPUT in self.files else None

    @property
    def read_once(self) -> str | None:
        """The words for input that can be read only once; None: all can be read again."""
        if any(source.texts and source.texts.read_once for source in self.sources):
            return "an iterator"
        return "the standard input" if STANDARD_INPUT in self.files else None

    @property
    def files(self) -> list[str]:
        """The names of the files of all sources; files of counts are not among them."""
        return [file for source in self.sources for file in source.files]

    @property
    def scale(self) -> int:
        """The smallest whole number that makes every weight whole when multiplied by it."""
        return lcm(*(source.weight.denominator for source in self.sources))

    def size(self) -> int | None:
        """Return the bytes of all files as they are stored; None if those of one are not known.

        Raises:
            CorpusError: a file is missing.
        """
        if any(source.texts for source in self.sources):
            return None
        sizes = [size_of(file) for file in self.files]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def blocks(self, advance: Advance) -> Iterator[bytes]:
        """Yield the text of all sources in blocks that end after a line.

        In a line of over 16 MiB a block may also end before a space. Weights have no part in it;
        files of counts have no text. The digest of each file is appended to `digests` once the file
        has been read.

        Args:
            advance: is told how many stored bytes have been read since it was last called.

        Raises:
            CorpusError: a file cannot be read, is not what its name says, or begins as no text in
                UTF-8 does.
        """
        for source in self.sources:
            for file in source.files:
                reader = source.make_reader(file, self.reading)
                for number, block in enumerate(reader.blocks(advance)):
                    if not number:
                        check_encoding(file, block.text)
                    yield block.text
                assert reader.digest is not None
                self.digests.append(reader.digest)


def parse_number(what: str, value: Number, *, most: int) -> Fraction:
    """Return a number over 0, with at most six decimals, as an exact fraction.

    Args:
        what: the name of the number, for the error.
        value: the number, or its decimal spelling; a float counts as Python writes it.
        most: the largest number that is allowed.

    Raises:
        ValueError: it is no number, or out of range, or has too many decimals.

    Example:
        >>> parse_number("sample", "0.25", most=1), parse_number("sample", 0.1, most=1)
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


def format_decimal(number: Fraction) -> str:
    """Return a number with at most six decimals, as people write it.

    Example:
        >>> format_decimal(Fraction(5, 2)), format_decimal(Fraction(3))
        ('2.5', '3')
    """
    return f"{float(number):.6f}".rstrip("0").rstrip(".")
