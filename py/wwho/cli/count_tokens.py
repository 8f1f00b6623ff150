"""`wwho count`: counts the tokens of files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from typing import BinaryIO

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.normalize import nfc_parts

NAME = "count"
HELP = "count the tokens of files, and of all of them"
EXAMPLE = "  $ wwho count --model o200k_base README.md LICENSE"

BATCH_BYTES = 1 << 22
"""How much text is collected for the threads: enough for each to have many parts of it."""
TEXT_COST = 100
"""Bytes that a text takes in a batch beside its own: empty lines must not fill the memory."""


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


def collect_batches(
    texts: Iterable[tuple[int, bytes | BinaryIO]],
) -> Iterator[list[tuple[int, bytes]] | tuple[int, Iterator[bytes]]]:
    """Yield short texts in batches, and each long text as blocks, which must be read at once.

    Args:
        texts: each with the number of its file; a stream must be read before the next is asked for.

    Yields:
        A list of texts with the numbers of their files, about `BATCH_BYTES` together or one text;
        or a stream that holds a block or more, as the number of its file and its blocks.
    """
    from wwho.cli.text_files import blocks_of_text

    batch: list[tuple[int, bytes]] = []
    size = 0
    for number, text in texts:
        if not isinstance(text, bytes):
            head = text.read(streams.BLOCK)
            if len(head) == streams.BLOCK:
                yield number, chain([head], blocks_of_text(text))
                continue
            text = head
        batch.append((number, text))
        size += len(text) + TEXT_COST
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def run(options: argparse.Namespace) -> int:
    """Print the number of tokens of each file, and a total if there are several; return 0.

    Nothing is printed before all files are read. A file is counted in a stream, so that one of any
    size fits into memory; with `--lines`, each line is a text of its own. Of JSON Lines and Parquet
    each text is counted alone. Memory holds some megabytes of short texts, which threads share.
    """
    from wwho.cli.text_files import find_text_files, read_texts

    tokenizer = shared.open_model(options)
    allowed = shared.allowed_special(options, tokenizer)
    files = find_text_files(options)
    rows = [Row(name) for name in files.names]
    for item in collect_batches(read_texts(files, by_line=options.lines)):
        if isinstance(item, tuple):
            number, blocks = item
            counted = count_bytes(blocks, rows[number])
            parts = nfc_parts(counted) if options.normalize else counted
            rows[number].tokens = tokenizer.count_stream(
                parts, num_threads=options.threads, allowed_special=allowed
            )
            continue
        texts = [shared.normalize_text(options, text) for _, text in item]
        counts = tokenizer.count_batch(texts, num_threads=options.threads, allowed_special=allowed)
        for (number, text), tokens in zip(item, counts, strict=True):
            rows[number].bytes += len(text)
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
