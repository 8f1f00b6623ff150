"""An encoding of the tiktoken package under measurement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tiktoken

from wwho.errors import WwhoError
from wwho.evaluate.arrays import Bools, Ints, bounds, flat
from wwho.evaluate.encoder import Encoding
from wwho.evaluate.text import Block


class TiktokenEncoder:
    """One of tiktoken's encodings.

    Attributes:
        name: what the report calls it.
        n_vocab: ids are 0..n_vocab-1.
    """

    kind = "tiktoken"
    n_base = 0
    superwords = range(0)
    unk_id: int | None = None

    def __init__(self, name: str, encoding: str) -> None:
        """Load an encoding, from tiktoken's cache or from the network.

        Args:
            name: what the report calls it.
            encoding: tiktoken's name for it.

        Raises:
            WwhoError: its vocabulary is in neither place.
        """
        try:
            self._encoding = tiktoken.get_encoding(encoding)
        except Exception as error:  # the network fails in the ways of several packages
            raise WwhoError(
                f"tiktoken cannot load {encoding}: {error}; without a network, put its file into a "
                "folder and name that in TIKTOKEN_CACHE_DIR"
            ) from error
        self.name = name
        self.n_vocab = self._encoding.n_vocab
        self._lengths = np.zeros(self.n_vocab, np.int64)

    def has_syllables(self, code_points: Ints) -> Bools:
        """See `Encoder`."""
        return np.zeros(len(code_points), np.bool_)

    def encode(self, block: Block) -> Encoding:
        """See `Encoder`."""
        lines = [self._encoding.encode_ordinary(line) for line in block.lines]
        ids = flat(lines)
        # No token's text is empty: a length of 0 is one not yet known.
        for token in np.unique(ids[self._lengths[ids] == 0]).tolist():
            self._lengths[token] = len(self._encoding.decode_single_token_bytes(token))
        return Encoding(ids, np.cumsum(self._lengths[ids]), bounds(map(len, lines)))

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """See `Encoder`."""
        return [self._encoding.decode_bytes(ids) for ids in lines]

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """See `Encoder`."""
        return [self._token_bytes(token) for token in tokens]

    def _token_bytes(self, token: int) -> bytes | None:
        try:
            return self._encoding.decode_single_token_bytes(token)
        except KeyError:
            return None


def known_encodings() -> list[str]:
    """The names of the encodings that tiktoken knows."""
    return sorted(tiktoken.list_encoding_names())
