"""The steps of a pipeline: each takes a piece of text and rewrites or cuts it (FORMAT.md, STEPS)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

MAX_TARGETS = 32
"""Code points that one code point becomes."""
CLUSTER_BYTES = 6
"""A grapheme cluster of so many bytes is looked up character by character."""


@dataclass(frozen=True)
class Map:
    """A step that maps single characters: lower case is a mapping alone, NFD also an order of
    combining marks, NFC also pairs that compose.

    Attributes:
        mapping: what becomes of a code point, fully: no target is mapped again. To nothing: it
            vanishes. Those that pairs compose are not in it.
        order: the class (1..254) of each mark, by which neighbouring marks are ordered.
        pairs: what a starter and a code point after it compose to; it is taken apart first.
        hangul_apart: whether syllables of Hangul are taken apart,
        hangul_together: and whether they are put together.
    """

    mapping: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    order: Mapping[int, int] = field(default_factory=dict)
    pairs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    hangul_apart: bool = False
    hangul_together: bool = False

    @cached_property
    def apart(self) -> Mapping[int, tuple[int, ...]]:
        """The mapping, with that of all that pairs compose.

        Raises:
            ValueError: pairs go round in a circle, or compose a code point twice.
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
    def spoken_of(self) -> set[int]:
        """All code points but those that only begin a pair."""
        return {*self.apart, *self.order, *(second for _, second in self.pairs)}

    @property
    def composes(self) -> bool:
        """Whether anything is put together."""
        return bool(self.pairs) or self.hangul_together


MATCH = "\udfff"
"""In a content of Replace: what was matched."""


@dataclass(frozen=True)
class Replace:
    """A step that replaces what the rules of an automaton match: Hugging Face's Replace.

    The automaton scans each part of a text as a stage does, and is total: what is to stay needs a
    rule, too, best of one character (`[\\s\\S]`), so that texts can be cut between its matches.

    Attributes:
        automaton: its number.
        contents: for each of its rules what stands for a match, literally, but that `MATCH` is the
            match; None: the match stays.
        after: the rules whose content stands for what follows: its place in the source is that of
            the character after the match, not of the last one in it.
        empty: whether the pattern may match nothing. Rule 0 is then its other matches, and each
            other rule one character; what stands before `MATCH` in their contents is for an empty
            match before that character, and what stands behind it for one at the end of the text
            (FORMAT.md, REPLACE, flag 1).
    """

    automaton: int
    contents: tuple[str | None, ...]
    after: frozenset[int] = frozenset()
    empty: bool = False


@dataclass(frozen=True)
class Ends:
    """A step at the ends of a part: Strip, Prepend, Metaspace's mark, add_prefix_space.

    First characters of `strip` go, then, unless nothing is left, `prefix` and `suffix` come.

    Attributes:
        strip: characters that are taken off, ascending.
        left: whether they are at the beginning,
        right: and at the end.
        prefix: what comes before a part; it has the place of the first character.
        suffix: what comes after it; it has the place of the last one.
        unless: no prefix where the part begins with the prefix's first character already.
        first: a prefix only where the first character stands at the beginning of the source.
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
        rules: what stands for each text. One that is to be passed untouched, such as a token that a
            user has defined, stands for itself; no other rule's text may begin with it.
        clusters: None: the longest rule counts at each place, as in SentencePiece and llama.cpp;
            its content has the place of the first character. Else the number of an automaton that
            finds grapheme clusters, and it is as in Hugging Face's `tokenizers`: one of less than
            CLUSTER_BYTES which begins with a rule's text is replaced by the content of the shortest
            such rule, and the rest of it is lost; of all others each character is looked up.
    """

    rules: Mapping[str, str]
    clusters: int | None = None

    @cached_property
    def longest(self) -> int:
        """Characters of the longest rule."""
        return max(map(len, self.rules))


def counting_in_clusters(rules: Mapping[str, str]) -> dict[str, str]:
    """The rules that may count in a step with clusters: not too long, nor beginning with another.

    Example:
        >>> counting_in_clusters({"½": "1/2", "½x": "x/2", "가나": "나가"})
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
    """A step that replaces each character by those that stand for its bytes: ByteLevel's alphabet."""


