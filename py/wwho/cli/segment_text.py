"""`wwho segment`: cuts lines of text into segments and syllables, and prints them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypedDict

from wwho.backends.backend import Backend, RouteInfo, Span
from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import errors_name_file
from wwho.text import characters

if TYPE_CHECKING:
    from wwho.compile.validity import UnitJudge

NAME = "segment"
HELP = "cut each line of text into segments by script, and Abugida segments into syllables"
EXAMPLE = """\
  $ echo 'ගමේ school' | wwho segment --schema sinhala --json
  $ wwho segment lines.txt --schema my-script.json sinhala"""
CROSS = "\u2717"
"""Stands behind a unit that is no valid syllable."""


class SegmentRow(TypedDict, total=False):
    """A segment of a line as `--json` prints it.

    Attributes:
        route: the name of its route.
        text: its text.
        units: its syllables, stray signs and other characters; missing for routes of the base,
            unless they have stray signs, which are then units, as is the text between them.
        stray: the numbers of the units that are stray signs; missing where there are none.
        invalid: the numbers of other units that are no valid syllables; missing where there are
            none.
    """

    route: str
    text: str
    units: list[str]
    stray: list[int]
    invalid: list[int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the schemas or the model, `--json`, the files."""
    shared.add_schemas(parser, required=False)
    shared.add_model(parser)
    rows = '{"segments": [{"route", "text", "units", "stray", "invalid"}]} for each line'
    numbers = "the numbers of the units that are stray signs, or else no valid syllables"
    shared.add_json(parser, f'{rows}; "stray", "invalid": {numbers}')
    shared.add_text_files(parser, "text, a line at a time")


def run(options: argparse.Namespace) -> int:
    """Print the segments of each input line, and return exit code 0.

    With `--json` each line of text is one object; otherwise it is a table and an empty line.
    """
    from wwho.cli.text_files import find_text_files, read_text_lists

    backend, judge = open_cutting_model(options)
    for _, texts in read_text_lists(find_text_files(options), by_line=True):
        assert isinstance(texts, list)  # as they are by line
        # The text of an object or a row may have several lines.
        for line in chain.from_iterable(text.split(b"\n") for text in texts):
            rows = list(cut_line(backend, judge, line))
            if options.json:
                streams.write_json({"segments": rows})
            else:
                streams.write_bytes(format_table(rows))
    return 0


def open_cutting_model(options: argparse.Namespace) -> tuple[Backend, UnitJudge]:
    """Open the model of `--model`; with `--schema`, a model without a vocabulary of these schemas.

    Returns:
        The model, and what tells the valid ones of its units.

    Raises:
        WwhoError: a schema or the model is at fault, or the backend is missing.
        OSError: a file cannot be read.
    """
    from wwho.backends.select import open_backend
    from wwho.compile.validity import UnitJudge

    if not options.schema:
        blob = shared.read_artifact(options.model)
        with errors_name_file(options.model):
            backend = open_backend(blob, options.backend)
        return backend, UnitJudge.of_model(backend.info.provenance)
    from wwho.assemble.training_artifacts import counting_model
    from wwho.format.write import write_artifact

    schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    backend = open_backend(write_artifact(counting_model(schemas)), options.backend)
    return backend, UnitJudge(schemas)


def cut_line(backend: Backend, judge: UnitJudge, line: bytes) -> Iterator[SegmentRow]:
    """Yield the segments of a line in order; none for an empty line."""
    spans = backend.spans(line)
    starts = [k for k, span in enumerate(spans) if span.first]
    for begin, end in pairwise([*starts, len(spans)]):
        yield to_row(backend.info.routes[spans[begin].route], judge, spans[begin:end], line)


def to_row(route: RouteInfo, judge: UnitJudge, spans: Sequence[Span], line: bytes) -> SegmentRow:
    """Return a segment as `--json` prints it; one of a route of the base has no units.

    Args:
        route: the segment's route.
        judge: tells the valid units.
        spans: its spans, at least one.
        line: the line that the spans count bytes of.
    """
    text = characters(line[spans[0].start : spans[-1].end])
    if route.units is None:
        return {"route": route.name, "text": text, **split_at_signs(text, judge.find_stray(text))}
    units = [characters(line[span.start : span.end]) for span in spans]
    row: SegmentRow = {"route": route.name, "text": text, "units": units}
    kinds = [
        (route.name, unit.removeprefix(" "), span.rule)
        for unit, span in zip(units, spans, strict=True)
    ]
    if stray := [k for k, each in enumerate(kinds) if judge.is_stray(*each)]:
        row["stray"] = stray
    invalid = [k for k, each in enumerate(kinds) if not judge.is_valid(*each)]
    if invalid := [k for k in invalid if k not in stray]:
        row["invalid"] = invalid
    return row


def split_at_signs(text: str, places: Sequence[int]) -> SegmentRow:
    """Return the `units` and `stray` of a text of no script; neither if it has no stray signs.

    Args:
        text: the text.
        places: the places of its stray signs, in characters from 0.
    """
    if not places:
        return {}
    cuts = sorted({0, *places, *(place + 1 for place in places), len(text)})
    units = [text[first:last] for first, last in pairwise(cuts)]
    return {"units": units, "stray": [k for k, cut in enumerate(cuts[:-1]) if cut in places]}


def format_table(rows: list[SegmentRow]) -> bytes:
    """Return a line for each segment, and an empty line, in UTF-8.

    A line has the route, a tab, and the units divided by bars. A stray sign is drawn on a dotted
    circle, as in Unicode's charts; a cross stands behind another unit that is no valid syllable.
    """
    lines = []
    for part in rows:
        units = list(part.get("units", [part["text"]]))
        for number in part.get("stray", []):
            space = " " * units[number].startswith(" ")
            units[number] = f"{space}{streams.CIRCLE}{units[number].removeprefix(space)}"
        for number in part.get("invalid", []):
            units[number] += CROSS
        lines.append(f"{part['route']}\t{streams.escape_invisible('|'.join(units))}\n")
    return "".join([*lines, "\n"]).encode()
