"""Texts to ids, and where they stand, around the tokens that were added to a tokenizer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from operator import index
from typing import NamedTuple, SupportsIndex, TypeAlias

from tokenizers import AddedToken

from wwho.core.base import SYLLABLE
from wwho.format.model import Added, Flag
from wwho.format.template import Spaced, What
from wwho.normalize import places_before
from wwho.text import all_bytes, to_bytes
from wwho.tokenizer import Tokenizer

Input: TypeAlias = str | Sequence[str] | Sequence[int]
"""A text, its words, or ids."""
Untrimmed: TypeAlias = tuple[list[int], list[Spaced]]
"""The ids of an input, and where they stand, white space included."""

FLAGS = {
    "special": Flag.SPECIAL,
    "lstrip": Flag.LSTRIP,
    "rstrip": Flag.RSTRIP,
    "single_word": Flag.SINGLE_WORD,
}
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SPACE = re.compile(r"\s*")


class Part(NamedTuple):
    """Part of an input: text between added tokens, or one token.

    Attributes:
        text: its text.
        start: its first code point, in the text or the word.
        token: its id, if it is one token.
        word: number of the word it is in, if the input is words.
    """

    text: str
    start: int = 0
    token: int | None = None
    word: int | None = None


class Reader:
    """Reads inputs as a model with added tokens does."""

    def __init__(self, enc: Tokenizer, added: Mapping[int, AddedToken]) -> None:
        """Prepare to find added tokens, given by id, in texts."""
        self._enc = enc
        self._added = {token.content: (number, token) for number, token in added.items()}
        longest_first = sorted(self._added, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(self._alternative, longest_first)) or "(?!)")
        # Where nothing is added to the artifact's own tokens, the core finds them.
        own = {token.text: (token.id, _flags(own_token(token))) for token in enc.info.added}
        self._is_plain = all(
            own.get(text) == (number, _flags(token))
            for text, (number, token) in self._added.items()
        )
        self._specials = frozenset(enc.info.specials)
        self._trim = enc._template.trim(What.FIRST, False)

    def _alternative(self, text: str) -> str:
        word = self._added[text][1].single_word
        return rf"(?<!\w){re.escape(text)}(?!\w)" if word else re.escape(text)

    def ids(self, inputs: Sequence[Input], ordinary: bool) -> list[list[int]]:
        """The ids of each input; with `ordinary`, added tokens are ordinary text.

        Raises:
            TypeError: an input is none.
        """
        allowed = self._allowed(ordinary)
        if {*map(type, inputs)} <= {str} and (ordinary or self._is_plain):
            return self._enc.encode_batch(inputs, allowed_special=allowed)  # type: ignore[arg-type]
        cut = [list(self._parts(given, ordinary or self._is_plain)) for given in inputs]
        texts = [part.text for parts in cut for part in parts if part.token is None]
        rows = iter(self._enc.encode_batch(texts, allowed_special=allowed))
        return [
            [
                token
                for part in parts
                for token in (next(rows) if part.token is None else [part.token])
            ]
            for parts in cut
        ]

    def places(self, inputs: Sequence[Input], ordinary: bool) -> list[Untrimmed]:
        """The ids of each input, and the code points each stands for, first and last-plus-one.

        Of words, these are counted from the word's start. `ordinary` as for `ids`.
        """
        cut = [list(self._parts(given, ordinary or self._is_plain)) for given in inputs]
        placed = self._placed([part for parts in cut for part in parts], self._allowed(ordinary))
        return [joined(next(placed) for _ in parts) for parts in cut]

    def words(self, given: Input, ordinary: bool) -> list[int | None]:
        """For each token of an input the number of the word that it begins in.

        Words are the input's own, or else as the model cuts its text: pretokens, or neighbouring
        syllables; added tokens are words. What cuts rewritten text, such as Metaspace, is not seen.
        None where the input is ids.
        """
        parts = list(self._parts(given, ordinary))
        placed = self._placed(parts, ())
        if not isinstance(given, str):
            return [part.word for part in parts for _ in next(placed)[0]]
        starts = [part.start + start for part in parts for start in self._word_starts(part)]
        _, places = joined(placed)
        found = [bisect_right(starts, first) - 1 for first, *_ in places]
        numbers = {start: number for number, start in enumerate(dict.fromkeys(found))}
        return [numbers[start] for start in found]  # what a pretokenizer drops is no word

    def _allowed(self, ordinary: bool) -> Collection[str]:
        """The special tokens that the core is to find; where others are added, they are cut out."""
        return self._specials if self._is_plain and not ordinary else ()

    def _placed(self, parts: Sequence[Part], allowed: Collection[str]) -> Iterator[Untrimmed]:
        """The ids of each part, and where they stand in the text or word."""
        texts = [part.text for part in parts if part.token is None]
        given, mask = self._enc._prepare_batch(texts, allowed, ())
        encoded = iter(
            self._enc._backend.encode_batch_with_offsets(all_bytes(given), mask, False, 8)
        )
        for part in parts:
            if part.token is not None:
                yield [part.token], [Spaced(part.start, part.start + len(part.text))]
                continue
            ids, places = next(encoded)
            spaced = list(starmap(Spaced, places))
            if self._trim:
                spaced = self._enc._spaced(to_bytes(part.text), ids, places, self._trim)
            if part.start or _PAIR.search(part.text):
                at = [part.start + bound for bound in character_bounds(part.text)]
                spaced = [
                    place._replace(start=at[place.start], end=at[place.end]) for place in spaced
                ]
            yield ids, spaced

    def _word_starts(self, part: Part) -> list[int]:
        """Where each word of a part begins, counted from the part's start."""
        if part.token is not None:
            return [0]
        backend, data = self._enc._backend, self._enc._form(part.text)
        ends, before = [], None
        for span in backend.spans(data):
            if span.start and (span.first or not before == span.rule == SYLLABLE):
                ends.append(span.start)
            before = span.rule
        places = backend.offsets(data, [0, *ends[:-1]], ends, False)
        if data != (given := to_bytes(part.text)):  # the model normalizes
            places = places_before(backend, given, places)
        at = character_bounds(part.text)
        return [0, *(at[last] for _, last in places)]

    def _parts(self, given: Input, ordinary: bool) -> Iterator[Part]:
        """The parts of an input, in order."""
        if isinstance(given, str):
            yield from self._cut(given, ordinary)
            return
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"expected texts, words or ids, found {type(given).__name__}")
        for number, word in enumerate(given):
            if isinstance(word, str):
                yield from (part._replace(word=number) for part in self._cut(word, ordinary))
            elif isinstance(word, SupportsIndex):
                yield Part("", token=index(word))
            else:
                raise TypeError(f"expected texts, words or ids, found {type(word).__name__}")

    def _cut(self, text: str, ordinary: bool) -> Iterator[Part]:
        """A text, cut at its added tokens, without the white space that these take with them."""
        at = 0
        for match in () if ordinary else self._pattern.finditer(text):
            start, end = match.span()
            if start < at:  # white space, which the token before took
                continue
            number, token = self._added[match[0]]
            between = text[at:start].rstrip() if token.lstrip else text[at:start]
            if between:
                yield Part(between, at)
            yield Part(match[0], start, number)
            space = _SPACE.match(text, end) if token.rstrip else None
            at = space.end() if space else end
        if at < len(text):
            yield Part(text[at:], at)


def own_token(token: Added) -> AddedToken:
    """An added token of an artifact, as transformers has it."""
    flags = {name: bool(token.flags & flag) for name, flag in FLAGS.items()}
    return AddedToken(token.text, normalized=False, **flags)


def _flags(token: AddedToken) -> list[bool]:
    return [getattr(token, name) for name in FLAGS if name != "special"]


def joined(placed: Iterable[Untrimmed]) -> Untrimmed:
    """Ids and places in a row."""
    ids, places = list[int](), list[Spaced]()
    for more_ids, more_places in placed:
        ids += more_ids
        places += more_places
    return ids, places


def character_bounds(text: str) -> Sequence[int]:
    """Where each character begins, and where the last one ends: a pair of surrogates is one.

    Example:
        >>> list(character_bounds("a\\ud83d\\ude00b"))
        [0, 1, 3, 4]
    """
    pairs = {pair.start() + 1 for pair in _PAIR.finditer(text)}
    everywhere = range(len(text) + 1)
    return [at for at in everywhere if at not in pairs] if pairs else everywhere
