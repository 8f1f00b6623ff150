"""The `wwho` command: reads the arguments, runs one command, turns errors into exit codes."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from wwho.cli import (
    compile_schemas,
    count,
    count_words,
    decode,
    encode,
    eval,
    export_model,
    import_vocabulary,
    inspect,
    schema,
    segment,
    serve,
    train,
    verify,
)
from wwho.cli.command import Command, add_commands
from wwho.cli.options import SchemasError, UsageError
from wwho.errors import WwhoError
from wwho.version import __version__

EPILOG = """\
exit codes: 0 success, 1 error in the data, 2 error in the command line, 130 Ctrl-C
`wwho COMMAND --help` shows an example of each command.
"""


COMMANDS: tuple[Command, ...] = (
    count_words,
    train,
    compile_schemas,
    import_vocabulary,
    export_model,
    schema,
    segment,
    encode,
    decode,
    count,
    inspect,
    verify,
    eval,
    serve,
)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; each one's `run` is the default of `run`."""
    parser = argparse.ArgumentParser(
        prog="wwho",
        description="Exact tokenization that keeps the syllables of Abugida scripts whole.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wwho {__version__}")
    add_commands(parser, COMMANDS, title="commands", metavar="COMMAND")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what follows the program's name; `sys.argv[1:]` where it is None.

    Returns:
        The exit code: 0 success, 1 data error, 2 usage, 130 Ctrl-C, 141 the output's reader went
        away.

    Raises:
        SystemExit: with 2, the arguments make no sense; with 0, after `--help` and `--version`.
    """
    options = build_parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            code: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at exit; that must find no broken pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except UsageError as error:
        print(f"wwho: {one_line(error)}", file=sys.stderr)
        return 2
    except SchemasError as error:
        for line in error.lines:
            print(f"wwho: {' '.join(line.split())}", file=sys.stderr)
        return 1
    except (WwhoError, OSError) as error:
        print(f"wwho: {one_line(error)}", file=sys.stderr)
        return 1
    return code


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one line, without the place in the source that gave it."""
    print(f"wwho: {message}", file=sys.stderr)


def one_line(error: Exception) -> str:
    """The message of an error without line breaks; `OSError`s as "FILE: reason"."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
