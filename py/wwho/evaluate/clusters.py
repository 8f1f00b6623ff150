"""Extended grapheme clusters: what Unicode calls a character that a reader sees (UAX #29).

The library is the one of those tried that is both right and fast. The regex package's ``\\X`` joins
a virama and a consonant also where no consonant stands before them, against rule GB9c.
"""

from __future__ import annotations

from operator import itemgetter

import numpy as np
from unicode_segmentation_rs import grapheme_indices

from wwho.evaluate.arrays import Ints
from wwho.evaluate.extents import Extents
from wwho.evaluate.text import Block


def clusters(block: Block) -> Extents:
    """The clusters of each line.

    Example:
        >>> clusters(Block(["aक्षि", "ක්‍ෂ"]))
        Extents(starts=array([ 0,  1, 13, 22]), ends=array([ 1, 13, 22, 25]))
    """
    parts = [
        start + _starts(line)
        for start, line in zip(block.line_bytes[:-1], block.lines, strict=True)
    ]
    starts = np.concatenate(parts)
    return Extents(starts, np.append(starts[1:], block.line_bytes[-1])[: len(starts)])


def _starts(line: str) -> Ints:
    """The bytes at which clusters begin."""
    if line.isascii() and "\r\n" not in line:
        return np.arange(len(line))
    return np.fromiter(map(itemgetter(0), grapheme_indices(line, True)), np.int64)
