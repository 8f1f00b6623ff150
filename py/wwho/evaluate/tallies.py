"""Counting of texts: what a block of lines holds, and what each tokenizer makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.syllables import Grammar, Spans
from wwho.evaluate.text_blocks import Block, Bools, Ints, find_parts


class Tally(dict[str, Any]):
    """Counts and arrays of counts by name; most names are fields of `TextResult` and `Figures`."""

    def __add__(self, other: Tally) -> Tally:
        """Return a new tally with the sum of each count of the other one.

        A name that this tally lacks counts as 0; one that only this tally has is left out.

        Example:
            >>> Tally() + Tally(lines=1) + Tally(lines=2)
            {'lines': 3}
        """
        return Tally({name: self.get(name, 0) + number for name, number in other.items()})


class TokenCounter:
    """Counts the tokens that one tokenizer makes of blocks, and what they damage."""

    def __init__(self, encoder: Encoder, grammar: Grammar) -> None:
        """Count for a tokenizer; the grammar says what a syllable is, for all tokenizers alike."""
        self.encoder = encoder
        self._grammar = grammar
        # For each id, whether `Grammar.are_whole` has been asked for it, and what it said.
        self._is_known, self._is_whole = np.zeros((2, encoder.n_vocab), np.bool_)
        if encoder.unk_id is not None:
            # [UNK] is not whole, though its name may be.
            self._is_known[encoder.unk_id] = True

    def count_block(self, spans: Spans) -> Tally:
        """Encode the lines of a block, decode them again, and count tokens and damage.

        A line is damaged if it does not come back byte for byte. A syllable is broken if a token
        ends inside it, unless the tokenizer spells it for want of a token; then it counts as
        spelled.

        Returns:
            The counts of `Figures`, and three more: `counts`, how often each id occurs;
            `route_tokens`, the tokens that end in segments of each route of the grammar; and
            `fragments`, the tokens in segments of scripts that are not whole (`Grammar.are_whole`).
        """
        block, grammar, encoder = spans.block, self._grammar, self.encoder
        ids, ends, firsts = encoding = encoder.encode(block)
        # The last byte of each token's text; of a token without text, a byte beside it.
        last_bytes = np.maximum(ends - 1, np.repeat(block.line_bytes[:-1], np.diff(firsts)))
        routes = spans.byte_routes[last_bytes]
        # The tokenizer may call a script otherwise than the grammar, and know more or fewer.
        in_known_script = grammar.is_script[spans.routes]
        in_known_script[in_known_script] = encoder.has_syllables(spans.letters[in_known_script])
        is_spelled = np.repeat(in_known_script, spans.ends - spans.starts)[last_bytes]
        is_spelled &= encoder.is_base[ids]
        # An end between two tokens of the base is one within a syllable that is being spelled.
        is_spelling = is_spelled & np.append(is_spelled[1:], False)[: len(is_spelled)]
        is_spelling |= ~encoder.is_base[ids] & self._ends_in_unknown_syllable(spans, ends)
        syllables = spans.syllables.count_damage(ends[~is_spelling])
        clusters = block.clusters.count_damage(ends)
        decoded = encoder.decode(encoding.ids_by_line())
        is_damaged = np.array([a != b for a, b in zip(decoded, block.encoded, strict=True)])
        lines_with_unk = find_parts(firsts, np.flatnonzero(ids == encoder.unk_id))
        return Tally(
            counts=np.bincount(ids, minlength=encoder.n_vocab),
            route_tokens=np.bincount(routes, minlength=len(grammar.names)),
            fragments=self._count_fragments(ids[grammar.is_script[routes]]),
            damaged_lines=int(is_damaged.sum()),
            damaged_by_unk=int(is_damaged[np.unique(lines_with_unk)].sum()),
            unk_tokens=len(lines_with_unk),
            broken_syllables=syllables.broken,
            syllable_cuts=syllables.cuts,
            spelled_syllables=spans.syllables.count_damage(ends[is_spelling]).broken,
            spelled_tokens=int(is_spelled.sum()),
            broken_clusters=clusters.broken,
            cluster_cuts=clusters.cuts,
        )

    def _ends_in_unknown_syllable(self, spans: Spans, ends: Ints) -> Bools:
        """Return for each token whether it ends inside a syllable that is no token itself.

        Only tokens of a base spell syllables, so all are False for a tokenizer that has no base.

        Args:
            spans: the block.
            ends: the byte of the block at which each token ends.
        """
        starts, after = spans.syllables
        if not self.encoder.is_base.any() or not len(starts):
            return np.zeros(len(ends), np.bool_)
        owner = np.searchsorted(starts, ends, side="left") - 1
        inside = (owner >= 0) & (ends < after[owner])
        text, numbers = b"".join(spans.block.encoded), np.unique(owner[inside])
        unknown = [n for n in numbers if not self.encoder.has_token(text[starts[n] : after[n]])]
        return inside & np.isin(owner, unknown)

    def _count_fragments(self, ids: Ints) -> int:
        """Count the tokens that are not whole; the answer for each id is kept for later blocks."""
        new = np.unique(ids[~self._is_known[ids]])
        self._is_whole[new] = self._grammar.are_whole(self.encoder.tokens_bytes(new.tolist()))
        self._is_known[new] = True
        return int((~self._is_whole[ids]).sum())


def count_text(
    blocks: Iterable[Block], grammar: Grammar, counters: Sequence[TokenCounter]
) -> tuple[Tally, list[Tally]]:
    """Count what a text holds, and what each tokenizer makes of it, in one pass over its blocks.

    Returns:
        The counts of `TextResult`, with an array `routes` (see `_count_contents`); and for each
        counter the sum of its `count_block`. Both are empty for a text without blocks.
    """
    contents, tallies = Tally(), [Tally() for _ in counters]
    for block in blocks:
        spans = grammar.cut(block)
        contents += _count_contents(spans, len(grammar.names))
        tallies = [
            total + counter.count_block(spans)
            for total, counter in zip(tallies, counters, strict=True)
        ]
    return contents, tallies


def _count_contents(spans: Spans, n_routes: int) -> Tally:
    """Count what a block holds: the counts of `TextResult`, and an array `routes`.

    The array has a column for each route, and five rows: the segments; their bytes, code points
    and words, where the end of a segment ends a word; and the code points whose script puts no
    spaces between words.
    """
    block = spans.block
    character_routes = spans.byte_routes[block.character_bytes[:-1]]
    routes_of_what_is_counted = (
        spans.routes[spans.firsts == 1],
        spans.byte_routes,
        character_routes,
        character_routes[block.word_starts_within(character_routes)],
        character_routes[block.is_spaceless],
    )
    return Tally(
        lines=len(block.lines),
        bytes=int(block.line_bytes[-1]),
        characters=int(block.line_characters[-1]),
        words=int(block.word_starts.sum()),
        broken_bytes=block.broken_bytes,
        syllables=len(spans.syllables.starts),
        clusters=len(block.clusters.starts),
        routes=np.stack(
            [np.bincount(routes, minlength=n_routes) for routes in routes_of_what_is_counted]
        ),
    )
