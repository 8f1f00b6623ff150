"""`wwho eval`: measures a vocabulary beside others on texts, and writes a report."""

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
from wwho.errors import BackendError, CorpusError, WwhoError

if TYPE_CHECKING:
    from wwho.evaluate.results import Evaluation

NAME = "eval"
HELP = "measure a vocabulary beside others, and write a report with tables and charts"
EXAMPLE = """\
  $ wwho eval --model MODEL.wwho --against o200k_base --against llama/tokenizer.json \\
      --data sinhala=si.txt.xz --data hindi=hi.txt.xz --parallel en=en.txt --parallel si=si.txt \\
      -o report/"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the model, others to compare, texts, the report's folder.

    Texts of `--data` are required, and so is the folder.
    """
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
        type=parse_named_file,
        metavar="NAME=FILE",
        help="a text, in any form that train reads; may be given several times",
    )
    shared.add_fields(parser)
    several(
        "--parallel",
        type=parse_named_file,
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
        "--lm",
        choices=("quick", "full"),
        help="also train language models over the ids of each tokenizer, and measure their bits "
        "per byte on clean and misspelt text; quick: n-grams, in seconds; full: "
        "also small decoders, in minutes to hours, which can be interrupted and resumed",
    )
    for name, default, meaning in (
        ("bytes", 2_000_000, "bytes of text that each decoder sees"),
        ("seeds", 3, "decoders that each tokenizer gets"),
        ("width", 128, "width of the decoders, a multiple of 64"),
        ("layers", 3, "layers of the decoders"),
    ):
        parser.add_argument(
            f"--lm-{name}",
            type=shared.parse_positive,
            default=default,
            metavar="N",
            help=f"of --lm full: {meaning} (default {default})",
        )
    parser.add_argument(
        "--lm-engine",
        choices=("numpy", "torch"),
        default="numpy",
        help="of --lm full: what trains them (default numpy; torch needs wwho[lm], and uses a GPU "
        "if there is one)",
    )
    parser.add_argument(
        "--lm-text",
        nargs="+",
        default=[],
        metavar="FILE",
        help="train them on this text, and measure on all lines of --data that it does not have "
        "(default: on seven lines in eight of each text, and measure on the eighth)",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="where the report goes"
    )
    shared.add_json(parser, "all figures, as in the report's report.json")


def parse_named_file(text: str) -> tuple[str, str]:
    """Return the name and the file of an argument `NAME=FILE`; the file may have equals signs.

    Raises:
        ArgumentTypeError: the argument has another form; argparse turns this into exit code 2.
    """
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=FILE")
    return shared.unicode_text(name), file


def run(options: argparse.Namespace) -> int:
    """Measure, write the report into a folder, print its headline figures, return exit code 0.

    With `--json` all figures are printed instead. A folder that cannot be written to is found
    before the work.

    Raises:
        BackendError: a package of `wwho[eval]` is not installed.
        WwhoError: a tokenizer, a schema or a text is at fault.
        OSError: a file cannot be read, or the report cannot be written.
    """
    with name_missing_package():
        from wwho.evaluate.report import check_folder, to_json, write_report
    check_folder(options.output)
    evaluation = run_evaluation(options)
    write_report(options.output, evaluation)
    if options.json:
        streams.write_bytes(to_json(evaluation).encode("utf-8", "replace"))
    else:
        page = Path(options.output) / "index.html"
        streams.write_lines([f"{page}: {summarize(evaluation)}"])
    return 0


def run_evaluation(options: argparse.Namespace) -> Evaluation:
    """Open the tokenizers of the options, train baselines if asked for, and measure all of them.

    Raises:
        WwhoError: a tokenizer, a schema or a text is at fault, or a package is missing.
        OSError: a file cannot be read.
    """
    with name_missing_package():
        from wwho.corpus import Corpus
        from wwho.evaluate.encoders import Encoder, open_baseline, open_model
        from wwho.evaluate.evaluation import evaluate
        from wwho.evaluate.examples import EXAMPLES
        from wwho.evaluate.neural_models import NeuralOptions
        from wwho.evaluate.text_blocks import DataSet

        model = open_model(options.model, options.backend, unk=options.unk)
        baselines = [open_baseline(given, options.backend) for given in options.against]
        if options.baselines:
            from wwho.train.baselines import train_baselines

            corpus = Corpus(options.baselines, field=options.field, column=options.column)
            baselines += [
                Encoder(each.name, each.blob, options.backend, kind=each.trainer)
                for each in train_baselines(model.name, model.backend.info, corpus, options.trainer)
            ]

    def data_sets(given: list[tuple[str, str]]) -> list[DataSet]:
        """Return texts of names and files, all read with the same field and column."""
        return [DataSet(name, file, options.field, options.column) for name, file in given]

    if options.lm_width % 64:
        raise WwhoError(f"--lm-width is {options.lm_width}; give a multiple of 64")
    if options.lm_text and not options.lm:
        raise CorpusError("--lm-text is what language models are trained on; add --lm quick")
    return evaluate(
        model,
        baselines,
        data_sets(options.data),
        parallel_texts=data_sets(options.parallel),
        half=options.half,
        example_texts=EXAMPLES if options.example is None else options.example,
        schemas=shared.load_schemas(options.schema, allow_invalid=False),
        width=options.width,
        language_models=options.lm,
        language_model_text=Corpus(options.lm_text, field=options.field, column=options.column)
        if options.lm_text
        else None,
        neural=NeuralOptions(
            folder=Path(options.output) / "runs",
            n_bytes=options.lm_bytes,
            n_seeds=options.lm_seeds,
            width=options.lm_width,
            layers=options.lm_layers,
            engine=options.lm_engine,
        ),
        progress=sys.stderr.isatty(),
    )


@contextmanager
def name_missing_package() -> Iterator[None]:
    """Turn an error of an import inside the `with` block into one that says what to install.

    Raises:
        BackendError: a package is not installed, unless it is a part of wwho itself.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "wwho").startswith("wwho"):
            raise
        raise BackendError(
            f"wwho eval needs the package {error.name}: pip install 'wwho[eval]'"
        ) from error


def summarize(evaluation: Evaluation) -> str:
    """Return the headline figures of an evaluation on one line, divided by commas."""
    from wwho.evaluate.report import headline_figures

    return ", ".join(f"{figure} {what}" for figure, what in headline_figures(evaluation))
