"""SentencePiece's precompiled charsmap, written: a double array of the texts, and what they become.

See `wwho.interchange.charsmap` for the layout. Texts with the same ends share them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wwho.errors import ExportError

BLOCK = 256
"""Units of which SentencePiece wants a multiple: a unit and those below it are in one block."""
MAX_UNITS = 1 << 21
"""Units that an offset of 22 bits reaches in all directions."""
ENDS, VALUE = 1 << 8, 1 << 31


def write_charsmap(rules: Mapping[str, str]) -> bytes:
    """Write rules as a charsmap; without rules it is empty.

    Raises:
        ExportError: a text is empty or has U+0000, as none may there, or a lone surrogate, or there
            are too many.

    Example:
        >>> from wwho.interchange.charsmap import read_charsmap
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
    """The nodes of the smallest acyclic automaton, children first, and the number of the root."""
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
    """The units; the first one leads to the root."""
    layout = _Layout()
    order = sorted(range(len(nodes)), key=lambda number: -len(nodes[number]))
    bases = {number: layout.place([byte for byte, _ in nodes[number]]) for number in order}
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
        free: those of them that are not taken, by blocks that have many.
        bases: the places that nodes have, no two the same one; none is 0, which means nothing.
    """

    units: list[int] = field(default_factory=list)
    free: dict[int, set[int]] = field(default_factory=dict)
    bases: set[int] = field(default_factory=lambda: {0})

    def place(self, labels: list[int]) -> int:
        """Take a place for a node with such bytes."""
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
        """The blocks, the newest first, and then a new one."""
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
        """Give units that are not taken a byte that no node looks for there."""
        for start in range(0, len(self.units), BLOCK):
            block = range(start, start + BLOCK)
            # A node takes a unit at least: a block without a spare base has no unit left.
            spare = next((base for base in block if base not in self.bases), start)
            for unit in block[not start :]:
                self.units[unit] = self.units[unit] or unit ^ spare
