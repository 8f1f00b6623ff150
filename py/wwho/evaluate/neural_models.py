"""Small decoders trained with each tokenizer: bits per byte, and what they write."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.likelihood import TextLikelihood, count_bytes, encode_lines, measure_likelihood
from wwho.evaluate.metrics import ratio
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.text_blocks import Block
from wwho.evaluate.text_split import TextSplit
from wwho.format.files import write_atomic
from wwho.lm.decoder import Decoder, Shape
from wwho.lm.misspelling import misspell
from wwho.lm.sequences import Ints
from wwho.lm.training import Engine, train_decoder
from wwho.lm.windows import cut_lines, in_order, pad, plan_batches
from wwho.lm.writing import write
from wwho.progress import Progress, ignore

Comparison = Literal["bytes", "FLOPs"]
TYPING_ERRORS = (0.01, 0.05, 0.1)
"""Shares of words that have a typing error in the misspelt texts."""
RATES = (0.0015, 0.003, 0.006)
"""Learning rates that are tried on the development split."""
SWEEP_SHARE = 4
"""A trial of a learning rate has one in so many bytes of a training."""
ONE_IN = 20
"""One in so many training windows is kept for the development split."""
DEVELOPMENT_BYTES = 200_000
N_PROMPTS = 200
PROMPT_BYTES = 24
WRITTEN_BYTES = 256
"""How much is written behind a prompt, at most."""


@dataclass(frozen=True)
class NeuralOptions:
    """How decoders are trained.

    Attributes:
        folder: gets a record of each run, and the checkpoint of one that was interrupted.
        n_bytes: the text that each of them sees; over again where there is less.
        n_seeds: how many decoders each tokenizer gets.
        width: of a decoder.
        layers: of a decoder.
        engine: what computes the gradients.
    """

    folder: Path
    n_bytes: int = 2_000_000
    n_seeds: int = 3
    width: int = 128
    layers: int = 3
    engine: Engine = "numpy"


@dataclass(frozen=True)
class NeuralRun:
    """A decoder, and what was measured of it.

    Attributes:
        encoder: the tokenizer's name.
        comparison: whether all tokenizers' decoders saw as many bytes, or took as many FLOPs.
        seed: of its first weights and of the order of the windows.
        rate: its highest learning rate.
        n_bytes: the bytes that it saw.
        flops: the floating-point operations of its training.
        bits_per_byte: on held-out windows.
        misspelt_bits_per_byte: the same with each share of TYPING_ERRORS.
        units: the units of scripts in the prompts and what it wrote behind them.
        invalid_units: those that are no valid syllables, stray signs, and U+FFFD.
        words: the words of the same, without the last one of each text, which may be cut.
        known_words: those that the training text has.
        written_bytes: all that it wrote, without the prompts.
        writing_seconds: how long that took.
        training_seconds: how long its training took, in the last sitting.
    """

    encoder: str
    comparison: Comparison
    seed: int
    rate: float
    n_bytes: int
    flops: int
    bits_per_byte: float
    misspelt_bits_per_byte: tuple[float, ...]
    units: int
    invalid_units: int
    words: int
    known_words: int
    written_bytes: int
    writing_seconds: float
    training_seconds: float


@dataclass(frozen=True)
class NeuralModels:
    """The decoders of all tokenizers on one text.

    Attributes:
        name: the held-out text's name.
        training_bytes: of the windows they were trained on, with line feeds.
        held_out_bytes: of the windows they were measured on.
        parameters: of the decoder of each tokenizer, by name.
        embedding_parameters: those of the embedding, which is the output matrix too.
        trials: the bits per byte on the development split of each rate of RATES, by tokenizer.
        ngrams: n-gram models of the same windows.
        runs: the decoders, by seed, comparison and tokenizer, the evaluation's model first.
    """

    name: str
    training_bytes: int
    held_out_bytes: int
    parameters: dict[str, int]
    embedding_parameters: dict[str, int]
    trials: dict[str, tuple[float, ...]]
    ngrams: TextLikelihood
    runs: tuple[NeuralRun, ...]


def measure_neural_models(
    split: TextSplit,
    encoders: Sequence[Encoder],
    grammar: Grammar,
    options: NeuralOptions,
    progress: Progress,
) -> NeuralModels:
    """Train decoders with each tokenizer, and measure them.

    Each tokenizer gets the learning rate that does best on a development split of the training
    text. All see the same windows in the same order. Then each whose decoder took more FLOPs than
    another's is trained again with fewer windows, for as many FLOPs as the one that took fewest.
    A run whose record is in the folder is not done again.

    Args:
        split: the lines to train on, and those to measure on.
        encoders: the tokenizers; the others are compared with the first.
        grammar: cuts what decoders write.
        options: how they are trained.
        progress: shows a bar for each run, with the time left of it, and how many runs there are.

    Raises:
        OSError: a record or checkpoint cannot be read or written.
        KeyboardInterrupt: the user interrupted the work, which can be resumed.
    """
    windows = replace(split, training=cut_lines(split.training), held_out=cut_lines(split.held_out))
    texts = _Texts(windows)
    options.folder.mkdir(parents=True, exist_ok=True)
    n_runs = len(encoders) * (len(RATES) + 2 * options.n_seeds)
    numbers = (f"{number} of {n_runs}" for number in range(1, n_runs + 1))
    students = [
        _Student(encoder, texts, grammar, options, progress, numbers) for encoder in encoders
    ]
    trials = {each.encoder.name: each.choose_rate() for each in students}
    runs = list[NeuralRun]()
    seeds = range(1, options.n_seeds + 1)
    plans = {seed: plan_batches(texts.sizes, options.n_bytes, seed) for seed in seeds}
    runs += [each.run("bytes", seed, plans[seed]) for seed in seeds for each in students]
    for seed, batches in plans.items():
        costs = [each.count_flops(batches) for each in students]
        fewest = min(int(cost.sum()) for cost in costs)
        for each, cost in zip(students, costs, strict=True):
            affordable = int(np.searchsorted(np.cumsum(cost), fewest, side="right"))
            runs.append(each.run("FLOPs", seed, batches[:affordable]))
    return NeuralModels(
        name=split.name,
        training_bytes=sum(texts.sizes),
        held_out_bytes=count_bytes(windows.held_out),
        parameters={each.encoder.name: each.shape.n_parameters for each in students},
        embedding_parameters={
            each.encoder.name: each.shape.n_ids * each.shape.width for each in students
        },
        trials=trials,
        ngrams=measure_likelihood(windows, encoders, ignore),
        runs=tuple(runs),
    )


@dataclass(frozen=True)
class NeuralSummary:
    """The decoders of one tokenizer in one comparison, over all seeds.

    Differences are shares of the bits of the model's decoder with the same seed, in the same
    comparison; None for the model's own.

    Attributes:
        encoder: the tokenizer's name.
        comparison: whether all decoders saw as many bytes, or took as many FLOPs.
        rate: the highest learning rate.
        n_bytes: the bytes that each decoder saw, on average.
        flops: the FLOPs of each, on average.
        bits_per_byte: on average.
        difference: on average.
        difference_low: the smallest one of any seed.
        difference_high: the largest one.
        misspelt_bits_per_byte: with the largest share of TYPING_ERRORS, on average.
        misspelt_difference: of these, on average.
        invalid: the share of invalid units in the prompts and what the decoders wrote behind them;
            None where that had no units.
        known: the share of the words of the same that the training text has; None for no words.
        written_per_second: bytes.
        ngram_bits_per_byte: of the n-gram model on the same windows.
        parameters: of a decoder.
        embedding_parameters: of its embedding.
    """

    encoder: str
    comparison: Comparison
    rate: float
    n_bytes: float
    flops: float
    bits_per_byte: float
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    misspelt_bits_per_byte: float
    misspelt_difference: float | None
    invalid: float | None
    known: float | None
    written_per_second: float | None
    ngram_bits_per_byte: float
    parameters: int
    embedding_parameters: int


def summarize_runs(models: NeuralModels) -> list[NeuralSummary]:
    """Return a summary for each comparison and tokenizer, the evaluation's model first in each."""
    groups = defaultdict[tuple[Comparison, str], list[NeuralRun]](list)
    for run in models.runs:
        groups[run.comparison, run.encoder].append(run)
    ngrams = {each.encoder: each.bits_per_byte for each in models.ngrams.likelihoods}
    own_name = models.runs[0].encoder
    summaries = []
    for (comparison, name), runs in groups.items():
        own = groups[comparison, own_name]
        clean = _differences(runs, own, lambda run: run.bits_per_byte)
        misspelt = _differences(runs, own, lambda run: run.misspelt_bits_per_byte[-1])
        is_own = name == own_name
        summaries.append(
            NeuralSummary(
                encoder=name,
                comparison=comparison,
                rate=runs[0].rate,
                n_bytes=_mean([run.n_bytes for run in runs]),
                flops=_mean([run.flops for run in runs]),
                bits_per_byte=_mean([run.bits_per_byte for run in runs]),
                difference=None if is_own else _mean(clean),
                difference_low=None if is_own else min(clean),
                difference_high=None if is_own else max(clean),
                misspelt_bits_per_byte=_mean([run.misspelt_bits_per_byte[-1] for run in runs]),
                misspelt_difference=None if is_own else _mean(misspelt),
                invalid=ratio(_total(runs, "invalid_units"), _total(runs, "units")),
                known=ratio(_total(runs, "known_words"), _total(runs, "words")),
                written_per_second=ratio(
                    _total(runs, "written_bytes"), _total(runs, "writing_seconds")
                ),
                ngram_bits_per_byte=ngrams[name],
                parameters=models.parameters[name],
                embedding_parameters=models.embedding_parameters[name],
            )
        )
    return summaries


