"""A decoder of a language model in NumPy: its weights, its loss, and the gradients of its loss.

Pre-norm blocks of attention with rotary positions and of a feed-forward layer with squared ReLU,
root-mean-square norms, no biases, and an embedding that is also the output matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wwho.lm.sequences import Floats, Ints

Weights = dict[str, Floats]
"""Arrays by name: ``embedding``, and ``0.attend`` and the like for each layer."""

NOTHING = -1
"""In place of an id behind the end of a sequence."""
_EPSILON = 1e-6
_ROPE_BASE = 10_000.0


@dataclass(frozen=True)
class Shape:
    """The size of a decoder.

    Attributes:
        n_ids: how many ids it reads: the tokens, the line end and the line start.
        width: numbers for each place of the text.
        layers: blocks.
        heads: of attention in each block; they divide the width into even parts.
    """

    n_ids: int
    width: int
    layers: int
    heads: int

    @property
    def n_parameters(self) -> int:
        """The numbers of all weights, the embedding's included."""
        layer = 12 * self.width**2 + 2 * self.width
        return (self.n_ids + 1) * self.width + self.layers * layer

    def flops(self, lengths: Ints) -> int:
        """Return the floating-point operations of a training step on sequences, forth and back.

        Six for each weight and place, the output matrix over all ids included, and six for each
        product of attention; lookups in the embedding cost nothing.

        Args:
            lengths: the places of each sequence.
        """
        matrices = self.n_ids * self.width + self.layers * 12 * self.width**2
        attention = self.layers * 2 * self.width * (lengths.astype(np.int64) ** 2).sum()
        return int(6 * matrices * lengths.sum() + 6 * attention)


def make_weights(shape: Shape, seed: int, dtype: type[np.floating] = np.float32) -> Weights:
    """Return random weights; the same arguments give the same ones.

    Matrices have normal numbers with a deviation of 0.02, less for those that write into the
    stream of a deep decoder; norms have ones.
    """
    random = np.random.default_rng([seed, 1])

    def normal(*size: int, deviation: float = 0.02) -> Floats:
        """Return normal random numbers."""
        numbers: Floats = (deviation * random.standard_normal(size)).astype(dtype)
        return numbers

    width, back = shape.width, 0.02 / np.sqrt(2 * shape.layers)
    weights = {"embedding": normal(shape.n_ids, width), "norm": np.ones(width, dtype)}
    for layer in range(shape.layers):
        weights |= {
            f"{layer}.attend_norm": np.ones(width, dtype),
            f"{layer}.attend": normal(width, 3 * width),
            f"{layer}.attend_out": normal(width, width, deviation=back),
            f"{layer}.feed_norm": np.ones(width, dtype),
            f"{layer}.feed": normal(width, 4 * width),
            f"{layer}.feed_out": normal(4 * width, width, deviation=back),
        }
    return weights


class _Norm(NamedTuple):
    """The values of a norm's forward pass that its gradient needs."""

    unit: Floats
    scale: Floats


class _Layer(NamedTuple):
    """The values of a layer's forward pass that its gradients need, in the order of computation."""

    attend_norm: _Norm
    attend_in: Floats
    query: Floats
    key: Floats
    value: Floats
    share: Floats
    mixed: Floats
    feed_norm: _Norm
    feed_in: Floats
    active: Floats


