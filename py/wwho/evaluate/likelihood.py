"""Bits per byte that a language model takes for a text, by the tokenizer it is trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.text_blocks import Block
from wwho.evaluate.text_split import TextSplit
from wwho.lm.bootstrap import Difference, compare_bits
from wwho.lm.kneser_ney import KneserNey
from wwho.lm.misspelling import misspell
from wwho.lm.sequences import Floats, Sequences
from wwho.progress import Advance

ORDERS = (2, 3, 4, 5, 6)
"""Of n-gram models; each tokenizer has the one with the fewest bits on clean text."""
MISSPELT = 0.1
"""The share of words that have a typing error in misspelt text."""
SEED = 1
_LINES_AT_ONCE = 5000


@dataclass(frozen=True)
class Likelihood:
    """The bits of one tokenizer's n-gram model, on the held-out lines of one text.

    Bits of a line are those of its tokens and of the line end; bytes are those of the line and its
    line feed.

    Attributes:
        encoder: the tokenizer's name.
        order: the order of the model, the best of ORDERS on clean text.
        bits_per_byte: on clean text.
        bits_per_byte_by_order: the same for each of ORDERS.
        misspelt_bits_per_byte: on misspelt text.
        difference: how many more bits than those of the evaluation's model; None for its own.
        misspelt_difference: the same on misspelt text.
        damaged_lines: clean lines that decoding does not give back, whose bits say too little.
    """

    encoder: str
    order: int
    bits_per_byte: float
    bits_per_byte_by_order: tuple[float, ...]
    misspelt_bits_per_byte: float
    difference: Difference | None
    misspelt_difference: Difference | None
    damaged_lines: int


@dataclass(frozen=True)
class TextLikelihood:
    """The bits of n-gram models of all tokenizers on one text, and the lines that they learnt from.

    Attributes:
        name: the held-out text's name.
        training_lines: lines that the models were trained on.
        training_bytes: their bytes in UTF-8, with line feeds.
        held_out_lines: lines that they were measured on.
        held_out_bytes: their bytes in UTF-8, with line feeds.
        passed_over: lines of the text left out because the training text has them.
        likelihoods: one for each tokenizer, the model first.
    """

    name: str
    training_lines: int
    training_bytes: int
    held_out_lines: int
    held_out_bytes: int
    passed_over: int
    likelihoods: tuple[Likelihood, ...]


class _Measured(NamedTuple):
    """A tokenizer's likelihood without differences, and its bits for each line of both texts."""

    likelihood: Likelihood
    clean: Floats
    misspelt: Floats


def measure_likelihood(
    split: TextSplit, encoders: Sequence[Encoder], advance: Advance
) -> TextLikelihood:
    """Train an n-gram model for each tokenizer, and return its bits for the held-out lines.

    Args:
        split: the lines to train on, and those to measure on.
        encoders: the tokenizers; the others are compared with the first.
        advance: called with 1 when a tokenizer has been measured.
    """
    misspelt = misspell(split.held_out, MISSPELT, SEED)
    measured = list[_Measured]()
    for encoder in encoders:
        measured.append(_measure(encoder, split, misspelt))
        advance(1)
    model = measured[0]
    likelihoods = [
        replace(
            each.likelihood,
            difference=compare_bits(each.clean, model.clean, SEED),
            misspelt_difference=compare_bits(each.misspelt, model.misspelt, SEED),
        )
        for each in measured[1:]
    ]
    return TextLikelihood(
        name=split.name,
        training_lines=len(split.training),
        training_bytes=count_bytes(split.training),
        held_out_lines=len(split.held_out),
        held_out_bytes=count_bytes(split.held_out),
        passed_over=split.passed_over,
        likelihoods=(model.likelihood, *likelihoods),
    )


def _measure(encoder: Encoder, split: TextSplit, misspelt: Sequence[str]) -> _Measured:
    """Train the n-gram models of one tokenizer, choose an order, and measure clean and misspelt.

    The order is the one whose model takes the fewest bits for the clean lines that were held out;
    the misspelt lines are measured with it alone. Differences are None: they are for the caller.
    """
    model = KneserNey(encode_lines(encoder, split.training), ORDERS[-1])
    clean = encode_lines(encoder, split.held_out)
    bits = _bits_of_lines(model, clean)
    best = int(np.argmin(bits.sum(axis=1)))
    misspelt_bits = _bits_of_lines(model, encode_lines(encoder, misspelt))[best]
    n_bytes = count_bytes(split.held_out)
    by_order = tuple(float(total) / n_bytes for total in bits.sum(axis=1))
    likelihood = Likelihood(
        encoder=encoder.name,
        order=ORDERS[best],
        bits_per_byte=by_order[best],
        bits_per_byte_by_order=by_order,
        misspelt_bits_per_byte=float(misspelt_bits.sum()) / count_bytes(misspelt),
        difference=None,
        misspelt_difference=None,
        damaged_lines=_count_damaged(encoder, split.held_out),
    )
    return _Measured(likelihood, bits[best], misspelt_bits)


def encode_lines(encoder: Encoder, lines: Sequence[str]) -> Sequences:
    """Encode lines, each as a text of its own, and lay their ids end to end.

    Lines are encoded a few at a time; their order stays.
    """
    parts = []
    for first in range(0, len(lines), _LINES_AT_ONCE):
        encoding = encoder.encode(Block([*lines[first : first + _LINES_AT_ONCE]]))
        parts.append(Sequences.of(encoder.n_vocab, encoding.ids, encoding.firsts))
    return Sequences.join(parts)


def _bits_of_lines(model: KneserNey, text: Sequences) -> Floats:
    """Return the bits of each line of a text, in a row for each of ORDERS."""
    bits = -np.log2(model.score(text)[ORDERS[0] - 1 :])
    lines: Floats = np.add.reduceat(bits, text.starts[:-1], axis=1)
    return lines


def count_bytes(lines: Sequence[str]) -> int:
    """Return the bytes of lines in UTF-8, with a line feed for each."""
    return sum(len(line.encode()) + 1 for line in lines)


def _count_damaged(encoder: Encoder, lines: Sequence[str]) -> int:
    """Count the lines that do not come back from encoding and decoding."""
    block = Block([*lines])
    decoded = encoder.decode(encoder.encode(block).ids_by_line())
    return sum(a != b for a, b in zip(decoded, block.encoded, strict=True))
