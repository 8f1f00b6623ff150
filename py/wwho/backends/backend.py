"""The protocol `Backend` that every backend implements, and the facts of a model (`Info`).

Texts are bytes here, normally UTF-8, and places are byte offsets unless a name says otherwise:
`Tokenizer` converts from and to `str`.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from wwho.errors import UnknownTokenError
from wwho.format.model import Added, Flag
from wwho.format.template import Template
from wwho.sampling import Sampling
from wwho.text import Text, all_bytes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DECODERS = ("none", "parts", "whole")
"""How a model's decoder joins the texts of tokens, by the core's number: see `Info.decoder`."""

MAX_LENGTH = 2**31 - 1
"""Bytes: the longest text that one call of the core takes. No text has more tokens than bytes."""

IdsWithOffsets: TypeAlias = tuple[list[int], list[tuple[int, int]]]
"""Ids, and for each the first code point that it touches and the one after the last."""

Part: TypeAlias = bytes | bytearray
"""A part of a text that came and is not encoded yet; it is not copied, and not changed."""

Form: TypeAlias = Literal["list", "number", "text"]
"""What to make of ids: a list of them, how many they are, or their text: decimals with spaces."""

SPAN = struct.Struct("=IIHBB")
"""The layout of a packed `Span`, in the order of its fields: a `wwho_span` of wwho.h."""


class Span(NamedTuple):
    """A pretoken of a text, or a unit (such as a syllable) in a route of units.

    Attributes:
        start: its first byte.
        end: the byte after its last.
        route: the number of its route in `Info.routes`.
        rule: SYLLABLE, ORPHAN or PASSTHROUGH of `wwho.format.layout` for a unit, PIECE for a
            pretoken.
        first: whether a segment begins here: a run of text that one route tokenizes.
    """

    start: int
    end: int
    route: int
    rule: int
    first: bool


def unpack_spans(packed: bytes) -> list[Span]:
    """Return the spans of bytes that are packed spans, one `SPAN` after another."""
    fields = SPAN.iter_unpack(packed)
    return [Span(start, end, route, rule, bool(first)) for start, end, route, rule, first in fields]


class RowLayout(NamedTuple):
    """The bytes around the numbers of a row of ids: before them, between two, and after them."""

    before: bytes
    between: bytes
    after: bytes


SPACED = RowLayout(b"", b" ", b"")
"""How the form "text" writes ids."""


def format_ids(
    ids: Part, starts: Part | array[int], before: bytes, between: bytes, after: bytes
) -> bytes:
    """Return rows of ids as decimal text.

    Args:
        ids: the ids, 32 bits each.
        starts: for each row and for the end, 64 bits: the number of ids before it.
        before: stands before each row.
        between: stands between two ids of a row.
        after: stands after each row.

    Example:
        >>> format_ids(array("I", [7, 10, 8]), array("q", [0, 2, 3]), b"", b" ", b";")
        b'7 10;8;'
    """
    numbers = [str(token).encode() for token in array("I", bytes(ids))]
    rows = pairwise(array("q", bytes(starts)))
    return b"".join(before + between.join(numbers[start:end]) + after for start, end in rows)


def to_form(ids: list[int], form: Form) -> list[int] | int | bytes:
    """Return ids in a form."""
    if form == "list":
        return ids
    return len(ids) if form == "number" else SPACED.between.join(b"%d" % token for token in ids)


@dataclass(frozen=True)
class ModelInfo:
    """The numbers and names of one model of an artifact (FORMAT.md, MODEL).

    Attributes:
        kind: "bpe", "greedy" (longest match) or "viterbi" (Unigram).
        symbols: "bytes" or "units": what the model merges.
        unknown: what becomes of a symbol that the model does not know: "none" (it knows all),
            "spell" (another model encodes it), "bytes" (tokens of its bytes) or "id" (`unk_id`).
        ids: how its tokens get their ids: "count" (they count up), "step" (they count up and step
            over those of added tokens) or "stated" (the artifact states each).
        first_id: the id with which its ids begin.
        n_ids: its ids are first_id..first_id+n_ids-1, not all of them used.
        n_symbols: how many symbols it has, which are its first tokens.
        n_merges: how many merged tokens it has, which are the others.
        n_superwords: how many of the merged tokens, the last ones, join words.
        space_id: the lone space, a token that stands before a known unit; None if it has none.
        unk_id: the unknown token; None if it has none.
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
        """How many tokens the model has, without the lone space."""
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
        n_vocab: one more than the highest id; not all ids below it are used.
        models: the models, by number.
        added: the added tokens, by ascending id.
        routes: the routes, by number.
        n_steps: how many steps the artifact has, those that cut among them (FORMAT.md, STEPS).
        n_normalizer: how many steps rewrite a text before the router cuts it.
        provenance: where the artifact came from: keys and values of PROVENANCE.
        template: which ids stand around those of a text, if a call asks for them; None for none.
        decoder: how the texts of tokens become a text. "none": they are joined as they are.
            "parts": by a decoder, which can begin before the last token is known. "whole": by a
            decoder that needs all tokens first.
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
        """The special tokens (added tokens that a call must allow), text to id, by ascending id."""
        return {token.text: token.id for token in self.added if token.flags & Flag.SPECIAL}

    def model_ids(self, number: int) -> Sequence[int]:
        """Return the ids of model `number`, ascending, without those that added tokens have.

        Not all of them are used.
        """
        model, added_ids = self.models[number], {token.id for token in self.added}
        ids = range(model.first_id, model.first_id + model.n_ids)
        return [token for token in ids if token not in added_ids]

    @property
    def unk_id(self) -> int | None:
        """The unknown token of the first model that has one; None if no model has one."""
        return next((model.unk_id for model in self.models if model.unk_id is not None), None)


