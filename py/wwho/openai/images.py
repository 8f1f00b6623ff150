"""What images cost by OpenAI's rule of tiles, and the size of an image that a data URL holds."""

from __future__ import annotations

import binascii
import re
import struct
from collections.abc import Callable
from struct import unpack_from
from typing import Any, TypeAlias

from wwho.errors import ChatError
from wwho.openai.fields import quote_value, value_error

Size: TypeAlias = tuple[int, int]
"""The width and the height of an image in pixels."""
ImageSize: TypeAlias = Callable[[str], Size | None]
"""A function that gives the size of the image at a URL, None if it does not know it."""

DETAILS = (None, "low", "high", "auto")
SQUARE, SHORT, TILE = 2048, 768, 512
"""The side of the square into which an image is fitted first, the length to which its shorter side
is reduced then, and the side of a tile."""
MOST_CHARACTERS = 1 << 18
"""The beginning of a file in base64 that has its size: JPEG may have it behind a preview."""
_TABLES = (0xC4, 0xC8, 0xCC)


def image_tokens(
    url: Any, detail: Any, model: str, rule: list[int] | None, image_size: ImageSize | None
) -> int:
    """Return the tokens of an image.

    In low detail it costs the model's base, otherwise also as much for each tile of 512 by 512
    pixels, after it was fitted into a square of 2048 pixels and its shorter side reduced to 768;
    small images stay as they are.

    Args:
        url: of the image; the size is read from a data URL.
        detail: "low", "high", "auto" (as high) or None.
        model: its name, for errors.
        rule: the model's tokens of an image and of a tile; None for a model without such a rule.
        image_size: gives the sizes of images at other URLs.

    Raises:
        ChatError: the model has no such rule, or the size is not known.
    """
    if not isinstance(url, str):
        raise value_error(
            "the URL of an image", url, "a string; files by their id cannot be counted"
        )
    if rule is None:
        raise ChatError(
            f"what an image costs with {quote_value(model)} is not known; leave it out to count "
            "the rest"
        )
    if detail not in DETAILS:
        raise value_error("the detail of an image", detail, "low, high, auto")
    base, tile = rule
    if detail == "low":
        return base
    size = (image_size(url) if image_size else None) or _size_in_data(url)
    if size is None:
        shown = url if len(url) <= 60 else f"{url[:60]}..."
        raise ChatError(
            f"the size of the image {quote_value(shown)} is not known; give image_size, a function "
            "that returns (width, height)"
        )
    for what, value in zip(("width", "height"), size, strict=True):
        if not (isinstance(value, int) and value > 0):
            raise value_error(f"the {what} of an image", value, "a whole number of pixels")
    return base + tile * _count_tiles(*size)


def _count_tiles(width: int, height: int) -> int:
    """Return how many tiles cover an image whose sides are in pixels.

    An image is first made smaller, until its long side is at most `SQUARE`, then its short one at
    most `SHORT`.
    """
    for side_of, most in ((max, SQUARE), (min, SHORT)):
        side = side_of(width, height)
        if side > most:
            width, height = (
                max(1, (2 * each * most + side) // (2 * side)) for each in (width, height)
            )
    return -(-width // TILE) * -(-height // TILE)


def _size_in_data(url: str) -> Size | None:
    """Return the size of the image in a data URL: PNG, GIF, JPEG or WebP.

    Another URL or format, and a file that does not say its size at its beginning, give None.
    """
    start = re.match(r"data:image/[a-z+.-]+;base64,", url, re.IGNORECASE)
    if start is None:
        return None
    text = url[start.end() :][: MOST_CHARACTERS * 4 // 3 // 4 * 4]
    try:
        data = binascii.a2b_base64(text)
    except (binascii.Error, ValueError):
        return None
    try:
        if data.startswith(b"\x89PNG"):
            width, height = unpack_from(">II", data, 16)
        elif data.startswith(b"GIF8"):
            width, height = unpack_from("<HH", data, 6)
        elif data.startswith(b"\xff\xd8"):
            return _size_of_jpeg(data)
        elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _size_of_webp(data)
        else:
            return None
    except (struct.error, IndexError):  # the file ends before its size
        return None
    return width, height


def _size_of_jpeg(data: bytes) -> Size | None:
    """Return the size of a JPEG, which is in the first segment of a frame; None without one.

    Frames are the segments 0xC0 to 0xCF except three of them, which are tables.
    """
    place = 2
    while data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in _TABLES:
            height, width = unpack_from(">HH", data, place + 5)
            return width, height
        place += 1 if marker == 0xFF else 2 + unpack_from(">H", data, place + 2)[0]
    return None


def _size_of_webp(data: bytes) -> Size | None:
    """Return the width and height of a WebP in pixels; None for a kind of it that is not known."""
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = data[24:27], data[27:30]
        return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1
    if kind == b"VP8L":
        (bits,) = unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
