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

from wwho.evaluate.section import Bars

# matplotlib writes these colours; in the page they are variables, which day and night set apart.
_INK, _SOFT, _LINE = "#010101", "#020202", "#030303"
_SERIES = tuple(f"#0{number}0a0b" for number in range(8))
_VARIABLES = {_INK: "ink", _SOFT: "soft", _LINE: "line"} | {
    colour: f"series-{number}" for number, colour in enumerate(_SERIES)
}
_WIDTH, _HEIGHT = 9.6, 3.6
_LINE_HEIGHT = 0.19
_LEGEND = 5
_MANY_BARS, _MANY_LETTERS = 40, 80
"""Beyond them, standing bars have no room for values, and names of groups none for each other."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text, which the page's fonts shape
    "text.parse_math": False,
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _SOFT,
    "axes.edgecolor": _LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _LINE,
    "xtick.labelcolor": _INK,
    "ytick.color": _LINE,
    "ytick.labelcolor": _INK,
    "grid.color": _LINE,
    "legend.frameon": False,
}


def svg(bars: Bars) -> str:
    """A chart as an `<svg>` element."""
    if len("".join(bars.groups)) > _MANY_LETTERS:
        bars = replace(bars, is_lying=True)
    with mpl.rc_context({**_STYLE, "svg.hashsalt": bars.name}):
        figure = Figure(figsize=(_WIDTH, _height(bars)), layout="constrained")
        FigureCanvasSVG(figure)
        _draw(figure.subplots(), bars)
        out = io.StringIO()
        with warnings.catch_warnings():
            # matplotlib's own font lacks most scripts; the page's fonts have them.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(out.getvalue(), bars)


def _height(bars: Bars) -> float:
    """In inches."""
    if not bars.is_lying:
        return _HEIGHT
    return 1 + _LINE_HEIGHT * len(bars.groups) * (len(bars.series) + 0.8)


def _draw(axes: Axes, bars: Bars) -> None:
    """Draw all series."""
    places = np.arange(len(bars.groups))
    thickness = 0.8 / len(bars.series)
    handles = []
    for number, values in enumerate(bars.series.values()):
        at = places + (number - (len(bars.series) - 1) / 2) * thickness
        colour = _SERIES[(number + bars.without_model) % len(_SERIES)]
        lengths = [float("nan") if value is None else value for value in values]
        draw = axes.barh if bars.is_lying else axes.bar
        drawn = draw(at, lengths, thickness * 0.9, color=colour)
        if bars.is_lying or len(bars.groups) * len(bars.series) <= _MANY_BARS:
            labels = ["" if value is None else bars.show(value) for value in values]
            axes.bar_label(drawn, labels, padding=2, fontsize=8, color=_SOFT)
        handles.append(drawn.patches[0])
    _dress(axes, bars)
    if len(handles) > 1:
        axes.figure.legend(handles, list(bars.series), loc="outside upper left", ncols=_LEGEND)


def _dress(axes: Axes, bars: Bars) -> None:
    """Axes and grid."""
    places = range(len(bars.groups))
    if bars.is_lying:
        axes.set_yticks(places, bars.groups)
        axes.invert_yaxis()
        axes.set(xlabel=bars.axis, ylabel=bars.group_axis)
        axes.margins(y=0.01)
    else:
        axes.set_xticks(places, bars.groups)
        axes.set(xlabel=bars.group_axis, ylabel=bars.axis)
    axes.grid(axis="x" if bars.is_lying else "y", linewidth=0.6)
    axes.set_axisbelow(True)
    (axes.xaxis if bars.is_lying else axes.yaxis).set_major_formatter("{x:,g}")
    axes.tick_params(length=0)
    axes.spines["bottom" if bars.is_lying else "left"].set_visible(False)


def _for_page(drawn: str, bars: Bars) -> str:
    """What matplotlib wrote, as part of a page: without a head, names of its own, page's styles."""
    body = drawn[drawn.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*|<style .*?</style>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r" font-family: [^;\"]*;", "", body)
    body = re.sub(r'(?<= id=")|(?<=url\(#)|(?<=href="#)', f"{bars.name}-", body)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, f"var(--{variable})")
    size = re.compile(r' width="[\d.]+pt" height="[\d.]+pt"')
    return size.sub(f' role="img" aria-label="{html.escape(bars.title)}"', body, count=1)
