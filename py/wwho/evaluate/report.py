"""The report: a page without scripts, the same in Markdown without charts, all figures in JSON.

What it says, section by section, is `report.toml`, filled in with what an evaluation found; what it
looks like, `report.html` and `report.markdown`.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from wwho.evaluate.metrics import Number, Show, decimals, percent, ratio, times, whole
from wwho.evaluate.results import Evaluation
from wwho.format.files import check_writable, write_atomic

PAGE, MARKDOWN, JSON = "index.html", "report.md", "report.json"
_ESCAPED = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|"})
_FILES = resources.files(__package__)

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


class Chart(NamedTuple):
    """Bars by group; the `title` is for those who cannot see them, the `caption` for all.

    A bar is its label, its number as printed, its length in percent of the longest one's, and its
    colour: a tokenizer has the same one in every chart.
    """

    title: str
    caption: str
    groups: Mapping[str, list[tuple[str, str, float, int]]]


class Section(NamedTuple):
    """A section of a report.

    Attributes:
        anchor: its name in links.
        words: its paragraphs.
        heads: heads of the groups and of the labels; an empty one has nothing below it.
        columns: the columns after them; none where the rows are examples, and not a table.
        groups: the rows of each group.
    """

    anchor: str
    title: str
    words: list[str]
    heads: list[str]
    columns: list[Column]
    groups: list[tuple[str, list[Row]]]
    chart: Chart | None

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
    specs = tomllib.loads((_FILES / "report.toml").read_text("utf-8"))
    rows = _rows(found)
    known = {
        "found": found,
        "unit": "character" if _needed(rows["texts"])["lacks_words"] else "word",
        "own": [row.of for row in rows["parts"] if row.is_own and row.label != "base"],
        "has_base": any(row.is_own and row.label == "base" for row in rows["parts"]),
    }
    return [
        _section(anchor, spec, rows, known) for anchor, spec in specs.items() if rows[spec["rows"]]
    ]


def _section(
    anchor: str, spec: Mapping[str, Any], rows: Mapping[str, list[Row]], known: Mapping[str, Any]
) -> Section:
    """A section of report.toml."""
    own, chart = rows[spec["rows"]], spec.get("chart")
    needed = _needed(own)
    tokenizers = known["found"].overall.figures if spec.get("for_each_tokenizer") else [""]
    columns = [
        _column(column[:3], {**known, "tokenizer": tokenizer})
        for tokenizer in tokenizers
        for column in spec.get("columns", [])
        if all(needed[condition] for condition in column[3:])
    ]
    bars = rows[chart.get("rows", spec["rows"])] if chart else []
    return Section(
        anchor=anchor,
        title=spec["title"],
        words=[line for line in _filled(spec["words"], known).split("\n") if line],
        heads=spec.get("heads", []),
        columns=columns,
        groups=[(name, list(each)) for name, each in groupby(own, lambda row: row.group)],
        chart=_chart(chart, bars, known) if chart and bars else None,
    )


def _chart(spec: Mapping[str, Any], rows: Sequence[Row], known: Mapping[str, Any]) -> Chart:
    """A chart of report.toml."""
    metric = _column(spec["metric"], known)
    values = [metric.value(row) for row in rows]
    longest = max((value for value in values if value), default=1)
    labels = [*dict.fromkeys(row.label for row in rows)]
    first = 0 if rows[0].is_own else 1
    groups = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        length = round(100 * (value or 0) / longest, 2)
        colour = (labels.index(row.label) + first) % N_SERIES
        groups[row.group].append((row.label, metric.show(value), length, colour))
    return Chart(_filled(spec["title"], known), metric.title, groups)


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

    def row(group: str, label: str, tokenizer: str, of: Any) -> Row:
        return Row(group, label, tokenizer == found.model, of if isinstance(of, dict) else vars(of))

    texts = [
        row(text.name, name, name, {"text": text, "figures": of, "efficiency": of.efficiency})
        for text in found.all_texts
        for name, of in text.figures.items()
    ]
    scripts = [
        row(script.name, name, name, {"text": script, "efficiency": of})
        for script in found.overall.scripts
        for name, of in script.figures.items()
    ]
    parts = [row(each.encoder, each.part, each.encoder, each) for each in found.vocabulary]
    bins = [(row.label, row.of["histogram"]) for row in parts if row.is_own and row.label != "base"]
    parallel = found.parallel
    return {
        "texts": texts,
        "others": [row for row in texts if not row.is_own],
        "texts with syllables": [row for row in texts if row.of["text"].syllables],
        "scripts": scripts if len(found.overall.scripts) > 1 else [],
        "parts": parts,
        "quality": [
            row(name, f"{each.rule}: {each.verdict}", name, each)
            for name, findings in found.quality.items()
            for each in findings
        ],
        "uses": [
            row(_bin(number), part, found.model, {"ids": sum(histogram[number : number + 1])})
            for number in range(max(len(histogram) for _, histogram in bins))
            for part, histogram in bins
        ],
        "languages": [row(of.name, "", "", of) for of in (parallel.languages if parallel else ())],
        "fairness": [
            row(of.encoder, "", of.encoder, of) for of in (parallel.fairness if parallel else ())
        ],
        "premiums": [
            row(language.name, name, name, {"premium": premium})
            for language in (parallel.languages[1:] if parallel else ())
            for name, premium in language.premium.items()
        ],
        "examples": [row(each.text, "", "", each) for each in found.examples],
        "sources": [row(text.name, "", "", text) for text in found.all_texts],
    }


def _bin(number: int) -> str:
    """What a bin of the histogram holds.

    Example:
        >>> [_bin(number) for number in range(4)]
        ['0', '1', '2–3', '4–7']
    """
    low, high = 2**number // 2, 2**number - 1
    return f"{high:,}" if number < 2 else f"{low:,}–{high:,}"


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Find out before the work whether a report can be written there; nothing is changed.

    Raises:
        OSError: it is no folder, or it, or the one it would be made in, cannot be written to.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise OSError(errno.ENOTDIR, "is a file; name a folder", os.fspath(folder))
    for file in [path / name for name in (PAGE, MARKDOWN, JSON)] if path.exists() else [path]:
        check_writable(file)


def write_report(folder: str | os.PathLike[str], found: Evaluation) -> None:
    """Write `index.html`, `report.md` and `report.json` into a folder, which is made if missing.

    Raises:
        OSError: the folder cannot be written to.
    """
    page = _rendered("report.html", found, autoescape=True)
    texts = {PAGE: page, MARKDOWN: markdown(found), JSON: as_json(found)}
    Path(folder).mkdir(exist_ok=True)
    for name, text in texts.items():
        write_atomic(Path(folder) / name, text.encode("utf-8", "replace"))


def as_json(found: Evaluation) -> str:
    """All figures (see `Evaluation`)."""
    return json.dumps(dataclasses.asdict(found), ensure_ascii=False, indent=1) + "\n"


def markdown(found: Evaluation) -> str:
    """The report in Markdown, its charts left out: the tables say the same."""
    return _rendered("report.markdown", found, autoescape=False).rstrip("\n") + "\n"


def _rendered(name: str, found: Evaluation, *, autoescape: bool) -> str:
    """The report in the form of a template of this folder."""
    environment = jinja2.Environment(autoescape=autoescape, trim_blocks=True, lstrip_blocks=True)
    environment.filters["escaped"] = escaped
    return environment.from_string((_FILES / name).read_text("utf-8")).render(
        found=found,
        headline=headline(found),
        sections=sections(found),
        style=(_FILES / "report.css").read_text("utf-8"),
    )


def escaped(text: str) -> str:
    """A text in which nothing is markup of Markdown, on one line.

    Example:
        >>> print(escaped("a|b_c"))
        a\\|b\\_c
    """
    return " ".join(text.split()).translate(_ESCAPED)
