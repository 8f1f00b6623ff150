"""How much is tried: a part by default, everything with WWHO_EXHAUSTIVE, as before a release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")
EXHAUSTIVE = bool(os.environ.get("WWHO_EXHAUSTIVE"))
SEED = date.today().isoformat() if EXHAUSTIVE else "1"
"""Of random texts and models: another each day where everything is tried."""


def examples(most: int) -> settings:
    """Return settings for so many examples in exhaustive runs, and for an eighth otherwise."""
    return settings(max_examples=most if EXHAUSTIVE else most // 8)


def chosen(every: Iterable[T], *few: T) -> Sequence[T]:
    """Return all of some values in exhaustive runs, otherwise the few that are given."""
    every = tuple(every)
    assert {*few} <= {*every}
    return every if EXHAUSTIVE else few