def _differences(
    runs: Sequence[NeuralRun], own: Sequence[NeuralRun], bits: Callable[[NeuralRun], float]
) -> list[float]:
    """Return how many more bits each run takes than the own one of its seed, as a share."""
    return [bits(run) / bits(other) - 1 for run, other in zip(runs, own, strict=True)]


def _mean(numbers: Sequence[float]) -> float:
    """Return the mean of numbers, at least one."""
    return sum(numbers) / len(numbers)


def _total(runs: Sequence[NeuralRun], field: str) -> float:
    """Return the sum of a field of some runs."""
    return float(sum(getattr(run, field) for run in runs))


class _Texts:
    """The windows that all tokenizers' decoders are trained, tuned and measured on.

    Attributes:
        development: one in ONE_IN training windows, the first of them up to DEVELOPMENT_BYTES.
        training: the other ones in ONE_IN; the development ones if there are none.
        sizes: the bytes of each training window, with a line feed.
        held_out: the windows to measure on.
        misspelt: these with typing errors, for each share of TYPING_ERRORS.
        known_words: what white space separates in the training windows.
        prompts: different beginnings of held-out windows, up to N_PROMPTS, cut before the last
            space within PROMPT_BYTES; "" alone if there is none.
        digest: SHA-256 of development, training and held-out windows, in hexadecimal.
    """

    def __init__(self, windows: TextSplit) -> None:
        """Keep a part of the training windows for development."""
        training = windows.training
        self.development = cut_to(training[::ONE_IN], DEVELOPMENT_BYTES)
        self.training = [line for number, line in enumerate(training) if number % ONE_IN]
        if not self.training:
            self.training = self.development
        self.sizes = [len(line.encode()) + 1 for line in self.training]
        self.held_out = windows.held_out
        self.misspelt = [misspell(self.held_out, share, 1) for share in TYPING_ERRORS]
        self.known_words = frozenset(word for line in self.training for word in line.split())
        starts = [line.encode()[:PROMPT_BYTES] for line in self.held_out]
        prompts = (start.rpartition(b" ")[0].decode() for start in starts)
        self.prompts = [*dict.fromkeys(filter(None, prompts))][:N_PROMPTS] or [""]
        digest = hashlib.sha256()
        for line in (*self.development, "", *self.training, "", *self.held_out):
            digest.update(line.encode() + b"\n")
        self.digest = digest.hexdigest()


