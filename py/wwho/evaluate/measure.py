"""One pass over the texts, in which everything about them is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from wwho.evaluate.arrays import Bools, Ints
from wwho.evaluate.clusters import clusters
from wwho.evaluate.encoder import Encoder, Encoding
from wwho.evaluate.extents import Extents
from wwho.evaluate.grammar import Grammar, Units
from wwho.evaluate.tally import TextTally, TokenTally
from wwho.evaluate.text import Block


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


class Meter:
    """Counts tokens of one tokenizer.

    Attributes:
        encoder: the tokenizer.
    """

    def __init__(self, encoder: Encoder, grammar: Grammar) -> None:
        """Measure by the scripts and syllables of a grammar."""
        self.encoder = encoder
        self._grammar = grammar
        self._spells = np.array([name in encoder.scripts for name in grammar.names])
        self._is_whole: dict[int, bool] = {}

    def tally(self) -> TokenTally:
        """A tally to count into."""
        return TokenTally.empty(self.encoder.n_vocab, len(self._grammar.names))

    def measure(self, page: Page, tally: TokenTally) -> None:
        """Count the tokens of a block."""
        encoding = self.encoder.encode(page.block)
        routes = page.units.byte_routes[self._last_bytes(page.block, encoding)]
        in_scripts = encoding.ids[self._grammar.is_script[routes]]
        tally.counts += np.bincount(encoding.ids, minlength=len(tally.counts))
        tally.route_tokens += np.bincount(routes, minlength=len(tally.route_tokens))
        tally.fragments += self._fragments(in_scripts)
        tally.damaged += self._damaged(page.block, encoding)
        is_spelled = (encoding.ids < self.encoder.n_base) & self._spells[routes]
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

    def _last_bytes(self, block: Block, encoding: Encoding) -> Ints:
        """The last byte of each token's text; of a token without text, one beside it."""
        begins = np.repeat(block.line_bytes[:-1], np.diff(encoding.firsts))
        return np.maximum(encoding.ends - 1, begins)

    def _fragments(self, ids: Ints) -> int:
        """How many of these tokens are not whole."""
        tokens, counts = np.unique(ids, return_counts=True)
        return sum(
            count
            for token, count in zip(tokens.tolist(), counts.tolist(), strict=True)
            if not self._whole(token)
        )

    def _whole(self, token: int) -> bool:
        """Whether a token is whole; what has been found is kept."""
        if token not in self._is_whole:
            text = self.encoder.token_bytes(token)
            self._is_whole[token] = text is not None and self._grammar.is_whole(text)
        return self._is_whole[token]

    def _damaged(self, block: Block, encoding: Encoding) -> int:
        """How many lines decoding does not give back, byte for byte."""
        decoded = self.encoder.decode(encoding.lines())
        return sum(a != b for a, b in zip(decoded, block.encoded, strict=True))


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
    tally.route_words += np.bincount(character_routes[words], minlength=n_routes)
    tally.lines += len(block.lines)
    tally.bytes += int(block.line_bytes[-1])
    tally.characters += int(block.line_characters[-1])
    tally.words += int(block.word_starts.sum())
    tally.broken_bytes += block.broken
    tally.clusters += len(page.clusters.starts)
    tally.syllables += len(page.syllables.starts)
