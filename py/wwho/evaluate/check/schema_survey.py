"""The survey of a schema on real text: the syllables it finds, and the characters left over."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from wwho.assemble.training_artifacts import counting_model
from wwho.backends.backend import SPAN
from wwho.backends.select import open_backend
from wwho.compile.schema import Schema
from wwho.compile.validity import UnitJudge
from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.format.layout import ORPHAN, PASSTHROUGH, SYLLABLE
from wwho.format.write import write_artifact
from wwho.progress import Advance, ignore
from wwho.text import characters
from wwho.train.native import NativeModel, WordTable

MOST_SYLLABLES = 1 << 20
"""How many distinct syllables are counted one by one. No script has more; a wrong grammar may."""

NAMED = 1000
"""How many syllables are named as the longest, and how many as the rarest."""

CONTEXTS = 3
"""How many places are shown of each character left over."""
_CONTEXT_CHARACTERS = 8
"""How many characters a context has on each side."""

_RULE_BYTE = 10
"""The byte of a `SPAN` that holds its rule."""
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
        """Its code point and its Unicode name, "(no name)" where it has none.

        Example:
            >>> Leftover("ි", 1, ()).name
            'U+0DD2 SINHALA VOWEL SIGN KETTI IS-PILLA'
        """
        return f"U+{ord(self.char):04X} {unicodedata.name(self.char, '(no name)')}"


@dataclass(frozen=True)
class Survey:
    """The syllables and other units that a schema found in a corpus.

    Characters are code points of the script's segments.

    Attributes:
        bytes: the size of the corpus.
        characters: all characters: those of the script's Unicode blocks, and the joiners between
            or after them.
        in_syllables: the characters that are in whole syllables.
        syllables: how many syllables there are.
        distinct: how many distinct syllables, of at most `MOST_SYLLABLES` that are told apart.
        once: how many of the distinct syllables occur once.
        strays: signs without a letter, most frequent first.
        invalid: the other units that are no valid syllables (`wwho.compile.validity`), most
            frequent first, and how often each occurs.
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
    invalid: tuple[tuple[str, int], ...]
    unclassed: tuple[Leftover, ...]
    longest: tuple[tuple[str, int], ...]
    rarest: tuple[tuple[str, int], ...]

    @property
    def coverage(self) -> float:
        """The share of the characters that lie in whole syllables, from 0 to 1."""
        return self.in_syllables / self.characters


def survey_corpus(schema: Schema, corpus: Corpus, *, advance: Advance = ignore) -> Survey:
    """Cut a corpus into the syllables of a schema, count them, and list the characters left over.

    Memory holds one block of text and the distinct syllables, at most `MOST_SYLLABLES`. Text of
    other scripts counts for the size of the corpus only.

    Args:
        schema: the schema.
        corpus: the text.
        advance: called with the number of stored bytes read since the last call.

    Raises:
        CorpusError: a file cannot be read or is not what its name says, or none of the files has a
            character of the script.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.compile.schema_loader import load_schema
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.txt")
        ...     _ = file.write_text("ගමේ පාසලි ිට 1෴", "utf-8")
        ...     found = survey_corpus(load_schema("sinhala"), Corpus([file]))
        >>> f"{found.coverage:.2f}", found.longest[0], [sign.name[:6] for sign in found.strays]
        ('0.82', ('පා', 1), ['U+0DD2'])
    """
    tally = _Tally(schema)
    for block in corpus.blocks(advance):
        tally.add_block(block)
    if not tally.characters:
        names = ", ".join(source.name for source in corpus.sources)
        raise CorpusError(
            f"{names}: there is no character of {schema.title} in it; its blocks are "
            + ", ".join(f"U+{first:04X} to U+{last:04X}" for first, last in schema.blocks.ranges)
        )
    return tally.to_survey()


@dataclass
class _LeftoverCount:
    """How often a character is left over so far, and the text around its first places.

    Attributes:
        is_stray: whether it is a stray sign; else it is in no class of the schema.
        count: how often it is left over.
        contexts: the text before and after it in at most `CONTEXTS` different places.
    """

    is_stray: bool
    count: int = 0
    contexts: list[tuple[str, str]] = field(default_factory=list)


