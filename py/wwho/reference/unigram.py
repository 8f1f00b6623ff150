"""Unigram in plain Python (FORMAT.md, Encoding 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from wwho.format.layout import SYLLABLE
from wwho.format.model import Model
from wwho.format.viterbi import Viterbi
from wwho.reference.engine import Engine, PieceEngine, Token, Unit
from wwho.reference.sampling import Arc, Draws, draw_path, f32
from wwho.text import read_characters

UNKNOWN_PENALTY = 10
"""By how much the score of an unknown character is below that of any token."""

WINDOW_BYTES, KEPT_BYTES = 4096, 3072
"""Bytes of a pretoken whose path is drawn at once, and how many of them are then final if more
follow."""

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

    def piece(self, piece: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of the pretoken's best path, or of one that is drawn.

        Neighbouring unknown characters are one unknown text; in a model that is not narrow, tokens
        that are written as unk_id belong to it, and it is a token if it is the text of one.

        Args:
            piece: the pretoken.
            unk: whether the caller asks for unk_id in place of unknown text.
            draws: what is drawn for the pretoken; None: nothing.
        """
        _, starts = read_characters(piece)
        characters = [piece[start:end] for start, end in pairwise(starts)]
        yield from self.tokens_of(self.path(characters, draws), unk, draws)

    def path(self, characters: Sequence[bytes], draws: Draws | None) -> Iterable[bytes]:
        """Return the parts of a text's best path, or of one that is drawn as they are taken.

        Args:
            characters: the text, character by character, or unit by unit.
            draws: what is drawn for the pretoken; None: nothing.
        """
        if draws is None or not draws.paths:
            narrow = self.model.narrow
            return best_path(characters, self._scores, self._unknown_score, narrow=narrow)
        return drawn_path(characters, self._scores, self._unknown_score, draws)

    def tokens_of(
        self, parts: Iterable[bytes], unk: bool, draws: Draws | None = None
    ) -> Iterator[Token]:
        """Yield the tokens of a path, in order.

        Args:
            parts: the parts of the path: tokens, and unknown characters.
            unk: whether the caller asks for unk_id in place of unknown text.
            draws: what is drawn for the pretoken, and so for the speller; None: nothing.
        """
        narrow = self.model.narrow
        for known, group in groupby(parts, key=self._is_token):
            if known:
                yield from (self.token(self.numbers[part]) for part in group)
                continue
            text = b"".join(group)
            # In tokenizers, not in SentencePiece, unknown characters together may be a token.
            if not narrow and text in self.numbers:
                yield self.token(self.numbers[text])
            else:
                found = list(self.unknown_tokens(text, unk, draws))
                if not narrow and found[0].byte:  # In tokenizers each stands where all do.
                    yield found[0]._replace(size=len(text))
                    found = [each._replace(size=0, back=len(text)) for each in found[1:]]
                yield from found

    def _is_token(self, part: bytes) -> bool:
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

    def pretoken(
        self, units: Sequence[Unit], unk: bool, draws: Draws | None = None
    ) -> Iterator[Token]:
        """Yield the tokens of a pretoken that was cut into units.

        Neighbouring syllables that are tokens are cut together, between units. Any other unit
        stands alone: one that is no token is cut as a text that has no units.

        Args:
            units: the units.
            unk: whether the caller asks for unk_id in place of unknown text.
            draws: what is drawn for the pretoken; None: nothing.
        """
        for joins, group in groupby(units, key=self._joins):
            texts = [text for text, _ in group]
            if joins:
                # Each of them is a token, so that none is unknown.
                yield from self._within.tokens_of(self._within.path(texts, draws), unk)
                continue
            for text in texts:
                if text in self._scores:
                    yield from self._within.tokens_of(self._within.path([text], draws), unk)
                else:
                    yield from self._within.piece(text, unk, draws)

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


def drawn_path(
    characters: Sequence[bytes], scores: Mapping[bytes, float], unknown: float, draws: Draws
) -> Iterator[bytes]:
    """Yield the parts of a text on a path that is drawn, window by window (FORMAT.md, Sampling).

    They are tokens, and single characters that are none. A window is drawn when its first part is
    taken: what its caller draws for the parts before comes first.

    Args:
        characters: the text, character by character, or unit by unit.
        scores: text -> score, of all tokens.
        unknown: the score of a character that is no token.
        draws: what is drawn from.
    """
    longest = max(map(len, scores), default=0)
    start = 0
    while start < len(characters):
        # The characters that begin in the first WINDOW_BYTES from `start`.
        places = [0]
        while start + len(places) <= len(characters) and places[-1] < WINDOW_BYTES:
            places.append(places[-1] + len(characters[start + len(places) - 1]))
        window = characters[start : start + len(places) - 1]
        arcs = [[*_arcs(window, at, scores, unknown, longest)] for at in range(len(window))]
        last = len(window)
        if start + last < len(characters):
            last = sum(place <= KEPT_BYTES for place in places) - 1
        begin = 0
        for stop in draw_path(arcs, draws, last):
            yield b"".join(window[begin:stop])
            begin = stop
        start += begin


def _arcs(
    characters: Sequence[bytes],
    at: int,
    scores: Mapping[bytes, float],
    unknown: float,
    longest: int,
) -> Iterator[Arc]:
    """Yield the tokens that begin at a character, by length, and if it is none, itself last."""
    text = b""
    for end in range(at + 1, len(characters) + 1):
        text += characters[end - 1]
        if len(text) > longest:
            break
        if text in scores:
            yield end, scores[text]
    if characters[at] not in scores:
        yield at + 1, unknown
