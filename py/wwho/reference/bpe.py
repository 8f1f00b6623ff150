"""Byte-pair encoding in the reference backend (FORMAT.md, Encoding), made to be read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from wwho.format.bpe import BPE
from wwho.format.layout import SYLLABLE
from wwho.format.model import Model, Unknown
from wwho.format.steps import Pairs
from wwho.reference.engine import Engine, PieceEngine, Token, Unit
from wwho.reference.merge import merge
from wwho.reference.rewrite import spelled
from wwho.text import read_characters

PHRASE_TOKENS = 64
"""How many tokens of neighbouring segments are joined to superwords at once, at most."""


class Bytes(PieceEngine[BPE]):
    """A model whose symbols are bytes."""

    def __init__(
        self,
        model: BPE,
        ids: Sequence[int | None],
        speller: PieceEngine[Model] | None,
        pairs: Pairs | None = None,
    ) -> None:
        """See `Engine`; `pairs` is how it reads pretokens, if not as they are."""
        super().__init__(model, ids, speller)
        self._pairs = pairs
        self._symbols = {symbol[0]: number for number, symbol in enumerate(model.symbols)}
        self._merges = {pair: token for token, pair in enumerate(model.merges, 256)}
        self._n_pieces = len(model.texts if model.whole else model.ranks)

    def piece(self, piece: bytes, unk: bool) -> Iterator[Token]:
        """See `PieceEngine`."""
        if self._pairs is None:
            yield from self.merged(piece)
            return
        symbols, sources = spelled(self._pairs, piece)
        _, places = read_characters(piece)
        begin = stop = 0
        for token in self.merged(symbols):
            end = places[bisect_right(places, sources[begin + token.size - 1])]
            yield token._replace(size=end - stop, back=stop - sources[begin])
            begin, stop = begin + token.size, end
        if stop < len(piece):
            yield Token(0, len(piece) - stop, gap=True)

    def merged(self, piece: bytes) -> Iterator[Token]:
        """The tokens of bytes; of symbols, if they are what is merged."""
        if (whole := self.numbers.get(piece, self._n_pieces)) < self._n_pieces:
            yield self.token(whole)
        else:
            symbols = [self._symbols[byte] for byte in piece]
            yield from map(self.token, merge(symbols, self._merges, self.model.ranks))


class Units(Engine[BPE]):
    """A model whose symbols are units."""

    def __init__(
        self, model: BPE, ids: Sequence[int | None], speller: PieceEngine[Model] | None
    ) -> None:
        """See `Engine`."""
        super().__init__(model, ids, speller)
        n_symbols, first_superword = len(model.symbols), model.first_superword
        merges = {pair: token for token, pair in enumerate(model.merges, n_symbols)}
        self._symbols = {text: token for token, text in enumerate(model.symbols)}
        self._longest = max(map(len, model.symbols), default=0)
        self._merges = {pair: k for pair, k in merges.items() if k < first_superword}
        self._superwords = {pair: k for pair, k in merges.items() if k >= first_superword}
        plain = enumerate(model.texts[:first_superword])
        self._merged_texts = {text: k for k, text in plain if k >= n_symbols}

    def segments(self, segments: Sequence[Sequence[Unit]], unk: bool) -> Iterator[Token]:
        """The tokens of neighbouring segments of one route, given as units."""
        phrase: list[int] = []
        for units in segments:
            piece = b"".join(text for text, _ in units)
            if self.model.whole and piece in self.model.unmade:
                yield from map(self.token, phrase)  # there are no superwords beside such tokens
                yield self.token(self.numbers[piece])
                phrase = []
                continue
            words = list(words_of(units))
            tokens = self._merged(words)
            joins = phrase and units[0][0][:1] == b" "
            if tokens is None or not joins or len(phrase) + len(tokens) > PHRASE_TOKENS:
                yield from self._phrase(phrase)
                phrase = []
            if tokens is None:
                spelled = (self._word(word, unk) for word in words)
                yield from self.fused(chain.from_iterable(spelled))
            elif len(tokens) > PHRASE_TOKENS:
                yield from map(self.token, tokens)
            else:
                phrase += tokens
        yield from self._phrase(phrase)

    def _merged(self, words: Sequence[Sequence[bytes]]) -> list[int] | None:
        """The numbers of the tokens of words; None where a unit is no symbol."""
        tokens: list[int] = []
        for units in words:
            whole = self._merged_texts.get(b"".join(units)) if len(units) > 1 else None
            if whole is not None:
                tokens.append(whole)
            elif all(unit in self._symbols for unit in units):
                symbols = [self._symbols[unit] for unit in units]
                tokens += merge(symbols, self._merges, self.model.ranks)
            else:
                return None
        return tokens

    def _word(self, units: Sequence[bytes], unk: bool) -> Iterator[Token]:
        """The tokens of a word of which some units may be no symbols."""
        if (tokens := self._merged([units])) is not None:
            yield from map(self.token, tokens)
            return
        run: list[int] = []
        for unit in units:
            if unit in self._symbols:
                run.append(self._symbols[unit])
                continue
            yield from map(self.token, merge(run, self._merges, self.model.ranks))
            space = self.model.space_id if self.model.unknown is Unknown.SPELL else None
            if space is not None and unit[:1] == b" " and unit[1:] in self._symbols:
                yield Token(space, 1)
                run = [self._symbols[unit[1:]]]
            else:
                yield from self.unknown(unit, unk)
                run = []
        yield from map(self.token, merge(run, self._merges, self.model.ranks))

    def unknown(self, text: bytes, unk: bool) -> Iterator[Token]:
        """See `Engine`; first the longest symbols that the text begins with, where it is so."""
        while text and self.model.parts and not (unk and self.model.unk_id is not None):
            starts = (text[:size] for size in range(min(len(text), self._longest), 0, -1))
            part = next((start for start in starts if start in self._symbols), None)
            if part is not None:
                yield self.token(self._symbols[part])
            elif self.model.space_id is not None and text[:1] == b" ":
                part = b" "
                yield Token(self.model.space_id, 1)
            else:
                break
            text = text[len(part) :]
        if text:
            yield from super().unknown(text, unk)

    def _phrase(self, tokens: list[int]) -> Iterator[Token]:
        """The tokens of neighbouring segments, joined to superwords."""
        yield from map(self.token, merge(tokens, self._superwords))


def words_of(units: Sequence[Unit]) -> Iterator[list[bytes]]:
    """The units of a segment, word by word: neighbouring syllables are one, all others alone."""
    for syllables, group in groupby(units, key=lambda unit: unit[1] == SYLLABLE):
        texts = [text for text, _ in group]
        yield from [texts] if syllables else ([text] for text in texts)
