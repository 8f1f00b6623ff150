"""`wwho segment`: lines of text to segments and syllables."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypedDict

from wwho.backends.backend import Backend, RouteInfo, Span
from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import naming
from wwho.format.layout import ORPHAN
from wwho.text import characters

NAME = "segment"
HELP = "cut each line of text into segments by script, and Abugida segments into syllables"
EXAMPLE = """\
  $ echo 'ගමේ school' | wwho segment --schema sinhala --json
  $ wwho segment lines.txt --schema my-script.json sinhala"""


class SegmentRow(TypedDict, total=False):
    """A segment as `--json` prints it; the route `other` has no units.

    `stray` has the numbers of the units that are stray signs, where there are any.
    """

    route: str
    text: str
    units: list[str]
    stray: list[int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_schemas(parser, required=False)
    shared.add_model(parser)
    rows = '{"segments": [{"route", "text", "units", "stray"}]} for each line'
    shared.add_json(parser, f'{rows}; "stray": the numbers of the units that are stray signs')
    shared.add_files(parser, "text, a line at a time")


def run(options: argparse.Namespace) -> int:
    """Segment each line."""
    backend = opened(options)
    for _, line in streams.lines(options.files):
        rows = list(segments(backend, line))
        if options.json:
            streams.write_json({"segments": rows})
        else:
            streams.write(table(rows))
    return 0


def opened(options: argparse.Namespace) -> Backend:
    """The model of `--model`, or one without a vocabulary that cuts by the schemas of `--schema`.

    Raises:
        WwhoError: a schema or the model is at fault, or the backend is missing.
        OSError: a file cannot be read.
    """
    from wwho.backends.select import open_backend

    if not options.schema:
        blob = shared.read_artifact(options.model)
        with naming(options.model):
            return open_backend(blob, options.backend)
    from wwho.assemble.artifact import counting_model
    from wwho.format.write import write_artifact

    schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    return open_backend(write_artifact(counting_model(schemas)), options.backend)


def segments(backend: Backend, line: bytes) -> Iterator[SegmentRow]:
    """The segments of a line."""
    spans = backend.spans(line)
    starts = [k for k, span in enumerate(spans) if span.first]
    for begin, end in pairwise([*starts, len(spans)]):
        yield segment(backend.info.routes[spans[begin].route], spans[begin:end], line)


def segment(route: RouteInfo, spans: Sequence[Span], line: bytes) -> SegmentRow:
    """The segment of these spans."""
    text = characters(line[spans[0].start : spans[-1].end])
    if route.units is None:
        return {"route": route.name, "text": text}
    units = [characters(line[span.start : span.end]) for span in spans]
    found: SegmentRow = {"route": route.name, "text": text, "units": units}
    if stray := [k for k, span in enumerate(spans) if span.rule == ORPHAN]:
        found["stray"] = stray
    return found


def table(rows: list[SegmentRow]) -> bytes:
    """One line for each segment, its route and its units divided by bars, and an empty line.

    A stray sign is drawn on a dotted circle, as in Unicode's charts.
    """
    lines = []
    for part in rows:
        units = part.get("units", [part["text"]])
        for number in part.get("stray", []):
            space = " " * units[number].startswith(" ")
            units[number] = f"{space}{streams.CIRCLE}{units[number].removeprefix(space)}"
        lines.append(f"{part['route']}\t{streams.printable('|'.join(units))}\n")
    return "".join([*lines, "\n"]).encode()
