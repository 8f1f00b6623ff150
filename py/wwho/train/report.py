"""What was counted, source by source and script by script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from wwho.corpus.corpus import Source, decimal
from wwho.train.native import RouteInfo, WordsInfo
from wwho.train.tally import Tally


@dataclass(frozen=True)
class ScriptCounts:
    """The words of one script, before weights.

    Attributes:
        bytes: of their text, with the space before a word.
        words: all of them.
        distinct_words: different ones.
        syllables: in all words.
    """

    bytes: int
    words: int
    distinct_words: int
    syllables: int


@dataclass(frozen=True)
class SourceCounts:
    """What was counted of one source, before weights.

    Attributes:
        name: the source, as it was given; ``total`` for all of them.
        weight: how often its words count; None for the total.
        files: how many it stands for.
        digests: SHA-256 of the contents of each, in hexadecimal.
        bytes: of text, of all scripts.
        lines: read: lines of text, objects of JSON Lines, rows of Parquet.
        sampled: how many of them are in the sample; all other numbers are about these alone.
        broken_characters: read as U+FFFD.
        words: of the scripts of the schemas.
        distinct_words: different ones.
        syllables: in all words.
        scripts: the same for each script, by its name; a joiner that stands alone, which several
            scripts share, is in no script.
    """

    name: str
    weight: str | None
    files: int
    digests: tuple[str, ...]
    bytes: int
    lines: int
    sampled: int
    broken_characters: int
    words: int
    distinct_words: int
    syllables: int
    scripts: dict[str, ScriptCounts]


@dataclass(frozen=True)
class Report:
    """What was counted.

    Attributes:
        sources: one after the other, in the order given.
        total: all of them together; words that several share are one distinct word.
    """

    sources: tuple[SourceCounts, ...]
    total: SourceCounts

    def as_dict(self) -> dict[str, object]:
        """The same as values of JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The same as a table for people; the total of a single source is left out."""
        rows: list[tuple[str, ...]] = [HEADINGS]
        for source in (*self.sources, self.total)[: -1 if len(self.sources) == 1 else None]:
            rows.append(_source_row(source))
            rows += [_script_row(name, counts) for name, counts in source.scripts.items()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]


HEADINGS = (
    *("source", "weight", "files", "lines", "sampled", "broken"),
    *("bytes", "words", "distinct", "syllables"),
)


def counts_of(
    source: Source, tally: Tally, scripts: Sequence[str], routes: Sequence[RouteInfo]
) -> SourceCounts:
    """What was counted of a source.

    Args:
        source: the source.
        tally: what was counted of it.
        scripts: their names.
        routes: what was counted for each of them.
    """
    figures = tally.figures
    return SourceCounts(
        name=source.name,
        weight=decimal(source.weight),
        files=len(source.files),
        digests=tuple(figures.digests),
        bytes=figures.n_bytes,
        lines=figures.lines,
        sampled=figures.sampled,
        broken_characters=tally.stray,
        words=tally.words.info().total,
        distinct_words=tally.words.info().n_words,
        syllables=sum(route.syllables for route in routes),
        scripts={
            name: ScriptCounts(route.bytes, route.total, route.n_words, route.syllables)
            for name, route in zip(scripts, routes, strict=True)
        },
    )


def total_of(
    sources: Sequence[SourceCounts], words: WordsInfo, routes: Sequence[RouteInfo]
) -> SourceCounts:
    """What was counted of all sources.

    Args:
        sources: each of them.
        words: the size of the table of all their words.
        routes: that of its part for each script.
    """
    return SourceCounts(
        name="total",
        weight=None,
        files=sum(source.files for source in sources),
        digests=tuple(digest for source in sources for digest in source.digests),
        bytes=sum(source.bytes for source in sources),
        lines=sum(source.lines for source in sources),
        sampled=sum(source.sampled for source in sources),
        broken_characters=sum(source.broken_characters for source in sources),
        words=sum(source.words for source in sources),
        distinct_words=words.n_words,
        syllables=sum(source.syllables for source in sources),
        scripts={
            name: ScriptCounts(
                bytes=sum(source.scripts[name].bytes for source in sources),
                words=sum(source.scripts[name].words for source in sources),
                distinct_words=route.n_words,
                syllables=sum(source.scripts[name].syllables for source in sources),
            )
            for name, route in zip(sources[0].scripts, routes, strict=True)
        },
    )


def _source_row(counts: SourceCounts) -> tuple[str, ...]:
    numbers = (counts.files, counts.lines, counts.sampled, counts.broken_characters)
    return (counts.name, counts.weight or "", *map(_grouped, numbers), *_word_cells(counts))


def _script_row(name: str, counts: ScriptCounts) -> tuple[str, ...]:
    return (f"  {name}", "", "", "", "", "", *_word_cells(counts))


def _word_cells(counts: SourceCounts | ScriptCounts) -> Iterator[str]:
    numbers = (counts.bytes, counts.words, counts.distinct_words, counts.syllables)
    return map(_grouped, numbers)


def _grouped(number: int) -> str:
    return f"{number:,}"
