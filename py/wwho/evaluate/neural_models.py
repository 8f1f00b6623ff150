"""Small decoders trained with each tokenizer: bits per byte, and what they write."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.likelihood import TextLikelihood, count_bytes, encode_lines, measure_likelihood
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.text_blocks import Block
from wwho.evaluate.text_split import TextSplit
from wwho.format.files import write_atomic
from wwho.lm.decoder import Decoder, Shape
from wwho.lm.sequences import Ints
from wwho.lm.training import Engine, train_decoder
from wwho.lm.variants import vary
from wwho.lm.windows import cut_lines, in_order, pad, plan_batches
from wwho.lm.writing import write
from wwho.progress import Progress, ignore

Comparison = Literal["bytes", "FLOPs"]
RATES = (0.0015, 0.003, 0.006)
"""Learning rates that are tried on the development split."""
SWEEP_SHARE = 4
"""A trial of a learning rate has one in so many bytes of a training."""
ONE_IN = 20
"""One in so many training windows is kept for the development split."""
MEASURED_BYTES = 200_000
"""The development split and each held-out text have at most so many bytes: the first windows."""
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
        engine: what computes gradients and steps.
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
        bits_per_byte: on each held-out text, by name, those of each of its variants
            (`wwho.lm.variants`), by name.
        units: the units of scripts in the prompts and what it wrote behind them.
        invalid_units: those that are no valid syllables, stray signs, and U+FFFD.
        words: the words of the same, without the last one of each text, which may be cut.
        known_words: those that the training text has.
        distinct_words: how many different words these are.
        distinct_known_words: those that the training text has.
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
    bits_per_byte: dict[str, dict[str, float]]
    units: int
    invalid_units: int
    words: int
    known_words: int
    distinct_words: int
    distinct_known_words: int
    written_bytes: int
    writing_seconds: float
    training_seconds: float


@dataclass(frozen=True)
class NeuralModels:
    """The decoders of all tokenizers on one training text.

    Attributes:
        training_bytes: of the windows they were trained on, with line feeds.
        held_out_bytes: of the windows they were measured on, by the name of their text.
        parameters: of the decoder of each tokenizer, by name.
        embedding_parameters: those of the embedding, which is the output matrix too.
        trials: the bits per byte on the development split of each rate of RATES, by tokenizer.
        ngrams: n-gram models of the same windows, for each held-out text.
        runs: the decoders, by seed, comparison and tokenizer, the evaluation's model first.
    """

    training_bytes: int
    held_out_bytes: dict[str, int]
    parameters: dict[str, int]
    embedding_parameters: dict[str, int]
    trials: dict[str, tuple[float, ...]]
    ngrams: tuple[TextLikelihood, ...]
    runs: tuple[NeuralRun, ...]


def measure_neural_models(
    splits: Sequence[TextSplit],
    encoders: Sequence[Encoder],
    grammar: Grammar,
    options: NeuralOptions,
    progress: Progress,
) -> NeuralModels:
    """Train decoders with each tokenizer, and measure them on each held-out text.

    Each tokenizer gets the learning rate that does best on a development split of the training
    text. All see the same windows in the same order. Then each whose decoder took more FLOPs than
    another's is trained again with fewer windows, for as many FLOPs as the one that took fewest.
    A run whose record is in the folder is not done again.

    Args:
        splits: the lines to train on, the same in all of them, and those to measure on; at least
            one.
        encoders: the tokenizers; the others are compared with the first.
        grammar: cuts what decoders write.
        options: how they are trained.
        progress: shows a bar for each run, with the time left of it, and how many runs there are.

    Raises:
        OSError: a record or checkpoint cannot be read or written.
        KeyboardInterrupt: the user interrupted the work, which can be resumed.
    """
    training = cut_lines(splits[0].training)
    windows = [
        replace(
            split, training=training, held_out=cut_to(cut_lines(split.held_out), MEASURED_BYTES)
        )
        for split in splits
    ]
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
        training_bytes=sum(texts.sizes),
        held_out_bytes={each.name: count_bytes(each.held_out) for each in windows},
        parameters={each.encoder.name: each.shape.n_parameters for each in students},
        embedding_parameters={
            each.encoder.name: each.shape.n_ids * each.shape.width for each in students
        },
        trials=trials,
        ngrams=tuple(measure_likelihood(each, encoders, ignore) for each in windows),
        runs=tuple(runs),
    )


class _Texts:
    """The windows that all tokenizers' decoders are trained, tuned and measured on.

    Attributes:
        development: one in ONE_IN training windows, the first of them up to MEASURED_BYTES.
        training: the other ones in ONE_IN; the development ones if there are none.
        sizes: the bytes of each training window, with a line feed.
        variants: of each held-out text, by name, the variants of its windows, by name.
        known_words: what white space separates in the training windows.
        prompts: different beginnings of windows of the first held-out text, up to N_PROMPTS, cut
            before the last space within PROMPT_BYTES; "" alone if there is none.
        digest: SHA-256 of development, training and held-out windows, in hexadecimal.
    """

    def __init__(self, windows: Sequence[TextSplit]) -> None:
        """Keep a part of the training windows for development; the splits have the same ones."""
        training = windows[0].training
        self.development = cut_to(training[::ONE_IN], MEASURED_BYTES)
        self.training = [line for number, line in enumerate(training) if number % ONE_IN]
        if not self.training:
            self.training = self.development
        self.sizes = [len(line.encode()) + 1 for line in self.training]
        self.variants = {each.name: vary(each.held_out) for each in windows}
        self.known_words = frozenset(word for line in self.training for word in line.split())
        starts = [line.encode()[:PROMPT_BYTES] for line in windows[0].held_out]
        prompts = (start.rpartition(b" ")[0].decode() for start in starts)
        self.prompts = [*dict.fromkeys(filter(None, prompts))][:N_PROMPTS] or [""]
        digest = hashlib.sha256()
        held_out = (["", each.name, *each.held_out] for each in windows)
        for line in (*self.development, "", *self.training, *chain.from_iterable(held_out)):
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

            found = self._run_unless_recorded({"trial": rate, "n_bytes": n_bytes}, do_it)
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
                "bits_per_byte": {
                    name: self._measure_variants(decoder, variants)
                    for name, variants in self._texts.variants.items()
                },
                "training_seconds": seconds,
                **self._write(decoder, seed),
            }

        settings = {"seed": seed, "rate": self.rate, "steps": len(batches)}
        settings |= {"n_bytes": self._options.n_bytes}
        found = self._run_unless_recorded(settings, do_it)
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

    def _run_unless_recorded(
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

    def _measure_variants(
        self, decoder: Decoder, variants: Mapping[str, Sequence[str]]
    ) -> dict[str, float]:
        """Return a decoder's bits per byte for each variant of some windows, by name.

        A variant that has the very lines of one before it is not measured again.
        """
        found = dict[str, float]()
        for name, lines in variants.items():
            same = (bits for other, bits in found.items() if variants[other] == lines)
            bits = next(same, None)
            found[name] = self._bits_per_byte(decoder, lines) if bits is None else bits
        return found

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
        words = Counter(word for line in lines for word in line.split()[:-1])
        known = [words[word] for word in words.keys() & self._texts.known_words]
        return {
            "units": units,
            "invalid_units": invalid,
            "words": words.total(),
            "known_words": sum(known),
            "distinct_words": len(words),
            "distinct_known_words": len(known),
            "written_bytes": len(data),
            "writing_seconds": seconds,
        }
