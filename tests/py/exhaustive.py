"""How much is tried: a part by default, everything with WWHO_EXHAUSTIVE, as before a release."""

from __future__ import annotations

import os
from datetime import date

from hypothesis import settings

EXHAUSTIVE = bool(os.environ.get("WWHO_EXHAUSTIVE"))
SEED = date.today().isoformat() if EXHAUSTIVE else "1"
"""Of random texts and models: another each day where everything is tried."""


def examples(most: int) -> settings:
    """So many examples, and a quarter of them by default."""
    return settings(max_examples=most if EXHAUSTIVE else most // 4)
