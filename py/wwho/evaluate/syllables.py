"""Scripts, segments and syllables of a text, as the automata of a model's routes find them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wwho.backends.backend import Backend
from wwho.compile.schema import Schema
from wwho.compile.validity import UnitJudge
from wwho.evaluate.text_blocks import Block, Bools, ByteRanges, Ints, find_parts
from wwho.format.layout import ORPHAN, SYLLABLE

JOINERS = "\u200c\u200d"
_SPACE = 0x20
_SPAN = np.dtype([("start", "u4"), ("end", "u4"), ("route", "u2"), ("rule", "u1"), ("first", "u1")])
"""`wwho.backends.backend.SPAN` as a numpy type."""


@dataclass(frozen=True)
class Spans:
    """The spans of a block, in order and without gaps: syllables, stray signs and pretokens.

    A span begins with the space before it, where the model's automaton takes one in. All arrays
    have one entry for each span, unless they say otherwise.

    Attributes:
        block: the lines that were cut.
        starts: the first byte of each span in the block.
        ends: the byte after each span.
        routes: the number of the model's route that the span belongs to.
        rules: what the span is: SYLLABLE, ORPHAN (a stray sign), PASSTHROUGH or PIECE.
        firsts: 1 where a segment begins with the span, else 0.
    """

    block: Block
    starts: Ints
    ends: Ints
    routes: Ints
    rules: Ints
    firsts: Ints

    @cached_property
    def byte_routes(self) -> Ints:
        """The number of the route of each byte of the block."""
        return np.repeat(self.routes, self.ends - self.starts)

    @cached_property
    def syllables(self) -> ByteRanges:
        """The bytes of each syllable, without the space before it, which is no part of it."""
        is_syllable = self.rules == SYLLABLE
        return ByteRanges(self._first_letters[is_syllable], self.ends[is_syllable])

    @cached_property
    def letters(self) -> Ints:
        """The code point that each span begins with, after the space that may stand before it."""
        numbers = np.searchsorted(self.block.character_bytes, self._first_letters)
        letters: Ints = self.block.code_points[numbers]
        return letters

    @cached_property
    def _first_letters(self) -> Ints:
        """The first byte of each span after its leading space; a lone space's own byte."""
        text = np.frombuffer(b"".join(self.block.encoded), np.uint8)
        has_space: Ints = (text[self.starts] == _SPACE) & (self.ends - self.starts > 1)
        return self.starts + has_space


class Grammar:
    """Cuts text as a model does before it looks at its vocabulary: into segments and syllables.

    Attributes:
        names: the name of each route of the model, such as "sinhala" or "other".
        is_script: for each route, whether it cuts its segments into syllables.
    """

    def __init__(self, backend: Backend, schemas: Sequence[Schema] = ()) -> None:
        """Use the routes and automata of an open model; its vocabulary plays no part.

        Args:
            backend: the model.
            schemas: those that the model was made from, which say what a valid syllable is; without
                any, the shipped ones that its provenance names.
        """
        judge = UnitJudge(schemas) if schemas else UnitJudge.of_model(backend.info.provenance)
        self._judge = judge
        self._backend = backend
        self.names = tuple(route.name for route in backend.info.routes)
        info = backend.info
        # Models of characters from other libraries have units too, but no syllables: they have a
        # single route, and do not spell what their vocabulary lacks.
        has_syllables = [len(info.routes) > 1 or model.unknown == "spell" for model in info.models]
        self.is_script: Bools = np.array(
            [route.units is not None and has_syllables[route.model] for route in info.routes]
        )

    def cut(self, block: Block) -> Spans:
        """Cut each line of a block into spans, each line as a text of its own.

        The spans count bytes of the whole block, not of their line.
        """
        packed = [self._backend.spans_packed(line) for line in block.encoded]
        spans = np.frombuffer(b"".join(packed), _SPAN)
        spans_per_line = [len(line) // _SPAN.itemsize for line in packed]
        line_starts = np.repeat(block.line_bytes[:-1], spans_per_line)
        starts, ends, routes, rules, firsts = (spans[name] for name in _SPAN.names or ())
        return Spans(block, starts + line_starts, ends + line_starts, routes, rules, firsts)

    def are_whole(self, tokens: Sequence[bytes | None]) -> Bools:
        """Return for each token whether it, standing alone, is text that somebody could write.

        A token is not whole if it is None, holds part of a character, has a unit that is no valid
        syllable (`UnitJudge`), such as a dependent sign without its letter, or a joiner outside a
        script's segments. Several words are as whole as one, and so is the empty token.

        Example:
            >>> from wwho.backends.select import open_backend
            >>> from wwho.encodings import model_bytes
            >>> grammar = Grammar(open_backend(model_bytes("wwho_328k")))
            >>> tokens = [text.encode() for text in (" ක්‍ෂි", "ක් ක", "ිය", "\\u200dය", "x")]
            >>> grammar.are_whole([*tokens, "ක".encode()[:2]]).tolist()
            [True, True, False, False, True, False]
        """
        texts = [None if token is None else decode_token(token) for token in tokens]
        block = Block([text or "" for text in texts])
        spans = self.cut(block)
        invalid = self.find_invalid(spans)
        is_joiner = np.isin(block.code_points, [*map(ord, JOINERS)])
        joiners = block.character_bytes[:-1][is_joiner]
        stray_joiners = joiners[~self.is_script[spans.byte_routes[joiners]]]
        whole = np.array([text is not None for text in texts], np.bool_)
        whole[find_parts(block.line_bytes, np.append(invalid, stray_joiners))] = False
        return whole

    def count_invalid(self, block: Block) -> tuple[int, int]:
        """Count the units of scripts in a block, and those that are invalid (OSPE, equation 2).

        Stray signs outside segments and U+FFFD are units too, and invalid.
        """
        spans = self.cut(block)
        in_script = self.is_script[spans.routes] & (spans.rules <= ORPHAN)
        invalid = self.find_invalid(spans)
        outside = ~self.is_script[spans.byte_routes[invalid]]
        broken = sum(line.count("\ufffd") for line in block.lines)
        return int(in_script.sum() + outside.sum()) + broken, len(invalid) + broken

    def find_invalid(self, spans: Spans) -> Ints:
        """Return a byte of each unit of a block that is no valid syllable, and of each stray sign.

        Units of scripts alone are judged, and stray signs outside their segments.

        Args:
            spans: the block, as `cut` returns it.
        """
        block, judge = spans.block, self._judge
        in_script = np.flatnonzero(self.is_script[spans.routes] & (spans.rules <= ORPHAN))
        text = b"".join(block.encoded)
        found = []
        for number in in_script.tolist():
            start, end = int(spans.starts[number]), int(spans.ends[number])
            unit = text[start:end].decode().removeprefix(" ")
            if not judge.is_valid(self.names[spans.routes[number]], unit, int(spans.rules[number])):
                found.append(start)
        for line, first in zip(block.lines, block.line_characters.tolist(), strict=False):
            found += [block.character_bytes[first + place] for place in judge.find_stray(line)]
        return np.array(found, np.int64)


def decode_token(token: bytes) -> str | None:
    """Return the text of a token; None for bytes that are not UTF-8, as of part of a character."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None