class _Tally:
    """The counts of a survey over the blocks so far."""

    def __init__(self, schema: Schema) -> None:
        """Begin with no block; open a model without a vocabulary that cuts by the schema."""
        model = counting_model([schema])
        self._backend = open_backend(write_artifact(model))
        self._name, self._judge = schema.name, UnitJudge([schema])
        self._scanners = NativeModel(model)
        self.bytes = self.characters = self.n_syllables = self.in_syllables = 0
        self._syllables: Counter[str] = Counter()
        self._leftovers: dict[str, _LeftoverCount] = {}

    def add_block(self, block: bytes) -> None:
        """Add a block of text, which ends after a line or before a space, to all counts.

        Counted are its bytes, the characters left over, its signs, and its syllables, without the
        space before them.
        """
        self.bytes += len(block)
        spans = self._backend.spans_packed(block)
        for found in _LEFT_OVER.finditer(spans[_RULE_BYTE :: SPAN.size]):
            start, end, _, rule, _ = SPAN.unpack_from(spans, found.start() * SPAN.size)
            self._add_leftover(block, start, end, is_stray=rule == ORPHAN)
        self._add_signs(characters(block))
        words = WordTable()
        words.count_text(self._scanners, block)
        for unit, count in words.count_units().items():
            syllable = characters(unit).removeprefix(" ")
            # The units are the leftovers too, which have been counted above.
            if syllable not in self._leftovers:
                self._add_syllable(syllable, count)

    def _add_syllable(self, syllable: str, count: int) -> None:
        """Add so many occurrences of a syllable.

        Once there are `MOST_SYLLABLES` distinct ones, a new one counts only for the totals.
        """
        size = len(syllable) * count
        self.characters += size
        self.in_syllables += size
        self.n_syllables += count
        if len(self._syllables) < MOST_SYLLABLES or syllable in self._syllables:
            self._syllables[syllable] += count

    def _add_signs(self, text: str) -> None:
        """Count the signs of the script outside its segments, as stray signs."""
        for place in self._judge.find_stray(text):
            line = text.rfind("\n", 0, place) + 1
            before = text[max(line, place - _CONTEXT_CHARACTERS) : place]
            after = text[place + 1 : place + 1 + _CONTEXT_CHARACTERS].partition("\n")[0]
            self._count_leftover(text[place], (before, after), is_stray=True)

    def _add_leftover(self, block: bytes, start: int, end: int, *, is_stray: bool) -> None:
        """Count one character that is left over, and keep the text around it if that is new.

        Args:
            block: the text.
            start: the first byte of the character, or of the space before it.
            end: the byte after it.
            is_stray: whether it is a stray sign; else it is in no class.
        """
        char = characters(block[start:end]).removeprefix(" ")
        has_space = block.startswith(b" ", start) and end - start > 1
        context = _text_before(block, start + has_space), _text_after(block, end)
        self._count_leftover(char, context, is_stray=is_stray)

    def _count_leftover(self, char: str, context: tuple[str, str], *, is_stray: bool) -> None:
        """Count one character that is left over, and keep the text around it if that is new.

        Args:
            char: the character.
            context: the text before and after it.
            is_stray: whether it is a stray sign; else it is in no class.
        """
        leftover = self._leftovers.setdefault(char, _LeftoverCount(is_stray))
        self.characters += 1
        leftover.count += 1
        if len(leftover.contexts) < CONTEXTS and context not in leftover.contexts:
            leftover.contexts.append(context)

    def to_survey(self) -> Survey:
        """Return the counts so far as a survey.

        Ties in its lists are broken by the text, so that one corpus always has one report.
        """
        counts = self._syllables.items()
        longest = sorted(counts, key=lambda item: (-len(item[0]), -item[1], item[0]))
        rarest = sorted(counts, key=lambda item: (item[1], -len(item[0]), item[0]))
        invalid = sorted(
            (
                (syllable, count)
                for syllable, count in counts
                if not self._judge.is_valid(self._name, syllable, SYLLABLE)
            ),
            key=lambda item: (-item[1], item[0]),
        )
        return Survey(
            bytes=self.bytes,
            characters=self.characters,
            in_syllables=self.in_syllables,
            syllables=self.n_syllables,
            distinct=len(counts),
            once=sum(count == 1 for _, count in counts),
            strays=self._list_leftovers(are_stray=True),
            invalid=tuple(invalid),
            unclassed=self._list_leftovers(are_stray=False),
            longest=tuple(longest[:NAMED]),
            rarest=tuple(rarest[:NAMED]),
        )

    def _list_leftovers(self, *, are_stray: bool) -> tuple[Leftover, ...]:
        """Return the stray signs, or the characters in no class, most frequent first."""
        found = [
            Leftover(char, each.count, tuple(each.contexts))
            for char, each in self._leftovers.items()
            if each.is_stray == are_stray
        ]
        return tuple(sorted(found, key=lambda each: (-each.count, each.char)))


def _text_before(block: bytes, place: int) -> str:
    """Return at most `_CONTEXT_CHARACTERS` characters before a byte of a block, on its line."""
    # A character has at most four bytes; more are read, for one may be cut.
    text = characters(block[max(0, place - 6 * _CONTEXT_CHARACTERS) : place])
    return text.rpartition("\n")[2][-_CONTEXT_CHARACTERS:]


def _text_after(block: bytes, place: int) -> str:
    """Return at most `_CONTEXT_CHARACTERS` characters from a byte of a block on, on its line."""
    text = characters(block[place : place + 6 * _CONTEXT_CHARACTERS])
    return text.partition("\n")[0][:_CONTEXT_CHARACTERS]
