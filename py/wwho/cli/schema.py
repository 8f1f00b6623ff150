"""`wwho schema`: work on a schema of one's own; `check` is what there is to do."""

from __future__ import annotations

import argparse

from wwho.cli import check_schema
from wwho.cli.command import Command, add_commands

NAME = "schema"
HELP = "check a script's schema, and what it makes of a corpus"
TASKS: tuple[Command, ...] = (check_schema,)
EXAMPLE = check_schema.EXAMPLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: those of each task."""
    add_commands(parser, TASKS, title="tasks", metavar="TASK")


def run(options: argparse.Namespace) -> int:
    """Never called: a task must be given, and its own `run` takes the place of this one."""
    raise AssertionError(options)
