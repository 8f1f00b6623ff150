"""What the report says of decoders: means over seeds, and how far the seeds lie apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wwho.evaluate.metrics import ratio
from wwho.evaluate.neural_models import Comparison, NeuralModels, NeuralRun


class Spread(NamedTuple):
    """The mean of some numbers, at least one, the smallest and the largest."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class BitsSummary:
    """The bits of the decoders of one tokenizer in one comparison on one text, over all seeds.

    Attributes:
        text: the held-out text's name.
        encoder: the tokenizer's name.
        comparison: whether all decoders saw as many bytes, or took as many FLOPs.
        bits_per_byte: of each variant of the text, by name, the mean.
        over: of each variant, how many more bits than the model's decoder with the same seed, in
            the same comparison, as a share of its bits; empty for the model's own.
        ngram_bits_per_byte: of the n-gram model on the same windows.
    """

    text: str
    encoder: str
    comparison: Comparison
    bits_per_byte: dict[str, float]
    over: dict[str, Spread]
    ngram_bits_per_byte: float


@dataclass(frozen=True)
class DecoderSummary:
    """The decoders of one tokenizer in one comparison, over all seeds: cost, and what they wrote.

    Attributes:
        text: the names of the held-out texts; the first one's beginnings are the prompts.
        encoder: the tokenizer's name.
        comparison: whether all decoders saw as many bytes, or took as many FLOPs.
        rate: the highest learning rate.
        trials: the bits per byte on the development split of each rate of RATES.
        n_bytes: the bytes that each decoder saw, on average.
        flops: the FLOPs of each, on average.
        parameters: of a decoder.
        embedding_parameters: of its embedding.
        efficiency_score: 100 times the share of valid units, in the prompts and what the decoders
            wrote behind them (OSPE's efficiency score); None where a decoder has no units.
        known: the share of the words of the same that the training text has; None for no words.
        distinct_known: the share of the different words of the same that the training text has.
        written_per_second: bytes.
    """

    text: str
    encoder: str
    comparison: Comparison
    rate: float
    trials: tuple[float, ...]
    n_bytes: float
    flops: float
    parameters: int
    embedding_parameters: int
    efficiency_score: Spread | None
    known: float | None
    distinct_known: float | None
    written_per_second: float | None


def summarize_bits(models: NeuralModels) -> list[BitsSummary]:
    """Return a summary for each text, comparison and tokenizer, the evaluation's model first."""
    groups, own_name = _group_runs(models), models.runs[0].encoder
    ngrams = {
        (text.name, each.encoder): each.bits_per_byte
        for text in models.ngrams
        for each in text.likelihoods
    }
    summaries = []
    for text in models.held_out_bytes:
        for (comparison, name), runs in groups.items():
            bits = [run.bits_per_byte[text] for run in runs]
            own = [run.bits_per_byte[text] for run in groups[comparison, own_name]]
            pairs = [*zip(bits, own, strict=True)]
            over = {
                variant: _spread([one[variant] / other[variant] - 1 for one, other in pairs])
                for variant in bits[0]
                if name != own_name
            }
            means = {variant: _spread([each[variant] for each in bits]).mean for variant in bits[0]}
            summaries.append(BitsSummary(text, name, comparison, means, over, ngrams[text, name]))
    return summaries


def summarize_decoders(models: NeuralModels) -> list[DecoderSummary]:
    """Return a summary for each comparison and tokenizer, the evaluation's model first in each."""
    return [
        DecoderSummary(
            text=", ".join(models.held_out_bytes),
            encoder=name,
            comparison=comparison,
            rate=runs[0].rate,
            trials=models.trials[name],
            n_bytes=_spread([run.n_bytes for run in runs]).mean,
            flops=_spread([run.flops for run in runs]).mean,
            parameters=models.parameters[name],
            embedding_parameters=models.embedding_parameters[name],
            efficiency_score=_spread([100 * (1 - run.invalid_units / run.units) for run in runs])
            if all(run.units for run in runs)
            else None,
            known=_ratio_of_sums(runs, lambda run: (run.known_words, run.words)),
            distinct_known=_ratio_of_sums(
                runs, lambda run: (run.distinct_known_words, run.distinct_words)
            ),
            written_per_second=_ratio_of_sums(
                runs, lambda run: (run.written_bytes, run.writing_seconds)
            ),
        )
        for (comparison, name), runs in _group_runs(models).items()
    ]


def _group_runs(models: NeuralModels) -> dict[tuple[Comparison, str], list[NeuralRun]]:
    """Return the runs of each comparison and tokenizer, by seed."""
    groups = defaultdict[tuple[Comparison, str], list[NeuralRun]](list)
    for run in models.runs:
        groups[run.comparison, run.encoder].append(run)
    return groups


def _spread(numbers: Sequence[float]) -> Spread:
    """Return the mean of some numbers, at least one, the smallest and the largest."""
    return Spread(sum(numbers) / len(numbers), min(numbers), max(numbers))


def _ratio_of_sums(
    runs: Sequence[NeuralRun], parts: Callable[[NeuralRun], tuple[float, float]]
) -> float | None:
    """Return a sum over some runs divided by another one; None where that is 0.

    Args:
        runs: the runs.
        parts: returns what a run adds to the one sum and to the other.
    """
    above, below = zip(*map(parts, runs), strict=True)
    return ratio(sum(above), sum(below))
