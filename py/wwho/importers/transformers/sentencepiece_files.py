"""What transformers makes of a SentencePiece model: tokens with scores, and merges."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from wwho.errors import SourceError
from wwho.importers.transformers.components import Component
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.tokens import Token
from wwho.interchange.sentencepiece import Algorithm, Kind, Model, parse_model

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
    def algorithm(self) -> Algorithm:
        """The type of the model."""
        return self.model.algorithm

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


TAKEN_FIRST = ("tokenizer.model", "tekken.json", "tiktoken.model")
"""Files that transformers takes in the place of any other vocabulary, without a tokenizer.json."""


def read_pieces(folder: ModelFolder, name: str) -> Pieces:
    """Return the SentencePiece model in a folder's file.

    Raises:
        SourceError: there is no such file; it is damaged, or SentencePiece would not open it; or
            transformers would take another file of the folder.
    """
    file = folder.needed_file(name)
    if others := [each for each in TAKEN_FIRST if each != name and (folder.path / each).is_file()]:
        raise SourceError(
            f"the folder has {name} and {others[0]}: transformers takes {others[0]}, or either of "
            "them. Take the one away that the model was not made with"
        )
    return Pieces(parse_model(file.data))


def without_effect(folder: ModelFolder, names: Iterable[str]) -> tuple[str, ...]:
    """Return a note for each of some settings that a folder has, which the class does not follow.

    Args:
        folder: the folder.
        names: settings that the class of transformers knows and that change nothing it makes.
    """
    found = [name for name in names if folder.settings.get(name) is not None]
    return tuple(f"{name}: the class knows this setting and does not follow it" for name in found)


def merges_of(vocab: dict[str, int]) -> list[list[str]]:
    """Return the merges that transformers makes of tokens: each pair of them that is a third one.

    Merges come by the ids of the third token; those that make the same token by the lengths of
    their halves, in characters, then by the ids of the halves.

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
