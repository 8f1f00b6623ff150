"""The reference backend: FORMAT.md, section 10, in plain Python, made to be read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from operator import index

from wwho.core.base import PIECE, SYLLABLE, Info, Span, unknown_id, unknown_text
from wwho.core.characters import read_characters
from wwho.core.merge import merge
from wwho.errors import UnknownTokenError
from wwho.format.model import Model, Route
from wwho.format.read import read_model
from wwho.grammar.run import pieces

Token = tuple[int, int]
"""An id and the number of bytes of text it stands for."""

PHRASE_TOKENS = 64
"""How many tokens of neighbouring segments are joined to superwords at once, at most."""


class ReferenceBackend:
    """An artifact, run in plain Python. Immutable, so threads may share it."""

    kind = "reference"

    def __init__(self, blob: bytes) -> None:
        """Open an artifact.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
        """
        model = read_model(blob)
        self.model = model
        self.info = info_of(model)
        self._byte_ranks = {byte: rank for rank, byte in enumerate(model.base_bytes)}
        self._base = {pair: rank for rank, pair in enumerate(model.base_pairs, 256)}
        self._atoms = {text: token for token, text in enumerate(model.atoms)}
        merges = {pair: token for token, pair in enumerate(model.merges, len(model.atoms))}
        self._merges = {p: token for p, token in merges.items() if token < model.first_superword}
        self._superwords = {p: k for p, k in merges.items() if k >= model.first_superword}
        self._texts = dict(zip(model.base_ids, model.base_tokens, strict=True))
        self._special_ids = {text.encode("utf-8"): k for text, k in model.specials.items()}
        for text, token in self._special_ids.items():
            self._texts.setdefault(token, text)
        named = zip(model.sgpe_ids, model.sgpe_tokens, strict=True)
        self._sgpe_ids = {text: token for token, text in named if token is not None}
        self._texts |= {token: text for text, token in self._sgpe_ids.items()}
        if model.space_id is not None:
            self._texts[model.space_id] = b" "
        self._base_ids = dict(zip(model.base_tokens, model.base_ids, strict=True))
        plain = enumerate(model.sgpe_tokens[: model.first_superword])
        self._merged_tokens = {text: k for k, text in plain if k >= len(model.atoms)}

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """See `Backend`."""
        return [token for token, _ in self._tokens(text, allowed, unk)]

    def encode_piece(self, piece: bytes) -> list[int]:
        """See `Backend`."""
        return [token for token, _ in self._piece(piece)]

    def encode_with_ends(
        self, text: bytes, allowed: bytes | None, unk: bool
    ) -> tuple[list[int], list[int]]:
        """See `Backend`."""
        tokens = list(self._tokens(text, allowed, unk))
        return [token for token, _ in tokens], list(accumulate(size for _, size in tokens))

    def count(self, text: bytes, allowed: bytes | None, unk: bool, limit: int) -> int:
        """See `Backend`."""
        n = 0
        for n, _ in enumerate(self._tokens(text, allowed, unk), 1):
            if n > limit:
                break
        return n

    def safe_cut(self, text: bytes, allowed: bytes | None) -> int:
        """See `Backend`. No place is looked for: texts stay whole here."""
        return 0

    # Section 10.1: special tokens

    def _tokens(self, text: bytes, allowed: bytes | None, unk: bool) -> Iterator[Token]:
        """The tokens of a text."""
        at = 0
        for start, end in self._specials(text, allowed):
            yield from self._ordinary(text[at:start], unk)
            yield self._special_ids[text[start:end]], end - start
            at = end
        yield from self._ordinary(text[at:], unk)

    def _specials(self, text: bytes, allowed: bytes | None) -> Iterator[tuple[int, int]]:
        """Where allowed special tokens stand: leftmost, then longest."""
        flags = allowed or b""
        wanted = [name.encode("utf-8") for name, flag in zip(self.info.specials, flags) if flag]  # noqa: B905
        if wanted:
            wanted.sort(key=len, reverse=True)
            pattern = b"|".join(map(re.escape, wanted))
            yield from (match.span() for match in re.finditer(pattern, text))

    def _ordinary(self, text: bytes, unk: bool) -> Iterator[Token]:
        """The tokens of a text without special tokens."""
        phrase: list[int] = []
        last = None
        for spans in segments_of(self.spans(text)):
            route = self.model.routes[spans[0].route]
            units = [text[span.start : span.end] for span in spans]
            words = list(words_of(units, spans)) if route.sgpe else []
            tokens = self._merged(words) if route.sgpe else None
            joins = route is last and units[0][:1] == b" "
            if tokens is None or not joins or len(phrase) + len(tokens) > PHRASE_TOKENS:
                yield from self._phrase(phrase)
                phrase = []
            if not route.sgpe:
                for piece in units:
                    yield from self._piece(piece)
            elif tokens is None:
                for word in words:
                    yield from self._word(word, unk)
            elif len(tokens) > PHRASE_TOKENS:
                yield from map(self._sgpe_token, tokens)
            else:
                phrase += tokens
            last = route if phrase else None
        yield from self._phrase(phrase)

    # Section 10.2: segments, and their pieces or units

    def spans(self, text: bytes) -> list[Span]:
        """See `Backend`."""
        characters, starts = read_characters(text)
        return [
            Span(starts[start], starts[end], route, rule, first)
            for start, end, route, rule, first in self._spans(characters)
        ]

    def _spans(self, text: str) -> Iterator[tuple[int, int, int, int, bool]]:
        """As `spans`, counted in characters."""
        scanners = self.model.scanners
        for begin, end, number in self._segments(text):
            route = self.model.routes[number]
            scanner = scanners.automata[route.scanner]
            for start, stop, rule in pieces(scanners, scanner, text[begin:end]):
                yield begin + start, begin + stop, number, rule if route.sgpe else PIECE, start == 0

    def _segments(self, text: str) -> Iterator[tuple[int, int, int]]:
        """The segments of a text: start, end, route."""
        if self.model.router is None:
            if text:
                yield 0, len(text), 0
            return
        scanners = self.model.scanners
        yield from pieces(scanners, scanners.automata[self.model.router], text)

    # Section 10.3: model 0, the base BPE

    def _piece(self, piece: bytes) -> Iterator[Token]:
        """The tokens of a piece of the base."""
        if (whole := self._base_ids.get(piece)) is not None:
            yield whole, len(piece)
            return
        for rank in merge([self._byte_ranks[byte] for byte in piece], self._base):
            yield self.model.base_ids[rank], len(self.model.base_tokens[rank])

    # Section 10.4: model 1, SGPE

    def _merged(self, words: list[list[bytes]]) -> list[int] | None:
        """The tokens of words, counted from first_atom; None where a unit is no atom."""
        tokens: list[int] = []
        for units in words:
            whole = self._merged_tokens.get(b"".join(units)) if len(units) > 1 else None
            if whole is not None:
                tokens.append(whole)
            elif all(unit in self._atoms for unit in units):
                tokens += merge([self._atoms[unit] for unit in units], self._merges)
            else:
                return None
        return tokens

    def _word(self, units: list[bytes], unk: bool) -> Iterator[Token]:
        """The tokens of a word of which some units may be no atoms."""
        if (tokens := self._merged([units])) is not None:
            yield from map(self._sgpe_token, tokens)
            return
        run: list[int] = []
        for unit in units:
            if unit in self._atoms:
                run.append(self._atoms[unit])
                continue
            yield from self._run(run)
            run = []
            rest = unit[1:]
            stated = self.model.ids is not None
            space = None if stated else self.model.space_id
            if space is not None and unit[:1] == b" " and rest in self._atoms:
                yield space, 1
                run = [self._atoms[rest]]
            elif (unk or stated) and self.model.unk_id is not None:
                yield self.model.unk_id, len(unit)
            else:
                yield from self._piece(unit)
        yield from self._run(run)

    def _run(self, atoms: list[int]) -> Iterator[Token]:
        """The tokens of atoms with nothing else between them."""
        yield from map(self._sgpe_token, merge(atoms, self._merges))

    def _phrase(self, tokens: list[int]) -> Iterator[Token]:
        """The tokens of neighbouring segments, joined to superwords."""
        yield from map(self._sgpe_token, merge(tokens, self._superwords))

    def _sgpe_token(self, local: int) -> Token:
        """An atom or merged token, by its place among them; unk_id for one that has no id."""
        token = self.model.sgpe_ids[local]
        size = len(self.model.sgpe_tokens[local])
        if token is None:
            assert self.model.unk_id is not None
            return self.model.unk_id, size
        return token, size

    # Offsets and decoding

    def offsets(self, text: bytes, ends: Sequence[int], utf16: bool) -> list[tuple[int, int]]:
        """See `Backend`."""
        characters, starts = read_characters(text)
        sizes = [2 if utf16 and ord(c) > 0xFFFF else 1 for c in characters]
        units = list(accumulate(sizes, initial=0))
        return [
            (units[bisect_right(starts, start) - 1], units[bisect_right(starts, end - 1)])
            for start, end in pairwise([0, *ends])
        ]

    def decode(self, ids: Sequence[int]) -> bytes:
        """See `Backend`."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token: int) -> bytes:
        """See `Backend`."""
        if (text := self._texts.get(index(token))) is None:
            raise UnknownTokenError(unknown_id(token, self.info.n_vocab))
        return text

    def token_id(self, text: bytes) -> int:
        """See `Backend`."""
        for ids in (self._sgpe_ids, self._base_ids, self._special_ids):
            if (token := ids.get(text)) is not None:
                return token
        raise UnknownTokenError(unknown_text(text))


def segments_of(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Spans, segment by segment."""
    starts = [k for k, span in enumerate(spans) if span.first]
    for start, end in pairwise([*starts, len(spans)]):
        yield list(spans[start:end])


def words_of(units: Sequence[bytes], spans: Sequence[Span]) -> Iterator[list[bytes]]:
    """The units of a segment, word by word: neighbouring syllables are one, all others alone."""
    pairs = zip(units, (span.rule == SYLLABLE for span in spans), strict=True)
    for syllables, group in groupby(pairs, key=lambda pair: pair[1]):
        texts = [unit for unit, _ in group]
        yield from [texts] if syllables else ([unit] for unit in texts)


def info_of(model: Model) -> Info:
    """The numbers and names of a model."""
    routes: tuple[Route, ...] = model.routes
    return Info(
        n_vocab=model.n_vocab,
        n_base=model.n_base,
        n_base_tokens=model.n_base_tokens,
        first_atom=model.first_atom,
        n_atoms=len(model.atoms),
        n_merges=len(model.merges),
        n_superwords=model.n_superwords,
        space_id=model.space_id,
        unk_id=model.unk_id,
        specials=dict(model.specials),
        routes=routes,
        provenance=dict(model.provenance),
    )
