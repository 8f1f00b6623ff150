"""One pass over the texts, in which everything about them is counted. Tallies of texts add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

import numpy as np

from wwho.evaluate.arrays import Bools, Ints, part_of
from wwho.evaluate.clusters import clusters
from wwho.evaluate.encoder import Encoder, Encoding
from wwho.evaluate.extents import Extents
from wwho.evaluate.grammar import Grammar, Units
from wwho.evaluate.text import Block


class Summed:
    """A dataclass of numbers and arrays, which `+=` adds field by field."""

    def __iadd__(self, other: Self) -> Self:
        """Add another tally of the same kind."""
        for field in fields(self):  # type: ignore[arg-type]
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, mine + theirs)
        return self


@dataclass
class TextTally(Summed):
    """What a text holds.

    Attributes:
        segments: for each route, how many segments took it.
        route_bytes: for each route, the bytes of its segments.
        route_characters: for each route, the code points of its segments.
        route_words: for each route, the words of its segments; a segment's end is a word's end.
        route_spaceless: for each route, the code points that are of scripts without spaces between
            words.
        lines: lines.
        bytes: bytes in UTF-8, without line feeds.
        characters: code points.
        words: what white space separates.
        broken_bytes: bytes that were not UTF-8 and were read as U+FFFD.
        clusters: extended grapheme clusters.
        syllables: syllables of the grammar.
    """

    segments: Ints
    route_bytes: Ints
    route_characters: Ints
    route_words: Ints
    route_spaceless: Ints
    lines: int = 0
    bytes: int = 0
    characters: int = 0
    words: int = 0
    broken_bytes: int = 0
    clusters: int = 0
    syllables: int = 0

    @classmethod
    def empty(cls, n_routes: int) -> Self:
        """Nothing yet."""
        return cls(*np.zeros((5, n_routes), np.int64))


@dataclass
class TokenTally(Summed):
    """What a tokenizer made of a text.

    Attributes:
        counts: for each id, how often it occurs.
        route_tokens: for each route, the tokens that end in its segments.
        fragments: those tokens of scripts that are not whole (see `Grammar.are_whole`).
        damaged: lines that decoding does not give back.
        damaged_by_unknown: those of them that have an [UNK].
        unknown: tokens for what the vocabulary cannot write.
        spelled: tokens of its base in segments of the scripts that the tokenizer has.
        spelled_syllables: syllables that it spells with several such tokens.
        syllable_cuts: all other token ends inside a syllable.
        broken_syllables: syllables that have one inside.
        cluster_cuts: token ends inside a grapheme cluster.
        broken_clusters: clusters that have one inside.
    """

    counts: Ints
    route_tokens: Ints
    fragments: int = 0
    damaged: int = 0
    damaged_by_unknown: int = 0
    unknown: int = 0
    spelled: int = 0
    spelled_syllables: int = 0
    syllable_cuts: int = 0
    broken_syllables: int = 0
    cluster_cuts: int = 0
    broken_clusters: int = 0

    @classmethod
    def empty(cls, n_vocab: int, n_routes: int) -> Self:
        """Nothing yet."""
        return cls(np.zeros(n_vocab, np.int64), np.zeros(n_routes, np.int64))

    @property
    def tokens(self) -> int:
        """All tokens."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Page:
    """A block, cut up in all the ways that tokens are held against.

    Attributes:
        block: the lines.
        units: its units by the grammar.
        syllables: the syllables among them.
        clusters: its extended grapheme clusters.
    """

    block: Block
    units: Units
    syllables: Extents
    clusters: Extents

    @cached_property
    def letters(self) -> Ints:
        """The code point that each unit begins with, behind the space that may stand before it."""
        numbers = np.searchsorted(self.block.character_bytes, self.units.first_letters)
        letters: Ints = self.block.code_points[numbers]
        return letters


