"""SCRIPT: characters as a block and an index, and text cut where the script changes.

A *group* is all characters of one script and one kind: letters and marks (LM), punctuation and
symbols (PS), numbers (N), separators (Z), others (C). A large group is cut into blocks. From *BPE
Stays on SCRIPT* (arXiv 2505.24689) and its authors' code, with the Unicode data of this package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner
from wwho.compile.syntax import Alt, Chars, Node, many, seq
from wwho.compile.unicode import category, script, script_names

Group = tuple[str, str]
"""A script and a kind."""

MOVED: Final[dict[int, Group]] = {
    0x09: ("Common", "Z"),
    0x0A: ("Common", "Z"),
    0x30FC: ("Inherited", "LM"),
    0xFF70: ("Inherited", "LM"),
    0x640: ("Arabic", "LM"),
}
"""Characters that belong to another group than their properties say. In it, they come first."""

SPACED: Final[tuple[Group, ...]] = (
    *((script, "LM") for script in ("Latin", "Arabic", "Devanagari", "Hangul", "Ethiopic")),
    *((script, "LM") for script in ("Cyrillic", "Greek", "Hebrew", "Bengali", "Syriac", "Oriya")),
    *((script, "LM") for script in ("Tamil", "Telugu", "Gurmukhi", "Gujarati", "Sinhala")),
    *((script, "LM") for script in ("Malayalam", "Armenian", "Kannada", "Georgian")),
    ("Common", "PS"),
)
"""Groups that a single space before them belongs to."""

LARGEST = ("Latin", "LM")
"""The group whose size is the most that a block has."""

KINDS: Final = {"LM": "LM", "PS": "PS", "N": "N", "Z": "Z", "C": ("Cc", "Cf")}
"""Categories of each kind. What is of none has no script either: unassigned, surrogates, and
characters for private use."""


@dataclass(frozen=True)
class Block:
    """Characters that share a symbol.

    Attributes:
        script: their script, as Unicode names it.
        kind: LM, PS, N, Z or C, or whatever a file calls it.
        characters: their code points by index.
        number: of what continues a piece that another block began: that of its group, but that
            Han and Hiragana have one.
        spaced: whether a single space before them belongs to them.
    """

    script: str
    kind: str
    characters: tuple[int, ...]
    number: int
    spaced: bool

    @property
    def inherits(self) -> bool:
        """Whether they belong to what is before them, whatever that is."""
        return self.script == "Inherited"

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The characters as ascending stretches, by index."""
        found: list[tuple[int, int]] = []
        for each in self.characters:
            if found and found[-1][1] == each - 1:
                found[-1] = (found[-1][0], each)
            else:
                found.append((each, each))
        return tuple(found)


@cache
def groups() -> dict[Group, tuple[int, ...]]:
    """The characters of each group, in order of their indices: 381 groups.

    Example:
        >>> len(groups()), groups()["Inherited", "LM"][:3]
        (381, (12540, 65392, 768))
    """
    found: dict[Group, list[int]] = {}
    for code_point, group in MOVED.items():
        found.setdefault(group, []).append(code_point)
    for kind, names in KINDS.items():
        members = {point for name in names for point in category(name)} - MOVED.keys()
        for name in script_names():
            if points := [point for point in script(name) if point in members]:
                found.setdefault((name, kind), []).extend(points)
    return {group: tuple(points) for group, points in found.items()}


@cache
def script_blocks() -> tuple[Block, ...]:
    """The blocks of SCRIPT, by number: 468 with at most 1,448 characters.

    Groups come in descending order of the number of characters that their script has, then of their
    own characters, compared one by one; blocks of a group one after another.

    Example:
        >>> blocks = script_blocks()
        >>> len(blocks), max(len(block.characters) for block in blocks)
        (468, 1448)
        >>> blocks[0].script, blocks[0].kind
        ('Han', 'N')
    """
    found, sizes = groups(), Counter[str]()
    for (name, _), points in found.items():
        sizes[name] += len(points)
    order = sorted(found.items(), key=lambda item: (sizes[item[0][0]], item[1]), reverse=True)
    most = len(found[LARGEST])
    numbers = {group: number for number, (group, _) in enumerate(order)}
    return tuple(
        Block(
            name, kind, points[at : at + most], joined(numbers, name, kind), (name, kind) in SPACED
        )
        for (name, kind), points in order
        for at in range(0, len(points), most)
    )


def joined(numbers: Mapping[Group, int], name: str, kind: str) -> int:
    """The number of a group, where pieces go on from Han to Hiragana, and back."""
    return (
        numbers.get(("Han", kind), numbers[name, kind])
        if name == "Hiragana"
        else numbers[name, kind]
    )


def script_pieces(blocks: Sequence[Block]) -> Scanner:
    """What cuts a text into pieces of one script and kind each.

    What is Inherited goes on with what is before it, and so does what then comes of the group that
    began the piece. A single space before a group that takes it, and all else, begins a piece.
    What is of no block has a group of its own.

    Example:
        >>> from wwho.compile.scanners import compile_scanners
        >>> compiled = compile_scanners([script_pieces(script_blocks())])
        >>> compiled.classes.n_classes, compiled.automata[0].n_states
        (380, 382)
    """
    members: dict[int, list[tuple[int, int]]] = {}
    inherited: list[tuple[int, int]] = []
    spaced = {block.number for block in blocks if block.spaced}
    for block in blocks:
        (inherited if block.inherits else members.setdefault(block.number, [])).extend(block.ranges)
    sets = {number: CodePointSet(tuple(ranges)) for number, ranges in members.items()}
    goes_on = CodePointSet(tuple(inherited))
    rest = ALL - CodePointSet(tuple(r for each in (*members.values(), inherited) for r in each))
    rules: list[Node] = []
    for number, group in (*sets.items(), (-1, rest)):
        start: Node = Chars(group)
        if number in spaced:
            start = Alt((start, seq(Chars(CodePointSet.of(" ")), start)))
        rules.append(seq(start, many(Chars(group | goes_on))))
    rules.append(many(Chars(goes_on), 1))
    return Scanner("script", (Alt(tuple(rules)),), longest=True)
