"""`wwho encode`: text to ids."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.normalize import nfc_parts

if TYPE_CHECKING:
    from wwho.tokenizer import Tokenizer

NAME = "encode"
HELP = "turn text into token ids, one line of ids for each file"
EXAMPLE = """\
  $ printf 'ගම हिन्दी' | wwho encode --show
  $ wwho encode notes.txt | wwho decode | cmp - notes.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_model(parser)
    shared.add_special(parser)
    shared.add_normalize(
        parser, "bring text into Unicode's NFC first, as a model trained in NFC does by itself"
    )
    parser.add_argument("--lines", action="store_true", help="each line is a text of its own")
    parser.add_argument("--show", action="store_true", help="print a table of ids and token texts")
    shared.add_json(parser, '{"ids": [...]}, with --show also {"tokens": [...]}')
    shared.add_files(parser, "text to encode, as it is, whatever its bytes")


def run(options: argparse.Namespace) -> int:
    """Encode each file, or each line."""
    tokenizer = shared.open_model(options)
    allowed = shared.allowed_special(options, tokenizer)
    if not (options.lines or options.json or options.show):
        for _, blocks in streams.blocks(options.files):
            parts = nfc_parts(blocks) if options.normalize else blocks
            separator = b""
            for ids in tokenizer.encode_stream(parts, allowed_special=allowed):
                streams.write(separator + " ".join(map(str, ids)).encode())
                separator = b" "
            streams.write(b"\n")
        return 0
    texts = streams.lines if options.lines else streams.contents
    for _, text in texts(options.files):
        ids = tokenizer.encode(shared.normalize_text(options, text), allowed_special=allowed)
        if options.json:
            streams.write_json(as_json(tokenizer, ids, show=options.show))
        elif options.show:
            streams.write(table(tokenizer, ids))
        else:
            streams.write(" ".join(map(str, ids)).encode() + b"\n")
    return 0


def as_json(tokenizer: Tokenizer, ids: list[int], *, show: bool) -> dict[str, object]:
    """The ids and, where asked, the texts of the tokens."""
    if not show:
        return {"ids": ids}
    tokens = [streams.readable(text) for text in tokenizer.decode_tokens_bytes(ids)]
    return {"ids": ids, "tokens": tokens}


def table(tokenizer: Tokenizer, ids: list[int]) -> bytes:
    """One line for each token: its id, and its text in quotes."""
    rows = [
        f"{number:>7}  {shown(text)}\n"
        for number, text in zip(ids, tokenizer.decode_tokens_bytes(ids), strict=True)
    ]
    return "".join(rows).encode()


def shown(text: bytes) -> str:
    """A token's text in quotes, with line breaks escaped; its bytes where it is no whole text."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return f"<{text.hex(' ')}>"
    return f"'{streams.printable(decoded)}'"
