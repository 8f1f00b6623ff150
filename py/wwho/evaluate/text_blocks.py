"""The texts that an evaluation reads: blocks of lines as numpy arrays, and ranges of their bytes.

Offsets into a block count its lines laid end to end, without their line feeds.
"""

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
from wwho.corpus.contents import count_broken_bytes
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
_SPACELESS_RANGES = np.array(union(map(script, _SPACELESS_SCRIPTS)).ranges, np.uint32)

# White space is what `str.split` splits at. The last such character is U+3000, so the entry for
# U+3001 answers for all code points after it.
_END_OF_SPACES = 0x3001
_IS_SOLID = np.array([not chr(point).isspace() for point in range(_END_OF_SPACES + 1)])


def offsets_of(sizes: Iterable[int]) -> Ints:
    """Return where parts of these sizes begin when laid end to end, and then their total size.

    Returns:
        One number more than there are sizes; `[0]` for no sizes.

    Example:
        >>> offsets_of([2, 0, 1]).tolist()
        [0, 2, 2, 3]
    """
    return np.concatenate(([0], np.cumsum(np.fromiter(sizes, np.int64), dtype=np.int64)))


def find_parts(offsets: Ints, places: Ints) -> Ints:
    """Return for each place the number of the part that it lies in, counted from 0.

    An empty part holds no place. A place before 0 gives -1, one after the last part their number.

    Args:
        offsets: the parts, as `offsets_of` returns them.
        places: positions, in any order.

    Example:
        >>> find_parts(offsets_of([2, 0, 1]), np.array([0, 1, 2])).tolist()
        [0, 0, 2]
    """
    return np.searchsorted(offsets, places, side="right") - 1


class Damage(NamedTuple):
    """How many cuts lie inside any range, and how many ranges have at least one cut inside."""

    cuts: int
    broken: int


class ByteRanges(NamedTuple):
    """Ranges of bytes in a block, ascending and disjoint: first bytes, and bytes after the last."""

    starts: Ints
    ends: Ints

    def count_damage(self, cuts: Ints) -> Damage:
        """Count the cuts that lie strictly inside a range, and the ranges that have one.

        A cut at a range's first byte, or at the byte after its last one, is not inside.

        Args:
            cuts: the bytes before which the text is cut. One that is listed twice counts twice as
                a cut; the order does not matter.

        Example:
            >>> words = ByteRanges(np.array([0, 4]), np.array([3, 9]))
            >>> words.count_damage(np.array([1, 2, 3, 4, 9]))
            Damage(cuts=2, broken=1)
        """
        owner = np.searchsorted(self.starts, cuts, side="left") - 1
        owner, cuts = owner[owner >= 0], cuts[owner >= 0]
        hit = owner[cuts < self.ends[owner]]
        return Damage(len(hit), len(np.unique(hit)))


