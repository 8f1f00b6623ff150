"""The methods of `Tokenizer` that cut a text to a number of tokens, and into chunks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, get_args

from wwho.backends.backend import Backend, Span
from wwho.errors import LimitError
from wwho.text import places_in_str
from wwho.tokenizer.grapheme_clusters import cluster_edges
from wwho.tokenizer.open_model import OpenModel
from wwho.tokenizer.special_tokens import Allowed

if TYPE_CHECKING:
    from wwho.tokenizer.boundaries import Boundary

Oversize = Literal["split", "keep", "error"]
"""What becomes of a syllable or grapheme cluster that has more tokens than a chunk may have."""
_NO_LIMIT = (1 << 31) - 1
"""More tokens than any text has."""


class Chunk(NamedTuple):
    """A part of a text that keeps a limit of tokens.

    Attributes:
        text: the part.
        start: the code point in the text at which it begins.
        end: the code point after its last.
        tokens: how many tokens it has, those of the template among them where they count.
    """

    text: str
    start: int
    end: int
    tokens: int


class ChunkMethods(OpenModel):
    """The methods of a tokenizer that cut a text to a number of tokens.

    They cut between two tokens only, never within a syllable or a grapheme cluster.
    """

    __slots__ = ()

    def truncate(
        self,
        text: str,
        limit: int,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
    ) -> str:
        """Return the longest beginning of a text that has at most `limit` tokens of its own.

        It ends between two tokens of the whole text, and within no syllable and no grapheme
        cluster. It is "" if even the first of these has more tokens than the limit.

        Args:
            text: the text.
            limit: tokens, 0 or more; with those of the template, at least as many as they are.
            add_special_tokens: whether the tokens of the model's template count towards the limit.
            allowed_special: special tokens that the text may spell, or "all".
            disallowed_special: those that are an error in the text, or "all"; see `encode`.

        Raises:
            TypeError: the text is no `str`, or the limit no whole number.
            ValueError: the limit is negative, or less than the tokens of the template.
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("wwho_328k").truncate("ගමේ school අද", 2)
            'ගමේ school'
        """
        n_special = self._template.n_special(False, add_special_tokens)
        most = _token_count(limit, "limit", n_special) - n_special
        cuts = self._encode_and_find_cuts(text, allowed_special, disallowed_special)
        if cuts.count_within(0, len(cuts.text), most) is not None:
            return text
        for k in range(_last_up_to(cuts.tokens_before, most), 0, -1):
            place = cuts.places[k]
            # A beginning may have more tokens alone than within the whole text, such as one that
            # ends in the first half of a contraction: so it is counted anew.
            if cuts.is_cluster_edge(place) and cuts.count_within(0, place, most) is not None:
                return cuts.given[: cuts.place_in_given(place)]
        return ""

    def chunk(
        self,
        text: str,
        limit: int,
        *,
        overlap: int = 0,
        prefer: Boundary = "paragraph",
        oversize: Oversize = "split",
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
    ) -> list[Chunk]:
        """Cut a text into chunks of at most `limit` tokens, for retrieval, say.

        Each chunk begins where the one before it ends or, with an overlap, earlier. Chunks begin
        and end between two tokens of the text, within no syllable and no grapheme cluster unless
        it alone has more tokens than the limit, as hostile text may have. Nothing is left out, and
        the empty text has no chunks.

        Args:
            text: the text.
            limit: the most tokens that a chunk may have when it is encoded alone.
            overlap: the most tokens that two neighbours may share; less than the limit. Half as
                many are enough if the later chunk then begins after a boundary.
            prefer: the best boundary to end chunks at. A chunk ends at the last such boundary that
                leaves at least half of the limit used; where there is none, at one of the next
                kind of "paragraph" (a blank line follows), "sentence", "line", "word" and "token".
            oversize: for a syllable or grapheme cluster with more tokens than the limit: "split"
                cuts it between code points into chunks that keep the limit, and only a single code
                point may then be above it; "keep" makes it one chunk, above the limit; "error"
                raises. No chunk shares tokens with such a one.
            add_special_tokens: whether the tokens of the model's template count in each chunk. The
                limit must then be greater than their number. A chunk's text contains none of them.
            allowed_special: special tokens that the text may spell, or "all".
            disallowed_special: those that are an error in the text, or "all"; see `encode`.

        Raises:
            TypeError: the text is no `str`, or the limit or overlap no whole number.
            ValueError: `limit`, `overlap`, `prefer` or `oversize` is none of the above.
            LimitError: with `oversize="error"`, one syllable or grapheme cluster alone has more
                tokens than the limit (also a ValueError).
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> [chunk.text for chunk in enc.chunk("One. Two three. Four", 5)]
            ['One. Two three.', ' Four']
        """
        from wwho.tokenizer.boundaries import BOUNDARIES, boundaries_by_kind

        n_special = self._template.n_special(False, add_special_tokens)
        most = _token_count(limit, "limit", n_special + 1) - n_special
        limit_note = " without the template's tokens" if n_special else ""
        shared = _token_count(overlap, "overlap", 0)
        if shared >= most:
            raise ValueError(
                f"overlap is {shared}; give less than the limit, which is {most}{limit_note}"
            )
        if prefer not in BOUNDARIES:
            raise ValueError(f"prefer is {prefer!r}; it is one of {', '.join(BOUNDARIES)}")
        if oversize not in get_args(Oversize):
            known = ", ".join(get_args(Oversize))
            raise ValueError(f"oversize is {oversize!r}; it is one of {known}")
        cuts = self._encode_and_find_cuts(text, allowed_special, disallowed_special)
        boundaries = boundaries_by_kind(cuts.text, cuts.places, prefer)
        chunks = _Chunker(cuts, most, shared, boundaries, oversize, limit_note).chunks()
        return [chunk._replace(tokens=chunk.tokens + n_special) for chunk in chunks]

    def _encode_and_find_cuts(
        self, text: str, allowed: Allowed, disallowed: Allowed | None
    ) -> _TextWithCuts:
        """Encode a text, and find the places between its tokens that are within no syllable.

        Grapheme clusters are not looked at yet, because most places are never asked about.

        Raises:
            TypeError: the text is no `str`.
            SpecialTokenError: the text spells a disallowed special token.
        """
        if not isinstance(text, str):
            raise TypeError(f"expected str, found {type(text).__name__}; decode bytes first")
        data, mask = self._bytes_and_mask(text, allowed, disallowed)
        spans: list[Span] = []
        if any(route.units is not None for route in self._backend.info.routes):
            ids, starts, ends, spans = self._backend.encode_with_spans(data, mask, False)
        else:
            ids, starts, ends = self._backend.encode_with_places(data, mask, False)
        offsets = self._backend.offsets(data, starts, ends, False)
        is_in_unit = self._is_in_unit(spans)
        given, text = text, data.decode("utf-8")
        # Place k is before token k, so what stands between two tokens, such as a combining mark
        # that was composed, goes with the token before it.
        token_begins = [*(first for first, _ in offsets[1:]), len(text)]
        tokens_before, places = [0], [0]
        for k, place in enumerate(token_begins[: len(ids)], 1):
            splits_character = place < offsets[k - 1][1]
            if not splits_character and not is_in_unit(starts[k] if k < len(ids) else len(data)):
                tokens_before.append(k)
                places.append(place)
        is_cluster_edge = cluster_edges(text)
        return _TextWithCuts(
            self._backend,
            text,
            given,
            places_in_str(given),
            mask,
            tokens_before,
            places,
            is_cluster_edge,
        )

    def _is_in_unit(self, spans: Iterable[Span]) -> Callable[[int], bool]:
        """Return a function that says whether a byte place is within a syllable, not at its edge.

        Call the function with ascending places only: it walks along the spans.
        """
        routes = self._backend.info.routes
        units = (span for span in spans if routes[span.route].units is not None)
        unit = next(units, None)

        def is_in_unit(place: int) -> bool:
            """Return whether a byte place is within a unit, walking on to that unit."""
            nonlocal unit
            while unit and unit.end <= place:
                unit = next(units, None)
            return unit is not None and unit.start < place

        return is_in_unit


@dataclass(frozen=True)
class _TextWithCuts:
    """A text with the places at which it may be cut, if they are also edges of clusters.

    Places have numbers, which are indexes into both lists. Place 0 is the start of the text.

    Attributes:
        backend: counts the tokens of parts.
        text: the text that is encoded: that which was given, but its lone surrogates are U+FFFD,
            and its pairs one character.
        given: the text that was given.
        given_places: what `places_in_str` returns for it.
        mask: the special tokens that are allowed, as backends take them.
        tokens_before: how many of the text's tokens lie before each place; ascending.
        places: the places in code points; ascending, the first 0.
        is_cluster_edge: says whether a place (code points) is between two grapheme clusters.
    """

    backend: Backend
    text: str
    given: str
    given_places: list[int] | None
    mask: bytes | None
    tokens_before: list[int]
    places: list[int]
    is_cluster_edge: Callable[[int], bool]

    def place_in_given(self, place: int) -> int:
        """Return the place in the text that was given, in code points, of one in `text`."""
        return place if self.given_places is None else self.given_places[place]

    def count_within(self, start: int, end: int, limit: int) -> int | None:
        """Return how many tokens `text[start:end]` has alone; None if more than the limit."""
        part = self.text[start:end].encode("utf-8")
        n_tokens = self.backend.count(part, self.mask, False, limit)
        return n_tokens if n_tokens <= limit else None


@dataclass(frozen=True)
class _Chunker:
    """Cuts one text into chunks. All its methods give places by their numbers.

    Attributes:
        cuts: the text and its places.
        limit: the most tokens that a chunk may have, without those of the template.
        overlap: the most tokens that two neighbours may share.
        boundaries: what `boundaries_by_kind` returns for the places.
        oversize: what becomes of what has more tokens than the limit and is not to be cut.
        limit_note: what an error says after the limit.
    """

    cuts: _TextWithCuts
    limit: int
    overlap: int
    boundaries: list[list[int]]
    oversize: Oversize
    limit_note: str

    def chunks(self) -> list[Chunk]:
        """Return the chunks of the text, in order.

        Raises:
            LimitError: one syllable or grapheme cluster alone has more tokens than the limit, and
                that is to be an error.
        """
        cuts, chunks = self.cuts, list[Chunk]()
        places, last = cuts.places, len(cuts.places) - 1
        # The chunks so far end at `end`, and the next one begins at `start`, not after it.
        start = end = 0
        while end < last:
            best = self._best_chunk(start, end)
            if best:
                end, chunk = best
                chunks.append(chunk)
                start = self._start_after(end)
            elif start < end:
                start = self._start_with_less_overlap(start, end)
            else:
                end += 1
                while not cuts.is_cluster_edge(places[end]):
                    end += 1
                chunks += self._oversized_chunks(places[start], places[end])
                start = end
            while start < end and not cuts.is_cluster_edge(places[start]):
                start += 1
        return chunks

    def _best_chunk(self, start: int, covered: int) -> tuple[int, Chunk] | None:
        """Return the best chunk that begins at place `start` and ends after place `covered`.

        The best is all of the rest; then one that ends at the best kind of boundary, and uses at
        least half of the limit; then the longest.

        Returns:
            The number of the place where it ends, and the chunk; None if there is no such chunk,
            because even the shortest has more tokens than the limit.
        """
        tokens_before, last = self.cuts.tokens_before, len(self.cuts.places) - 1
        most = _last_up_to(tokens_before, tokens_before[start] + self.limit)
        if most == last and (chunk := self._chunk_between(start, last)):
            return last, chunk
        # A worse boundary is better than one that leaves half of the limit unused.
        half = bisect_left(tokens_before, tokens_before[start] + self.limit / 2)
        least = max(covered + 1, half)
        for numbers in self.boundaries:
            for k in range(_last_up_to(numbers, most), -1, -1):
                if numbers[k] < least:
                    break
                if chunk := self._chunk_between(start, numbers[k]):
                    return numbers[k], chunk
        for end in range(most, covered, -1):
            if chunk := self._chunk_between(start, end):
                return end, chunk
        return None

    def _chunk_between(self, start: int, end: int) -> Chunk | None:
        """Return the chunk between two places; None if it has too many tokens or cuts a cluster."""
        first, last = self.cuts.places[start], self.cuts.places[end]
        if not self.cuts.is_cluster_edge(last):
            return None
        return self._chunk_of(first, last, self.limit)

    def _chunk_of(self, first: int, last: int, limit: int) -> Chunk | None:
        """Return the chunk of some code points; None if it has more tokens than a limit.

        They are those from `first` up to, but without, `last`. The chunk's text is what was given,
        normalized or not, and its places count in that.
        """
        n_tokens = self.cuts.count_within(first, last, limit)
        if n_tokens is None:
            return None
        start, end = self.cuts.place_in_given(first), self.cuts.place_in_given(last)
        return Chunk(self.cuts.given[start:end], start, end, n_tokens)

    def _oversized_chunks(self, first: int, last: int) -> Iterator[Chunk]:
        """Yield the chunks of a syllable or cluster, in code points, that no chunk has room for.

        Raises:
            LimitError: this is to be an error.
        """
        if self.oversize == "error":
            self._raise_limit_error(first)
        while first < last:
            end = last if self.oversize == "keep" else self._longest_within(first, last)
            chunk = self._chunk_of(first, end, _NO_LIMIT)
            assert chunk is not None
            yield chunk
            first = end

    def _longest_within(self, first: int, last: int) -> int:
        """Return the last place (code points), at most `last`, that a chunk may reach by the limit.

        It is found by halving, so that each chunk takes time by its own length; at least one code
        point after `first` is taken, whatever it costs.
        """
        low, high = first + 1, min(last, first + 4 * self.limit)
        while low < high:
            middle = (low + high + 1) // 2
            if self.cuts.count_within(first, middle, self.limit) is None:
                high = middle - 1
            else:
                low = middle
        return low

    def _start_after(self, end: int) -> int:
        """Return the place where the chunk after one that ends at `end` should begin.

        It shares at most `overlap` tokens. It begins after the best kind of boundary at which it
        shares at least half as many, and as early as possible; without one, it shares them all.
        """
        tokens_before = self.cuts.tokens_before
        least = bisect_left(tokens_before, tokens_before[end] - self.overlap)
        most = _last_up_to(tokens_before, tokens_before[end] - self.overlap // 2)
        for numbers in self.boundaries:
            k = bisect_left(numbers, least)
            if k < len(numbers) and numbers[k] <= most and numbers[k] < end:
                return numbers[k]
        return least

    def _start_with_less_overlap(self, start: int, end: int) -> int:
        """Return a later start, at most `end`, that leaves room for something after `end`."""
        cuts = self.cuts
        following = next(
            k for k in range(end + 1, len(cuts.places)) if cuts.is_cluster_edge(cuts.places[k])
        )
        needed = cuts.tokens_before[following] - self.limit
        return max(start + 1, min(end, bisect_left(cuts.tokens_before, needed)))

    def _raise_limit_error(self, place: int) -> NoReturn:
        """Raise LimitError for the syllable or grapheme cluster that begins at a code point."""
        raise LimitError(
            f"the syllable or character at code point {place} "
            f"({self.cuts.text[place : place + 20]!r}) "
            f"has more tokens than the limit, {self.limit}{self.limit_note}, and oversize is "
            "'error'; give a higher limit, or oversize='split' or 'keep'"
        )


def _last_up_to(values: list[int], most: int) -> int:
    """Return the index of the last of ascending values that is at most `most`; -1 for none."""
    return bisect_right(values, most) - 1


def _token_count(value: int, option: str, least: int) -> int:
    """Return an option's value as an `int`, if it is a number of tokens of at least `least`.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is less than `least`; the message names the option.
    """
    n_tokens = index(value)
    if n_tokens < least:
        raise ValueError(f"{option} is {n_tokens}; give a number of tokens, {least} or more")
    return n_tokens