class Decoder:
    """A decoder with its weights, which change in place in training.

    Attributes:
        shape: its size.
        weights: its weights.
    """

    def __init__(self, shape: Shape, weights: Weights) -> None:
        """Take weights as `make_weights` returns them."""
        self.shape, self.weights = shape, weights

    def bits(self, ids: Ints) -> Floats:
        """Return the bits of each id of some sequences but their first ones, given those before it.

        Args:
            ids: a row for each sequence, which ends with NOTHING where it is shorter than others;
                two columns or more.

        Returns:
            An array of float64 with a column less; 0 where there is NOTHING.
        """
        stream, _ = self._run(ids[:, :-1])
        targets = ids[:, 1:]
        is_there = targets != NOTHING
        logits = stream[is_there] @ self.weights["embedding"].T
        chosen = logits[np.arange(len(logits)), targets[is_there]]
        top = logits.max(axis=1)
        logits -= top[:, None]
        np.exp(logits, out=logits)
        bits = np.zeros(targets.shape)
        bits[is_there] = (np.log(logits.sum(axis=1)) + top - chosen) / np.log(2)
        return bits

    def gradients(self, ids: Ints) -> tuple[float, Weights]:
        """Return the mean loss of the ids of some sequences, in nats, and its gradients.

        The mean is over all ids but the first ones. The weights stay as they are.

        Args:
            ids: as for `bits`, with a sequence of two ids or more.

        Returns:
            The loss, and new arrays with the names and shapes of the weights.
        """
        stream, kept = self._run(ids[:, :-1])
        final, layers = kept
        targets = ids[:, 1:]
        is_there = targets != NOTHING
        embedding, wanted = self.weights["embedding"], targets[is_there]
        seen, rows = stream[is_there], np.arange(int(is_there.sum()))
        logits = seen @ embedding.T
        logits -= logits.max(axis=1, keepdims=True)
        chosen = logits[rows, wanted]
        np.exp(logits, out=logits)
        totals = logits.sum(axis=1, keepdims=True)
        loss = float((np.log(totals[:, 0]) - chosen).mean())
        logits /= totals * len(rows)
        logits[rows, wanted] -= 1 / len(rows)
        found: Weights = {"embedding": logits.T @ seen}
        change = np.zeros_like(stream)
        change[is_there] = logits @ embedding
        change, found["norm"] = _undo_norm(change, final, self.weights["norm"])
        for layer in reversed(range(self.shape.layers)):
            change = self._undo_layer(layer, layers[layer], change, found)
        inputs = np.maximum(ids[:, :-1], 0).ravel()
        _add_rows(found["embedding"], inputs, change.reshape(-1, self.shape.width))
        return loss, found

    def _run(self, ids: Ints) -> tuple[Floats, tuple[_Norm, list[_Layer]]]:
        """Return the normed stream at each place, and what the gradients need.

        That is a `_Norm` of the last norm, and a `_Layer` of each layer. NOTHING is read as id 0.
        """
        stream = self.weights["embedding"][np.maximum(ids, 0)]
        layers = []
        turn = make_turns(ids.shape[1], self.shape.width // self.shape.heads, stream.dtype)
        for layer in range(self.shape.layers):
            stream, kept = self._run_layer(layer, stream, turn)
            layers.append(kept)
        normed, final = _norm(stream, self.weights["norm"])
        return normed, (final, layers)

    def _run_layer(
        self, layer: int, stream: Floats, turn: tuple[Floats, Floats]
    ) -> tuple[Floats, _Layer]:
        """Return the stream behind a layer, and what its gradients need."""
        weights, heads = self.weights, self.shape.heads
        attend_in, attend_norm = _norm(stream, weights[f"{layer}.attend_norm"])
        parts = np.split(attend_in @ weights[f"{layer}.attend"], 3, axis=2)
        query, key, value = (_split_heads(part, heads) for part in parts)
        query, key = rotate(query, turn), rotate(key, turn)
        n_places, size = query.shape[2:]
        share = query @ key.swapaxes(2, 3)
        share *= size**-0.5
        share += np.triu(np.full((n_places, n_places), -np.inf, share.dtype), 1)
        share -= share.max(axis=3, keepdims=True)
        np.exp(share, out=share)
        share /= share.sum(axis=3, keepdims=True)
        mixed = _join_heads(share @ value)
        stream = stream + mixed @ weights[f"{layer}.attend_out"]
        feed_in, feed_norm = _norm(stream, weights[f"{layer}.feed_norm"])
        active = np.maximum(feed_in @ weights[f"{layer}.feed"], 0)
        stream = stream + (active * active) @ weights[f"{layer}.feed_out"]
        kept = _Layer(
            attend_norm, attend_in, query, key, value, share, mixed, feed_norm, feed_in, active
        )
        return stream, kept

    def _undo_layer(self, layer: int, kept: _Layer, change: Floats, found: Weights) -> Floats:
        """Return the gradient before a layer from that behind it, `change`, which stays as it is.

        The gradients of the layer's weights are put into `found`.
        """
        weights, width, heads = self.weights, self.shape.width, self.shape.heads

        def product(name: str, before: Floats, after: Floats) -> Floats:
            """Keep the gradient of a matrix, and return that of what it was multiplied with."""
            flat = after.reshape(-1, after.shape[-1])
            found[f"{layer}.{name}"] = before.reshape(-1, before.shape[-1]).T @ flat
            return (flat @ weights[f"{layer}.{name}"].T).reshape(before.shape)

        squares = product("feed_out", kept.active * kept.active, change)
        fed = product("feed", kept.feed_in, 2 * kept.active * squares)
        fed, found[f"{layer}.feed_norm"] = _undo_norm(
            fed, kept.feed_norm, weights[f"{layer}.feed_norm"]
        )
        change = change + fed
        mixed = _split_heads(product("attend_out", kept.mixed, change), heads)
        value = kept.share.swapaxes(2, 3) @ mixed
        share = mixed @ kept.value.swapaxes(2, 3)
        share -= (share * kept.share).sum(axis=3, keepdims=True)
        share *= kept.share
        share *= (width // heads) ** -0.5
        turn = make_turns(change.shape[1], width // heads, change.dtype)
        back = (turn[0], -turn[1])
        query = rotate(share @ kept.key, back)
        key = rotate(share.swapaxes(2, 3) @ kept.query, back)
        parts = [_join_heads(part) for part in (query, key, value)]
        attended = product("attend", kept.attend_in, np.concatenate(parts, axis=2))
        attended, found[f"{layer}.attend_norm"] = _undo_norm(
            attended, kept.attend_norm, weights[f"{layer}.attend_norm"]
        )
        return change + attended


def make_turns(n_places: int, size: int, dtype: np.dtype, first: int = 0) -> tuple[Floats, Floats]:
    """Return the cosines and sines by which `rotate` turns pairs of numbers at each place.

    Each is an array with a row for each place and a column for each pair, half as many as `size`.

    Args:
        n_places: how many places.
        size: numbers of a head, an even number.
        dtype: of the result.
        first: the place of the first row.
    """
    speeds = _ROPE_BASE ** (-np.arange(size // 2) / (size // 2))
    angles = np.arange(first, first + n_places)[:, None] * speeds
    return np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)


def rotate(heads: Floats, turn: tuple[Floats, Floats]) -> Floats:
    """Return heads whose number i and number i + half are turned together, as rotary positions do.

    With the sines negated, heads are turned back. The result is a new array of the same shape.

    Args:
        heads: sequences, heads, places, numbers.
        turn: cosines and sines of each place, as `make_turns` returns them.
    """
    (cosines, sines), half = turn, heads.shape[3] // 2
    first, second = heads[..., :half], heads[..., half:]
    return np.concatenate(
        (first * cosines - second * sines, first * sines + second * cosines), axis=3
    )


def normalize(stream: Floats, gain: Floats) -> Floats:
    """Return a stream divided by its root mean square and multiplied by the gain.

    The mean is over the last axis, for which the gain has an entry each.
    """
    return _norm(stream, gain)[0]


def _norm(stream: Floats, gain: Floats) -> tuple[Floats, _Norm]:
    """Return what `normalize` does, and what its gradients need."""
    scale = 1 / np.sqrt((stream * stream).mean(axis=-1, keepdims=True) + _EPSILON)
    unit = stream * scale
    return unit * gain, _Norm(unit, scale)


def _undo_norm(change: Floats, kept: _Norm, gain: Floats) -> tuple[Floats, Floats]:
    """Return the gradients of a norm's stream and of its gain."""
    of_gain = (change * kept.unit).reshape(-1, change.shape[-1]).sum(axis=0)
    change = change * gain
    inner = (change * kept.unit).mean(axis=-1, keepdims=True)
    return kept.scale * (change - kept.unit * inner), of_gain


def _split_heads(stream: Floats, heads: int) -> Floats:
    """Return a stream of places as heads of places: sequences, heads, places, numbers."""
    n_rows, n_places, width = stream.shape
    return stream.reshape(n_rows, n_places, heads, width // heads).swapaxes(1, 2)


def _join_heads(heads: Floats) -> Floats:
    """Return heads as `_split_heads` makes them as a stream: sequences, places, width."""
    n_rows, n_heads, n_places, size = heads.shape
    return heads.swapaxes(1, 2).reshape(n_rows, n_places, n_heads * size)


def _add_rows(matrix: Floats, numbers: Ints, rows: Floats) -> None:
    """Add rows to the rows of a matrix with these numbers, in place; numbers may come twice.

    `np.add.at` does the same, and takes five times as long.
    """
    order = np.argsort(numbers, kind="stable")
    there, firsts = np.unique(numbers[order], return_index=True)
    matrix[there] += np.add.reduceat(rows[order], firsts, axis=0)
