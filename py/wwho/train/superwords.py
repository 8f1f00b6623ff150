"""The second stage: merges that join words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from wwho.assemble.training_artifacts import unit_model, with_merges
from wwho.corpus.corpus import Corpus, Source
from wwho.errors import CorpusError
from wwho.format.model import Artifact
from wwho.progress import Advance, Progress
from wwho.train.native import STEP, Merger, Phrases
from wwho.train.report import Report

MOST_WORDS = 12_000_000
"""Words of a corpus that superwords are learnt from; of a larger one, that share of its lines."""

AUTO: Literal["auto"] = "auto"
"""As many superwords as save more tokens than the merges within words that they displace."""


@dataclass(frozen=True)
class SecondStage:
    """Learns superwords: tokens that reach across the space between two words of one script.

    The corpus is read once more. Its words become the tokens that the model has for them; then the
    most frequent pair of which the second begins with the space before its word is merged, again
    and again, ties as in `Merger`. Words touch where nothing but that one space is between
    them, so no superword holds a digit, a sign of punctuation, or another script.

    Memory is bounded: of a corpus of more than `MOST_WORDS` words, as many lines are read as hold
    about that many, the same share of every source. Which ones depends on their text alone, not on
    their order. Weights multiply counts here too.

    Attributes:
        corpus: the corpus.
        report: what was counted of it.
        max_words: how many words a superword may touch, from 2 to 127.
        max_units: how many atoms it may have, at least 1.
        min_freq: how often a pair must be seen in the lines that are read, at least 1; counts are
            multiplied by the weights and by the corpus's `scale`.
        bars: where to show progress.
    """

    corpus: Corpus
    report: Report
    max_words: int
    max_units: int
    min_freq: int
    bars: Progress

    @property
    def share(self) -> Fraction:
        """How many of the lines are read."""
        return min(Fraction(1), Fraction(MOST_WORDS, self.report.total.words))

    def added(self, model: Artifact, count: int) -> Artifact:
        """Add superwords, at most `count`, to a model whose merges stay within words.

        Raises:
            CorpusError: the corpus cannot be read a second time, or has changed.
        """
        merger = self.merger(model, count)
        with self.bars.stage("superwords", count, unit=" merges") as advance:
            pairs = merger.run(advance).merges()
        return with_merges(model, [*unit_model(model).merges, *pairs], len(pairs))

    def worthwhile(self, model: Artifact, gains: Sequence[int], room: int) -> int:
        """How many of the merges to leave to superwords, so that fewest tokens are left.

        A merge saves as many tokens as its pair has places. Each next superword saves less than the
        one before, and displaces a merge within words that saves more: superwords are worth their
        ids up to where the two are equal. Both are counted, so nothing is guessed but that the
        superwords of a shorter first stage are worth what those of the full one are; they are worth
        a little more.

        Args:
            model: the first stage, with as many merges as there is room for.
            gains: what each of its merges saves.
            room: how many merges there may be.

        Raises:
            CorpusError: as for `added`.
        """
        merger, share, count = self.merger(model, room), self.share, 0
        with self.bars.stage("share", None, unit=" merges") as advance:
            while made := merger.step(STEP):
                advance(made)
                saved = merger.gains()
                while count < len(saved):
                    displaced = room - count - 1
                    loss = gains[displaced] if displaced < len(gains) else 0
                    if saved[count] * share.denominator < loss * share.numerator:
                        return count
                    count += 1
        return count

    def merger(
        self,
        model: Artifact,
        most: int,
        factors: Sequence[int] | None = None,
        bits: int = 0,
        min_sources: int = 1,
    ) -> Merger:
        """What learns up to so many superwords for a model; the corpus is read for it.

        Args:
            model: what words are tokens of.
            most: how many superwords.
            factors: how often each source counts; None: as its weight says.
            bits: lower bits of a count that do not count for `min_freq`, nor does a source whose
                factor has only these for `min_sources`.
            min_sources: in how many sources a pair must be seen.

        Raises:
            CorpusError: as for `added`.
        """
        phrases, share, sources = Phrases(model), self.share, self.corpus.sources
        if factors is None:
            factors = [int(source.weight * self.corpus.scale) for source in sources]
        with self.bars.stage("phrases", self.corpus.size(), unit="B") as advance:
            for number, (source, factor) in enumerate(zip(sources, factors, strict=True)):
                bit = 1 << number % 64 if factor >> bits else 0
                for text in self._texts(source, advance):
                    phrases.collect(text, share, factor, bit)
        return phrases.merger(
            most,
            min_freq=self.min_freq << bits,
            max_words=self.max_words,
            max_units=self.max_units,
            min_sources=min_sources,
        )

    def _texts(self, source: Source, advance: Advance) -> Iterator[bytes]:
        """The text of a source, which was counted before.

        Raises:
            CorpusError: it is another one now.
        """
        known = {digest for counts in self.report.sources for digest in counts.digests}
        for file in source.files:
            reader = source.reader(file, self.corpus.reading)
            for block in reader.blocks(advance):
                yield block.text
            if reader.digest not in known:
                raise CorpusError(f"{file} has changed since its words were counted; train again")
