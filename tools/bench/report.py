"""What was measured, as rows; the targets they are held to; tables and a plot."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, Literal

from environment import machine

OWN = "wwho_328k : o200k_base"  # the "peer" of rows that compare the two encodings of WWHO
UNITS = {
    **{"cold": "ms", "memory": "MB", "download": "KB", "growth": "x"},
    **{"training seconds": "s", "training memory": "MB", "merging": "x"},
    **{"command": "s", "command memory": "MB"},
}
TITLES = {
    "unseen": "unseen text in pieces of 100 KB, MB/s",
    "repeated": "the same pieces again, MB/s",
    "messages": "unseen messages of 400 characters, warm, MB/s",
    "count": "count of unseen text, no ids kept, MB/s",
    "cold": "cold start: load and first encode, ms (less is better)",
    "memory": "peak memory after load and first encode, over an empty process, MB (less is better)",
    "download": "download to count o200k_base in a browser, KB of 1,000 bytes (less is better)",
    "adversarial": "adversarial texts, MB/s",
    "growth": "time of 1,000,000 characters over that of 100,000 (10 is linear)",
    "training": "training a vocabulary, MB/s",
    "training seconds": "the same, s (less is better)",
    "training memory": "peak memory of training, over an empty process, MB (less is better)",
    "counting": "the counting stage of training, MB/s",
    "merging": "merging as often with four times the distinct words, time over time (4 is linear)",
    "command": "the command that makes wwho_328k, s (less is better)",
    "command memory": "peak memory of that command, MB (less is better)",
}


@dataclass(frozen=True)
class Target:
    """A bound on the ratio WWHO / peer, or on WWHO's own figure."""

    part: str
    peer: str
    bound: float
    sense: Literal[">=", "<="] = ">="
    of: Literal["ratio", "figure"] = "ratio"
    texts: tuple[str, ...] = ()  # none: every text
    runtimes: tuple[str, ...] = ()  # none: every runtime

    def applies(self, row: Row) -> bool:
        """Return true if the target is for a row's part, peer, text and runtime."""
        return (
            (self.part, self.peer) == (row.part, row.peer)
            and (not self.texts or row.text in self.texts)
            and (not self.runtimes or row.runtime in self.runtimes)
        )


LATIN, INDIC = ("english", "code"), ("hindi", "sinhala")
TARGETS = (
    *(
        Target(part, peer, bound, texts=texts)
        for part, peer, latin, indic in (
            ("unseen", "gigatoken", 1.3, 2.0),
            ("unseen", "hypertok", 1.25, 2.2),
            ("unseen", OWN, 0.95, 1.4),
            ("repeated", "gigatoken", 1.0, 1.5),
            ("repeated", "hypertok", 1.0, 1.5),
            ("messages", "hypertok", 1.5, 2.2),
        )
        for texts, bound in ((LATIN, latin), (INDIC, indic))
    ),
    *(
        Target("count", peer, bound, texts=texts)
        for peer in ("quicktok", "toktok-rs")
        for texts, bound in ((("sinhala",), 2.2), ((), 3.0))
    ),
    Target("cold", "gpt-tokenizer", 0.8, "<=", runtimes=("node",)),
    Target("memory", "gpt-tokenizer", 30, "<=", "figure", runtimes=("node",)),
    Target("download", "gpt-tokenizer", 715, "<=", "figure", texts=("brotli -q 11",)),
    Target("adversarial", "hypertok", 1.0),
    Target("adversarial", "quicktok", 1.0),
    Target("growth", "hypertok", 11, "<=", "figure"),
    Target("growth", "quicktok", 11, "<=", "figure"),
    Target("training", "rustbpe", 1.5),
    Target("counting", "1 process", 1.7),
    Target("merging", "", 5, "<=", "figure"),
    Target("command", "", 15, "<=", "figure"),
    Target("command memory", "", 500, "<=", "figure"),
)


