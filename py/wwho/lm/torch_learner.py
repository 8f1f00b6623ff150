"""A decoder in training in PyTorch: weights, gradients and steps stay on a GPU if there is one."""

from __future__ import annotations

import numpy as np

from wwho.errors import BackendError
from wwho.lm.decoder import NOTHING, Shape, Weights, make_turns
from wwho.lm.learner import State
from wwho.lm.optimizer import BETAS, DECAY, EPSILON, MOST_NORM, is_decayed
from wwho.lm.sequences import Floats, Ints

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise BackendError("PyTorch is not installed: pip install 'wwho[lm]'") from error


class TorchLearner:
    """A decoder in training in PyTorch; a `Learner`.

    Its steps are those of `NumpyLearner` but for rounding, and but for gradients whose norm is over
    MOST_NORM, which become shorter by one part in a million.

    Attributes:
        n_done: how many steps have been made.
        is_whole: whether no step has been begun and not ended.
    """

    def __init__(self, shape: Shape, weights: Weights) -> None:
        """Begin with a copy of weights."""
        self._shape = shape
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._weights = {
            name: torch.tensor(array, device=self._device, requires_grad=True)
            for name, array in weights.items()
        }
        groups = [
            {
                "params": [
                    each for name, each in self._weights.items() if is_decayed(name) == decays
                ],
                "weight_decay": DECAY if decays else 0.0,
            }
            for decays in (True, False)
        ]
        self._optimizer = torch.optim.AdamW(groups, betas=BETAS, eps=EPSILON)
        zeros = {name: np.zeros_like(array) for name, array in weights.items()}
        self.put_state({"weight": weights, "first": zeros, "second": zeros}, 0)

    def step(self, ids: Ints, rate: float) -> None:
        """Change the weights by one step of AdamW (`Learner.step`)."""
        self.is_whole = False
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.zero_grad()
        find_loss(self._shape, self._weights, torch.tensor(ids, device=self._device)).backward()
        torch.nn.utils.clip_grad_norm_(self._weights.values(), MOST_NORM)
        self._optimizer.step()
        self.n_done += 1
        self.is_whole = True

    def read_state(self) -> State:
        """Return a copy of the state."""
        found: State = {"weight": {}, "first": {}, "second": {}}
        for name, weight in self._weights.items():
            moments = self._optimizer.state[weight]
            for kind, tensor in (
                ("weight", weight.detach()),
                ("first", moments["exp_avg"]),
                ("second", moments["exp_avg_sq"]),
            ):
                found[kind][name] = tensor.cpu().numpy().copy()
        return found

    def put_state(self, state: State, n_done: int) -> None:
        """Copy a state over the own one (`Learner.put_state`)."""

        def copy(array: Floats) -> Tensor:
            """Return an array as a tensor where the weights are."""
            return torch.tensor(array, device=self._device)

        with torch.no_grad():
            for name, weight in self._weights.items():
                weight.copy_(copy(state["weight"][name]))
                self._optimizer.state[weight] = {
                    "step": torch.tensor(float(n_done)),
                    "exp_avg": copy(state["first"][name]),
                    "exp_avg_sq": copy(state["second"][name]),
                }
        self.n_done, self.is_whole = n_done, True


def find_loss(shape: Shape, weights: dict[str, Tensor], ids: Tensor) -> Tensor:
    """Return the mean loss of the ids of some sequences in nats, as `Decoder.gradients` does.

    Args:
        shape: of the decoder.
        weights: as `make_weights` returns them, all on one device.
        ids: on that device, a row for each sequence, which ends with NOTHING where it is shorter
            than others.
    """
    inputs, targets = ids[:, :-1].clamp(min=0), ids[:, 1:].long()
    stream = weights["embedding"][inputs]
    n_rows, n_places, width = stream.shape
    heads = shape.heads
    dtype = np.dtype(str(stream.dtype).removeprefix("torch."))
    turns = make_turns(n_places, width // heads, dtype)
    cosines, sines = (torch.tensor(each, device=ids.device) for each in turns)

    def split(part: Tensor) -> Tensor:
        """Return a stream as heads."""
        return part.view(n_rows, n_places, heads, width // heads).transpose(1, 2)

    def rotate(part: Tensor) -> Tensor:
        """Turn the pairs of numbers of each place."""
        first, second = part.chunk(2, dim=3)
        return torch.cat(
            (first * cosines - second * sines, first * sines + second * cosines), dim=3
        )

    for layer in range(shape.layers):
        seen = _norm(stream, weights[f"{layer}.attend_norm"])
        query, key, value = map(split, (seen @ weights[f"{layer}.attend"]).chunk(3, dim=2))
        mixed = torch.nn.functional.scaled_dot_product_attention(
            rotate(query), rotate(key), value, is_causal=True
        )
        joined = mixed.transpose(1, 2).reshape(n_rows, n_places, width)
        stream = stream + joined @ weights[f"{layer}.attend_out"]
        fed = _norm(stream, weights[f"{layer}.feed_norm"]) @ weights[f"{layer}.feed"]
        stream = stream + fed.relu().square() @ weights[f"{layer}.feed_out"]
    logits = _norm(stream, weights["norm"]) @ weights["embedding"].T
    # To take the places that are there, a GPU would have to wait until it knew how many they are.
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=NOTHING
    )


def _norm(stream: Tensor, gain: Tensor) -> Tensor:
    """Return a stream divided by its root mean square and multiplied by the gain."""
    return stream * (stream.square().mean(dim=-1, keepdim=True) + 1e-6).rsqrt() * gain
