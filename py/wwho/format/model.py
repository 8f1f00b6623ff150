"""The data of an artifact, as plain immutable objects: a pipeline and a list of models.

Writer, reader, trainer and reference backend share it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING, NamedTuple

from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.steps import Blocks, Cut, Rewrite, Step

if TYPE_CHECKING:
    from wwho.format.automaton import CompiledScanners
    from wwho.format.decoder import Decoder
    from wwho.format.template import Template

Pair = tuple[int, int]


class Ids(IntEnum):
    """How the tokens of a model get their ids (FORMAT.md, Ids)."""

    COUNT = 0
    """They count up."""
    STEP = 1
    """They count up and step over those of added tokens."""
    STATED = 2
    """The file states each."""


class Unknown(IntEnum):
    """The ways in which a model encodes a unit, or text, that it does not know."""

    NONE = 0
    """There is no such thing."""
    SPELL = 1
    """Another model encodes it."""
    BYTES = 2
    """The tokens of its bytes stand for it."""
    ID = 3
    """One id stands for it."""


class Flag(IntFlag):
    """How an added token is found in a text."""

    SPECIAL = 1
    """Only where the caller allows it."""
    LSTRIP = 2
    """With the white space before it."""
    RSTRIP = 4
    """With the white space after it."""
    SINGLE_WORD = 8
    """Only where no word character stands directly before or after it."""
    NORMALIZED = 16
    """In the normalized text, by the form that the normalizer gives the token itself."""
    HIDDEN = 32
    """Not at all: it only decodes, where the form that is found is another one of the same id."""


@dataclass(frozen=True)
class Route:
    """One kind of segment, and how its text becomes tokens.

    Attributes:
        name: what the route is called, such as "other" or "sinhala".
        model: the number of the model that encodes its pretokens.
        steps: the steps that each of its segments passes through, in order: `Cut`, `Spell`, and a
            `Map`, `Ends` or `Blocks` that FORMAT.md, ROUTES allows. The pieces after the last one
            are the pretokens.
        units: the number of the automaton that cuts pretokens into units, if the symbols of the
            model are units; None for other models.
    """

    name: str
    model: int
    steps: tuple[Step, ...] = ()
    units: int | None = None


@dataclass(frozen=True)
class Added:
    """A token that is found in a text before the text is cut.

    Attributes:
        text: the text of the token; with NORMALIZED, as the normalizer rewrites it.
        id: its id. Another added token may have it, too, or a model's token of the same text.
        flags: how it is found.
    """

    text: str
    id: int
    flags: Flag = Flag.SPECIAL


HEAD = "<6BH6I"
"""How the head of a model is written, in the notation of `struct`."""

BPE_KIND = 1
"""The number of BPE among the kinds of models."""

FUSE, ANYWHERE, LATER, UNMADE, WHOLE, TIES, PARTS, AFFIXES = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of a head."""


