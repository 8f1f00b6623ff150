"""Learning superwords: merges that join words across one space, after those within words."""

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
from wwho.train.native import MERGES_PER_CALL, Merger, Phrases
from wwho.train.report import Report

MOST_WORDS = 12_000_000
"""About how many words superwords are learnt from: of a larger corpus, a share of the lines."""

AUTO: Literal["auto"] = "auto"
"""The value of the option `superwords` that lets `SuperwordLearner.choose_count` choose."""


@dataclass(frozen=True)
class SuperwordLearner:
    """Learns superwords: tokens that reach across the space between two words of one script.

    The corpus is read once more. Its words become the tokens that the model has for them; then the
    most frequent pair of which the second begins with the space before its word is merged, again
    and again, ties as in `Merger`. Words touch where nothing but that one space is between
    them, so no superword holds a digit, a sign of punctuation, or another script.

    Memory is bounded: of a corpus of more than `MOST_WORDS` words, as many lines are read as hold
    about that many, the same share of every source. Which ones depends on their text alone, not on
    their order. Weights multiply counts here too.

    Attributes:
        corpus: the corpus, which can be read a second time.
        report: what was counted of it; its digests tell whether a file has changed since.
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
        """The share of the lines that is read, over 0 and at most 1."""
        return min(Fraction(1), Fraction(MOST_WORDS, self.report.total.words))

    def add_superwords(self, model: Artifact, count: int) -> Artifact:
        """Return the model with up to `count` superwords after its merges within words.

        There are fewer where no pair is frequent enough any more. The corpus is read.

        Args:
            model: a model whose merges stay within words.
            count: how many superwords there may be.

        Raises:
            CorpusError: the corpus cannot be read a second time, or has changed.
        """
        merger = self.make_merger(model, count)
        with self.bars.bar("superwords", count, unit=" merges") as advance:
            pairs = merger.run(advance).merges()
        return with_merges(model, [*unit_model(model).merges, *pairs], len(pairs))

    def choose_count(self, model: Artifact, gains: Sequence[int], room: int) -> int:
        """Return how many of the merges to leave to superwords, so that fewest tokens are left.

        The corpus is read. A merge saves as many tokens as its pair has places. Each next superword
        saves less than the one before, and displaces a merge within words that saves more:
        superwords are worth their ids up to where the two are equal. Both are counted, so nothing
        is guessed but that superwords over fewer merges within words save what they save over all
        of them; they save a little more.

        Args:
            model: a model with as many merges within words as there is room for.
            gains: how many tokens each of its merges saves in the corpus, in order.
            room: how many merges there may be.

        Raises:
            CorpusError: as for `add_superwords`.
        """
        merger, share, count = self.make_merger(model, room), self.share, 0
        with self.bars.bar("share", None, unit=" merges") as advance:
            while n_new := merger.merge_more(MERGES_PER_CALL):
                advance(n_new)
                gains_of_superwords = merger.gains()
                while count < len(gains_of_superwords):
                    displaced = room - count - 1
                    loss = gains[displaced] if displaced < len(gains) else 0
                    # Superwords were counted in a share of the lines, the others in all lines.
                    gain = gains_of_superwords[count]
                    if gain * share.denominator < loss * share.numerator:
                        return count
                    count += 1
        return count

    def make_merger(
        self,
        model: Artifact,
        most: int,
        factors: Sequence[int] | None = None,
        bits: int = 0,
        min_sources: int = 1,
    ) -> Merger:
        """Read the corpus and return what learns up to `most` superwords for a model.

        Args:
            model: the model whose tokens words are cut into.
            most: how many superwords there may be.
            factors: how often each source counts, in the order of the corpus; None: as its weight
                says.
            bits: how many lower bits of a count are of text that is left out, for measuring alone:
                they do not count for `min_freq`, nor does a source whose factor has only these
                for `min_sources`.
            min_sources: in how many sources a pair must be seen; every 64 sources share a bit.

        Raises:
            CorpusError: as for `add_superwords`.
        """
        phrases, share, sources = Phrases(model), self.share, self.corpus.sources
        if factors is None:
            factors = [int(source.weight * self.corpus.scale) for source in sources]
        with self.bars.bar("phrases", self.corpus.size(), unit="B") as advance:
            for number, (source, factor) in enumerate(zip(sources, factors, strict=True)):
                bit = 1 << number % 64 if factor >> bits else 0
                for text in self._read_texts(source, advance):
                    phrases.collect(text, share, factor, bit)
        return phrases.make_merger(
            most,
            min_freq=self.min_freq << bits,
            max_words=self.max_words,
            max_units=self.max_units,
            min_sources=min_sources,
        )

    def _read_texts(self, source: Source, advance: Advance) -> Iterator[bytes]:
        """Yield the text of a source in blocks, and check after each file that it is as counted.

        Raises:
            CorpusError: a file has changed, or cannot be read.
        """
        counted = {digest for counts in self.report.sources for digest in counts.digests}
        for file in source.files:
            reader = source.make_reader(file, self.corpus.reading)
            for block in reader.blocks(advance):
                yield block.text
            if reader.digest not in counted:
                raise CorpusError(f"{file} has changed since its words were counted; train again")
