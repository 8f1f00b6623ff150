"""What a call of `encode` draws at random, and from which seed."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from numbers import Integral, Real
from typing import NamedTuple, TypeAlias

from wwho.errors import SamplingError

Sample: TypeAlias = tuple[float, int]
"""The alpha and n_best of a Unigram model's sampling, as SentencePiece calls them."""

STREAM_STEP = 0x9E3779B97F4A7C15
"""What each number of a stream adds to its state (FORMAT.md, Sampling)."""
_KINDS = {"bpe": "BPE", "greedy": "longest match (WordPiece)", "viterbi": "Unigram"}


class Sampling(NamedTuple):
    """The options of random drawing that one call has (FORMAT.md, Sampling).

    Attributes:
        seed: 0 to 2^64 - 1.
        dropout: the probability, 0 to 1, that a merge of a BPE model that comes up is skipped.
        alpha: how much the scores of Unigram models count, at least 0.
        paths: whether paths of Unigram models are drawn.
    """

    seed: int
    dropout: float
    alpha: float
    paths: bool

    def from_text(self, number: int) -> Sampling:
        """Return a sampling that gives the first text of a call what this gives text `number`."""
        return self._replace(seed=(self.seed + number * STREAM_STEP) % 2**64)


def read_sampling(dropout: float, sample: Sample | None, seed: int | None) -> Sampling | None:
    """Return what the options of a call draw; None if they draw nothing.

    A dropout below 2^-32 is none. An n_best of 0 or 1 takes the best path, as in SentencePiece. A
    bool is no number here.

    Args:
        dropout: the probability that a merge is skipped, 0 to 1.
        sample: alpha and n_best.
        seed: 0 to 2^64 - 1; it must be given if something is drawn.

    Raises:
        SamplingError: a value is none of these, the seed is missing, or n_best is none of -1, 0
            and 1.
    """
    if not _is_number(dropout, Real) or not 0 <= dropout <= 1:
        raise SamplingError(f"dropout is {dropout!r}; expected a probability from 0 to 1")
    alpha, paths = (0.0, False) if sample is None else _read_sample(sample)
    if seed is not None and not (_is_number(seed, Integral) and 0 <= seed < 2**64):
        raise SamplingError(f"seed is {seed!r}; expected an integer from 0 to 2**64 - 1")
    drops = int(dropout * 2**32) > 0
    if not drops and not paths:
        return None
    if seed is None:
        raise SamplingError("there is no seed; give one, so that the same tokens come out again")
    return Sampling(int(seed), float(dropout) if drops else 0.0, alpha, paths)


def _read_sample(sample: Sample) -> tuple[float, bool]:
    """Return alpha, and whether a path is drawn.

    Raises:
        SamplingError: `sample` is no such pair, alpha is negative or no number, or n_best is none
            of -1, 0 and 1.
    """
    if not isinstance(sample, tuple) or len(sample) != 2:
        raise SamplingError(f"sample is {sample!r}; expected (alpha, n_best), such as (0.1, -1)")
    alpha, n_best = sample
    if not (_is_number(alpha, Real) and isfinite(alpha) and alpha >= 0):
        raise SamplingError(f"alpha is {alpha!r}; expected a number of at least 0")
    if not (_is_number(n_best, Integral) and -1 <= n_best <= 1):
        raise SamplingError(
            f"n_best is {n_best!r}; expected -1, which draws from all paths (or 0 or 1, which take "
            "the best one)"
        )
    return float(alpha), n_best < 0


def _is_number(value: object, kind: type) -> bool:
    """Return whether a value is a number of a kind; True and False are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def refuse_models(name: str, kinds: Iterable[str], sampling: Sampling) -> None:
    """Raise an error unless the models of an encoding can draw all that a call asks.

    Each option acts on the models that can do it, and leaves the others alone.

    Args:
        name: the name of the encoding.
        kinds: the kind of each model, as `ModelInfo.kind` has it.
        sampling: what is drawn.

    Raises:
        SamplingError: dropout is asked, and no model is BPE; or a path, and no model is Unigram.
    """
    found = {*kinds}
    named = " and ".join(_KINDS[kind] for kind in _KINDS if kind in found)
    if sampling.dropout and "bpe" not in found:
        raise SamplingError(
            f"{name} has a model of the kind {named}, which cannot drop merges: leave dropout out"
            + (", and give sample" if "viterbi" in found and not sampling.paths else "")
        )
    if sampling.paths and "viterbi" not in found:
        raise SamplingError(
            f"{name} has a model of the kind {named}, which has no paths to draw: leave sample out"
            + (", and give dropout" if "bpe" in found and not sampling.dropout else "")
        )
