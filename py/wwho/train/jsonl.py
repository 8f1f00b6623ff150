"""The texts of JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wwho.errors import CorpusError
from wwho.train.lines import Block, encoded, joined
from wwho.train.sample import Keep

DEFAULT_FIELD = "text"
SHOWN = 8
"""Names of fields that an error lists, at most."""


@dataclass
class Document:
    """A file of JSON Lines while it is read.

    Attributes:
        file: its name, for errors.
        field: which field of each object holds the text.
        stop: whether a lone surrogate is refused, and not replaced by U+FFFD.
        line: number of the line last read, from 1.
        stray: bytes of broken UTF-8 and lone surrogates replaced so far.
    """

    file: str
    field: str
    stop: bool = False
    line: int = 0
    stray: int = 0


def texts_of(document: Document, blocks: Iterable[bytes], keep: Keep | None) -> Iterator[Block]:
    """The texts in blocks of whole lines, one block of text for each; empty lines are skipped.

    Args:
        document: what is read.
        blocks: whole lines of it.
        keep: which of its lines are in the sample; None: all.

    Raises:
        CorpusError: a line is no JSON object, or lacks the field, or the field is not a string.
    """
    for block in blocks:
        out = []
        lines, stray = 0, document.stray
        for line in block.removesuffix(b"\n").split(b"\n"):
            document.line += 1
            if not line.strip():
                continue
            lines += 1
            if keep is None or keep(line):
                where = f"{document.file}, line {document.line}"
                text, broken = encoded(where, _text(document, line), document.stop)
                out.append(text)
                document.stray += broken
        yield Block(joined(out), lines, len(out), document.stray - stray)


def _text(document: Document, line: bytes) -> str:
    """The text of one line; bytes of broken UTF-8 come out as lone surrogates."""
    where = f"{document.file}, line {document.line}"
    try:
        value = json.loads(line.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"{where}: not valid JSON ({error}); every line must be one JSON object"
        ) from error
    if not isinstance(value, dict):
        raise CorpusError(f"{where}: a JSON object is expected, not {type(value).__name__}")
    if document.field not in value:
        names = ", ".join(map(repr, list(value)[:SHOWN])) or "none"
        raise CorpusError(
            f"{where}: no field {document.field!r}; its fields are: {names}; name one with --field"
        )
    text = value[document.field]
    if not isinstance(text, str):
        raise CorpusError(
            f"{where}: field {document.field!r} must be a string, not {type(text).__name__}"
        )
    return text
