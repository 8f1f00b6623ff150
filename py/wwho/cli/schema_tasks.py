"""`wwho schema`: the tasks on a schema of one's own, of which `check` is the only one."""

from __future__ import annotations

import argparse

from wwho.cli import check_schema
from wwho.cli.command import Command, add_commands

NAME = "schema"
HELP = "check a script's schema, and what it makes of a corpus"
TASKS: tuple[Command, ...] = (check_schema,)
EXAMPLE = check_schema.EXAMPLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add each task and its arguments to the parser."""
    add_commands(parser, TASKS, title="tasks", metavar="TASK")


def run(options: argparse.Namespace) -> int:
    """Raise AssertionError: the parser demands a task, whose own `run` is called instead."""
    raise AssertionError(options)
