"""What a report says of integrity: whole syllables, and nothing lost."""

from __future__ import annotations

from wwho.evaluate.identity import Identity
from wwho.evaluate.metrics import ratio
from wwho.evaluate.results import Evaluation
from wwho.evaluate.section import (
    Bars,
    Column,
    Number,
    Section,
    Table,
    decimals,
    names,
    percent,
    rows,
    series,
    texts_of,
    whole,
)


def breakage(found: Evaluation) -> Section:
    """Whether tokens end inside syllables and grapheme clusters."""
    if found.overall.syllables:
        what = f"Syllables are those of {found.grammar}, without the space before them."
    else:
        what = f"The texts have no syllables of {found.grammar}."
    return Section(
        "breakage",
        "Whole syllables",
        (
            f"A syllable or a grapheme cluster is broken where a token ends inside it. {what} "
            "Where a model's vocabulary lacks a syllable and its base spells it, that is counted "
            "apart, as spelled out. Clusters are the extended grapheme clusters of UAX #29, among "
            "them letters with stray joiners and signs, which no grammar takes for a syllable.",
        ),
        _broken_syllables(found),
        Table(
            ("text", "tokenizer"),
            (
                Column("token ends inside a syllable", whole),
                Column("syllables broken", whole),
                Column("of all", percent),
                Column("syllables spelled out", whole),
                Column("token ends inside a cluster", whole),
                Column("clusters broken", whole),
                Column("of all", percent),
            ),
            rows(
                found,
                lambda text, figures: (
                    figures.syllable_cuts,
                    figures.broken_syllables,
                    ratio(figures.broken_syllables, text.syllables),
                    figures.spelled_syllables,
                    figures.cluster_cuts,
                    figures.broken_clusters,
                    ratio(figures.broken_clusters, text.clusters),
                ),
            ),
        ),
    )


def _broken_syllables(found: Evaluation) -> Bars | None:
    """The chart of the texts that have syllables; None where none has."""
    texts = [text for text in texts_of(found) if text.syllables]
    if not texts:
        return None
    return Bars(
        "broken-syllables",
        "Share of syllables with a token's end inside, by text and tokenizer",
        "syllables broken, %",
        names(texts),
        series(
            found.subjects,
            texts,
            lambda text, figures: ratio(100 * figures.broken_syllables, text.syllables),
        ),
        decimals(1),
    )


def round_trip(found: Evaluation) -> Section:
    """Whether decoding gives the texts back, and ASCII has the ids of the base."""
    return Section(
        "round-trip",
        "Nothing lost",
        (
            "Every line was decoded again and compared with what it was, byte for byte. [UNK] "
            "stands for the token of what a vocabulary cannot write; a line damaged without one "
            "is a fault of the tokenizer. Spelled out are the tokens of the base within scripts: "
            "parts of syllables outside the vocabulary.",
            *_identity_texts(found),
        ),
        table=Table(
            ("text", "tokenizer"),
            (
                Column("lines", whole),
                Column("damaged", whole),
                Column("of all", percent),
                Column("damaged without [UNK]", whole),
                Column("[UNK] tokens", whole),
                Column("of all", percent),
                Column("tokens spelled out", whole),
                Column("of all", percent),
            ),
            rows(
                found,
                lambda text, figures: (
                    text.lines,
                    figures.damaged_lines,
                    ratio(figures.damaged_lines, text.lines),
                    figures.damaged_lines - figures.damaged_by_unk,
                    *_of_all(figures.unk_tokens, figures.efficiency.tokens),
                    *_of_all(figures.spelled_tokens, figures.efficiency.tokens),
                ),
            ),
        ),
    )


def _of_all(number: int | None, total: int) -> tuple[Number, Number]:
    """A number, and its share of all."""
    return number, None if number is None else ratio(number, total)


def _identity_texts(found: Evaluation) -> list[str]:
    """What the test on ASCII said, of each model."""
    if not found.identities:
        return [f"{found.model} names no base at hand, so ASCII was not compared with one."]
    return [_identity_text(test) for test in found.identities]


def _identity_text(test: Identity) -> str:
    made_up = test.sentences - test.from_data
    verdict = f"{test.different:,} differ" if test.different else "all are identical, id for id"
    return (
        f"Pure ASCII: {test.sentences:,} sentences ({test.from_data:,} lines of the texts and "
        f"{made_up:,} made up) by {test.encoder} and by its base {test.base}: {verdict}."
    )
