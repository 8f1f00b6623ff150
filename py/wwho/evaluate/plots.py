"""Bar charts as SVG for a page: its fonts, and its colours by day and by night."""

from __future__ import annotations

import html
import io
import re
import warnings
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from wwho.evaluate.sections import Chart

# matplotlib writes these colours; in the page they are variables, which day and night set apart.
_INK, _SOFT, _LINE = "#010101", "#020202", "#030303"
_SERIES = tuple(f"#0{number}0a0b" for number in range(8))
_VARIABLES = {_INK: "ink", _SOFT: "soft", _LINE: "line"}
_VARIABLES |= {colour: f"series-{number}" for number, colour in enumerate(_SERIES)}
_WIDTH, _HEIGHT, _LINE_HEIGHT = 9.6, 3.6, 0.19
_LEGEND = 5
_MANY_BARS, _MANY_LETTERS = 40, 80
"""Beyond them, standing bars have no room for values, and names of groups none for each other."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text, which the page's fonts shape
    "font.size": 10,
    "axes.labelcolor": _SOFT,
    **dict.fromkeys(("text.color", "xtick.labelcolor", "ytick.labelcolor"), _INK),
    **dict.fromkeys(("axes.edgecolor", "grid.color", "xtick.color", "ytick.color"), _LINE),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    "text.parse_math": False,
}


def svg(chart: Chart) -> str:
    """A chart as an `<svg>` element."""
    groups, n_series = chart.groups(), len(chart.series())
    if len("".join(groups)) > _MANY_LETTERS:
        chart = replace(chart, is_lying=True)
    height = 1 + _LINE_HEIGHT * len(groups) * (n_series + 0.8) if chart.is_lying else _HEIGHT
    with mpl.rc_context({**_STYLE, "svg.hashsalt": chart.name}):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        _draw(figure.subplots(), chart)
        out = io.StringIO()
        with warnings.catch_warnings():
            # matplotlib's own font lacks most scripts; the page's fonts have them.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(out.getvalue(), chart)


def _draw(axes: Axes, chart: Chart) -> None:
    """Draw all series, axes and grid."""
    groups, series, lying = chart.groups(), chart.series(), chart.is_lying
    thickness = 0.8 / len(series)
    first = 0 if chart.rows[0].is_own else 1  # a tokenizer keeps its colour from chart to chart
    handles = []
    for number, values in enumerate(series.values()):
        at = np.arange(len(groups)) + (number - (len(series) - 1) / 2) * thickness
        colour = _SERIES[(number + first) % len(_SERIES)]
        lengths = [float("nan") if value is None else value for value in values]
        drawn = (axes.barh if lying else axes.bar)(at, lengths, thickness * 0.9, color=colour)
        if lying or len(groups) * len(series) <= _MANY_BARS:
            labels = ["" if value is None else chart.metric.show(value) for value in values]
            axes.bar_label(drawn, labels, padding=2, fontsize=8, color=_SOFT)
        handles.append(drawn.patches[0])
    if lying:
        axes.set_yticks(range(len(groups)), groups)
        axes.invert_yaxis()
        axes.set(xlabel=chart.metric.title, ylabel=chart.group_axis)
        axes.margins(y=0.01)
    else:
        axes.set_xticks(range(len(groups)), groups)
        axes.set(xlabel=chart.group_axis, ylabel=chart.metric.title)
    axes.grid(axis="x" if lying else "y", linewidth=0.6)
    axes.set_axisbelow(True)
    (axes.xaxis if lying else axes.yaxis).set_major_formatter("{x:,g}")
    axes.tick_params(length=0)
    axes.spines["bottom" if lying else "left"].set_visible(False)
    if len(handles) > 1:
        axes.figure.legend(handles, list(series), loc="outside upper left", ncols=_LEGEND)


def _for_page(drawn: str, chart: Chart) -> str:
    """What matplotlib wrote, as part of a page: without a head, names of its own, page's styles."""
    body = drawn[drawn.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*|<style .*?</style>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r" font-family: [^;\"]*;", "", body)
    body = re.sub(r'(?<= id=")|(?<=url\(#)|(?<=href="#)', f"{chart.name}-", body)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, f"var(--{variable})")
    size = re.compile(r' width="[\d.]+pt" height="[\d.]+pt"')
    return size.sub(f' role="img" aria-label="{html.escape(chart.title)}"', body, count=1)
