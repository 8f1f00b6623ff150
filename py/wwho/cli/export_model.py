"""`wwho export`: writes a model as a file of another library that gives the same ids."""

from __future__ import annotations

import argparse

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import errors_name_file

NAME = "export"
HELP = "turn an artifact into a file of another library that gives the same ids there"
EXAMPLE = """\
  $ wwho export o200k_base --to tokenizer.json -o tokenizer.json
  $ wwho export my_o200k.wwho --to tiktoken -o my.tiktoken"""

FORMATS = ("tokenizer.json", "tiktoken", "gguf", "sentencepiece")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the model, the format, the output file, `--json`."""
    shared.add_artifact(parser)
    parser.add_argument("--to", required=True, choices=FORMATS, help="the kind of file")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the file to write")
    shared.add_json(parser, '{"file", "bytes", "notes"}')


def run(options: argparse.Namespace) -> int:
    """Export a model, write the file, print its size and what it lacks, and return exit code 0.

    Raises:
        ExportError: the format cannot hold the model; the message says why.
        OSError: a file cannot be read or written.
    """
    from wwho.exporters import export
    from wwho.format.files import write_atomic
    from wwho.format.read import read_artifact

    shared.check_output(options, options.model)
    blob = shared.read_artifact(options.model)
    with errors_name_file(options.model):
        artifact = read_artifact(blob)
    exported = export(artifact, options.to)
    write_atomic(options.output, exported.data)
    if options.json:
        streams.write_json(
            {"file": options.output, "bytes": len(exported.data), "notes": list(exported.notes)}
        )
    else:
        streams.write_lines([f"{options.output}: {len(exported.data):,} bytes", *exported.notes])
    return 0
