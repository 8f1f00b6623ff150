"""The twin of `wwho.lm.decoder` in PyTorch: the same losses for the same weights, and on a GPU."""

from __future__ import annotations

import numpy as np

from wwho.errors import BackendError
from wwho.lm.decoder import NOTHING, Shape, Weights, make_turns
from wwho.lm.sequences import Floats, Ints

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise BackendError("PyTorch is not installed: pip install 'wwho[lm]'") from error


class TorchDecoder:
    """A decoder whose gradients PyTorch computes, on a GPU if there is one."""

    def __init__(self, shape: Shape, weights: Weights) -> None:
        """Take weights of NumPy, which each call of `gradients` copies as they are by then."""
        self._shape, self._weights = shape, weights
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def gradients(self, ids: Ints) -> tuple[float, Weights]:
        """Return the mean loss of the ids of some sequences, and its gradients, as `Decoder` does.

        The gradients are arrays of NumPy; they differ from those of `Decoder` by rounding.

        Args:
            ids: a row for each sequence, which ends with NOTHING where it is shorter than others.
        """
        weights = {
            name: torch.tensor(array, device=self._device, requires_grad=True)
            for name, array in self._weights.items()
        }
        loss = self._loss(weights, torch.tensor(ids, device=self._device))
        loss.backward()
        found = {name: _gradient(weight) for name, weight in weights.items()}
        return float(loss.detach().cpu()), found

    def _loss(self, weights: dict[str, Tensor], ids: Tensor) -> Tensor:
        """Return the mean loss in nats."""
        inputs, targets = ids[:, :-1].clamp(min=0), ids[:, 1:]
        stream = weights["embedding"][inputs]
        n_rows, n_places, width = stream.shape
        heads = self._shape.heads
        dtype = np.dtype(str(stream.dtype).removeprefix("torch."))
        turns = make_turns(n_places, width // heads, dtype)
        cosines, sines = (torch.tensor(each, device=self._device) for each in turns)

        def split(part: Tensor) -> Tensor:
            """Return a stream as heads."""
            return part.view(n_rows, n_places, heads, width // heads).transpose(1, 2)

        def rotate(part: Tensor) -> Tensor:
            """Turn the pairs of numbers of each place."""
            first, second = part.chunk(2, dim=3)
            return torch.cat(
                (first * cosines - second * sines, first * sines + second * cosines), dim=3
            )

        for layer in range(self._shape.layers):
            seen = _norm(stream, weights[f"{layer}.attend_norm"])
            query, key, value = map(split, (seen @ weights[f"{layer}.attend"]).chunk(3, dim=2))
            mixed = torch.nn.functional.scaled_dot_product_attention(
                rotate(query), rotate(key), value, is_causal=True
            )
            joined = mixed.transpose(1, 2).reshape(n_rows, n_places, width)
            stream = stream + joined @ weights[f"{layer}.attend_out"]
            fed = _norm(stream, weights[f"{layer}.feed_norm"]) @ weights[f"{layer}.feed"]
            stream = stream + fed.relu().square() @ weights[f"{layer}.feed_out"]
        is_there = targets != NOTHING
        logits = _norm(stream, weights["norm"])[is_there] @ weights["embedding"].T
        return torch.nn.functional.cross_entropy(logits, targets[is_there])


def _norm(stream: Tensor, gain: Tensor) -> Tensor:
    """Return a stream divided by its root mean square and multiplied by the gain."""
    return stream * (stream.square().mean(dim=-1, keepdim=True) + 1e-6).rsqrt() * gain


def _gradient(weight: Tensor) -> Floats:
    """Return the gradient of a weight as an array of NumPy."""
    assert weight.grad is not None
    gradient: Floats = weight.grad.cpu().numpy()
    return gradient
