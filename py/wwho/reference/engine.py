"""What the models of the reference backend have in common, whatever their kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from wwho.format.model import Model

Unit = tuple[bytes, int]
"""The text of a unit and the rule that it came of."""

AnyModel = TypeVar("AnyModel", bound=Model, covariant=True)


class Token(NamedTuple):
    """A token of a text.

    Attributes:
        id: its id.
        size: the number of bytes of text it stands for, beyond where the one before it ended.
        unknown: whether it is the one for text that the model does not know.
        byte: whether it is one of the bytes of such text.
        back: by how many bytes it begins before that place, which are the other one's, too.
        gap: whether it is none, and stands for text that vanishes.
    """

    id: int
    size: int
    unknown: bool = False
    byte: bool = False
    back: int = 0
    gap: bool = False


class Engine(Generic[AnyModel]):
    """What turns pretokens, or segments of units, into tokens.

    Attributes:
        model: the model.
        ids: the ids of its tokens.
        numbers: the number of the token with a text.
    """

    def __init__(
        self, model: AnyModel, ids: Sequence[int | None], speller: PieceEngine[Model] | None
    ) -> None:
        """Take a model, the ids of its tokens, and what spells what it does not know."""
        self.model, self.ids = model, ids
        self.numbers = {text: number for number, text in enumerate(model.texts)}
        self._speller = speller

    def token(self, number: int) -> Token:
        """A token by its number; `unk_id` for one that has no id."""
        token = self.ids[number]
        if token is None:
            token = self.model.unk_id
            assert token is not None
        return Token(token, len(self.model.texts[number]))

    def unknown(self, text: bytes, unk: bool) -> Iterator[Token]:
        """What stands for text that the model does not know."""
        model = self.model
        byte_ids = [model.byte_ids[byte] for byte in text] if model.byte_ids else [None]
        if model.unk_id is not None and (unk or (None in byte_ids and self._speller is None)):
            yield Token(model.unk_id, len(text), unknown=True)
        elif self._speller is not None:
            yield from self._speller.piece(text, unk)
        else:
            yield from (Token(token, 1, byte=True) for token in byte_ids if token is not None)

    def fused(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Tokens of which neighbouring unknowns are one, where the model says so.

        An unknown is written once it is known that it goes no further: as in tokenizers, that is
        after the tokens of bytes that follow it. They take its place, and it theirs.
        """
        last: Token | None = None
        for token in tokens:
            if last and token.byte:
                yield token._replace(size=last.size)
                last = last._replace(size=token.size)
            elif last and token.unknown and self.model.fuse:
                last = last._replace(size=last.size + token.size)
            else:
                if last:
                    yield last
                last = token if token.unknown else None
                if not token.unknown:
                    yield token
        if last:
            yield last


class PieceEngine(Engine[AnyModel], ABC):
    """What turns pretokens into tokens."""

    @abstractmethod
    def piece(self, piece: bytes, unk: bool) -> Iterator[Token]:
        """The tokens of a pretoken; `unk` as for `Backend`."""
