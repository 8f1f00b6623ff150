"""`wwho decode`: prints the text of ids."""

from __future__ import annotations

import argparse

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import UnknownTokenError

NAME = "decode"
HELP = "turn token ids, separated by white space, back into the bytes they came from"
MAX_DIGITS = 10
"""The most digits of an id, which is below 2^32."""
EXAMPLE = "  $ printf 'ගම हिन्दी' | wwho encode | wwho decode"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the model, how texts are read and written, the files."""
    shared.add_model(parser)
    parser.add_argument(
        "--lines",
        action="store_true",
        help="each line is a text of its own, printed with a line feed",
    )
    parser.add_argument(
        "--like-tokenizers",
        action="store_true",
        help="of a byte-level model that comes from a tokenizer.json: added tokens such as 'é' "
        "decode to the bytes that tokenizers makes of them, which are no text",
    )
    shared.add_json(parser, '{"text": ...}, broken UTF-8 replaced by U+FFFD')
    shared.add_files(parser, "ids to decode")


def run(options: argparse.Namespace) -> int:
    """Print the text of the ids in each file, or with `--lines` in each line; return exit code 0.

    The bytes are printed as they are, with nothing between files; with `--lines`, a line feed
    follows each text. With `--json` there is one object for each text.

    Raises:
        UnknownTokenError: a word is no id of the model; the message names the file.
    """
    tokenizer = shared.open_model(options)
    read = streams.read_lines if options.lines else streams.read_files
    names = options.files or [streams.STANDARD_INPUT]
    for number, text in read(names):
        ids = parse_ids(text, names[number])
        try:
            data = tokenizer.decode_bytes(ids, like_tokenizers=options.like_tokenizers)
        except UnknownTokenError as error:
            raise UnknownTokenError(f"{names[number]}: {error}") from error
        if options.json:
            streams.write_json({"text": streams.to_text(data)})
        else:
            streams.write_bytes(data + b"\n" * options.lines)
    return 0


def parse_ids(text: bytes, name: str) -> list[int]:
    """Return the ids that a text lists as decimal numbers, separated by white space.

    Args:
        text: the text; none or white space alone gives no ids.
        name: the file, for the message.

    Raises:
        UnknownTokenError: a word is no decimal number, or too long to be an id.
    """
    words = text.split()
    wrong = next((word for word in words if not word.isdigit() or len(word) > MAX_DIGITS), None)
    if wrong is not None:
        raise UnknownTokenError(
            f"{name}: {shorten_word(wrong)!r} is no token id; ids are decimal numbers of at most "
            f"{MAX_DIGITS} digits, separated by white space"
        )
    return [int(word) for word in words]


def shorten_word(word: bytes) -> str:
    """Return at most 40 characters of a word, for a message that must not grow with the input."""
    text = streams.to_text(word)
    return text if len(text) <= 40 else f"{text[:40]}…"