@dataclass(frozen=True)
class Block:
    """Some lines of a text, each of which is tokenized as a text of its own.

    Attributes:
        lines: the lines, without their line feeds.
        broken_bytes: how many bytes of the lines were not valid UTF-8; each became U+FFFD.
    """

    lines: list[str]
    broken_bytes: int = 0

    @cached_property
    def encoded(self) -> list[bytes]:
        """The lines in UTF-8."""
        return [line.encode() for line in self.lines]

    @cached_property
    def line_bytes(self) -> Ints:
        """The byte at which each line begins, and then the block's number of bytes."""
        return offsets_of(map(len, self.encoded))

    @cached_property
    def line_characters(self) -> Ints:
        """The code point at which each line begins, and then the block's number of code points."""
        return offsets_of(map(len, self.lines))

    @cached_property
    def code_points(self) -> npt.NDArray[np.uint32]:
        """The code points of all lines, one line after the other."""
        return np.frombuffer("".join(self.lines).encode("utf-32-le"), "<u4")

    @cached_property
    def character_bytes(self) -> Ints:
        """The byte at which each code point begins, and then the block's number of bytes."""
        data = np.frombuffer(b"".join(self.encoded), np.uint8)
        return np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))

    @cached_property
    def clusters(self) -> ByteRanges:
        """The extended grapheme clusters of UAX #29: what a reader takes for one character.

        The `unicode_segmentation_rs` library is both right and fast. The regex package's ``\\X``
        joins a virama and a consonant also where no consonant stands before them, against rule
        GB9c.

        Example:
            >>> Block(["aक्षि", "ක්‍ෂ"]).clusters
            ByteRanges(starts=array([ 0,  1, 13, 22]), ends=array([ 1, 13, 22, 25]))
        """
        begins = zip(self.line_bytes[:-1], map(_cluster_starts, self.lines), strict=True)
        starts = np.concatenate([line + within for line, within in begins])
        return ByteRanges(starts, np.append(starts[1:], self.line_bytes[-1])[: len(starts)])

    @cached_property
    def word_starts(self) -> Bools:
        """For each code point, whether a word begins with it; spaces and line ends divide words."""
        return self.word_starts_within(np.zeros(len(self.code_points), np.uint8))

    def word_starts_within(self, routes: Ints) -> Bools:
        """Return for each code point whether a word begins with it, where routes divide words too.

        A word ends at white space, at the end of a line, and where the next code point has another
        route.

        Args:
            routes: the number of the route of each code point.
        """
        is_solid: Bools = _IS_SOLID[np.minimum(self.code_points, _END_OF_SPACES)]
        # Whether a word may start at each code point. One entry more than there are code points,
        # because empty lines may stand at the end.
        may_start = np.append(True, ~is_solid)
        may_start[1:-1] |= routes[1:] != routes[:-1]
        may_start[self.line_characters] = True
        starts: Bools = is_solid & may_start[:-1]
        return starts

    @cached_property
    def is_spaceless(self) -> Bools:
        """For each code point, whether its script puts no spaces between words, as Thai and Han."""
        firsts, lasts = _SPACELESS_RANGES.T
        place = np.searchsorted(firsts, self.code_points, side="right") - 1
        found: Bools = (place >= 0) & (self.code_points <= lasts[place])
        return found


def _cluster_starts(line: str) -> Ints:
    """Return the bytes of a line at which extended grapheme clusters begin, ascending."""
    # In ASCII, only a carriage return with its line feed is a cluster of two characters.
    if line.isascii() and "\r\n" not in line:
        return np.arange(len(line))
    return np.fromiter(map(itemgetter(0), grapheme_indices(line, True)), np.int64)


@dataclass(frozen=True)
class DataSet:
    """A text to measure: a file, how to read it, and its name in the report.

    Attributes:
        name: what the report calls the text.
        file: the path of a file or folder; `wwho.corpus.Corpus` says what it may be.
        field: the field of JSON Lines that holds the text; None for "text".
        column: the column of Parquet that holds the text.
        normalize: the normal form that the text is brought into; None leaves it as it is.
    """

    name: str
    file: str
    field: str | None = None
    column: str = "text"
    normalize: Normalization | None = None

    def corpus(self) -> Corpus:
        """Return the file as a corpus that has not been read yet."""
        corpus = Corpus([self.file], field=self.field, column=self.column)
        return corpus.with_normalization(self.normalize)


def read_blocks(corpus: Corpus, advance: Advance) -> Iterator[Block]:
    """Yield the lines of a corpus in order, about a megabyte at a time.

    A line longer than a block is cut before a space, into several lines of several blocks. Bytes
    that are not valid UTF-8 become one U+FFFD each.

    Args:
        corpus: the text, as `Corpus.blocks` reads it.
        advance: called with the number of stored bytes read since the last call.

    Raises:
        CorpusError: a file cannot be read, or is not what its name says.
    """
    for data in corpus.blocks(advance):
        yield Block(characters(data).removesuffix("\n").split("\n"), count_broken_bytes(data))
