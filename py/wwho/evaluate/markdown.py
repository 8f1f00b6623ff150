"""The report in Markdown, its charts left out: the tables say the same."""

from __future__ import annotations

from collections.abc import Iterator

from wwho.evaluate.examples import Example, Token
from wwho.evaluate.results import Evaluation
from wwho.evaluate.section import Section, Table
from wwho.evaluate.sections import headline, sections

_ESCAPED = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|"})


def markdown(found: Evaluation) -> str:
    """The whole report."""
    facts = ", ".join(f"{figure} {what}" for figure, what in headline(found))
    parts = [f"# {escaped(found.model)}", f"{escaped(facts)}."]
    for section in sections(found):
        parts += _section(section)
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text in which nothing is markup, on one line.

    Example:
        >>> print(escaped("a|b_c"))
        a\\|b\\_c
    """
    return " ".join(text.split()).translate(_ESCAPED)


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    for paragraph in section.paragraphs:
        yield escaped(paragraph)
    if section.table is not None:
        yield _table(section.table)
    for example in section.examples:
        yield _example(example)


def _table(table: Table) -> str:
    heads = [head for head in table.heads if head]
    titles = [column.title for column in table.columns]
    lines = [
        _line([*map(escaped, heads), *map(escaped, titles)]),
        _line([*("---" for _ in heads), *("---:" for _ in titles)]),
    ]
    for name, rows in table.groups():
        for row in rows:
            labels = [escaped(name if row is rows[0] else "")]
            labels += [_label(row.label, is_own=row.is_own)] * (len(heads) - 1)
            lines.append(_line([*labels, *table.cells(row)]))
    return "\n".join(lines)


def _label(label: str, *, is_own: bool) -> str:
    return f"**{escaped(label)}**" if is_own else escaped(label)


def _example(example: Example) -> str:
    lines = [_line([escaped(example.text), "tokens", ""]), _line(["---", "---:", "---"])]
    for name, tokens in example.tokens.items():
        lines.append(_line([escaped(name), str(len(tokens)), " ".join(map(_token, tokens))]))
    return "\n".join(lines)


def _token(token: Token) -> str:
    """A token in bars that cannot be mistaken for text; part of a character as its bytes."""
    shown = f"⟨{token.hex}⟩" if token.text is None else token.text.replace(" ", "␣")
    return f"⟦{escaped(shown)}⟧"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
