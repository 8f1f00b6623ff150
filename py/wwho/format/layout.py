"""The numbers of FORMAT.md that writer and reader share: magic, section kinds and limits."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

MAGIC: Final = b"\x89WWHO\r\n\x1a"
VERSION: Final = 3
HEADER_BYTES: Final = 20
ENTRY_BYTES: Final = 12
NONE: Final = 0xFFFFFFFF
NO_AUTOMATON: Final = 0xFFFF

MAX_SECTIONS: Final = 64
MAX_MODELS: Final = 4
MAX_IDS: Final = 2**21 - 1
MAX_TOKEN_BYTES: Final = 1024
MAX_FILE_BYTES: Final = 2**31 - 1
MAX_CLASSES: Final = 4096
MAX_AUTOMATA: Final = 1023
MAX_STATES: Final = 4095
MAX_RULES: Final = 1023
MAX_CELLS: Final = 2**22
MAX_STEPS: Final = 255
MAX_ROUTES: Final = 1023
MAX_LISTED_STEPS: Final = 16
N_PAGES: Final = 8704
MAX_PAGES: Final = 2048
PAGE_SIZE: Final = 128
UNIT_RULES: Final = 3


class Kind(IntEnum):
    """The kinds of sections, in their order in the file."""

    CLASSES = 1
    AUTOMATA = 2
    STEPS = 3
    ROUTES = 4
    MODEL = 5
    ADDED = 6
    NORMALIZER = 7
    TEMPLATE = 8
    DECODER = 9
    PROVENANCE = 10


REQUIRED: Final = (*(kind for kind in Kind if kind < Kind.NORMALIZER), Kind.PROVENANCE)


def padding(length: int, multiple: int = 4) -> int:
    """Return how many bytes bring `length` bytes to a multiple.

    Example:
        >>> padding(13), padding(16), padding(13, 2)
        (3, 0, 1)
    """
    return -length % multiple


SYLLABLE, ORPHAN, PASSTHROUGH, PIECE = range(4)
"""The rules of an automaton of units, and PIECE for a pretoken that is not cut into units."""
