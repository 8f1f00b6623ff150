"""Text with typing errors in a share of its words, the same for every tokenizer."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

_WAYS = ("delete", "double", "swap")
_WORD = re.compile(r"\S\S+")


def misspell(lines: Sequence[str], share: float, seed: int) -> list[str]:
    """Return lines in which a share of the words has a code point deleted, swapped or doubled.

    Words are what white space separates, with at least two code points; each is changed with the
    probability `share`, at a random place and in one of the three ways, which are equally likely. A
    swap is with the next code point; of two equal ones it changes nothing.
    The same arguments give the same lines.

    Args:
        lines: the lines, which stay as they are.
        share: the probability of a word to be changed, 0..1.
        seed: of the random numbers.

    Example:
        >>> misspell(["one two three four"], 0.5, 1)
        ['one two three fuor']
    """
    random = np.random.default_rng(seed)

    def change(word: re.Match[str]) -> str:
        """Return the word, changed or as it is."""
        text = word[0]
        if random.random() >= share:
            return text
        way = int(random.integers(len(_WAYS)))
        # The last code point has none behind it to be swapped with.
        place = int(random.integers(len(text) - (_WAYS[way] == "swap")))
        before, here, after = text[:place], text[place], text[place + 1 :]
        return {
            "delete": before + after,
            "double": before + here + here + after,
            "swap": before + after[:1] + here + after[1:],
        }[_WAYS[way]]

    return [_WORD.sub(change, line) for line in lines]
