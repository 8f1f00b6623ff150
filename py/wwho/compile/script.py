"""The blocks of SCRIPT, an alphabet of pairs, and the scanner that cuts where the script changes.

SCRIPT writes each character as a block and an index in it. A *group* is all characters of one
script and one kind: letters and combining marks (LM), punctuation and symbols (PS), numbers (N),
separators (Z), others (C). A large group is split into blocks. From *BPE Stays on SCRIPT* (arXiv
2505.24689) and its authors' code, with the Unicode data of this package.
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

MOVED_CHARACTERS: Final[dict[int, Group]] = {
    0x09: ("Common", "Z"),
    0x0A: ("Common", "Z"),
    0x30FC: ("Inherited", "LM"),
    0xFF70: ("Inherited", "LM"),
    0x640: ("Arabic", "LM"),
}
"""The group of each character that is not in the one its properties say; it comes first there."""

_SPACED_SCRIPTS = """
    Latin Arabic Devanagari Hangul Ethiopic Cyrillic Greek Hebrew Bengali Syriac Oriya Tamil Telugu
    Gurmukhi Gujarati Sinhala Malayalam Armenian Kannada Georgian
"""

SPACED_GROUPS: Final[tuple[Group, ...]] = (
    *((script, "LM") for script in _SPACED_SCRIPTS.split()),
    ("Common", "PS"),
)
"""Groups that take a single space before them into their piece."""

LARGEST_GROUP = ("Latin", "LM")
"""The group that is one block; its size is the most characters that a block has."""

KINDS: Final = {"LM": "LM", "PS": "PS", "N": "N", "Z": "Z", "C": ("Cc", "Cf")}
"""The general categories of each kind. Characters of no kind (unassigned ones, surrogates, those
for private use) have no script either."""


@dataclass(frozen=True)
class Block:
    """A list of characters of one script and kind that share their first symbol.

    Attributes:
        script: The script, as Unicode names it.
        kind: LM, PS, N, Z or C, or the name that an imported file gives it.
        characters: The code points by index.
        number: Blocks with equal numbers go on with each other's pieces. It is that of the group;
            Han and Hiragana share one.
        spaced: Whether a single space before the characters belongs to their piece.
    """

    script: str
    kind: str
    characters: tuple[int, ...]
    number: int
    spaced: bool

    @property
    def inherits(self) -> bool:
        """Whether the characters go on with any piece before them (Unicode's Inherited)."""
        return self.script == "Inherited"

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The characters by index, in ranges of consecutive code points, first and last included.

        Example:
            >>> Block("Common", "Z", (9, 10, 32, 160), number=0, spaced=False).ranges
            ((9, 10), (32, 32), (160, 160))
        """
        ranges: list[tuple[int, int]] = []
        for each in self.characters:
            if ranges and ranges[-1][1] == each - 1:
                ranges[-1] = (ranges[-1][0], each)
            else:
                ranges.append((each, each))
        return tuple(ranges)


@cache
def script_groups() -> dict[Group, tuple[int, ...]]:
    """Return the code points of each of SCRIPT's 381 groups, in order of their indices.

    That order is by code point, except that `MOVED_CHARACTERS` come first. Callers must not change
    the dictionary, which is cached.

    Example:
        >>> len(script_groups()), script_groups()["Inherited", "LM"][:3]
        (381, (12540, 65392, 768))
    """
    groups: dict[Group, list[int]] = {}
    for code_point, group in MOVED_CHARACTERS.items():
        groups.setdefault(group, []).append(code_point)
    for kind, category_names in KINDS.items():
        members = {point for name in category_names for point in category(name)}
        members -= MOVED_CHARACTERS.keys()
        for name in script_names():
            if points := [point for point in script(name) if point in members]:
                groups.setdefault((name, kind), []).extend(points)
    return {group: tuple(points) for group, points in groups.items()}


@cache
def script_blocks() -> tuple[Block, ...]:
    """Return the 468 blocks of SCRIPT in the order of their symbols, with up to 1,448 characters.

    Groups come in descending order of the number of characters that their script has, then of their
    own code points, compared one by one; the blocks of a group come one after another.

    Example:
        >>> blocks = script_blocks()
        >>> len(blocks), max(len(block.characters) for block in blocks)
        (468, 1448)
        >>> blocks[0].script, blocks[0].kind
        ('Han', 'N')
    """
    groups, script_sizes = script_groups(), Counter[str]()
    for (name, _), points in groups.items():
        script_sizes[name] += len(points)
    ordered = sorted(
        groups.items(), key=lambda item: (script_sizes[item[0][0]], item[1]), reverse=True
    )
    largest = len(groups[LARGEST_GROUP])
    numbers = {group: number for number, (group, _) in enumerate(ordered)}
    return tuple(
        Block(
            name,
            kind,
            points[at : at + largest],
            number=joint_number(numbers, name, kind),
            spaced=(name, kind) in SPACED_GROUPS,
        )
        for (name, kind), points in ordered
        for at in range(0, len(points), largest)
    )


def joint_number(numbers: Mapping[Group, int], name: str, kind: str) -> int:
    """Return the number that a block of this script and kind has for `Block.number`.

    It is the group's number, but Hiragana has that of Han, if there is Han of this kind: Japanese
    pieces go on from one to the other.

    Raises:
        KeyError: If `numbers` lacks the group.
    """
    own = numbers[name, kind]
    return numbers.get(("Han", kind), own) if name == "Hiragana" else own


def script_pieces(blocks: Sequence[Block]) -> Scanner:
    """Return the scanner that cuts a text into pieces of one script and kind each.

    A piece begins with a character of a group, or with a single space and a character of a group
    that takes spaces. It goes on with characters of that group and with Inherited ones. Inherited
    characters at the start of a text are a piece of their own. Characters of no block form one more
    group.

    Args:
        blocks: Those of `script_blocks`, or of an imported model.

    Returns:
        A scanner for the longest match with one rule.

    Example:
        >>> from wwho.compile.scanners import compile_scanners
        >>> compiled = compile_scanners([script_pieces(script_blocks())])
        >>> compiled.classes.n_classes, compiled.automata[0].n_states
        (380, 382)
    """
    group_ranges: dict[int, list[tuple[int, int]]] = {}
    inherited_ranges: list[tuple[int, int]] = []
    for block in blocks:
        if block.inherits:
            inherited_ranges.extend(block.ranges)
        else:
            group_ranges.setdefault(block.number, []).extend(block.ranges)
    groups = {number: CodePointSet(tuple(ranges)) for number, ranges in group_ranges.items()}
    inherited = CodePointSet(tuple(inherited_ranges))
    known = CodePointSet(
        tuple(each for ranges in (*group_ranges.values(), inherited_ranges) for each in ranges)
    )
    spaced = {block.number for block in blocks if block.spaced}
    options: list[Node] = []
    for number, group in (*groups.items(), (-1, ALL - known)):
        start: Node = Chars(group)
        if number in spaced:
            start = Alt((start, seq(Chars(CodePointSet.of(" ")), start)))
        options.append(seq(start, many(Chars(group | inherited))))
    options.append(many(Chars(inherited), 1))
    return Scanner("script", (Alt(tuple(options)),), longest=True)
