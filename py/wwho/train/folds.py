"""Folds: which text of a corpus is left out in each round in which shares of ids are measured.

A whole source is left out where that tells something of every script: text of another source is
less like it than its own next line. A script that is not in a source of every fold would be learnt
in no round, or measured in none. The sources that have it are cut into folds of lines, each of
which then is a source of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction

from wwho.corpus.lines import LineFold
from wwho.train.balance import FOLDS, NO_SCRIPT, SourceWords, trains_base
from wwho.train.count import CorpusCounts
from wwho.train.native import WordTable
from wwho.train.plan import Plan
from wwho.train.report import SourceCounts

LEAST_SHARE = Fraction(1, 100)
"""The share of a source's bytes that a script has in it at least, if the source is to have it."""


@dataclass(frozen=True)
class FoldedCorpus:
    """A corpus whose sources are each left out in one of `FOLDS` rounds.

    Attributes:
        counted: what was counted; a source that is cut into folds of lines is `FOLDS` sources in
            its corpus and in the sources of its report. The total is of all of them.
        words: of each source the words of the scripts, before weights.
        folds: for each source the number of the round in which it is left out.
    """

    counted: CorpusCounts
    words: Sequence[SourceWords]
    folds: Sequence[int]


def fold_corpus(plan: Plan, counted: CorpusCounts, words: Sequence[SourceWords]) -> FoldedCorpus:
    """Give each source of a corpus a fold, or cut it into folds of lines, which are counted anew.

    Source number n is in fold ``n % FOLDS``. It is cut if it has a script that the sources of some
    fold lack.

    Args:
        plan: what to learn; text of no script counts as one more where it trains a base, too.
        counted: what was counted of all sources, with the weights that they will have.
        words: of each source the words of the scripts, before weights.

    Raises:
        CorpusError, OSError: a file cannot be read a second time.
    """
    reports, sources = counted.report.sources, counted.corpus.sources
    cut = sources_to_cut(reports, with_other_text=trains_base(plan))
    folded = [
        [replace(source, fold=LineFold(fold, FOLDS)) for fold in range(FOLDS)] if at in cut else []
        for at, source in enumerate(sources)
    ]
    of_cut = copy(counted.corpus)
    of_cut.sources = tuple(source for parts in folded for source in parts)
    words_of_parts: list[SourceWords] = []
    reports_of_parts: tuple[SourceCounts, ...] = ()

    def keep_words(table: WordTable) -> None:
        """Keep a copy of the words of a fold, which the counting uses up."""
        words_of_parts.append(SourceWords(*table.export()))

    if cut:
        recounted = replace(plan, corpus=of_cut).count_words(keep_words)
        reports_of_parts = recounted.report.sources
    parts_in_order = iter(zip(of_cut.sources, words_of_parts, reports_of_parts, strict=True))
    rows = []
    for at, whole in enumerate(zip(sources, words, reports, strict=True)):
        if at in cut:
            rows += [(*next(parts_in_order), fold) for fold in range(FOLDS)]
        else:
            rows.append((*whole, at % FOLDS))
    corpus = copy(counted.corpus)
    corpus.sources = tuple(source for source, *_ in rows)
    report = replace(counted.report, sources=tuple(report for _, _, report, _ in rows))
    return FoldedCorpus(
        counted._replace(corpus=corpus, report=report),
        [of_source for _, of_source, _, _ in rows],
        [fold for *_, fold in rows],
    )


def sources_to_cut(reports: Sequence[SourceCounts], *, with_other_text: bool) -> frozenset[int]:
    """Return the numbers of the sources that have a script which the sources of some fold lack.

    A source has a script if at least `LEAST_SHARE` of its bytes are words of it.

    Args:
        reports: what was counted of each source.
        with_other_text: whether text of no script counts as a script, too.
    """
    having: dict[str, set[int]] = defaultdict(set)
    for at, report in enumerate(reports):
        n_bytes = {name: script.bytes for name, script in report.scripts.items()}
        if with_other_text:
            n_bytes[NO_SCRIPT] = report.bytes - sum(n_bytes.values())
        for name, count in n_bytes.items():
            if count and count >= LEAST_SHARE * report.bytes:
                having[name].add(at)
    return frozenset(
        at
        for sources in having.values()
        if len({source % FOLDS for source in sources}) < FOLDS
        for at in sources
    )
