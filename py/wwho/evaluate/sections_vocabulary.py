"""What a report says of vocabularies: how much of them is used, glitch tokens, cost."""

from __future__ import annotations

from collections.abc import Sequence

from wwho.evaluate.metrics import ratio
from wwho.evaluate.results import Evaluation
from wwho.evaluate.section import Bars, Column, Row, Section, Table, percent, whole
from wwho.evaluate.vocabulary import VocabularyPart


def vocabulary(found: Evaluation) -> Section:
    """What the vocabularies hold, and how much of it the texts use."""
    parts = [part for part in found.vocabulary if part.encoder == found.model]
    own = [part for part in parts if part.part != "base"]
    glitches = ", ".join(
        f"{_code_points(each.text)} ({each.occurrences:,})"
        for part in own
        for each in part.glitches
    )
    which = f"{found.model} without its base" if len(parts) > len(own) else found.model
    return Section(
        "vocabulary",
        "Vocabulary",
        (
            "Used are the ids that the texts have; the others, special tokens and gaps among them, "
            "never occur here. Superwords are tokens that join words. Glitch tokens are nothing "
            "but joiners and viramas, which no syllable is. Each id costs "
            f"{found.width:,} parameters of embeddings; a language model whose output matrix is "
            "not tied to them pays as many again.",
            f"Glitch tokens of {which}, with their occurrences: {glitches or 'none'}.",
        ),
        _use(own, which),
        _parts(found),
    )


def _use(parts: Sequence[VocabularyPart], which: str) -> Bars:
    """The chart of how often ids occur."""
    bins = max(len(part.histogram) for part in parts)
    return Bars(
        "vocabulary-use",
        f"How many ids of {which} occur how often in the texts",
        "ids",
        tuple(map(_bin, range(bins))),
        {part.part: part.histogram + (0,) * (bins - len(part.histogram)) for part in parts},
        whole,
        is_lying=True,
        group_axis="occurrences in the texts",
    )


def _parts(found: Evaluation) -> Table:
    """The table of the parts of all vocabularies."""
    return Table(
        ("tokenizer", "part"),
        (
            Column("ids", whole),
            Column("used", whole),
            Column("of all", percent),
            Column("never", whole),
            Column("tokens of the texts", whole),
            Column("glitch tokens", whole),
            Column("their tokens", whole),
            Column("embedding parameters", whole),
        ),
        tuple(
            Row(
                part.encoder,
                part.part,
                part.encoder == found.model,
                (
                    part.size,
                    part.used,
                    ratio(part.used, part.size),
                    part.unused,
                    part.occurrences,
                    len(part.glitches),
                    sum(glitch.occurrences for glitch in part.glitches),
                    part.size * found.width,
                ),
            )
            for part in found.vocabulary
        ),
    )


def _bin(number: int) -> str:
    """What a bin of the histogram holds.

    Example:
        >>> [_bin(number) for number in range(4)]
        ['0', '1', '2–3', '4–7']
    """
    low, high = 2**number // 2, 2**number - 1
    return f"{high:,}" if number < 2 else f"{low:,}–{high:,}"


def _code_points(text: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in text)
