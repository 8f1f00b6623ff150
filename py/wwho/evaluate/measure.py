"""One pass over the texts, in which everything about them is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.grammar import Grammar, Units
from wwho.evaluate.text import Block, Bools, Ints, part_of


class Tally(dict[str, Any]):
    """Numbers and arrays by name; most names are those of `TextResult` and `Figures`."""

    def __add__(self, other: Tally) -> Tally:
        """The sums, name by name.

        Example:
            >>> Tally() + Tally(lines=1) + Tally(lines=2)
            {'lines': 3}
        """
        return Tally({name: self.get(name, 0) + number for name, number in other.items()})


class Meter:
    """Counts tokens of one tokenizer, the `encoder`."""

    def __init__(self, encoder: Encoder, grammar: Grammar) -> None:
        """Measure by the scripts and syllables of a grammar."""
        self.encoder = encoder
        self._grammar = grammar
        self._is_known, self._is_whole = np.zeros((2, encoder.n_vocab), np.bool_)
        if encoder.unk_id is not None:
            self._is_known[encoder.unk_id] = True  # and not whole, whatever its name

    def measure(self, units: Units) -> Tally:
        """Count the tokens of a block.

        Returns:
            The counts of `Figures`; and `counts`, how often each id occurs, `route_tokens`, the
            tokens that end in segments of each route, and `fragments`, those of them in scripts
            that are not whole (see `Grammar.are_whole`).
        """
        block, grammar, encoder = units.block, self._grammar, self.encoder
        ids, ends, firsts = encoding = encoder.encode(block)
        # The last byte of each token's text; of a token without text, one beside it.
        last_bytes = np.maximum(ends - 1, np.repeat(block.line_bytes[:-1], np.diff(firsts)))
        routes = units.byte_routes[last_bytes]
        # The tokenizer may give a script another name, and know more or fewer than the grammar.
        could_be = grammar.is_script[units.routes]
        could_be[could_be] = encoder.has_syllables(units.letters[could_be])
        is_spelled = np.repeat(could_be, units.ends - units.starts)[last_bytes]
        is_spelled &= encoder.is_base[ids]
        # Between two tokens of the base, a syllable outside the vocabulary is being spelled.
        is_spelling = is_spelled & np.append(is_spelled[1:], False)[: len(is_spelled)]
        is_spelling |= ~encoder.is_base[ids] & self._in_unknown(units, ends)
        syllables = units.syllables.damage(ends[~is_spelling])
        clusters = block.clusters.damage(ends)
        decoded = encoder.decode(encoding.lines())
        is_damaged = np.array([a != b for a, b in zip(decoded, block.encoded, strict=True)])
        unknown = part_of(firsts, np.flatnonzero(ids == encoder.unk_id))
        return Tally(
            counts=np.bincount(ids, minlength=encoder.n_vocab),
            route_tokens=np.bincount(routes, minlength=len(grammar.names)),
            fragments=self._fragments(ids[grammar.is_script[routes]]),
            damaged_lines=int(is_damaged.sum()),
            damaged_by_unk=int(is_damaged[np.unique(unknown)].sum()),
            unk_tokens=len(unknown),
            broken_syllables=syllables.broken,
            syllable_cuts=syllables.cuts,
            spelled_syllables=units.syllables.damage(ends[is_spelling]).broken,
            spelled_tokens=int(is_spelled.sum()),
            broken_clusters=clusters.broken,
            cluster_cuts=clusters.cuts,
        )

    def _in_unknown(self, units: Units, ends: Ints) -> Bools:
        """Which tokens end inside a syllable that a vocabulary of syllables has no token for."""
        starts, after = units.syllables
        if not self.encoder.is_base.any() or not len(starts):
            return np.zeros(len(ends), np.bool_)
        owner = np.searchsorted(starts, ends, side="left") - 1
        inside = (owner >= 0) & (ends < after[owner])
        text, numbers = b"".join(units.block.encoded), np.unique(owner[inside])
        unknown = [n for n in numbers if not self.encoder.has(text[starts[n] : after[n]])]
        return inside & np.isin(owner, unknown)

    def _fragments(self, ids: Ints) -> int:
        """How many of these tokens are not whole; what has been found of each is kept."""
        new = np.unique(ids[~self._is_known[ids]])
        self._is_whole[new] = self._grammar.are_whole(self.encoder.tokens_bytes(new.tolist()))
        self._is_known[new] = True
        return int((~self._is_whole[ids]).sum())


def measure(
    blocks: Iterable[Block], grammar: Grammar, meters: Sequence[Meter]
) -> tuple[Tally, list[Tally]]:
    """What a text holds, and what each tokenizer makes of it; one block is in memory at a time."""
    text, tallies = Tally(), [Tally() for _ in meters]
    for block in blocks:
        units = grammar.units(block)
        text += _text_tally(units, len(grammar.names))
        tallies = [
            total + meter.measure(units) for total, meter in zip(tallies, meters, strict=True)
        ]
    return text, tallies


def _text_tally(units: Units, n_routes: int) -> Tally:
    """What a block holds: the counts of `TextResult`, and `routes`, a column for each route.

    Its rows are the segments; their bytes, code points and words, which a segment's end ends; and
    the code points that are of scripts without spaces between words.
    """
    block = units.block
    routes = units.byte_routes[block.character_bytes[:-1]]
    by_route = (
        units.routes[units.firsts == 1],
        units.byte_routes,
        routes,
        routes[block.word_starts_within(routes)],
        routes[block.is_spaceless],
    )
    return Tally(
        lines=len(block.lines),
        bytes=int(block.line_bytes[-1]),
        characters=int(block.line_characters[-1]),
        words=int(block.word_starts.sum()),
        broken_bytes=block.broken,
        syllables=len(units.syllables.starts),
        clusters=len(block.clusters.starts),
        routes=np.stack([np.bincount(each, minlength=n_routes) for each in by_route]),
    )
