"""Stretches of a text that a token should not end inside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wwho.evaluate.arrays import Ints


class Damage(NamedTuple):
    """What cuts do to stretches.

    Attributes:
        cuts: how many lie inside one.
        broken: how many stretches have one inside.
    """

    cuts: int
    broken: int


class Extents(NamedTuple):
    """Stretches of bytes, ascending, that do not overlap.

    Attributes:
        starts: the first byte of each.
        ends: the byte behind each.
    """

    starts: Ints
    ends: Ints

    def damage(self, cuts: Ints) -> Damage:
        """What cuts before these bytes, ascending, do to the stretches.

        Example:
            >>> words = Extents(np.array([0, 4]), np.array([3, 9]))
            >>> words.damage(np.array([1, 2, 3, 4, 9]))
            Damage(cuts=2, broken=1)
        """
        owner = np.searchsorted(self.starts, cuts, side="left") - 1
        owner, cuts = owner[owner >= 0], cuts[owner >= 0]
        hit = owner[cuts < self.ends[owner]]
        return Damage(len(hit), len(np.unique(hit)))
