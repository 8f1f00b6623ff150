"""Lines of token ids laid end to end, as the language models read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.floating[Any]]


class Sequences(NamedTuple):
    """The ids of some lines, each with a line start before it and a line end behind it.

    A vocabulary of V ids gives the line end the id V, which is an event like any other, and the
    line start the id V + 1, which nothing predicts.

    Attributes:
        n_vocab: V: the tokens have ids 0..V-1.
        ids: all lines, one after the other, as int64.
        starts: the place of each line's start in `ids`, and then their number.
    """

    n_vocab: int
    ids: Ints
    starts: Ints

    @classmethod
    def of(cls, n_vocab: int, ids: Ints, firsts: Ints) -> Sequences:
        """Return the lines of some ids, with line starts and ends added; the ids are copied.

        Args:
            n_vocab: tokens have ids 0..n_vocab-1.
            ids: the tokens of all lines, one line after the other.
            firsts: for each line the number of its first token, and then the number of all tokens.

        Example:
            >>> of = Sequences.of(5, np.array([1, 2, 3]), np.array([0, 2, 3]))
            >>> of.ids.tolist(), of.starts.tolist()
            ([6, 1, 2, 5, 6, 3, 5], [0, 4, 7])
        """
        starts = firsts.astype(np.int64) + 2 * np.arange(len(firsts))
        laid_out = np.full(int(starts[-1]), n_vocab, np.int64)
        laid_out[starts[:-1]] = n_vocab + 1
        is_token = np.ones(len(laid_out), np.bool_)
        is_token[starts[:-1]] = False
        is_token[starts[1:] - 1] = False
        laid_out[is_token] = ids
        return cls(n_vocab, laid_out, starts)

    @classmethod
    def join(cls, parts: Sequence[Sequences]) -> Sequences:
        """Return the lines of several parts of one vocabulary, at least one, in their order."""
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        starts = np.concatenate(([0], np.cumsum(sizes)))
        return cls(parts[0].n_vocab, np.concatenate([part.ids for part in parts]), starts)
