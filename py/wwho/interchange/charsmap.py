"""SentencePiece's precompiled charsmap, read and written: texts and what replaces them.

`u32` bytes of a double array, the array (Darts-clone: units of 32 bits), then the replacements,
each ended by a zero byte. Texts with the same ends share them in the array.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from wwho.errors import ExportError, SourceError

MAX_KEY = 255
"""Bytes of a text that is replaced; the longest known has 12."""
MAX_STEPS = 1 << 21
"""Units that are looked at; the largest charsmap known takes under 400,000."""

BYTES = [bytes([byte]) for byte in range(256)]

BLOCK = 256
"""Units of which SentencePiece wants a multiple: a unit and those below it are in one block."""
MAX_UNITS = 1 << 21
"""Units that an offset of 22 bits reaches in all directions."""
ENDS, VALUE = 1 << 8, 1 << 31


@dataclass(frozen=True)
class Charsmap:
    """The texts that a normalizer of SentencePiece replaces.

    Attributes:
        rules: texts and their replacements.
    """

    rules: Mapping[str, str] = field(default_factory=dict)


# A model's charsmap is read with its file, and again as a normalizer.
@lru_cache(maxsize=1)
def read_charsmap(data: bytes) -> Charsmap:
    """Return what a charsmap replaces, given its bytes; an empty one replaces nothing.

    Raises:
        SourceError: an offset leaves the data, the array has a cycle, or a text or a replacement is
            not UTF-8.

    Example:
        >>> read_charsmap(b"").rules
        {}
    """
    if not data:
        return Charsmap()
    if len(data) < 4:
        raise _bad(f"it has {len(data)} bytes")
    (size,) = struct.unpack_from("<I", data)
    if size % 4 or not size or size > len(data) - 4:
        raise _bad(f"its array has {size} bytes of {len(data) - 4}")
    units = struct.unpack_from(f"<{size // 4}I", data, 4)
    texts = data[4 + size :]
    keys = _keys(units)
    if not keys:
        return Charsmap()
    contents: dict[int, str] = {}  # of the place of each
    for key, place in keys:
        if place in contents:
            continue
        end = texts.find(b"\0", place) if place < len(texts) else -1
        if end < 0:
            raise _bad(f"the replacement of {key!r} is at {place} of {len(texts)}, without an end")
        contents[place] = _decode_text(texts[place:end])
    try:  # all at once: none of them has a zero byte
        decoded = b"\0".join(key for key, _ in keys).decode().split("\0")
    except UnicodeDecodeError:
        decoded = [_decode_text(key) for key, _ in keys]
    return Charsmap({key: contents[place] for key, (_, place) in zip(decoded, keys, strict=True)})


def _decode_text(text: bytes) -> str:
    """Return the text of some bytes; raise SourceError if they are not UTF-8."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad(f"a text or what replaces it, {text!r}, is not UTF-8") from None


def _keys(units: tuple[int, ...]) -> list[tuple[bytes, int]]:
    """Return all texts of a double array, with the value of each: the place of its replacement.

    Texts share their ends there, so a unit is reached in many ways; a cycle shows by its depth.

    Raises:
        SourceError: a text is too long or its value is outside the array, or there are too many
            units on the way.
    """
    # Of the units below each place: their byte, whether they end a text, and what is below them.
    children: dict[int, list[tuple[bytes, int, int]]] = defaultdict(list)
    for index, unit in enumerate(units):
        if unit & 255 and unit < 1 << 31:
            below = index ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))
            children[index ^ (unit & 255)].append((BYTES[unit & 255], unit & 1 << 8, below))
    found: list[tuple[bytes, int]] = []
    first = (units[0] >> 10) << ((units[0] & 1 << 9) >> 6)
    pending = [(first, b"")]
    for _ in range(MAX_STEPS):
        if not pending:
            return found
        base, key = pending.pop()
        if len(key) >= MAX_KEY:
            raise _bad(f"it replaces a text of over {MAX_KEY} bytes, or its array has a cycle")
        for byte, ends, below in children.get(base, ()):
            text = key + byte
            if ends:
                if below >= len(units):
                    raise _bad(f"the value of {text!r} is outside its array")
                found.append((text, units[below] & 0x7FFFFFFF))
            if below in children:
                pending.append((below, text))
    raise _bad(f"its array takes over {MAX_STEPS} steps")


def _bad(message: str) -> SourceError:
    return SourceError(f"precompiled_charsmap: {message}; the file is damaged")


