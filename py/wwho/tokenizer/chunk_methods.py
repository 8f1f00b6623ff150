"""Counting tokens, and cutting texts: as the model does, or to a number of tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, NamedTuple

from wwho.backends.backend import MOST, Backend, Span
from wwho.errors import LimitError
from wwho.text import Text, Unk, characters
from wwho.tokenizer.open_model import Opened
from wwho.tokenizer.special_tokens import Allowed

if TYPE_CHECKING:
    from wwho.format.automaton import CompiledScanners
    from wwho.tokenizer.boundaries import Kind


class Chunk(NamedTuple):
    """A part of a text.

    Attributes:
        text: the part.
        start: its first code point in the text.
        end: the code point after its last.
        tokens: how many tokens it has, those of the template among them where they count.
    """

    text: str
    start: int
    end: int
    tokens: int


class Segment(NamedTuple):
    """A part of a text that one route tokenizes.

    Attributes:
        route: the route's name, such as "other" or "sinhala".
        text: the text.
        units: its syllables and lone characters; empty for routes of the base BPE.
    """

    route: str
    text: str
    units: tuple[str, ...]


class Cutting(Opened):
    """The methods of a tokenizer that count tokens, and cut texts.

    What is cut to a number of tokens is cut between two of them, in no syllable and no character.
    """

    __slots__ = ()

    def count(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> int:
        """How many tokens `encode` gives, without making them; arguments as for `encode`.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").count("hello world")
            2
        """
        n = self._template.n_special(pair is not None, add_special_tokens)
        for each in (text,) if pair is None else (text, pair):
            data, mask = self._prepare(each, allowed_special, disallowed_special)
            n += self._backend.count(data, mask, self._is_token(unk), MOST)
        return n

    def count_till_limit(
        self,
        text: Text,
        limit: int,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> int | None:
        """How many tokens `encode` gives if there are at most `limit`; None if there are more.

        Counting stops soon after the limit; only a long run of one script, or one long word, is
        read to its end. Arguments but the limit are as for `encode`.

        Raises:
            TypeError: the limit is no whole number.
            ValueError: the limit is negative, or as for `encode`.
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> enc.count_till_limit("hello world", 10), enc.count_till_limit("hello world", 1)
            (2, None)
        """
        limit = index(limit)
        if limit < 0:
            raise ValueError(f"limit is {limit}; give the number of tokens there is room for")
        texts = (text,) if pair is None else (text, pair)
        given = [self._prepare(each, allowed_special, disallowed_special) for each in texts]
        unknown = self._is_token(unk)
        n = self._template.n_special(pair is not None, add_special_tokens)
        for data, mask in given:
            if n <= limit:
                n += self._backend.count(data, mask, unknown, limit - n)
        return n if n <= limit else None

    def segment(self, text: Text) -> list[Segment]:
        """Cut a text as the model does before it looks up any token.

        Returns:
            The segments, which joined give the text, with one U+FFFD for each byte of it that is
            not UTF-8. Segments of Abugida routes come with their syllables (and lone signs), those
            of the base BPE without. Special tokens are ordinary text.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").segment("hello world")
            [Segment(route='other', text='hello world', units=())]
        """
        data = self._form(text)
        spans = self._backend.spans(data)
        starts = [k for k, span in enumerate(spans) if span.first]
        return [
            self._segment(data, spans[begin:end]) for begin, end in pairwise([*starts, len(spans)])
        ]

    def _segment(self, data: bytes, spans: Sequence[Span]) -> Segment:
        """The segment of these spans."""
        route = self._backend.info.routes[spans[0].route]
        cut = [] if route.units is None else spans
        units = tuple(characters(data[span.start : span.end]) for span in cut)
        return Segment(route.name, characters(data[spans[0].start : spans[-1].end]), units)

    def truncate(
        self,
        text: str,
        limit: int,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
    ) -> str:
        """The longest beginning of a text that ends between two of its tokens and keeps a limit.

        No syllable and no character, as a reader sees them, is cut.

        Args:
            text: the text.
            limit: tokens, 0 or more; with those of the template, at least as many as they are.
            add_special_tokens: whether the tokens of the model's template count towards the limit.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.

        Raises:
            TypeError: the text is no `str`, or the limit no whole number.
            ValueError: the limit is negative, or less than the tokens of the template.
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("wwho_328k").truncate("ගමේ school අද", 2)
            'ගමේ school'
        """
        special = self._template.n_special(False, add_special_tokens)
        most = _tokens_in(limit, "limit", special) - special
        cut = self._cut(text, allowed_special, disallowed_special)
        if cut.within(0, len(cut.text), most) is not None:
            return text
        for k in range(_last_up_to(cut.tokens, most), 0, -1):
            # What is cut off is missing: a contraction, say, whose tokens alone are more.
            if cut.is_edge(cut.places[k]) and cut.within(0, cut.places[k], most) is not None:
                return cut.text[: cut.places[k]]
        return ""

    def chunk(
        self,
        text: str,
        limit: int,
        *,
        overlap: int = 0,
        prefer: Kind = "paragraph",
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
    ) -> list[Chunk]:
        """Cut a text into chunks, for retrieval, say.

        Each begins where the one before it ends or, with an overlap, earlier. They end between two
        tokens, in no syllable and in no character.

        Args:
            text: the text.
            limit: tokens that a chunk has at most.
            overlap: tokens that two neighbours share at most; less than the limit.
            prefer: what a chunk should end with: the last such end that leaves at least half of
                the limit used, else the next kind of "paragraph" (a blank line follows),
                "sentence", "line", "word" and "token".
            add_special_tokens: whether the tokens of the model's template count in each chunk; more
                than they are is then the least limit. A chunk's text has none of them.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.

        Raises:
            TypeError: the text is no `str`, or a number of tokens no whole number.
            ValueError: `limit`, `overlap` or `prefer` is none of the above.
            LimitError: one syllable or character alone has more tokens (also a ValueError).
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> [chunk.text for chunk in enc.chunk("One. Two three. Four", 5)]
            ['One. Two three.', ' Four']
        """
        from wwho.tokenizer.boundaries import KINDS, ends_in

        special = self._template.n_special(False, add_special_tokens)
        most = _tokens_in(limit, "limit", special + 1) - special
        aside = " without the template's tokens" if special else ""
        shared = _tokens_in(overlap, "overlap", 0)
        if shared >= most:
            raise ValueError(
                f"overlap is {shared}; give less than the limit, which is {most}{aside}"
            )
        if prefer not in KINDS:
            raise ValueError(f"prefer is {prefer!r}; it is one of {', '.join(KINDS)}")
        cut = self._cut(text, allowed_special, disallowed_special)
        ends = ends_in(cut.text, cut.places, prefer)
        chunks = _Chunker(cut, most, shared, ends, aside).chunks()
        return [each._replace(tokens=each.tokens + special) for each in chunks]

    def _cut(self, text: str, allowed: Allowed, disallowed: Allowed | None) -> _Cut:
        """A text and where it may be cut."""
        if not isinstance(text, str):
            raise TypeError(f"expected str, found {type(text).__name__}; decode bytes first")
        data, mask = self._prepare(text, allowed, disallowed)
        spans: list[Span] = []
        if any(route.units is not None for route in self._backend.info.routes):
            ids, starts, ends, spans = self._backend.encode_with_spans(data, mask, False)
        else:
            ids, starts, ends = self._backend.encode_with_places(data, mask, False)
        offsets = self._backend.offsets(data, starts, ends, False)
        in_unit = self._in_units(spans)
        text = data.decode("utf-8")
        # What is between two tokens, such as a mark that was composed, goes with the first.
        begins = [*(first for first, _ in offsets[1:]), len(text)]
        tokens, places = [0], [0]
        for k, begin in enumerate(begins[: len(ids)], 1):
            touched = begin < offsets[k - 1][1]
            if not touched and not in_unit(starts[k] if k < len(ids) else len(data)):
                tokens.append(k)
                places.append(begin)
        return _Cut(self._backend, text, mask, tokens, places, character_edges(text))

    def _in_units(self, spans: Iterable[Span]) -> Callable[[int], bool]:
        """Whether a byte is within a syllable; to be asked for in ascending order."""
        routes = self._backend.info.routes
        units = (span for span in spans if routes[span.route].units is not None)
        unit = next(units, None)

        def in_unit(place: int) -> bool:
            nonlocal unit
            while unit and unit.end <= place:
                unit = next(units, None)
            return unit is not None and unit.start < place

        return in_unit


@dataclass(frozen=True)
class _Cut:
    """A text, and the places between its tokens.

    Attributes:
        backend: what counts.
        text: the text that is encoded.
        mask: the special tokens that are allowed.
        tokens: how many of the text's tokens lie before each place; ascending.
        places: in code points; ascending, the first 0.
        is_edge: whether a place is between two characters as a reader sees them.
    """

    backend: Backend
    text: str
    mask: bytes | None
    tokens: list[int]
    places: list[int]
    is_edge: Callable[[int], bool]

    def within(self, start: int, end: int, limit: int) -> int | None:
        """How many tokens a part has of its own; None for more than the limit."""
        part = self.text[start:end].encode("utf-8")
        found = self.backend.count(part, self.mask, False, limit)
        return found if found <= limit else None


@dataclass(frozen=True)
class _Chunker:
    """Cuts a text into chunks. Places go by their numbers; errors put `aside` after the limit."""

    cut: _Cut
    limit: int
    overlap: int
    ends: list[list[int]]
    aside: str

    def chunks(self) -> list[Chunk]:
        """The chunks."""
        cut, found = self.cut, []
        tokens, places = cut.tokens, cut.places
        start = end = 0
        while end < len(places) - 1:
            best = self._best(start, end)
            if best:
                end, chunk = best
                found.append(chunk)
                start = self._start_before(end)
            elif start < end:
                # Less of an overlap: with it there is no room for anything new.
                after = next(k for k in range(end + 1, len(places)) if cut.is_edge(places[k]))
                least = bisect_left(tokens, tokens[after] - self.limit)
                start = max(start + 1, min(end, least))
            else:
                at = places[start]
                raise LimitError(
                    f"the syllable or character at code point {at} ({cut.text[at : at + 20]!r}) "
                    f"has more tokens than the limit, {self.limit}{self.aside}, and is never cut; "
                    "give a higher limit"
                )
            while start < end and not cut.is_edge(places[start]):
                start += 1
        return found

    def _best(self, start: int, after: int) -> tuple[int, Chunk] | None:
        """The best chunk from a place that ends beyond another, and where it ends."""
        tokens, last = self.cut.tokens, len(self.cut.places) - 1
        most = _last_up_to(tokens, tokens[start] + self.limit)
        if most == last and (found := self._chunk(start, last)):
            return found
        # A worse end is taken rather than one that leaves half of the limit unused.
        least = max(after + 1, bisect_left(tokens, tokens[start] + self.limit / 2))
        for kind in self.ends:
            for i in range(_last_up_to(kind, most), -1, -1):
                if kind[i] < least:
                    break
                if found := self._chunk(start, kind[i]):
                    return found
        candidates = (self._chunk(start, k) for k in range(most, after, -1))
        return next(filter(None, candidates), None)

    def _chunk(self, start: int, end: int) -> tuple[int, Chunk] | None:
        """The chunk between two places, if it may end there and keeps the limit."""
        first, last = self.cut.places[start], self.cut.places[end]
        if not self.cut.is_edge(last):
            return None
        n = self.cut.within(first, last, self.limit)
        return None if n is None else (end, Chunk(self.cut.text[first:last], first, last, n))

    def _start_before(self, end: int) -> int:
        """Where the chunk after one that ends at a place begins: best after another end."""
        tokens = self.cut.tokens
        least = bisect_left(tokens, tokens[end] - self.overlap)
        most = _last_up_to(tokens, tokens[end] - self.overlap // 2)
        for kind in self.ends:
            at = bisect_left(kind, least)
            if at < len(kind) and kind[at] <= most and kind[at] < end:
                return kind[at]
        return least


def character_edges(text: str) -> Callable[[int], bool]:
    """Whether a place is between two characters as a reader sees them: grapheme clusters.

    Example:
        >>> is_edge = character_edges("क्षa")
        >>> [place for place in range(5) if is_edge(place)]
        [0, 3, 4]
    """
    from wwho.reference.scan import pieces

    scanners, leaning = _clusters()
    start = end = 0
    edges: set[int] = set()

    def is_edge(place: int) -> bool:
        nonlocal start, end, edges
        if not start < place <= end:
            # From one character that needs nothing of what is before it to the next: a run of
            # hostile length is looked through once for all its places.
            start, end = place - 1, place
            while start > 0 and text[start] in leaning:
                start -= 1
            while end < len(text) and text[end] in leaning:
                end += 1
            found = pieces(scanners, scanners.automata[0], text[start : end + 1])
            edges = {start + last for _, last, _ in found}
            edges -= {end + 1} - {len(text)}
        return place in edges

    return lambda place: place == 0 or is_edge(place)


@cache
def _clusters() -> tuple[CompiledScanners, frozenset[str]]:
    """What finds clusters, and the characters whose place in one depends on more before them."""
    from wwho.compile.grapheme import grapheme_cluster
    from wwho.compile.scanners import Scanner, compile_scanners
    from wwho.compile.unicode import grapheme_break

    scanners = compile_scanners([Scanner("clusters", (grapheme_cluster(),), longest=True)])
    names = ("Extend", "SpacingMark", "ZWJ", "Regional_Indicator")
    return scanners, frozenset(chr(char) for name in names for char in grapheme_break(name))


def _last_up_to(values: list[int], most: int) -> int:
    """Number of the last of ascending values that is at most `most`; -1 for none."""
    return bisect_right(values, most) - 1


def _tokens_in(value: int, name: str, least: int) -> int:
    """A number of tokens.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is less than `least`.
    """
    found = index(value)
    if found < least:
        raise ValueError(f"{name} is {found}; give a number of tokens, {least} or more")
    return found
