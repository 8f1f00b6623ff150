"""Text that a decoder writes, an id at a time, for many prompts at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wwho.lm.decoder import Decoder, make_turns, normalize, rotate
from wwho.lm.sequences import Floats, Ints


class _Memory:
    """The keys and values of each layer, for the places written so far."""

    def __init__(self, decoder: Decoder, n_rows: int, n_places: int) -> None:
        """Make room for so many rows and places."""
        shape = decoder.shape
        size = (shape.layers, n_rows, shape.heads, n_places, shape.width // shape.heads)
        dtype = decoder.weights["embedding"].dtype
        self.keys, self.values = np.zeros(size, dtype), np.zeros(size, dtype)
        self.n_done = 0


def write(
    decoder: Decoder,
    prompts: Sequence[Sequence[int]],
    token_bytes: Ints,
    *,
    n_bytes: int,
    seed: int,
) -> list[list[int]]:
    """Return what a decoder writes behind each prompt, without the prompt and the line end.

    Ids are drawn with the probabilities that the decoder gives them, all but the line start. A text
    ends where the line end is drawn, or when it has `n_bytes`.

    Args:
        decoder: the decoder.
        prompts: the ids of each prompt, without the line start; at least one prompt.
        token_bytes: the bytes of each token.
        n_bytes: no more is written once there are so many bytes; the last token may exceed them. A
            token without bytes counts as one.
        seed: of the random numbers.
    """
    random, n_ids = np.random.default_rng(seed), decoder.shape.n_ids
    end, start = n_ids - 2, n_ids - 1
    longest = max(map(len, prompts))
    memory = _Memory(decoder, len(prompts), longest + n_bytes + 1)
    written: list[list[int]] = [[] for _ in prompts]
    left = np.full(len(prompts), n_bytes)
    ids = np.full(len(prompts), start)
    while left.max() > 0 and memory.n_done < longest + n_bytes:
        logits = _step(decoder, memory, ids)[:, :start].astype(np.float64)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
        drawn = random.random(len(prompts)) * chances[:, -1]
        ids = (chances <= drawn[:, None]).sum(axis=1)
        for row, prompt in enumerate(prompts):
            if memory.n_done <= len(prompt):
                ids[row] = prompt[memory.n_done - 1]
            elif ids[row] == end:
                left[row] = 0
            elif left[row] > 0:
                written[row].append(int(ids[row]))
                # A token without bytes of its own counts as one, so that the work ends.
                left[row] -= max(1, token_bytes[ids[row]])
    return written


def _step(decoder: Decoder, memory: _Memory, ids: Ints) -> Floats:
    """Return the logits of all ids behind one more id of each row; `memory` gets the id's place."""
    weights, shape = decoder.weights, decoder.shape
    place, rows = memory.n_done, len(ids)
    stream = weights["embedding"][ids]
    turn = make_turns(1, shape.width // shape.heads, stream.dtype, place)
    for layer in range(shape.layers):
        seen = normalize(stream, weights[f"{layer}.attend_norm"])
        parts = np.split(seen @ weights[f"{layer}.attend"], 3, axis=1)
        query, key, value = (part.reshape(rows, shape.heads, 1, -1) for part in parts)
        memory.keys[layer, :, :, place] = rotate(key, turn)[:, :, 0]
        memory.values[layer, :, :, place] = value[:, :, 0]
        keys, values = (each[layer, :, :, : place + 1] for each in (memory.keys, memory.values))
        share = rotate(query, turn) @ keys.swapaxes(2, 3)
        share *= (shape.width // shape.heads) ** -0.5
        share = np.exp(share - share.max(axis=3, keepdims=True))
        share /= share.sum(axis=3, keepdims=True)
        mixed = (share @ values).reshape(rows, shape.width)
        stream = stream + mixed @ weights[f"{layer}.attend_out"]
        fed = normalize(stream, weights[f"{layer}.feed_norm"])
        active = np.maximum(fed @ weights[f"{layer}.feed"], 0)
        stream = stream + (active * active) @ weights[f"{layer}.feed_out"]
    memory.n_done += 1
    logits: Floats = normalize(stream, weights["norm"]) @ weights["embedding"].T
    return logits
