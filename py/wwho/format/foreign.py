"""Recognizing files that are given in the place of a `.wwho` artifact."""

from __future__ import annotations

import re
from collections.abc import Sequence

HEAD = 4096
"""Bytes that are looked at."""

KINDS = (
    (rb"GGUF", "a GGUF language model; make an artifact of its tokenizer with: wwho import FILE"),
    # A protocol buffer: a piece in it, the piece's text, and its score.
    (
        rb"\n.\n.{2,120}?\x15",
        "a SentencePiece model; make an artifact of it with: wwho import FILE",
    ),
    (
        rb"[A-Za-z0-9+/]+=* [0-9]+\r?\n",
        "a tiktoken rank file; make an artifact of it with: wwho import FILE --pattern PATTERN",
    ),
    (
        rb'\s*\{.*"(?:added_tokens|truncation|pre_tokenizer)"\s*:',
        "a tokenizer.json of Hugging Face; make an artifact of it with: wwho import FILE",
    ),
    (
        rb'\s*\{.*"script_mode"\s*:',
        "a vocab.json of the WWHO paper; make an artifact of it with: wwho import FILE",
    ),
    (
        rb'\s*\{.*"(?:added_tokens_decoder|tokenizer_class|model_max_length|chat_template|'
        rb'(?:add_)?(?:cls|bos|eos|unk)_token)"\s*:',
        "the settings of a tokenizer; take the tokenizer.json beside it",
    ),
    (rb'\s*\{.*"(?:grammar|blocks)"\s*:', "a schema; give it to --schema"),
)
"""What is given in the place of an artifact, and what to do: patterns and words, as for `_told`."""
NO_CONTENT = (
    (rb"version https://git-lfs", "a Git LFS pointer; fetch the file itself with: git lfs pull"),
    (
        rb"(?i:\s*(?:<!--.*?-->\s*)?<(?:!doctype|html|\?xml))",
        "a web page; check that the address leads to the file itself",
    ),
)
"""What stands in the place of a file that was not fetched, likewise."""


def foreign(blob: bytes) -> str:
    """Return what kind of file these bytes are and what to do with it; "" if that is not known.

    Example:
        >>> foreign(b"IQ== 0\\nIg== 1\\n")[:20]
        'a tiktoken rank file'
        >>> foreign(b"hello")
        ''
    """
    return _told(blob, KINDS) or no_content(blob)


def no_content(blob: bytes) -> str:
    """Return what stands in the place of a file that was not fetched, such as a web page.

    Returns:
        What it is and what to do; "" if the bytes are no such thing.
    """
    return _told(blob, NO_CONTENT)


def _told(blob: bytes, kinds: Sequence[tuple[bytes, str]]) -> str:
    """Return the words for the first kind whose pattern the file begins with; "" for none.

    Args:
        blob: the file; only its first `HEAD` bytes count, without a byte order mark.
        kinds: pairs of a pattern, in which a dot matches line feeds, too, and of words.
    """
    head = blob[:HEAD].removeprefix(b"\xef\xbb\xbf")
    return next((kind for pattern, kind in kinds if re.match(pattern, head, re.DOTALL)), "")
