"""The reference backend: FORMAT.md, Encoding, in plain Python. `wwho.reference` is the lesson."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import index

from wwho.backends.backend import (
    DECODERS,
    Backend,
    Form,
    Info,
    ModelInfo,
    Part,
    RouteInfo,
    Span,
    to_form,
    unknown_id,
    unknown_text,
)
from wwho.errors import UnknownTokenError
from wwho.format.bpe import BPE
from wwho.format.decoder import Blocks
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.reference.decode import join, listed_texts
from wwho.reference.piece import read_piece
from wwho.reference.sampling import TextDraws
from wwho.reference.walk import Walk
from wwho.sampling import Sampling
from wwho.text import Text, read_characters, to_bytes


class ReferenceBackend(Backend):
    """An open artifact that plain Python runs. It is immutable, so threads may share it."""

    kind = "reference"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
        """
        self.artifact = read_artifact(blob)
        self.info = info_of(self.artifact)
        self._walk = Walk(self.artifact)
        self._texts = self.artifact.decoded
        self._listed = listed_texts(self.artifact)

    def normalize(self, text: bytes) -> bytes:
        """Return a text as the first steps of the normalizer rewrite it."""
        return self._walk.normalize(text).data

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """Return nothing, and 0 bytes read: a text is rewritten only as a whole here."""
        return b"", 0  # No place is looked for: texts stay whole here.

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """Return the normalized text and the place of the source of each of its bytes."""
        piece = self._walk.normalize(text)
        if piece.of_bytes is None:
            return text, range(len(text))
        return piece.data, [source.begin for source in piece.of_bytes]

    def encode(self, text: Text, allowed: bytes | None, unk: bool) -> list[int]:
        """Return the ids of a text."""
        return [token for token, _, _ in self._walk.tokens(to_bytes(text), allowed, unk)]

    def encode_unadded(self, text: bytes) -> list[int]:
        """Return the ids of a text in which no added token is found."""
        return [token for token, _, _ in self._walk.without_added().tokens(text, None, False)]

    def encode_piece(self, piece: bytes) -> list[int]:
        """Return the ids of a text as one pretoken of route 0, without any step."""
        return [token for token, _, _ in self._walk.tokens(piece, None, False, whole=True)]

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """Return the ids of a text and, for each, the bytes at which it begins and ends."""
        tokens = list(self._walk.tokens(text, allowed, unk))
        ids, starts, ends = ([each[k] for each in tokens] for k in range(3))
        return ids, starts, ends

    def sample_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool, sampling: Sampling, number: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return drawn ids of a text and, for each, the bytes at which it begins and ends."""
        draws = TextDraws(sampling, number)
        tokens = list(self._walk.tokens(text, allowed, unk, draws=draws))
        ids, starts, ends = ([each[k] for each in tokens] for k in range(3))
        return ids, starts, ends

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """Return ids, where they begin and end, and the spans of pretokens and units.

        The text is taken through the steps twice.
        """
        spans = [Span(*unit) for unit in self._walk.units(text, allowed)]
        return *self.encode_with_places(text, allowed, unk), spans

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, form: Form
    ) -> tuple[list[int] | int | bytes, int, int]:
        """Return nothing while a text goes on, and all of its ids with the last part."""
        ids = [] if more else self.encode(bytes(text), allowed, unk)
        return to_form(ids, form), 0 if more else len(text), place

    def count(self, text: Text, allowed: bytes | None, unk: bool, limit: int) -> int:
        """Return the number of tokens of a text, or some number over `limit`.

        That is `limit + 1`.
        """
        n = 0
        for n, _ in enumerate(self._walk.tokens(to_bytes(text), allowed, unk), 1):
            if n > limit:
                break
        return n

    def spans(self, text: bytes) -> list[Span]:
        """Return the spans of the pretokens and units of a normalized text, in order."""
        return [Span(*unit) for unit in self._walk.units_of_part(read_piece(text))]

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """Return the first character that each token touches, and the one after the last."""
        characters, places = read_characters(text)
        sizes = [2 if utf16 and ord(c) > 0xFFFF else 1 for c in characters]
        units = list(accumulate(sizes, initial=0))
        return [
            (units[bisect_right(places, start) - 1], units[bisect_left(places, end)])
            for start, end in zip(starts, ends, strict=True)
        ]

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the text of some tokens, as the decoder joins them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """
        return self.decode_part(ids, False, False, False)[0]

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """Return the text of the first tokens, and how many ids were read for it; see `Backend`.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
        """
        specials = set(self.info.specials.values()) if skip_special else ()
        texts = [(number, self.token_bytes(token)) for number, token in enumerate(ids)]
        texts = [(number, text) for number, text in texts if ids[number] not in specials]
        if self.artifact.decoder is None:
            return b"".join(text for _, text in texts), len(ids)
        tokens = [self._listed.get(ids[number], text) for number, text in texts]
        blocks = self.artifact.blocks if Blocks() in self.artifact.decoder.steps else None
        text, held = join(self.artifact.decoder, tokens, after, more, blocks)
        if more and (self.artifact.decoder.waits or not (after or text)):
            return b"", 0
        return text, texts[-held][0] if held else len(ids)

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, before any decoder.

        Raises:
            UnknownTokenError: the id is not in the vocabulary.
        """
        if (text := self._texts.get(index(token))) is None:
            raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
        return text

    def token_id(self, text: bytes) -> int:
        """Return the id of the token with these bytes: of the last model that has it.

        If no model has it, or only with an id that decodes to another text, it is the id of the
        added token with this text.

        Raises:
            UnknownTokenError: there is none.
        """
        for engine in reversed(self._walk.engines):
            number = engine.numbers.get(text)
            token = None if number is None else engine.ids[number]
            # One that shares its id with another is found by that one's text alone.
            shown = token is not None and token not in self.artifact.shadowed
            if token is not None and shown and self._texts[token] == text:
                return token
        for added in self.artifact.added:
            if added.text.encode("utf-8") == text:
                return added.id
        raise UnknownTokenError(unknown_text(text))


def info_of(artifact: Artifact) -> Info:
    """Return the numbers and names of an artifact."""
    decoder, steps = artifact.decoder, artifact.steps
    return Info(
        n_vocab=artifact.n_vocab,
        models=tuple(model_info(artifact, number) for number in range(len(artifact.models))),
        added=artifact.added,
        routes=tuple(
            RouteInfo(route.name, route.model, tuple(map(steps.index, route.steps)), route.units)
            for route in artifact.routes
        ),
        n_steps=len(steps),
        n_normalizer=len(artifact.normalizer) + len(artifact.second),
        provenance=dict(artifact.provenance),
        template=artifact.template,
        decoder=DECODERS[0 if decoder is None else 1 + decoder.waits],
    )


def model_info(artifact: Artifact, number: int) -> ModelInfo:
    """Return the numbers and names of one model of an artifact."""
    model = artifact.models[number]
    bpe = model if isinstance(model, BPE) else None
    return ModelInfo(
        kind=type(model).__name__.lower(),
        symbols="units" if getattr(model, "units", False) else "bytes",
        unknown=model.unknown.name.lower(),
        ids=model.id_policy.name.lower(),
        first_id=model.first_id,
        n_ids=artifact.end_id(number) - model.first_id,
        n_symbols=model.n_symbols,
        n_merges=len(model.texts) - model.n_symbols,
        n_superwords=bpe.n_superwords if bpe else 0,
        space_id=bpe.space_id if bpe else None,
        unk_id=model.unk_id,
    )
