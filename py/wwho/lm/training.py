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
from wwho.lm.optimizer import AdamW, learning_rate
from wwho.lm.sequences import Ints, Sequences
from wwho.lm.windows import pad
from wwho.progress import Advance

Engine = Literal["numpy", "torch"]
"""What computes gradients."""
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
        engine: what computes the gradients; the steps are NumPy's in any case.
        checkpoint: a file that is written every so many seconds and when the work is interrupted,
            and removed at the end. If it is there, the training goes on where it ended. Its name
            must tell trainings with different arguments apart.
        advance: called with 1 after each step, and with the number of steps that a checkpoint has.

    Raises:
        BackendError: the engine is torch, which is not installed.
        OSError: the checkpoint cannot be read or written.
        KeyboardInterrupt: the user interrupted the work; the checkpoint has been written.
    """
    decoder = Decoder(shape, make_weights(shape, seed))
    find_gradients = decoder.gradients
    if engine == "torch":
        from wwho.lm.torch_decoder import TorchDecoder

        find_gradients = TorchDecoder(shape, decoder.weights).gradients
    optimizer = AdamW(decoder.weights)
    if checkpoint and checkpoint.exists():
        _read_checkpoint(checkpoint, decoder.weights, optimizer)
        advance(optimizer.n_done)
    saved = time.monotonic()
    try:
        for numbers in batches[optimizer.n_done :]:
            _, gradients = find_gradients(pad(text, numbers))
            highest = learning_rate(optimizer.n_done, len(batches), rate)
            optimizer.step(decoder.weights, gradients, highest)
            advance(1)
            if checkpoint and time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                _write_checkpoint(checkpoint, decoder.weights, optimizer)
                saved = time.monotonic()
    except KeyboardInterrupt:
        # A step that was interrupted may have changed some weights and not others.
        if checkpoint and optimizer.is_whole:
            _write_checkpoint(checkpoint, decoder.weights, optimizer)
        raise
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    return decoder


def _write_checkpoint(file: Path, weights: Weights, optimizer: AdamW) -> None:
    """Write the state of a training into a file, by way of a temporary one."""
    content = io.BytesIO()
    arrays: dict[str, Any] = {"n_done": np.array(optimizer.n_done)}
    for kind, state in _states(weights, optimizer).items():
        arrays |= {f"{kind} {name}": array for name, array in state.items()}
    np.savez(content, **arrays)
    write_atomic(file, content.getvalue())


def _read_checkpoint(file: Path, weights: Weights, optimizer: AdamW) -> None:
    """Put the state of a training from a file in place of a state of the same shape."""
    with np.load(file) as arrays:
        for kind, state in _states(weights, optimizer).items():
            for name in state:
                state[name][...] = arrays[f"{kind} {name}"]
        optimizer.n_done = int(arrays["n_done"])


def _states(weights: Weights, optimizer: AdamW) -> dict[str, Weights]:
    """Return the arrays that make the state of a training, by kind."""
    return {"weight": weights, "first": optimizer.first, "second": optimizer.second}
