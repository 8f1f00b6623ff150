"""The reference backend: FORMAT.md, Encoding, in plain Python, made to be read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import accumulate
from operator import index
from typing import TypeAlias

from wwho.backends.backend import (
    DECODERS,
    Backend,
    Info,
    ModelInfo,
    Part,
    Span,
    unknown_id,
    unknown_text,
)
from wwho.errors import UnknownTokenError
from wwho.format.bpe import BPE
from wwho.format.decoder import Pairs as Joined
from wwho.format.greedy import Greedy
from wwho.format.layout import PIECE
from wwho.format.model import Artifact, Model, Unknown
from wwho.format.read import read_artifact
from wwho.format.steps import Pairs
from wwho.format.viterbi import Viterbi
from wwho.reference.bpe import Bytes, Units
from wwho.reference.cut import AddedTokens, split
from wwho.reference.decoding import join, listed_texts
from wwho.reference.engine import Engine, PieceEngine, Token
from wwho.reference.longest_match import LongestMatch
from wwho.reference.rewrite import normalize
from wwho.reference.scan import pieces
from wwho.reference.unigram import BestPath
from wwho.text import read_characters

Placed: TypeAlias = tuple[int, int, int]
"""A token: its id, and the bytes at which it begins and ends."""


class ReferenceBackend(Backend):
    """An artifact, run in plain Python. Immutable, so threads may share it."""

    kind = "reference"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
        """
        self.artifact = read_artifact(blob)
        self.info = info_of(self.artifact)
        self._added = AddedTokens(self.artifact)
        self._engines: list[Engine[Model]] = []
        for model, ids in zip(self.artifact.models, self.artifact.token_ids, strict=True):
            self._engines.append(engine_of(model, ids, self._engines, self.artifact.pairs))
        self._texts = self.artifact.decoded
        self._listed = listed_texts(self.artifact)

    def normalize(self, text: bytes) -> bytes:
        """See `Backend`."""
        return self.sources(text)[0]

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """See `Backend`."""
        return b"", 0  # No place is looked for: texts stay whole here.

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """See `Backend`."""
        return normalize(self.artifact.normalizer, text, self.artifact.scanners)

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """See `Backend`."""
        return [token for token, _, _ in self._tokens(text, allowed, unk)]

    def encode_unadded(self, text: bytes) -> list[int]:
        """See `Backend`."""
        without = copy(self)
        without._added = AddedTokens(replace(self.artifact, added=()))
        return without.encode(text, None, False)

    def encode_piece(self, piece: bytes) -> list[int]:
        """See `Backend`."""
        return [token for token, _, _ in self._tokens(piece, None, False, whole=True)]

    def encode_with_places(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int]]:
        """See `Backend`."""
        tokens = list(self._tokens(text, allowed, unk))
        ids, starts, ends = ([each[k] for each in tokens] for k in range(3))
        return ids, starts, ends

    def encode_with_spans(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int], list[int], list[Span]]:
        """See `Backend`. Plain Python takes the text twice."""
        spans: list[Span] = []
        places = [*self._tokens(text, allowed, unk, spans=spans)]
        found = [spans[~k]._replace(start=start, end=end) for k, start, end in places if k < 0]
        return *self.encode_with_places(text, allowed, unk), found

    def encode_part(
        self, text: Part, more: bool, place: int, allowed: bytes | None, unk: bool, count: bool
    ) -> tuple[list[int] | int, int, int]:
        """See `Backend`. No place is looked for: texts stay whole here."""
        ids = [] if more else self.encode(bytes(text), allowed, unk)
        return len(ids) if count else ids, 0 if more else len(text), place

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """See `Backend`."""
        n = 0
        for n, _ in enumerate(self._tokens(text, allowed, unk), 1):
            if n > limit:
                break
        return n

    # Section 10: added tokens, segments, pretokens or units, tokens

    def _tokens(
        self,
        text: bytes,
        allowed: bytes | None,
        unk: bool,
        *,
        whole: bool = False,
        spans: list[Span] | None = None,
    ) -> Iterator[Placed]:
        """The tokens of a text; `whole` as for `_cuts`.

        With `spans`, pretokens and units go there, and stand as ~number in place of their tokens.
        """

        def ordinary(text: bytes) -> Iterator[Placed]:
            if spans is None:
                return self._ordinary(text, unk, whole)
            n, found = len(spans), self.spans(text)
            spans.extend(found)
            return ((~k, span.start, span.end) for k, span in enumerate(found, n))

        for start, end, added in self._added.find(text, allowed, late=False):
            if added:
                yield added.id, start, end
            else:
                tokens = self._normalized(text[start:end], allowed, ordinary, whole, start == 0)
                yield from moved(start, tokens)

    def _normalized(
        self,
        part: bytes,
        allowed: bytes | None,
        ordinary: Callable[[bytes], Iterator[Placed]],
        whole: bool,
        first: bool,
    ) -> Iterator[Placed]:
        """The tokens of a part, which goes through the steps; `first` begins the source."""
        steps = () if whole else self.artifact.normalizer
        late = () if whole else self.artifact.rewriting
        scanners = self.artifact.scanners

        def tokens(text: bytes, sources: Sequence[int]) -> Iterator[Placed]:
            for start, end, added in self._added.find(text, allowed, late=True):
                if added:
                    yield added.id, start, end
                    continue
                begins = first and sources[start] == 0
                piece = text[start:end]
                if late:
                    out, places = normalize(late, piece, scanners, first=begins)
                    found = placed(piece, places, ordinary(out))
                else:
                    found = ordinary(piece)
                yield from moved(start, found)

        if steps:
            text, sources = normalize(steps, part, scanners, first=first)
            yield from placed(part, sources, tokens(text, sources))
        else:
            yield from tokens(part, range(len(part)))

    def _ordinary(self, text: bytes, unk: bool, whole: bool) -> Iterator[Placed]:
        """The tokens of a text without added tokens."""
        within = () if whole else self.artifact.within
        for number, cuts in neighbours(self._cuts(text, whole)):
            if not within:
                yield from self._pretokens(text, number, cuts, unk, whole)
                continue
            for spans in cuts:
                start, piece = spans[0].start, text[spans[0].start : spans[-1].end]
                out, places = normalize(within, piece, self.artifact.scanners)
                characters, starts = read_characters(out)
                own = self._spans(self._cut(characters, number, True), number, starts)
                tokens = self._pretokens(out, number, list(own), unk, False)
                found = [*placed(piece, places, tokens)]
                if len(found) == 1:
                    found = [(found[0][0], 0, found[0][2])]
                yield from moved(start, found)

    def _pretokens(
        self, text: bytes, number: int, cuts: Sequence[Sequence[Span]], unk: bool, whole: bool
    ) -> Iterator[Placed]:
        """The tokens of neighbouring pretokens of a route."""
        engine = self._engines[self.artifact.routes[number].model]
        if isinstance(engine, Units):
            units = [[(text[s.start : s.end], s.rule) for s in spans] for spans in cuts]
            yield from with_places(cuts[0][0].start if cuts else 0, engine.segments(units, unk))
            return
        assert isinstance(engine, PieceEngine)
        for span in (span for spans in cuts for span in spans):
            piece = text[span.start : span.end]
            tokens = (
                engine.merged(piece)  # which is given as symbols, if those are merged
                if whole and isinstance(engine, Bytes)
                else engine.piece(piece, unk)
            )
            yield from with_places(span.start, tokens)

    def spans(self, text: bytes) -> list[Span]:
        """See `Backend`."""
        return [span for _, spans in self._cuts(text) for span in spans]

    def _cuts(self, text: bytes, whole: bool = False) -> Iterator[tuple[int, list[Span]]]:
        """The pretokens that stages keep of a text: their route, and each as one span or its units.

        With `whole`, the text is one pretoken of the first route, or one segment of units.
        """
        characters, starts = read_characters(text)
        for begin, end, number in self._segments(characters, whole):
            cuts = self._cut(characters[begin:end], number, whole)
            for spans in self._spans(cuts, number, starts, begin):
                yield number, spans

    def _spans(
        self,
        cuts: Iterable[list[tuple[int, int, int]]],
        number: int,
        starts: Sequence[int],
        begin: int = 0,
    ) -> Iterator[list[Span]]:
        """The pretokens of a segment by bytes; its characters are those from `begin` on."""
        first = True
        for cut in cuts:
            spans = []
            for start, stop, rule in cut:
                place = starts[begin + start], starts[begin + stop]
                spans.append(Span(*place, number, rule, first))
                first = False
            yield spans

    def _segments(self, text: str, whole: bool) -> Iterator[tuple[int, int, int]]:
        """The segments of a text: start, end, route."""
        scanners = self.artifact.scanners
        if self.artifact.router is not None and not whole:
            yield from pieces(scanners, scanners.automata[self.artifact.router], text)
        elif text:
            yield 0, len(text), 0

    def _cut(self, segment: str, number: int, whole: bool) -> Iterator[list[tuple[int, int, int]]]:
        """The pretokens of a segment of a route, each as one, or as its units: start, end, rule."""
        scanners, route = self.artifact.scanners, self.artifact.routes[number]
        found = [(0, len(segment))]
        for stage in () if whole else route.stages:
            found = [
                (start + first, start + last)
                for start, end in found
                for first, last in split(scanners, self.artifact.stages[stage], segment[start:end])
            ]
        for start, end in found:
            if route.units is None:
                yield [(start, end, PIECE)]
                continue
            units = pieces(scanners, scanners.automata[route.units], segment[start:end])
            yield [(start + first, start + last, rule) for first, last, rule in units]

    # Offsets and decoding

    def offsets(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], utf16: bool
    ) -> list[tuple[int, int]]:
        """See `Backend`."""
        characters, places = read_characters(text)
        sizes = [2 if utf16 and ord(c) > 0xFFFF else 1 for c in characters]
        units = list(accumulate(sizes, initial=0))
        return [
            (units[bisect_right(places, start) - 1], units[bisect_left(places, end)])
            for start, end in zip(starts, ends, strict=True)
        ]

    def decode(self, ids: Sequence[int]) -> bytes:
        """See `Backend`."""
        return self.decode_part(ids, False, False, False)[0]

    def decode_part(
        self, ids: Sequence[int], skip_special: bool, after: bool, more: bool
    ) -> tuple[bytes, int]:
        """See `Backend`."""
        specials = set(self.info.specials.values()) if skip_special else ()
        texts = [(number, self.token_bytes(token)) for number, token in enumerate(ids)]
        texts = [(number, text) for number, text in texts if ids[number] not in specials]
        if self.artifact.decoder is None:
            return b"".join(text for _, text in texts), len(ids)
        tokens = [self._listed.get(ids[number], text) for number, text in texts]
        pairs = self.artifact.pairs if Joined() in self.artifact.decoder.steps else None
        text, held = join(self.artifact.decoder, tokens, after, more, pairs)
        if more and (self.artifact.decoder.waits or not (after or text)):
            return b"", 0
        return text, texts[-held][0] if held else len(ids)

    def token_bytes(self, token: int) -> bytes:
        """See `Backend`."""
        if (text := self._texts.get(index(token))) is None:
            raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
        return text

    def token_id(self, text: bytes) -> int:
        """See `Backend`."""
        for engine in reversed(self._engines):
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


