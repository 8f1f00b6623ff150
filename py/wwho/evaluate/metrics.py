"""The figures, as formulas. Where there is nothing to divide by, a figure is None."""

from __future__ import annotations

import math

import numpy as np

from wwho.evaluate.arrays import Ints

RENYI_ALPHA = 2.5


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


def id_bytes(n_vocab: int) -> int:
    """How many whole bytes hold any id.

    Example:
        >>> id_bytes(65_536), id_bytes(65_537)
        (2, 3)
    """
    return max(1, math.ceil(max(n_vocab - 1, 1).bit_length() / 8))


def compression_ratio(n_bytes: int, tokens: int, n_vocab: int) -> float | None:
    """Bytes of the text over bytes of the encoded file (OSPE, equation 1).

    OSPE leaves the file's form open; here it is each id in `id_bytes(n_vocab)` bytes.

    Example:
        >>> compression_ratio(600, 50, 65_537)
        4.0
    """
    return ratio(n_bytes, tokens * id_bytes(n_vocab))


def renyi_efficiency(counts: Ints, alpha: float = RENYI_ALPHA) -> float | None:
    """Rényi entropy of the tokens' frequencies over its maximum, the logarithm of their number.

    As in Zouhar et al., "Tokenization and the Noiseless Channel", ACL 2023, and their package
    tokenization-scorer: of the tokens that occur, with alpha 2.5, which went best with the quality
    of translations there.

    Args:
        counts: how often each token occurs; those that never do count for nothing.
        alpha: the order, not 1.

    Returns:
        A number up to 1; None where fewer than two tokens occur.

    Example:
        >>> renyi_efficiency(np.array([2, 2, 2, 0]))
        1.0
        >>> round(renyi_efficiency(np.array([3, 1]), alpha=2), 6)  # log(16 / 10) / log(2)
        0.678072
    """
    seen = counts[counts > 0]
    if len(seen) < 2:
        return None
    shares = seen / seen.sum()
    entropy = math.log(float((shares**alpha).sum())) / (1 - alpha)
    return entropy / math.log(len(seen))


def histogram(counts: Ints) -> list[int]:
    """How many tokens occur never, once, 2 to 3 times, 4 to 7 times, and so on.

    Example:
        >>> histogram(np.array([0, 0, 1, 2, 3, 4]))
        [2, 1, 2, 1]
    """
    return [int(number) for number in np.bincount(np.frexp(counts)[1])]
