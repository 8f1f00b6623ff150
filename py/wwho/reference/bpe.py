"""Byte-pair encoding in plain Python (FORMAT.md, Encoding 4, 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from wwho.format.bpe import BPE
from wwho.format.layout import SYLLABLE
from wwho.format.model import Model, Unknown
from wwho.format.steps import Blocks
from wwho.reference.blocks import write_blocks
from wwho.reference.engine import Engine, PieceEngine, Token, Unit, with_places
from wwho.reference.merge import merge_some
from wwho.reference.piece import read_piece
from wwho.reference.sampling import Draws, TextDraws

PHRASE_TOKENS = 64
"""How many tokens of neighbouring segments are joined to superwords at once, at most."""


class Bytes(PieceEngine[BPE]):
    """A model whose symbols are bytes (Encoding 4)."""

    def __init__(self, model: BPE, ids: Sequence[int | None], blocks: Blocks | None = None) -> None:
        """Run a model.

        Args:
            model: the model.
            ids: the ids of its tokens.
            blocks: the step of the model's routes that writes pretokens as symbols of blocks, if
                there is one; as a speller, the model writes its texts so itself.
        """
        super().__init__(model, ids, None)
        self._blocks = blocks
        self._symbols = {symbol[0]: number for number, symbol in enumerate(model.symbols)}
        self._merges = {pair: token for token, pair in enumerate(model.merges, 256)}
        self._n_wholes = len(model.texts if model.whole else model.ranks)

    def piece(self, piece: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of a pretoken; no text is unknown, so `unk` changes nothing.

        A pretoken that is itself the text of one of the first `_n_wholes` tokens is that token,
        without merging, unless merges are skipped.
        """
        whole = self._n_wholes if drops(draws) else self.numbers.get(piece, self._n_wholes)
        if whole < self._n_wholes:
            yield self.token(whole)
        else:
            symbols = [self._symbols[byte] for byte in piece]
            for token, _ in merge_some(symbols, self._merges, self.model.ranks, draws):
                yield self.token(token)

    def spell(self, text: bytes, unk: bool, draws: Draws | None = None) -> Iterator[Token]:
        """Yield the tokens of text that another model does not know.

        Without BLOCKS, these are the tokens of `piece`. With BLOCKS, the text is first written as
        symbols, and each token has the place of the characters whose symbols it is made of; for
        characters at the end that have no symbols, one more token follows, a gap.

        Args:
            text: the text, not written as symbols yet.
            unk: is passed to `piece`, where it changes nothing.
            draws: what is drawn for the pretoken; None: nothing.
        """
        if self._blocks is None:
            yield from self.piece(text, unk, draws)
            return
        symbols = write_blocks(self._blocks, read_piece(text))
        stop = 0
        for token, start, end in with_places(self.piece(symbols.data, unk, draws)):
            begin, end = symbols.place(start, end)
            yield Token(token, end - stop, back=stop - begin)
            stop = end
        if stop < len(text):
            yield Token(0, len(text) - stop, gap=True)


class Symbol(NamedTuple):
    """A unit that the model knows, before merges.

    Attributes:
        number: the number of its symbol.
        size: how many bytes the unit has.
    """

    number: int
    size: int


