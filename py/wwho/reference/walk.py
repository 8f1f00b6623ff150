"""The way of a text from the normalizer to the model, in plain Python (FORMAT.md, Encoding 0 to 3).

Everything else in this package does one thing to one piece; this module says in which order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple, TypeAlias

from wwho.format.bpe import BPE
from wwho.format.greedy import Greedy
from wwho.format.layout import PIECE
from wwho.format.model import Artifact, Model, Route, Unknown
from wwho.format.routes import cuts_single_characters
from wwho.format.steps import Blocks, Cut, Rewrite
from wwho.format.viterbi import Viterbi
from wwho.reference.added import AddedTokens
from wwho.reference.blocks import write_blocks
from wwho.reference.bpe import Bytes, Units
from wwho.reference.cut import cut
from wwho.reference.engine import Engine, PieceEngine, Token, Unit, with_places
from wwho.reference.longest_match import LongestMatch
from wwho.reference.piece import Piece, bytes_of, read_piece
from wwho.reference.rewrite import rewrite, rewrite_all
from wwho.reference.sampling import Draws, TextDraws
from wwho.reference.scan import matches
from wwho.reference.unigram import BestPath, BestPathOfUnits

Placed: TypeAlias = tuple[int, int, int]
"""A token: its id, and the bytes of the text at which it begins and ends."""


class PlacedUnit(NamedTuple):
    """A pretoken, or a unit of one in a route of units, and where it stands in the text.

    Attributes:
        start: its first byte.
        end: the byte after it.
        route: the number of its route.
        rule: the rule that matched the unit, or PIECE for a pretoken.
        first: whether a segment begins here.
    """

    start: int
    end: int
    route: int
    rule: int
    first: bool


class Walk:
    """An artifact, ready to take texts through its pipeline; texts leave no trace in it."""

    def __init__(self, artifact: Artifact) -> None:
        """Make what finds the added tokens of an artifact, and what runs its models."""
        self.artifact = artifact
        self._added = AddedTokens(artifact)
        self.engines: list[Engine[Model]] = []
        for number in range(len(artifact.models)):
            self.engines.append(engine_of(artifact, number, self.engines))
        self._units = {
            number: engine_of_route(artifact, route, self.engines)
            for number, route in enumerate(artifact.routes)
            if route.units is not None
        }

    def without_added(self) -> Walk:
        """Return the same pipeline in which no added token is found."""
        return Walk(replace(self.artifact, added=()))

    def tokens(
        self,
        text: bytes,
        allowed: bytes | None,
        unk: bool,
        *,
        whole: bool = False,
        draws: TextDraws | None = None,
    ) -> Iterator[Placed]:
        """Yield the tokens of a text, in order.

        Args:
            text: the text.
            allowed: a byte for each added token, not 0 if it is allowed; None: no special token is.
            unk: whether the caller asks for unk_id in place of unknown text.
            whole: whether the text between added tokens is one pretoken of route 0, as it is.
            draws: what is drawn for the text; None: nothing.
        """
        for part in self.parts(text, allowed, whole=whole):
            if isinstance(part, Piece):
                yield from self._encode(part, unk, whole, draws)
            else:
                yield part

    def units(self, text: bytes, allowed: bytes | None) -> Iterator[PlacedUnit]:
        """Yield the pretokens and units of the text between added tokens, in order."""
        for part in self.parts(text, allowed):
            if isinstance(part, Piece):
                yield from self.units_of_part(part)

    # Encoding 0 and 1: added tokens and the normalizer

    def parts(
        self, text: bytes, allowed: bytes | None, *, whole: bool = False
    ) -> Iterator[Placed | Piece]:
        """Yield the added tokens of a text, and what the normalizer makes of the parts between.

        A token comes as its id, its start and its end, in bytes of the text, and a part as the
        piece that is ready for the router. Empty parts are left out.

        Args:
            text: the text.
            allowed: as in `tokens`.
            whole: whether the normalizer is left out.
        """
        artifact = self.artifact
        first, second = ((), ()) if whole else (artifact.normalizer, artifact.second)
        for start, end, added in self._added.find(text, allowed, normalized=False):
            if added:
                yield added.id, start, end
                continue
            part = self._normalize(first, read_piece(text[start:end], start))
            for begin, stop, found in self._added.find(part.data, allowed, normalized=True):
                if found:
                    yield found.id, *part.place(begin, stop)
                elif (ready := self._normalize(second, part.cut_bytes(begin, stop))).text:
                    yield ready

    def normalize(self, text: bytes) -> Piece:
        """Return what the first steps of the normalizer make of a text without added tokens."""
        return self._normalize(self.artifact.normalizer, read_piece(text))

    def _normalize(self, steps: Sequence[Rewrite], piece: Piece) -> Piece:
        """Return what steps of the normalizer make of a piece."""
        if not steps:
            return piece
        return rewrite_all(steps, piece, self.artifact.scanners).read_again()

    # Encoding 2 and 3: the router, and the steps of a route

    def pretokens(self, segment: Piece, number: int) -> Sequence[Piece]:
        """Return the pretokens of a segment: what the steps of its route leave, in order.

        BLOCKS, which is always the last step, is left to `_encode`: it changes how a pretoken is
        written for the model, not which pretokens there are.

        Args:
            segment: the segment.
            number: the number of its route.
        """
        pieces = [segment]
        for step in self._route(number).steps:
            if not isinstance(step, Blocks):
                pieces = [made for piece in pieces for made in self._take_step(step, piece)]
        return pieces

    def _take_step(self, step: Rewrite | Cut, piece: Piece) -> Iterator[Piece]:
        """Yield the pieces that a step makes of one piece; an empty one disappears."""
        scanners = self.artifact.scanners
        if isinstance(step, Cut):
            yield from cut(step, piece, scanners)
        elif (made := rewrite(step, piece, scanners)).text:
            yield made

    def _blocks(self, number: int) -> Blocks | None:
        """Return the BLOCKS of a route, by its number; None if it has none."""
        return next((s for s in self._route(number).steps if isinstance(s, Blocks)), None)

    def _route(self, number: int) -> Route:
        """Return a route by its number."""
        return self.artifact.routes[number]

    def _segments(self, part: Piece, whole: bool) -> Iterator[tuple[Piece, int]]:
        """Yield the segments of a part of a text, in order, each with the number of its route.

        Without a router the part is one segment of route 0. An empty part has no segments.

        Args:
            part: text between added tokens, normalized.
            whole: whether to pass over the router, so that all of the part is one segment.
        """
        scanners, router = self.artifact.scanners, self.artifact.router
        if router is None or whole:
            if part.text:
                yield part, 0
            return
        for start, end, rule in matches(scanners, scanners.automata[router], part.scanned):
            yield part.cut(start, end), rule

    # Encoding 4 to 9: the models

    def _encode(
        self, part: Piece, unk: bool, whole: bool, draws: TextDraws | None
    ) -> Iterator[Placed]:
        """Yield the tokens of a part of a text, in order.

        Neighbouring segments of one route go to its engine together if that engine joins words
        (Encoding 6). Pretokens that BLOCKS leaves empty yield nothing.

        Args:
            part: text between added tokens, normalized.
            unk: whether the caller asks for unk_id in place of unknown text.
            whole: whether the part is one pretoken of route 0, which no step changes.
            draws: what is drawn for the text; None: nothing.
        """
        for number, group in groupby(self._segments(part, whole), lambda each: each[1]):
            segments = [segment for segment, _ in group]
            engine = self._units.get(number)
            if isinstance(engine, Units) and engine.joins_words:
                units = [self._units_of(segment, number) for segment in segments]
                yield from tokens_in_text(
                    join_segments(segments), engine.phrases(units, unk, draws)
                )
                continue
            blocks = None if whole else self._blocks(number)
            for segment in segments:
                for pretoken in [segment] if whole else self.pretokens(segment, number):
                    drawn = None if draws is None else draws.next_pretoken()
                    piece = write_blocks(blocks, pretoken) if blocks else pretoken
                    if piece.text:
                        yield from tokens_in_text(piece, self._tokens(piece, number, unk, drawn))

    def _tokens(
        self, pretoken: Piece, number: int, unk: bool, draws: Draws | None
    ) -> Iterator[Token]:
        """Return an iterator over the tokens of a pretoken, as the model of its route encodes it.

        Args:
            pretoken: the pretoken, written as BLOCKS writes it if the route has this step.
            number: the number of the route. If it has units, the pretoken is cut into them first.
            unk: whether the caller asks for unk_id in place of unknown text.
            draws: what is drawn for the pretoken; None: nothing.
        """
        if number in self._units:
            return self._units[number].pretoken(self._units_of(pretoken, number), unk, draws)
        engine = self.engines[self._route(number).model]
        assert isinstance(engine, PieceEngine)
        return engine.piece(pretoken.data, unk, draws)

    def _units_of(self, piece: Piece, number: int) -> list[Unit]:
        """Return the units of a pretoken of a route of units: their texts and rules."""
        scanners, automaton = self.artifact.scanners, self._route(number).units
        assert automaton is not None
        return [
            (bytes_of(piece.text[start:end]), rule)
            for start, end, rule in matches(scanners, scanners.automata[automaton], piece.scanned)
        ]

    def units_of_part(self, part: Piece) -> Iterator[PlacedUnit]:
        """Yield the pretokens, or in routes of units the units, of a part of a text, in order.

        Each has its place in bytes of the whole text, the number of its route and of its rule
        (PIECE for a pretoken), and whether it is the first of its segment.
        """
        for segment, number in self._segments(part, whole=False):
            first = True
            for piece in self.pretokens(segment, number):
                units = self._units_of(piece, number) if number in self._units else None
                start = 0
                for text, rule in units or [(piece.data, PIECE)]:
                    place = piece.place(start, start + len(text))
                    yield PlacedUnit(*place, number, rule, first)
                    start += len(text)
                    first = False


def tokens_in_text(piece: Piece, tokens: Iterable[Token]) -> Iterator[Placed]:
    """Yield the tokens of a piece, each with the byte places of its sources in the text."""
    for token, start, end in with_places(tokens):
        yield token, *piece.place(start, end)


def join_segments(segments: Sequence[Piece]) -> Piece:
    """Return one piece that has the text and the sources of neighbouring segments of a part."""
    of_bytes = None
    if segments[0].rewritten:
        of_bytes = [source for segment in segments for source in segment.of_bytes or ()]
    return Piece("".join(segment.text for segment in segments), segments[0].begin, of_bytes)


def engine_of(artifact: Artifact, number: int, before: Sequence[Engine[Model]]) -> Engine[Model]:
    """Return what runs a model of an artifact: the engine of the model's kind.

    Args:
        artifact: the artifact.
        number: the number of the model.
        before: what runs the models before it, one of which may be its speller.
    """
    model, ids = artifact.models[number], artifact.token_ids[number]
    speller = before[model.speller] if model.unknown is Unknown.SPELL else None
    assert speller is None or isinstance(speller, PieceEngine)
    if isinstance(model, BPE):
        if model.units:
            return Units(model, ids, speller)
        routes = [route for route in artifact.routes if route.model == number]
        has_blocks = any(artifact.blocks in route.steps for route in routes)
        return Bytes(model, ids, artifact.blocks if has_blocks else None)
    if isinstance(model, Greedy):
        return LongestMatch(model, ids, speller)
    assert isinstance(model, Viterbi)
    return (BestPathOfUnits if model.units else BestPath)(model, ids, speller)


def engine_of_route(
    artifact: Artifact, route: Route, engines: Sequence[Engine[Model]]
) -> Units | BestPathOfUnits:
    """Return what runs the model of a route of units.

    Args:
        artifact: the artifact.
        route: the route.
        engines: what runs each model; for single characters, it is made anew.
    """
    engine = engines[route.model]
    assert isinstance(engine, Units | BestPathOfUnits)
    assert route.units is not None
    if isinstance(engine, BestPathOfUnits):
        return engine
    if not cuts_single_characters(artifact.scanners.automata[route.units]):
        return engine
    return Units(engine.model, engine.ids, engine.speller, characters=True)
