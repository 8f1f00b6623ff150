"""`wwho encode`: prints the ids of texts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.normalize import nfc, nfc_parts

if TYPE_CHECKING:
    from wwho.tokenizer import Tokenizer

NAME = "encode"
HELP = "turn text into token ids, one line of ids for each file, object of JSON Lines, or row"
EXAMPLE = """\
  $ printf 'ගම हिन्दी' | wwho encode --show
  $ wwho encode notes.txt | wwho decode | cmp - notes.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: model, special tokens, normal form, threads, output, files.

    What a text spells is ordinary text, unless an option allows special tokens.
    """
    shared.add_model(parser)
    shared.add_special(parser)
    shared.add_normalize(
        parser, "bring text into Unicode's NFC first, as a model trained in NFC does by itself"
    )
    parser.add_argument("--lines", action="store_true", help="each line is a text of its own")
    shared.add_threads(parser)
    parser.add_argument("--show", action="store_true", help="print a table of ids and token texts")
    shared.add_json(parser, '{"ids": [...]}, with --show also {"tokens": [...]}')
    shared.add_text_files(parser, "text to encode, plain text whatever its bytes")


def run(options: argparse.Namespace) -> int:
    """Print the ids of each text, or with `--lines` of each line; return exit code 0.

    A file of plain text is a text, and so is each object of JSON Lines and row of Parquet. Threads
    share batches of short texts, and the parts of a long one.

    Without `--lines`, `--json` and `--show`, a long file is encoded in a stream, and its ids are
    printed on one line as they come; an error then leaves the line unfinished.
    """
    from wwho.backends.backend import RowLayout
    from wwho.cli.text_batches import Batch, LongText, map_texts
    from wwho.cli.text_files import find_text_files

    tokenizer = shared.open_model(options)
    allowed = shared.allowed_special(options, tokenizer)
    files = find_text_files(options)
    between = b", " if options.json else b" "
    before, after = (b'{"ids": [', b"]}\n") if options.json else (b"", b"\n")
    layout = RowLayout(before, between, after)

    def encode_batch(batch: Batch) -> bytes:
        """Return what is printed of the texts of a batch."""
        texts = [*map(nfc, batch.texts)] if options.normalize else batch.texts
        if options.show:
            rows = tokenizer.encode_batch(texts, num_threads=1, allowed_special=allowed)
            return b"".join(show_tokens(tokenizer, ids, as_json=options.json) for ids in rows)
        given, mask = tokenizer._texts_and_mask(texts, allowed, None)
        return tokenizer._backend.encode_batch_to_text(given, mask, False, layout)

    def encode_long(text: LongText) -> Iterator[bytes]:
        """Yield what is printed of a text, in parts; with `--json` or `--show`, at once."""
        blocks, name = text.blocks, files.names[text.number]
        if options.show:
            yield encode_batch(Batch([streams.join_blocks(blocks, name)]))
            return
        if options.json:
            blocks = iter([streams.join_blocks(blocks, name)])
        parts = nfc_parts(blocks) if options.normalize else blocks
        found = tokenizer._encode_parts(parts, options.threads, allowed, None, "spell", "text")
        numbers = with_spaces(part for part in found if isinstance(part, bytes))
        if options.json:
            yield before + b"".join(numbers).replace(b" ", between) + after
            return
        yield from numbers
        yield after

    printed = map_texts(encode_batch, encode_long, files, options.threads, by_line=options.lines)
    with closing(printed):
        for data in printed:
            streams.write_bytes(data)
    return 0


def with_spaces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield parts of a line of numbers, each but the first with a space before it."""
    separator = b""
    for part in filter(None, parts):
        yield separator + part
        separator = b" "


def show_tokens(tokenizer: Tokenizer, ids: list[int], *, as_json: bool) -> bytes:
    """Return what `--show` prints of a text: a table, or with `--json` an object in a line."""
    if not as_json:
        return format_table(tokenizer, ids)
    return streams.to_json_line(to_json(tokenizer, ids))


def to_json(tokenizer: Tokenizer, ids: list[int]) -> dict[str, object]:
    """Return what `--json --show` prints: the ids, and the texts of the tokens.

    Bytes of a token that are not valid UTF-8 become U+FFFD.
    """
    tokens = [streams.to_text(text) for text in tokenizer.decode_tokens_bytes(ids)]
    return {"ids": ids, "tokens": tokens}


def format_table(tokenizer: Tokenizer, ids: list[int]) -> bytes:
    """Return a line for each token, its id and its text in quotes, in UTF-8."""
    rows = [
        f"{number:>7}  {format_token(text)}\n"
        for number, text in zip(ids, tokenizer.decode_tokens_bytes(ids), strict=True)
    ]
    return "".join(rows).encode()


def format_token(text: bytes) -> str:
    """Return a token's text in quotes, with invisible characters escaped.

    Bytes that are not valid UTF-8, as of a part of a character, come in hexadecimal in angle
    brackets.
    """
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return f"<{text.hex(' ')}>"
    return f"'{streams.escape_invisible(decoded)}'"
