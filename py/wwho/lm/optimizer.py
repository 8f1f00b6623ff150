"""AdamW with warm-up and a cosine, for weights in NumPy."""

from __future__ import annotations

import math

import numpy as np

from wwho.lm.decoder import Weights

BETAS = (0.9, 0.95)
EPSILON = 1e-8
DECAY = 0.1
MOST_NORM = 1.0
"""Gradients whose norm is larger are made as short as this."""
WARM_UP = 0.05
"""The share of the steps in which the learning rate rises."""
LAST = 0.1
"""The share of the highest learning rate that the last step has."""


def learning_rate(step: int, n_steps: int, highest: float) -> float:
    """Return the learning rate of a step: it rises, and then falls like half a cosine wave.

    Args:
        step: the number of the step, from 0.
        n_steps: how many there will be.
        highest: the rate at the end of the rise.

    Example:
        >>> [round(learning_rate(step, 100, 1.0), 2) for step in (0, 4, 52, 99)]
        [0.2, 1.0, 0.56, 0.1]
    """
    rise = max(1, round(WARM_UP * n_steps))
    if step < rise:
        return highest * (step + 1) / rise
    done = (step - rise) / max(1, n_steps - rise)
    return highest * (LAST + (1 - LAST) * (1 + math.cos(math.pi * done)) / 2)


def is_decayed(name: str) -> bool:
    """Return whether the weights of this name decay: matrices do, and the gains of norms do not."""
    return not name.endswith("norm")


class AdamW:
    """The moments of the gradients, and the steps that they make.

    Attributes:
        first: the mean gradient of each weight.
        second: the mean square of it.
        n_done: how many steps have been made.
        is_whole: whether no step has been begun and not ended.
    """

    def __init__(self, weights: Weights) -> None:
        """Begin with moments of 0."""
        self.first = {name: np.zeros_like(array) for name, array in weights.items()}
        self.second = {name: np.zeros_like(array) for name, array in weights.items()}
        self.n_done, self.is_whole = 0, True

    def step(self, weights: Weights, gradients: Weights, rate: float) -> None:
        """Change weights in place by one step; the gradients become scratch memory.

        If the norm of all gradients together is over MOST_NORM, all are made shorter first. Weights
        that `is_decayed` names lose the share `rate` times DECAY before the step.

        Args:
            weights: the weights.
            gradients: an array for each of them, which is overwritten.
            rate: the learning rate of this step.
        """
        self.is_whole = False
        self.n_done += 1
        norm = math.sqrt(sum(float((each * each).sum()) for each in gradients.values()))
        shrink = min(1.0, MOST_NORM / (norm + EPSILON))
        one, two = BETAS
        size = rate * math.sqrt(1 - two**self.n_done) / (1 - one**self.n_done)
        epsilon = EPSILON * math.sqrt(1 - two**self.n_done)
        for name, gradient in gradients.items():
            weight, first, second = weights[name], self.first[name], self.second[name]
            gradient *= shrink
            first *= one
            first += (1 - one) * gradient
            second *= two
            gradient *= gradient
            second += (1 - two) * gradient
            np.sqrt(second, out=gradient)
            gradient += epsilon
            np.divide(first, gradient, out=gradient)
            if is_decayed(name):
                weight *= 1 - rate * DECAY
            gradient *= size
            weight -= gradient
        self.is_whole = True
