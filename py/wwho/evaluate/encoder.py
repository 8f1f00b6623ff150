"""What every tokenizer under measurement does, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from wwho.evaluate.arrays import Bools, Ints
from wwho.evaluate.text import Block


class Encoding(NamedTuple):
    """The tokens of a block's lines.

    Attributes:
        ids: the ids of all lines, one line behind the other.
        ends: for each token the byte of the block at which its text ends; a byte inside a character
            where it holds part of one.
        firsts: for each line the number of its first token, then the number of tokens.
    """

    ids: Ints
    ends: Ints
    firsts: Ints

    def lines(self) -> list[list[int]]:
        """The ids of each line."""
        ids = self.ids.tolist()
        return [ids[first:last] for first, last in pairwise(self.firsts.tolist())]


class Encoder(Protocol):
    """A tokenizer under measurement. Text that spells a special token is ordinary text to it."""

    @property
    def name(self) -> str:
        """What the report calls it."""

    @property
    def kind(self) -> str:
        """What runs it: "wwho", "tiktoken" or "tokenizers"."""

    @property
    def n_vocab(self) -> int:
        """Ids are 0..n_vocab-1, not all of them used."""

    @property
    def n_base(self) -> int:
        """Ids below it spell the syllables that its vocabulary lacks; 0 for what has no SGPE."""

    @property
    def superwords(self) -> range:
        """The ids of its tokens that join words of scripts; empty for what has none."""

    @property
    def unk_id(self) -> int | None:
        """The token for what its vocabulary cannot write; None for none."""

    def has_syllables(self, code_points: Ints) -> Bools:
        """Whether text of each of these letters is cut into syllables; none is without SGPE."""

    def encode(self, block: Block) -> Encoding:
        """The tokens of each line."""

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """The text of each line's ids."""

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """The bytes of each token; None where there is no such token."""
