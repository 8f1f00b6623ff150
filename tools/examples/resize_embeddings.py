"""Give a language model the ids of an extended tokenizer, with NAME.embeddings.json.

    python resize_embeddings.py OLD.json NEW.wwho TEXT

OLD.json is a tokenizer that `wwho train --extend OLD.json -o NEW.wwho` has extended. The example
trains a small decoder in NumPy with the old ids on the first nine tenths of TEXT, adds a row for
each new id, and prints the first loss on the rest: with rows that are means, and with random ones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np

import wwho
from wwho.lm.decoder import NOTHING, Decoder, Shape, Weights, make_weights
from wwho.lm.optimizer import AdamW, learning_rate
from wwho.lm.sequences import Floats, Ints

WIDTH, LAYERS, HEADS = 16, 1, 2
STEPS, LINES, RATE = 400, 16, 0.03
LONGEST = 32
"""Tokens of a line at most."""


def extended_rows(rows: Floats, table: Mapping[str, Sequence[int]]) -> Floats:
    """Return the rows of an embedding, and behind them one for each new id: a mean of old rows.

    Args:
        rows: the rows of the old ids. Those of padding, from the first new id on, are left out.
        table: NAME.embeddings.json: for each new id, which count up, the old ids of its text.
    """
    first = min(map(int, table))
    means = [rows[list(old)].mean(axis=0) for _, old in sorted(table.items(), key=new_id)]
    return np.concatenate([rows[:first], np.stack(means).astype(rows.dtype)])


def new_id(item: tuple[str, Sequence[int]]) -> int:
    """Return the new id of an item of the table."""
    return int(item[0])


def ids_of_lines(enc: wwho.Tokenizer, lines: Sequence[str]) -> Ints:
    """Return the ids of lines, a row for each, with NOTHING behind the end of a shorter one."""
    rows = [ids[:LONGEST] for ids in enc.encode_ordinary_batch(lines) if len(ids) > 1]
    return np.array(list(zip_longest(*rows, fillvalue=NOTHING))).T


def train(enc: wwho.Tokenizer, lines: Sequence[str]) -> Decoder:
    """Return a small decoder that has learnt some lines with a tokenizer."""
    shape = Shape(enc.n_vocab, WIDTH, LAYERS, HEADS)
    decoder = Decoder(shape, make_weights(shape, seed=1))
    ids, optimizer = ids_of_lines(enc, lines), AdamW(decoder.weights)
    drawn = np.random.default_rng(1)
    for step in range(STEPS):
        _, gradients = decoder.gradients(ids[drawn.choice(len(ids), LINES)])
        optimizer.step(decoder.weights, gradients, learning_rate(step, STEPS, RATE))
    return decoder


def first_loss(weights: Weights, rows: Floats, ids: Ints) -> float:
    """Return the mean bits of each id, by a decoder whose embedding has other rows."""
    decoder = Decoder(Shape(len(rows), WIDTH, LAYERS, HEADS), {**weights, "embedding": rows})
    return float(decoder.bits(ids).sum() / (ids[:, 1:] != NOTHING).sum())


def compare(old: str, new: str, text: str) -> tuple[float, float]:
    """Return the first loss with means and with random rows, in bits for each id of the new model.

    Args:
        old: the path of the tokenizer that was extended.
        new: the path of the extended one, beside which its table is.
        text: the path of a text.
    """
    lines = [line for line in Path(text).read_text("utf-8").splitlines() if line]
    held_out = len(lines) * 9 // 10
    weights = train(wwho.Tokenizer.from_file(old), lines[:held_out]).weights
    table = json.loads(Path(new).with_suffix(".embeddings.json").read_text("utf-8"))
    means = extended_rows(weights["embedding"], table)
    random = means.copy()
    n_new = len(table)
    # As models begin, and as `resize_token_embeddings(..., mean_resizing=False)` makes them.
    random[-n_new:] = 0.02 * np.random.default_rng(2).standard_normal((n_new, WIDTH))
    ids = ids_of_lines(wwho.Tokenizer.load(new), lines[held_out:])
    return first_loss(weights, means, ids), first_loss(weights, random, ids)


if __name__ == "__main__":
    of_means, of_random = compare(*sys.argv[1:])
    print(
        f"first loss, bits for each id: {of_means:.2f} with means, {of_random:.2f} with random rows"
    )
