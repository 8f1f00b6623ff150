"""The report of an evaluation: a web page without scripts, the same in Markdown, and JSON.

The page has charts; the Markdown has the tables that say the same. What the report says, section by
section, is in `report.toml`, whose formulas and paragraphs are filled in with the figures of an
evaluation; what it looks like is in `report.html`, `report.css` and `report.markdown`.
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

from wwho.evaluate.metrics import ratio
from wwho.evaluate.neural_models import RATES
from wwho.evaluate.neural_summary import summarize_bits, summarize_decoders
from wwho.evaluate.number_formats import Number, Show, decimals, percent, times, whole
from wwho.evaluate.results import Evaluation
from wwho.format.files import check_writable, write_atomic

PAGE, MARKDOWN, JSON = "index.html", "report.md", "report.json"
_MARKDOWN_ESCAPES = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|"})
_FILES = resources.files(__package__)

N_SERIES = 8
"""How many colours charts have: `--series-0` and so on in report.css."""
_SHOW: dict[str, Show] = {"whole": whole, "percent": percent, "times": times}
_SHOW |= {f"{places}": decimals(places) for places in (1, 2, 3, 4)}
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
        label: what it is about, such as a tokenizer; "" where the group says all.
        is_own: whether the row is about the model, and not about a baseline.
        of: the names that the formulas of its columns may use, and their values.
    """

    group: str
    label: str
    is_own: bool
    of: Mapping[str, Any]


class Column(NamedTuple):
    """A column of numbers, or the axis of a chart.

    Attributes:
        title: its heading, with the unit.
        show: prints its numbers.
        value: computes its number for a row.
    """

    title: str
    show: Show
    value: Callable[[Row], Number]


class Chart(NamedTuple):
    """A chart of horizontal bars in groups.

    Attributes:
        title: what it shows, for those who cannot see it.
        caption: what the bars measure, for all.
        groups: the bars of each group. A bar is its label, its number as printed, its length in
            percent of the chart's longest bar, and the number of its colour, the same in every
            chart for one tokenizer.
    """

    title: str
    caption: str
    groups: Mapping[str, list[tuple[str, str, float, int]]]


class Section(NamedTuple):
    """A section of a report, filled in.

    Attributes:
        anchor: its name in links.
        title: its heading.
        words: its paragraphs.
        heads: the headings of the groups and of the labels; "" where there is nothing to head.
        columns: the columns after them; none where the rows are examples, and not a table.
        groups: the name and the rows of each group.
        charts: its charts.
    """

    anchor: str
    title: str
    words: list[str]
    heads: list[str]
    columns: list[Column]
    groups: list[tuple[str, list[Row]]]
    charts: list[Chart]

    def cells(self, row: Row) -> list[str]:
        """Return the numbers of a row as they are printed, one for each column."""
        return [column.show(column.value(row)) for column in self.columns]


