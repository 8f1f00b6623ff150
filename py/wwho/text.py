"""What a text may be given as, its bytes, and the characters of bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from typing import Literal

Text = str | bytes | bytearray | memoryview
Unk = Literal["spell", "token"]
"""What a syllable outside the vocabulary becomes: base tokens, or one token that loses its text."""

_STRAY = re.compile("[\udc80-\udcff]")

LONG_TEXT = 2000  # characters; of shorter ones, to ask for the UTF-8 takes as long as to make it


def to_bytes(text: Text) -> bytes:
    """A text as bytes, which are UTF-8 where it is a `str`.

    Raises:
        TypeError: it is neither `str` nor bytes.

    Example:
        >>> to_bytes("a" + chr(0xD800)), to_bytes(chr(0xD83D) + chr(0xDE00)).decode()
        (b'a\\xef\\xbf\\xbd', '😀')
    """
    if isinstance(text, str):
        try:
            if len(text) >= LONG_TEXT and not text.isascii():
                _keep_utf8()(text)
            return text.encode("utf-8")
        except UnicodeEncodeError:
            # Pairs of surrogates become characters, lone ones U+FFFD, as tiktoken does it.
            units = text.encode("utf-16-le", "surrogatepass")
            return units.decode("utf-16-le", "replace").encode("utf-8")
    if isinstance(text, bytes):
        return text
    if isinstance(text, (bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"expected str or bytes, found {type(text).__name__}")


def all_bytes(texts: Iterable[Text]) -> list[bytes]:
    """Each of several texts as bytes; errors as for `to_bytes`.

    Example:
        >>> all_bytes(["a", b"b"])
        [b'a', b'b']
    """
    texts = list(texts)
    try:
        return list(map(str.encode, texts))  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):  # bytes are among them, or lone surrogates
        return list(map(to_bytes, texts))


@cache
def _keep_utf8() -> Callable[[str], object]:
    """Makes CPython keep a string's UTF-8 with it, which `encode` then only copies.

    Of 100 KB, the first time takes 0.06 to 0.1 ns a byte longer; again, English takes 0.06 in place
    of 0.44, Hindi 0.03 in place of 0.95. The string holds that memory as long as it lives.
    """
    try:
        from ctypes import PYFUNCTYPE, c_void_p, py_object, pythonapi
    except ImportError:  # other Pythons
        return lambda text: None
    return PYFUNCTYPE(c_void_p, py_object)(("PyUnicode_AsUTF8", pythonapi))


def characters(text: bytes) -> str:
    """The characters of bytes, by the one rule of all backends (FORMAT.md, AUTOMATA).

    Each byte that is part of no well-formed sequence is one U+FFFD.

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
