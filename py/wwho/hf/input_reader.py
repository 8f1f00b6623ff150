"""Reading inputs with a model that has added tokens: ids, offsets and words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from operator import index
from typing import SupportsIndex, TypeAlias

import tokenizers
from tokenizers import AddedToken

from wwho.format.layout import SYLLABLE
from wwho.format.template import Spaced, What
from wwho.hf.added_tokens import with_added_tokens, with_pretoken_spans
from wwho.sampling import Sampling
from wwho.text import all_bytes, places_in_str, to_bytes
from wwho.tokenizer import Tokenizer

Input: TypeAlias = str | Sequence[str] | Sequence[int]
"""A text, its words, or ids; a sequence may also mix words and ids."""
UntrimmedInput: TypeAlias = tuple[list[int], list[Spaced]]
"""The ids of an input, and the code points of each with the white space at their ends."""

THREADS = 8
"""How many threads share a batch at most."""


class InputReader:
    """Reads inputs as a model with added tokens does.

    Attributes:
        enc: the model with the tokens.
        special: the ids that decoding may leave out; as in fast tokenizers, not those of special
            tokens whose text the normalizer changes.
        backend: the model as a tokenizer of Hugging Face's `tokenizers`, once one has been made;
            it is not pickled.
    """

    backend: tokenizers.Tokenizer | None = None

    def __init__(self, base: Tokenizer, added: Mapping[int, AddedToken]) -> None:
        """Take a model and its added tokens by id, its own ones among them.

        Raises:
            ValueError: the model cannot have these tokens.
        """
        self._pickled = base, dict(added)
        self.enc = with_added_tokens(base, added)
        special_ids = self.enc.info.specials
        self.special = {
            token for text, token in special_ids.items() if added[token].content == text
        }
        self._special_texts = frozenset(special_ids)
        self._trim = base._template.trim(What.FIRST, False)

    def __reduce__(self) -> tuple[type[InputReader], tuple[Tokenizer, dict[int, AddedToken]]]:
        """Pickle the model and the tokens: a copy makes the model with the tokens anew."""
        return InputReader, self._pickled

    def ids(
        self,
        inputs: Sequence[Input],
        split_special_tokens: bool,
        sampling: Sampling | None = None,
    ) -> list[list[int]]:
        """Return the ids of each input; ids in an input stay as they are.

        Args:
            inputs: texts, lists of words, or lists of ids. Words are encoded one by one.
            split_special_tokens: whether special tokens are ordinary text.
            sampling: what is drawn, which the model can do; each text and each word, in order, is
                a text of the call. None: nothing.

        Raises:
            TypeError: an input is none of these.
        """
        if {*map(type, inputs)} <= {str}:
            return self._ids_of_texts(inputs, split_special_tokens, sampling)  # type: ignore[arg-type]
        inputs_in_parts = [list(texts_and_ids(given)) for given in inputs]
        texts = [part for parts in inputs_in_parts for part in parts if isinstance(part, str)]
        rows = iter(self._ids_of_texts(texts, split_special_tokens, sampling))
        return [
            [token for part in parts for token in (next(rows) if isinstance(part, str) else [part])]
            for parts in inputs_in_parts
        ]

    def _ids_of_texts(
        self, texts: Sequence[str], split_special_tokens: bool, sampling: Sampling | None
    ) -> list[list[int]]:
        """Return the ids of each text."""
        allowed = self._allowed(split_special_tokens)
        if sampling is None:
            return self.enc.encode_batch(texts, allowed_special=allowed)
        given, mask = self.enc._texts_and_mask(texts, allowed, ())
        return self.enc._backend.sample_batch(given, mask, False, THREADS, sampling)

    def places(
        self,
        inputs: Sequence[Input],
        split_special_tokens: bool,
        sampling: Sampling | None = None,
    ) -> list[UntrimmedInput]:
        """Return the ids of each input, and the code points that each stands for.

        Of words, these are counted from the word's start; ids stand at (0, 0). Arguments and
        errors are those of `ids`.
        """
        inputs_in_parts = [list(texts_and_ids(given)) for given in inputs]
        all_parts = [part for parts in inputs_in_parts for part in parts]
        placed = self._places_of_parts(all_parts, split_special_tokens, sampling)
        return [join_inputs(next(placed) for _ in parts) for parts in inputs_in_parts]

    def words(
        self, given: Input, split_special_tokens: bool, sampling: Sampling | None = None
    ) -> list[int | None]:
        """Return, for each token of an input, the number of the word in which it begins.

        Words count from 0. Of an input that is a list, its items are the words; a text is cut into
        words as the model cuts it: pretokens, or runs of syllables beside each other. An added
        token in a text is a word. Where several words come of one character, each but the last has
        one token. None for tokens that the input gives as ids.

        Args:
            given: the input.
            split_special_tokens: whether special tokens are ordinary text.
            sampling: what is drawn, as for `ids`.
        """
        if not isinstance(given, str):
            parts = list(texts_and_ids(given))
            placed = self._places_of_parts(parts, split_special_tokens, sampling)
            sizes = [len(ids) for ids, _ in placed]
            numbers = [k if isinstance(part, str) else None for k, part in enumerate(parts)]
            return [k for k, size in zip(numbers, sizes, strict=True) for _ in range(size)]
        data, mask = self.enc._bytes_and_mask(given, self._allowed(split_special_tokens), ())
        backend = self.enc._backend
        if sampling is None:
            _, token_starts, token_ends = backend.encode_with_places(data, mask, False)
        else:
            _, token_starts, token_ends = backend.sample_with_places(data, mask, False, sampling, 0)
        word_starts, word_ends = self._pretoken_places(data, mask)
        words: list[int | None] = []
        word, n_added = -1, 0
        for start, end in zip(token_starts, token_ends, strict=True):
            # Several words may begin at one byte, that of their character: one token for each,
            # and the other tokens for the last.
            next_word = max(word + 1, bisect_left(word_starts, start))
            word = min(next_word, bisect_right(word_starts, start) - 1)
            is_outside = word < 0 or max(start + 1, end) > word_ends[word]
            if is_outside:  # an added token, which is in no pretoken
                n_added += 1
            words.append(word + n_added)
        return words

    def _pretoken_places(self, data: bytes, mask: bytes | None) -> tuple[list[int], list[int]]:
        """Return where each pretoken of a text begins and ends, in bytes, ascending.

        Syllables beside each other in one segment are one pretoken.

        Args:
            data: the text.
            mask: the allowed special tokens, as backends take them.
        """
        _, _, _, spans = self._pretoken_model._backend.encode_with_spans(data, mask, False)
        starts: list[int] = []
        ends: list[int] = []
        rule_before = None
        for span in spans:
            continues = not span.first and rule_before == span.rule == SYLLABLE
            if continues:
                ends[-1] = span.end
            else:
                starts.append(span.start)
                ends.append(span.end)
            rule_before = span.rule
        return starts, ends

    @cached_property
    def _pretoken_model(self) -> Tokenizer:
        """The model whose spans are pretokens; made at first use."""
        return with_pretoken_spans(self.enc)

    def _allowed(self, split_special_tokens: bool) -> Collection[str]:
        """Return the texts of the special tokens that are found: none or all."""
        return () if split_special_tokens else self._special_texts

    def _places_of_parts(
        self, parts: Sequence[str | int], split_special_tokens: bool, sampling: Sampling | None
    ) -> Iterator[UntrimmedInput]:
        """Yield the ids of each text or id, and the code points that each stands for in its text.

        All texts are encoded before the first result, as one batch. In a text with surrogate
        pairs, each half counts as a code point, as Python counts.
        """
        texts = [part for part in parts if isinstance(part, str)]
        given, mask = self.enc._texts_and_mask(texts, self._allowed(split_special_tokens), ())
        data, backend = all_bytes(given), self.enc._backend
        encoded = iter(
            backend.encode_batch_with_offsets(data, mask, False, THREADS)
            if sampling is None
            else backend.sample_batch_with_offsets(data, mask, False, THREADS, sampling)
        )
        for part in parts:
            if not isinstance(part, str):
                yield [part], [Spaced(0, 0)]
                continue
            ids, offsets = next(encoded)
            spaced = list(starmap(Spaced, offsets))
            if self._trim:
                spaced = self.enc._offsets_with_spaces(to_bytes(part), ids, offsets, self._trim)
            if places := places_in_str(part):
                spaced = [
                    place._replace(start=places[place.start], end=places[place.end])
                    for place in spaced
                ]
            yield ids, spaced


def texts_and_ids(given: Input) -> Iterator[str | int]:
    """Yield the texts and ids of an input, in order: a str is one text, a list or tuple has them.

    Whatever has `__index__` is an id, such as a number of NumPy.

    Raises:
        TypeError: it is no text, list or tuple, or contains something that is neither text nor id,
            such as another list. Raised where the iteration comes to it.
    """
    parts: Sequence[str | int] = [given] if isinstance(given, str) else given
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"expected texts, words or ids, found {type(given).__name__}")
    for part in parts:
        if not isinstance(part, (str, SupportsIndex)):
            raise TypeError(f"expected texts, words or ids, found {type(part).__name__}")
        yield part if isinstance(part, str) else index(part)


def count_texts(given: Input) -> int:
    """Return how many texts an input is: 1 for a `str`, or how many words a list has beside ids."""
    return sum(isinstance(part, str) for part in texts_and_ids(given))


def join_inputs(inputs: Iterable[UntrimmedInput]) -> UntrimmedInput:
    """Return the ids of all inputs in one list, and their places in another."""
    all_ids: list[int] = []
    all_places: list[Spaced] = []
    for ids, places in inputs:
        all_ids += ids
        all_places += places
    return all_ids, all_places
