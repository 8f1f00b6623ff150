"""Short texts that the report shows token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.syllables import decode_token
from wwho.evaluate.text_blocks import Block

EXAMPLES = (
    "පුස්තකාලයෙන් පොතක් ගත්තා",
    "ශ්‍රී ලංකාවේ ගුවන්තොටුපළ",
    "स्वतंत्रता का उत्सव",
    "उसकी दृष्टि में आश्चर्य था।",
    "ක්‍රිකට් match එක देखने चलो 🏏",
)
"""Shown where the user names none: conjuncts, touching scripts, an emoji."""


@dataclass(frozen=True)
class Token:
    """A token of an example.

    Attributes:
        id: its id.
        text: its text; None where it holds only a part of a character.
        hex: its bytes in hexadecimal, divided by spaces.
    """

    id: int
    text: str | None
    hex: str


@dataclass(frozen=True)
class Example:
    """A text, and the tokens that each tokenizer, by name, makes of it."""

    text: str
    tokens: dict[str, tuple[Token, ...]]


def tokenize_examples(texts: Sequence[str], encoders: Sequence[Encoder]) -> tuple[Example, ...]:
    """Return an example for each text, in order, with the tokens of every tokenizer."""
    return tuple(
        Example(text, {encoder.name: _tokenize(text, encoder) for encoder in encoders})
        for text in texts
    )


def _tokenize(text: str, encoder: Encoder) -> tuple[Token, ...]:
    """Return the tokens that one tokenizer makes of a text."""
    ids = encoder.encode(Block([text])).ids.tolist()
    token_bytes = (data or b"" for data in encoder.tokens_bytes(ids))
    return tuple(
        Token(token, decode_token(data), data.hex(" "))
        for token, data in zip(ids, token_bytes, strict=True)
    )
