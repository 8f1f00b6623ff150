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
    """So many examples, and an eighth of them by default."""
    return settings(max_examples=most if EXHAUSTIVE else most // 8)


def chosen(every: Iterable[T], *few: T) -> Sequence[T]:
    """All of these, or a few of them by default."""
    every = tuple(every)
    assert {*few} <= {*every}
    return every if EXHAUSTIVE else few
