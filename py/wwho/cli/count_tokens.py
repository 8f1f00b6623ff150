"""`wwho count`: counts the tokens of files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import chain, islice

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.normalize import nfc, nfc_parts

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
    """Add the options to the parser: model, special tokens, normal form, lines, threads, files."""
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
    shared.add_threads(parser)
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
    each text is counted alone. Threads share batches of short texts, and the parts of a long one.
    """
    from wwho.cli.text_batches import Batch, LongText, map_texts
    from wwho.cli.text_files import find_text_files

    tokenizer = shared.open_model(options)
    allowed = shared.allowed_special(options, tokenizer)
    files = find_text_files(options)
    rows = [Row(name) for name in files.names]

    def count_batch(batch: Batch) -> list[tuple[int, int, int]]:
        """Return for each run of texts the number of its file, its bytes and its tokens."""
        texts = [*map(nfc, batch.texts)] if options.normalize else batch.texts
        counts = tokenizer.count_batch(texts, num_threads=1, allowed_special=allowed)
        sizes, tokens = map(len, batch.texts), iter(counts)
        return [(file, sum(islice(sizes, n)), sum(islice(tokens, n))) for file, n in batch.runs]

    def count_long(text: LongText) -> Iterator[list[tuple[int, int, int]]]:
        """Yield one list, of one run: the number of the text's file, 0 bytes, and its tokens.

        The bytes of the text are added to the row of its file as they are read.
        """
        counted = count_bytes(text.blocks, rows[text.number])
        parts = nfc_parts(counted) if options.normalize else counted
        tokens = tokenizer.count_stream(parts, num_threads=options.threads, allowed_special=allowed)
        yield [(text.number, 0, tokens)]

    counts = map_texts(count_batch, count_long, files, options.threads, by_line=options.lines)
    with closing(counts):
        for number, size, tokens in chain.from_iterable(counts):
            rows[number].bytes += size
            rows[number].tokens += tokens
    total = Row("total", sum(row.bytes for row in rows), sum(row.tokens for row in rows))
    if options.json:
        streams.write_json(
            {"files": [asdict(row) for row in rows], "bytes": total.bytes, "tokens": total.tokens}
        )
        return 0
    printed = [*rows, total] if len(rows) > 1 else rows
    streams.write_lines(f"{row.tokens:>12}  {row.file}" for row in printed)
    return 0
