"""What a section of a report consists of, in no particular form: words, a table, a chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from wwho.evaluate.examples import Example
from wwho.evaluate.results import Evaluation, Figures, Subject, TextResult

Number = int | float | None
Show = Callable[[Number], str]
NONE = "–"


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    Attributes:
        title: its head.
        show: how a number is written.
    """

    title: str
    show: Show


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes:
        group: what it belongs to, such as a text; rows of a group stand together.
        label: what it is about, such as a tokenizer.
        is_own: whether that is the model and not a baseline.
        values: one for each column.
    """

    group: str
    label: str
    is_own: bool
    values: tuple[Number, ...]


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        heads: heads of the groups and of the labels; an empty one has nothing below it.
        columns: the columns behind them.
        rows: the rows.
    """

    heads: tuple[str, str]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows of each group."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.group)]

    def cells(self, row: Row) -> list[str]:
        """The values of a row as they are shown."""
        return [column.show(value) for column, value in zip(self.columns, row.values, strict=True)]


def whole(value: Number) -> str:
    """A whole number.

    Example:
        >>> whole(1234567), whole(None)
        ('1,234,567', '–')
    """
    return NONE if value is None else f"{value:,}"


def decimals(places: int) -> Show:
    """How to show a number with so many decimal places.

    Example:
        >>> decimals(3)(1.27342)
        '1.273'
    """
    return lambda value: NONE if value is None else f"{value:,.{places}f}"


def percent(value: Number) -> str:
    """A share; one that is not nothing, or not all, never looks like it.

    Example:
        >>> percent(0.617), percent(-0.00181), percent(0.00001), percent(0.9999), percent(0)
        ('61.7 %', '−0.18 %', '<0.01 %', '>99.9 %', '0 %')
    """
    if value is None:
        return NONE
    if 0 < value < 0.00005:
        return "<0.01 %"
    if 0.9995 <= value < 1:
        return ">99.9 %"
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    return f"{100 * value:.{1 if abs(value) >= 0.01 else 2}f} %".replace("-", "−")


def times(value: Number) -> str:
    """A factor.

    Example:
        >>> times(2.6088)
        '2.61×'
    """
    return NONE if value is None else f"{value:.2f}×"


@dataclass(frozen=True)
class Bars:
    """Groups of bars.

    Attributes:
        name: a short one, for the file and the anchors in it.
        title: what it shows, for those who cannot see it.
        axis: what is measured, with its unit.
        groups: names of the groups.
        series: for each tokenizer, the model first where it is among them, a value for each group.
        show: how a value is written.
        is_lying: whether the bars lie, for many groups or long names.
        group_axis: what the groups are, where that needs saying.
        without_model: whether the first series is not the model's, so that each tokenizer keeps
            its colour from chart to chart.
    """

    name: str
    title: str
    axis: str
    groups: tuple[str, ...]
    series: dict[str, tuple[Number, ...]]
    show: Show
    is_lying: bool = False
    group_axis: str = ""
    without_model: bool = False


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
