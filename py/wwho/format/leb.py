"""Columns of unsigned LEB128 numbers, zigzag differences, and lists of texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

MAX_BYTES = 4


def pack(values: Iterable[int]) -> bytes:
    """Return numbers as LEB128, one after another, each in its shortest form.

    Raises:
        ValueError: a number is negative or needs more than 4 bytes (28 bits).

    Example:
        >>> pack([0, 127, 128, 199997]).hex(" ")
        '00 7f 80 01 bd 9a 0c'
    """
    out, end = bytearray(), 1 << 7 * MAX_BYTES
    for value in values:
        if not 0 <= value < end:
            raise ValueError(f"{value} does not fit a column: numbers are 0 to {end - 1}")
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out)


def unpack(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """Read `count` LEB128 numbers from byte `at` on.

    Returns:
        The numbers, and the byte after them.

    Raises:
        ValueError: the data ends too early, a number has more than 4 bytes, or is not in its
            shortest form.
    """
    values: list[int] = []
    try:
        for _ in range(count):
            begin, value = at, data[at]
            at += 1
            if value >= 0x80:  # the bytes after the first, one by one: vocabularies are long
                last = data[at]
                value += (last << 7) - 0x80
                at += 1
                if last >= 0x80:
                    last = data[at]
                    value += (last << 14) - (0x80 << 7)
                    at += 1
                    if last >= 0x80:
                        last = data[at]
                        value += (last << 21) - (0x80 << 14)
                        at += 1
                if last >= 0x80:
                    raise ValueError(f"the number at byte {begin} is longer than {MAX_BYTES} bytes")
                if not last:
                    raise ValueError(f"the number at byte {begin} is not in its shortest form")
            values.append(value)
    except IndexError:
        raise ValueError(f"number {len(values)} of {count} is cut off by the end") from None
    return values, at


def zigzag(values: Iterable[int]) -> list[int]:
    """Return the difference of each number to the one before it (the first: to 0), made unsigned.

    A difference d becomes 2d, or -2d - 1 if it is negative.

    Example:
        >>> zigzag([3, 1, 1, 5])
        [6, 3, 0, 8]
    """
    before, out = 0, []
    for value in values:
        difference = value - before
        out.append(2 * difference if difference >= 0 else -2 * difference - 1)
        before = value
    return out


def unzigzag(values: Iterable[int]) -> list[int]:
    """Return the numbers of which `zigzag` made these differences.

    Example:
        >>> unzigzag([6, 3, 0, 8])
        [3, 1, 1, 5]
    """
    return list(accumulate(v >> 1 if v & 1 == 0 else -(v >> 1) - 1 for v in values))


END = b"\xff"
"""What ends a text: no UTF-8 has this byte."""


def pack_texts(texts: Sequence[bytes]) -> bytes:
    """Return ascending texts as TEXTS of FORMAT.md: each without what it shares with the last.

    Raises:
        ValueError: a text has the byte FF after the first byte that it does not share.

    Example:
        >>> pack_texts([b"ab", b"abc"])
        b'\\x00ab\\xff\\x02c\\xff'
    """
    out, before = bytearray(), b""
    for text in texts:  # a charsmap of SentencePiece has 225,000
        keep = common(before, text)
        out += pack((keep,))
        out += _end_text(text[keep:])
        before = text
    return bytes(out)


def pack_listed(texts: Iterable[bytes]) -> bytes:
    """Return texts in any order as LISTED of FORMAT.md.

    Raises:
        ValueError: a text has the byte FF after its first one.

    Example:
        >>> pack_listed([b"kit", b"kettle"])
        b'kit\\xffkettle\\xff'
    """
    return b"".join(map(_end_text, texts))


def _end_text(text: bytes) -> bytes:
    """Return a text and the byte FF that ends it; raise ValueError if the text contains it."""
    if text.find(END, 1) >= 0:
        raise ValueError(f"{text!r} has the byte FF, which ends the texts of such a model")
    return text + END


def common(a: bytes, b: bytes) -> int:
    """Return how many bytes two texts have in common at their start."""
    if b.startswith(a):
        return len(a)
    for k, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return k
    return len(b)
