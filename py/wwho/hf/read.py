"""Texts to ids, and where they stand, around the tokens that were added to a tokenizer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import index
from typing import NamedTuple, SupportsIndex, TypeAlias

from tokenizers import AddedToken

from wwho.backend.base import SYLLABLE
from wwho.tokenizer import Tokenizer, to_bytes

Input: TypeAlias = str | Sequence[str] | Sequence[int]
"""A text, its words, or ids."""

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SPACE = re.compile(r"\s*")


class Tokens(NamedTuple):
    """The tokens of an input, in lists of the same length.

    Attributes:
        ids: their ids.
        offsets: the code points each stands for, first and last-plus-one, in the text or the word.
        words: number of the word each begins in, as the input or else the model cuts them; None
            where the input is ids.
    """

    ids: list[int]
    offsets: list[tuple[int, int]]
    words: list[int | None]


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
        # The artifact's special tokens, where nothing else is added, are found by the core.
        self._is_plain = self._added.keys() <= enc.info.specials.keys() and not any(
            token.lstrip or token.rstrip or token.single_word for token in added.values()
        )

    def _alternative(self, text: str) -> str:
        word = self._added[text][1].single_word
        return rf"(?<!\w){re.escape(text)}(?!\w)" if word else re.escape(text)

    def ids(self, inputs: Sequence[Input], ordinary: bool) -> list[list[int]]:
        """The ids of each input; with `ordinary`, added tokens are ordinary text.

        Raises:
            TypeError: an input is none.
        """
        if {*map(type, inputs)} <= {str} and (ordinary or self._is_plain):
            allowed = () if ordinary else self._added.keys()
            return self._enc.encode_batch(inputs, allowed_special=allowed)  # type: ignore[arg-type]
        cut = [list(self._parts(given, ordinary)) for given in inputs]
        texts = [part.text for parts in cut for part in parts if part.token is None]
        rows = iter(self._enc.encode_ordinary_batch(texts))
        return [
            [
                token
                for part in parts
                for token in (next(rows) if part.token is None else [part.token])
            ]
            for parts in cut
        ]

    def tokens(self, given: Input, ordinary: bool) -> Tokens:
        """The tokens of an input, and where they stand; with `ordinary` as for `ids`."""
        found, n_words = Tokens([], [], []), 0
        for part in self._parts(given, ordinary):
            ids, offsets, words = self._placed(part)
            found.ids.extend(ids)
            found.offsets.extend((part.start + first, part.start + last) for first, last in offsets)
            if isinstance(given, str):
                found.words.extend(n_words + word for word in words)
                n_words += words[-1] + 1
            else:
                found.words.extend([part.word] * len(ids))
        return found

    def _placed(self, part: Part) -> tuple[list[int], list[tuple[int, int]], list[int]]:
        """Ids, offsets and words of a part, counted from its own start."""
        if part.token is not None:
            return [part.token], [(0, len(part.text))], [0]
        ids, offsets = self._enc.encode_with_offsets(part.text)
        firsts = self._word_starts(part.text)
        words = [bisect_right(firsts, first) - 1 for first, _ in offsets]
        at = character_bounds(part.text)
        return ids, [(at[first], at[last]) for first, last in offsets], words

    def _word_starts(self, text: str) -> list[int]:
        """The first character of each word: of a pretoken, or neighbouring syllables."""
        backend, data = self._enc._backend, to_bytes(text)
        spans = backend.spans(data)
        ends, before = [], None
        for span in spans:
            if not (before == span.rule == SYLLABLE and not span.first) and span.start:
                ends.append(span.start)
            before = span.rule
        return [0, *(last for _, last in backend.offsets(data, ends, False))]

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


def character_bounds(text: str) -> Sequence[int]:
    """Where each character begins, and where the last one ends: a pair of surrogates is one.

    Example:
        >>> list(character_bounds("a\\ud83d\\ude00b"))
        [0, 1, 3, 4]
    """
    pairs = {pair.start() + 1 for pair in _PAIR.finditer(text)}
    everywhere = range(len(text) + 1)
    return [at for at in everywhere if at not in pairs] if pairs else everywhere
