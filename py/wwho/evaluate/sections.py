"""What a report says, section by section, in no particular form: `report.toml` filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from typing import Any, NamedTuple

import jinja2

from wwho.evaluate.comparisons import Example
from wwho.evaluate.metrics import Number, Show, decimals, percent, ratio, times, whole
from wwho.evaluate.results import Evaluation

N_SERIES = 8
"""Colours of charts, `--series-0` and so on in report.css."""
_SHOW: dict[str, Show] = {"whole": whole, "percent": percent, "times": times}
_SHOW |= {f"{places}": decimals(places) for places in (1, 2, 3)}
_JINJA = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    finalize=lambda value: value.replace("\n", " ") if isinstance(value, str) else value,
)
_JINJA.filters.update(whole=whole, times=times)
_JINJA.filters["code_points"] = lambda text: " ".join(f"U+{ord(char):04X}" for char in text)
_JINJA.filters["of"] = lambda part, total: None if part is None else ratio(part, total)


class Row(NamedTuple):
    """A row of a table, or a bar of a chart.

    Attributes:
        group: what it belongs to, such as a text; rows of a group stand together.
        label: what it is about, such as a tokenizer; `is_own` where that is the model.
        of: what its numbers are computed of, by name.
    """

    group: str
    label: str
    is_own: bool
    of: Mapping[str, Any]


class Column(NamedTuple):
    """A column of numbers, or the axis of a chart: title with unit, printing, formula."""

    title: str
    show: Show
    value: Callable[[Row], Number]


class Bar(NamedTuple):
    """A bar of a chart: its length is a `share` of the longest one's, in percent."""

    group: str
    label: str
    shown: str
    share: float
    series: int


@dataclass(frozen=True)
class Chart:
    """Bars for rows: a group for each group of them; the `title` is for those who cannot see it."""

    title: str
    metric: Column
    rows: Sequence[Row]

    def groups(self) -> list[tuple[str, list[Bar]]]:
        """The bars of each group. A tokenizer has the same colour, its series, in every chart."""
        values = [self.metric.value(row) for row in self.rows]
        longest = max((value for value in values if value), default=1)
        labels = [*dict.fromkeys(row.label for row in self.rows)]
        first = 0 if self.rows[0].is_own else 1
        bars = []
        for row, value in zip(self.rows, values, strict=True):
            share = round(100 * (value or 0) / longest, 2)
            series = (labels.index(row.label) + first) % N_SERIES
            bars.append(Bar(row.group, row.label, self.metric.show(value), share, series))
        return [(name, [*each]) for name, each in groupby(bars, lambda bar: bar.group)]


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        anchor: its name in links.
        words: its paragraphs.
        heads: heads of the groups and of the labels; an empty one has nothing below it.
        columns: the columns after them; none for no table.
    """

    anchor: str
    title: str
    words: list[str]
    heads: list[str]
    columns: list[Column]
    rows: list[Row]
    chart: Chart | None
    examples: Sequence[Example]

    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows of each group."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.group)]

    def cells(self, row: Row) -> list[str]:
        """The numbers of a row as they are printed."""
        return [column.show(column.value(row)) for column in self.columns]


def headline(found: Evaluation) -> list[tuple[str, str]]:
    """The figures to remember, each with what it is."""
    overall = found.overall
    own = overall.figures[found.model]
    facts = [
        (percent(abs(saved)), f"{'fewer' if saved >= 0 else 'more'} tokens than {name}")
        for name, figures in overall.figures.items()
        if (saved := figures.efficiency.saved) is not None
    ][:2]
    unit = "character" if own.efficiency.tokens_per_word is None else "word"
    facts.append((decimals(3)(getattr(own.efficiency, f"tokens_per_{unit}")), f"tokens per {unit}"))
    if overall.syllables:
        spelled = f", {own.spelled_syllables:,} spelled out" if own.spelled_syllables else ""
        broken = f"of {overall.syllables:,} syllables broken{spelled}"
        facts.append((whole(own.broken_syllables), broken))
    facts.append((whole(own.damaged_lines), f"of {overall.lines:,} lines damaged"))
    return facts


def sections(found: Evaluation) -> list[Section]:
    """The sections of a report; those that have nothing to say are left out."""
    specs = tomllib.loads((resources.files(__package__) / "report.toml").read_text("utf-8"))
    rows = _rows(found)
    known = {
        "found": found,
        "unit": "character" if _needed(rows["texts"])["lacks_words"] else "word",
        "own": [row.of for row in rows["parts"] if row.is_own and row.label != "base"],
        "has_base": any(row.is_own and row.label == "base" for row in rows["parts"]),
    }
    made = []
    for anchor, spec in specs.items():
        own, chart = rows[spec["rows"]], spec.get("chart")
        if not own:
            continue
        needed = _needed(own)
        columns = [
            _column(column[:3], {**known, "tokenizer": tokenizer})
            for tokenizer in (found.overall.figures if spec.get("for_each_tokenizer") else [""])
            for column in spec.get("columns", [])
            if all(needed[condition] for condition in column[3:])
        ]
        if chart:
            shown = rows[chart.get("rows", spec["rows"])]
            title, metric = _filled(chart["title"], known), _column(chart["metric"], known)
            chart = Chart(title, metric, shown) if shown else None
        words = [line for line in _filled(spec["words"], known).split("\n") if line]
        shown_examples = found.examples if anchor == "examples" else ()
        heads = spec.get("heads", [])
        section = Section(anchor, spec["title"], words, heads, columns, own, chart, shown_examples)
        made.append(section)
    return made


def _filled(template: str, known: Mapping[str, Any]) -> str:
    return _JINJA.from_string(template).render(known)


def _column(spec: Sequence[str], known: Mapping[str, Any]) -> Column:
    """A column of report.toml."""
    title, show, formula = spec
    value = _JINJA.compile_expression(formula, undefined_to_none=False)
    return Column(_filled(title, known), _SHOW[show], lambda row: value({**known, **row.of}))


def _needed(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether some rows have tokens per word, and whether some have none."""
    found = [row.of["efficiency"] for row in rows if "efficiency" in row.of]
    have_words = {each.tokens_per_word is not None for each in found if each.tokens}
    return {"has_words": have_words != {False}, "lacks_words": False in have_words}


