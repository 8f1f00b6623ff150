"""The training of a decoder, which can be interrupted and resumed."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wwho.format.files import write_atomic
from wwho.lm.decoder import Decoder, Shape, Weights, make_weights
from wwho.lm.learner import Learner, NumpyLearner
from wwho.lm.optimizer import learning_rate
from wwho.lm.sequences import Ints, Sequences
from wwho.lm.windows import pad
from wwho.progress import Advance

Engine = Literal["numpy", "torch"]
"""What computes gradients and steps."""
SECONDS_BETWEEN_CHECKPOINTS = 30.0


def train_decoder(
    shape: Shape,
    text: Sequences,
    batches: Sequence[Ints],
    *,
    seed: int,
    rate: float,
    engine: Engine = "numpy",
    checkpoint: Path | None = None,
    advance: Advance,
) -> Decoder:
    """Train a decoder, and return it; the same arguments give the same weights.

    Args:
        shape: its size.
        text: the windows, of which `batches` has the numbers.
        batches: the windows of each step.
        seed: of the first weights.
        rate: the highest learning rate.
        engine: what computes gradients and steps.
        checkpoint: a file that is written every so many seconds and when the work is interrupted,
            and removed at the end. If it is there, the training goes on where it ended. Its name
            must tell trainings with different arguments apart.
        advance: called with 1 after each step, and with the number of steps that a checkpoint has.

    Raises:
        BackendError: the engine is torch, which is not installed.
        OSError: the checkpoint cannot be read or written.
        KeyboardInterrupt: the user interrupted the work; the checkpoint has been written.
    """
    learner = _begin(engine, shape, make_weights(shape, seed))
    if checkpoint and checkpoint.exists():
        _read_checkpoint(checkpoint, learner)
        advance(learner.n_done)
    saved = time.monotonic()
    try:
        for numbers in batches[learner.n_done :]:
            learner.step(pad(text, numbers), learning_rate(learner.n_done, len(batches), rate))
            advance(1)
            if checkpoint and time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                _write_checkpoint(checkpoint, learner)
                saved = time.monotonic()
    except KeyboardInterrupt:
        # A step that was interrupted may have changed some weights and not others.
        if checkpoint and learner.is_whole:
            _write_checkpoint(checkpoint, learner)
        raise
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    return Decoder(shape, learner.read_state()["weight"])


def _begin(engine: Engine, shape: Shape, weights: Weights) -> Learner:
    """Return a learner of an engine, with weights that it may change.

    Raises:
        BackendError: the engine is torch, which is not installed.
    """
    if engine == "torch":
        from wwho.lm.torch_learner import TorchLearner

        return TorchLearner(shape, weights)
    return NumpyLearner(shape, weights)


def _write_checkpoint(file: Path, learner: Learner) -> None:
    """Write the state of a training into a file, by way of a temporary one."""
    content = io.BytesIO()
    arrays: dict[str, Any] = {"n_done": np.array(learner.n_done)}
    for kind, state in learner.read_state().items():
        arrays |= {f"{kind} {name}": array for name, array in state.items()}
    np.savez(content, **arrays)
    write_atomic(file, content.getvalue())


def _read_checkpoint(file: Path, learner: Learner) -> None:
    """Put the state of a training from a file in place of a state of the same shape."""
    with np.load(file) as arrays:
        state = {
            kind: {name: arrays[f"{kind} {name}"] for name in weights}
            for kind, weights in learner.read_state().items()
        }
        learner.put_state(state, int(arrays["n_done"]))