@dataclass(frozen=True)
class Row:
    """One comparison: the figures of either, one for each round, in the order of the rounds.

    Attributes:
        part: a key of TITLES.
        runtime: "native", "node" or "chromium".
        text: the name of the text.
        peer: the name of the peer.
        ours: WWHO's figures.
        theirs: the peer's; none where it failed.
        exact: "yes" where the ids of both are tiktoken's, else whose are not; "" if not checked.
        note: why a figure is missing, or what it leaves out.
    """

    part: str
    runtime: str
    text: str
    peer: str
    ours: Sequence[float]
    theirs: Sequence[float]
    exact: str = ""
    note: str = ""

    @property
    def ratios(self) -> list[float]:
        """WWHO / peer, round by round."""
        return [a / b for a, b in zip(self.ours, self.theirs, strict=False) if b]

    @property
    def target(self) -> Target | None:
        """The target of this row, where it has one."""
        return next((target for target in TARGETS if target.applies(self)), None)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none, or nothing to compare."""
        target = self.target
        figures = self.ratios if target and target.of == "ratio" else self.ours
        if target is None or not figures:
            return None
        found = median(figures)
        return found >= target.bound if target.sense == ">=" else found <= target.bound

    def as_json(self) -> dict[str, Any]:
        """All of it, for the file of results."""
        target = self.target
        return {
            **vars(self),
            "unit": UNITS.get(self.part, "MB/s"),
            "ratio": median(self.ratios) if self.ratios else None,
            "target": target and f"{target.of} {target.sense} {target.bound}",
            "met": self.met,
        }


def write_results(path: Path, options: Namespace, rows: Iterable[Row], **facts: object) -> None:
    """Write the rows as JSON, with what they were measured with, and on."""
    content = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        **facts,
        "options": {k: v for k, v in vars(options).items() if k not in ("out", "text")},
        "rows": [row.as_json() for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False))
    print(f"Written: {path}")


HEADER = ("runtime", "text", "peer", "WWHO", "peer's", "ratio", "spread", "exact", "target", "")


def tables(rows: Iterable[Row]) -> str:
    """A table for each part, and how many targets are met."""
    rows = list(rows)
    blocks = []
    for part, title in TITLES.items():
        lines = [cells(row) for row in rows if row.part == part]
        if lines:
            blocks.append(f"{part}: {title}\n{align([HEADER, *lines])}")
    judged = [row for row in rows if row.met is not None]
    missed = [
        f"  {row.part}, {row.runtime}, {row.text} ({row.peer})" for row in judged if not row.met
    ]
    blocks.append(f"{len(judged) - len(missed)} of {len(judged)} targets met")
    if missed:
        blocks[-1] += "; missed:\n" + "\n".join(missed)
    return "\n\n".join(blocks)


def cells(row: Row) -> tuple[str, ...]:
    """A row of a table."""
    ratios, target = row.ratios, row.target
    goal = ""
    if target:
        unit = "x" if target.of == "ratio" else f" {UNITS[row.part]}".replace(" x", "x")
        goal = f"{target.sense} {target.bound:g}{unit}"
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    return (
        *(row.runtime, row.text, row.peer),
        figure(row.ours),
        figure(row.theirs),
        f"{median(ratios):.2f}x" if ratios else "",
        f"{min(ratios):.2f}-{max(ratios):.2f}" if len(ratios) > 1 else "",
        *(row.exact, goal, f"{verdict}  {row.note}".strip()),
    )


def figure(numbers: Sequence[float]) -> str:
    """The median of the rounds, to three digits."""
    if not numbers:
        return "-"
    number = median(numbers)
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def align(lines: Sequence[Sequence[str]]) -> str:
    """Columns of the width of their widest cell; figures to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = range(3, 7)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def plot(rows: Iterable[Row], path: Path) -> None:
    """Draw the ratios of the speeds: a panel for each part and runtime, a bar for each row."""
    shown = [row for row in rows if row.ratios and row.part not in ("growth", "download")]
    panels: dict[str, list[Row]] = {}
    for row in shown:
        panels.setdefault(f"{row.part}, {row.runtime}", []).append(row)
    if not panels:
        return
    import_module("matplotlib").use("Agg")
    pyplot = import_module("matplotlib.pyplot")
    heights = [len(panel) + 2 for panel in panels.values()]
    figure, all_axes = pyplot.subplots(
        *(len(panels), 1),
        figsize=(9, 0.22 * sum(heights)),
        height_ratios=heights,
        squeeze=False,
        layout="constrained",
    )
    for (title, panel), axes in zip(panels.items(), all_axes[:, 0], strict=True):
        draw(axes, title, panel)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def draw(axes: Any, title: str, panel: Sequence[Row]) -> None:
    """One panel: the median as a bar from 1 on, the spread as a line, the target as a mark."""
    for place, row in enumerate(panel):
        ratios, target = row.ratios, row.target
        color = {True: "tab:green", False: "tab:red", None: "tab:gray"}[row.met]
        axes.barh(place, median(ratios) - 1, left=1, color=color)
        axes.hlines(place, min(ratios), max(ratios), color="black", linewidth=1)
        if target and target.of == "ratio":
            axes.plot([target.bound], [place], "k|", markersize=9, markeredgewidth=2)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}x")
    axes.xaxis.set_major_locator(import_module("matplotlib.ticker").LogLocator(subs=(1, 2, 5)))
    axes.minorticks_off()
    axes.tick_params(labelsize=7)
    axes.axvline(1, color="black", linewidth=0.5)
    axes.set_yticks(
        range(len(panel)), [f"{row.text}  {row.peer}".strip() for row in panel], fontsize=7
    )
    axes.invert_yaxis()
    axes.set_title(f"{title}: WWHO / peer", fontsize=9, loc="left")
