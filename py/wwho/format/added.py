"""The section ADDED: the added tokens, written and read (FORMAT.md, ADDED)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate, pairwise

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_IDS
from wwho.format.model import Added, Flag

PROPERTIES = 3
"""The highest property of a class: white space (1) and word character (2)."""

TOUCHING = Flag.LSTRIP | Flag.RSTRIP | Flag.SINGLE_WORD
"""Flags for which the properties of neighbouring characters count."""


def write_added(added: Sequence[Added], properties: bytes) -> bytes:
    """Return the bytes of the section ADDED.

    Args:
        added: the added tokens, by ascending id.
        properties: one byte for each class of characters, or none if no token needs them.
    """
    texts = leb.pack_listed(token.text.encode("utf-8") for token in added)
    ids = leb.pack(b.id - a.id for a, b in pairwise([Added("", 0), *added]))
    flags = bytes(token.flags for token in added)
    return struct.pack("<I", len(added)) + flags + texts + ids + properties


def read_added(data: bytes, n_classes: int) -> tuple[tuple[Added, ...], bytes]:
    """Return the added tokens that a section holds, and the properties of classes.

    Args:
        data: the bytes of the section ADDED.
        n_classes: how many classes of characters the file has.

    Returns:
        The tokens by ascending id, several of which may have one id but not one text; and one byte
        for each class (1 white space, 2 word characters), or b"" if no token needs them.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is ADDED.
    """
    cursor = Cursor(data, "ADDED")
    (count,) = cursor.numbers("I", "count")
    flags = cursor.take(count, "flags")
    if max(flags, default=0) >= 2 * max(Flag):
        cursor.fail(f"an added token has the flags {max(flags)}: update wwho")
    try:
        texts = [text.decode("utf-8") for text in cursor.listed_texts(count, "added token")]
    except UnicodeDecodeError as error:
        cursor.fail(f"an added token is not UTF-8: {error.object!r}")
    if len(set(texts)) < count:
        cursor.fail("two added tokens have one text")
    ids = list(accumulate(cursor.lebs(count, "ids")))
    if max(ids, default=0) >= MAX_IDS:
        cursor.fail(f"an added token has the id {max(ids)}; {MAX_IDS} are possible")
    added = list(map(Added, texts, ids, map(Flag, flags)))
    touching = any(token.flags & TOUCHING for token in added)
    properties = cursor.take(n_classes, "properties") if touching else b""
    if max(properties, default=0) > PROPERTIES:
        cursor.fail(f"a class has the properties {max(properties)}, not 0 to {PROPERTIES}")
    cursor.end()
    return tuple(added), properties
