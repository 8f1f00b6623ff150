"""`wwho import`: another tokenizer's vocabulary to an artifact; a module for each kind of file."""

from __future__ import annotations

import argparse
from typing import Protocol

from wwho.cli import import_tiktoken, import_wwho_json

NAME = "import"
HELP = "turn another tokenizer's vocabulary into an artifact"


class Format(Protocol):
    """What each module of a format offers."""

    FORMAT: str
    HELP: str
    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the format's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Import and write."""


FORMATS: tuple[Format, ...] = (import_tiktoken, import_wwho_json)
EXAMPLE = "\n".join(each.EXAMPLE for each in FORMATS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: those of each format."""
    formats = parser.add_subparsers(title="formats", metavar="FORMAT", required=True)
    for each in FORMATS:
        description = f"{each.HELP[0].upper()}{each.HELP[1:]}."
        subparser = formats.add_parser(
            each.FORMAT,
            help=each.HELP,
            description=description,
            epilog=f"example:\n{each.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        each.add_arguments(subparser)
        subparser.set_defaults(import_format=each.run)


def run(options: argparse.Namespace) -> int:
    """Import and write."""
    code: int = options.import_format(options)
    return code