def stand_in(byte: int) -> int:
    """The character of ByteLevel's alphabet that stands for a byte.

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
"""That alphabet: each character, and the byte that it stands for."""


def stood_for(text: str) -> bytes | None:
    """The bytes that the characters of a text stand for; None where one stands for none.

    Example:
        >>> stood_for("\u0120caf\u00c3\u00a9").decode()
        ' café'
    """
    try:
        return bytes(map(STAND_INS.__getitem__, text))
    except KeyError:
        return None


LEAD, TRAIL, TRAILS = 0xF5, 2, 240
MAX_PAIR_SYMBOLS = (0x100 - LEAD) * TRAILS


def symbol_text(number: int) -> bytes:
    """The two bytes that a symbol of `Pairs` is written as.

    No UTF-8 has the first one, and no symbol has the second one first: symbols can be told from
    other text, and each from the next.

    Example:
        >>> symbol_text(241).hex()
        'f603'
    """
    return bytes((LEAD + number // TRAILS, TRAIL + number % TRAILS))


@dataclass(frozen=True)
class Blocks:
    """How a BPE over bytes reads a piece: each character as a block, and an index in it.

    Symbols are numbered: indices from 0, then blocks, then, with `spell`, the 256 bytes.

    Attributes:
        blocks: for each block its characters by index, as ranges: first and last code point.
        n_indices: how many indices there are: no block has more characters.
        spell: whether a character of no block, or a byte of broken UTF-8, is spelled with the
            symbols of its bytes; else it vanishes.
    """

    blocks: tuple[tuple[tuple[int, int], ...], ...]
    n_indices: int
    spell: bool = False

    @property
    def n_symbols(self) -> int:
        """How many symbols there are."""
        return self.n_indices + len(self.blocks) + 256 * self.spell

    @cached_property
    def places(self) -> Mapping[int, tuple[int, int]]:
        """Block and index of each code point.

        Raises:
            ValueError: a code point comes twice, or a block has more characters than indices.
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
        """The code point that has a block and an index."""
        return {place: code_point for code_point, place in self.places.items()}

    def spelled(self, character: int | bytes) -> bytes:
        """The symbols of a code point, or of a byte of broken UTF-8."""
        place = self.places.get(character) if isinstance(character, int) else None
        if place is not None:
            return symbol_text(self.n_indices + place[0]) + symbol_text(place[1])
        if not self.spell:
            return b""
        data = chr(character).encode() if isinstance(character, int) else character
        return b"".join(symbol_text(self.n_symbols - 256 + byte) for byte in data)

    def is_block(self, symbol: int | None) -> bool:
        """Whether a symbol, if it is one, is a block."""
        return symbol is not None and 0 <= symbol - self.n_indices < len(self.blocks)


def symbol_at(text: bytes, at: int) -> int | None:
    """The number of the symbol that begins at a place of a text; None: there is none."""
    if not 0 <= at < len(text) - 1 or text[at] < LEAD:
        return None
    number = (text[at] - LEAD) * TRAILS + text[at + 1] - TRAIL
    return number if number >= 0 else None


class Action(IntEnum):
    """What a `Cut` does with the text that a rule of its automaton matched."""

    KEEP = 0
    """The match is a piece."""
    DROP = 1
    """The match belongs to no piece."""
    BEFORE = 2
    """The match joins the piece directly before it."""
    BEHIND = 3
    """The match joins the piece directly after it."""
    GROUP = 4
    """The match joins the piece directly before it, if that came of the same rule."""
    FOLLOW = 5
    """The match joins the piece directly before it, if that came of the same rule or the rule
    before this one."""
    COUNT = 6
    """The match is cut into groups of a number of characters, counted from its end."""


@dataclass(frozen=True)
class Cut:
    """A step that cuts a piece into pieces: a pretokenizer.

    Attributes:
        automaton: number of the automaton that scans the piece.
        actions: what becomes of a match, for each rule of the automaton.
        numbers: for each rule 0..31: how many characters a group of COUNT has; for other actions,
            by how many characters a match ends before the mark, since its pattern looked ahead at
            them. Empty: 0 for each rule.
        short_joins: the first group of COUNT, if it is shorter than the others, joins the piece
            directly before it.
        first_joins: the first group of COUNT joins the piece directly before it.
        last_joins: the match directly after a COUNT joins its last group.
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


Rewrite = Map | Replace | Ends | Rules | Spell
"""A step that rewrites: those of a normalizer."""
Step = Rewrite | Cut | Blocks
"""A step of a route or of a normalizer."""
