"""What a module of this package offers, and how it becomes a command of the parser."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Protocol


class Command(Protocol):
    """A command: a module of this package."""

    NAME: str
    HELP: str
    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Run the command; return its exit code."""


def add_commands(
    parser: argparse.ArgumentParser, commands: Sequence[Command], *, title: str, metavar: str
) -> None:
    """Let the parser take one of these commands, whose `run` becomes the default of `run`."""
    subparsers = parser.add_subparsers(title=title, metavar=metavar, required=True)
    for command in commands:
        subparser = subparsers.add_parser(
            command.NAME,
            help=command.HELP,
            description=f"{command.HELP[0].upper()}{command.HELP[1:]}.",
            epilog=f"example:\n{command.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        subparser.set_defaults(run=command.run)
        command.add_arguments(subparser)
