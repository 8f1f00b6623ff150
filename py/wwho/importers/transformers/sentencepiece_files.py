"""What transformers makes of a SentencePiece model: tokens with scores, and merges."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cached_property

from wwho.importers.source import Source
from wwho.importers.transformers.components import Component
from wwho.importers.transformers.tokens import Token
from wwho.interchange.sentencepiece import Kind, Model, parse_model

Vocab = list[tuple[str, float]]
"""Tokens with their scores, by id."""


@dataclass(frozen=True)
class Pieces:
    """A SentencePiece model as transformers reads it.

    Attributes:
        model: the model.
    """

    model: Model

    @cached_property
    def vocab(self) -> Vocab:
        """The tokens with their scores, by id."""
        return [(piece.text.decode(), piece.score) for piece in self.model.pieces]

    @property
    def extra(self) -> list[Token]:
        """The tokens that the model finds or hides as a whole, which transformers adds."""
        return [
            Token(piece.text.decode(), special=piece.kind is Kind.CONTROL, normalized=False)
            for piece in self.model.pieces
            if piece.kind in (Kind.CONTROL, Kind.USER_DEFINED)
        ]

    @property
    def charsmap(self) -> Component | None:
        """The normalizer of the model's charsmap; None if it has none."""
        data = self.model.charsmap_bytes
        if not data:
            return None
        return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}


def read_pieces(file: Source) -> Pieces:
    """Return the model of a file.

    Raises:
        SourceError: it is damaged, or SentencePiece would not open it.
    """
    return Pieces(parse_model(file.data))


def merges_of(vocab: dict[str, int]) -> list[list[str]]:
    """Return the merges that transformers makes of tokens: each pair of them that is a third one.

    They come by the ids of the third.

    Pairs of one token come by the lengths of their
    halves, in characters, then by the ids of these.

    Example:
        >>> merges_of({"a": 0, "b": 1, "ab": 2, "aba": 3, "ba": 4})
        [['a', 'b'], ['a', 'ba'], ['ab', 'a'], ['b', 'a']]
    """
    found = []
    for text, number in vocab.items():
        halves = ((text[:place], text[place:]) for place in range(1, len(text)))
        pairs = [(left, right) for left, right in halves if left in vocab and right in vocab]
        pairs.sort(key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
        found += [(number, len(left), len(right), left, right) for left, right in pairs]
    found.sort(key=lambda each: each[:3])
    return [[left, right] for *_, left, right in found]
