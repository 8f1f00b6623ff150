"""`wwho import`: another tokenizer's vocabulary to an artifact; a command for each kind of file."""

from __future__ import annotations

import argparse

from wwho.cli import import_tiktoken, import_wwho_json
from wwho.cli.command import Command, add_commands

NAME = "import"
HELP = "turn another tokenizer's vocabulary into an artifact"
FORMATS: tuple[Command, ...] = (import_tiktoken, import_wwho_json)
EXAMPLE = "\n".join(each.EXAMPLE for each in FORMATS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: those of each format."""
    add_commands(parser, FORMATS, title="formats", metavar="FORMAT")


def run(options: argparse.Namespace) -> int:
    """Never called: a format must be given, and its own `run` takes the place of this one."""
    raise AssertionError(options)
