"""Text as it is measured: whole lines, block by block, and what can be counted in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from wwho.core.characters import characters
from wwho.corpus import Corpus
from wwho.corpus.contents import broken_bytes
from wwho.evaluate.arrays import Bools, Ints, bounds
from wwho.grammar.unicode import script
from wwho.normalize import Normalization
from wwho.progress import Advance
from wwho.schema.model import union

# Scripts whose words no space divides: those of Unicode's line-breaking class SA, and more.
_SPACELESS_SCRIPTS = """
    Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom Tibetan Javanese Balinese
    Han Hiragana Katakana Yi
    """.split()  # noqa: SIM905 - a list would fill the page
_SPACELESS = np.array(union(map(script, _SPACELESS_SCRIPTS)).ranges, np.uint32)

# White space is what `str.split` splits at; the last such character is U+3000.
_END_OF_SPACES = 0x3001
_IS_SOLID = np.array([not chr(point).isspace() for point in range(_END_OF_SPACES + 1)])


@dataclass(frozen=True)
class Block:
    """Some lines of a text, without their line feeds; each is a text of its own.

    Offsets into a block are those into its lines laid end to end.

    Attributes:
        lines: the lines.
        broken: how many bytes of them were not UTF-8; each became U+FFFD.
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
    def word_starts(self) -> Bools:
        """Whether a word, which is what white space separates, begins with a code point."""
        return self._starts(np.zeros(len(self._is_solid), np.bool_))

    def word_starts_within(self, routes: Ints) -> Bools:
        """The same, where a word also ends where the route of the text changes.

        Args:
            routes: the route of each code point.
        """
        changes = np.append(False, routes[1:] != routes[:-1])[: len(routes)]
        return self._starts(changes)

    @cached_property
    def is_spaceless(self) -> Bools:
        """Whether each code point is of a script that puts no spaces between words."""
        firsts, lasts = _SPACELESS.T
        place = np.searchsorted(firsts, self.code_points, side="right") - 1
        found: Bools = (place >= 0) & (self.code_points <= lasts[place])
        return found

    @cached_property
    def _is_solid(self) -> Bools:
        """Whether each code point is other than white space."""
        solid: Bools = _IS_SOLID[np.minimum(self.code_points, _END_OF_SPACES)]
        return solid

    def _starts(self, cuts: Bools) -> Bools:
        """Solid characters behind one that is not, behind a cut, or first of their line."""
        free = np.append(True, ~self._is_solid)  # one longer: empty lines may stand at the end
        free[:-1] |= cuts
        free[self.line_characters] = True
        starts: Bools = self._is_solid & free[:-1]
        return starts


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
    """The lines of a corpus, about a megabyte at a time.

    Args:
        corpus: the files; a line of more than 16 MB comes in parts.
        advance: is told how many stored bytes have been read.

    Raises:
        CorpusError: as for `Corpus.blocks`.

    Example:
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.txt")
        ...     _ = file.write_bytes(b"one two\\n\\xff\\n")
        ...     [block] = blocks(Corpus([file]), lambda size: None)
        >>> block.lines, block.broken, int(block.word_starts.sum())
        (['one two', '\ufffd'], 1, 3)
    """
    for data in corpus.blocks(advance):
        yield Block(characters(data).removesuffix("\n").split("\n"), broken_bytes(data))
