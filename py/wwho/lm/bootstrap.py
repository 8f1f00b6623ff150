"""Intervals for the difference of two models, by resampling the lines both were measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wwho.lm.sequences import Floats

RESAMPLES = 1000
_AT_ONCE = 50


@dataclass(frozen=True)
class Difference:
    """How many more bits one model takes for a text than another: 0.02 is two in a hundred more.

    Attributes:
        share: the difference over the other model's bits, on all lines.
        low: the 2.5th percentile of the same over resampled lines.
        high: the 97.5th percentile.
    """

    share: float
    low: float
    high: float


def compare_bits(bits: Floats, reference: Floats, seed: int = 1) -> Difference:
    """Return the difference between two models' bits, with a paired bootstrap interval of 95 %.

    RESAMPLES times, as many lines as there are are drawn with replacement, the same for both.

    Args:
        bits: of each line, at least one, by the one model.
        reference: of each line by the other, as many lines; none has 0 bits.
        seed: of the random numbers.

    Example:
        >>> compare_bits(np.array([2.0, 4.0]), np.array([1.0, 2.0]))
        Difference(share=1.0, low=1.0, high=1.0)
    """
    random, n_lines = np.random.default_rng(seed), len(bits)
    both, shares = np.stack([bits, reference], axis=1), []
    for _ in range(0, RESAMPLES, _AT_ONCE):
        drawn = random.multinomial(n_lines, np.full(n_lines, 1 / n_lines), _AT_ONCE) @ both
        shares.append(drawn[:, 0] / drawn[:, 1] - 1)
    low, high = np.percentile(np.concatenate(shares), [2.5, 97.5])
    return Difference(float(bits.sum() / reference.sum() - 1), float(low), float(high))
