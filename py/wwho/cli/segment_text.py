"""`wwho segment`: cuts lines of text into segments and syllables, and prints them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypedDict

from wwho.backends.backend import Backend, RouteInfo, Span
from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import errors_name_file
from wwho.format.layout import ORPHAN
from wwho.text import characters

NAME = "segment"
HELP = "cut each line of text into segments by script, and Abugida segments into syllables"
EXAMPLE = """\
  $ echo 'ගමේ school' | wwho segment --schema sinhala --json
  $ wwho segment lines.txt --schema my-script.json sinhala"""


class SegmentRow(TypedDict, total=False):
    """A segment of a line as `--json` prints it.

    Attributes:
        route: the name of its route.
        text: its text.
        units: its syllables, stray signs and other characters; missing for routes of the base.
        stray: the numbers of the units that are stray signs; missing where there are none.
    """

    route: str
    text: str
    units: list[str]
    stray: list[int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the schemas or the model, `--json`, the files."""
    shared.add_schemas(parser, required=False)
    shared.add_model(parser)
    rows = '{"segments": [{"route", "text", "units", "stray"}]} for each line'
    shared.add_json(parser, f'{rows}; "stray": the numbers of the units that are stray signs')
    shared.add_files(parser, "text, a line at a time")


def run(options: argparse.Namespace) -> int:
    """Print the segments of each input line, and return exit code 0.

    With `--json` each line of text is one object; otherwise it is a table and an empty line.
    """
    backend = open_cutting_model(options)
    for _, line in streams.read_lines(options.files):
        rows = list(cut_line(backend, line))
        if options.json:
            streams.write_json({"segments": rows})
        else:
            streams.write_bytes(format_table(rows))
    return 0


def open_cutting_model(options: argparse.Namespace) -> Backend:
    """Open the model of `--model`; with `--schema`, a model without a vocabulary of these schemas.

    Raises:
        WwhoError: a schema or the model is at fault, or the backend is missing.
        OSError: a file cannot be read.
    """
    from wwho.backends.select import open_backend

    if not options.schema:
        blob = shared.read_artifact(options.model)
        with errors_name_file(options.model):
            return open_backend(blob, options.backend)
    from wwho.assemble.training_artifacts import counting_model
    from wwho.format.write import write_artifact

    schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    return open_backend(write_artifact(counting_model(schemas)), options.backend)


def cut_line(backend: Backend, line: bytes) -> Iterator[SegmentRow]:
    """Yield the segments of a line in order; none for an empty line."""
    spans = backend.spans(line)
    starts = [k for k, span in enumerate(spans) if span.first]
    for begin, end in pairwise([*starts, len(spans)]):
        yield to_row(backend.info.routes[spans[begin].route], spans[begin:end], line)


def to_row(route: RouteInfo, spans: Sequence[Span], line: bytes) -> SegmentRow:
    """Return a segment as `--json` prints it; one of a route of the base has no units.

    Args:
        route: the segment's route.
        spans: its spans, at least one.
        line: the line that the spans count bytes of.
    """
    text = characters(line[spans[0].start : spans[-1].end])
    if route.units is None:
        return {"route": route.name, "text": text}
    units = [characters(line[span.start : span.end]) for span in spans]
    row: SegmentRow = {"route": route.name, "text": text, "units": units}
    if stray := [k for k, span in enumerate(spans) if span.rule == ORPHAN]:
        row["stray"] = stray
    return row


def format_table(rows: list[SegmentRow]) -> bytes:
    """Return a line for each segment, and an empty line, in UTF-8.

    A line has the route, a tab, and the units divided by bars. A stray sign is drawn on a dotted
    circle, as in Unicode's charts.
    """
    lines = []
    for part in rows:
        units = list(part.get("units", [part["text"]]))
        for number in part.get("stray", []):
            space = " " * units[number].startswith(" ")
            units[number] = f"{space}{streams.CIRCLE}{units[number].removeprefix(space)}"
        lines.append(f"{part['route']}\t{streams.escape_invisible('|'.join(units))}\n")
    return "".join([*lines, "\n"]).encode()