class Units(Engine[BPE]):
    """A model whose symbols are units (Encoding 5 and 6)."""

    def __init__(
        self,
        model: BPE,
        ids: Sequence[int | None],
        speller: PieceEngine[Model] | None,
        *,
        characters: bool = False,
    ) -> None:
        """Run a model.

        Args:
            model: the model.
            ids: the ids of its tokens.
            speller: the model that encodes units which this one does not know, if there is one.
            characters: whether the units of the route are single characters, all of one rule.
        """
        super().__init__(model, ids, speller)
        n_symbols, first_superword = len(model.symbols), model.first_superword
        merges = {pair: token for token, pair in enumerate(model.merges, n_symbols)}
        self._symbols = {text: token for token, text in enumerate(model.symbols)}
        self._longest = max(map(len, model.symbols), default=0)
        self._merges = {pair: k for pair, k in merges.items() if k < first_superword}
        self._superwords = {pair: k for pair, k in merges.items() if k >= first_superword}
        self._prefix, self._suffix = model.prefix.encode("utf-8"), model.suffix.encode("utf-8")
        plain = enumerate(() if model.affixes else model.texts[:first_superword])
        self._merged_texts = {text: k for k, text in plain if k >= n_symbols}
        wholes = (model.texts if model.affixes else model.unmade) if model.whole else ()
        self._wholes = frozenset(wholes)
        # The symbol that unknown characters become, which then merges as any other.
        self._unk_symbol: int | None = None
        if characters and model.unknown is Unknown.ID and model.unk_id in ids[:n_symbols]:
            self._unk_symbol = ids.index(model.unk_id)

    @property
    def joins_words(self) -> bool:
        """Whether the model has superwords, so that neighbouring segments are encoded together."""
        return bool(self._superwords)

    def pretoken(
        self, units: Sequence[Unit], unk: bool, draws: Draws | None = None
    ) -> Iterator[Token]:
        """Yield the tokens of a pretoken that was cut into units; none joins words.

        A pretoken that is a token as a whole is that token, unless merges are skipped. Otherwise
        each of its words is encoded alone, and then, if the model has FUSE, neighbouring unknowns
        become one.

        Args:
            units: the units.
            unk: whether the caller asks for unk_id for each unknown unit.
            draws: what is drawn for the pretoken; None: nothing.
        """
        whole = b"".join(text for text, _ in units)
        if whole in self._wholes and not drops(draws):
            yield Token(self.id_of(self.numbers[whole]), len(whole))
            return
        words = [*words_of(units)]
        ends = len(words) - 1
        tokens = (
            self._word(self._with_affixes(word, begins=k == 0, ends=k == ends), word, unk, draws)
            for k, word in enumerate(words)
        )
        yield from self.fuse_unknown(chain.from_iterable(tokens))

    def phrases(
        self, segments: Sequence[Sequence[Unit]], unk: bool, text_draws: TextDraws | None = None
    ) -> Iterator[Token]:
        """Yield the tokens of neighbouring segments of a route without steps (Encoding 6).

        Segments of known units go on with the phrase before them if they begin with a space, up to
        PHRASE_TOKENS tokens, and the tokens of a phrase are joined to superwords. A segment with an
        unknown unit, or of more tokens than that, stands alone and is not joined.

        Args:
            segments: the segments, each as its units; none is empty.
            unk: whether the caller asks for unk_id for each unknown unit.
            text_draws: what is drawn for the text, of which each segment is a pretoken; None:
                nothing.
        """
        phrase: list[int] = []
        phrase_draws: Draws | None = None
        for units in segments:
            draws = None if text_draws is None else text_draws.next_pretoken()
            words = list(words_of(units))
            tokens = self._known_tokens(words, draws)
            joins = phrase and units[0][0][:1] == b" "
            if tokens is None or not joins or len(phrase) + len(tokens) > PHRASE_TOKENS:
                yield from self._join_superwords(phrase, phrase_draws)
                phrase = []
                phrase_draws = None if draws is None else draws.of_phrase()
            if tokens is None:
                yield from self.pretoken(units, unk, None if draws is None else draws.again())
            elif len(tokens) > PHRASE_TOKENS:
                yield from map(self.token, tokens)
            else:
                phrase += tokens
        yield from self._join_superwords(phrase, phrase_draws)

    def _join_superwords(self, phrase: list[int], draws: Draws | None) -> Iterator[Token]:
        """Yield the tokens of a phrase, joined to superwords."""
        for token, _ in merge_some(phrase, self._superwords, None, draws):
            yield self.token(token)

    def _known_tokens(
        self, words: Sequence[Sequence[bytes]], draws: Draws | None
    ) -> list[int] | None:
        """Return the numbers of the tokens of words, one word after another.

        A word of several units whose text is in `_merged_texts` is that one token, without a look
        at its units, unless merges are skipped; any other word is merged from its symbols. None if
        a unit of such another word is no symbol.
        """
        tokens: list[int] = []
        for units in words:
            whole = self._merged_token(units, draws)
            if whole is not None:
                tokens.append(whole)
            elif all(unit in self._symbols for unit in units):
                symbols = [self._symbols[unit] for unit in units]
                merged = merge_some(symbols, self._merges, self.model.ranks, draws)
                tokens += [token for token, _ in merged]
            else:
                return None
        return tokens

    def _merged_token(self, word: Sequence[bytes], draws: Draws | None) -> int | None:
        """Return the merged token with the text of a word of several units, or None.

        There is none if merges are skipped.
        """
        if len(word) < 2 or drops(draws):
            return None
        return self._merged_texts.get(b"".join(word))

    def _with_affixes(self, word: Sequence[bytes], *, begins: bool, ends: bool) -> list[bytes]:
        """Return the units of a word as the symbols are written: with prefix and suffix.

        Args:
            word: the units.
            begins: whether the pretoken begins with the word.
            ends: whether the pretoken ends with it.
        """
        written = [*word]
        for place in range(1 if begins else 0, len(word)):
            written[place] = self._prefix + written[place]
        if ends:
            written[-1] += self._suffix
        return written

    def _word(
        self, written: Sequence[bytes], word: Sequence[bytes], unk: bool, draws: Draws | None
    ) -> Iterator[Token]:
        """Yield the tokens of a word: its symbols, merged in runs between unknown units.

        A word of several units whose text is a merged token is that token. An unknown unit becomes
        the model's unknown symbol if it has one, and then merges; is left out if the model says so,
        and its neighbours meet; or ends a run. Of a space and a known unit after it, the space
        alone becomes `space_id`.

        Args:
            written: its units as symbols are written.
            word: its units as they stand in the text.
            unk: whether the caller asks for unk_id.
            draws: what is drawn for the pretoken; None: nothing.
        """
        if (whole := self._merged_token(word, draws)) is not None:
            yield self.token(whole)
            return
        run: list[Symbol] = []
        unknown_before = False
        for symbol_text, unit in zip(written, word, strict=True):
            number = self._symbols.get(symbol_text, self._unk_symbol)
            if number is not None:
                is_unknown = symbol_text not in self._symbols
                if is_unknown and unknown_before and self.model.fuse:
                    run[-1] = Symbol(number, run[-1].size + len(unit))
                else:
                    run.append(Symbol(number, len(unit)))
                unknown_before = is_unknown
                continue
            if self.model.unknown is Unknown.NONE:
                continue  # it is left out, and its neighbours meet
            yield from self._merge_run(run, draws)
            run = []
            space = self.model.space_id if self.model.unknown is Unknown.SPELL else None
            if space is not None and unit[:1] == b" " and unit[1:] in self._symbols:
                yield Token(space, 1)
                run.append(Symbol(self._symbols[unit[1:]], len(unit) - 1))
            else:
                yield from self.unknown_tokens(symbol_text, unk, draws, len(unit))
        yield from self._merge_run(run, draws)

    def _merge_run(self, run: Sequence[Symbol], draws: Draws | None) -> Iterator[Token]:
        """Yield the tokens that symbols with nothing else between them merge to."""
        numbers = [symbol.number for symbol in run]
        merged = merge_some(numbers, self._merges, self.model.ranks, draws)
        for (number, start), (_, end) in pairwise([*merged, (0, len(run))]):
            yield Token(self.id_of(number), sum(symbol.size for symbol in run[start:end]))

    def unknown_tokens(
        self, text: bytes, unk: bool, draws: Draws | None = None, size: int | None = None
    ) -> Iterator[Token]:
        """Yield the tokens of a unit that is no symbol.

        With PARTS, unless the caller gets unk_id, these are first the longest symbols that the unit
        begins with, one after another, a space before none being `space_id`; what is left is
        unknown text.

        Args:
            text: the unit as its symbol would be written.
            unk: whether the caller asks for unk_id.
            draws: what is drawn for the pretoken; None: nothing.
            size: how many bytes the unit has without affixes, which become the size of its unknown
                token; None for all of `text`.
        """
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
            for token in super().unknown_tokens(text, unk, draws):
                yield token if not token.unknown or size is None else token._replace(size=size)


def drops(draws: Draws | None) -> bool:
    """Return whether draws skip merges."""
    return draws is not None and draws.drops


def words_of(units: Sequence[Unit]) -> Iterator[list[bytes]]:
    """Yield the words of a pretoken as lists of units: neighbouring syllables are one word."""
    for syllables, group in groupby(units, key=lambda unit: unit[1] == SYLLABLE):
        texts = [text for text, _ in group]
        yield from [texts] if syllables else ([text] for text in texts)
