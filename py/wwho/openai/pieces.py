"""The pieces of a chat as a model reads it: texts, marks between them, and costs without a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from wwho.errors import ChatError
from wwho.tokenizer import Tokenizer


class Mark(NamedTuple):
    """A token such as <|im_start|>."""

    mark: str


class Cost(NamedTuple):
    """A number of tokens that is known, or estimated, without their ids; it may be negative.

    Attributes:
        tokens: the number.
        of: what costs them.
    """

    tokens: int
    of: str


Piece: TypeAlias = str | Mark | Cost
"""A text is encoded alone, and what spells a special token in it is ordinary text."""

IDS = {
    "cl100k_base": {"<|im_start|>": 100264, "<|im_end|>": 100265, "<|im_sep|>": 100266},
    "o200k_base": {"<|im_start|>": 200003, "<|im_end|>": 200004, "<|im_sep|>": 200005},
    "o200k_harmony": {
        "<|constrain|>": 200003,
        "<|channel|>": 200005,
        "<|start|>": 200006,
        "<|end|>": 200007,
        "<|message|>": 200008,
    },
}
"""The ids of marks. Those of o200k_harmony are OpenAI's. OpenAI has not published those of the
others: they are gpt-tokenizer's, and no tokenizer here decodes them."""


def count_pieces(pieces: Iterable[Piece], tokenizer: Tokenizer) -> int:
    """Return how many tokens some pieces have.

    A text has the tokens that the tokenizer finds, in which the texts of special tokens are text as
    any other; a `Cost` has its own, and any other piece has one.
    """
    total = 0
    for piece in pieces:
        if isinstance(piece, str):
            total += tokenizer.count(piece, disallowed_special=())
        else:
            total += piece.tokens if isinstance(piece, Cost) else 1
    return total


def encode_pieces(pieces: Iterable[Piece], encoding: str, tokenizer: Tokenizer) -> list[int]:
    """Return the ids of some pieces.

    Args:
        pieces: in their order.
        encoding: the name of the encoding whose marks they have.
        tokenizer: for the texts.

    Raises:
        ChatError: the ids of a piece are not known.
    """
    ids: list[int] = []
    for piece in pieces:
        if isinstance(piece, Cost):
            raise ChatError(
                f"the chat has {piece.of}, whose ids OpenAI has not published; count it with "
                "count_chat, or leave it out"
            )
        if isinstance(piece, Mark):
            ids.append(IDS[encoding][piece.mark])
        else:
            ids += tokenizer.encode(piece, disallowed_special=())
    return ids
