"""The interface of a command's module, and the registration of commands with a parser."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Protocol


class Command(Protocol):
    """A command: a module of this package.

    Attributes:
        NAME: the word that calls it.
        HELP: what it does, a phrase that begins with a small letter and has no full stop.
        EXAMPLE: command lines for its help, each indented by two spaces.
    """

    NAME: str
    HELP: str
    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to its parser."""

    def run(self, options: argparse.Namespace) -> int:
        """Run the command with the arguments that were read, and return its exit code."""


def add_commands(
    parser: argparse.ArgumentParser, commands: Sequence[Command], *, title: str, metavar: str
) -> None:
    """Let a parser take one of some commands, and keep that command's `run` in its result.

    Args:
        parser: the parser, which is changed.
        commands: the commands, in the order in which the help lists them.
        title: the heading of their list in the help.
        metavar: what stands for a command in the usage.
    """
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
