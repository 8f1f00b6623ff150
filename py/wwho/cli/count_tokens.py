"""`wwho count`: counts the tokens of files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.normalize import nfc_parts

NAME = "count"
HELP = "count the tokens of files, and of all of them"
EXAMPLE = "  $ wwho count --model o200k_base README.md LICENSE"


@dataclass
class Row:
    """The counts of one file.

    Attributes:
        file: its name.
        bytes: the size of its text, decompressed; with `--lines`, without line feeds.
        tokens: how many tokens it has.
    """

    file: str
    bytes: int = 0
    tokens: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: model, special tokens, normal form, `--lines`, the files."""
    shared.add_model(parser)
    shared.add_special(parser)
    shared.add_normalize(
        parser, "bring text into Unicode's NFC first, as a model trained in NFC does by itself"
    )
    parser.add_argument(
        "--lines",
        action="store_true",
        help="each line is a text of its own, its line feed not counted; memory holds one line",
    )
    shared.add_json(parser, '{"files": [{"file", "bytes", "tokens"}], "bytes", "tokens"}')
    shared.add_text_files(parser, "text to count")


def count_bytes(blocks: Iterator[bytes], row: Row) -> Iterator[bytes]:
    """Yield the blocks of a file unchanged, and add the size of each to a row."""
    for block in blocks:
        row.bytes += len(block)
        yield block


def run(options: argparse.Namespace) -> int:
    """Print the number of tokens of each file, and a total if there are several; return 0.

    Nothing is printed before all files are read. A file is counted in a stream, so that one of any
    size fits into memory; with `--lines`, each line is a text of its own. Of JSON Lines and Parquet
    each text is counted alone.
    """
    from wwho.cli.text_files import blocks_of_text, find_text_files, read_texts

    tokenizer = shared.open_model(options)
    allowed = shared.allowed_special(options, tokenizer)
    files = find_text_files(options)
    rows = [Row(name) for name in files.names]
    for number, text in read_texts(files, by_line=options.lines):
        row = rows[number]
        if isinstance(text, bytes):
            row.bytes += len(text)
            text = shared.normalize_text(options, text)
            row.tokens += tokenizer.count(text, allowed_special=allowed)
        else:
            counted = count_bytes(blocks_of_text(text), row)
            parts = nfc_parts(counted) if options.normalize else counted
            row.tokens = tokenizer.count_stream(parts, allowed_special=allowed)
    total = Row("total", sum(row.bytes for row in rows), sum(row.tokens for row in rows))
    if options.json:
        counts = [asdict(row) for row in rows]
        streams.write_json({"files": counts, "bytes": total.bytes, "tokens": total.tokens})
        return 0
    printed = [*rows, total] if len(rows) > 1 else rows
    streams.write_lines(f"{row.tokens:>12}  {row.file}" for row in printed)
    return 0
