"""`wwho count-words`: the command that counts the words of a corpus into a file."""

from __future__ import annotations

import argparse
import json

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.cli.train import add_word_arguments, corpus_of, word_options

NAME = "count-words"
HELP = "count the words of a corpus, or of a part of it, for `wwho train --counts`"
EXAMPLE = """\
  $ wwho count-words --schema sinhala -o a.counts a.txt.xz
  $ wwho count-words --schema sinhala -o b.counts b.txt
  $ wwho count-words --schema sinhala -o all.counts --counts a.counts b.counts"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: those of `add_word_arguments`, the part and the output."""
    add_word_arguments(parser)
    parser.add_argument(
        "--part",
        type=shared.parse_part,
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
        help="the file to write, or a URL that fsspec opens; if it exists and was made from the "
        "same files and options, nothing is counted",
    )
    shared.add_json(parser, '{"file", "counted", "texts", "bytes", "words", "distinct_words"}')


def run(options: argparse.Namespace) -> int:
    """Count into the output, unless it holds these counts, and print what it holds; return 0.

    It prints one line, which begins with ``counted before`` if nothing was counted now, or with
    ``--json`` an object.

    Raises:
        UsageError: a number is out of range, or a file that is read is the output.
        WwhoError: as `wwho.train.count_words` does.
        OSError: a file cannot be read or written.
    """
    from wwho.train.plan import plan_training

    with shared.report_usage_errors():
        corpus = corpus_of(options)
        shared.check_output(options, *corpus.files, *options.counts, may_be_url=True)
        plan = plan_training(corpus, word_options(options)).prepare()
        counts, made_now = plan.count_to_file(options.output, options.part)
    info = counts.words.info()
    facts = {
        "file": options.output,
        "counted": made_now,
        "texts": len(counts.texts),
        "bytes": counts.n_bytes,
        "words": info.total,
        "distinct_words": info.n_words,
    }
    if options.json:
        line = json.dumps(facts, ensure_ascii=False)
    else:
        before = "" if made_now else "counted before: "
        line = (
            f"{options.output}: {before}{counts.n_bytes:,} bytes of text, {info.total:,} words, "
            f"{info.n_words:,} different"
        )
    streams.write_lines([line])
    return 0
