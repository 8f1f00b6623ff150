"""`wwho segment`: lines of text to segments and syllables."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict

from wwho.cli import options as shared
from wwho.cli import streams

if TYPE_CHECKING:
    from wwho.tokenizer import Segment

NAME = "segment"
HELP = "cut each line of text into segments by script, and Abugida segments into syllables"
EXAMPLE = """\
  $ echo 'ගමේ school' | wwho segment --schema sinhala --json
  $ wwho segment lines.txt --schema my-script.json sinhala"""


class SegmentRow(TypedDict, total=False):
    """A segment as `--json` prints it; the route `other` has no units."""

    route: str
    text: str
    units: list[str]


Segmenter = Callable[[bytes], list[SegmentRow]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_schemas(parser, required=False)
    shared.add_model(parser)
    shared.add_json(parser, '{"segments": [{"route", "text", "units"}]} for each line')
    shared.add_files(parser, "text, a line at a time")


def run(options: argparse.Namespace) -> int:
    """Segment each line."""
    segment = by_schemas(options) if options.schema else by_model(options)
    for _, line in streams.lines(options.files):
        rows = segment(line)
        if options.json:
            streams.write_json({"segments": rows})
        else:
            streams.write(table(rows))
    return 0


def by_model(options: argparse.Namespace) -> Segmenter:
    """Segment as the model of `--model` does."""
    tokenizer = shared.open_model(options)

    def segment(line: bytes) -> list[SegmentRow]:
        return [row(part) for part in tokenizer.segment(line)]

    return segment


def by_schemas(options: argparse.Namespace) -> Segmenter:
    """Segment by the schemas of `--schema` alone, in plain Python; no vocabulary is needed."""
    from wwho.backend.characters import characters
    from wwho.grammar.run import pieces
    from wwho.schema.compile import compile_schemas

    schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    compiled = compile_schemas(schemas, None)
    router, *_ = compiled.automata
    unit_scanners = compiled.automata[-len(schemas) :]

    def cut(route: int, text: str) -> SegmentRow:
        if route == 0:
            return {"route": "other", "text": text}
        units = pieces(compiled, unit_scanners[route - 1], text)
        return {
            "route": schemas[route - 1].name,
            "text": text,
            "units": [text[start:end] for start, end, _ in units],
        }

    def segment(line: bytes) -> list[SegmentRow]:
        text = characters(line)
        return [cut(route, text[start:end]) for start, end, route in pieces(compiled, router, text)]

    return segment


def row(part: Segment) -> SegmentRow:
    """A tokenizer's segment as `--json` prints it."""
    if part.units:
        return {"route": part.route, "text": part.text, "units": list(part.units)}
    return {"route": part.route, "text": part.text}


def table(rows: list[SegmentRow]) -> bytes:
    """One line for each segment, its route and its units divided by bars, and an empty line."""
    texts = ["|".join(part.get("units", [part["text"]])) for part in rows]
    lines = [
        f"{part['route']}\t{streams.printable(text)}\n"
        for part, text in zip(rows, texts, strict=True)
    ]
    return "".join([*lines, "\n"]).encode()
