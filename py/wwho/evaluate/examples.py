"""Short texts, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wwho.evaluate.encoder import Encoder
from wwho.evaluate.text import Block

DEFAULTS = (
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
        text: its text; None where it is no whole text, but part of a character.
        hex: its bytes.
    """

    id: int
    text: str | None
    hex: str


@dataclass(frozen=True)
class Example:
    """A text and what each tokenizer makes of it.

    Attributes:
        text: the text.
        tokens: for each tokenizer, the tokens.
    """

    text: str
    tokens: dict[str, tuple[Token, ...]]


def examples(texts: Sequence[str], encoders: Sequence[Encoder]) -> tuple[Example, ...]:
    """Tokenize texts.

    Example:
        >>> from wwho.evaluate.baselines import open_baseline
        >>> [example] = examples(["a ක"], [open_baseline("o200k_base")])
        >>> [(token.text, token.hex) for token in example.tokens["o200k_base"]]
        [('a', '61'), (' ක', '20 e0 b6 9a')]
    """
    return tuple(
        Example(text, {encoder.name: _tokens(text, encoder) for encoder in encoders})
        for text in texts
    )


def _tokens(text: str, encoder: Encoder) -> tuple[Token, ...]:
    ids = encoder.encode(Block([text])).ids.tolist()
    found = zip(ids, encoder.tokens_bytes(ids), strict=True)
    return tuple(_token(number, data or b"") for number, data in found)


def _token(number: int, data: bytes) -> Token:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Token(number, None, data.hex(" "))
    return Token(number, text, data.hex(" "))
