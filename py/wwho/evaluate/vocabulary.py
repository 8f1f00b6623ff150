"""What a vocabulary holds, and how much of it the texts use."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from wwho.evaluate.arrays import Ints
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.grammar import JOINERS
from wwho.evaluate.metrics import histogram

_VIRAMA = 9
"""The canonical combining class of viramas, which Unicode keeps for them alone."""


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
    """Ids in a row, of one origin.

    Attributes:
        encoder: whose they are.
        part: "SGPE" or "base" of a model that has both, else "all".
        size: how many there are, special tokens and unused ids included.
        used: how many of them the texts have.
        unused: how many not.
        glitches: those that are nothing but joiners and viramas.
        histogram: how many occur never, once, 2 to 3 times, 4 to 7 times, and so on.
    """

    encoder: str
    part: str
    size: int
    used: int
    unused: int
    glitches: tuple[Glitch, ...]
    histogram: tuple[int, ...]


def vocabulary(encoder: Encoder, counts: Ints) -> list[VocabularyPart]:
    """The parts of a tokenizer's vocabulary; a model's own syllables come first.

    Args:
        encoder: the tokenizer.
        counts: for each id, how often the texts have it.
    """
    return [
        _part(encoder, name, range(first, last), counts) for name, first, last in _ranges(encoder)
    ]


def is_glitch(text: str) -> bool:
    """Whether a token is nothing but joiners and viramas, apart from a space before them.

    Example:
        >>> is_glitch("\\u200d"), is_glitch(" ්"), is_glitch("ක්"), is_glitch(" ")
        (True, True, False, False)
    """
    signs = text.removeprefix(" ")
    return bool(signs) and all(
        sign in JOINERS or unicodedata.combining(sign) == _VIRAMA for sign in signs
    )


def _ranges(encoder: Encoder) -> list[tuple[str, int, int]]:
    """Name, first id, and the id behind the last of each part."""
    if encoder.n_base:
        return [("SGPE", encoder.n_base, encoder.n_vocab), ("base", 0, encoder.n_base)]
    return [("all", 0, encoder.n_vocab)]


def _part(encoder: Encoder, name: str, ids: range, counts: Ints) -> VocabularyPart:
    bins = histogram(counts[ids.start : ids.stop])
    return VocabularyPart(
        encoder=encoder.name,
        part=name,
        size=len(ids),
        used=len(ids) - bins[0],
        unused=bins[0],
        glitches=tuple(_glitches(encoder, ids, counts)),
        histogram=tuple(bins),
    )


def _glitches(encoder: Encoder, ids: range, counts: Ints) -> list[Glitch]:
    """The tokens that are nothing but joiners and viramas."""
    found = []
    for token in ids:
        data = encoder.token_bytes(token) or b""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if is_glitch(text):
            found.append(Glitch(token, text, int(counts[token])))
    return found
