"""The numbers of FORMAT.md: magic, section kinds, limits. Writer and reader share them."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

MAGIC: Final = b"\x89WWHO\r\n\x1a"
VERSION: Final = 1
HEADER_BYTES: Final = 24
ENTRY_BYTES: Final = 12
META_BYTES: Final = 40
FEATURE_SGPE: Final = 1
FEATURE_SUPERWORDS: Final = 2
FEATURE_IDS: Final = 4
FEATURES: Final = FEATURE_SGPE | FEATURE_SUPERWORDS | FEATURE_IDS
NONE: Final = 0xFFFFFFFF
NO_ROUTER: Final = 0xFFFF

MAX_SECTIONS: Final = 16
MAX_IDS: Final = 2**21 - 1
MAX_TOKEN_BYTES: Final = 1023
MAX_ATOM_BYTES: Final = 255
MAX_FILE_BYTES: Final = 2**31 - 1
MAX_ROUTES: Final = 62
N_PAGES: Final = 8704
MAX_PAGES: Final = 2048
PAGE_SIZE: Final = 128
MAX_MARK: Final = 62
MARK_SHIFT: Final = 10
NEXT_MASK: Final = 2**MARK_SHIFT - 1


class Kind(IntEnum):
    """The kinds of sections, in their order in the file."""

    META = 1
    CLASSES = 2
    AUTOMATA = 3
    ROUTES = 4
    BASE = 5
    ATOMS = 6
    MERGES = 7
    SPECIALS = 8
    PROVENANCE = 9
    IDS = 10


REQUIRED: Final = (Kind.META, Kind.CLASSES, Kind.AUTOMATA, Kind.ROUTES, Kind.BASE, Kind.SPECIALS)
ANNOUNCED: Final = {
    Kind.ATOMS: FEATURE_SGPE,
    Kind.MERGES: FEATURE_SGPE,
    Kind.IDS: FEATURE_IDS,
}
"""The sections that are there exactly where a feature is."""


def padding(length: int, multiple: int = 4) -> int:
    """How many bytes bring `length` bytes to a multiple.

    Example:
        >>> padding(13), padding(16), padding(13, 2)
        (3, 0, 1)
    """
    return -length % multiple
