"""The report: a page, the same in Markdown, and all figures in JSON."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
from importlib import resources
from pathlib import Path

import jinja2

from wwho.evaluate.markdown import markdown
from wwho.evaluate.plots import svg
from wwho.evaluate.results import Evaluation
from wwho.evaluate.sections import headline, sections
from wwho.format.files import check_writable, write_atomic

PAGE, MARKDOWN, JSON = "index.html", "report.md", "report.json"


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Find out before the work whether a report can be written there; nothing is changed.

    Raises:
        OSError: it is no folder, or it, or the one it would be made in, cannot be written to.

    Example:
        >>> check_folder("no/such/folder")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] its folder does not exist: 'no/such/folder'
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


def page(found: Evaluation) -> str:
    """The report as a page, which needs nothing but itself: no script, no network."""
    files = resources.files(__package__)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["svg"] = svg
    template = environment.from_string((files / "report.html").read_text("utf-8"))
    return template.render(
        found=found,
        headline=headline(found),
        sections=sections(found),
        style=(files / "report.css").read_text("utf-8"),
    )


def as_json(found: Evaluation) -> str:
    """All figures (see `Evaluation`)."""
    return json.dumps(dataclasses.asdict(found), ensure_ascii=False, indent=1) + "\n"
