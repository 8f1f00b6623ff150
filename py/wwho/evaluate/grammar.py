"""Scripts and syllables of a text, by the scanners of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wwho.backends.backend import Backend
from wwho.evaluate.text import Block, Bools, Extents, Ints, part_of
from wwho.format.layout import ORPHAN, SYLLABLE

JOINERS = "\u200c\u200d"
_SPACE = 0x20
_SPAN = np.dtype([("start", "u4"), ("end", "u4"), ("route", "u2"), ("rule", "u1"), ("first", "u1")])
"""`SPAN` as numpy reads it."""


@dataclass(frozen=True)
class Units:
    """The pretokens and units of a block, in order and without gaps (see `Span`).

    For each: the first byte and the byte after it, the number of its route, a rule (SYLLABLE,
    ORPHAN, PASSTHROUGH or PIECE), and 1 where a segment begins.
    """

    block: Block
    starts: Ints
    ends: Ints
    routes: Ints
    rules: Ints
    firsts: Ints

    @cached_property
    def byte_routes(self) -> Ints:
        """The route of each byte."""
        return np.repeat(self.routes, self.ends - self.starts)

    @cached_property
    def syllables(self) -> Extents:
        """The syllables, without the space before one, which is no part of it."""
        chosen = self.rules == SYLLABLE
        return Extents(self._first_letters[chosen], self.ends[chosen])

    @cached_property
    def letters(self) -> Ints:
        """The code point that each begins with, after the space that may stand before it."""
        numbers = np.searchsorted(self.block.character_bytes, self._first_letters)
        letters: Ints = self.block.code_points[numbers]
        return letters

    @cached_property
    def _first_letters(self) -> Ints:
        """The first byte of each, after the space where there is one and something follows it."""
        text = np.frombuffer(b"".join(self.block.encoded), np.uint8)
        has_space: Ints = (text[self.starts] == _SPACE) & (self.ends - self.starts > 1)
        return self.starts + has_space


class Grammar:
    """The routes and syllables of a model: their `names`, and which `is_script` of syllables."""

    def __init__(self, backend: Backend) -> None:
        """Take over the scanners of an open model."""
        self._backend = backend
        self.names = tuple(route.name for route in backend.info.routes)
        info = backend.info
        # Other libraries' models of characters have one route, and spell nothing.
        syllables = [len(info.routes) > 1 or model.unknown == "spell" for model in info.models]
        self.is_script: Bools = np.array(
            [route.units is not None and syllables[route.model] for route in info.routes]
        )

    def units(self, block: Block) -> Units:
        """The units of each line of a block."""
        packed = [self._backend.spans_packed(line) for line in block.encoded]
        spans = np.frombuffer(b"".join(packed), _SPAN)
        shift = np.repeat(block.line_bytes[:-1], [len(line) // _SPAN.itemsize for line in packed])
        starts, ends, *kinds = (spans[name] for name in _SPAN.names or ())
        return Units(block, starts + shift, ends + shift, *kinds)

    def are_whole(self, tokens: Sequence[bytes | None]) -> Bools:
        """Whether each token, standing alone, is text that could be written so.

        It is not where it holds part of a character, a dependent sign without its letter, or a
        joiner without a letter before it. Several words are as whole as one.

        Example:
            >>> from wwho.backends.select import open_backend
            >>> from wwho.encodings import model_bytes
            >>> grammar = Grammar(open_backend(model_bytes("wwho_328k")))
            >>> tokens = [text.encode() for text in (" ක්‍ෂි", "ක් ක", "ිය", "\\u200dය", "x")]
            >>> grammar.are_whole([*tokens, "ක".encode()[:2]]).tolist()
            [True, True, False, False, True, False]
        """
        texts = [None if token is None else text_of(token) for token in tokens]
        block = Block([text or "" for text in texts])
        units = self.units(block)
        orphans = units.starts[self.is_script[units.routes] & (units.rules == ORPHAN)]
        is_joiner = np.isin(block.code_points, [*map(ord, JOINERS)])
        joiners = block.character_bytes[:-1][is_joiner]
        stray = joiners[~self.is_script[units.byte_routes[joiners]]]
        whole = np.array([text is not None for text in texts], np.bool_)
        whole[part_of(block.line_bytes, np.append(orphans, stray))] = False
        return whole


def text_of(token: bytes) -> str | None:
    """The text of a token; None where it holds part of a character."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None