def headline_figures(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the figures to remember, each as printed, with the words that follow it.

    They are the savings over the first two baselines, the model's tokens per word (or character,
    where words are not counted), its broken syllables if the texts have any, bits per byte of its
    n-gram models if they were trained, and damaged lines.
    """
    overall = evaluation.overall
    own = overall.figures[evaluation.model]
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
    if evaluation.likelihoods:
        n_bytes = sum(text.held_out_bytes for text in evaluation.likelihoods)
        bits = sum(
            text.likelihoods[0].bits_per_byte * text.held_out_bytes
            for text in evaluation.likelihoods
        )
        facts.append((decimals(3)(bits / n_bytes), "bits per byte by n-grams"))
    facts.append((whole(own.damaged_lines), f"of {overall.lines:,} lines damaged"))
    return facts


def build_sections(evaluation: Evaluation) -> list[Section]:
    """Fill in the sections of report.toml, in its order; a section without rows is left out."""
    specs = tomllib.loads((_FILES / "report.toml").read_text("utf-8"))
    rows = _list_rows(evaluation)
    known = {
        "evaluation": evaluation,
        "rates": RATES,
        "unit": "character" if _needed_columns(rows["texts"])["lacks_words"] else "word",
        "own": [row.of for row in rows["parts"] if row.is_own and row.label != "base"],
        "has_base": any(row.is_own and row.label == "base" for row in rows["parts"]),
    }
    return [
        _fill_section(anchor, spec, rows, known)
        for anchor, spec in specs.items()
        if rows[spec["rows"]]
    ]


def _fill_section(
    anchor: str, spec: Mapping[str, Any], rows: Mapping[str, list[Row]], known: Mapping[str, Any]
) -> Section:
    """Fill in one section of report.toml: paragraphs, columns, rows in groups, and charts.

    A column that has a condition is left out if the rows do not need it (`_needed_columns`).

    Args:
        anchor: the section's name in report.toml, and in links.
        spec: the section as report.toml has it.
        rows: the lists of rows by name, as `_list_rows` returns them.
        known: the names that all templates and formulas may use, and their values.
    """
    own_rows = rows[spec["rows"]]
    needed = _needed_columns(own_rows)
    figures = known["evaluation"].overall.figures
    # Columns that report.toml has once for each tokenizer, or just once.
    tokenizers = figures if spec.get("for_each_tokenizer") else [""]
    columns = [
        _fill_column(column[:3], {**known, "tokenizer": tokenizer})
        for tokenizer in tokenizers
        for column in spec.get("columns", [])
        if all(needed[condition] for condition in column[3:])
    ]
    charts = [(chart, rows[chart.get("rows", spec["rows"])]) for chart in spec.get("charts", [])]
    return Section(
        anchor=anchor,
        title=spec["title"],
        words=[line for line in _fill_template(spec["words"], known).split("\n") if line],
        heads=spec.get("heads", []),
        columns=columns,
        groups=[(name, list(each)) for name, each in groupby(own_rows, lambda row: row.group)],
        charts=[_fill_chart(chart, bars, known) for chart, bars in charts if bars],
    )


def _fill_chart(spec: Mapping[str, Any], rows: Sequence[Row], known: Mapping[str, Any]) -> Chart:
    """Fill in a chart of report.toml with a bar for each row; a row without a number has no length.

    Args:
        spec: the chart as report.toml has it.
        rows: the rows, at least one.
        known: the names that its title and formula may use, and their values.
    """
    metric = _fill_column(spec["metric"], known)
    values = [metric.value(row) for row in rows]
    longest = max((value for value in values if value), default=1)
    labels = [*dict.fromkeys(row.label for row in rows)]
    # The model has colour 0, also in charts of all others.
    first_colour = 0 if rows[0].is_own else 1
    groups = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        length = round(100 * (value or 0) / longest, 2)
        colour = (labels.index(row.label) + first_colour) % N_SERIES
        groups[row.group].append((row.label, metric.show(value), length, colour))
    return Chart(_fill_template(spec["title"], known), metric.title, groups)


def _fill_template(template: str, known: Mapping[str, Any]) -> str:
    """Fill in a Jinja template of report.toml; an unknown name is an error."""
    return _JINJA.from_string(template).render(known)


def _fill_column(spec: Sequence[str], known: Mapping[str, Any]) -> Column:
    """Fill in the title of a column of report.toml, and compile its formula.

    Args:
        spec: the title, the name of a format in `_SHOW`, and a formula.
        known: the names that title and formula may use; the formula also those of its row.
    """
    title, show, formula = spec
    value = _JINJA.compile_expression(formula, undefined_to_none=False)
    return Column(_fill_template(title, known), _SHOW[show], lambda row: value({**known, **row.of}))


def _needed_columns(rows: Sequence[Row]) -> dict[str, bool]:
    """Return whether a table needs the columns `has_words` and `lacks_words` (report.toml).

    The first is needed unless no row has tokens per word, the second if a row with tokens has none.
    """
    efficiencies = [row.of["efficiency"] for row in rows if "efficiency" in row.of]
    have_words = {each.tokens_per_word is not None for each in efficiencies if each.tokens}
    return {"has_words": have_words != {False}, "lacks_words": False in have_words}


def _list_rows(evaluation: Evaluation) -> dict[str, list[Row]]:
    """List the rows of all tables and charts, by the names that `rows` has in report.toml.

    There is a row for each pair of a text, script or part and a tokenizer, in their order, the
    model first. A list is empty if there is nothing to compare: "scripts" for a single script,
    "languages" and the like without parallel texts.
    """

    def row(group: str, label: str, tokenizer: str, of: Any) -> Row:
        """Make a row about a tokenizer; the names of its formulas are keys or fields of `of`."""
        names = of if isinstance(of, dict) else vars(of)
        return Row(group, label, tokenizer == evaluation.model, names)

    texts = [
        row(text.name, name, name, {"text": text, "figures": of, "efficiency": of.efficiency})
        for text in evaluation.all_texts
        for name, of in text.figures.items()
    ]
    scripts = [
        row(script.name, name, name, {"text": script, "efficiency": of})
        for script in evaluation.overall.scripts
        for name, of in script.figures.items()
    ]
    parts = [row(each.encoder, each.part, each.encoder, each) for each in evaluation.vocabulary]
    histograms = [
        (row.label, row.of["histogram"]) for row in parts if row.is_own and row.label != "base"
    ]
    n_bins = max(len(histogram) for _, histogram in histograms)
    parallel = evaluation.parallel
    return {
        "texts": texts,
        "others": [row for row in texts if not row.is_own],
        "texts with syllables": [row for row in texts if row.of["text"].syllables],
        "scripts": scripts if len(evaluation.overall.scripts) > 1 else [],
        "parts": parts,
        "quality": [
            row(name, f"{each.rule}: {each.verdict}", name, each)
            for name, findings in evaluation.quality.items()
            for each in findings
        ],
        "uses": [
            row(
                _bin_label(number),
                part,
                evaluation.model,
                {"ids": sum(histogram[number : number + 1])},
            )
            for number in range(n_bins)
            for part, histogram in histograms
        ],
        "likelihoods": [
            row(
                text.name,
                of.encoder,
                of.encoder,
                {**vars(of), "clean": of.difference, "misspelt": of.misspelt_difference},
            )
            for text in evaluation.likelihoods
            for of in text.likelihoods
        ],
        "decoder texts": [
            row(f"{of.text}, equal {of.comparison}", of.encoder, of.encoder, of)
            for models in evaluation.neural_models
            for of in summarize_bits(models)
        ],
        "decoders": [
            row(f"{of.text}, equal {of.comparison}", of.encoder, of.encoder, of)
            for models in evaluation.neural_models
            for of in summarize_decoders(models)
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
        "examples": [row(each.text, "", "", each) for each in evaluation.examples],
        "sources": [row(text.name, "", "", text) for text in evaluation.all_texts],
    }


def _bin_label(number: int) -> str:
    """Return the numbers of occurrences that a bin of `VocabularyPart.histogram` stands for.

    Example:
        >>> [_bin_label(number) for number in range(4)]
        ['0', '1', '2–3', '4–7']
    """
    low, high = 2**number // 2, 2**number - 1
    return f"{high:,}" if number < 2 else f"{low:,}–{high:,}"


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Check, before the work of an evaluation, that a report can be written; change nothing.

    Args:
        folder: where the report goes; it need not exist, but its parent must.

    Raises:
        OSError: the path is a file, or the folder, one of the report's files in it, or the parent
            of a missing folder cannot be written to.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise OSError(errno.ENOTDIR, "is a file; name a folder", os.fspath(folder))
    for file in [path / name for name in (PAGE, MARKDOWN, JSON)] if path.exists() else [path]:
        check_writable(file)


def write_report(folder: str | os.PathLike[str], evaluation: Evaluation) -> None:
    """Write `index.html`, `report.md` and `report.json` into a folder, which is made if missing.

    The folder's parent must be there. Files of these names are replaced.

    Raises:
        OSError: the folder cannot be made or written to.
    """
    page = _render_report("report.html", evaluation, autoescape=True)
    texts = {PAGE: page, MARKDOWN: render_markdown(evaluation), JSON: to_json(evaluation)}
    Path(folder).mkdir(exist_ok=True)
    for name, text in texts.items():
        write_atomic(Path(folder) / name, text.encode("utf-8", "replace"))


def to_json(evaluation: Evaluation) -> str:
    """Return all figures as JSON: the fields of `Evaluation`, indented, with a final line feed."""
    return json.dumps(dataclasses.asdict(evaluation), ensure_ascii=False, indent=1) + "\n"


def render_markdown(evaluation: Evaluation) -> str:
    """Return the report in Markdown, with tables in place of charts, and one final line feed."""
    return _render_report("report.markdown", evaluation, autoescape=False).rstrip("\n") + "\n"


def _render_report(template: str, evaluation: Evaluation, *, autoescape: bool) -> str:
    """Return the report in the form of a template file of this folder.

    Args:
        template: the name of the file.
        evaluation: the figures.
        autoescape: whether to escape HTML; a template of Markdown escapes by `escape_markdown`.
    """
    environment = jinja2.Environment(autoescape=autoescape, trim_blocks=True, lstrip_blocks=True)
    environment.filters["escaped"] = escape_markdown
    return environment.from_string((_FILES / template).read_text("utf-8")).render(
        evaluation=evaluation,
        headline=headline_figures(evaluation),
        sections=build_sections(evaluation),
        style=(_FILES / "report.css").read_text("utf-8"),
    )


def escape_markdown(text: str) -> str:
    """Return a text on one line, with a backslash before each character that Markdown might read.

    Runs of white space become one space.

    Example:
        >>> print(escape_markdown("a|b_c"))
        a\\|b\\_c
    """
    return " ".join(text.split()).translate(_MARKDOWN_ESCAPES)
