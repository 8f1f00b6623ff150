"""The second stage: merges that join words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from wwho.artifact.model import Model
from wwho.errors import CorpusError
from wwho.train.inputs import Corpus, Source
from wwho.train.merge import STEP
from wwho.train.native import Phrases
from wwho.train.progress import Advance, Progress
from wwho.train.report import Report

MOST_WORDS = 12_000_000
"""Words of a corpus that superwords are learnt from; of a larger one, that share of its lines."""


def with_superwords(
    model: Model,
    corpus: Corpus,
    report: Report,
    count: int,
    *,
    max_words: int,
    max_units: int,
    min_freq: int,
    bars: Progress,
) -> Model:
    """Add superwords: tokens that reach across the space between two words of one script.

    The corpus is read once more. Its words become the tokens that the model has for them; then the
    most frequent pair of which the second begins with the space before its word is merged, again
    and again, ties as in `learn_merges`. Words touch where nothing but that one space is between
    them, so no superword holds a digit, a sign of punctuation, or another script.

    Memory is bounded: of a corpus of more than `MOST_WORDS` words, as many lines are read as hold
    about that many, the same share of every source. Which ones depends on their text alone, not on
    their order. Weights multiply counts here too.

    Args:
        model: the first stage; its merges stay within words.
        corpus: the corpus.
        report: what was counted of it.
        count: how many to add, at most.
        max_words: how many words one may touch, from 2 to 127.
        max_units: how many atoms one may have, at least 1.
        min_freq: how often a pair must be seen in the lines that are read, at least 1; counts are
            multiplied by the weights and by the corpus's `scale`.
        bars: where to show progress.

    Returns:
        The model with its superwords behind the other merges.

    Raises:
        CorpusError: the corpus cannot be read a second time, or has changed since it was counted.
    """
    phrases = Phrases(model)
    share = min(Fraction(1), Fraction(MOST_WORDS, report.total.words))
    with bars.stage("phrases", corpus.size(), unit="B") as advance:
        for source in corpus.sources:
            factor = int(source.weight * corpus.scale)
            for text in texts_again(source, corpus, report, advance):
                phrases.collect(text, share, factor)
    merger = phrases.merger(count, min_freq=min_freq, max_words=max_words, max_units=max_units)
    with bars.stage("superwords", count, unit=" merges") as advance:
        while made := merger.step(STEP):
            advance(made)
    pairs = merger.merges()
    space = None if model.space_id is None else model.space_id + len(pairs)
    merges = [*model.merges, *pairs]
    return replace(model, merges=merges, n_superwords=len(pairs), space_id=space)


def texts_again(
    source: Source, corpus: Corpus, report: Report, advance: Advance
) -> Iterator[bytes]:
    """The text of a source, which was counted before.

    Raises:
        CorpusError: it is another one now.
    """
    known = {digest for counts in report.sources for digest in counts.digests}
    for file in source.files:
        reader = source.reader(file, corpus.reading)
        for block in reader.blocks(advance):
            yield block.text
        if reader.digest not in known:
            raise CorpusError(f"{file} has changed since its words were counted; train again")
