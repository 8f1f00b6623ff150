"""What every backend does. Texts and offsets are bytes: `Tokenizer` is what makes them str."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple, Protocol, TypeAlias

from wwho.errors import UnknownTokenError
from wwho.format.model import Added, Flag
from wwho.format.template import Template
from wwho.text import Text, all_bytes

DECODERS = ("none", "parts", "whole")
"""How the texts of tokens join: see `Info`."""

MOST = 2**31 - 1
"""More tokens than any text has."""

Placed: TypeAlias = tuple[list[int], list[tuple[int, int]]]
"""Ids, and for each the first and last-plus-one code point that it touches."""

Part: TypeAlias = bytes | bytearray
"""What has come of a text and is not read yet; it is read where it lies."""

SPAN = struct.Struct("=IIHBB")
"""The fields of a span, in their order: a `wwho_span` of wwho.h."""


class Span(NamedTuple):
    """A pretoken of a text, or a unit in a route of units.

    Attributes:
        start: its first byte.
        end: the byte after it.
        route: number of its route.
        rule: SYLLABLE, ORPHAN or PASSTHROUGH for a unit, PIECE for a pretoken.
        first: whether a segment begins here.
    """

    start: int
    end: int
    route: int
    rule: int
    first: bool


def unpacked(spans: bytes) -> list[Span]:
    """Spans, of which each was a `SPAN`."""
    found = SPAN.iter_unpack(spans)
    return [Span(a, b, route, rule, bool(first)) for a, b, route, rule, first in found]


@dataclass(frozen=True)
class ModelInfo:
    """The numbers and names of one model of an artifact.

    Attributes:
        kind: "bpe", "greedy" or "viterbi".
        symbols: "bytes" or "units".
        unknown: what becomes of what it does not know: "none", "spell", "bytes" or "id".
        ids: how its tokens get their ids: "count", "step" or "stated".
        first_id: where its ids begin.
        n_ids: its ids are first_id..first_id+n_ids-1, not all of them used.
        n_symbols: how many symbols there are, its first tokens.
        n_merges: how many merged tokens there are, the others.
        n_superwords: how many of them, the last ones, join words.
        space_id: the lone space; None for none.
        unk_id: the token for what it does not know; None for none.
    """

    kind: str
    symbols: str
    unknown: str
    ids: str
    first_id: int
    n_ids: int
    n_symbols: int
    n_merges: int
    n_superwords: int
    space_id: int | None
    unk_id: int | None

    @property
    def n_tokens(self) -> int:
        """How many tokens it has, without a lone space."""
        return self.n_symbols + self.n_merges


@dataclass(frozen=True)
class RouteInfo:
    """The name and the numbers of one route of an artifact.

    Attributes:
        name: what the route is called, such as "other" or "sinhala".
        model: number of the model that encodes its pretokens.
        steps: numbers of the steps that each of its segments passes through, in order.
        units: number of the automaton that cuts its pretokens into units; None for none.
    """

    name: str
    model: int
    steps: tuple[int, ...] = ()
    units: int | None = None


@dataclass(frozen=True)
class Info:
    """The numbers and names of an open artifact.

    Attributes:
        n_vocab: ids are 0..n_vocab-1, not all of them used.
        models: the models.
        added: the added tokens, by ascending id.
        routes: the routes.
        n_steps: how many steps there are, those that cut among them.
        n_normalizer: how many steps rewrite a text before the router cuts it.
        provenance: where the artifact came from.
        template: what stands around the ids of a text, where it is asked for; None for nothing.
        decoder: how texts of tokens join: "none" for without a gap, or by the steps of a decoder,
            "parts" of them, or "whole", which has nothing to say before the last token is there.
    """

    n_vocab: int
    models: tuple[ModelInfo, ...]
    added: tuple[Added, ...]
    routes: tuple[RouteInfo, ...]
    n_steps: int
    n_normalizer: int
    provenance: Mapping[str, str]
    template: Template | None = None
    decoder: str = "none"

    @cached_property
    def specials(self) -> Mapping[str, int]:
        """The added tokens that a call must allow, text to id, by ascending id."""
        return {token.text: token.id for token in self.added if token.flags & Flag.SPECIAL}

    def model_ids(self, number: int) -> Sequence[int]:
        """The ids of a model without those of added tokens, ascending; not all of them are used."""
        model, taken = self.models[number], {token.id for token in self.added}
        ids = range(model.first_id, model.first_id + model.n_ids)
        return [token for token in ids if token not in taken]

    @property
    def unk_id(self) -> int | None:
        """The token that unknown text becomes on request; None for none."""
        return next((model.unk_id for model in self.models if model.unk_id is not None), None)


class Backend(Protocol):
    """One open model. Methods may be called from several threads at once.

    `allowed` is None (all text is ordinary) or one byte for each added token, by ascending id:
    non-zero where it is allowed. It says nothing of those that are no special tokens, which are
    always found. `unk` says whether units outside the vocabulary become `unk_id`.
    """

    kind: str
    """Which one it is: "native", "wasm" or "reference"."""

    info: Info
    """The numbers and names of the model."""

    def normalize(self, text: bytes) -> bytes:
        """A text as the model's first steps rewrite it, which `spans` takes; others do it alone."""

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """The same of a text that goes on, as far as what follows cannot change it.

        Returns:
            The normalized text, and how many bytes of `text` it is.
        """

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """The same, and for each of its bytes where the character begins that it came from."""

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """The ids of a text."""

    def encode_unadded(self, text: bytes) -> list[int]:
        """The ids of a text in which no added token is looked for, whatever its flags."""

    def encode_piece(self, piece: bytes) -> list[int]:
        """The ids of a text as one pretoken of the first route: router and stages have no say.

        In a route of units it is one segment. Added tokens that need not be allowed are found.
        """

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """The ids of a text and, for each, the bytes at which its text begins and ends.

        Of text that steps rewrite, these are the ends of the characters that it came from, as
        Hugging Face's `tokenizers` has them.
        """

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """The same in one pass with the pretokens and units between added tokens.

        Of text that steps rewrite, their places are found as those of tokens are.
        """

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, count: bool
    ) -> tuple[list[int] | int, int, int]:
        """The ids of a text that comes in parts, or their number if `count` is true.

        Args:
            text: what of the text has come and is not read yet.
            more: whether it goes on: then only what follows cannot change is encoded.
            place: 0 for the first part, else what the call before gave.
            allowed: see above.
            unk: see above.
            count: whether only the number of ids is wanted.

        Returns:
            The ids or their number, how many bytes were read, and the place.
        """

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """The number of tokens; counting may stop once there are more than `limit`."""

    def spans(self, text: bytes) -> list[Span]:
        """The pretokens and units of a text, in order; what a stage drops is none."""

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """For tokens at these bytes: first and last-plus-one character each touches.

        Counted in code points or UTF-16 units; a byte of broken UTF-8 counts as one.
        """

    def decode(self, ids: Sequence[int]) -> bytes:
        """The text of some tokens, as the decoder joins them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """The text of some tokens, of which special ones may be left out.

        Args:
            ids: the tokens.
            skip_special: whether special tokens are left out.
            after: whether others came before, with text that is not empty.
            more: whether others come after.

        Returns:
            The text of the first tokens that what comes after cannot change, and how many they are.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """

    def token_bytes(self, token: int) -> bytes:
        """The bytes of one token, before any decoder.

        Raises:
            UnknownTokenError: the id is not in the vocabulary.
        """

    def token_id(self, text: bytes) -> int:
        """The id of the token with these bytes: of the last model that has it, else an added one's.

        Raises:
            UnknownTokenError: no token has these bytes.
        """

    # Much at once, for callers that make arrays of it: a Python object for each unit or id, or a
    # call for each token, costs many times what the core does. Packed numbers are in the machine's
    # byte order, one after the other; `threads` is how many may share a batch, at most.

    def encode_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """As `encode`, for many, which may be `str`: each thread makes bytes of its own."""
        return [self.encode(text, allowed, unk) for text in all_bytes(texts)]

    def encode_batch_packed(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """32 bits for each id; and 64 bits for each text, where its ids begin, and for the end."""
        rows = self.encode_batch(texts, allowed, unk, threads)
        ids = array("I", chain.from_iterable(rows))
        return bytearray(ids), array("q", accumulate(map(len, rows), initial=0))

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> Placed:
        """As `encode_with_places` and `offsets` (code points)."""
        ids, starts, ends = self.encode_with_places(text, allowed, unk)
        return ids, self.offsets(text, starts, ends, False)

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[Placed]:
        """The same, for many."""
        return [self.encode_with_offsets(text, allowed, unk) for text in texts]

    def count_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """As `count` without a limit, for many."""
        return [self.count(text, allowed, unk, MOST) for text in all_bytes(texts)]

    def spans_packed(self, text: bytes) -> bytes:
        """As `spans`: a `SPAN` for each."""
        return b"".join(SPAN.pack(*span) for span in self.spans(text))

    def encode_packed(self, text: bytes, allowed: bytes | None, unk: bool) -> bytearray:
        """As `encode`: 32 bits for each id."""
        return bytearray(array("I", self.encode(text, allowed, unk)))

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """As `encode_with_places`: 32 bits for each id, and for each end."""
        ids, _, ends = self.encode_with_places(text, allowed, unk)
        return array("I", ids).tobytes(), array("I", ends).tobytes()

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """As `token_bytes`, for many; None for what is no token."""
        found: list[bytes | None] = []
        for token in tokens:
            try:
                found.append(self.token_bytes(token))
            except UnknownTokenError:
                found.append(None)
        return found


def unknown_id(token: object, n_vocab: int) -> str:
    """The message for an id that is none."""
    return f"{token!r} is not the id of a token; ids are 0 to {n_vocab - 1}, not all of them used"


def unknown_text(text: bytes) -> str:
    """The message for bytes that are no token."""
    if not text:
        return "the empty text is not a token; encode() gives no ids for it"
    return f"{text!r} is not a token of its own; encode() spells it with several"
