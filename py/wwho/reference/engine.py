"""What the models of the reference backend have in common, whatever their kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from wwho.format.model import Model
from wwho.reference.sampling import Draws

AnyModel = TypeVar("AnyModel", bound=Model, covariant=True)


Unit = tuple[bytes, int]
"""The text of a unit, and the rule that matched it."""


class Token(NamedTuple):
    """A token of a pretoken. Tokens follow each other, the first from where the pretoken begins.

    Attributes:
        id: its id.
        size: how many bytes of the pretoken it covers after the end of the token before it.
        unknown: whether it is the unk_id of text that the model does not know.
        byte: whether it is the token of one byte of such text.
        back: how many bytes before the end of the token before it this one begins.
        gap: whether it is no token, but stands for text that a speller leaves out.
    """

    id: int
    size: int
    unknown: bool = False
    byte: bool = False
    back: int = 0
    gap: bool = False


def with_places(tokens: Iterable[Token]) -> Iterator[tuple[int, int, int]]:
    """Yield the id, the start and the end, in bytes of the pretoken, of each of its tokens.

    A gap, which stands for text without a token, is left out. A token with `back` begins so many
    bytes before the end of the one before it.
    """
    start = 0
    for token in tokens:
        if not token.gap:
            yield token.id, start - token.back, start + token.size
        start += token.size


class Engine(Generic[AnyModel]):
    """A model that runs: it turns pretokens into tokens.

    Attributes:
        model: the model.
        ids: the ids of its tokens, by their numbers; None for a token without an id.
        numbers: the number of the token with a text.
        speller: the model that encodes text which this one does not know; None if it has none.
    """

    def __init__(
        self, model: AnyModel, ids: Sequence[int | None], speller: PieceEngine[Model] | None
    ) -> None:
        """Run a model.

        Args:
            model: the model.
            ids: the ids of its tokens.
            speller: the model that encodes text which this one does not know; None if it has none.
        """
        self.model, self.ids = model, ids
        self.numbers = {text: number for number, text in enumerate(model.texts)}
        self.speller = speller

    def token(self, number: int) -> Token:
        """Return a token by its number, as long as its text; `unk_id` for one without an id."""
        return Token(self.id_of(number), len(self.model.texts[number]))

    def id_of(self, number: int) -> int:
        """Return the id of a token by its number; `unk_id` for one without an id.

        The model must have an `unk_id` then.
        """
        token = self.ids[number]
        if token is None:
            token = self.model.unk_id
            assert token is not None
        return token

    def unknown_tokens(self, text: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of text that the model does not know (FORMAT.md, Encoding 5 and 9).

        They are unk_id, if the caller asks for it, or if a byte has no token and no speller is
        there; else what the speller makes of the text; else the tokens of its bytes. Where the
        model has nothing of these, there are none.

        Args:
            text: the text.
            unk: whether the caller asks for unk_id.
            draws: what is drawn for the pretoken; None: nothing.
        """
        model = self.model
        byte_ids = [model.byte_ids[byte] for byte in text] if model.byte_ids else [None]
        if model.unk_id is not None and (unk or (None in byte_ids and self.speller is None)):
            yield Token(model.unk_id, len(text), unknown=True)
        elif self.speller is not None:
            yield from self.speller.spell(text, unk, draws)
        else:
            yield from (Token(token, 1, byte=True) for token in byte_ids if token is not None)

    def fuse_unknown(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Yield tokens in which, if the model has FUSE, neighbouring unknowns are one.

        An unknown is written once it is clear that it extends no further: as in `tokenizers`, that
        is after the tokens of bytes that follow it. They take its place, and it takes theirs.
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
    """A model that takes each pretoken as a text, not as units."""

    @abstractmethod
    def piece(self, piece: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of a pretoken.

        Args:
            piece: the pretoken.
            unk: whether the caller asks for unk_id.
            draws: what is drawn for the pretoken; None: nothing.
        """

    def spell(self, text: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of text that another model does not know."""
        return self.piece(text, unk, draws)
