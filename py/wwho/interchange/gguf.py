"""GGUF, llama.cpp's file of a language model: the metadata at its beginning, and nothing else.

A file of any size is read up to the end of its metadata, which is a few megabytes. Every count is
checked against what is left of the file before it is believed.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, BinaryIO

from wwho.errors import SourceError

MAX_ITEMS = 1 << 21
"""Items of an array that is kept: as many as there are ids."""
MAX_TEXT = 1 << 16
"""Bytes of a text in an array, and of a key."""
MAX_KEPT = 1 << 28
"""Bytes of all that is kept."""

_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Types of numbers, as `struct` and `array` call them."""
_SIZE = struct.Struct("<Q")


class TokenType(IntEnum):
    """What a token is for, as the key tokenizer.ggml.token_type says it."""

    UNDEFINED = 0
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


def read_metadata(file: BinaryIO, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """Return the values of a GGUF file that are asked for, by key.

    Numbers are as Python has them, texts are bytes, an array is a list of texts or of numbers.

    Args:
        file: the file, at its start; it is read up to the end of the metadata.
        wanted: returns whether the value of a key is kept; all others are passed over.

    Raises:
        SourceError: it is of another version, or damaged.
        OSError: it cannot be read.
    """
    reader = _Reader(file)
    if reader.take(4, "the magic number") != b"GGUF":
        raise SourceError("it does not begin with GGUF")
    (version,) = reader.numbers("I", "the version")
    if not version & 0xFFFF:
        raise SourceError(
            "it is a GGUF file of a big-endian machine; convert it with gguf-convert-endian FILE "
            "little, of the package gguf"
        )
    if version not in (2, 3):
        raise SourceError(f"it is GGUF of version {version}; versions 2 and 3 can be read")
    n_tensors, n_values = reader.numbers("QQ", "the counts")
    reader.expect(n_tensors * 24, f"{n_tensors} tensors")
    reader.expect(n_values * 13, f"{n_values} metadata values")
    found: dict[str, Any] = {}
    seen: set[str] = set()
    for _ in range(n_values):
        key = reader.text("a key", MAX_TEXT).decode("utf-8", "replace")
        if key in seen:
            raise SourceError(f"the key {key!r} comes twice")
        seen.add(key)
        (kind,) = reader.numbers("I", key)
        value = reader.value(kind, key, wanted(key))
        if value is not None:
            found[key] = value
    return found


class _Reader:
    """A place in a file whose size is known. Each method reads from the place on and moves it.

    Every method raises a SourceError if the file does not have what it reads; `what` or `key` names
    that in the message.

    Attributes:
        file: the file.
        left: how many bytes of it are after the place.
        kept: how many bytes of values were kept so far.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Begin where the file stands."""
        self.file = file
        start = file.tell()
        self.left = file.seek(0, os.SEEK_END) - start
        file.seek(start)
        self.kept = 0

    def expect(self, size: int, what: str) -> None:
        """Refuse what takes more bytes than are left; nothing is read."""
        if size > self.left:
            raise SourceError(
                f"{what} take at least {size} bytes, {self.left} are left; the file is cut off or "
                "damaged: fetch it again"
            )

    def take(self, size: int, what: str) -> bytes:
        """Return the next `size` bytes.

        Raises:
            SourceError: fewer are left, or the file has become shorter.
        """
        self.expect(size, what)
        data = self.file.read(size)
        self.left -= size
        if len(data) != size:
            raise SourceError(f"{what}: the file ends before its {size} bytes")
        return data

    def skip(self, size: int, what: str) -> None:
        """Pass over bytes."""
        self.expect(size, what)
        self.file.seek(size, os.SEEK_CUR)
        self.left -= size

    def numbers(self, layout: str, what: str) -> tuple[Any, ...]:
        """Return the next numbers, in the notation of `struct`."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}"), what))

    def text(self, what: str, most: int) -> bytes:
        """Return the next text, as bytes; it stands after its length, which may be `most`.

        Raises:
            SourceError: the text is longer than `most` bytes, or the file ends before it does.
        """
        (size,) = _SIZE.unpack(self.take(8, what))
        if size > most:
            self.expect(size, what)
            raise SourceError(f"{what} has {size} bytes; {most} are possible")
        return self.take(size, what)

    def value(self, kind: int, key: str, keep: bool) -> Any:
        """Return the next value, of the type `kind`; None where it is not kept.

        It is a number, bytes, or what `items` returns.

        Raises:
            SourceError: the type is unknown, or the file ends before the value does.
        """
        if kind in _NUMBERS:
            (number,) = self.numbers(_NUMBERS[kind], key)
            return number if keep else None
        if kind == _STRING:
            if keep:
                return self.keep(self.text(key, MAX_KEPT))
            self.skip(self.numbers("Q", key)[0], key)
            return None
        if kind == _ARRAY:
            return self.items(key, keep)
        raise SourceError(f"{key}: a value of the unknown type {kind}; the file is damaged")

    def items(self, key: str, keep: bool) -> Any:
        """Return the next array: a list, or bytes for numbers of 8 bits; None if it is not kept.

        A list has numbers, or texts as bytes; arrays of arrays are refused, and so are more than
        `MAX_ITEMS` items that are kept.
        """
        kind, count = self.numbers("IQ", key)
        if kind not in _NUMBERS and kind != _STRING:
            raise SourceError(f"{key}: an array of the type {kind}, which no tokenizer has")
        layout = _NUMBERS.get(kind, "Q")
        size = count * struct.calcsize(layout)
        self.expect(size, f"{count} items of {key}")
        if keep and count > MAX_ITEMS and layout not in "bB":
            raise SourceError(f"{key} has {count} items; {MAX_ITEMS} are possible")
        if kind == _STRING:
            return self.texts(key, count, keep)
        if not keep:
            self.skip(size, key)
            return None
        data = self.keep(self.take(size, key))
        return data if layout in "bB" else list(struct.unpack(f"<{count}{layout}", data))

    def texts(self, key: str, count: int, keep: bool) -> list[bytes] | None:
        """Return the next `count` texts; None where they are not kept.

        Raises:
            SourceError: the file ends before they do, or a text that is kept is too long.
        """
        if not keep:
            for _ in range(count):
                self.skip(self.numbers("Q", key)[0], key)
            return None
        return [self.keep(self.text(key, MAX_TEXT)) for _ in range(count)]

    def keep(self, data: bytes) -> bytes:
        """Return bytes that are kept, and count them; refuse the file if they are too many."""
        self.kept += len(data)
        if self.kept > MAX_KEPT:
            raise SourceError(f"its metadata has over {MAX_KEPT >> 20} MB, more than any tokenizer")
        return data


def value(
    metadata: Mapping[str, Any], key: str, kind: type | tuple[type, ...], default: Any = None
) -> Any:
    """Return the value of a key, or `default` where the key is not there.

    Raises:
        SourceError: it is of another type.
    """
    found = metadata.get(key, default)
    if found is not default and not isinstance(found, kind):
        raise SourceError(f"{key} is {found!r:.60}, of the wrong type; the file is damaged")
    return found
