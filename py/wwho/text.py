"""Conversions between the forms of a text: `str`, bytes of any kind, and characters of bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import Literal

Text = str | bytes | bytearray | memoryview
"""A text as callers may give it; bytes are normally UTF-8."""
Unk = Literal["spell", "token"]
"""The result for a syllable outside the vocabulary: base tokens, or [UNK], which loses its text."""

_STRAY_BYTE = re.compile("[\udc80-\udcff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

LONG_TEXT = 2000
"""Characters: for a shorter `str`, keeping its UTF-8 would take as long as making it."""


def to_bytes(text: Text) -> bytes:
    """Return a text as bytes: the UTF-8 of a `str`, bytes themselves, or a copy of other bytes.

    In a `str`, pairs of surrogates become the characters that they mean, and lone surrogates
    U+FFFD, as tiktoken does it. The UTF-8 of a `str` with `LONG_TEXT` or more characters stays in
    memory with the `str`, so that asking again is quick.

    Raises:
        TypeError: the text is neither `str` nor bytes.

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
            # There are surrogates. UTF-16 joins those that form a pair.
            utf16 = text.encode("utf-16-le", "surrogatepass")
            return utf16.decode("utf-16-le", "replace").encode("utf-8")
    if isinstance(text, bytes):
        return text
    if isinstance(text, (bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"expected str or bytes, found {type(text).__name__}")


def places_in_str(text: Text) -> list[int] | None:
    """Return where each code point of a text as it is read begins in the `str` that was given.

    The last item is the length of the `str`. None if every code point is at its own number, as in
    any text without pairs of surrogates, each of which is read as one code point, and in bytes.

    Example:
        >>> places_in_str("a" + chr(0xD83D) + chr(0xDE00) + "b")
        [0, 1, 3, 4]
    """
    if not isinstance(text, str) or text.isascii():
        return None
    seconds = {pair.start() + 1 for pair in _SURROGATE_PAIR.finditer(text)}
    if not seconds:
        return None
    return [place for place in range(len(text) + 1) if place not in seconds]


def offsets_in_str(text: Text, offsets: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return offsets in code points of a text as it is read as offsets in the `str` that was given.

    Example:
        >>> offsets_in_str(chr(0xD83D) + chr(0xDE00) + "b", [(0, 1), (1, 2)])
        [(0, 2), (2, 3)]
    """
    places = places_in_str(text)
    if places is None:
        return offsets
    return [(places[start], places[end]) for start, end in offsets]


def all_bytes(texts: Iterable[Text]) -> list[bytes]:
    """Return each of several texts as bytes, as `to_bytes` does.

    Raises:
        TypeError: a text is neither `str` nor bytes.

    Example:
        >>> all_bytes(["a", b"b"])
        [b'a', b'b']
    """
    texts = list(texts)
    try:
        return list(map(str.encode, texts))  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        # There are bytes among them, or surrogates.
        return list(map(to_bytes, texts))


def plain_texts(texts: Sequence[Text]) -> Sequence[Text]:
    """Return texts of which any thread may make bytes: as they are, or as bytes.

    They stay as they are if all are plain `str` or `bytes`. Otherwise all become bytes here: a
    subclass of `str` may run code of its own.

    Raises:
        TypeError: a text is neither `str` nor bytes.

    Example:
        >>> plain_texts(["a", b"b"]), plain_texts(["a", bytearray(b"b")])
        (['a', b'b'], [b'a', b'b'])
    """
    return texts if {*map(type, texts)} <= {str, bytes} else all_bytes(texts)


@cache
def _keep_utf8() -> Callable[[str], object]:
    """Return a function that makes CPython keep the UTF-8 of a `str` with it.

    `encode` then only copies it. In a text of 100 KB, the first time takes 0.06 to 0.1 ns a byte
    longer; later, English takes 0.06 in place of 0.44, Hindi 0.03 in place of 0.95. The `str`
    holds that memory as long as it lives. In other Pythons, the function does nothing.
    """
    try:
        from ctypes import PYFUNCTYPE, c_void_p, py_object, pythonapi
    except ImportError:  # other Pythons
        return lambda text: None
    return PYFUNCTYPE(c_void_p, py_object)(("PyUnicode_AsUTF8", pythonapi))


def characters(text: bytes) -> str:
    """Return the characters of bytes, by the one rule of all backends (FORMAT.md, AUTOMATA).

    Each byte that is part of no well-formed UTF-8 sequence becomes one U+FFFD.
    `bytes.decode(errors="replace")` would give one U+FFFD for several such bytes.

    Example:
        >>> characters("ක".encode()[:2] + b"a")
        '\ufffd\ufffda'
    """
    return _STRAY_BYTE.sub("\ufffd", _decode_with_escapes(text))


def read_characters(text: bytes) -> tuple[str, list[int]]:
    """Return the characters of bytes, as `characters` does, and the place of each.

    Returns:
        The characters; and the byte at which each begins, followed by the number of bytes: one
        more than there are characters.

    Example:
        >>> read_characters(b"a" + bytes([0xE0, 0xB6, 0x9A, 0xE0, 0xB6]))
        ('a\u0d9a\ufffd\ufffd', [0, 1, 4, 5, 6])
    """
    sizes = (
        1 if "\udc80" <= char <= "\udcff" else len(char.encode("utf-8"))
        for char in _decode_with_escapes(text)
    )
    return characters(text), list(accumulate(sizes, initial=0))


def _decode_with_escapes(text: bytes) -> str:
    """Decode bytes with one surrogate U+DC80..U+DCFF for each byte that is not part of UTF-8."""
    return text.decode("utf-8", "surrogateescape")
