"""A section of a report, and the rows and series of figures that several of them have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wwho.evaluate.bars import Bars
from wwho.evaluate.examples import Example
from wwho.evaluate.results import Evaluation, Figures, Subject, TextResult
from wwho.evaluate.table import Number, Row, Table


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        anchor: its name in links.
        title: its heading.
        paragraphs: what it says.
        chart: its chart.
        table: its table.
        examples: its examples.
    """

    anchor: str
    title: str
    paragraphs: tuple[str, ...]
    chart: Bars | None = None
    table: Table | None = None
    examples: tuple[Example, ...] = ()


def texts_of(found: Evaluation) -> tuple[TextResult, ...]:
    """The texts, and all of them together where there are several."""
    return (*found.texts, found.overall) if len(found.texts) > 1 else found.texts


def names(texts: Sequence[TextResult]) -> tuple[str, ...]:
    """What the report calls texts."""
    return tuple(text.name for text in texts)


def rows(
    found: Evaluation, values: Callable[[TextResult, Figures], tuple[Number, ...]]
) -> tuple[Row, ...]:
    """A row for each text and tokenizer."""
    return tuple(
        Row(text.name, name, name == found.model, values(text, figures))
        for text in texts_of(found)
        for name, figures in text.figures.items()
    )


def series(
    tokenizers: Sequence[Subject],
    texts: Sequence[TextResult],
    value: Callable[[TextResult, Figures], Number],
) -> dict[str, tuple[Number, ...]]:
    """For each tokenizer, a value for each text."""
    return {
        subject.name: tuple(value(text, text.figures[subject.name]) for text in texts)
        for subject in tokenizers
    }
