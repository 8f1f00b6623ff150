"""Unigram in plain Python (FORMAT.md, Encoding 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from struct import pack, unpack

from wwho.format.layout import SYLLABLE
from wwho.format.model import Model
from wwho.format.viterbi import Viterbi
from wwho.reference.engine import Engine, PieceEngine, Token, Unit
from wwho.text import read_characters

UNKNOWN_PENALTY = 10
"""By how much the score of an unknown character is below that of any token."""

SHIFT_FROM = 100_000
"""Sums in f32 are shifted where they are larger: SentencePiece does so."""


class BestPath(PieceEngine[Viterbi]):
    """A model that cuts a pretoken so that the sum of scores is the largest."""

    def __init__(
        self, model: Viterbi, ids: Sequence[int | None], speller: PieceEngine[Model] | None
    ) -> None:
        """Run a model; the arguments are those of `Engine`."""
        super().__init__(model, ids, speller)
        self._scores = dict(zip(model.tokens, model.scores, strict=True))
        self._unknown_score = min(model.scores) - UNKNOWN_PENALTY
        if model.narrow:
            self._unknown_score = f32(self._unknown_score)

    def piece(self, piece: bytes, unk: bool) -> Iterator[Token]:
        """Yield the tokens of the pretoken's best path.

        Neighbouring unknown characters are one unknown text; in a model that is not narrow, tokens
        that are written as unk_id belong to it, and it is a token if it is the text of one.

        Args:
            piece: the pretoken.
            unk: whether the caller asks for unk_id in place of unknown text.
        """
        _, starts = read_characters(piece)
        characters = [piece[start:end] for start, end in pairwise(starts)]
        narrow = self.model.narrow
        parts = best_path(characters, self._scores, self._unknown_score, narrow=narrow)
        yield from self.tokens_of(parts, unk)

    def tokens_of(self, parts: Sequence[bytes], unk: bool) -> Iterator[Token]:
        """Yield the tokens of a path, in order.

        Args:
            parts: the parts of the path: tokens, and unknown characters.
            unk: whether the caller asks for unk_id in place of unknown text.
        """
        narrow = self.model.narrow
        for known, group in groupby(parts, key=self._known):
            if known:
                yield from (self.token(self.numbers[part]) for part in group)
                continue
            text = b"".join(group)
            # In tokenizers, not in SentencePiece, unknown characters together may be a token.
            if not narrow and text in self.numbers:
                yield self.token(self.numbers[text])
            else:
                found = list(self.unknown(text, unk))
                if not narrow and found[0].byte:  # In tokenizers each stands where all do.
                    yield found[0]._replace(size=len(text))
                    found = [each._replace(size=0, back=len(text)) for each in found[1:]]
                yield from found

    def _known(self, part: bytes) -> bool:
        """Return whether a part is a token; in `tokenizers`, one that is not written as unk_id."""
        number = self.numbers.get(part)
        if number is None or self.model.narrow:
            return number is not None
        return self.token(number).id != self.model.unk_id


class BestPathOfUnits(Engine[Viterbi]):
    """A model that cuts a pretoken so that the sum of scores is the largest, between its units."""

    def __init__(
        self, model: Viterbi, ids: Sequence[int | None], speller: PieceEngine[Model] | None
    ) -> None:
        """Run a model; the arguments are those of `Engine`."""
        super().__init__(model, ids, speller)
        self._within = BestPath(model, ids, speller)
        self._scores = dict(zip(model.tokens, model.scores, strict=True))

    def pretoken(self, units: Sequence[Unit], unk: bool) -> Iterator[Token]:
        """Yield the tokens of a pretoken that was cut into units.

        Neighbouring syllables that are tokens are cut together, between units. Any other unit
        stands alone: one that is no token is cut as a text that has no units.

        Args:
            units: the units.
            unk: whether the caller asks for unk_id in place of unknown text.
        """
        for joins, group in groupby(units, key=self._joins):
            texts = [text for text, _ in group]
            if joins:
                # Each of them is a token, so that none is unknown.
                parts = best_path(texts, self._scores, 0.0, narrow=self.model.narrow)
                yield from self._within.tokens_of(parts, unk)
                continue
            for text in texts:
                if text in self._scores:
                    yield from self._within.tokens_of([text], unk)
                else:
                    yield from self._within.piece(text, unk)

    def _joins(self, unit: Unit) -> bool:
        """Return whether a unit is cut together with others of its kind."""
        return unit[1] == SYLLABLE and unit[0] in self._scores


def best_path(
    characters: Sequence[bytes], scores: Mapping[bytes, float], unknown: float, *, narrow: bool
) -> list[bytes]:
    """Return the parts of a text whose scores have the highest sum.

    Of paths of equal value, the one whose last part is the longest is kept.

    Args:
        characters: the text, character by character, or unit by unit.
        scores: text -> score, of all tokens.
        unknown: the score of a character that is no token.
        narrow: whether sums are rounded to f32, as in SentencePiece, or f64, as in `tokenizers`.

    Returns:
        The parts in order: tokens, and single characters that are none.

    Example:
        >>> scores = {b"a": -1.0, b"b": -1.0, b"ab": -1.5}
        >>> best_path([b"a", b"b", b"c"], scores, -20.0, narrow=False)
        [b'ab', b'c']
    """
    n = len(characters)
    longest = max(map(len, scores), default=0)
    # For each place the sum, and where the last part starts.
    best: list[tuple[float, int] | None] = [(0.0, 0), *[None] * n]
    for start in range(n):
        here = best[start]
        assert here is not None  # A part of one character ends at each place.
        if narrow and abs(here[0]) > SHIFT_FROM:
            for k in range(start, n + 1):
                if (other := best[k]) is not None:
                    best[k] = (f32(other[0] - here[0]), other[1])
            here = (0.0, here[1])
        part = b""
        for end in range(start + 1, n + 1):
            part += characters[end - 1]
            if len(part) > longest and end > start + 1:
                break
            score = scores.get(part, unknown if end == start + 1 else None)
            if score is None:
                continue
            total = f32(here[0] + score) if narrow else here[0] + score
            old = best[end]
            if old is None or total > old[0]:
                best[end] = (total, start)
    parts: list[bytes] = []
    end = n
    while end:
        found = best[end]
        assert found is not None
        parts.append(b"".join(characters[found[1] : end]))
        end = found[1]
    return parts[::-1]


def f32(value: float) -> float:
    """Return the number of f32 that is nearest to a number."""
    rounded: float = unpack("<f", pack("<f", value))[0]
    return rounded
