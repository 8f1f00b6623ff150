"""Counting the words of a corpus on the cores of this machine, or from files of counts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

from wwho.corpus.corpus import Corpus, Source
from wwho.corpus.sources import file_exists
from wwho.errors import CountsError
from wwho.format.model import Artifact
from wwho.progress import Advance
from wwho.train.count_elsewhere import count_source_elsewhere
from wwho.train.count_source import WHOLE_FILE, ParallelTables, count_source
from wwho.train.counts import (
    CountedText,
    Counts,
    CountSettings,
    SeenTexts,
    check_once,
    check_whole,
)
from wwho.train.native import NativeModel, WordTable
from wwho.train.report import Report, report_of_routes, report_of_source, report_of_total

MAX_COUNT = 2**63 - 1
"""The most that counts may come to, all together."""


class CorpusCounts(NamedTuple):
    """The counts of the words of a whole corpus, weighted, and the report about them.

    Attributes:
        words: all words; each count is multiplied by its source's weight and by `scale`.
        scale: the number that makes all weights whole; thresholds must be multiplied by it.
        report: what was counted, before weights.
        corpus: the corpus; a source that is counts now stands for the files that were counted.
    """

    words: WordTable
    scale: int
    report: Report
    corpus: Corpus


def count_corpus(
    corpus: Corpus,
    model: Artifact,
    settings: CountSettings,
    *,
    processes: int,
    executor: Executor | None = None,
    advance: Advance,
    on_source: Callable[[WordTable], object] | None = None,
) -> CorpusCounts:
    """Count the words of a corpus, reading its text and its files of counts.

    Memory grows with the distinct words of the corpus and, beside them, those of one source.

    Args:
        corpus: the sources, and how to read them.
        model: the model that cuts text into words.
        settings: the settings that files of counts must have been made with.
        processes: how many threads count at the same time.
        executor: what counts the files in their place; None for these threads.
        advance: is told how many stored bytes have been counted.
        on_source: a function that is called with the words of each source, before weights, in
            order, and before the total uses them up.

    Raises:
        CorpusError: a file cannot be read, is damaged, or is not what its name says.
        CountsError: counts are damaged, of other settings, hold a text that comes twice, or lack a
            part of one.
        OSError: a file of counts cannot be read.
        ValueError: the weights make counts too large.
    """
    native_model = NativeModel(model)
    total, source_reports, sources, most = WordTable(), [], [], 0
    weighted_texts: list[tuple[CountedText, Fraction]] = []
    seen: SeenTexts = {}
    for source, counts in count_sources(
        corpus,
        model,
        native_model,
        settings,
        processes=processes,
        executor=executor,
        advance=advance,
    ):
        # Files may be named twice, to count twice; counts may not.
        check_once(counts.texts, source.name, seen if source.is_counts else dict(seen))
        sources.append(source)
        weighted_texts += ((text, source.weight) for text in counts.texts)
        routes = report_of_routes(counts.words, native_model, model)
        source_reports.append(report_of_source(source, counts, routes))
        factor = int(source.weight * corpus.scale)
        most += factor * counts.n_bytes
        if most > MAX_COUNT:
            raise ValueError(
                f"with these weights counts may reach {most}, and {MAX_COUNT} is the most: "
                "give smaller weights with fewer decimals"
            )
        if on_source is not None:
            on_source(counts.words)
        total = add_weighted(total, counts.words, factor)
    check_whole(weighted_texts)
    routes = report_of_routes(total, native_model, model)
    report = Report(tuple(source_reports), report_of_total(source_reports, total.info(), routes))
    corpus = copy(corpus)
    corpus.sources = tuple(sources)
    return CorpusCounts(total, corpus.scale, report, corpus)


def count_to_file(
    file: str,
    corpus: Corpus,
    model: Artifact,
    settings: CountSettings,
    *,
    part: tuple[int, int] = WHOLE_FILE,
    processes: int,
    executor: Executor | None = None,
    advance: Advance,
) -> tuple[Counts, bool]:
    """Count the words of a corpus, or of a part of each of its files, and save the counts.

    If the file is there already, with the counts of just that, nothing is counted.

    Args:
        file: where to save; it is written beside its place and renamed.
        corpus: the sources, and how to read them; counts among them are added.
        model: the model that cuts text into words.
        settings: the settings that decide how it does, which the file records.
        part: which part of each file, from 1, and of how many. A compressed file is not cut: it is
            all in part 1.
        processes: how many threads count at the same time.
        executor: what counts the files in their place; None for these threads.
        advance: is told how many stored bytes have been counted.

    Returns:
        The counts, and whether they were made now.

    Raises:
        CorpusError: as for `count_corpus`.
        CountsError: as for `count_corpus`; or the file is there and holds something else.
        OSError: it cannot be written.
        ValueError: there is no such part, or of what cannot be cut; or a source has a weight.
    """
    number, parts = part
    if not 1 <= number <= parts:
        raise ValueError(f"part {number}/{parts}: there are parts 1 to N, such as 1/8 to 8/8")
    if parts > 1 and corpus.unnamed_input:
        raise ValueError(f"{corpus.unnamed_input} cannot be cut into parts; name files")
    if weighted := [source.name for source in corpus.sources if source.weight != 1]:
        raise ValueError(f"{weighted[0]}: counts are saved as they are; give weights to train with")
    if file_exists(file):
        return load_if_same(file, corpus, settings, part), False
    total, native_model = Counts(settings), NativeModel(model)
    seen: SeenTexts = {}
    for source, counts in count_sources(
        corpus,
        model,
        native_model,
        settings,
        part=part,
        processes=processes,
        executor=executor,
        advance=advance,
    ):
        check_once(counts.texts, source.name, seen)
        total.add(counts)
    total.save(file)
    return total, True


def load_if_same(
    file: str, corpus: Corpus, settings: CountSettings, part: tuple[int, int]
) -> Counts:
    """Load a file of counts if they are those of this part of this corpus, which is not read.

    Files are compared by name and by stamp (size and time of writing), not by their contents.

    Raises:
        CountsError: they are of something else, or a source has no name to compare.
        CorpusError: a file of the corpus is missing.
        OSError: a file of counts cannot be read.
    """
    saved, remedy = Counts.load(file), "remove it, or name another file"
    if corpus.unnamed_input:
        raise CountsError(
            f"{file}: is there, and may not be that of {corpus.unnamed_input}; {remedy}"
        )
    saved.check_settings(file, settings)
    wanted: list[tuple[object, ...]] = []
    for source in corpus.sources:
        if source.is_counts:
            wanted += (text[:4] for text in Counts.load(source.name).texts)
        wanted += ((name, source.stamp(name), *part) for name in source.files)
    found: list[tuple[object, ...]] = [text[:4] for text in saved.texts]
    for there, here in zip_longest(found, wanted, fillvalue=("nothing more",)):
        if there != here:
            raise CountsError(
                f"{file}: holds the counts of {describe_text(there)}, and not of "
                f"{describe_text(here)}; {remedy}"
            )
    return saved


def describe_text(text: tuple[object, ...]) -> str:
    """Return the name of a file, with its stamp and its part where the tuple has them, in words."""
    file, *rest = text
    return f"{file} ({rest[0]}; part {rest[1]} of {rest[2]})" if rest else str(file)


def count_sources(
    corpus: Corpus,
    cutter: Artifact,
    model: NativeModel,
    settings: CountSettings,
    *,
    part: tuple[int, int] = WHOLE_FILE,
    processes: int,
    executor: Executor | None = None,
    advance: Advance,
) -> Iterator[tuple[Source, Counts]]:
    """Yield each source of a corpus with its counts, one after the other.

    Text is read and counted; a file of counts is loaded, and its source then stands for the files
    of which it has part 1.

    Raises:
        CorpusError, CountsError, OSError: as for `count_corpus`.
    """
    with ThreadPoolExecutor(processes) as pool:
        for source in corpus.sources:
            if source.is_counts:
                counts = Counts.load(source.name)
                counts.check_settings(source.name, settings)
                files = tuple(text.file for text in counts.texts if text.whole)
                source = replace(source, files=files)
            elif executor is not None and not source.texts:
                counts = count_source_elsewhere(
                    executor, cutter, source, corpus.reading, part, advance
                )
            else:
                tables = ParallelTables(model, pool, processes)
                counts = count_source(source, corpus.reading, tables, part, advance)
            yield source, counts


def add_weighted(total: WordTable, words: WordTable, factor: int) -> WordTable:
    """Return the total with these words added, each counted `factor` times.

    Both tables are used up: what is returned may be either of them.
    """
    if factor != 1:
        records, counts = words.export()
        total.add_records(records, array("Q", [factor * count for count in counts]))
        return total
    if not total.info().n_words:
        return words
    total.add_table(words)
    return total
