"""What a training changes, step by step, in NumPy; `wwho.lm.torch_learner` has its twin."""

from __future__ import annotations

from typing import Protocol

from wwho.lm.decoder import Decoder, Shape, Weights
from wwho.lm.optimizer import AdamW
from wwho.lm.sequences import Ints

State = dict[str, Weights]
"""The weights of a decoder (``weight``), and the mean and the mean square of the gradient of each
(``first``, ``second``)."""


class Learner(Protocol):
    """A decoder in training."""

    @property
    def n_done(self) -> int:
        """The number of steps of training that have been made."""

    @property
    def is_whole(self) -> bool:
        """True unless a step was interrupted, which leaves the weights half changed."""

    def step(self, ids: Ints, rate: float) -> None:
        """Change the weights by one step of AdamW.

        Args:
            ids: a row for each sequence, as `Decoder.gradients` takes them.
            rate: the learning rate of this step.
        """

    def read_state(self) -> State:
        """Return the state as arrays; a further step may change them."""

    def put_state(self, state: State, n_done: int) -> None:
        """Take a state of the same shape, after so many steps, in place of the own one."""


class NumpyLearner:
    """A decoder in training, in NumPy; a `Learner`."""

    def __init__(self, shape: Shape, weights: Weights) -> None:
        """Begin with weights, which change in place."""
        self._decoder, self._optimizer = Decoder(shape, weights), AdamW(weights)

    @property
    def n_done(self) -> int:
        """The number of steps of training that have been made."""
        return self._optimizer.n_done

    @property
    def is_whole(self) -> bool:
        """True unless a step was interrupted, which leaves the weights half changed."""
        return self._optimizer.is_whole

    def step(self, ids: Ints, rate: float) -> None:
        """Change the weights by one step of AdamW (`Learner.step`)."""
        _, gradients = self._decoder.gradients(ids)
        self._optimizer.step(self._decoder.weights, gradients, rate)

    def read_state(self) -> State:
        """Return the state, which each step changes in place."""
        optimizer = self._optimizer
        return {
            "weight": self._decoder.weights,
            "first": optimizer.first,
            "second": optimizer.second,
        }

    def put_state(self, state: State, n_done: int) -> None:
        """Copy a state over the own one (`Learner.put_state`)."""
        for kind, own in self.read_state().items():
            for name, array in own.items():
                array[...] = state[kind][name]
        self._optimizer.n_done = n_done
