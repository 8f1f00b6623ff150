"""What a vocabulary holds, and how much of it the texts use."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from wwho.evaluate.arrays import Ints
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.grammar import JOINERS
from wwho.evaluate.metrics import histogram

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
    """A token that is nothing but joiners and viramas.

    Attributes:
        id: its id.
        text: its text.
        occurrences: how often the texts have it.
    """

    id: int
    text: str
    occurrences: int


@dataclass(frozen=True)
class VocabularyPart:
    """Ids of one origin.

    Attributes:
        encoder: whose they are.
        part: "SGPE", "superwords" or "base" of a model that has them, else "all".
        size: how many there are, special tokens and unused ids included.
        used: how many of them the texts have.
        unused: how many not.
        occurrences: how often the texts have one of them.
        glitches: those that are nothing but joiners and viramas.
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
    """The parts of a tokenizer's vocabulary; a model's own syllables come first.

    Args:
        encoder: the tokenizer.
        counts: for each id, how often the texts have it.
    """
    return [
        _part(encoder, name, np.concatenate(ranges), counts)
        for name, ranges in _ranges(encoder).items()
        if any(ranges)
    ]


def is_glitch(token: bytes) -> bool:
    """Whether a token is nothing but joiners and viramas, apart from spaces.

    Example:
        >>> [is_glitch(text.encode()) for text in ("\\u200d", " ් ්", "ක් ්", " ")]
        [True, True, False, False]
    """
    return _GLITCH.fullmatch(token) is not None


def _ranges(encoder: Encoder) -> dict[str, list[range]]:
    """The ids of each part; the lone space of a model stands behind its superwords."""
    n_base, n_vocab, superwords = encoder.n_base, encoder.n_vocab, encoder.superwords
    if not n_base:
        return {"all": [range(n_vocab)]}
    own = [range(n_base, n_vocab)]
    if superwords:
        own = [range(n_base, superwords.start), range(superwords.stop, n_vocab)]
    return {"SGPE": own, "superwords": [superwords], "base": [range(n_base)]}


def _part(encoder: Encoder, name: str, ids: Ints, counts: Ints) -> VocabularyPart:
    bins = histogram(counts[ids])
    return VocabularyPart(
        encoder=encoder.name,
        part=name,
        size=len(ids),
        used=len(ids) - bins[0],
        unused=bins[0],
        occurrences=int(counts[ids].sum()),
        glitches=tuple(_glitches(encoder, ids, counts)),
        histogram=tuple(bins),
    )


def _glitches(encoder: Encoder, ids: Ints, counts: Ints) -> list[Glitch]:
    """The tokens that are nothing but joiners and viramas."""
    tokens = ids.tolist()
    return [
        Glitch(token, text.decode(), int(counts[token]))
        for token, text in zip(tokens, encoder.tokens_bytes(tokens), strict=True)
        if text and is_glitch(text)
    ]
