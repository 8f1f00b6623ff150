"""Learning merges."""

from __future__ import annotations

from collections.abc import Sequence

from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.progress import Progress
from wwho.train.native import Merger, Words

STEP = 2000
"""Merges between two looks at Ctrl-C and the progress bar; the first, large ones take a second."""


def learn_merges(
    words: Words,
    atoms: Sequence[bytes],
    max_merges: int,
    *,
    min_freq: int,
    max_units: int = MAX_TOKEN_BYTES,
    bars: Progress,
) -> Merger:
    """Merge the most frequent pair of neighbours, again and again.

    The count of a pair is the number of places in the corpus where the two stand side by side
    within a word. Among pairs of equal count the one with the smaller left id is merged first, then
    the one with the smaller right id. A pair that overlaps itself is merged from left to right. No
    pair with a pruned unit is merged (`choose_atoms`), none seen less than `min_freq` times, and
    none whose token would be longer than `max_units` atoms or 1023 bytes.

    Args:
        words: the words of the corpus and their counts.
        atoms: texts of the atoms in ascending byte order; their ids are 0, 1, 2 and so on.
        max_merges: how many merges the vocabulary has room for.
        min_freq: the threshold, at least 1.
        max_units: how many atoms a token may have, at least 1.
        bars: where to show progress.

    Returns:
        What holds the left and right id of each merge, in order, and its gain; merge number k makes
        the id ``len(atoms) + k``.
    """
    merger = Merger(words, atoms, max_merges=max_merges, min_freq=min_freq, max_units=max_units)
    with bars.stage("merge", max_merges, unit=" merges") as advance:
        while made := merger.step(STEP):
            advance(made)
    return merger
