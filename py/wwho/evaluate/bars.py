"""Bar charts as data; `plots.py` draws them."""

from __future__ import annotations

from dataclasses import dataclass

from wwho.evaluate.table import Number, Show


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
