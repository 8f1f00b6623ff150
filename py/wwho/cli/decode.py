"""`wwho decode`: ids to text."""

from __future__ import annotations

import argparse

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import UnknownTokenError

NAME = "decode"
HELP = "turn token ids, separated by white space, back into the bytes they came from"
MAX_DIGITS = 10
EXAMPLE = "  $ printf 'ගම हिन्दी' | wwho encode | wwho decode"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_model(parser)
    parser.add_argument(
        "--lines",
        action="store_true",
        help="each line is a text of its own, printed with a line feed",
    )
    shared.add_json(parser, '{"text": ...}, broken UTF-8 replaced by U+FFFD')
    shared.add_files(parser, "ids to decode")


def run(options: argparse.Namespace) -> int:
    """Decode each file, or each line."""
    tokenizer = shared.open_model(options)
    texts = streams.lines if options.lines else streams.contents
    names = options.files or [streams.STANDARD_INPUT]
    for number, text in texts(names):
        ids = parse_ids(text, names[number])
        try:
            data = tokenizer.decode_bytes(ids)
        except UnknownTokenError as error:
            raise UnknownTokenError(f"{names[number]}: {error}") from error
        if options.json:
            streams.write_json({"text": streams.readable(data)})
        else:
            streams.write(data + b"\n" * options.lines)
    return 0


def parse_ids(text: bytes, name: str) -> list[int]:
    """The ids that a text lists, separated by white space.

    Raises:
        UnknownTokenError: something in it is no decimal number, or too long to be an id.
    """
    words = text.split()
    wrong = next((word for word in words if not word.isdigit() or len(word) > MAX_DIGITS), None)
    if wrong is not None:
        raise UnknownTokenError(
            f"{name}: {shortened(wrong)!r} is no token id; ids are decimal numbers of at most "
            f"{MAX_DIGITS} digits, separated by white space"
        )
    return [int(word) for word in words]


def shortened(word: bytes) -> str:
    """A word for an error message, which must not grow with the input."""
    text = streams.readable(word)
    return text if len(text) <= 40 else f"{text[:40]}…"