def cut_to(lines: Sequence[str], n_bytes: int) -> list[str]:
    """Return the first lines that have, with line feeds, at most so many bytes; at least one."""
    ends = np.cumsum([len(line.encode()) + 1 for line in lines])
    return [*lines[: max(1, int(np.searchsorted(ends, n_bytes, side="right")))]]


class _Student:
    """One tokenizer, and the training of decoders with it.

    Attributes:
        encoder: the tokenizer.
        shape: of its decoders: two ids more than tokens, and a head for each 32 of the width.
        rate: the learning rate of its runs; `choose_rate` sets it.
    """

    def __init__(
        self,
        encoder: Encoder,
        texts: _Texts,
        grammar: Grammar,
        options: NeuralOptions,
        progress: Progress,
        numbers: Iterator[str],
    ) -> None:
        """Encode the training windows.

        Args:
            encoder: the tokenizer.
            texts: the windows.
            grammar: cuts what decoders write.
            options: how they are trained.
            progress: shows a bar for each run.
            numbers: the number of each run, recorded ones too, of this and all other students.
        """
        self.encoder, self._texts, self._grammar = encoder, texts, grammar
        self._options, self._progress, self._numbers = options, progress, numbers
        self.shape = Shape(encoder.n_vocab + 2, options.width, options.layers, options.width // 32)
        self._training = encode_lines(encoder, texts.training)
        self.rate = RATES[0]

    def count_flops(self, batches: Sequence[Ints]) -> Ints:
        """Return the floating-point operations of each step."""
        lengths = np.diff(self._training.starts) - 1
        return np.array([self.shape.flops(lengths[numbers]) for numbers in batches])

    def choose_rate(self) -> tuple[float, ...]:
        """Try the learning rates, set `rate` to the best one, and return the bits of each per byte.

        The bits are those of the development split; a trial that is recorded is not done again.
        """
        n_bytes = max(1, self._options.n_bytes // SWEEP_SHARE)
        batches = plan_batches(self._texts.sizes, n_bytes, 0)
        development = self._texts.development

        def try_rate(rate: float) -> float:
            """Train with a rate, and measure on the development split, if no record has it."""

            def do_it(checkpoint: Path) -> dict[str, Any]:
                """Do the trial."""
                decoder = self._train(f"rate {rate}", 0, rate, batches, checkpoint)
                return {"bits_per_byte": self._bits_per_byte(decoder, development)}

            found = self._recorded({"trial": rate, "n_bytes": n_bytes}, do_it)
            return float(found["bits_per_byte"])

        found = tuple(map(try_rate, RATES))
        self.rate = RATES[int(np.argmin(found))]
        return found

    def run(self, comparison: Comparison, seed: int, batches: Sequence[Ints]) -> NeuralRun:
        """Train and measure a decoder, or take what is recorded of it, and return the run.

        A record of the same seed, rate and number of steps is taken, so if a tokenizer affords all
        batches, its run for FLOPs is that for bytes.

        Args:
            comparison: what the run is for.
            seed: of the weights, of the writing, and that the batches were planned with.
            batches: the windows of each step.
        """

        def do_it(checkpoint: Path) -> dict[str, Any]:
            """Do the run."""
            begin = time.monotonic()
            decoder = self._train(f"seed {seed}", seed, self.rate, batches, checkpoint)
            seconds = time.monotonic() - begin
            return {
                "n_bytes": sum(self._texts.sizes[k] for numbers in batches for k in numbers),
                "flops": int(self.count_flops(batches).sum()),
                "bits_per_byte": self._bits_per_byte(decoder, self._texts.held_out),
                "misspelt_bits_per_byte": [
                    self._bits_per_byte(decoder, text) for text in self._texts.misspelt
                ],
                "training_seconds": seconds,
                **self._write(decoder, seed),
            }

        settings = {"seed": seed, "rate": self.rate, "steps": len(batches)}
        settings |= {"n_bytes": self._options.n_bytes}
        found = self._recorded(settings, do_it)
        found["misspelt_bits_per_byte"] = tuple(found["misspelt_bits_per_byte"])
        return NeuralRun(self.encoder.name, comparison, seed, self.rate, **found)

    def _settings(self, settings: dict[str, Any]) -> tuple[str, Path]:
        """Return the settings of a run as JSON, and its record's file, which they name."""
        every = {
            **settings,
            "tokenizer": self.encoder.sha256,
            "unk": self.encoder.unk,
            "text": self._texts.digest,
            "shape": asdict(self.shape),
            "engine": self._options.engine,
        }
        text = json.dumps(every, sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        return text, self._options.folder / f"{name}.json"

    def _recorded(
        self, settings: dict[str, Any], do_it: Callable[[Path], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what a run's record has; if there is none, do the run, and write one.

        Args:
            settings: what tells the run from others of this tokenizer, text and shape.
            do_it: does the run; it takes the file of the run's checkpoint.
        """
        text, file = self._settings(settings)
        self._number = next(self._numbers)
        if file.exists():
            found: dict[str, Any] = json.loads(file.read_text("utf-8"))["found"]
            return found
        found = do_it(file.with_suffix(".npz"))
        record = {"encoder": self.encoder.name, "settings": json.loads(text), "found": found}
        write_atomic(file, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode())
        return found

    def _train(
        self, what: str, seed: int, rate: float, batches: Sequence[Ints], checkpoint: Path
    ) -> Decoder:
        """Train a decoder, with a bar."""
        name = f"{self._number}: {self.encoder.name}, {what}"
        with self._progress.bar(name, len(batches), unit="step") as advance:
            return train_decoder(
                self.shape,
                self._training,
                batches,
                seed=seed,
                rate=rate,
                engine=self._options.engine,
                checkpoint=checkpoint,
                advance=advance,
            )

    def _bits_per_byte(self, decoder: Decoder, lines: Sequence[str]) -> float:
        """Return a decoder's bits for some windows, over their bytes with line feeds."""
        text = encode_lines(self.encoder, lines)
        bits = sum(float(decoder.bits(pad(text, numbers)).sum()) for numbers in in_order(text))
        return bits / count_bytes(lines)

    def _write(self, decoder: Decoder, seed: int) -> dict[str, Any]:
        """Let a decoder write behind the prompts, and return the fields of `NeuralRun` on that.

        Units and words are counted in the prompts and what follows, with line feeds as spaces.
        """
        encoder, prompts = self.encoder, self._texts.prompts
        texts = encoder.tokens_bytes(range(encoder.n_vocab))
        token_bytes = np.array([*(len(text or b"") for text in texts), 0, 0])
        encoded = encoder.encode(Block([*prompts])).ids_by_line()
        begin = time.monotonic()
        written = write(decoder, encoded, token_bytes, n_bytes=WRITTEN_BYTES, seed=seed)
        seconds = time.monotonic() - begin
        data = b"".join(b"".join(texts[id_] or b"" for id_ in ids) for ids in written)
        whole = encoder.decode([a + b for a, b in zip(encoded, written, strict=True)])
        lines = [text.decode("utf-8", "replace").replace("\n", " ") for text in whole]
        units, invalid = self._grammar.count_invalid(Block(lines))
        words = [word for line in lines for word in line.split()[:-1]]
        return {
            "units": units,
            "invalid_units": invalid,
            "words": len(words),
            "known_words": sum(word in self._texts.known_words for word in words),
            "written_bytes": len(data),
            "writing_seconds": seconds,
        }