def write_charsmap(rules: Mapping[str, str]) -> bytes:
    """Return the bytes of a charsmap of these rules, text to replacement; b"" without rules.

    Raises:
        ExportError: a text is empty or has U+0000, as none may there, or a lone surrogate, or there
            are too many.

    Example:
        >>> read_charsmap(write_charsmap({"½": "1/2", "½½": "1"})).rules
        {'½': '1/2', '½½': '1'}
    """
    if not rules:
        return b""
    if odd := next((text for pair in rules.items() for text in pair if "\0" in text), None):
        raise ExportError(f"no charsmap can replace or make {odd!r}, which has U+0000")
    try:
        keys = sorted((key.encode(), text.encode()) for key, text in rules.items())
    except UnicodeEncodeError as error:
        raise ExportError(f"no charsmap can hold lone surrogates: {error}") from None
    if not keys[0][0]:
        raise ExportError("no charsmap replaces the empty text")
    texts, places = bytearray(), dict[bytes, int]()
    for _, text in keys:
        if text not in places:
            places[text] = len(texts)
            texts += text + b"\0"
    units = _array(*_nodes(keys, places))
    array = struct.pack(f"<{len(units)}I", *units)
    return struct.pack("<I", len(array)) + array + texts


Node = tuple[tuple[int, int], ...]
"""The bytes that lead on and the number of the node below each; byte 0 has a text's value."""


def _nodes(keys: list[tuple[bytes, bytes]], places: Mapping[bytes, int]) -> tuple[list[Node], int]:
    """Return the nodes of the smallest acyclic automaton of some texts, and the root's number.

    A node lists bytes and the numbers of the nodes below, which come before it; byte 0 ends a text.

    Args:
        keys: the texts and what replaces them, ascending.
        places: the value of each replacement, which byte 0 leads to.
    """
    numbers: dict[Node, int] = {}
    path: list[list[tuple[int, int]]] = [[]]

    def close(depth: int, before: bytes) -> None:
        while len(path) > depth + 1:
            node = tuple(path.pop())
            path[-1].append((before[len(path) - 1], numbers.setdefault(node, len(numbers))))

    before = b""
    for key, text in keys:
        shared = next(
            (k for k, (a, b) in enumerate(zip(before, key, strict=False)) if a != b), len(before)
        )
        close(shared, before)
        path.extend([] for _ in range(len(key) - shared))
        path[-1].append((0, places[text]))
        before = key
    close(0, before)
    root = numbers.setdefault(tuple(path[0]), len(numbers))
    return list(numbers), root


def _array(nodes: list[Node], root: int) -> list[int]:
    """Return the units of the double array of these nodes; the first one leads to the root.

    Each unit is a number of 32 bits.

    Raises:
        ExportError: there are over `MAX_UNITS`.
    """
    layout = _Layout()
    order = sorted(range(len(nodes)), key=lambda number: -len(nodes[number]))
    bases = {number: layout.take_base([byte for byte, _ in nodes[number]]) for number in order}
    units = layout.units
    units[0] = bases[root] << 10
    for number, base in bases.items():
        for byte, below in nodes[number]:
            at = base ^ byte
            if not byte:
                units[at] = VALUE | below
                continue
            ends = ENDS if nodes[below][0][0] == 0 else 0
            units[at] = (at ^ bases[below]) << 10 | ends | byte
    layout.fill()
    return units


@dataclass
class _Layout:
    """Where nodes are put.

    Attributes:
        units: the units so far.
        free: the units of each block that are not taken, by the first unit of the block. Blocks
            that are found full are removed.
        bases: the bases that nodes have, no two the same one; none is 0, which means nothing.
    """

    units: list[int] = field(default_factory=list)
    free: dict[int, set[int]] = field(default_factory=dict)
    bases: set[int] = field(default_factory=lambda: {0})

    def take_base(self, labels: list[int]) -> int:
        """Return a new base for a node with these bytes, and take the units that it needs.

        They are ``base ^ label`` for each label, all of them free until now.

        Args:
            labels: the bytes that lead on from the node, at least one.

        Raises:
            ExportError: there are over `MAX_UNITS`.
        """
        for block in self._blocks():
            free = self.free[block]
            for unit in free:
                base = unit ^ labels[0]
                if base not in self.bases and all(base ^ label in free for label in labels):
                    self.bases.add(base)
                    free.difference_update(base ^ label for label in labels)
                    return base
        raise AssertionError

    def _blocks(self) -> Iterator[int]:
        """Yield the last blocks in `free`, at most 16, then a new one, each as its first unit.

        Those without a free unit are taken out of `free` in place of being yielded; a new one is
        added to it and to `units`.

        Raises:
            ExportError: there is no room for a new one.
        """
        for block in [*self.free][-16:]:
            if self.free[block]:
                yield block
            else:
                del self.free[block]
        start = len(self.units)
        if start + BLOCK > MAX_UNITS:
            raise ExportError(f"the charsmap takes over {MAX_UNITS} units")
        self.units += [0] * BLOCK
        self.free[start] = {*range(max(start, 1), start + BLOCK)}
        yield start

    def fill(self) -> None:
        """Give units that are not taken a byte that no node looks for there.

        So a lookup that goes astray there ends. Units that are taken stay.
        """
        for start in range(0, len(self.units), BLOCK):
            block = range(start, start + BLOCK)
            # A node takes a unit at least: a block without a spare base has no unit left.
            spare = next((base for base in block if base not in self.bases), start)
            for unit in block[not start :]:
                self.units[unit] = self.units[unit] or unit ^ spare
