"""The steps of a pipeline: each rewrites or cuts a piece of text (FORMAT.md, STEPS)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

MAX_TARGETS = 32
"""Code points that one code point becomes, or that a content has, at most."""
CLUSTER_BYTES = 6
"""A grapheme cluster of this many bytes or more is looked up character by character."""


@dataclass(frozen=True)
class Map:
    """A step that maps single characters, orders combining marks and composes characters.

    Lower case is a mapping alone, NFD is a mapping and an order, and NFC has pairs as well.

    Attributes:
        mapping: the code points that a code point becomes; none: it vanishes. Targets are not
            mapped again. Code points that pairs compose to are not in it.
        order: the combining class (1..254) of each combining mark. Neighbouring marks are sorted by
            it.
        pairs: for a starter and a code point after it the code point that they compose to. The
            step first decomposes that code point into the pair.
        decomposes_hangul: whether syllables of Hangul are decomposed.
        composes_hangul: whether letters of Hangul are composed to syllables.
    """

    mapping: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    order: Mapping[int, int] = field(default_factory=dict)
    pairs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    decomposes_hangul: bool = False
    composes_hangul: bool = False

    @cached_property
    def decompositions(self) -> Mapping[int, tuple[int, ...]]:
        """Return the code points that each code point becomes before any two compose.

        The keys are those of `mapping`, with their values as they are there, and the code points
        that `pairs` compose. Such a one is taken apart into its pair, and the first part again as
        long as it is composed; then `mapping` is looked up for that first part, and for no other.
        Only a code point that `mapping` removes has an empty value. Combining marks are not sorted
        yet, and syllables of Hangul are no keys unless `mapping` or `pairs` have them.

        Raises:
            ValueError: first parts form a cycle, two pairs compose to one code point, a code point
                is mapped and composed, or a composed one becomes over `MAX_TARGETS` code points.
        """
        parts = {composed: pair for pair, composed in self.pairs.items()}
        if len(parts) < len(self.pairs) or parts.keys() & self.mapping.keys():
            raise ValueError("a code point is composed twice, or mapped and composed")
        whole = dict(self.mapping)
        for composed in parts:
            first, ends = composed, list[int]()
            while first in parts and len(ends) <= MAX_TARGETS:
                first, second = parts[first]
                ends.append(second)
            targets = (*self.mapping.get(first, (first,)), *reversed(ends))
            if len(targets) > MAX_TARGETS:
                raise ValueError(f"U+{composed:04X} becomes over {MAX_TARGETS} code points")
            whole[composed] = targets
        return whole

    @property
    def code_points(self) -> set[int]:
        """All code points that are mapped, ordered, composed, or the second of a pair.

        Raises:
            ValueError: as for `decompositions`.
        """
        return {*self.decompositions, *self.order, *(second for _, second in self.pairs)}

    @cached_property
    def changed(self) -> frozenset[str]:
        """The characters of which a text must have one for the step to change anything.

        With `composes_hangul`, these are the vowels and tails that may join the letter before them.

        Raises:
            ValueError: as for `decompositions`.
        """
        code_points = {*self.code_points}
        if self.decomposes_hangul:
            code_points.update(range(0xAC00, 0xD7A4))
        if self.composes_hangul:
            code_points.update(range(0x1161, 0x11C3))
        return frozenset(map(chr, code_points))

    @property
    def composes(self) -> bool:
        """Whether the step composes any characters."""
        return bool(self.pairs) or self.composes_hangul


MATCH = "\udfff"
"""The character that stands for the match itself in a content of `Replace`."""


@dataclass(frozen=True)
class Replace:
    """A step that replaces the matches of an automaton: Replace of Hugging Face's `tokenizers`.

    The automaton leaves nothing out, so text that is to stay needs a rule, too. That rule should
    match one character (`[\\s\\S]`): then texts can be cut between its matches.

    Attributes:
        automaton: number of the automaton that scans the piece.
        contents: for each rule of the automaton the text that replaces its matches, in which
            `MATCH` stands for the match itself; None: the match stays.
        after: the rules whose contents have the source of the character after the match, not of
            the last one in it.
        empty: whether the pattern may match nothing. Rule 0 is then its other matches, and each
            other rule one character. What stands before `MATCH` in their contents replaces an
            empty match before that character, and what stands after it one at the end of the piece.
    """

    automaton: int
    contents: tuple[str | None, ...]
    after: frozenset[int] = frozenset()
    empty: bool = False


@dataclass(frozen=True)
class Ends:
    """A step at the ends of a piece: Strip, Prepend, the marker of Metaspace, add_prefix_space.

    It first removes characters of `strip`. If anything is left, it adds `prefix` and `suffix`.

    Attributes:
        strip: the characters to remove, ascending; at most 64.
        left: whether they are removed from the beginning.
        right: whether they are removed from the end.
        prefix: the text that is put before the piece, with the source of its first character.
        suffix: the text that is put after the piece, with the source of its last character.
        unless: whether a piece that begins with the first character of the prefix gets no prefix.
        first: whether a piece gets a prefix only if the source of its first character is the first
            character of the whole text.
    """

    strip: str = ""
    left: bool = False
    right: bool = False
    prefix: str = ""
    suffix: str = ""
    unless: bool = False
    first: bool = False


@dataclass(frozen=True)
class Rules:
    """A step of many rules from text to text: the charsmap of SentencePiece.

    Attributes:
        rules: for each text the content that replaces it. To keep a text as it is, such as a token
            that a user has defined, let it be its own content, and let no other text begin with it.
        clusters: None: at each place the longest rule counts, as in SentencePiece and llama.cpp,
            and its content has the source of the first character. Otherwise the number of an
            automaton that finds grapheme clusters, as in Hugging Face's `tokenizers`: a cluster of
            less than `CLUSTER_BYTES` that begins with a rule becomes the content of the shortest
            such rule, and in all others each character is looked up on its own.
    """

    rules: Mapping[str, str]
    clusters: int | None = None

    @cached_property
    def longest(self) -> int:
        """The number of characters of the longest text of a rule."""
        return max(map(len, self.rules))


def rules_in_clusters(rules: Mapping[str, str]) -> dict[str, str]:
    """Return the rules that can apply in a `Rules` with clusters.

    Others are as long as a cluster that is not looked up as a whole, or begin with another rule.

    Example:
        >>> rules_in_clusters({"½": "1/2", "½x": "x/2", "가나": "나가"})
        {'½': '1/2'}
    """
    return {
        text: content
        for text, content in rules.items()
        if len(text.encode()) < CLUSTER_BYTES
        and not any(text[:end] in rules for end in range(1, len(text)))
    }


@dataclass(frozen=True)
class Spell:
    """A step that writes each character as those that stand for its bytes: ByteLevel's alphabet."""


