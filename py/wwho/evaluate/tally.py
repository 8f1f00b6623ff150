"""What is counted in a text, and in each tokenizer's tokens of it. Tallies of texts add up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from wwho.evaluate.arrays import Ints


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
