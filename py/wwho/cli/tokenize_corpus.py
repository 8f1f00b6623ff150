"""`wwho tokenize`: writes the ids of a corpus as shards to train a language model on."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from typing import Any

from wwho.cli import options as shared
from wwho.cli import streams

NAME = "tokenize"
HELP = "encode the documents of a corpus into shards to train a language model on"
EXAMPLE = """\
  $ wwho tokenize web/*.parquet --model o200k_base --eos '<|endoftext|>' -o shards
  $ wwho tokenize books/ --model my.wwho --format megatron --part 3/8 -o parts
  $ wwho tokenize more.jsonl.gz --model my.wwho --format arrow --shuffle 1 -o rows"""

FORMATS = ("bin", "npy", "megatron", "arrow", "parquet", "mds")
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
UNITS |= {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: corpus, model, folder, format, documents, shards, work."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="CORPUS",
        help="files, folders, patterns and URLs, in any form that train reads; - is standard input",
    )
    parser.add_argument(
        "--model",
        required=True,
        metavar="NAME|FILE",
        help="a shipped encoding or a .wwho file",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="the folder or URL to write into"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="bin", help="the format of the shards (default bin)"
    )
    parser.add_argument("--eos", metavar="TOKEN", help="the added token after each document")
    parser.add_argument("--bos", metavar="TOKEN", help="the added token before each document")
    shared.add_fields(parser)
    parser.add_argument(
        "--name-field",
        metavar="F",
        help="the field of JSON Lines, or column of Parquet, that names a document; names are "
        "written, too",
    )
    parser.add_argument(
        "--whole-files",
        action="store_true",
        help="a file of plain text is one document (default: each of its lines)",
    )
    parser.add_argument(
        "--max-document",
        type=parse_size,
        default="64MiB",
        metavar="SIZE",
        help="the most bytes of a document, or of the line of JSON that holds it; a process may "
        "hold one, several times over (default 64MiB, less than 2GiB)",
    )
    shared.add_sample(parser, "encode")
    parser.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="what to do at what is broken: stop, or skip it and list it in manifest.json",
    )
    parser.add_argument(
        "--shard-size",
        type=parse_size,
        default="512MB",
        metavar="SIZE",
        help="the most bytes of ids in a shard (default 512MB)",
    )
    parser.add_argument(
        "--shuffle", type=int, metavar="SEED", help="shuffle documents, as this number decides"
    )
    parser.add_argument(
        "--pack",
        type=shared.parse_positive,
        metavar="LENGTH",
        help="pack documents one after another into rows of so many ids",
    )
    parser.add_argument(
        "--processes",
        type=shared.parse_positive,
        metavar="N",
        help="how many processes work at the same time (default: one for each processor)",
    )
    parser.add_argument(
        "--part",
        type=shared.parse_part,
        default=(1, 1),
        metavar="K/N",
        help="do part K of N, such as 3/8 on the third of eight machines that share the folder; "
        "the last to end writes manifest.json",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with what an earlier run with the same options left in the folder",
    )
    shared.add_json(parser, "what manifest.json holds, or null while other parts are not done")


def run(options: argparse.Namespace) -> int:
    """Write the shards, print what they hold, and return exit code 0.

    Raises:
        UsageError: a number is out of range.
        WwhoError: as `wwho.shards.tokenize` does.
        OSError: a file cannot be read or written.
    """
    from wwho.corpus import Corpus
    from wwho.shards import tokenize

    with shared.report_usage_errors():
        corpus = Corpus(
            options.files,
            field=options.field,
            column=options.column,
            sample=options.sample,
            errors=options.errors,
        )
        manifest = tokenize(
            corpus,
            options.model,
            options.output,
            format=options.format,
            bos=options.bos,
            eos=options.eos,
            name_field=options.name_field,
            whole_files=options.whole_files,
            max_document=options.max_document,
            shard_size=options.shard_size,
            shuffle=options.shuffle,
            pack=options.pack,
            part=options.part,
            resume=options.resume,
            on_error=options.on_error,
            processes=options.processes,
            progress=sys.stderr.isatty(),
        )
    if options.json:
        streams.write_json(manifest)
    else:
        streams.write_lines([format_manifest(options, manifest)])
    return 0


def format_manifest(options: argparse.Namespace, manifest: Mapping[str, Any] | None) -> str:
    """Return one line about the shards; without a manifest, about the part that is done.

    It tells tokens that filled no row, and faults, only where there are any.
    """
    if manifest is None:
        number, parts = options.part
        return f"{options.output}: part {number} of {parts} is done; others are not"
    line = (
        f"{options.output}: {len(manifest['shards']):,} shards, {manifest['documents']:,} "
        f"documents, {manifest['tokens']:,} tokens as {manifest['dtype']}"
    )
    if left := manifest["left_out_tokens"]:
        line += f"; {left:,} tokens that filled no row are left out"
    if skipped := manifest["skipped"]:
        line += f"; {len(skipped):,} faults of the corpus skipped, listed in manifest.json"
    return line


def parse_size(text: str) -> int:
    """Return the bytes that a size such as 512MB, 1GiB or 1000 means.

    Raises:
        ArgumentTypeError: it is none.
    """
    match = re.fullmatch(r"([1-9][0-9]*)\s*([A-Za-z]*)", text)
    if match is None or match[2].upper() not in UNITS:
        raise argparse.ArgumentTypeError(
            f"found {text!r}, expected a size such as 512MB, 1GiB or 1000000"
        )
    return int(match[1]) * UNITS[match[2].upper()]
