"""What a vocabulary holds, and how much of it the texts use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.grammar import JOINERS
from wwho.evaluate.text import Ints

_VIRAMA = 9
"""The canonical combining class of viramas, which Unicode keeps for them alone."""

_SIGNS = "|".join(
    char
    for char in map(chr, range(0x20000))
    if char in JOINERS or unicodedata.combining(char) == _VIRAMA
)
_GLITCH = re.compile(f" *(?:{_SIGNS})(?: |{_SIGNS})*".encode())


@dataclass(frozen=True)
class Glitch:
    """A token that is nothing but joiners and viramas, and how often the texts have it."""

    id: int
    text: str
    occurrences: int


@dataclass(frozen=True)
class VocabularyPart:
    """Ids of one origin.

    Attributes:
        part: "SGPE", "superwords" or "base" of a model that has them, else "all".
        size: how many there are, special tokens and unused ids included.
        used: how many of them the texts have.
        occurrences: how often the texts have one of them.
        histogram: how many occur never, once, 2 to 3 times, 4 to 7 times, and so on.
    """

    encoder: str
    part: str
    size: int
    used: int
    unused: int
    occurrences: int
    glitches: tuple[Glitch, ...]
    histogram: tuple[int, ...]


def vocabulary(encoder: Encoder, counts: Ints) -> list[VocabularyPart]:
    """The parts of a vocabulary, a model's own first, by how often the texts have each id."""
    base, first, last = encoder.first_own, encoder.superwords.start, encoder.superwords.stop
    if not base:
        return [_part(encoder, "all", range(encoder.n_vocab), counts)]
    if not encoder.superwords:
        first = last = encoder.n_vocab
    # The lone space of a model stands after its superwords.
    own = [*range(base, first), *range(last, encoder.n_vocab)]
    parts = {"SGPE": own, "superwords": encoder.superwords, "base": range(base)}
    return [_part(encoder, name, ids, counts) for name, ids in parts.items() if ids]


def _part(encoder: Encoder, name: str, ids: Sequence[int], counts: Ints) -> VocabularyPart:
    occurrences = counts[ids]
    bins = np.bincount(np.frexp(occurrences)[1]).tolist()  # by the length of the binary number
    found = zip(ids, encoder.tokens_bytes(ids), occurrences.tolist(), strict=True)
    return VocabularyPart(
        encoder=encoder.name,
        part=name,
        size=len(ids),
        used=len(ids) - bins[0],
        unused=bins[0],
        occurrences=int(occurrences.sum()),
        glitches=tuple(
            Glitch(token, text.decode(), number)
            for token, text, number in found
            if text and _GLITCH.fullmatch(text)
        ),
        histogram=tuple(bins),
    )
