"""`wwho import tiktoken`: a tiktoken rank file to an artifact."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from wwho.cli import options as shared

NAME = "tiktoken"
HELP = "a tiktoken rank file, as a base vocabulary"
EXAMPLE = """\
  $ wwho import tiktoken o200k_base.tiktoken --pattern o200k_base \\
      --special '<|endoftext|>=199999' --name my_o200k -o my_o200k.wwho"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the format's arguments."""
    parser.add_argument("file", metavar="FILE", help="the rank file: base64 token and rank a line")
    parser.add_argument(
        "--pattern",
        required=True,
        metavar="NAME|REGEX",
        help="the pretokenizer: o200k_base, cl100k_base, r50k_base or a regular expression",
    )
    parser.add_argument(
        "--special",
        action="append",
        type=special,
        default=[],
        metavar="TEXT=ID",
        help="a special token and its id; may be given several times",
    )
    parser.add_argument("--source", default="", help="where the ranks come from, for the record")
    parser.add_argument("--license", default="", help="their licence, for the record")
    shared.add_output(parser)
    shared.add_json(parser, '{"file", "bytes", "n_vocab", "atoms", "merges"}')


def run(options: argparse.Namespace) -> int:
    """Import and write."""
    from wwho.build.base import import_tiktoken

    specials = dict(options.special)
    if len(specials) < len(options.special):
        twice, _ = Counter(text for text, _ in options.special).most_common(1)[0]
        raise shared.UsageError(f"--special {twice}=... is given twice; give one")
    shared.check_output(options, options.file)
    model = import_tiktoken(
        options.file,
        pattern=options.pattern,
        specials=specials,
        name=shared.encoding_name(options),
        source=shared.unicode_text(options.source or Path(options.file).name),
        license=shared.unicode_text(options.license or "unknown"),
    )
    shared.report_model(options, model, shared.write_artifact(options, model))
    return 0


def special(text: str) -> tuple[str, int]:
    """A special token and its id, from TEXT=ID; the text may hold equals signs itself.

    Raises:
        ValueError: it is none; argparse turns this into exit code 2.
    """
    token, equals, number = text.rpartition("=")
    if not token or not equals:
        raise ValueError(text)
    return token, int(number)
