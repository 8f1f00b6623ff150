"""Drawing tokens at random, in plain Python (FORMAT.md, Sampling)."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack
from typing import TypeAlias

from wwho.sampling import STREAM_STEP, Sampling

GAPS = 64
"""The most merges that one draw decides on."""

_BITS_64 = 2**64 - 1
_LN_2 = 0.6931471805599453
_PER_LN_2 = 1.4426950408889634
_TERMS = (1.0 / 7, 1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1.0)


class Stream:
    """Numbers of 64 bits that follow from a seed: SplitMix64.

    Example:
        >>> hex(Stream(0).next())
        '0xe220a8397b1dcdaf'
    """

    def __init__(self, seed: int) -> None:
        """Begin the stream of a seed, of 64 bits."""
        self._state = seed & _BITS_64

    def next(self) -> int:
        """Return the next number."""
        self._state = self._state + STREAM_STEP & _BITS_64
        number = self._state
        number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _BITS_64
        number = (number ^ number >> 27) * 0x94D049BB133111EB & _BITS_64
        return number ^ number >> 31


class Draws:
    """The random draws of one pretoken, or of one phrase, one after another."""

    def __init__(self, seed: int, sampling: Sampling) -> None:
        """Begin the stream of a seed.

        Args:
            seed: the seed of the pretoken or phrase.
            sampling: what the call draws.
        """
        self._seed = seed
        self.drops, self.paths = sampling.dropout > 0, sampling.paths
        self.exponent = sampling.alpha * _PER_LN_2
        self._stream = Stream(seed)
        self._sampling = sampling
        self._left = 0
        self._skip = False
        self._gaps = gaps(sampling.dropout)

    def again(self) -> Draws:
        """Return the same draws from the beginning."""
        return Draws(self._seed, self._sampling)

    def of_phrase(self) -> Draws:
        """Return the draws of the phrase that begins with this pretoken."""
        return Draws(self._seed ^ _BITS_64, self._sampling)

    def takes_next(self) -> bool:
        """Return whether the next merge that comes up is taken; if not, it is skipped."""
        while not self._left:
            if self._skip:
                self._skip = False
                return False
            drawn = self._stream.next() >> 32
            self._left = next((k for k, gap in enumerate(self._gaps) if drawn >= gap), GAPS)
            self._skip = self._left < GAPS
        self._left -= 1
        return True

    def fraction(self) -> float:
        """Return a random number from 0 on and below 1."""
        return (self._stream.next() >> 11) / 2**53


class TextDraws:
    """The random draws of one text: the seeds of its pretokens, one after another."""

    def __init__(self, sampling: Sampling, text: int) -> None:
        """Begin the stream of text number `text` of a call."""
        seeds = Stream(sampling.seed + text * STREAM_STEP)
        self._pretokens = Stream(seeds.next())
        self._sampling = sampling

    def next_pretoken(self) -> Draws:
        """Return the draws of the next pretoken."""
        return Draws(self._pretokens.next(), self._sampling)


def gaps(dropout: float) -> list[int]:
    """Return 2^32 times the probability that the next 1, 2, ... merges are all taken.

    Example:
        >>> [gap / 2**32 for gap in gaps(0.5)[:3]]
        [0.5, 0.25, 0.125]
    """
    taken = 2**32
    each = taken - int(dropout * taken)
    found = []
    for _ in range(GAPS):
        taken = taken * each >> 32
        found.append(taken)
    return found


def power_of_2(exponent: float) -> float:
    """Return 2 to the power of a number up to 0, right to 8 digits; 0 if that is below 2^-63.

    Every machine and language gets the same bits: it takes products, sums and halvings alone.
    """
    if not exponent > -63:
        return 0.0
    halvings = int(0.5 - exponent)
    rest, power = (exponent + halvings) * _LN_2, 1.0
    for term in _TERMS:
        power = 1 + rest * power * term
    return power / float(2**halvings)


Weight: TypeAlias = tuple[float, float]
"""What paths weigh together: m and e stand for m * 2^e."""
Arc: TypeAlias = tuple[int, float]
"""A token that begins at a place: the place where it ends, and its score."""

_NOTHING: Weight = (0.0, -1.7976931348623157e308)


def draw_path(arcs: Sequence[Sequence[Arc]], draws: Draws, last: int) -> list[int]:
    """Return where the tokens of a path end that is drawn in proportion to the weights of paths.

    The weight of a path is 2 to the power of `draws.exponent` times the sum of its scores.

    Args:
        arcs: for each place but the last, what begins there, by length. One arc at least leads
            from each place to the next.
        draws: what is drawn from: one fraction for each token.
        last: the last place where a token may end; the path stops before one that ends after it,
            but has one token at least.
    """
    end = len(arcs)
    # For each place, what all paths from there to the end weigh together.
    weights: list[Weight] = [(1.0, 0.0)] * (end + 1)
    for at in range(end - 1, -1, -1):
        m, e = _NOTHING
        for stop, score in arcs[at]:
            m, e = _sum((m, e), weights[stop], score * draws.exponent)
        while m >= 2:
            m, e = m / 2, e + 1
        weights[at] = f32(m), e
    stops = [0]
    while (at := stops[-1]) < end:
        m, e = weights[at]
        until, total, chosen = draws.fraction() * m, (0.0, e), at
        for chosen, score in arcs[at]:
            total = _sum(total, weights[chosen], score * draws.exponent)
            if total[0] > until:
                break
        if at and chosen > last:
            break
        stops.append(chosen)
    return stops[1:]


def _sum(total: Weight, rest: Weight, own: float) -> Weight:
    """Return a weight, and that of a token, of 2^own, with all paths from its end, together."""
    m, e = rest[0], own + rest[1]
    if e > total[1]:
        return power_of_2(total[1] - e) * total[0] + m, e
    return power_of_2(e - total[1]) * m + total[0], total[1]


def f32(value: float) -> float:
    """Return the number of f32 that is nearest to a number."""
    rounded: float = unpack("<f", pack("<f", value))[0]
    return rounded
