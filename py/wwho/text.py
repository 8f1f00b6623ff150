"""What a text may be given as, and its bytes."""

from __future__ import annotations

from typing import Literal

Text = str | bytes | bytearray | memoryview
Unk = Literal["spell", "token"]
"""What a syllable outside the vocabulary becomes: base tokens, or one token that loses its text."""


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
