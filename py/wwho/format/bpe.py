"""Byte-pair encoding, a kind of model: its data, written and read (FORMAT.md, BPE)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_TOKEN_BYTES, NONE
from wwho.format.model import (
    AFFIXES,
    LATER,
    PARTS,
    TIES,
    UNMADE,
    WHOLE,
    Head,
    Ids,
    Model,
    Pair,
    Unknown,
    expand,
)

MAX_AFFIX_BYTES = 32
"""Bytes of the prefix, or of the suffix, of symbols, at most."""

N_CLASSES = 224
"""Of characters, by which the right column is sorted."""

BYTES = tuple(bytes([byte]) for byte in range(256))
"""The symbols of a model of bytes, in ascending order."""


@dataclass(frozen=True, kw_only=True)
class BPE(Model):
    """A byte-pair encoding: symbols, and the pairs that merge.

    Tokens are numbered: the symbols from 0 on, then the results of the merges, then unmade tokens.

    Attributes:
        symbols: the texts of the symbols: the 256 bytes in any order, or units in ascending order.
        merges: the numbers of the two parts of each further token, in order of rank. A part may
            have a higher number than the token that it is part of; such a token is made as soon as
            both parts exist.
        ties: which merges, ascending and counted from 0, have the rank of the merge before.
        unmade: the texts of the tokens that no merge makes, ascending.
        whole: whether a pretoken that is an unmade token, or with affixes any token, as a whole is
            that token. Otherwise unmade tokens only decode.
        units: whether the symbols are units, which a route's automaton cuts.
        parts: whether a unit that is no symbol is first cut into the longest symbols that it begins
            with; the speller encodes only the rest.
        n_superwords: how many of the merges, the last ones, join words.
        space_id: the id of the lone space, which stands before a known unit; None for none.
        prefix: the text with which the symbols begin that continue a pretoken, such as `##`; the
            text of a merged token leaves it out of all symbols but the first (FORMAT.md, Affixes).
        suffix: the text with which the symbols end that end a pretoken, such as `</w>`.
    """

    symbols: tuple[bytes, ...] = BYTES
    merges: Sequence[Pair] = ()
    ties: Sequence[int] = ()
    unmade: tuple[bytes, ...] = ()
    whole: bool = False
    units: bool = False
    parts: bool = False
    n_superwords: int = 0
    space_id: int | None = None
    prefix: str = ""
    suffix: str = ""

    @property
    def n_symbols(self) -> int:
        """The number of symbols, which are the first tokens."""
        return len(self.symbols)

    @cached_property
    def texts(self) -> Sequence[bytes]:
        """The texts of all tokens, by their numbers."""
        # Twice as long as in a file: characters that stand for bytes have up to two bytes.
        limit = 2 * MAX_TOKEN_BYTES
        made = expand(list(self.symbols), self.merges, self.prefix.encode("utf-8"), limit)
        return (*made, *self.unmade)

    @property
    def affixes(self) -> bool:
        """Whether symbols are written with a prefix or a suffix."""
        return bool(self.prefix or self.suffix)

    @cached_property
    def parts_later(self) -> bool:
        """Whether a token has a part of a number that is not lower than its own."""
        pairs = enumerate(self.merges, self.n_symbols)
        return any(token <= left or token <= right for token, (left, right) in pairs)

    @cached_property
    def ranks(self) -> Sequence[int]:
        """The rank of each symbol and merged token: the number of the first token of that rank."""
        ranks = list(range(self.n_symbols + len(self.merges)))
        for tie in self.ties:
            ranks[self.n_symbols + tie] = ranks[self.n_symbols + tie - 1]
        return ranks

    @property
    def extra_ids(self) -> Mapping[int, bytes]:
        """The ids of byte tokens and of the lone space, and the bytes that they decode to."""
        space = {} if self.space_id is None else {self.space_id: b" "}
        return {**super().extra_ids, **space}

    @property
    def first_superword(self) -> int:
        """The number of the first token that joins words, or else of the first unmade one."""
        return len(self.symbols) + len(self.merges) - self.n_superwords


def write_bpe(model: BPE) -> bytes:
    """Return the bytes of a model after its head, up to its ids (FORMAT.md, BPE).

    Nothing is checked but that all numbers fit.

    Raises:
        ValueError: a number does not fit its column.
    """
    lefts, rights = [left for left, _ in model.merges], [right for _, right in model.merges]
    space_id = NONE if model.space_id is None else model.space_id
    counts = [len(each) for each in (model.unmade, model.ties) if each]
    head = struct.pack(f"<{2 + len(counts)}I", model.n_superwords, space_id, *counts)
    if model.affixes:
        prefix, suffix = model.prefix.encode("utf-8"), model.suffix.encode("utf-8")
        head += struct.pack("<BBH", len(prefix), len(suffix), 0) + prefix + suffix
    ties = [after - before for before, after in pairwise([0, *model.ties])]
    symbols = (leb.pack_texts if model.units else leb.pack_listed)(model.symbols)
    rights = _Order(model.symbols, lefts).distances(rights)
    if model.units and model.unknown is not Unknown.BYTES:
        lefts = leb.zigzag(lefts)
    columns = leb.pack(lefts) + leb.pack(rights) + leb.pack(ties)
    return head + symbols + columns + leb.pack_texts(model.unmade)


def read_bpe(cursor: Cursor, head: Head) -> BPE:
    """Read a model from the end of its head up to its ids.

    Args:
        cursor: the section MODEL, after the head; it stands at the ids afterwards, and its status
            has changed.
        head: the head.

    Returns:
        The model without what `read_models` adds: ids, and what becomes of unknown text.

    Raises:
        ArtifactError: a MUST of FORMAT.md, BPE is broken; its status is MODEL, SYMBOLS, PAIRS,
            PAIR_ORDER, PAIR_DUPLICATE, TOKEN_LENGTH or TOKEN_DUPLICATE.
    """
    units, whole = bool(head.units), bool(head.flags & WHOLE)
    n_superwords, space_id, n_unmade, n_ties = _read_numbers(cursor, head)
    prefix, suffix = _read_affixes(cursor) if head.flags & AFFIXES else ("", "")
    if head.flags & AFFIXES and (n_superwords or space_id is not None):
        cursor.fail(f"affixes with {n_superwords} superwords and the lone space {space_id}")
    n_merges = head.n_merges - n_unmade
    cursor.status = "SYMBOLS"
    symbols = cursor.texts(head.n_symbols, "symbol") if units else _read_bytes(cursor, head)
    if space_id is not None and b" " in symbols:
        cursor.fail("a symbol is a lone space")
    merges = _read_merges(cursor, head, symbols, n_merges)
    cursor.status = "PAIRS"
    ties = tuple(accumulate(gaps := cursor.lebs(n_ties, "ties")))
    if 0 in gaps or (ties and ties[-1] >= n_merges):
        cursor.fail(f"of {n_merges} merges, {ties} have the rank of the one before")
    cursor.status = "TOKEN_LENGTH"
    texts = expand(list(symbols), merges)
    if max(map(len, texts), default=0) > MAX_TOKEN_BYTES:
        cursor.fail(f"a token is longer than {MAX_TOKEN_BYTES} bytes, or part of itself")
    if head.flags & AFFIXES:
        if len(set(texts)) < len(texts):
            cursor.status = "TOKEN_DUPLICATE"
            cursor.fail("two tokens are made of symbols that are written alike")
        texts = expand(list(symbols), merges, prefix.encode("utf-8"))
    cursor.status = "SYMBOLS"
    unmade = cursor.texts(n_unmade, "unmade token")
    if space_id is not None and b" " in unmade:
        cursor.fail("an unmade token is a lone space")
    if len({*texts, *unmade}) < len(texts) + n_unmade:
        cursor.status = "TOKEN_DUPLICATE"
        cursor.fail("two tokens have one text")
    cursor.status = "SYMBOLS" if n_unmade else "PAIRS"
    model = BPE(
        symbols=symbols,
        merges=merges,
        ties=ties,
        unmade=unmade,
        whole=whole,
        units=units,
        parts=bool(head.flags & PARTS),
        n_superwords=n_superwords,
        space_id=space_id,
        prefix=prefix,
        suffix=suffix,
    )
    vars(model)["texts"] = (*texts, *unmade)
    return model


def _read_numbers(cursor: Cursor, head: Head) -> tuple[int, int | None, int, int]:
    """Return the four numbers at a cursor, which a BPE has first, after the head of its section.

    They are checked against the head: how many of each there may be, and what excludes what. Not
    checked here: affixes, which allow neither superwords nor a lone space (`read_bpe` does), and
    whether the id of the lone space is in range and free.

    Args:
        cursor: the section MODEL, after the head; it moves past the numbers.
        head: the head, whose `n_merges` counts the unmade tokens, too.

    Returns:
        The number of superwords, the id of the lone space or None, and the numbers of unmade tokens
        and of ties, which are 0 if the flags do not announce them.

    Raises:
        ArtifactError: the section ends here, or the flags announce unmade tokens or ties and there
            are 0; there are more unmade tokens than merges, or none where the flags say that whole
            pretokens may be such (unless symbols have affixes); there are ties among bytes, or as
            many as merges; there are more superwords than merges, or some beside ties, unmade
            tokens, merges of later tokens, ids that do not just count on, or bytes as symbols; or
            bytes have a lone space.
    """
    n_superwords, space_id = cursor.numbers("II", "n_superwords and space_id")
    n_unmade, n_ties = (
        cursor.numbers("I", "n_unmade, n_ties")[0] if head.flags & flag else None
        for flag in (UNMADE, TIES)
    )
    if 0 in (n_unmade, n_ties):
        cursor.fail(f"flags are {head.flags}, for {n_unmade} unmade tokens and {n_ties} ties")
    n_unmade, n_ties = n_unmade or 0, n_ties or 0
    n_merges = head.n_merges - n_unmade
    if n_merges < 0 or (head.flags & WHOLE and not n_unmade and not head.flags & AFFIXES):
        cursor.fail(f"{n_unmade} of {head.n_merges} tokens are unmade, flags {head.flags}")
    if n_ties and (n_ties >= n_merges or not head.units):
        cursor.fail(f"{n_ties} of {n_merges} merges have the rank of the one before")
    odd = head.ids != Ids.COUNT or not head.units or n_unmade or n_ties or head.flags & LATER
    if n_superwords > n_merges or (n_superwords and odd):
        cursor.fail(f"{n_superwords} of {n_merges} merges join words, ids {Ids(head.ids).name}")
    if space_id != NONE and not head.units:
        cursor.fail(f"bytes have no lone space, but space_id is {space_id}")
    return n_superwords, None if space_id == NONE else space_id, n_unmade, n_ties


def _read_affixes(cursor: Cursor) -> tuple[str, str]:
    """Read the prefix and the suffix of symbols; raise ArtifactError if both are empty or long."""
    n_prefix, n_suffix, zero = cursor.numbers("BBH", "affixes")
    if not n_prefix + n_suffix or max(n_prefix, n_suffix) > MAX_AFFIX_BYTES or zero:
        cursor.fail(f"a prefix of {n_prefix} bytes and a suffix of {n_suffix}; {zero}")
    return cursor.utf8(n_prefix, "prefix"), cursor.utf8(n_suffix, "suffix")


def _read_bytes(cursor: Cursor, head: Head) -> tuple[bytes, ...]:
    """Read the 256 symbols of a model of bytes.

    Raises:
        ArtifactError: one is no single byte, or ids are stated and the bytes do not ascend. That
            all differ is for `read_bpe`.
    """
    symbols = cursor.listed_texts(256, "byte")
    if max(map(len, symbols)) > 1:
        cursor.fail("a symbol is no single byte")
    if head.ids == Ids.STATED and symbols != BYTES:
        cursor.fail("ids are stated, and the symbols do not ascend")
    return symbols


def _read_merges(
    cursor: Cursor, head: Head, symbols: Sequence[bytes], n_merges: int
) -> Sequence[Pair]:
    """Read the two columns of parts, and return the pairs of tokens' numbers that merge.

    Raises:
        ArtifactError: with the status PAIRS, the columns are cut off; PAIR_ORDER, a part is no
            token, or parts come later than `head` says; PAIR_DUPLICATE, a pair comes twice.
    """
    cursor.status = "PAIRS"
    lefts = cursor.lebs(n_merges, "left column")
    rights = cursor.lebs(n_merges, "right column")
    if head.units and head.unknown != Unknown.BYTES:
        lefts = leb.unzigzag(lefts)
    n_made = len(symbols) + n_merges
    if n_merges and not (min(lefts) >= 0 and max(*lefts, *rights) < n_made):
        cursor.status = "PAIR_ORDER"
        cursor.fail(f"the part of a pair is not one of {n_made} tokens")
    merges = list(zip(lefts, _Order(symbols, lefts).rights(rights), strict=True))
    _check_pairs(cursor, len(symbols), merges, bool(head.flags & LATER))
    return merges


class _Order:
    """The tokens sorted by the class with which they begin, and then by number.

    A right token is written as its distance from the first token that begins with the class with
    which the left token ends (FORMAT.md, BPE: the distance of a right token).

    Attributes:
        lefts: the left tokens of the merges.
        tokens: the numbers of all symbols and merged tokens, in this order.
        begin: where in it each class begins.
        last: the class with which each token ends; 0 for merged tokens that are not seen yet.
    """

    def __init__(self, symbols: Sequence[bytes], lefts: Sequence[int]) -> None:
        """Sort the tokens that these symbols and left parts make; right parts do not matter."""
        self.lefts = lefts
        first, self.last = [0] * (n := len(symbols) + len(lefts)), [0] * n
        members: list[list[int]] = [[] for _ in range(N_CLASSES)]
        for token, text in enumerate(symbols):
            classes = [_class_of_character(text[at:]) for at in range(len(text))]
            first[token] = classes[0]
            members[classes[0]].append(token)
            self.last[token] = next(filter(None, reversed(classes)), 0)
        for token, left in enumerate(lefts, len(symbols)):
            first[token] = each = first[left]
            members[each].append(token)
        self.tokens = [*chain.from_iterable(members)]
        self.begin = [*accumulate(map(len, members[:-1]), initial=0)]

    def distances(self, rights: Sequence[int]) -> list[int]:
        """Return, for each merge in order, the distance of its right token.

        That is how many places of `tokens` the right token stands behind the first token that
        begins with the class with which the left token ends, modulo the number of tokens. `last`
        gets the classes with which the merged tokens end.

        Args:
            rights: the right tokens of the merges.
        """
        begin, last, n = self.begin, self.last, len(self.tokens)
        place = [0] * n
        for at, token in enumerate(self.tokens):
            place[token] = at
        found = []
        pairs = zip(self.lefts, rights, strict=True)
        for token, (left, right) in enumerate(pairs, n - len(rights)):
            end = last[left]
            found.append((place[right] - begin[end]) % n)
            last[token] = last[right] or end
        return found

    def rights(self, distances: Sequence[int]) -> list[int]:
        """Return, for each merge in order, the number of its right token.

        `last` gets the classes with which the merged tokens end.

        Args:
            distances: what `distances` returned for them.
        """
        tokens, begin, last, n = self.tokens, self.begin, self.last, len(self.tokens)
        found = []
        pairs = zip(self.lefts, distances, strict=True)
        for token, (left, distance) in enumerate(pairs, n - len(distances)):
            end = last[left]
            right = tokens[(begin[end] + distance) % n]
            found.append(right)
            last[token] = last[right] or end
        return found


def _class_of_character(text: bytes) -> int:
    """Return the class of the character that a text, not empty, begins with (FORMAT.md, BPE).

    It is below `N_CLASSES`: 0 for a byte that continues a character, 1 for ASCII but letters, 2 for
    ASCII letters, and for others a number made of the first byte and, for E0 and E1, the second
    one.
    """
    lead = text[0]
    if lead < 0x80:
        return 1 + chr(lead).isalpha()
    if lead < 0xC0:
        return 0
    if lead < 0xE0 or lead > 0xE1 or len(text) == 1:
        return lead // 2
    return 64 + (lead - 0xE0) * 32 + text[1] // 2


def _check_pairs(cursor: Cursor, n_symbols: int, merges: Sequence[Pair], later: bool) -> None:
    """Check that no pair occurs twice, and that parts come before what they make.

    Args:
        cursor: raises the error, and gets its status.
        n_symbols: the number of symbols.
        merges: the pairs.
        later: whether parts may come later; then at least one has to.

    Raises:
        ArtifactError: with the status PAIR_ORDER or PAIR_DUPLICATE.
    """
    pairs = enumerate(merges, n_symbols)
    first = next(
        ((token, *each) for token, each in pairs if token <= each[0] or token <= each[1]), None
    )
    if later != (first is not None):
        cursor.status = "PAIR_ORDER"
        cursor.fail(
            f"token {first[0]} is made of {first[1]} and {first[2]}"
            if first
            else "flag LATER, but each token comes after its parts"
        )
    if len(set(merges)) < len(merges):
        cursor.status = "PAIR_DUPLICATE"
        cursor.fail("a pair comes twice")
