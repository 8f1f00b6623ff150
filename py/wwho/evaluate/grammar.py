"""Scripts and syllables of a text, by the scanners of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wwho.backend.base import ORPHAN, SYLLABLE, Backend, Span
from wwho.evaluate.arrays import Bools, Ints, flat
from wwho.evaluate.extents import Extents
from wwho.evaluate.text import Block

JOINERS = "\u200c\u200d"
_SPACE = 0x20


@dataclass(frozen=True)
class Units:
    """The pieces and units of a block, in order and without gaps (see `Span`).

    Attributes:
        data: the bytes of the block.
        starts: the first byte of each.
        ends: the byte behind each.
        routes: the number of its route.
        rules: SYLLABLE, ORPHAN, PASSTHROUGH or PIECE.
        firsts: 1 where a segment begins.
    """

    data: bytes
    starts: Ints
    ends: Ints
    routes: Ints
    rules: Ints
    firsts: Ints

    @cached_property
    def byte_routes(self) -> Ints:
        """The route of each byte."""
        return np.repeat(self.routes, self.ends - self.starts)

    def syllables(self) -> Extents:
        """The syllables, without the space before one, which is no part of it."""
        chosen = self.rules == SYLLABLE
        starts, ends = self.starts[chosen], self.ends[chosen]
        text = np.frombuffer(self.data, np.uint8)
        return Extents(starts + (text[starts] == _SPACE), ends)


class Grammar:
    """The routes and syllables of a model.

    Attributes:
        names: the names of its routes.
        is_script: which of them cut text into syllables.
    """

    def __init__(self, backend: Backend) -> None:
        """Take over the scanners of an open model."""
        self._backend = backend
        self.names = tuple(route.name for route in backend.info.routes)
        self.is_script: Bools = np.array([route.sgpe for route in backend.info.routes])

    def units(self, block: Block) -> Units:
        """The units of each line of a block."""
        sizes: list[int] = []
        starts, ends, routes, rules, firsts = flat(self._spans(block, sizes)).reshape(-1, 5).T
        shift = np.repeat(block.line_bytes[:-1], sizes)
        return Units(b"".join(block.encoded), starts + shift, ends + shift, routes, rules, firsts)

    def _spans(self, block: Block, sizes: list[int]) -> Iterator[Span]:
        """The spans of each line, whose numbers are appended to `sizes`.

        One line's at a time: millions of tuples would keep the garbage collector busy.
        """
        for line in block.encoded:
            spans = self._backend.spans(line)
            sizes.append(len(spans))
            yield from spans

    def is_whole(self, token: bytes) -> bool:
        """Whether a token, standing alone, is text that could be written so.

        It is not where it holds part of a character, a dependent sign without its letter, or a
        joiner without a letter before it.

        Example:
            >>> from wwho.backend.select import open_backend
            >>> from wwho.encodings import model_bytes
            >>> grammar = Grammar(open_backend(model_bytes("wwho_328k")))
            >>> [grammar.is_whole(text.encode()) for text in (" ක්‍ෂි", "ක්", "ිය", "\\u200dය", "x")]
            [True, True, False, False, True]
            >>> grammar.is_whole("ක".encode()[:2])
            False
        """
        try:
            token.decode()
        except UnicodeDecodeError:
            return False
        for span in self._backend.spans(token):
            if self.is_script[span.route]:
                if span.rule == ORPHAN:
                    return False
            elif any(joiner in token[span.start : span.end].decode() for joiner in JOINERS):
                return False
        return True
