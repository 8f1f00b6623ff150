"""Longest match in plain Python (FORMAT.md, Encoding 7 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wwho.format.greedy import Greedy
from wwho.format.model import Model
from wwho.reference.engine import PieceEngine, Token
from wwho.reference.sampling import Draws
from wwho.text import read_characters


class LongestMatch(PieceEngine[Greedy]):
    """A model that takes the longest token that fits, from left to right."""

    def __init__(
        self, model: Greedy, ids: Sequence[int | None], speller: PieceEngine[Model] | None
    ) -> None:
        """Run a model; the arguments are those of `Engine`."""
        super().__init__(model, ids, speller)
        self._first = {text: number for number, text in enumerate(model.first)}
        later = enumerate(model.later or (), len(model.first))
        self._later = self._first if model.later is None else {text: k for k, text in later}
        self.numbers = self._later | self._first

    def piece(self, piece: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of a pretoken, each the longest that fits where it begins.

        If no token fits somewhere, or the pretoken has more characters than the model allows, all
        of it is unknown text.

        Args:
            piece: the pretoken.
            unk: whether the caller asks for unk_id in place of unknown text.
            draws: what is drawn for the pretoken: only unknown text has merges to skip.
        """
        limit = self.model.max_characters
        tokens = None
        if limit is None or len(read_characters(piece)[0]) <= limit:
            tokens = longest_match(piece, self._first, self._later)
        yield from (
            self.unknown_tokens(piece, unk, draws) if tokens is None else map(self.token, tokens)
        )


def longest_match(
    piece: bytes, first: Mapping[bytes, int], later: Mapping[bytes, int]
) -> list[int] | None:
    """Return the tokens of a pretoken, each the longest with which the rest of it begins.

    Args:
        piece: the pretoken.
        first: text -> token: the tokens that may begin it.
        later: text -> token: the tokens that may continue it.

    Returns:
        The tokens; None if none fits at some place.

    Example:
        >>> longest_match(b"unable", {b"un": 0, b"u": 1}, {b"able": 2, b"a": 3})
        [0, 2]
        >>> longest_match(b"unknown", {b"un": 0, b"u": 1}, {b"able": 2, b"a": 3})
    """
    tokens: list[int] = []
    at = 0
    while at < len(piece):
        texts = later if at else first
        longest = max(map(len, texts), default=0)
        ends = range(min(len(piece), at + longest), at, -1)
        end = next((end for end in ends if piece[at:end] in texts), None)
        if end is None:
            return None
        tokens.append(texts[piece[at:end]])
        at = end
    return tokens
