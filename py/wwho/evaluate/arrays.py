"""Arrays as they are used here."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]


def flat(parts: Iterable[Iterable[int]]) -> Ints:
    """The numbers of several lists, one behind the other.

    Example:
        >>> flat([[1, 2], [], [3]]).tolist()
        [1, 2, 3]
    """
    return np.fromiter(chain.from_iterable(parts), np.int64)


def bounds(sizes: Iterable[int]) -> Ints:
    """Where parts of these sizes begin when laid end to end, and where the last one ends.

    Example:
        >>> bounds([2, 0, 1]).tolist()
        [0, 2, 2, 3]
    """
    return np.concatenate(([0], np.cumsum(np.fromiter(sizes, np.int64), dtype=np.int64)))


def part_of(begins: Ints, places: Ints) -> Ints:
    """The number of the part that each place is in, given `bounds`.

    Example:
        >>> part_of(bounds([2, 0, 1]), np.array([0, 1, 2])).tolist()
        [0, 0, 2]
    """
    return np.searchsorted(begins, places, side="right") - 1