class Head(NamedTuple):
    """The numbers at the beginning of a section MODEL, which models of all kinds share."""

    kind: int
    units: int
    unknown: int
    ids: int
    speller: int
    flags: int
    zero: int
    first_id: int
    unk_id: int
    n_symbols: int
    n_merges: int
    text_bytes: int
    n_ids: int

    @property
    def takes_bytes(self) -> bool:
        """Whether the model is a BPE whose symbols are bytes, to which no text is unknown."""
        return self.kind == BPE_KIND and not self.units


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """A vocabulary and what becomes of text that it does not have; subclasses say how it encodes.

    Attributes:
        first_id: the first id of the model.
        id_policy: how its tokens get their ids.
        stated: with STATED the id of each token, by its number; None for a token without an id,
            which is written as `unk_id`.
        unknown: what becomes of unknown text.
        speller: with SPELL the number of the model that encodes unknown text.
        fuse: whether neighbouring unknown units become one `unk_id`.
        unk_id: the id for unknown text, if `unknown` says so or the caller asks for it; None for
            none.
        byte_ids: with BYTES the id of the token of each byte; None for a byte without a token.
    """

    first_id: int = 0
    id_policy: Ids = Ids.COUNT
    stated: Sequence[int | None] = ()
    unknown: Unknown = Unknown.NONE
    speller: int = 0
    fuse: bool = False
    unk_id: int | None = None
    byte_ids: Sequence[int | None] = ()

    @property
    @abstractmethod
    def n_symbols(self) -> int:
        """The number of tokens, the first ones, that are made of no other tokens."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[bytes]:
        """The texts of all tokens, by their numbers."""

    @property
    def extra_ids(self) -> Mapping[int, bytes]:
        """The bytes of each id that belongs to no numbered token, such as a byte's token."""
        pairs = enumerate(self.byte_ids)
        return {token: bytes([byte]) for byte, token in pairs if token is not None}


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A complete tokenizer, as one file holds it (FORMAT.md).

    Attributes:
        scanners: the class map and the automata.
        router: the number of the automaton that cuts text into segments; None if there is one
            route.
        routes: the routes. A segment that rule r of the router matches takes route r.
        models: the models.
        added: the added tokens, by ascending id. Of several with one id, the first is the one that
            the id decodes to.
        properties: for each class of characters 1 for white space plus 2 for word characters, if a
            flag of an added token needs them; otherwise empty.
        normalizer: the steps that rewrite each part of a text between the added tokens that are
            found in the text as it is; empty: it stays as it is.
        second: the steps that then rewrite each part between the added tokens that are found in
            normalized text, before the router cuts it.
        template: which ids surround those of a text, if the caller asks for them; None for none.
        decoder: how the texts of tokens are joined; None: they are concatenated.
        provenance: where the tokenizer came from; "name" is the name of the encoding.
    """

    scanners: CompiledScanners
    router: int | None = None
    routes: tuple[Route, ...]
    models: tuple[Model, ...]
    added: tuple[Added, ...] = ()
    properties: bytes = b""
    normalizer: tuple[Rewrite, ...] = ()
    second: tuple[Rewrite, ...] = ()
    template: Template | None = None
    decoder: Decoder | None = None
    provenance: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name of the encoding; "unnamed" if the provenance has none."""
        return self.provenance.get("name", "unnamed")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every step once, in the order in which the routes and then the normalizer first name it.

        That is the order of their numbers in a file (FORMAT.md, STEPS). Equal steps are one.
        """
        found: list[Step] = []
        named = [step for route in self.routes for step in route.steps]
        for step in (*named, *self.normalizer, *self.second):
            if step not in found:
                found.append(step)
        return tuple(found)

    @cached_property
    def blocks(self) -> Blocks | None:
        """The step that writes characters as symbols of blocks; None if no route has one."""
        return next((step for step in self.steps if isinstance(step, Blocks)), None)

    @cached_property
    def n_vocab(self) -> int:
        """One more than the highest id, at least 1; some lower ids may be unused."""
        ends = map(self.end_id, range(len(self.models)))
        return max(*ends, *(token.id + 1 for token in self.added), 1)

    @cached_property
    def token_ids(self) -> tuple[Sequence[int | None], ...]:
        """For each model the ids of its tokens, by their numbers; None where there is none."""
        return tuple(map(self._ids, self.models))

    @cached_property
    def decoded(self) -> Mapping[int, bytes]:
        """The bytes of each id: those of its first added token, or else of a model's token."""
        added = {each.id: each.text.encode("utf-8") for each in reversed(self.added)}
        return {**self._modelled, **added}

    @cached_property
    def shadowed(self) -> Set[int]:
        """The ids that a model's token shares with an added token of another text."""
        owners, texts = (
            self._modelled,
            ((each.id, each.text.encode("utf-8")) for each in self.added),
        )
        return {token for token, text in texts if owners.get(token, text) != text}

    @cached_property
    def _modelled(self) -> Mapping[int, bytes]:
        """The bytes of each id of a model; of several tokens of a model with one id, of the first.

        The ids of the lone space and of byte tokens come last, over others. Added tokens are not
        there.
        """
        texts: dict[int, bytes] = {}
        for model, ids in zip(self.models, self.token_ids, strict=True):
            named = zip(reversed(ids), reversed(model.texts), strict=True)
            texts |= {token: text for token, text in named if token is not None}
            texts |= model.extra_ids
        return texts

    def automata_of(self, route: Route) -> list[int]:
        """Return the numbers of a route's automata: of its cuts, in order, then of its units."""
        cuts = [step.automaton for step in route.steps if isinstance(step, Cut)]
        return cuts if route.units is None else [*cuts, route.units]

    def end_id(self, number: int) -> int:
        """Return one more than the highest id of a model, or its `first_id` if it has none."""
        model = self.models[number]
        ids = [token for token in self.token_ids[number] if token is not None]
        return 1 + max([model.first_id - 1, *ids, *model.extra_ids])

    def _ids(self, model: Model) -> Sequence[int | None]:
        """Return the ids of a model's tokens, by their numbers."""
        if model.id_policy is Ids.STATED:
            return model.stated
        taken = {token.id for token in self.added} if model.id_policy is Ids.STEP else ()
        return free_ids(len(model.texts), taken, model.first_id)


