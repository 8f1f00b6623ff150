"""The report: a page, the same in Markdown without charts, and all figures in JSON."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import jinja2

from wwho.evaluate.comparisons import Example, Token
from wwho.evaluate.plots import svg
from wwho.evaluate.results import Evaluation
from wwho.evaluate.sections import Section, headline, sections
from wwho.format.files import check_writable, write_atomic

PAGE, MARKDOWN, JSON = "index.html", "report.md", "report.json"
_ESCAPED = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|"})


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


def as_json(found: Evaluation) -> str:
    """All figures (see `Evaluation`)."""
    return json.dumps(dataclasses.asdict(found), ensure_ascii=False, indent=1) + "\n"


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


def markdown(found: Evaluation) -> str:
    """The whole report in Markdown."""
    facts = ", ".join(f"{figure} {what}" for figure, what in headline(found))
    parts = [f"# {escaped(found.model)}", f"{escaped(facts)}."]
    for section in sections(found):
        parts += [f"## {section.title}", *map(escaped, section.words)]
        if section.columns:
            parts.append(_table(section))
        parts += map(_example, section.examples)
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text in which nothing is markup, on one line.

    Example:
        >>> print(escaped("a|b_c"))
        a\\|b\\_c
    """
    return " ".join(text.split()).translate(_ESCAPED)


def _table(section: Section) -> str:
    heads = [head for head in section.heads if head]
    titles = [column.title for column in section.columns]
    lines = [map(escaped, [*heads, *titles]), ["---"] * len(heads) + ["---:"] * len(titles)]
    for name, rows in section.groups():
        for row in rows:
            label = f"**{escaped(row.label)}**" if row.is_own else escaped(row.label)
            labels = [escaped(name) if row is rows[0] else "", label][: len(heads)]
            lines.append([*labels, *section.cells(row)])
    return "\n".join(map(_line, lines))


def _example(example: Example) -> str:
    rows = (
        (escaped(name), str(len(tokens)), " ".join(map(_token, tokens)))
        for name, tokens in example.tokens.items()
    )
    return "\n".join(
        map(_line, ((escaped(example.text), "tokens", ""), ("---", "---:", "---"), *rows))
    )


def _token(token: Token) -> str:
    """A token in bars that cannot be mistaken for text; part of a character as its bytes."""
    shown = f"⟨{token.hex}⟩" if token.text is None else token.text.replace(" ", "␣")
    return f"⟦{escaped(shown)}⟧"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
