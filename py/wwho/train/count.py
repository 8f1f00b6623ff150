"""Counting the words of a corpus: what all engines share."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from wwho.corpus import Corpus
from wwho.format.model import Model
from wwho.progress import Advance
from wwho.train.checkpoint import Checkpoint
from wwho.train.native import RouteInfo, Scanners, Words
from wwho.train.report import Report, counts_of, total_of
from wwho.train.tally import START, PackedTally, Position, Tally

MAX_COUNT = 2**63 - 1
"""The most that counts may come to, all together."""


class Engine(Protocol):
    """Where the counting is done.

    Attributes:
        name: which engine it is, and all that its positions depend on.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    def tallies(
        self,
        corpus: Corpus,
        model: Model,
        starts: Sequence[Position | None],
        *,
        due: Callable[[], bool],
        advance: Advance,
    ) -> Iterator[Tally | PackedTally]:
        """Count the words of the sources, one source after the other.

        Args:
            corpus: the sources, and how to read them.
            model: what cuts text into words.
            starts: where to begin with each source: `START`, or the position of its last tally.
                None for a source that is done.
            due: tells whether it is time for a tally.
            advance: is told how many stored bytes have been counted.

        Yields:
            What was counted of a source since the last tally; the last one of each source is done.

        Raises:
            CorpusError: a file cannot be read, is damaged, or is not what its name says.
            BackendError: the engine cannot run here, or fails.
        """


class Counted(NamedTuple):
    """What was counted of a corpus.

    Attributes:
        words: all words; their counts are multiplied by the weights and by `scale`.
        scale: makes all weights whole numbers.
        report: what was counted, before weights.
    """

    words: Words
    scale: int
    report: Report


def count_corpus(
    corpus: Corpus,
    model: Model,
    engine: Engine,
    *,
    checkpoint: Checkpoint | None,
    advance: Advance,
) -> Counted:
    """Count the words of a corpus.

    Memory grows with the distinct words of the corpus and, beside them, those of one source.

    Args:
        corpus: the sources, and how to read them.
        model: what cuts text into words.
        engine: where to count.
        checkpoint: where to save, and what to go on from.
        advance: is told how many stored bytes have been counted.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says.
        BackendError: the engine cannot run here, or fails.
        CheckpointError: the checkpoint is damaged.
        OSError: the checkpoint cannot be written.
        ValueError: the weights make counts too large.
    """
    scanners = Scanners(model)
    scripts = [route.name for route in model.routes if route.sgpe]

    def routes(words: Words) -> list[RouteInfo]:
        pairs = zip(words.routes(scanners), model.routes, strict=True)
        return [info for info, route in pairs if route.sgpe]

    total, counts, most = Words(), [], 0
    tallies = source_tallies(corpus, model, engine, checkpoint, advance)
    for source, tally in zip(corpus.sources, tallies, strict=True):
        counts.append(counts_of(source, tally, scripts, routes(tally.words)))
        factor = int(source.weight * corpus.scale)
        most += factor * tally.figures.n_bytes
        if most > MAX_COUNT:
            raise ValueError(
                f"with these weights counts may reach {most}, and {MAX_COUNT} is the most: "
                "give smaller weights with fewer decimals"
            )
        total = with_added(total, tally.words, factor)
    report = Report(tuple(counts), total_of(counts, total.info(), routes(total)))
    return Counted(total, corpus.scale, report)


def source_tallies(
    corpus: Corpus, model: Model, engine: Engine, checkpoint: Checkpoint | None, advance: Advance
) -> Iterator[Tally]:
    """The whole tally of each source, counted or taken from the checkpoint."""
    numbers = range(len(corpus.sources))
    starts = [checkpoint.position(number) if checkpoint else START for number in numbers]
    due = checkpoint.due if checkpoint else lambda: False
    parts = engine.tallies(corpus, model, starts, due=due, advance=advance)
    for number in numbers:
        tally = checkpoint.load(number) if checkpoint else Tally()
        while not tally.figures.done:
            tally.add(next(parts))
            if checkpoint and (tally.figures.done or checkpoint.due()):
                checkpoint.save(number, tally)
        yield tally


def with_added(total: Words, words: Words, factor: int) -> Words:
    """The total with these words, counted `factor` times; both tables are used up."""
    if factor != 1:
        records, counts = words.export()
        total.add(records, array("Q", [factor * count for count in counts]))
    elif total.info().n_words:
        total.merge(words)
    else:
        return words
    return total
