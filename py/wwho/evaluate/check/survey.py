"""What a schema makes of real text: its syllables, and what they leave over."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from wwho.assemble.training_artifacts import counting_model
from wwho.backends.backend import SPAN
from wwho.backends.select import open_backend
from wwho.compile.schema import Schema
from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.format.layout import ORPHAN, PASSTHROUGH
from wwho.format.write import write_artifact
from wwho.progress import Advance, ignore
from wwho.text import characters
from wwho.train.native import Scanners, Words

MOST_SYLLABLES = 1 << 20
"""Distinct syllables that are counted one by one. No script has as many; a wrong grammar may."""

NAMED = 1000
"""Syllables that are named as the longest, and as the rarest."""

CONTEXTS = 3
"""Places that are shown of each character left over."""
_AROUND = 8
"""Characters that a context has on each side."""

_RULE = 10
"""The byte of a `SPAN` that has its rule."""
_LEFT_OVER = re.compile(b"[%c%c]" % (ORPHAN, PASSTHROUGH))


@dataclass(frozen=True)
class Leftover:
    """A character of the script that is in no syllable.

    Attributes:
        char: the character.
        count: how often it is left over.
        contexts: the text before and after it in the first few such places, on its line.
    """

    char: str
    count: int
    contexts: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Its code point and its Unicode name.

        Example:
            >>> Leftover("ි", 1, ()).name
            'U+0DD2 SINHALA VOWEL SIGN KETTI IS-PILLA'
        """
        return f"U+{ord(self.char):04X} {unicodedata.name(self.char, '(no name)')}"


@dataclass(frozen=True)
class Survey:
    """What was found in a corpus. Characters are code points of the script's segments.

    Attributes:
        bytes: the size of the corpus.
        characters: all characters: those of the blocks, and the joiners between or after them.
        in_syllables: those that are in whole syllables.
        syllables: how many syllables there are.
        distinct: how many distinct ones, of at most `MOST_SYLLABLES` that are told apart.
        once: how many of these occur once.
        strays: signs without a letter, most frequent first.
        unclassed: characters in no class, such as digits and punctuation, most frequent first.
        longest: the `NAMED` syllables with the most characters, and how often each occurs.
        rarest: the `NAMED` syllables that occur least often, the longest of them first.
    """

    bytes: int
    characters: int
    in_syllables: int
    syllables: int
    distinct: int
    once: int
    strays: tuple[Leftover, ...]
    unclassed: tuple[Leftover, ...]
    longest: tuple[tuple[str, int], ...]
    rarest: tuple[tuple[str, int], ...]

    @property
    def coverage(self) -> float:
        """The share of the characters that lie in whole syllables, from 0 to 1."""
        return self.in_syllables / self.characters


def survey(schema: Schema, corpus: Corpus, *, advance: Advance = ignore) -> Survey:
    """Cut a corpus into syllables, block by block, and count.

    Memory holds one block of text and the distinct syllables, at most `MOST_SYLLABLES`.

    Args:
        schema: the schema.
        corpus: the text.
        advance: is told how many stored bytes have been read.

    Raises:
        CorpusError: a file cannot be read or is not what its name says, or there is no character
            of the script in any of them.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.compile.schema_loader import load_schema
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.txt")
        ...     _ = file.write_text("ගමේ පාසලි ිට 1෴", "utf-8")
        ...     found = survey(load_schema("sinhala"), Corpus([file]))
        >>> f"{found.coverage:.2f}", found.longest[0], [sign.name[:6] for sign in found.strays]
        ('0.82', ('පා', 1), ['U+0DD2'])
    """
    tally = _Tally(schema)
    for block in corpus.blocks(advance):
        tally.take(block)
    if not tally.characters:
        names = ", ".join(source.name for source in corpus.sources)
        raise CorpusError(
            f"{names}: there is no character of {schema.title} in it; its blocks are "
            + ", ".join(f"U+{first:04X} to U+{last:04X}" for first, last in schema.blocks.ranges)
        )
    return tally.survey()


@dataclass
class _Left:
    """A character that is left over: a stray sign, or in no class; how often, and where first."""

    is_stray: bool
    count: int = 0
    contexts: list[tuple[str, str]] = field(default_factory=list)


class _Tally:
    """Counts of the blocks so far."""

    def __init__(self, schema: Schema) -> None:
        model = counting_model([schema])
        self._backend = open_backend(write_artifact(model))
        self._scanners = Scanners(model)
        self.bytes = self.characters = self.n_syllables = self.in_syllables = 0
        self._syllables: Counter[str] = Counter()
        self._left: dict[str, _Left] = {}

    def take(self, block: bytes) -> None:
        """Count a block of whole lines, or one that ends before a space."""
        self.bytes += len(block)
        spans = self._backend.spans_packed(block)
        for found in _LEFT_OVER.finditer(spans[_RULE :: SPAN.size]):
            start, end, _, rule, _ = SPAN.unpack_from(spans, found.start() * SPAN.size)
            self._leave(block, start, end, is_stray=rule == ORPHAN)
        words = Words()
        words.count(self._scanners, block)
        for unit, count in words.units().items():
            syllable = characters(unit).removeprefix(" ")
            if syllable not in self._left:
                self._count(syllable, count)

    def _count(self, syllable: str, count: int) -> None:
        """Count a syllable; by itself, unless there are too many distinct ones."""
        size = len(syllable) * count
        self.characters += size
        self.in_syllables += size
        self.n_syllables += count
        if len(self._syllables) < MOST_SYLLABLES or syllable in self._syllables:
            self._syllables[syllable] += count

    def _leave(self, block: bytes, start: int, end: int, *, is_stray: bool) -> None:
        """Count a character that is left over, and keep where it was."""
        char = characters(block[start:end]).removeprefix(" ")
        found = self._left.setdefault(char, _Left(is_stray))
        self.characters += 1
        found.count += 1
        if len(found.contexts) < CONTEXTS:
            space = block.startswith(b" ", start) and end - start > 1
            context = _before(block, start + space), _after(block, end)
            if context not in found.contexts:
                found.contexts.append(context)

    def survey(self) -> Survey:
        """What has been found. Ties are broken by the text: one corpus has one report."""
        counts = self._syllables.items()
        longest = sorted(counts, key=lambda item: (-len(item[0]), -item[1], item[0]))
        rarest = sorted(counts, key=lambda item: (item[1], -len(item[0]), item[0]))
        return Survey(
            bytes=self.bytes,
            characters=self.characters,
            in_syllables=self.in_syllables,
            syllables=self.n_syllables,
            distinct=len(counts),
            once=sum(count == 1 for _, count in counts),
            strays=self._leftovers(are_stray=True),
            unclassed=self._leftovers(are_stray=False),
            longest=tuple(longest[:NAMED]),
            rarest=tuple(rarest[:NAMED]),
        )

    def _leftovers(self, *, are_stray: bool) -> tuple[Leftover, ...]:
        """What is left over of one kind, most frequent first."""
        found = [
            Leftover(char, each.count, tuple(each.contexts))
            for char, each in self._left.items()
            if each.is_stray == are_stray
        ]
        return tuple(sorted(found, key=lambda each: (-each.count, each.char)))


def _before(block: bytes, at: int) -> str:
    """The characters before this byte, on its line. More bytes are read than they can have."""
    text = characters(block[max(0, at - 6 * _AROUND) : at])
    return text.rpartition("\n")[2][-_AROUND:]


def _after(block: bytes, at: int) -> str:
    """The characters from this byte on, on its line."""
    text = characters(block[at : at + 6 * _AROUND])
    return text.partition("\n")[0][:_AROUND]