class Backend(Protocol):
    """One open model. Its methods may be called from several threads at once.

    Three arguments are the same everywhere:

    - `text` is the whole text, or the whole of what has come of it. Bytes that are not UTF-8 count
      as characters of their own (FORMAT.md, AUTOMATA). Where it may be a `str`, its bytes are
      those of `wwho.text.to_bytes`.
    - `allowed` says which special tokens the text may spell: one byte for each added token, by
      ascending id, non-zero if it is allowed; or None for none of them. Added tokens that are not
      special are found all the same.
    - `unk` says whether units outside the vocabulary become `Info.unk_id`. If not, they are spelled
      with tokens of the base; a model that cannot do that ignores it.

    Methods that take a text raise a BackendError if it has more than `MAX_LENGTH` bytes, or takes
    more memory than there is; the reference has no such limits.
    """

    kind: str
    """The name of the backend: "native", "wasm" or "reference"."""

    info: Info
    """The numbers and names of the model."""

    # Normalizing

    def normalize(self, text: bytes) -> bytes:
        """Return a text after the steps that rewrite the whole text (FORMAT.md, NORMALIZER).

        `spans` takes such a text. The methods that encode normalize on their own.
        """

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """Normalize the beginning of a text, as far as text that follows cannot change the result.

        Returns:
            The normalized text, and how many bytes of `text` it stands for.
        """

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """Normalize a text, and say where each byte of the result came from.

        Returns:
            The normalized text, and for each of its bytes the place in `text` at which the
            character begins that it came from.
        """

    # Encoding one text

    def encode(self, text: Text, allowed: bytes | None, unk: bool) -> list[int]:
        """Return the ids of a text."""

    def encode_unadded(self, text: bytes) -> list[int]:
        """Return the ids of a text in which no added token is found, whatever its flags."""

    def encode_piece(self, piece: bytes) -> list[int]:
        """Return the ids of a text that is one pretoken of the first route, without any cutting.

        In a route of units it is one segment. Added tokens that are not special are found.
        """

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """Return the ids of a text, and the bytes at which the text of each begins and ends.

        Of text that steps rewrite, these are the ends of the characters that it came from, as
        Hugging Face's `tokenizers` has them.

        Returns:
            ids: the ids.
            starts: for each id its first byte.
            ends: for each id the byte after its last.
        """

    def sample_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool, sampling: Sampling, number: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return what `encode_with_places` does, of tokens that are drawn.

        Args:
            text: as everywhere.
            allowed: as everywhere.
            unk: as everywhere.
            sampling: what is drawn; the model can do it.
            number: the number of the text, which has a stream of its own.
        """

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """Return what `encode_with_places` does, and the pretokens and units between added tokens.

        Of text that steps rewrite, places of pretokens are found as those of tokens are.
        """

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, form: Form
    ) -> tuple[list[int] | int | bytes, int, int]:
        """Encode the next part of a text that comes in parts, as far as its ids are certain.

        Call it with the bytes that were not read yet and those that came since, until all are read.

        Args:
            text: the bytes that came and were not read yet.
            more: whether bytes follow. If so, only what they cannot change is encoded; if not, all.
            place: 0 for the first part, otherwise what the call before returned.
            allowed: as everywhere.
            unk: as everywhere.
            form: what to make of the ids.

        Returns:
            The ids in that form, how many bytes of `text` were read, and the place for the next
            call.
        """

    def count(self, text: Text, allowed: bytes | None, unk: bool, limit: int) -> int:
        """Return how many ids a text has.

        If there are more than `limit`, counting may stop early: the result is then some number
        greater than `limit`.
        """

    def spans(self, text: bytes) -> list[Span]:
        """Return the pretokens and units of a normalized text, in order, without encoding it.

        Text that a step drops belongs to none. Added tokens are not looked for.
        """

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """Convert the places of tokens from bytes to characters.

        Args:
            text: the text that was encoded.
            starts: the first byte of each token, ascending.
            ends: the byte after the last of each token, ascending.
            utf16: whether to count UTF-16 units; if not, code points.

        Returns:
            For each token the first character that it touches, and the one after the last. A byte
            of broken UTF-8 counts as one.
        """

    # Decoding

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the text of some tokens, as the model's decoder joins them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """Decode tokens that come in parts, as far as tokens that follow cannot change the text.

        Args:
            ids: the tokens that came and were not read yet.
            skip_special: whether special tokens are left out.
            after: whether tokens before these gave text that is not empty.
            more: whether tokens follow; if not, all of `ids` are read.

        Returns:
            The text, and how many of `ids` were read for it.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, before any decoder.

        Raises:
            UnknownTokenError: the id is not in the vocabulary.
        """

    def token_id(self, text: bytes) -> int:
        """Return the id of the token with exactly these bytes.

        It is that of the last model that has such a token, otherwise that of an added token. A
        model's token counts only if its id decodes to these bytes.

        Raises:
            UnknownTokenError: no such token has these bytes.
        """

    # Many at once. A Python object for each unit or id, or a call for each token, costs many times
    # what the core needs, so callers that make arrays take packed numbers: in the machine's byte
    # order, one after another. `threads` is how many threads may share a batch at most. These
    # methods have a body that calls the ones above; backends override those that they do faster.

    def encode_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[list[int]]:
        """Return the ids of each of several texts, in order.

        Texts may be `str`, so that each thread can make the bytes of its own.
        """
        return [self.encode(text, allowed, unk) for text in texts]

    def encode_batch_packed(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> tuple[bytearray, array[int]]:
        """Return the ids of several texts packed in one buffer.

        Returns:
            The ids of all texts, 32 bits each; and 64 bits for each text and for the end: the
            number of ids before it.
        """
        rows = self.encode_batch(texts, allowed, unk, threads)
        ids = array("I", chain.from_iterable(rows))
        return bytearray(ids), array("q", accumulate(map(len, rows), initial=0))

    def encode_batch_to_text(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, layout: RowLayout
    ) -> bytes:
        """Return the ids of several texts as decimal text, those of each text in a row.

        The texts must not have more than `MAX_LENGTH` bytes together; they are not shared out.
        """
        packed, starts = self.encode_batch_packed(texts, allowed, unk, 1)
        return format_ids(packed, starts, *layout)

    def safe_cut(self, text: Part, allowed: bytes | None) -> int:
        """Return the last place where a text may be cut into two texts that encode alone as joined.

        Args:
            text: where the whole text begins, or what follows a safe place; anything may follow.
            allowed: as everywhere.

        Returns:
            How many bytes of `text` are before the place; 0 if none is known, as in a model with a
            normalizer, and in every backend whose calls do not run at the same time.
        """
        return 0

    def encode_with_offsets(self, text: bytes, allowed: bytes | None, unk: bool) -> IdsWithOffsets:
        """Return the ids of a text, and the code points that each touches (see `offsets`)."""
        ids, starts, ends = self.encode_with_places(text, allowed, unk)
        return ids, self.offsets(text, starts, ends, False)

    def encode_batch_with_offsets(
        self, texts: Sequence[bytes], allowed: bytes | None, unk: bool, threads: int
    ) -> list[IdsWithOffsets]:
        """Return what `encode_with_offsets` does for each of several texts, in order."""
        return [self.encode_with_offsets(text, allowed, unk) for text in texts]

    def count_batch(
        self, texts: Sequence[Text], allowed: bytes | None, unk: bool, threads: int
    ) -> list[int]:
        """Return how many ids each of several texts has, without a limit, in order."""
        return [self.count(text, allowed, unk, MAX_LENGTH) for text in texts]

    def sample_batch(
        self,
        texts: Sequence[Text],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        sampling: Sampling,
    ) -> list[list[int]]:
        """Return what `encode_batch` does, of tokens that are drawn."""
        packed, starts = self.sample_batch_packed(texts, allowed, unk, threads, sampling)
        ids = array("I", packed)
        return [ids[start:end].tolist() for start, end in pairwise(starts)]

    def sample_batch_packed(
        self,
        texts: Sequence[Text],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        sampling: Sampling,
    ) -> tuple[bytearray, array[int]]:
        """Return what `encode_batch_packed` does, of tokens that are drawn.

        Text i of the batch has stream i of the seed, however many threads there are.
        """
        rows = [
            self.sample_with_places(text, allowed, unk, sampling, number)[0]
            for number, text in enumerate(all_bytes(texts))
        ]
        ids = array("I", chain.from_iterable(rows))
        return bytearray(ids), array("q", accumulate(map(len, rows), initial=0))

    def sample_batch_with_offsets(
        self,
        texts: Sequence[bytes],
        allowed: bytes | None,
        unk: bool,
        threads: int,
        sampling: Sampling,
    ) -> list[IdsWithOffsets]:
        """Return what `encode_batch_with_offsets` does, of tokens that are drawn."""
        found: list[IdsWithOffsets] = []
        for number, text in enumerate(texts):
            ids, starts, ends = self.sample_with_places(text, allowed, unk, sampling, number)
            found.append((ids, self.offsets(text, starts, ends, False)))
        return found

    def spans_packed(self, text: bytes) -> bytes:
        """Return what `spans` does, as one `SPAN` after another."""
        return b"".join(SPAN.pack(*span) for span in self.spans(text))

    def encode_to_numpy(
        self, text: Text, allowed: bytes | None, unk: bool
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of a text as an array.

        Raises:
            ImportError: numpy is not installed.
        """
        import numpy as np

        return np.array(self.encode(text, allowed, unk), np.uint32)

    def encode_with_ends_packed(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[bytes, bytes]:
        """Return the ids of a text, and the byte after the last of each, both 32 bits each."""
        ids, _, ends = self.encode_with_places(text, allowed, unk)
        return array("I", ids).tobytes(), array("I", ends).tobytes()

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """Return the bytes of each of several tokens, in order; None in place of an unknown id."""
        texts: list[bytes | None] = []
        for token in tokens:
            try:
                texts.append(self.token_bytes(token))
            except UnknownTokenError:
                texts.append(None)
        return texts


def unknown_id(token: object, n_vocab: int) -> str:
    """Return the message of the error for a number that is the id of no token."""
    return f"{token!r} is not the id of a token; ids are 0 to {n_vocab - 1}, not all of them used"


def unknown_text(text: bytes) -> str:
    """Return the message of the error for bytes that are the text of no token."""
    if not text:
        return "the empty text is not a token; encode() gives no ids for it"
    return f"{text!r} is not a token of its own; encode() spells it with several"
