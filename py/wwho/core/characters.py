"""Bytes as characters, by the one rule of all backends (FORMAT.md, AUTOMATA)."""

from __future__ import annotations

import re
from itertools import accumulate

_STRAY = re.compile("[\udc80-\udcff]")


def characters(text: bytes) -> str:
    """The characters of bytes: each that is part of no well-formed sequence is one U+FFFD.

    `bytes.decode(errors="replace")` would give one U+FFFD for several such bytes.

    Example:
        >>> characters("ක".encode()[:2] + b"a")
        '\ufffd\ufffda'
    """
    return _STRAY.sub("\ufffd", _escaped(text))


def read_characters(text: bytes) -> tuple[str, list[int]]:
    """The characters of bytes, and where they stand.

    Returns:
        The characters, and the byte at which each begins, then the number of bytes.

    Example:
        >>> read_characters(b"a" + bytes([0xE0, 0xB6, 0x9A, 0xE0, 0xB6]))
        ('a\u0d9a\ufffd\ufffd', [0, 1, 4, 5, 6])
    """
    sizes = (1 if "\udc80" <= c <= "\udcff" else len(c.encode("utf-8")) for c in _escaped(text))
    return characters(text), list(accumulate(sizes, initial=0))


def _escaped(text: bytes) -> str:
    # surrogateescape gives one surrogate U+DC80..U+DCFF for each stray byte
    return text.decode("utf-8", "surrogateescape")
