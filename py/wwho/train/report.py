"""What was counted, source by source and script by script; and what a model says of its making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256

from wwho.corpus.corpus import Corpus, Source, decimal
from wwho.format.model import Artifact
from wwho.train.counts import Counts
from wwho.train.native import RouteInfo, Scanners, Words, WordsInfo

LISTED = 1000
"""Files that a model names, at most."""

Routes = dict[str, RouteInfo]
"""What the words of each script come to, by its name."""


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
        protected: the texts that are no part of a word, and how often a pattern found each; None
            for those that were given.
    """

    sources: tuple[SourceCounts, ...]
    total: SourceCounts
    protected: Mapping[str, int | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The same as values of JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The same as a table for people; the total of a single source is left out."""
        rows: list[list[str]] = [["source", "weight", *COLUMNS.values()]]
        for source in (*self.sources, self.total)[: -1 if len(self.sources) == 1 else None]:
            of = vars(source)
            rows.append([source.name, source.weight or "", *(f"{of[name]:,}" for name in COLUMNS)])
            for script, counts in source.scripts.items():
                of = dict.fromkeys(COLUMNS, "") | {k: f"{n:,}" for k, n in vars(counts).items()}
                rows.append([f"  {script}", "", *of.values()])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        counted = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        found = sorted(self.protected.items(), key=lambda item: -(item[1] or 0))
        return counted + [
            f"protected  {'' if count is None else count:>8}  {text}" for text, count in found
        ]


COLUMNS = {
    **{"files": "files", "lines": "lines", "sampled": "sampled", "broken_characters": "broken"},
    **{"bytes": "bytes", "words": "words", "distinct_words": "distinct", "syllables": "syllables"},
}
"""The numbers of the table, and their headings; a script has the last four."""


def routes_of(words: Words, scanners: Scanners, model: Artifact) -> Routes:
    """What the words of each script come to; the scanners are those of the model."""
    found = zip(model.routes, words.routes(scanners), strict=True)
    return {route.name: info for route, info in found if route.units is not None}


def counts_of(source: Source, counts: Counts, routes: Routes) -> SourceCounts:
    """What was counted of a source; `routes` are those of its words."""
    words = counts.words.info()
    return SourceCounts(
        name=source.name,
        weight=decimal(source.weight),
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


def total_of(sources: Sequence[SourceCounts], words: WordsInfo, routes: Routes) -> SourceCounts:
    """What was counted of all sources.

    Args:
        sources: each of them.
        words: the size of the table of all their words.
        routes: that of its part for each script.
    """
    return SourceCounts(
        name="total",
        weight=None,
        digests=tuple(digest for source in sources for digest in source.digests),
        scripts={
            name: ScriptCounts(
                bytes=sum(source.scripts[name].bytes for source in sources),
                words=sum(source.scripts[name].words for source in sources),
                distinct_words=route.n_words,
                syllables=sum(source.scripts[name].syllables for source in sources),
            )
            for name, route in routes.items()
        },
        **{name: sum(vars(each)[name] for each in sources) for name in COLUMNS}
        | {"distinct_words": words.n_words},
    )


# What a model says of its corpus


def corpus_record(corpus: Corpus, report: Report) -> dict[str, str]:
    """What was counted; the files by their digests, in an order that does not depend on theirs."""
    total = report.total
    provenance = {
        "corpus": _listed(total.digests),
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
            f"{weight} for {_listed(digests)}" for weight, digests in sorted(weighted.items())
        )
    if corpus.reading.sample != 1:
        provenance["corpus_sample"] = f"{decimal(corpus.reading.sample)} of the lines"
    return provenance


def was_trained_on(provenance: Mapping[str, str], digests: Sequence[str]) -> bool:
    """Whether a model, or its base, says that one of these files was in its corpus.

    Of a corpus of more than `LISTED` files it can only be told whether these are all of them.

    Args:
        provenance: the model's.
        digests: SHA-256 of the contents of files, as `Corpus.digests` has them.

    Example:
        >>> was_trained_on({"corpus": "sha256 aa sha256 bb"}, ["bb"])
        True
    """
    recorded = [provenance.get(f"{owner}corpus", "") for owner in ("", "base:")]
    return any(
        listed == _listed(digests) or not {*digests}.isdisjoint(listed.split())
        for listed in recorded
        if listed
    )


def _listed(digests: Sequence[str]) -> str:
    """Digests of files, in ascending order; of very many files, one digest of all that."""
    text = " ".join(f"sha256 {digest}" for digest in sorted(digests))
    if len(digests) <= LISTED:
        return text
    return f"{len(digests)} files, sha256 of their list {sha256(text.encode()).hexdigest()}"
