"""One pass over the texts, in which everything about them is counted. Tallies of texts add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.grammar import Grammar, Units
from wwho.evaluate.text import Block, Bools, Ints, part_of


def _nothing() -> Ints:
    """An array that adds to one of any size."""
    return np.zeros(1, np.int64)


class Summed:
    """A dataclass of numbers and arrays, which add field by field."""

    def __add__(self, other: Self) -> Self:
        """The tally of both."""
        sums = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*(mine + theirs for mine, theirs in sums))


@dataclass(frozen=True)
class TextTally(Summed):
    """What a text holds.

    Attributes:
        lines: lines.
        bytes: bytes in UTF-8, without line feeds.
        characters: code points.
        words: what white space separates.
        broken_bytes: bytes that were not UTF-8 and were read as U+FFFD.
        syllables: syllables of the grammar.
        clusters: extended grapheme clusters.
        routes: a column for each route: its segments; the bytes, code points and words of those, in
            which a segment's end is a word's end; and the code points that are of scripts without
            spaces between words.
    """

    lines: int = 0
    bytes: int = 0
    characters: int = 0
    words: int = 0
    broken_bytes: int = 0
    syllables: int = 0
    clusters: int = 0
    routes: Ints = field(default_factory=_nothing)


@dataclass(frozen=True)
class TokenTally(Summed):
    """What a tokenizer made of a text. See `Figures` for what is not said here.

    Attributes:
        counts: for each id, how often it occurs.
        route_tokens: for each route, the tokens that end in its segments.
        fragments: those tokens of scripts that are not whole (see `Grammar.are_whole`).
        spelled_tokens: tokens of its base in segments of the scripts that the tokenizer has.
        spelled_syllables: syllables that it spells with several such tokens.
        syllable_cuts: all other token ends inside a syllable.
    """

    counts: Ints = field(default_factory=_nothing)
    route_tokens: Ints = field(default_factory=_nothing)
    fragments: int = 0
    damaged_lines: int = 0
    damaged_by_unk: int = 0
    unk_tokens: int = 0
    spelled_tokens: int = 0
    spelled_syllables: int = 0
    broken_syllables: int = 0
    syllable_cuts: int = 0
    broken_clusters: int = 0
    cluster_cuts: int = 0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return int(self.counts.sum())


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

    def measure(self, units: Units) -> TokenTally:
        """Count the tokens of a block."""
        block = units.block
        ids, ends, firsts = encoding = self.encoder.encode(block)
        # The last byte of each token's text; of a token without text, one beside it.
        last_bytes = np.maximum(ends - 1, np.repeat(block.line_bytes[:-1], np.diff(firsts)))
        routes = units.byte_routes[last_bytes]
        is_spelled = (ids < self.encoder.n_base) & self._could_be_syllables(units)[last_bytes]
        # Between two tokens of the base, a syllable outside the vocabulary is being spelled.
        is_spelling = is_spelled & np.append(is_spelled[1:], False)[: len(is_spelled)]
        syllables = units.syllables.damage(ends[~is_spelling])
        clusters = block.clusters.damage(ends)
        decoded = self.encoder.decode(encoding.lines())
        is_damaged = np.array([a != b for a, b in zip(decoded, block.encoded, strict=True)])
        unknown = part_of(firsts, np.flatnonzero(ids == self.encoder.unk_id))
        return TokenTally(
            counts=np.bincount(ids, minlength=self.encoder.n_vocab),
            route_tokens=np.bincount(routes, minlength=len(self._grammar.names)),
            fragments=self._fragments(ids[self._grammar.is_script[routes]]),
            damaged_lines=int(is_damaged.sum()),
            damaged_by_unk=int(is_damaged[np.unique(unknown)].sum()),
            unk_tokens=len(unknown),
            spelled_tokens=int(is_spelled.sum()),
            spelled_syllables=units.syllables.damage(ends[is_spelling]).broken,
            broken_syllables=syllables.broken,
            syllable_cuts=syllables.cuts,
            broken_clusters=clusters.broken,
            cluster_cuts=clusters.cuts,
        )

    def _could_be_syllables(self, units: Units) -> Bools:
        """Whether the tokenizer cuts text into syllables at each byte, as the grammar does.

        It may give a script another name, and know more or fewer scripts than the grammar.
        """
        is_script = self._grammar.is_script[units.routes]
        is_script[is_script] = self.encoder.has_syllables(units.letters[is_script])
        return np.repeat(is_script, units.ends - units.starts)

    def _fragments(self, ids: Ints) -> int:
        """How many of these tokens are not whole; what has been found of each is kept."""
        new = np.unique(ids[~self._is_known[ids]])
        self._is_whole[new] = self._grammar.are_whole(self.encoder.tokens_bytes(new.tolist()))
        self._is_known[new] = True
        return int((~self._is_whole[ids]).sum())


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
    text, tallies = TextTally(), [TokenTally() for _ in meters]
    for block in blocks:
        units = grammar.units(block)
        text += _text_tally(units, len(grammar.names))
        tallies = [
            tally + meter.measure(units) for meter, tally in zip(meters, tallies, strict=True)
        ]
    return text, tallies


def _text_tally(units: Units, n_routes: int) -> TextTally:
    """What a block holds."""
    block = units.block
    routes = units.byte_routes[block.character_bytes[:-1]]
    by_route = (
        units.routes[units.firsts == 1],
        units.byte_routes,
        routes,
        routes[block.word_starts_within(routes)],
        routes[block.is_spaceless],
    )
    return TextTally(
        lines=len(block.lines),
        bytes=int(block.line_bytes[-1]),
        characters=int(block.line_characters[-1]),
        words=int(block.word_starts.sum()),
        broken_bytes=block.broken,
        syllables=len(units.syllables.starts),
        clusters=len(block.clusters.starts),
        routes=np.stack([np.bincount(each, minlength=n_routes) for each in by_route]),
    )
