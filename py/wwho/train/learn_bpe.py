"""Learning the merges of a BPE from counted words, in the order of `tokenizers`' trainer.

That trainer gives two pairs with one text one id, whose counts it then adds up as its queue has
them. The trainer of `wwho.train` gives each pair an id of its own. Until a text is made a second
time both make the same merges, and it is the quick one: it goes first, and if no text comes twice
its merges are the result. Otherwise `_Queue` learns all of them.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from wwho.errors import BackendError
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Pair

PREFIX = "##"
"""What tokens of WordPiece begin with that continue a word."""


class LearntBPE(NamedTuple):
    """A vocabulary, and the pairs of tokens that are merged, in order; no pair comes twice."""

    vocab: dict[str, int]
    merges: list[tuple[str, str]]


def learn_bpe(
    words: Mapping[str, int],
    first: Sequence[str],
    alphabet: Collection[str],
    vocab_size: int,
    min_freq: int,
    prefix: str = "",
) -> LearntBPE:
    """Return the vocabulary and merges that `tokenizers` learns from words.

    With a prefix, as for WordPiece, a character that does not begin a word is another symbol, with
    the prefix before it. These symbols have ids after the alphabet, by code point; `tokenizers`
    numbers them in no certain order.

    Args:
        words: the words and their counts; all their characters are in the alphabet.
        first: the tokens that have the first ids, such as special tokens.
        alphabet: the characters, which have the next ids, by code point.
        vocab_size: how many tokens there may be in all.
        min_freq: how often a pair must be seen to be merged, at least 1.
        prefix: what symbols begin with that continue a word.

    Raises:
        ValueError: the first tokens and the alphabet alone do not fit into `vocab_size`.

    Example:
        >>> learn_bpe({"low": 3, "lot": 2}, ["<s>"], "lotw", 7, 1)
        ... # doctest: +NORMALIZE_WHITESPACE
        LearntBPE(vocab={'<s>': 0, 'l': 1, 'o': 2, 't': 3, 'w': 4, 'lo': 5, 'low': 6},
                  merges=[('l', 'o'), ('lo', 'w')])
    """
    later = {char for word in words for char in word[1:]} if prefix else set()
    symbols = [*sorted(alphabet), *(prefix + char for char in sorted(later))]
    texts = list(dict.fromkeys([*first, *symbols]))
    if len(texts) > vocab_size:
        raise ValueError(
            f"vocab_size is {vocab_size}, but the {len(dict.fromkeys(first))} added tokens and the "
            f"{len(symbols)} characters alone are {len(texts)}"
        )
    return _learn_natively(words, texts, alphabet, vocab_size, min_freq, prefix) or _learn_in_order(
        words, texts, vocab_size, min_freq, prefix
    )


def _learn_natively(
    words: Mapping[str, int],
    texts: Sequence[str],
    alphabet: Collection[str],
    vocab_size: int,
    min_freq: int,
    prefix: str = "",
) -> LearntBPE | None:
    """Return what the native trainer learns; None if it is not installed, or cannot tell.

    It cannot if merges make a text twice, or one of over `MAX_TOKEN_BYTES` / 2 bytes, or if one of
    the first tokens is a symbol. Arguments are those of `learn_bpe`, but `texts`: the tokens that
    have the first ids, with all symbols.
    """
    try:
        from wwho.train.native import Merger, WordTable, record
    except BackendError:
        return None
    from array import array

    # No text has the byte FF, behind which characters sort after all that begin a word.
    mark = b"\xff" if prefix else b""
    table = WordTable()
    records = b"".join(
        record(tuple((mark if place else b"") + char.encode() for place, char in enumerate(word)))
        for word in words
    )
    table.add_records(records, array("Q", words.values()))
    # Characters in the order of their UTF-8 are in that of their code points.
    made = sorted(alphabet)
    atoms = [char.encode() for char in made]
    if prefix:
        later = sorted({char for word in words for char in word[1:]})
        atoms += [mark + char.encode() for char in later]
        made += [prefix + char for char in later]
    n_atoms = len(atoms)
    if texts[len(texts) - n_atoms :] != made:  # one of the first tokens is a symbol
        return None
    merger = Merger(table, atoms, max_merges=vocab_size - len(texts), min_freq=min_freq)
    known, merges = set(texts), list[tuple[str, str]]()
    while merger.merge_more(2000):
        for left, right in merger.merges()[len(made) - n_atoms :]:
            text = made[left] + made[right].removeprefix(prefix)
            if text in known or len(text.encode()) > MAX_TOKEN_BYTES // 2:
                return None
            known.add(text)
            made.append(text)
            merges.append((made[left], made[right]))
    vocab = {text: number for number, text in enumerate([*texts, *made[n_atoms:]])}
    return LearntBPE(vocab, merges)


def _learn_in_order(
    words: Mapping[str, int], texts: Sequence[str], vocab_size: int, min_freq: int, prefix: str = ""
) -> LearntBPE:
    """Return what `_Queue` learns; arguments are those of `_learn_natively`."""
    ids = {text: number for number, text in enumerate(texts)}
    runs = [
        [ids[prefix + char if place else char] for place, char in enumerate(word)] for word in words
    ]
    queue = _Queue(runs, [*words.values()])
    names = list(texts)
    ranks: dict[Pair, int] = {}
    for rank in count():
        if len(ids) >= vocab_size or (found := queue.best(min_freq)) is None:
            break
        (left, right), places = found
        text = names[left] + names[right].removeprefix(prefix)
        if text not in ids:
            ids[text] = len(names)
            names.append(text)
        # Of a pair that comes twice, the later merge counts.
        ranks[left, right] = rank
        queue.merge((left, right), ids[text], places)
    ordered = sorted(ranks, key=ranks.__getitem__)
    return LearntBPE(ids, [(names[left], names[right]) for left, right in ordered])


class _Queue:
    """Words as runs of ids, and a queue of their pairs, the most frequent first.

    Of equal counts the pair with the smaller ids comes first. The count of a pair that was merged
    stays as it was then, and each entry of the queue has the words that it was made for.
    """

    def __init__(self, runs: list[list[int]], counts: Sequence[int]) -> None:
        """Count the pairs of all words.

        Args:
            runs: the ids of each word's characters; merges change them in place.
            counts: how often each word was seen.
        """
        self._runs, self._counts = runs, counts
        self._pair_counts: dict[Pair, int] = defaultdict(int)
        self._heap: list[tuple[int, Pair, int, set[int]]] = []
        self._serial = count()
        places: dict[Pair, set[int]] = defaultdict(set)
        for word, run in enumerate(runs):
            for pair in pairwise(run):
                self._pair_counts[pair] += counts[word]
                places[pair].add(word)
        self._put_all(places)

    def _put_all(self, places: Mapping[Pair, set[int]]) -> None:
        """Put pairs that occur into the queue, each with the numbers of some words."""
        for pair, words in places.items():
            if (number := self._pair_counts[pair]) > 0:
                heapq.heappush(self._heap, (-number, pair, next(self._serial), words))

    def best(self, min_freq: int) -> tuple[Pair, set[int]] | None:
        """Take the most frequent pair out of the queue, and return it with its words.

        The result is None if no pair is seen `min_freq` times.
        """
        while self._heap:
            negative, pair, serial, words = heapq.heappop(self._heap)
            number = self._pair_counts[pair]
            if -negative != number:
                # Merges of other pairs have taken places from it since.
                heapq.heappush(self._heap, (-number, pair, serial, words))
                continue
            return (pair, words) if number >= max(min_freq, 1) else None
        return None

    def merge(self, pair: Pair, merged: int, words: Collection[int]) -> None:
        """Put an id in place of a pair in some words, and pairs with that id into the queue.

        Words that do not have the pair stay as they are. The counts of pairs change with the
        neighbours, but not that of the pair itself; entries of the queue that are out of date are
        corrected when `best` takes them.

        Args:
            pair: the pair, which is merged from left to right.
            merged: the id.
            words: the numbers of the words, from 0.
        """
        left, right = pair
        places: dict[Pair, set[int]] = defaultdict(set)
        for word in words:
            run, number = self._runs[word], self._counts[word]
            new: list[int] = []
            at, end = 0, len(run)
            while at < end:
                if run[at] != left or at + 1 == end or run[at + 1] != right:
                    new.append(run[at])
                    at += 1
                    continue
                at += 2
                if new:
                    self._pair_counts[new[-1], left] -= number
                    self._pair_counts[new[-1], merged] += number
                    places[new[-1], merged].add(word)
                if at < end:
                    self._pair_counts[right, run[at]] -= number
                    self._pair_counts[merged, run[at]] += number
                    places[merged, run[at]].add(word)
                new.append(merged)
            self._runs[word] = new
        self._put_all(places)
