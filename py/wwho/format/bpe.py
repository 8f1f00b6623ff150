"""Byte-pair encoding, a kind of model: its data, written and read (FORMAT.md, BPE)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_TOKEN_BYTES, NONE
from wwho.format.model import Head, Ids, Model, Pair, expand

BYTES = tuple(bytes([byte]) for byte in range(256))
"""The symbols of a model of bytes, in ascending order."""


@dataclass(frozen=True, kw_only=True)
class BPE(Model):
    """Symbols, and the pairs that merge.

    Attributes:
        symbols: the texts of the symbols: the 256 bytes in any order, or units in ascending order.
        merges: the two parts of each further token, in order of rank. The symbols are numbered from
            0 on, what the pairs make from the number of symbols on.
        units: whether the symbols are units, which a route's automaton cuts.
        n_superwords: how many of the merges, the last ones, join words.
        space_id: id of the lone space, which stands before a known unit; None for none.
    """

    symbols: tuple[bytes, ...] = BYTES
    merges: Sequence[Pair] = ()
    units: bool = False
    n_superwords: int = 0
    space_id: int | None = None

    @property
    def n_symbols(self) -> int:
        """See `Model`."""
        return len(self.symbols)

    @cached_property
    def texts(self) -> Sequence[bytes]:
        """See `Model`."""
        return tuple(expand(list(self.symbols), self.merges))

    @property
    def extra_ids(self) -> Mapping[int, bytes]:
        """See `Model`."""
        space = {} if self.space_id is None else {self.space_id: b" "}
        return {**super().extra_ids, **space}

    @property
    def first_superword(self) -> int:
        """The number of the first token that joins words."""
        return len(self.symbols) + len(self.merges) - self.n_superwords


def write_bpe(model: BPE) -> bytes:
    """Spell what comes after the head."""
    lefts, rights = [left for left, _ in model.merges], [right for _, right in model.merges]
    head = struct.pack(
        "<II", model.n_superwords, NONE if model.space_id is None else model.space_id
    )
    if model.units:
        symbols, lefts = leb.pack_texts(model.symbols), leb.zigzag(lefts)
    else:
        symbols = b"".join(model.symbols)
    return head + symbols + leb.pack(lefts) + leb.pack(rights)


def read_bpe(cursor: Cursor, head: Head) -> BPE:
    """Check what comes after the head."""
    units, n_merges = bool(head.units), head.n_merges
    n_superwords, space_id = cursor.numbers("II", "n_superwords and space_id")
    if n_superwords > n_merges or (n_superwords and (head.ids != Ids.COUNT or not units)):
        cursor.fail(f"{n_superwords} of {n_merges} merges join words, ids {Ids(head.ids).name}")
    if space_id != NONE and not units:
        cursor.fail(f"bytes have no lone space, but space_id is {space_id}")
    cursor.status = "SYMBOLS"
    if units:
        symbols = cursor.texts(head.n_symbols, "symbol")
        if space_id != NONE and b" " in symbols:
            cursor.fail("a symbol is a lone space")
    else:
        data = cursor.take(256, "bytes")
        symbols = tuple(data[k : k + 1] for k in range(256))
        if len(set(symbols)) != 256:
            cursor.fail("the symbols are no permutation of all bytes")
    cursor.status = "PAIRS"
    lefts = cursor.lebs(n_merges, "left column")
    rights = cursor.lebs(n_merges, "right column")
    merges = list(zip(leb.unzigzag(lefts) if units else lefts, rights, strict=True))
    check_pairs(cursor, symbols, merges, head.text_bytes)
    cursor.status = "PAIRS"
    return BPE(
        symbols=symbols,
        merges=merges,
        units=units,
        n_superwords=n_superwords,
        space_id=None if space_id == NONE else space_id,
    )


def check_pairs(
    cursor: Cursor, symbols: Sequence[bytes], merges: Sequence[Pair], text_bytes: int
) -> None:
    """Check pairs and the tokens they make, and the length of all texts."""

    def fail(status: str, message: str) -> None:
        cursor.status = status
        cursor.fail(message)

    texts, seen = list(symbols), set[Pair]()
    tokens, total = set(texts), sum(map(len, texts))
    for token, pair in enumerate(merges, len(texts)):
        left, right = pair
        if not (0 <= left < token and right < token):
            fail("PAIR_ORDER", f"token {token} is made of {left} and {right}")
        text = texts[left] + texts[right]
        total += len(text)
        if len(text) > MAX_TOKEN_BYTES:
            fail("TOKEN_LENGTH", f"token {token} has {len(text)} bytes")
        if pair in seen:
            fail("PAIR_DUPLICATE", f"the pair {pair} comes twice")
        if text in tokens:
            fail("TOKEN_DUPLICATE", f"the text {text!r} comes twice")
        seen.add(pair)
        tokens.add(text)
        texts.append(text)
    if total != text_bytes:
        fail("TOKEN_LENGTH", f"{total} bytes of text, the head says {text_bytes}")
