"""Texts to ids, and where they stand, as a model with added tokens reads them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from operator import index
from typing import SupportsIndex, TypeAlias

from tokenizers import AddedToken

from wwho.format.layout import SYLLABLE
from wwho.format.template import Spaced, What
from wwho.hf.added_tokens import with_added, with_pretokens
from wwho.text import all_bytes, to_bytes
from wwho.tokenizer import Tokenizer

Input: TypeAlias = str | Sequence[str] | Sequence[int]
"""A text, its words, or ids."""
Untrimmed: TypeAlias = tuple[list[int], list[Spaced]]
"""The ids of an input, and where they stand, white space included."""

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Reader:
    """Reads inputs as a model with added tokens does.

    Attributes:
        enc: the model with the tokens.
        special: the ids that decoding may leave out; as in fast tokenizers, none whose text the
            normalizer changes.
    """

    def __init__(self, base: Tokenizer, added: Mapping[int, AddedToken]) -> None:
        """Take a model and its added tokens, by id.

        Raises:
            ValueError: the model cannot take them.
        """
        self._given = base, dict(added)
        self.enc = with_added(base, added)
        specials = self.enc.info.specials
        self.special = {n for text, n in specials.items() if added[n].content == text}
        self._specials = frozenset(specials)
        self._trim = base._template.trim(What.FIRST, False)

    def __reduce__(self) -> tuple[type[Reader], tuple[Tokenizer, dict[int, AddedToken]]]:
        """Copies make the model with the tokens anew."""
        return Reader, self._given

    def ids(self, inputs: Sequence[Input], ordinary: bool) -> list[list[int]]:
        """The ids of each input; with `ordinary`, special tokens are ordinary text.

        Raises:
            TypeError: an input is none.
        """
        allowed = self._allowed(ordinary)
        if {*map(type, inputs)} <= {str}:
            return self.enc.encode_batch(inputs, allowed_special=allowed)  # type: ignore[arg-type]
        parts = [list(_parts(given)) for given in inputs]
        texts = [part for given in parts for part in given if isinstance(part, str)]
        rows = iter(self.enc.encode_batch(texts, allowed_special=allowed))
        return [
            [token for part in given for token in (next(rows) if isinstance(part, str) else [part])]
            for given in parts
        ]

    def places(self, inputs: Sequence[Input], ordinary: bool) -> list[Untrimmed]:
        """The ids of each input, and the code points each stands for, first and last-plus-one.

        Of words, these are counted from the word's start. `ordinary` as for `ids`.
        """
        parts = [list(_parts(given)) for given in inputs]
        placed = self._placed([part for given in parts for part in given], ordinary)
        return [joined(next(placed) for _ in given) for given in parts]

    def words(self, given: Input, ordinary: bool) -> list[int | None]:
        """For each token of an input the number of the word that it begins in.

        Words are the input's own, or else as the model cuts its text: pretokens, or neighbouring
        syllables; added tokens are words. Where several words come of one character, each but the
        last has one token. None where the input is ids.
        """
        if not isinstance(given, str):
            parts = list(_parts(given))
            sizes = [len(ids) for ids, _ in self._placed(parts, ordinary)]
            numbers = [k if isinstance(part, str) else None for k, part in enumerate(parts)]
            return [k for k, size in zip(numbers, sizes, strict=True) for _ in range(size)]
        data, mask = self.enc._bytes_and_mask(given, self._allowed(ordinary), ())
        _, begins, stops = self.enc._backend.encode_with_places(data, mask, False)
        _, _, _, spans = self._cutting._backend.encode_with_spans(data, mask, False)
        starts, ends, before = list[int](), list[int](), None
        for span in spans:
            if span.first or not before == span.rule == SYLLABLE:
                starts.append(span.start)
                ends.append(span.end)
            ends[-1], before = span.end, span.rule
        found = list[int | None]()
        word, n_added = -1, 0
        for begin, stop in zip(begins, stops, strict=True):
            word = min(max(word + 1, bisect_left(starts, begin)), bisect_right(starts, begin) - 1)
            if word < 0 or max(begin + 1, stop) > ends[word]:  # an added token, not in a pretoken
                n_added += 1
            found.append(word + n_added)
        return found

    @cached_property
    def _cutting(self) -> Tokenizer:
        """What tells pretokens."""
        return with_pretokens(self.enc)

    def _allowed(self, ordinary: bool) -> Collection[str]:
        """The special tokens that are found."""
        return () if ordinary else self._specials

    def _placed(self, parts: Sequence[str | int], ordinary: bool) -> Iterator[Untrimmed]:
        """The ids of each text or id, and where they stand in it."""
        texts = [part for part in parts if isinstance(part, str)]
        given, mask = self.enc._texts_and_mask(texts, self._allowed(ordinary), ())
        encoded = iter(
            self.enc._backend.encode_batch_with_offsets(all_bytes(given), mask, False, 8)
        )
        for part in parts:
            if not isinstance(part, str):
                yield [part], [Spaced(0, 0)]
                continue
            ids, places = next(encoded)
            spaced = list(starmap(Spaced, places))
            if self._trim:
                spaced = self.enc._offsets_with_spaces(to_bytes(part), ids, places, self._trim)
            if _PAIR.search(part):
                at = character_bounds(part)
                spaced = [
                    place._replace(start=at[place.start], end=at[place.end]) for place in spaced
                ]
            yield ids, spaced


def _parts(given: Input) -> Iterator[str | int]:
    """The texts and ids of an input, in order."""
    parts: Sequence[str | int] = [given] if isinstance(given, str) else given
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"expected texts, words or ids, found {type(given).__name__}")
    for part in parts:
        if not isinstance(part, (str, SupportsIndex)):
            raise TypeError(f"expected texts, words or ids, found {type(part).__name__}")
        yield part if isinstance(part, str) else index(part)


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
    return [at for at in range(len(text) + 1) if at not in pairs]
