"""The same text written otherwise: misspelt, in another normal form, or without joiners."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from wwho.lm.misspelling import misspell

_SEED = 1
_WITHOUT_JOINERS = dict.fromkeys([0x200C, 0x200D])


def _change_each(change: Callable[[str], str], lines: Sequence[str]) -> list[str]:
    """Return lines, each of them changed."""
    return [change(line) for line in lines]


VARIANTS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "clean": list,
    "misspelt_1": partial(misspell, share=0.01, seed=_SEED),
    "misspelt_5": partial(misspell, share=0.05, seed=_SEED),
    "misspelt_10": partial(misspell, share=0.1, seed=_SEED),
    "nfc": partial(_change_each, partial(unicodedata.normalize, "NFC")),
    "nfd": partial(_change_each, partial(unicodedata.normalize, "NFD")),
    "without_joiners": partial(_change_each, lambda line: line.translate(_WITHOUT_JOINERS)),
}
"""What makes each variant of some lines: as they are; with a typing error in so many words of a
hundred; in a normal form of Unicode; without U+200C and U+200D."""


def vary(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return each of VARIANTS of some lines, by name; every variant has as many lines.

    Example:
        >>> [ascii(lines[0]) for lines in vary(["\\u0d9a\\u0dca\\u200d\\u0dbb"]).values()][-1]
        "'\\\\u0d9a\\\\u0dca\\\\u0dbb'"
    """
    return {name: change(lines) for name, change in VARIANTS.items()}
