"""The report of what was counted, by source and script, and the provenance that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256

from wwho.corpus.corpus import Corpus, Source, format_decimal
from wwho.format.model import Artifact
from wwho.train.counts import Counts
from wwho.train.native import NativeModel, RouteInfo, WordsInfo, WordTable

LISTED = 1000
"""Files that a model's provenance lists one by one, at most."""

RoutesByScript = dict[str, RouteInfo]
"""The sums over the words of each script, by the script's name."""


@dataclass(frozen=True)
class ScriptCounts:
    """The number of words of one script, and of their bytes and syllables, before weights.

    Attributes:
        bytes: bytes of the words, with the space before a word.
        words: all words.
        distinct_words: different words.
        syllables: syllables in all words.
    """

    bytes: int
    words: int
    distinct_words: int
    syllables: int


@dataclass(frozen=True)
class SourceCounts:
    """The numbers that were counted of one source, or of all sources, before weights.

    Attributes:
        name: the source, as it was given; ``total`` for all of them.
        weight: how often its words count; None for the total.
        files: how many files it stands for.
        digests: SHA-256 of the contents of each file, in hexadecimal.
        bytes: bytes of text, of all scripts.
        lines: how many lines of text, objects of JSON Lines and rows of Parquet were read.
        sampled: how many of these are in the sample; all other numbers are about these alone.
        broken_characters: how many broken characters were read as U+FFFD.
        words: words of the scripts of the schemas.
        distinct_words: different words.
        syllables: syllables in all words.
        scripts: the numbers of each script, by its name; a joiner that stands alone, which several
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
    """The report of what was counted of a corpus, before weights.

    Attributes:
        sources: the numbers of each source, in the order given.
        total: the numbers of all sources; words that several share are one distinct word.
        protected: the texts that are no part of a word, and how often a pattern found each; None
            for those that were given.
    """

    sources: tuple[SourceCounts, ...]
    total: SourceCounts
    protected: Mapping[str, int | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """Return this report as values of JSON: nested dicts, lists, numbers and texts."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return this report as a table for people, one line a row, without line feeds.

        The rows are a heading, each source with its scripts, and the total, which is left out
        where there is a single source. Then comes a line for each protected text, the most
        frequent first.
        """
        rows: list[list[str]] = [["source", "weight", *COLUMNS.values()]]
        shown = self.sources if len(self.sources) == 1 else (*self.sources, self.total)
        for source in shown:
            numbers = [f"{getattr(source, name):,}" for name in COLUMNS]
            rows.append([source.name, source.weight or "", *numbers])
            for script, counts in source.scripts.items():
                numbers = [
                    f"{getattr(counts, name):,}" if name in SCRIPT_COLUMNS else ""
                    for name in COLUMNS
                ]
                rows.append([f"  {script}", "", *numbers])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        protected = sorted(self.protected.items(), key=lambda item: -(item[1] or 0))
        return table + [
            f"protected  {'' if count is None else count:>8}  {text}" for text, count in protected
        ]


COLUMNS = {
    "files": "files",
    "lines": "lines",
    "sampled": "sampled",
    "broken_characters": "broken",
    "bytes": "bytes",
    "words": "words",
    "distinct_words": "distinct",
    "syllables": "syllables",
}
"""The numbers of the table, attributes of `SourceCounts`, and their headings."""

SCRIPT_COLUMNS = ("bytes", "words", "distinct_words", "syllables")
"""The numbers that a script has, too."""


def report_of_routes(
    words: WordTable, native_model: NativeModel, model: Artifact
) -> RoutesByScript:
    """Return the sums over the words of each script, by the name of the script's route.

    Args:
        words: the words of a source, or of all sources.
        native_model: the model that cut them, opened.
        model: the same model, whose routes have names; those without units are left out.
    """
    infos = zip(model.routes, words.count_by_route(native_model), strict=True)
    return {route.name: info for route, info in infos if route.units is not None}


def report_of_source(source: Source, counts: Counts, routes: RoutesByScript) -> SourceCounts:
    """Return the numbers of a source, from its counts and the sums over its words by script."""
    words = counts.words.info()
    return SourceCounts(
        name=source.name,
        weight=format_decimal(source.weight),
        files=len(source.files),
        digests=tuple(counts.digests),
        bytes=counts.n_bytes,
        lines=counts.lines,
        sampled=counts.sampled,
        broken_characters=counts.stray,
        words=words.total,
        distinct_words=words.n_words,
        syllables=sum(route.syllables for route in routes.values()),
        scripts={
            name: ScriptCounts(route.bytes, route.total, route.n_words, route.syllables)
            for name, route in routes.items()
        },
    )


def report_of_total(
    sources: Sequence[SourceCounts], words: WordsInfo, routes: RoutesByScript
) -> SourceCounts:
    """Return the numbers of all sources together, before weights.

    All numbers are sums over the sources, except the distinct words, which sources may share.

    Args:
        sources: the numbers of each source.
        words: the size of the table of all their words, for its distinct words.
        routes: the sums over that table by script, for the distinct words of each.
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
            for name, route in routes.items()
        },
    )


# The provenance of a model: what it says of its corpus


def corpus_record(corpus: Corpus, report: Report) -> dict[str, str]:
    """Return the keys of provenance that describe a corpus: its files, sizes, weights and sample.

    Files are named by the SHA-256 of their contents, in ascending order, so that the record does
    not depend on their names and order. Weights of 1 and a sample of 1 are left out.

    Args:
        corpus: the corpus.
        report: what was counted of it.
    """
    total = report.total
    provenance = {
        "corpus": _list_digests(total.digests),
        "corpus_bytes": str(total.bytes),
        "corpus_words": str(total.words),
        "corpus_distinct_words": str(total.distinct_words),
        "corpus_broken_characters": str(total.broken_characters),
    }
    weighted: dict[str, list[str]] = {}
    for source in report.sources:
        if source.weight is not None and source.weight != "1":
            weighted.setdefault(source.weight, []).extend(source.digests)
    if weighted:
        provenance["corpus_weights"] = ", ".join(
            f"{weight} for {_list_digests(digests)}" for weight, digests in sorted(weighted.items())
        )
    if corpus.reading.sample != 1:
        provenance["corpus_sample"] = f"{format_decimal(corpus.reading.sample)} of the lines"
    return provenance


def was_trained_on(provenance: Mapping[str, str], digests: Sequence[str]) -> bool:
    """Return whether a model, or its base, says that one of these files was in its corpus.

    Of a corpus of more than `LISTED` files it can only be told whether these are all of them.

    Args:
        provenance: the provenance of the model.
        digests: SHA-256 of the contents of files, as `Corpus.digests` has them.

    Example:
        >>> was_trained_on({"corpus": "sha256 aa sha256 bb"}, ["bb"])
        True
    """
    recorded = [provenance.get(f"{owner}corpus", "") for owner in ("", "base:")]
    return any(
        listed == _list_digests(digests) or not {*digests}.isdisjoint(listed.split())
        for listed in recorded
        if listed
    )


def _list_digests(digests: Sequence[str]) -> str:
    """Return digests in ascending order, as ``sha256 X sha256 Y``.

    For more than `LISTED` digests, return their number and the SHA-256 of that text instead.
    """
    text = " ".join(f"sha256 {digest}" for digest in sorted(digests))
    if len(digests) <= LISTED:
        return text
    return f"{len(digests)} files, sha256 of their list {sha256(text.encode()).hexdigest()}"