class Meter:
    """Counts tokens of one tokenizer.

    Attributes:
        encoder: the tokenizer.
    """

    def __init__(self, encoder: Encoder, grammar: Grammar) -> None:
        """Measure by the scripts and syllables of a grammar."""
        self.encoder = encoder
        self._grammar = grammar
        self._is_known, self._is_whole = np.zeros((2, encoder.n_vocab), np.bool_)
        if encoder.unk_id is not None:
            self._is_known[encoder.unk_id] = True  # and not whole, whatever its name

    def tally(self) -> TokenTally:
        """A tally to count into."""
        return TokenTally.empty(self.encoder.n_vocab, len(self._grammar.names))

    def measure(self, page: Page, tally: TokenTally) -> None:
        """Count the tokens of a block."""
        encoding = self.encoder.encode(page.block)
        last_bytes = self._last_bytes(page.block, encoding)
        routes = page.units.byte_routes[last_bytes]
        in_scripts = encoding.ids[self._grammar.is_script[routes]]
        tally.counts += np.bincount(encoding.ids, minlength=len(tally.counts))
        tally.route_tokens += np.bincount(routes, minlength=len(tally.route_tokens))
        tally.fragments += int((~self._are_whole(in_scripts)).sum())
        self._count_losses(page.block, encoding, tally)
        is_spelled = encoding.ids < self.encoder.n_base
        is_spelled &= self._could_be_syllables(page)[last_bytes]
        tally.spelled += int(is_spelled.sum())
        self._count_cuts(page, encoding.ends, is_spelled, tally)

    def _count_cuts(self, page: Page, ends: Ints, is_spelled: Bools, tally: TokenTally) -> None:
        """Count what token ends do to syllables and clusters.

        Between two tokens of the base, a syllable outside the vocabulary is being spelled.
        """
        is_spelling = is_spelled & np.append(is_spelled[1:], False)[: len(is_spelled)]
        syllables = page.syllables.damage(ends[~is_spelling])
        tally.syllable_cuts += syllables.cuts
        tally.broken_syllables += syllables.broken
        tally.spelled_syllables += page.syllables.damage(ends[is_spelling]).broken
        clusters = page.clusters.damage(ends)
        tally.cluster_cuts += clusters.cuts
        tally.broken_clusters += clusters.broken

    def _could_be_syllables(self, page: Page) -> Bools:
        """Whether the tokenizer cuts text into syllables at each byte, as the grammar does.

        It may give a script another name, and know more or fewer scripts than the grammar.
        """
        units = page.units
        is_script = self._grammar.is_script[units.routes]
        is_script[is_script] = self.encoder.has_syllables(page.letters[is_script])
        return np.repeat(is_script, units.ends - units.starts)

    def _last_bytes(self, block: Block, encoding: Encoding) -> Ints:
        """The last byte of each token's text; of a token without text, one beside it."""
        begins = np.repeat(block.line_bytes[:-1], np.diff(encoding.firsts))
        return np.maximum(encoding.ends - 1, begins)

    def _are_whole(self, ids: Ints) -> Bools:
        """Whether each of these tokens is whole; what has been found is kept."""
        new = np.unique(ids[~self._is_known[ids]])
        self._is_whole[new] = self._grammar.are_whole(self.encoder.tokens_bytes(new.tolist()))
        self._is_known[new] = True
        whole: Bools = self._is_whole[ids]
        return whole

    def _count_losses(self, block: Block, encoding: Encoding, tally: TokenTally) -> None:
        """Count the lines that decoding does not give back, byte for byte, and what [UNK] hides."""
        decoded = self.encoder.decode(encoding.lines())
        is_damaged = np.array([a != b for a, b in zip(decoded, block.encoded, strict=True)])
        unknown = np.flatnonzero(encoding.ids == self.encoder.unk_id)
        has_unknown = np.bincount(part_of(encoding.firsts, unknown), minlength=len(is_damaged)) > 0
        tally.unknown += len(unknown)
        tally.damaged += int(is_damaged.sum())
        tally.damaged_by_unknown += int((is_damaged & has_unknown).sum())


def measure(
    blocks: Iterable[Block], grammar: Grammar, meters: Sequence[Meter]
) -> tuple[TextTally, list[TokenTally]]:
    """Count a text, and what each tokenizer makes of it; a block at a time is in memory.

    Args:
        blocks: the text.
        grammar: whose scripts and syllables to count.
        meters: the tokenizers.

    Returns:
        What the text holds, and for each tokenizer its tokens.

    Raises:
        CorpusError: what `blocks` raises is passed on.
    """
    text, tallies = TextTally.empty(len(grammar.names)), [meter.tally() for meter in meters]
    for block in blocks:
        units = grammar.units(block)
        page = Page(block, units, units.syllables(), clusters(block))
        _count_text(page, text)
        for meter, tally in zip(meters, tallies, strict=True):
            meter.measure(page, tally)
    return text, tallies


def _count_text(page: Page, tally: TextTally) -> None:
    """Count what a block holds."""
    block, units, n_routes = page.block, page.units, len(tally.segments)
    character_routes = units.byte_routes[block.character_bytes[:-1]]
    words = block.word_starts_within(character_routes)
    tally.segments += np.bincount(units.routes[units.firsts == 1], minlength=n_routes)
    tally.route_bytes += np.bincount(units.byte_routes, minlength=n_routes)
    tally.route_characters += np.bincount(character_routes, minlength=n_routes)
    spaceless = character_routes[block.is_spaceless]
    tally.route_spaceless += np.bincount(spaceless, minlength=n_routes)
    tally.route_words += np.bincount(character_routes[words], minlength=n_routes)
    tally.lines += len(block.lines)
    tally.bytes += int(block.line_bytes[-1])
    tally.characters += int(block.line_characters[-1])
    tally.words += int(block.word_starts.sum())
    tally.broken_bytes += block.broken
    tally.clusters += len(page.clusters.starts)
    tally.syllables += len(page.syllables.starts)