def _rows(found: Evaluation) -> dict[str, list[Row]]:
    """The rows of tables and charts, and what their columns are computed of."""
    model = found.model
    texts = [
        Row(
            text.name,
            name,
            name == model,
            {
                "text": text,
                "figures": figures,
                "efficiency": figures.efficiency,
                "model": text.figures[model].efficiency,
            },
        )
        for text in found.all_texts
        for name, figures in text.figures.items()
    ]
    own = [part for part in found.vocabulary if part.encoder == model and part.part != "base"]
    languages = found.parallel.languages if found.parallel else ()
    return {
        "texts": texts,
        "others": [row for row in texts if not row.is_own],
        "texts with syllables": [row for row in texts if row.of["text"].syllables],
        "scripts": [
            Row(script.name, name, name == model, {"text": script, "efficiency": efficiency})
            for script in found.overall.scripts
            for name, efficiency in script.figures.items()
            if len(found.overall.scripts) > 1
        ],
        "parts": [
            Row(part.encoder, part.part, part.encoder == model, vars(part))
            for part in found.vocabulary
        ],
        "quality": [
            Row(name, f"{each.rule}: {each.verdict}", name == model, vars(each))
            for name, findings in found.quality.items()
            for each in findings
        ],
        "uses": [
            Row(_bin(number), part.part, True, {"ids": sum(part.histogram[number : number + 1])})
            for number in range(max(len(part.histogram) for part in own))
            for part in own
        ],
        "languages": [Row(each.name, "", False, vars(each)) for each in languages],
        "fairness": [
            Row(each.encoder, "", each.encoder == model, vars(each))
            for each in (found.parallel.fairness if found.parallel else ())
        ],
        "premiums": [
            Row(each.name, name, name == model, {"premium": premium})
            for each in languages[1:]
            for name, premium in each.premium.items()
        ],
        "examples": [Row(each.text, "", False, vars(each)) for each in found.examples],
        "sources": [Row(text.name, "", False, vars(text)) for text in found.all_texts],
    }


def _bin(number: int) -> str:
    """What a bin of the histogram holds.

    Example:
        >>> [_bin(number) for number in range(4)]
        ['0', '1', '2–3', '4–7']
    """
    low, high = 2**number // 2, 2**number - 1
    return f"{high:,}" if number < 2 else f"{low:,}–{high:,}"
