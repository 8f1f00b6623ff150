"""What every backend does. Texts and offsets are bytes: `Tokenizer` is what makes them str."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from wwho.format.model import Route

SYLLABLE, ORPHAN, PASSTHROUGH, PIECE = range(4)


class Span(NamedTuple):
    """A piece (base routes) or unit (SGPE routes) of a text.

    Attributes:
        start: its first byte.
        end: the byte behind it.
        route: number of its route.
        rule: SYLLABLE, ORPHAN or PASSTHROUGH for a unit, PIECE for a piece of the base.
        first: whether a segment begins here.
    """

    start: int
    end: int
    route: int
    rule: int
    first: bool


@dataclass(frozen=True)
class Info:
    """The numbers and names of an open model.

    Attributes:
        n_vocab: ids are 0..n_vocab-1, not all of them used.
        n_base: ids below it are the base's.
        n_base_tokens: how many mergeable tokens the base has: in order of rank, they have the ids
            from 0 on that are no special token's.
        first_atom: id of the first atom.
        n_atoms: how many atoms there are.
        n_merges: how many merged tokens there are.
        n_superwords: how many of them, the last ones, join words.
        space_id: the lone space; None for none.
        unk_id: the token for unknown units on request; None for none.
        specials: special tokens, text to id, by ascending id.
        routes: the routes.
        provenance: where the model came from.
    """

    n_vocab: int
    n_base: int
    n_base_tokens: int
    first_atom: int
    n_atoms: int
    n_merges: int
    n_superwords: int
    space_id: int | None
    unk_id: int | None
    specials: Mapping[str, int]
    routes: tuple[Route, ...]
    provenance: Mapping[str, str]


class Backend(Protocol):
    """One open model. Methods may be called from several threads at once.

    `allowed` is None (all text is ordinary) or one byte for each special token, by ascending id:
    non-zero where it is allowed. `unk` says whether units outside the vocabulary become `unk_id`.
    """

    @property
    def kind(self) -> str:
        """Which one it is: "native", "wasm" or "reference"."""

    @property
    def info(self) -> Info:
        """The numbers and names of the model."""

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """The ids of a text."""

    def encode_piece(self, piece: bytes) -> list[int]:
        """The ids of a text as one piece of the base, whatever the scanners would make of it."""

    def encode_with_ends(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int]]:
        """The ids of a text and, for each, the byte at which its text ends."""

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """The number of tokens; counting may stop once there are more than `limit`."""

    def safe_cut(self, text: bytes, allowed: bytes | None) -> int:
        """The last byte at which a text that goes on may be cut, or 0 for none.

        What is before it and what is after it then encode as both together do, whatever follows.
        """

    def spans(self, text: bytes) -> list[Span]:
        """The pieces and units of a text, in order, without gaps."""

    def offsets(self, text: bytes, ends: Sequence[int], utf16: bool) -> list[tuple[int, int]]:
        """For tokens that end at these bytes: first and last-plus-one character each touches.

        Counted in code points or UTF-16 units; a byte of broken UTF-8 counts as one.
        """

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of some tokens, joined.

        Raises:
            UnknownTokenError: an id is none of the vocabulary.
        """

    def token_bytes(self, token: int) -> bytes:
        """The bytes of one token.

        Raises:
            UnknownTokenError: the id is none of the vocabulary.
        """

    def token_id(self, text: bytes) -> int:
        """The id of the token with these bytes: SGPE's, else the base's, else a special token's.

        Raises:
            UnknownTokenError: no token has these bytes.
        """


def unknown_id(token: object, n_vocab: int) -> str:
    """The message for an id that is none."""
    return f"{token!r} is not the id of a token; ids are 0 to {n_vocab - 1}, not all of them used"


def unknown_text(text: bytes) -> str:
    """The message for bytes that are no token."""
    if not text:
        return "the empty text is not a token; encode() gives no ids for it"
    return f"{text!r} is not a token of its own; encode() spells it with several"
