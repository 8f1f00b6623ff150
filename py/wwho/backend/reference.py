"""The reference backend: FORMAT.md, section 10, in plain Python, made to be read."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import index

from wwho.artifact.model import Model, Route
from wwho.artifact.read import read_model
from wwho.backend.base import PIECE, SYLLABLE, Info, Span, unknown_id, unknown_text
from wwho.backend.characters import read_characters
from wwho.backend.merge import merge
from wwho.errors import UnknownTokenError
from wwho.grammar.run import pieces

Token = tuple[int, int]
"""An id and the number of bytes of text it stands for."""

PHRASE_TOKENS = 64
"""How many tokens of neighbouring words are joined to superwords at once, at most."""


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
        self._byte_ids = {byte: token for token, byte in enumerate(model.base_bytes)}
        self._base = {pair: token for token, pair in enumerate(model.base_pairs, 256)}
        self._atoms = {text: token for token, text in enumerate(model.atoms)}
        merges = {pair: token for token, pair in enumerate(model.merges, len(model.atoms))}
        self._merges = {p: token for p, token in merges.items() if token < model.first_superword}
        self._superwords = {p: k for p, k in merges.items() if k >= model.first_superword}
        self._texts = dict(enumerate(model.base_tokens))
        self._special_ids = {text.encode("utf-8"): k for text, k in model.specials.items()}
        self._texts |= {token: text for text, token in self._special_ids.items()}
        self._texts |= dict(enumerate(model.sgpe_tokens, model.first_atom))
        if model.space_id is not None:
            self._texts[model.space_id] = b" "
        self._base_ids = {text: token for token, text in enumerate(model.base_tokens)}
        self._sgpe_ids = {text: k for k, text in enumerate(model.sgpe_tokens, model.first_atom)}

    def encode(self, text: bytes, allowed: bytes | None, unk: bool) -> list[int]:
        """See `Backend`."""
        return [token for token, _ in self._tokens(text, allowed, unk)]

    def encode_packed(self, text: bytes, allowed: bytes | None, unk: bool) -> bytearray:
        """See `Backend`."""
        ids = self.encode(text, allowed, unk)
        return bytearray(struct.pack(f"={len(ids)}I", *ids))

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
        end, last = 0, None
        for start, route, units in self._words(text):
            word = self._word(units) if route.sgpe else None
            joins = start == end and route is last and units[0][:1] == b" "
            if word is None or not joins or len(phrase) + len(word) > PHRASE_TOKENS:
                yield from self._phrase(phrase)
                phrase = []
            if word is not None and len(word) <= PHRASE_TOKENS:
                phrase += word
            elif word is not None:
                yield from map(self._sgpe_token, word)
            elif route.sgpe:
                yield from self._broken_word(units, unk)
            else:
                yield from self._piece(units[0])
            end, last = start + sum(map(len, units)), route if word is not None else None
        yield from self._phrase(phrase)

    def _words(self, text: bytes) -> Iterator[tuple[int, Route, list[bytes]]]:
        """The words of a text, each with where it starts, its route and its units.

        A piece of the base is a word of one unit here.
        """
        units: list[bytes] = []
        begin, number = 0, 0
        goes_on = False
        for span in self.spans(text):
            if units and not (goes_on and span.rule == SYLLABLE and not span.first):
                yield begin, self.model.routes[number], units
                units = []
            if not units:
                begin, number = span.start, span.route
            units.append(text[span.start : span.end])
            goes_on = span.rule == SYLLABLE
        if units:
            yield begin, self.model.routes[number], units

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
        for token in merge([self._byte_ids[byte] for byte in piece], self._base):
            yield token, len(self._texts[token])

    # Section 10.4: model 1, SGPE

    def _word(self, units: list[bytes]) -> list[int] | None:
        """The tokens of a word, counted from first_atom; None where a unit is no atom."""
        whole = self._sgpe_ids.get(b"".join(units))
        if whole is not None and whole - self.model.first_atom < self.model.first_superword:
            return [whole - self.model.first_atom]
        if all(unit in self._atoms for unit in units):
            return merge([self._atoms[unit] for unit in units], self._merges)
        return None

    def _broken_word(self, units: list[bytes], unk: bool) -> Iterator[Token]:
        """The tokens of a word of which some units are no atoms."""
        run: list[int] = []
        for unit in units:
            if unit in self._atoms:
                run.append(self._atoms[unit])
                continue
            yield from self._run(run)
            run = []
            rest = unit[1:]
            space = self.model.space_id
            if space is not None and unit[:1] == b" " and rest in self._atoms:
                yield space, 1
                run = [self._atoms[rest]]
            elif unk and self.model.unk_id is not None:
                yield self.model.unk_id, len(unit)
            else:
                yield from self._piece(unit)
        yield from self._run(run)

    def _run(self, atoms: list[int]) -> Iterator[Token]:
        """The tokens of atoms with nothing else between them."""
        yield from map(self._sgpe_token, merge(atoms, self._merges))

    def _phrase(self, tokens: list[int]) -> Iterator[Token]:
        """The tokens of neighbouring words, joined to superwords."""
        yield from map(self._sgpe_token, merge(tokens, self._superwords))

    def _sgpe_token(self, local: int) -> Token:
        """The token with an id counted from first_atom."""
        token = self.model.first_atom + local
        return token, len(self._texts[token])

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
