"""How much of a vocabulary the texts of an evaluation use, and its tokens that are no text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.syllables import JOINERS
from wwho.evaluate.text_blocks import Ints

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
    """A token that is nothing but joiners, viramas and spaces, and how often the texts have it."""

    id: int
    text: str
    occurrences: int


@dataclass(frozen=True)
class VocabularyPart:
    """The ids of one origin in a vocabulary, and how often the texts have them.

    Attributes:
        encoder: the name of the tokenizer.
        part: "SGPE", "superwords" or "base" of a model that has a base, else "all".
        size: how many ids there are, special tokens and unused ids included.
        used: how many of them the texts have.
        unused: how many they do not have.
        occurrences: how often the texts have one of them.
        glitches: the tokens that are nothing but joiners and viramas, whether used or not.
        histogram: how many ids occur never, once, 2 to 3 times, 4 to 7 times, and so on.
    """

    encoder: str
    part: str
    size: int
    used: int
    unused: int
    occurrences: int
    glitches: tuple[Glitch, ...]
    histogram: tuple[int, ...]


def split_vocabulary(encoder: Encoder, counts: Ints) -> list[VocabularyPart]:
    """Split a vocabulary into parts by origin, and count how much of each the texts use.

    The parts of a model with a base are "SGPE" (its own tokens of words), "superwords" and "base";
    empty ones are left out. Another tokenizer has the one part "all".

    Args:
        encoder: the tokenizer.
        counts: how often the texts have each id, one number for each id.
    """
    n_base, superwords = encoder.first_own, encoder.superwords
    if not n_base:
        return [_count_part(encoder, "all", range(encoder.n_vocab), counts)]
    if not superwords:
        superwords = range(encoder.n_vocab, encoder.n_vocab)
    # The lone space of a model stands after its superwords.
    own = [*range(n_base, superwords.start), *range(superwords.stop, encoder.n_vocab)]
    parts = {"SGPE": own, "superwords": superwords, "base": range(n_base)}
    return [_count_part(encoder, name, ids, counts) for name, ids in parts.items() if ids]


def _count_part(encoder: Encoder, name: str, ids: Sequence[int], counts: Ints) -> VocabularyPart:
    """Count how often the texts have these ids, and find the glitches among them.

    Args:
        encoder: the tokenizer.
        name: what the part is called.
        ids: the ids of the part, at least one.
        counts: how often the texts have each id of the vocabulary.
    """
    occurrences = counts[ids]
    # The exponent of a number of frexp is the length of its binary form: 0 for 0, 1 for 1, 2 for
    # 2 and 3, and so on.
    histogram = np.bincount(np.frexp(occurrences)[1]).tolist()
    tokens = zip(ids, encoder.tokens_bytes(ids), occurrences.tolist(), strict=True)
    return VocabularyPart(
        encoder=encoder.name,
        part=name,
        size=len(ids),
        used=len(ids) - histogram[0],
        unused=histogram[0],
        occurrences=int(occurrences.sum()),
        glitches=tuple(
            Glitch(token, text.decode(), number)
            for token, text, number in tokens
            if text and _GLITCH.fullmatch(text)
        ),
        histogram=tuple(histogram),
    )