def engine_of(
    model: Model,
    ids: Sequence[int | None],
    before: Sequence[Engine[Model]],
    pairs: Pairs | None,
) -> Engine[Model]:
    """What runs a model; `before` runs those before it, and `pairs` are symbols of pretokens."""
    speller = before[model.speller] if model.unknown is Unknown.SPELL else None
    assert speller is None or isinstance(speller, PieceEngine)
    if isinstance(model, BPE):
        return Units(model, ids, speller) if model.units else Bytes(model, ids, speller, pairs)
    if isinstance(model, Greedy):
        return LongestMatch(model, ids, speller)
    assert isinstance(model, Viterbi)
    return BestPath(model, ids, speller)


def neighbours(cuts: Iterable[tuple[int, list[Span]]]) -> Iterator[tuple[int, list[list[Span]]]]:
    """Pretokens of one route, as long as no other is, and nothing that is dropped, between them."""
    number, run = 0, list[list[Span]]()
    for route, spans in cuts:
        if run and (route != number or run[-1][-1].end != spans[0].start):
            yield number, run
            run = []
        number = route
        run.append(spans)
    if run:
        yield number, run


def with_places(start: int, tokens: Iterable[Token]) -> Iterator[Placed]:
    """Tokens that follow each other from a byte on."""
    for token in tokens:
        if not token.gap:
            yield token.id, start - token.back, start + token.size
        start += token.size


