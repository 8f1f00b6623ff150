"""`wwho encode`: prints the ids of texts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.normalize import nfc_parts

if TYPE_CHECKING:
    from wwho.tokenizer import Tokenizer

NAME = "encode"
HELP = "turn text into token ids, one line of ids for each file, object of JSON Lines, or row"
EXAMPLE = """\
  $ printf 'ගම हिन्दी' | wwho encode --show
  $ wwho encode notes.txt | wwho decode | cmp - notes.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: model, special tokens, normal form, output form, the files.

    What a text spells is ordinary text, unless an option allows special tokens.
    """
    shared.add_model(parser)
    shared.add_special(parser)
    shared.add_normalize(
        parser, "bring text into Unicode's NFC first, as a model trained in NFC does by itself"
    )
    parser.add_argument("--lines", action="store_true", help="each line is a text of its own")
    parser.add_argument("--show", action="store_true", help="print a table of ids and token texts")
    shared.add_json(parser, '{"ids": [...]}, with --show also {"tokens": [...]}')
    shared.add_text_files(parser, "text to encode, plain text whatever its bytes")


def run(options: argparse.Namespace) -> int:
    """Print the ids of each text, or with `--lines` of each line; return exit code 0.

    A file of plain text is a text, and so is each object of JSON Lines and row of Parquet.

    Without `--lines`, `--json` and `--show`, a file is encoded in a stream, and its ids are printed
    on one line as they come; an error then leaves the line unfinished.
    """
    from wwho.cli.text_files import blocks_of_text, find_text_files, read_texts, whole_text

    tokenizer = shared.open_model(options)
    allowed = shared.allowed_special(options, tokenizer)
    files = find_text_files(options)
    if not (options.lines or options.json or options.show):
        for _, text in read_texts(files):
            blocks = blocks_of_text(text)
            parts = nfc_parts(blocks) if options.normalize else blocks
            separator = b""
            for ids in tokenizer.encode_stream(parts, allowed_special=allowed):
                streams.write_bytes(separator + " ".join(map(str, ids)).encode())
                separator = b" "
            streams.write_bytes(b"\n")
        return 0
    for number, text in read_texts(files, by_line=options.lines):
        data = shared.normalize_text(options, whole_text(text, files.names[number]))
        ids = tokenizer.encode(data, allowed_special=allowed)
        if options.json:
            streams.write_json(to_json(tokenizer, ids, show=options.show))
        elif options.show:
            streams.write_bytes(format_table(tokenizer, ids))
        else:
            streams.write_bytes(" ".join(map(str, ids)).encode() + b"\n")
    return 0


def to_json(tokenizer: Tokenizer, ids: list[int], *, show: bool) -> dict[str, object]:
    """Return what `--json` prints: the ids and, with `--show`, the texts of the tokens.

    Bytes of a token that are not valid UTF-8 become U+FFFD.
    """
    if not show:
        return {"ids": ids}
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
