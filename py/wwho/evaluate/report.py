"""The report: a page, the same in Markdown without charts, and all figures in JSON."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
from importlib import resources
from pathlib import Path

import jinja2

from wwho.evaluate.results import Evaluation
from wwho.evaluate.sections import headline, sections
from wwho.format.files import check_writable, write_atomic

PAGE, MARKDOWN, JSON = "index.html", "report.md", "report.json"
_ESCAPED = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|"})


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Find out before the work whether a report can be written there; nothing is changed.

    Raises:
        OSError: it is no folder, or it, or the one it would be made in, cannot be written to.
    """
    path = Path(folder)
    if path.is_dir():
        for name in (PAGE, MARKDOWN, JSON):
            check_writable(path / name)
    elif path.exists():
        raise OSError(errno.ENOTDIR, "is a file; name a folder", os.fspath(folder))
    else:
        check_writable(path)


def write_report(folder: str | os.PathLike[str], found: Evaluation) -> None:
    """Write `index.html`, `report.md` and `report.json`; each appears whole or not at all.

    Args:
        folder: where; it is made where there is none.
        found: the evaluation.

    Raises:
        OSError: the folder cannot be written to.
    """
    texts = {PAGE: page(found), MARKDOWN: markdown(found), JSON: as_json(found)}
    Path(folder).mkdir(exist_ok=True)
    for name, text in texts.items():
        write_atomic(Path(folder) / name, text.encode("utf-8", "replace"))


def as_json(found: Evaluation) -> str:
    """All figures (see `Evaluation`)."""
    return json.dumps(dataclasses.asdict(found), ensure_ascii=False, indent=1) + "\n"


def page(found: Evaluation) -> str:
    """The report as a page, which needs nothing but itself: no script, no network."""
    return _rendered("report.html", found, autoescape=True)


def markdown(found: Evaluation) -> str:
    """The report in Markdown, its charts left out: the tables say the same."""
    return _rendered("report.markdown", found, autoescape=False).rstrip("\n") + "\n"


def _rendered(name: str, found: Evaluation, *, autoescape: bool) -> str:
    """The report in the form of a template of this folder."""
    files = resources.files(__package__)
    environment = jinja2.Environment(autoescape=autoescape, trim_blocks=True, lstrip_blocks=True)
    environment.filters["escaped"] = escaped
    return environment.from_string((files / name).read_text("utf-8")).render(
        found=found,
        headline=headline(found),
        sections=sections(found),
        style=(files / "report.css").read_text("utf-8"),
    )


def escaped(text: str) -> str:
    """A text in which nothing is markup of Markdown, on one line.

    Example:
        >>> print(escaped("a|b_c"))
        a\\|b\\_c
    """
    return " ".join(text.split()).translate(_ESCAPED)
