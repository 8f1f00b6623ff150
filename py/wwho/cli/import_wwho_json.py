"""`wwho import wwho-json`: the vocab.json of the WWHO paper's authors to an artifact."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams

if TYPE_CHECKING:
    from wwho.build.paper import Imported

NAME = "wwho-json"
HELP = "the vocab.json of the WWHO paper's authors; ids are those of their encoder, [UNK] included"
EXAMPLE = """\
  $ wwho import wwho-json vocab.json --base o200k_base -o paper.wwho"""

SCHEMAS = ("paper/sinhala", "paper/devanagari")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the format's arguments."""
    parser.description = (
        f"{parser.description} Text that their encoder loses to [UNK] is lost here too; encodings "
        "that `wwho train` makes lose none."
    )
    parser.add_argument("file", metavar="FILE", help="the vocab.json")
    parser.add_argument(
        "--schema",
        action="extend",
        nargs="+",
        metavar="NAME|FILE",
        help="shipped schemas or files that say how their encoder cuts text, though they break the "
        f"definition; may be given several times (default {' '.join(SCHEMAS)})",
    )
    shared.add_base(parser)
    shared.add_output(parser)
    shared.add_json(
        parser,
        '{"file", "bytes", "n_vocab", "atoms", "merges", "merges_left_out", '
        '"merges_without_id", "tokens_never_written"}',
    )


def run(options: argparse.Namespace) -> int:
    """Import and write."""
    from wwho.build.paper import import_vocab_json

    shared.check_output(options, options.file)
    with warnings.catch_warnings():
        # What these schemas break is what is to be reproduced.
        warnings.simplefilter("ignore")
        schemas = shared.load_schemas(options.schema or SCHEMAS, allow_invalid=True)
    base = shared.load_base(options.base)
    if base.router is not None:
        raise shared.UsageError(f"--base {base.name}: has schemas already; give a base vocabulary")
    found = import_vocab_json(options.file, schemas, base, name=shared.encoding_name(options))
    report(options, found, shared.write_artifact(options, found.model))
    return 0


def report(options: argparse.Namespace, found: Imported, size: int) -> None:
    """Say what has been written, and what was not taken over or will lose text."""
    facts = {
        "merges_left_out": found.unmade + found.apart,
        "merges_without_id": found.without_id,
        "tokens_never_written": found.never_written,
    }
    shared.report_model(options, found.model, size, **facts)
    if not options.json:
        text = (
            f"left out: {found.unmade:,} merges with a part that nothing makes, {found.apart:,} "
            f"whose parts never meet\n"
            f"not lossless: {found.without_id:,} merged tokens are outside the vocabulary; they "
            "and all units outside it become [UNK]\n"
            f"{found.never_written:,} tokens that no text is encoded to decode all the same\n"
        )
        streams.write(text.encode())
