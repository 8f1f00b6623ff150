"""`wwho eval`: a report on what a vocabulary is worth, beside others."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import BackendError

if TYPE_CHECKING:
    from wwho.evaluate.results import Evaluation

NAME = "eval"
HELP = "measure a vocabulary beside others, and write a report with tables and charts"
EXAMPLE = """\
  $ wwho eval --model MODEL.wwho --against o200k_base --against llama/tokenizer.json \\
      --data sinhala=si.txt.xz --data hindi=hi.txt.xz --parallel en=en.txt --parallel si=si.txt \\
      -o report/"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    several = partial(parser.add_argument, action="append", default=[])
    shared.add_model(parser)
    several(
        "--against",
        metavar="[LABEL=]NAME|FILE",
        help="a tokenizer to compare with: a shipped encoding, a .wwho file, or a file or folder "
        "that wwho import reads; may be given several times, and the first two are in the summary",
    )
    parser.add_argument(
        "--baselines",
        nargs="+",
        default=[],
        metavar="CORPUS",
        help="train baselines on this text, which should be that of the model, for as many ids: "
        "byte BPE, and SentencePiece's and tokenizers' where they are installed",
    )
    several(
        "--trainer",
        choices=("wwho", "sentencepiece", "tokenizers"),
        help="train baselines by this one alone; may be given several times",
    )
    several(
        "--data",
        required=True,
        type=named_file,
        metavar="NAME=FILE",
        help="a text, in any form that train reads; may be given several times",
    )
    shared.add_fields(parser)
    several(
        "--parallel",
        type=named_file,
        metavar="NAME=FILE",
        help="one of several texts that say the same, line by line; the first is the one that the "
        "others are compared with",
    )
    parser.add_argument(
        "--half",
        choices=("odd", "even"),
        help="of the parallel texts, measure only the odd or the even lines, counted from 1",
    )
    parser.add_argument(
        "--example",
        action="append",
        type=shared.unicode_text,
        metavar="TEXT",
        help="a text to show token by token; may be given several times (default: five)",
    )
    parser.add_argument(
        "--schema",
        action="extend",
        nargs="+",
        default=[],
        metavar="NAME|FILE",
        help="count the syllables of this schema in place of the model's; may be given several "
        "times",
    )
    parser.add_argument(
        "--unk",
        choices=("spell", "token"),
        default="spell",
        help="whether the model spells syllables outside its vocabulary, or writes [UNK], as the "
        "paper does (default spell)",
    )
    parser.add_argument(
        "--width",
        type=shared.parse_positive,
        default=4096,
        metavar="N",
        help="numbers in an embedding, for what the vocabulary costs (default 4096)",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="where the report goes"
    )
    shared.add_json(parser, "all figures, as in the report's report.json")


def named_file(text: str) -> tuple[str, str]:
    """A name and a file.

    Raises:
        ArgumentTypeError: it is not of that form; argparse turns this into exit code 2.
    """
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=FILE")
    return shared.unicode_text(name), file


def run(options: argparse.Namespace) -> int:
    """Measure, write the report, say the most important of it."""
    with extra():
        from wwho.evaluate.report import check_folder, to_json, write_report
    check_folder(options.output)
    found = evaluated(options)
    write_report(options.output, found)
    if options.json:
        streams.write(to_json(found).encode("utf-8", "replace"))
    else:
        page = Path(options.output) / "index.html"
        streams.write_lines([f"{page}: {summary(found)}"])
    return 0


def evaluated(options: argparse.Namespace) -> Evaluation:
    """The evaluation that the options ask for.

    Raises:
        WwhoError: a tokenizer, a schema or a text is at fault, or a package is missing.
        OSError: a file cannot be read.
    """
    with extra():
        from wwho.evaluate.examples import EXAMPLES
        from wwho.evaluate.encoders import Encoder, open_baseline, open_model
        from wwho.evaluate.evaluation import evaluate
        from wwho.evaluate.text_blocks import DataSet

        model = open_model(options.model, options.backend, unk=options.unk)
        baselines = [open_baseline(given, options.backend) for given in options.against]
        if options.baselines:
            from wwho.corpus import Corpus
            from wwho.train.baselines import train_baselines

            corpus = Corpus(options.baselines, field=options.field, column=options.column)
            baselines += [
                Encoder(each.name, each.blob, options.backend, kind=each.trainer)
                for each in train_baselines(model.name, model.backend.info, corpus, options.trainer)
            ]

    def texts(given: list[tuple[str, str]]) -> list[DataSet]:
        return [DataSet(name, file, options.field, options.column) for name, file in given]

    return evaluate(
        model,
        baselines,
        texts(options.data),
        parallel_texts=texts(options.parallel),
        half=options.half,
        example_texts=EXAMPLES if options.example is None else options.example,
        schemas=shared.load_schemas(options.schema, allow_invalid=False),
        width=options.width,
        progress=sys.stderr.isatty(),
    )


@contextmanager
def extra() -> Iterator[None]:
    """Say of a package that is not installed how to get it.

    Raises:
        BackendError: in place of the `ImportError`.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "wwho").startswith("wwho"):
            raise
        raise BackendError(
            f"wwho eval needs the package {error.name}: pip install 'wwho[eval]'"
        ) from error


def summary(found: Evaluation) -> str:
    """The most important figures on one line."""
    from wwho.evaluate.report import headline_figures

    return ", ".join(f"{figure} {what}" for figure, what in headline_figures(found))