def moved(by: int, tokens: Iterable[Placed]) -> Iterator[Placed]:
    """Tokens of a text that begins at a byte of another one."""
    return ((token, start + by, end + by) for token, start, end in tokens)


def placed(text: bytes, sources: Sequence[int], tokens: Iterable[Placed]) -> Iterator[Placed]:
    """Tokens of what became of a text, with their places in that: of whole characters."""
    ends = read_characters(text)[1]
    for token, start, end in tokens:
        last = ends[bisect_right(ends, sources[end - 1])] if end else 0
        yield token, sources[start] if start < len(sources) else last, last


def info_of(artifact: Artifact) -> Info:
    """The numbers and names of an artifact."""
    decoder = artifact.decoder
    return Info(
        n_vocab=artifact.n_vocab,
        models=tuple(model_info(artifact, number) for number in range(len(artifact.models))),
        added=artifact.added,
        routes=artifact.routes,
        n_steps=len(artifact.steps) + (artifact.pairs is not None),
        provenance=dict(artifact.provenance),
        template=artifact.template,
        decoder=DECODERS[0 if decoder is None else 1 + decoder.waits],
    )


def model_info(artifact: Artifact, number: int) -> ModelInfo:
    """The numbers and names of one of its models."""
    model = artifact.models[number]
    bpe = model if isinstance(model, BPE) else None
    return ModelInfo(
        kind=type(model).__name__.lower(),
        symbols="units" if bpe and bpe.units else "bytes",
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