def free_ids(n: int, taken: Collection[int], first: int = 0) -> Sequence[int]:
    """Return the first n ids from `first` on that are not in `taken`.

    A result that steps over none is a range, any other a list.

    Example:
        >>> free_ids(3, {1, 9})
        [0, 2, 3]
    """
    if not any(first <= number < first + n for number in taken):
        return range(first, first + n)
    taken = frozenset(taken)
    return list(islice((number for number in count(first) if number not in taken), n))


def expand(
    texts: list[bytes],
    pairs: Sequence[Pair],
    prefix: bytes = b"",
    limit: int = MAX_TOKEN_BYTES,
) -> list[bytes]:
    """Append the text of each pair to `texts`, in order, and return that list.

    The text of a pair is the text of its left token and that of its right token. With a prefix, it
    is the text of its first symbol and those of its other symbols, each without the prefix.

    A part may come after the token that it is part of. A token that is part of itself, has parts
    within parts over 1024 times, or has over `limit` bytes, gets a text of one zero byte more.

    Args:
        texts: the texts of the symbols; changed in place.
        pairs: the numbers of the left and right token of each further token.
        prefix: the text with which symbols begin that continue a pretoken (FORMAT.md, Affixes).
        limit: how many bytes the text of a token may have.

    Example:
        >>> expand([b"a"], [(2, 0), (0, 0)])
        [b'a', b'aaa', b'aa']
        >>> expand([b"a", b"##b"], [(0, 1)], b"##")
        [b'a', b'##b', b'ab']
    """
    first, too_long = len(texts), bytes(limit + 1)
    # The texts of tokens where they continue another one.
    later = [text.removeprefix(prefix) for text in texts] if prefix else texts
    columns = (texts, later) if prefix else (texts,)
    for token, (left, right) in enumerate(pairs, first):
        if left < token > right:  # nearly always: no parts to look into
            begin, rest = left, later[right]
        elif parts := _earlier_parts(token, pairs, first):
            begin, rest = parts[0], b"".join(map(later.__getitem__, parts[1:]))
        else:
            begin, rest = 0, too_long
        for column in columns:
            text = column[begin] + rest
            column.append(text if len(text) <= limit else too_long)
    return texts


def _earlier_parts(token: int, pairs: Sequence[Pair], first: int) -> list[int]:
    """Return the tokens of lower number that a token is made of, in order.

    Returns:
        At least two tokens; none if there are over 1024 of them, or parts within parts over 1024
        times, as in a token that is part of itself.
    """
    found, pending = list[int](), [*pairs[token - first][::-1]]
    while pending:
        if len(found) == MAX_TOKEN_BYTES or len(pending) == MAX_TOKEN_BYTES:
            return []
        if (part := pending.pop()) < token:
            found.append(part)
        else:
            pending += pairs[part - first][::-1]
    return found
