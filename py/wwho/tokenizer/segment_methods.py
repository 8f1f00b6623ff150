"""The method of `Tokenizer` that shows how a model cuts a text before it looks up any token."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from wwho.backends.backend import Span
from wwho.text import Text, characters
from wwho.tokenizer.open_model import OpenModel


class Segment(NamedTuple):
    """A part of a text that one route tokenizes.

    Attributes:
        route: the route's name, such as "other" or "sinhala".
        text: the text, after the steps that rewrite the whole text.
        units: its syllables and lone characters; empty for routes of the base BPE.
    """

    route: str
    text: str
    units: tuple[str, ...]


class SegmentMethods(OpenModel):
    """The method of a tokenizer that cuts a text into segments."""

    __slots__ = ()

    def segment(self, text: Text) -> list[Segment]:
        """Cut a text into segments as the model does before it looks up any token.

        Special and other added tokens are ordinary text here.

        Returns:
            The segments in order. Joined, they are the text as the model normalizes it, except
            for what the model drops between them, with one U+FFFD for each byte that is not UTF-8.
            Segments of Abugida routes come with their syllables (and lone signs), those of the
            base BPE without. In Lao and Thai these are open clusters, whose final consonants stand
            alone (กา|ร). The empty text has none.

        Raises:
            TypeError: the text is neither `str` nor bytes.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").segment("hello world")
            [Segment(route='other', text='hello world', units=())]
        """
        data = self._normalized_bytes(text)
        spans = self._backend.spans(data)
        starts = [k for k, span in enumerate(spans) if span.first]
        return [
            self._segment_of(data, spans[begin:end])
            for begin, end in pairwise([*starts, len(spans)])
        ]

    def _segment_of(self, data: bytes, spans: Sequence[Span]) -> Segment:
        """Return the segment of `data` that consists of these spans, which are at least one."""
        route = self._backend.info.routes[spans[0].route]
        unit_spans = [] if route.units is None else spans
        units = tuple(characters(data[span.start : span.end]) for span in unit_spans)
        return Segment(route.name, characters(data[spans[0].start : spans[-1].end]), units)
