"""The types of numbers that ids are stored as, and the packing of ids into them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from wwho.errors import BackendError


@dataclass(frozen=True)
class TokenType:
    """A type of whole numbers, little-endian.

    Attributes:
        name: its name in numpy and Arrow.
        size: its bytes.
    """

    name: str
    size: int


UNSIGNED = (TokenType("uint8", 1), TokenType("uint16", 2), TokenType("uint32", 4))
"""The types of ids, the smallest first."""


def smallest_type(n_vocab: int, types: Sequence[TokenType] = UNSIGNED) -> TokenType:
    """Return the first of some types that holds all ids below a bound.

    Args:
        n_vocab: the bound: one more than the largest id.
        types: the types, the smallest first; the last holds every id.

    Raises:
        BackendError: this machine is not little-endian, as the files are.

    Example:
        >>> smallest_type(50257).name, smallest_type(65537).name
        ('uint16', 'uint32')
    """
    if sys.byteorder != "little":
        raise BackendError("shards hold little-endian numbers; write them on such a machine")
    return next((each for each in types[:-1] if n_vocab <= 256**each.size), types[-1])


def pack_ids(ids: bytes | bytearray, size: int) -> bytes | bytearray:
    """Return ids of 32 bits each as ids of `size` bytes each (1, 2 or 4), which must hold them.

    Example:
        >>> pack_ids(b"\\1\\2\\0\\0\\3\\0\\0\\0", 2)
        bytearray(b'\\x01\\x02\\x03\\x00')
    """
    if size == 4:
        return ids
    # Twice as quick as an array of numpy's, which would have to be installed.
    packed = bytearray(len(ids) // 4 * size)
    for byte in range(size):
        packed[byte::size] = ids[byte::4]
    return packed
