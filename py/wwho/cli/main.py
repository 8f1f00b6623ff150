"""The `wwho` command line: its parser, the run of one command, and errors as exit codes."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from wwho.cli import (
    compile_schemas,
    count_tokens,
    count_words,
    decode_ids,
    encode_text,
    evaluate_vocabulary,
    export_model,
    import_vocabulary,
    inspect_artifact,
    schema_tasks,
    segment_text,
    serve_page,
    tokenize_corpus,
    train,
    verify_artifact,
)
from wwho.cli.command import Command, add_commands
from wwho.cli.options import SchemasError, UsageError
from wwho.errors import WwhoError
from wwho.tokenizer.versions import versions

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
    schema_tasks,
    segment_text,
    encode_text,
    decode_ids,
    count_tokens,
    tokenize_corpus,
    inspect_artifact,
    verify_artifact,
    evaluate_vocabulary,
    serve_page,
)


def build_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line; the `run` of its result is that of the command."""
    parser = argparse.ArgumentParser(
        prog="wwho",
        description="Exact tokenization that keeps the syllables of Abugida scripts whole.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=describe_version())
    add_commands(parser, COMMANDS, title="commands", metavar="COMMAND")
    return parser


def describe_version() -> str:
    """Return the version of the package, with those of the core and of the artifacts' format."""
    found = versions()
    return f"wwho {found['package']} (core {found['core']}, format {found['format']})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code; errors and warnings are lines on standard error.

    Args:
        arguments: what follows the program's name; None for `sys.argv[1:]`.

    Returns:
        The exit code: 0 success, 1 data error, 2 usage, 130 Ctrl-C, 141 the reader of standard
        output went away before the end, as `head` does.

    Raises:
        SystemExit: with 2, the arguments make no sense; with 0, after `--help` and `--version`.
    """
    try:
        options = build_parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = print_warning
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
        print(f"wwho: {to_message(error)}", file=sys.stderr)
        return 2
    except SchemasError as error:
        for line in error.lines:
            print(f"wwho: {' '.join(line.split())}", file=sys.stderr)
        return 1
    except (WwhoError, OSError) as error:
        print(f"wwho: {to_message(error)}", file=sys.stderr)
        return 1
    return code


def print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning on standard error as one line, without the source line that gave it.

    The parameters are those of `warnings.showwarning`, which this takes the place of.
    """
    print(f"wwho: {message}", file=sys.stderr)


def to_message(error: Exception) -> str:
    """Return the message of an error on one line; of an `OSError` with a file, "FILE: reason".

    An error without a message gives the name of its class.
    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename) or repr('')}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
