"""`wwho count-words`: the words of a corpus to a file of counts."""

from __future__ import annotations

import argparse
import json

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.cli.train import add_words, arguments

NAME = "count-words"
HELP = "count the words of a corpus, or of a part of it, for `wwho train --counts`"
EXAMPLE = """\
  $ wwho count-words --schema sinhala -o a.counts a.txt.xz
  $ wwho count-words --schema sinhala -o b.counts b.txt
  $ wwho count-words --schema sinhala -o all.counts --counts a.counts b.counts"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_words(parser)
    parser.add_argument(
        "--part",
        type=part,
        default=(1, 1),
        metavar="K/N",
        help="count part K of N of each file: of lines, or of the row groups of Parquet; what is "
        "compressed is all in part 1 (default 1/1)",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="X.counts",
        help="the file to write; if it exists and was made from the same files and options, "
        "nothing is counted",
    )
    shared.add_json(parser, '{"file", "counted", "texts", "bytes", "words", "distinct_words"}')


def run(options: argparse.Namespace) -> int:
    """Count, unless that was done before; say what was counted."""
    from wwho.train.plan import Plan

    shared.check_output(options)
    with shared.usage():
        plan = Plan(**arguments(options))
        counts, made = plan.read().count_to(options.output, options.part)
    info = counts.words.info()
    facts = {
        "file": options.output,
        "counted": made,
        "texts": len(counts.texts),
        "bytes": counts.n_bytes,
        "words": info.total,
        "distinct_words": info.n_words,
    }
    if options.json:
        line = json.dumps(facts, ensure_ascii=False)
    else:
        before = "" if made else "counted before: "
        line = (
            f"{options.output}: {before}{counts.n_bytes:,} bytes of text, {info.total:,} words, "
            f"{info.n_words:,} different"
        )
    streams.write_lines([line])
    return 0


def part(text: str) -> tuple[int, int]:
    """Which part, and of how many.

    Raises:
        ValueError: there are no two numbers with a ``/`` between them.
    """
    number, parts = map(int, text.split("/"))
    return number, parts