def stand_in(byte: int) -> int:
    """Return the code point that stands for a byte in ByteLevel's alphabet.

    Example:
        >>> chr(stand_in(0x20)), chr(stand_in(0x41)), chr(stand_in(0xAD))
        ('\u0120', 'A', '\u0143')
    """
    if byte < 33:
        return byte + 256
    if byte == 127:
        return 289
    if 128 <= byte <= 160:
        return byte + 162
    return 323 if byte == 173 else byte


STAND_INS: Mapping[str, int] = {chr(stand_in(byte)): byte for byte in range(256)}
"""ByteLevel's alphabet: each character, and the byte that it stands for."""


def bytes_of_stand_ins(text: str) -> bytes | None:
    """Return the bytes that the characters of a text stand for; None if one stands for no byte.

    Example:
        >>> bytes_of_stand_ins("\u0120caf\u00c3\u00a9").decode()
        ' café'
    """
    try:
        return bytes(map(STAND_INS.__getitem__, text))
    except KeyError:
        return None


class Action(IntEnum):
    """What a `Cut` does with the text that a rule of its automaton matched."""

    KEEP = 0
    """The match is a piece."""
    DROP = 1
    """The match belongs to no piece."""
    BEFORE = 2
    """The match joins the match directly before it."""
    BEHIND = 3
    """The match joins the match directly after it."""
    GROUP = 4
    """The match joins the match directly before it, if both are of the same rule."""
    FOLLOW = 5
    """The match joins the match directly before it, if that is of the same rule or of the rule
    before this one."""
    COUNT = 6
    """The match is cut into groups of a number of characters, counted from its end."""


