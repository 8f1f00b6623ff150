"""Formulas of the metrics; each returns None where it would divide by zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wwho.evaluate.text_blocks import Ints

RENYI_ALPHA = 2.5
"""The order of Rényi entropy that agreed best with the quality of translations (Zouhar et al.)."""


def ratio(numerator: float, denominator: float) -> float | None:
    """Return the quotient of two numbers; None where the denominator is 0.

    Example:
        >>> ratio(3, 2), ratio(3, 0)
        (1.5, None)
    """
    return numerator / denominator if denominator else None


def saving(tokens: int, baseline: int) -> float | None:
    """Return the share of the baseline's tokens that are saved: 0.25 means a quarter fewer.

    This is the "% reduction" of table 6 of the WWHO paper. It is negative where `tokens` is the
    larger number, and None where the baseline has no tokens.

    Example:
        >>> round(saving(6_654_288, 17_360_196), 3)  # the paper's Sinhala
        0.617
    """
    share = ratio(tokens, baseline)
    return None if share is None else 1 - share


def gini(values: Sequence[int]) -> float | None:
    """Return the Gini coefficient of values of at least 0: 0 for equal ones, towards 1 for unequal.

    It is the mean difference between two values, each with itself included, over twice the mean.
    None where all values are 0, or there are none.

    Example:
        >>> gini([3, 3, 3]), gini([0, 0, 0, 8]), gini([0])
        (0.0, 0.75, None)
    """
    n, ascending = len(values), sorted(values)
    weighted = sum((2 * rank - n - 1) * value for rank, value in enumerate(ascending, start=1))
    return ratio(weighted, n * sum(values))


def id_bytes(n_vocab: int) -> int:
    """Return the smallest number of whole bytes that can hold any id below `n_vocab`; at least 1.

    Example:
        >>> id_bytes(65_536), id_bytes(65_537)
        (2, 3)
    """
    return max(1, math.ceil(max(n_vocab - 1, 1).bit_length() / 8))


def renyi_efficiency(counts: Ints) -> float | None:
    """Return the Rényi entropy of the tokens' frequencies over its maximum: 1 if all are equal.

    The entropy is of the order `RENYI_ALPHA`, 2.5. The maximum is the logarithm of the number of
    different tokens that occur. As in Zouhar et al., "Tokenization and the Noiseless Channel", ACL
    2023, and their package tokenization-scorer.

    Args:
        counts: how often each id occurs; ids that never do play no part.

    Returns:
        A number up to 1; None where fewer than two ids occur.

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
