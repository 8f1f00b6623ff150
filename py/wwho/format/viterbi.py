"""Unigram, a kind of model: its data, written and read (FORMAT.md, VITERBI)."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.model import Head, Model, Unknown

FORMS = {False: ("d", 8), True: ("f", 4)}
"""Of scores that are narrow or not: their letter in `struct`, and their bytes."""
FULL = {size: 256**size - 1 for _, size in FORMS.values()}


@dataclass(frozen=True, kw_only=True)
class Viterbi(Model):
    """A model that cuts a pretoken into the tokens with the highest sum of scores.

    Attributes:
        tokens: the texts of the tokens. In the order of ids the file is smallest.
        scores: the score of each token.
        narrow: whether scores and sums are f32, as in SentencePiece, or f64, as in `tokenizers`.
        units: whether tokens cut no unit that is a token, as the routes of the model find units.
    """

    tokens: tuple[bytes, ...]
    scores: Sequence[float]
    narrow: bool = False
    units: bool = False

    @property
    def n_symbols(self) -> int:
        """The number of tokens: none is made of others."""
        return len(self.tokens)

    @property
    def texts(self) -> tuple[bytes, ...]:
        """The texts of all tokens."""
        return self.tokens


def write_viterbi(model: Viterbi) -> bytes:
    """Return the bytes of a model after its head, up to its ids.

    Raises:
        ValueError: a score is no finite f32 or f64, or a text has the byte FF after its first one.
    """
    letter, size = FORMS[model.narrow]
    layout = f"<{len(model.tokens)}{letter}"
    data = struct.pack(layout, *model.scores)
    if not all(map(math.isfinite, model.scores)) or struct.unpack(layout, data) != (*model.scores,):
        raise ValueError(f"the scores are not all finite numbers of {8 * size} bits")
    bits = [0, *(int.from_bytes(data[k : k + size], "little") for k in range(0, len(data), size))]
    steps = b"".join((b - a & FULL[size]).to_bytes(size, "little") for a, b in pairwise(bits))
    planes = b"".join(steps[k::size] for k in range(size))
    return struct.pack("<I", model.narrow) + leb.pack_listed(model.tokens) + planes


def read_viterbi(cursor: Cursor, head: Head) -> Viterbi:
    """Read a model from the end of its head up to its ids.

    The cursor stands at the ids afterwards, and its status has changed.

    Raises:
        ArtifactError: a MUST of FORMAT.md, VITERBI is broken.
    """
    n = head.n_symbols
    if not n or head.n_merges or head.unknown == Unknown.NONE:
        cursor.fail(f"no model of scores: {head}")
    (narrow,) = cursor.numbers("I", "score type")
    if narrow > 1:
        cursor.fail(f"scores are of the unknown type {narrow}: update wwho")
    cursor.status = "SYMBOLS"
    tokens = cursor.listed_texts(n, "token")
    cursor.status = "SCORES"
    letter, size = FORMS[bool(narrow)]
    data = cursor.take(n * size, "scores")
    steps = (int.from_bytes(data[k::n], "little") for k in range(n))
    bits = accumulate(steps, lambda before, step: before + step & FULL[size])
    together = b"".join(each.to_bytes(size, "little") for each in bits)
    scores = struct.unpack(f"<{n}{letter}", together)
    if not all(map(math.isfinite, scores)):
        cursor.fail("a score is infinite, or no number")
    cursor.different(tokens, "tokens")
    cursor.status = "SCORES"
    return Viterbi(tokens=tokens, scores=scores, narrow=bool(narrow), units=bool(head.units))