@dataclass(frozen=True)
class Cut:
    """A step that cuts a piece into pieces: a pretokenizer.

    Attributes:
        automaton: number of the automaton that scans the piece.
        actions: for each rule of the automaton what becomes of its matches.
        numbers: for each rule 0..31: how many characters a group of COUNT has; for other actions,
            by how many characters a match ends before the mark, since its pattern looked ahead at
            them. Empty: 0 for each rule.
        short_joins: whether the first group of COUNT, if it is shorter than the others, joins the
            match directly before it.
        first_joins: whether the first group of COUNT always joins the match directly before it.
        last_joins: whether the match directly after a COUNT joins its last group.
    """

    automaton: int
    actions: tuple[Action, ...]
    numbers: tuple[int, ...] = ()
    short_joins: bool = False
    first_joins: bool = False
    last_joins: bool = False

    def __post_init__(self) -> None:
        """Drop numbers that are all 0, so that equal cuts are equal objects."""
        if not any(self.numbers):
            object.__setattr__(self, "numbers", ())


LEAD, TRAIL, TRAILS = 0xF5, 2, 240
"""A symbol of `Blocks` is two bytes: from LEAD on, and one of TRAILS bytes from TRAIL on."""
MAX_BLOCK_SYMBOLS = (0x100 - LEAD) * TRAILS
"""How many symbols a `Blocks` has at most."""


def symbol_text(number: int) -> bytes:
    """Return the two bytes of a symbol of `Blocks`.

    UTF-8 never contains the first byte, and the second byte is never the first one of a symbol. So
    symbols can be told from other text, and each from the next.

    Example:
        >>> symbol_text(241).hex()
        'f603'
    """
    return bytes((LEAD + number // TRAILS, TRAIL + number % TRAILS))


def symbol_at(text: bytes, at: int) -> int | None:
    """Return the number of the symbol of `Blocks` that begins at a byte of a text, if one does."""
    if not 0 <= at < len(text) - 1 or text[at] < LEAD:
        return None
    number = (text[at] - LEAD) * TRAILS + text[at + 1] - TRAIL
    return number if number >= 0 else None


@dataclass(frozen=True)
class Blocks:
    """A step that writes each character as two symbols, a block and an index in it, for a BPE.

    Symbols are numbered: indices from 0 on, then blocks, then, with `spell`, the 256 bytes.

    Attributes:
        blocks: for each block its characters in the order of their indices, as ranges of code
            points: the first and the last of each.
        n_indices: the number of indices. No block has more characters.
        spell: whether a character of no block, or a byte of broken UTF-8, is written with the
            symbols of its bytes; otherwise it is left out.
    """

    blocks: tuple[tuple[tuple[int, int], ...], ...]
    n_indices: int
    spell: bool = False

    @property
    def n_symbols(self) -> int:
        """The number of symbols: indices, blocks and, with `spell`, bytes."""
        return self.n_indices + len(self.blocks) + 256 * self.spell

    @cached_property
    def places(self) -> Mapping[int, tuple[int, int]]:
        """The block and the index of each code point.

        Raises:
            ValueError: a code point occurs twice, or a block has more characters than indices.
        """
        places: dict[int, tuple[int, int]] = {}
        for block, ranges in enumerate(self.blocks):
            index = 0
            for first, last in ranges:
                if index + last - first >= self.n_indices:
                    raise ValueError(f"block {block} has more than {self.n_indices} characters")
                for code_point in range(first, last + 1):
                    if code_point in places:
                        raise ValueError(f"U+{code_point:04X} comes twice")
                    places[code_point] = (block, index)
                    index += 1
        return places

    @cached_property
    def characters(self) -> Mapping[tuple[int, int], int]:
        """The code point of each block and index."""
        return {place: code_point for code_point, place in self.places.items()}

    def symbols_of(self, character: int | bytes) -> bytes:
        """Return the symbols that a code point, or one byte of broken UTF-8, is written with.

        A code point of a block is written with the symbols of its block and of its index there;
        any other character with one symbol for each byte of its UTF-8, or, unless `spell`, with
        none: it is left out.

        Returns:
            The numbers of the symbols, each as the two bytes of `symbol_text`.
        """
        place = self.places.get(character) if isinstance(character, int) else None
        if place is not None:
            return symbol_text(self.n_indices + place[0]) + symbol_text(place[1])
        if not self.spell:
            return b""
        data = chr(character).encode() if isinstance(character, int) else character
        return b"".join(symbol_text(self.n_symbols - 256 + byte) for byte in data)

    def is_block(self, symbol: int | None) -> bool:
        """Return whether the number of a symbol is that of a block; None is not."""
        return symbol is not None and 0 <= symbol - self.n_indices < len(self.blocks)


Rewrite = Map | Replace | Ends | Rules | Spell
"""A step that rewrites: those of a normalizer."""
Step = Rewrite | Cut | Blocks
"""A step of a route or of a normalizer."""
