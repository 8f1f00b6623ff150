"""The metrics as formulas, and how numbers are printed.

Where there is nothing to divide by, a metric is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from wwho.evaluate.text import Ints

Number = int | float | None
Show = Callable[[Number], str]
NONE = "–"
RENYI_ALPHA = 2.5
"""The order of the entropy that went best with the quality of translations."""


def ratio(numerator: float, denominator: float) -> float | None:
    """One over the other.

    Example:
        >>> ratio(3, 2), ratio(3, 0)
        (1.5, None)
    """
    return numerator / denominator if denominator else None


def saving(tokens: int, baseline: int) -> float | None:
    """The share of the baseline's tokens that are saved ("% reduction", table 6 of the paper).

    Example:
        >>> round(saving(6_654_288, 17_360_196), 3)  # the paper's Sinhala
        0.617
    """
    share = ratio(tokens, baseline)
    return None if share is None else 1 - share


def gini(values: Sequence[int]) -> float | None:
    """The Gini coefficient: how far from equal values, not all 0, are; 0 where all are the same.

    The mean difference between two of them, each with itself included, over twice the mean.

    Example:
        >>> gini([3, 3, 3]), gini([0, 0, 0, 8]), gini([0])
        (0.0, 0.75, None)
    """
    n, ascending = len(values), sorted(values)
    weighted = sum((2 * rank - n - 1) * value for rank, value in enumerate(ascending, start=1))
    return ratio(weighted, n * sum(values))


def id_bytes(n_vocab: int) -> int:
    """How many whole bytes hold any id.

    Example:
        >>> id_bytes(65_536), id_bytes(65_537)
        (2, 3)
    """
    return max(1, math.ceil(max(n_vocab - 1, 1).bit_length() / 8))


def renyi_efficiency(counts: Ints) -> float | None:
    """Rényi entropy of the tokens' frequencies over its maximum, the logarithm of their number.

    As in Zouhar et al., "Tokenization and the Noiseless Channel", ACL 2023, and their package
    tokenization-scorer: of the tokens that occur, up to 1; None where fewer than two do.

    Example:
        >>> import numpy as np
        >>> renyi_efficiency(np.array([2, 2, 2, 0]))
        1.0
    """
    seen = counts[counts > 0]
    if len(seen) < 2:
        return None
    shares = seen / seen.sum()
    entropy = math.log(float((shares**RENYI_ALPHA).sum())) / (1 - RENYI_ALPHA)
    return entropy / math.log(len(seen))


def decimals(places: int, unit: str = "") -> Show:
    """How to print a number with so many decimal places.

    Example:
        >>> decimals(3)(1.27342), times(2.6088), whole(1234567), whole(None)
        ('1.273', '2.61×', '1,234,567', '–')
    """
    return lambda value: NONE if value is None else f"{value:,.{places}f}{unit}"


whole, times = decimals(0), decimals(2, "×")


def percent(value: Number) -> str:
    """A share; one that is not nothing, or not all, never looks like it.

    Example:
        >>> percent(0.617), percent(-0.00181), percent(0.00001), percent(0.9999), percent(0)
        ('61.7 %', '−0.18 %', '<0.01 %', '>99.9 %', '0 %')
    """
    if value is None:
        return NONE
    if 0 < value < 0.00005:
        return "<0.01 %"
    if 0.9995 <= value < 1:
        return ">99.9 %"
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    return f"{100 * value:.{1 if abs(value) >= 0.01 else 2}f} %".replace("-", "−")
