"""Text as it is measured: lines as arrays, block by block, and ranges that tokens may cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from unicode_segmentation_rs import grapheme_indices

from wwho.compile.schema import union
from wwho.compile.unicode import script
from wwho.corpus import Corpus
from wwho.corpus.contents import broken_bytes
from wwho.normalize import Normalization
from wwho.progress import Advance
from wwho.text import characters

Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

# Scripts whose words no space divides: those of Unicode's line-breaking class SA, and more.
_SPACELESS_SCRIPTS = """
    Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom Tibetan Javanese Balinese
    Han Hiragana Katakana Yi
    """.split()  # noqa: SIM905 - a list would fill the page
_SPACELESS = np.array(union(map(script, _SPACELESS_SCRIPTS)).ranges, np.uint32)

# White space is what `str.split` splits at; the last such character is U+3000.
_END_OF_SPACES = 0x3001
_IS_SOLID = np.array([not chr(point).isspace() for point in range(_END_OF_SPACES + 1)])


def bounds(sizes: Iterable[int]) -> Ints:
    """Where parts of these sizes begin when laid end to end, and where the last one ends.

    Example:
        >>> bounds([2, 0, 1]).tolist()
        [0, 2, 2, 3]
    """
    return np.concatenate(([0], np.cumsum(np.fromiter(sizes, np.int64), dtype=np.int64)))


def part_of(begins: Ints, places: Ints) -> Ints:
    """The number of the part that each place is in, given `bounds`.

    Example:
        >>> part_of(bounds([2, 0, 1]), np.array([0, 1, 2])).tolist()
        [0, 0, 2]
    """
    return np.searchsorted(begins, places, side="right") - 1


class Damage(NamedTuple):
    """How many cuts lie inside a range, and how many ranges have one inside."""

    cuts: int
    broken: int


class Extents(NamedTuple):
    """Ranges of bytes, ascending, that do not overlap: first bytes, and the bytes after them."""

    starts: Ints
    ends: Ints

    def damage(self, cuts: Ints) -> Damage:
        """What cuts before these bytes, ascending, do to the ranges.

        Example:
            >>> words = Extents(np.array([0, 4]), np.array([3, 9]))
            >>> words.damage(np.array([1, 2, 3, 4, 9]))
            Damage(cuts=2, broken=1)
        """
        owner = np.searchsorted(self.starts, cuts, side="left") - 1
        owner, cuts = owner[owner >= 0], cuts[owner >= 0]
        hit = owner[cuts < self.ends[owner]]
        return Damage(len(hit), len(np.unique(hit)))


@dataclass(frozen=True)
class Block:
    """Some lines of a text, without their line feeds; each is a text of its own.

    Offsets into a block are those into its lines laid end to end. `broken` is how many bytes of
    them were not UTF-8; each became U+FFFD.
    """

    lines: list[str]
    broken: int = 0

    @cached_property
    def encoded(self) -> list[bytes]:
        """The lines in UTF-8."""
        return [line.encode() for line in self.lines]

    @cached_property
    def line_bytes(self) -> Ints:
        """The byte at which each line begins, and the number of bytes."""
        return bounds(map(len, self.encoded))

    @cached_property
    def line_characters(self) -> Ints:
        """The code point at which each line begins, and the number of code points."""
        return bounds(map(len, self.lines))

    @cached_property
    def code_points(self) -> npt.NDArray[np.uint32]:
        """The code points."""
        return np.frombuffer("".join(self.lines).encode("utf-32-le"), "<u4")

    @cached_property
    def character_bytes(self) -> Ints:
        """The byte at which each code point begins, and the number of bytes."""
        data = np.frombuffer(b"".join(self.encoded), np.uint8)
        return np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))

    @cached_property
    def clusters(self) -> Extents:
        """The extended grapheme clusters: what a reader takes for a character (UAX #29).

        The library is both right and fast. The regex package's ``\\X`` joins a virama and a
        consonant also where no consonant stands before them, against rule GB9c.

        Example:
            >>> Block(["aක्षि", "ක්‍ෂ"]).clusters
            Extents(starts=array([ 0,  1, 13, 22]), ends=array([ 1, 13, 22, 25]))
        """
        begins = zip(self.line_bytes[:-1], map(_clusters, self.lines), strict=True)
        starts = np.concatenate([line + within for line, within in begins])
        return Extents(starts, np.append(starts[1:], self.line_bytes[-1])[: len(starts)])

    @cached_property
    def word_starts(self) -> Bools:
        """Whether a word, which is what white space separates, begins with a code point."""
        return self.word_starts_within(np.zeros(len(self.code_points), np.uint8))

    def word_starts_within(self, routes: Ints) -> Bools:
        """The same, where a word also ends where the route of the code points changes."""
        is_solid: Bools = _IS_SOLID[np.minimum(self.code_points, _END_OF_SPACES)]
        free = np.append(True, ~is_solid)  # one longer: empty lines may stand at the end
        free[1:-1] |= routes[1:] != routes[:-1]
        free[self.line_characters] = True
        starts: Bools = is_solid & free[:-1]
        return starts

    @cached_property
    def is_spaceless(self) -> Bools:
        """Whether each code point is of a script that puts no spaces between words."""
        firsts, lasts = _SPACELESS.T
        place = np.searchsorted(firsts, self.code_points, side="right") - 1
        found: Bools = (place >= 0) & (self.code_points <= lasts[place])
        return found


def _clusters(line: str) -> Ints:
    """The bytes of a line at which clusters begin."""
    if line.isascii() and "\r\n" not in line:
        return np.arange(len(line))
    return np.fromiter(map(itemgetter(0), grapheme_indices(line, True)), np.int64)


@dataclass(frozen=True)
class DataSet:
    """A text to measure.

    Attributes:
        name: what the report calls it.
        file: a path; how it is read is said at `wwho.corpus.Corpus`.
        field: the field of JSON Lines that holds the text; None for "text".
        column: the column of Parquet that does.
        normalize: the form that the text is brought into; None: as it is.
    """

    name: str
    file: str
    field: str | None = None
    column: str = "text"
    normalize: Normalization | None = None

    def corpus(self) -> Corpus:
        """The file, not yet opened."""
        corpus = Corpus([self.file], field=self.field, column=self.column)
        return corpus.normalized(self.normalize)


def blocks(corpus: Corpus, advance: Advance) -> Iterator[Block]:
    """The lines of a corpus, about a megabyte at a time, as `Corpus.blocks` reads them."""
    for data in corpus.blocks(advance):
        yield Block(characters(data).removesuffix("\n").split("\n"), broken_bytes(data))
