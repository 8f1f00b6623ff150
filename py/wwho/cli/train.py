"""`wwho train`: a corpus to a vocabulary."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import WwhoError

if TYPE_CHECKING:
    from wwho.artifact.model import Model

NAME = "train"
HELP = "train an SGPE vocabulary over a base"
EXAMPLE = """\
  $ wwho train --schema sinhala --schema devanagari --base o200k_base \\
      --vocab-size 128000 --prune 20 -o MODEL.wwho corpus.txt.xz more.jsonl.gz"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_schemas(parser)
    shared.add_base(parser)
    parser.add_argument(
        "--vocab-size",
        type=positive,
        default=128_000,
        metavar="N",
        help="ids for special tokens, atoms and merges; the lone space takes one more "
        "(default 128000)",
    )
    parser.add_argument(
        "--prune",
        type=positive,
        default=20,
        metavar="N",
        help="a syllable seen less often gets no id (default 20)",
    )
    parser.add_argument(
        "--min-freq",
        type=positive,
        default=2,
        metavar="N",
        help="a pair seen less often is not merged (default 2)",
    )
    parser.add_argument(
        "--special",
        action="append",
        metavar="TEXT",
        help="a special token; may be given several times "
        "(default: [PAD] [UNK] [BOS] [EOS] [MASK])",
    )
    parser.add_argument(
        "--processes", type=positive, default=1, metavar="N", help="cores that count (default 1)"
    )
    parser.add_argument(
        "--field", metavar="F", help='the field of JSON Lines that holds the text (default "text")'
    )
    shared.add_output(parser)
    shared.add_json(parser, '{"file", "bytes", "n_vocab", "atoms", "merges"}')
    shared.add_files(parser, ".txt or .jsonl, plain or .gz, .xz, .zst")


def run(options: argparse.Namespace) -> int:
    """Train, write the artifact, say how large it is."""
    from wwho.artifact.files import write_atomic
    from wwho.artifact.write import write_model

    shared.check_output(options)
    model = trained(options)
    blob = write_model(model)
    write_atomic(options.output, blob)
    shared.report_model(options, model, len(blob))
    return 0


def trained(options: argparse.Namespace) -> Model:
    """The model that the options ask for.

    Raises:
        WwhoError: schemas, base or corpus are at fault.
        UsageError: a number is out of range, or the base is none.
    """
    from wwho.train.train import SPECIALS, train

    schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    base = shared.load_base(options.base)
    try:
        return train(
            schemas,
            base,
            options.files or [streams.STANDARD_INPUT],
            vocab_size=options.vocab_size,
            prune=options.prune,
            min_freq=options.min_freq,
            specials=SPECIALS if options.special is None else options.special,
            processes=options.processes,
            progress=sys.stderr.isatty(),
            field=options.field,
            name=shared.encoding_name(options),
        )
    except WwhoError:
        raise
    except ValueError as error:
        raise shared.UsageError(error) from error


def positive(text: str) -> int:
    """A whole number from 1 on.

    Raises:
        ValueError: it is none; argparse turns this into exit code 2.
    """
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
