"""What a report shows of what was measured: examples, and the texts."""

from __future__ import annotations

from wwho.evaluate.results import Evaluation, TextResult
from wwho.evaluate.section import Section, texts_of
from wwho.evaluate.table import Column, Row, Table, whole


def examples(found: Evaluation) -> Section | None:
    """Short texts, token by token; None without any."""
    if not found.examples:
        return None
    return Section(
        "examples",
        "Examples",
        (
            "Token by token (table 7 of the WWHO paper). A token that holds part of a character is "
            "shown as its bytes.",
        ),
        examples=found.examples,
    )


def data(found: Evaluation) -> Section:
    """The model and the texts, so that the same can be measured again."""
    spelled = "spelled by the base" if found.unk == "spell" else "lost, as one [UNK] each"
    return Section(
        "data",
        "What was measured",
        (
            f"{found.model} (SHA-256 {found.sha256}); syllables outside its vocabulary are "
            f"{spelled}. Bytes that are not UTF-8 were read as U+FFFD by all tokenizers.",
            *map(_source, found.texts),
        ),
        table=Table(
            ("text", ""),
            (
                Column("lines", whole),
                Column("bytes", whole),
                Column("characters", whole),
                Column("words", whole),
                Column("syllables", whole),
                Column("grapheme clusters", whole),
                Column("bytes not UTF-8", whole),
            ),
            tuple(
                Row(
                    text.name,
                    "",
                    False,
                    (
                        text.lines,
                        text.bytes,
                        text.characters,
                        text.words,
                        text.syllables,
                        text.clusters,
                        text.broken_bytes,
                    ),
                )
                for text in texts_of(found)
            ),
        ),
    )


def _source(text: TextResult) -> str:
    """Where a text comes from, and who knew it before."""
    known = (
        f" It is in the training corpus of {', '.join(text.trained_on)}: figures on it say little "
        "of other text."
        if text.trained_on
        else ""
    )
    return f"{text.name}: {text.file}, SHA-256 {text.sha256}.{known}"
