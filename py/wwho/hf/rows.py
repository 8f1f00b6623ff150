"""Rows of tokens for a model: special tokens put around inputs, truncation, padding, `Encoding`s.

All of it is as the fast tokenizers of transformers do it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, NamedTuple, TypeVar, overload

from tokenizers import Encoding

_Item = TypeVar("_Item")
Range = tuple[int, int]
"""The first and last-plus-one token of an input, or character of a text."""


class Row(NamedTuple):
    """The part of a sample that becomes one row of a model's input.

    Attributes:
        sample: the number of the sample in its batch.
        first: the tokens of the sample's first input that are in the row.
        second: those of its second input; None if it has only one.
    """

    sample: int
    first: Range
    second: Range | None


@dataclass(frozen=True)
class SpecialTokensAround:
    """The special tokens that stand around one or two inputs.

    Attributes:
        before: ids before the first input.
        between: ids between two inputs; none for one input.
        after: ids after the last input.
    """

    before: list[int]
    between: list[int]
    after: list[int]

    @classmethod
    def put_by(cls, build: Callable[..., list[int]], pair: bool) -> SpecialTokensAround:
        """Return the ids that a function puts around inputs, found by a call with one id for each.

        The ids of the call are -1 and -2, which no token has; all others in its result are special
        tokens.

        Args:
            build: `build_inputs_with_special_tokens` of a tokenizer of transformers.
            pair: whether it gets two inputs.
        """
        first, second = -1, -2  # the ids of no tokens
        ids = build([first], [second]) if pair else build([first])
        start = ids.index(first)
        end = ids.index(second) if pair else start
        return cls(ids[:start], ids[start + 1 : end], ids[end + 1 :])

    @property
    def size(self) -> int:
        """How many special tokens there are."""
        return len(self.before) + len(self.between) + len(self.after)

    def put_around(self, first: list[_Item], second: list[_Item], fill: _Item) -> list[_Item]:
        """Return the items of both inputs in a row, with `fill` in place of each special token.

        Args:
            first: an item for each token of the first input.
            second: an item for each token of the second input; [] if there is none.
            fill: the item of every special token.
        """
        before, between, after = (
            [fill] * len(ids) for ids in (self.before, self.between, self.after)
        )
        return before + first + between + second + after

    def put_around_ids(self, first: list[int], second: list[int]) -> list[int]:
        """Return the ids of both inputs in a row with the special tokens around them.

        If there is nothing to put around, this is `first` itself, not a copy.
        """
        if not (second or self.before or self.after):
            return first
        return self.before + first + self.between + second + self.after


@dataclass(frozen=True)
class Truncation:
    """A way to cut samples to a length.

    Attributes:
        strategy: "longest_first", "only_first" or "only_second": the input that is cut.
        length: how many tokens a row may have, special ones included.
        stride: how many tokens neighbouring windows share.
        side: "right" or "left", where tokens are cut off.
        overflow: whether tokens that are cut off come in further rows.
        in_python: whether "longest_first" cuts two inputs as transformers does in Python: the
            longer one down to the other, and then both by as many.
    """

    strategy: str
    length: int
    stride: int
    side: str
    overflow: bool
    in_python: bool = False

    def rows(self, sample: int, n_first: int, n_second: int | None, n_special: int) -> list[Row]:
        """Return the rows of a sample: one, or several if it is too long and `overflow` is set.

        With two inputs that are both cut, there is a row for each pair of their windows.

        Args:
            sample: the number of the sample.
            n_first: how many tokens its first input has.
            n_second: how many its second input has; None if it has only one.
            n_special: how many special tokens each row gets.

        Raises:
            ValueError: the input to be cut is too short for that, or `stride` leaves no new tokens
                for the next window.
        """
        room = max(self.length - n_special, 0)
        if n_first + (n_second or 0) <= room:
            return [whole_row(sample, n_first, n_second)]
        kept_first, kept_second = self._kept_lengths(n_first, n_second, room)
        first_windows = self._windows(n_first, kept_first)
        if n_second is None:
            return [Row(sample, window, None) for window in first_windows]
        second_windows = self._windows(n_second, kept_second)
        rows = [Row(sample, *pair) for pair in product(first_windows, second_windows)]
        # As `tokenizers` orders them: pairs with the first input's first window come last, but for
        # the very first pair.
        n_seconds = len(second_windows)
        return [rows[0], *rows[n_seconds:], *rows[1:n_seconds]]

    def _kept_lengths(self, n_first: int, n_second: int | None, room: int) -> tuple[int, int]:
        """Return how many tokens of the first and of the second input a row of `room` tokens has.

        The inputs together have more tokens than `room`, which the caller sees to. With
        "longest_first", an input that has less than half of the room stays whole, and the other
        gets the rest; otherwise each gets half, and the longer one the odd token, or the second if
        they are equally long. With "only_first" or "only_second" the other input stays whole. A
        lone input gets all of the room, be it 0, unless the strategy is "only_second".

        Args:
            n_first: how many tokens the first input has.
            n_second: how many the second has; None for a lone input, which gives 0 for it.
            room: how many tokens of the inputs a row may have, without special ones.

        Raises:
            ValueError: the strategy is "only_second", and there is no second input; or of two, the
                one that "only_first" or "only_second" cuts would have no token left.
        """
        if self.strategy == "longest_first" and n_second is not None and self.in_python:
            cut = n_first + n_second - room
            more = min(abs(n_first - n_second), cut)
            half = (cut - more) // 2
            cut_first = more + half if n_first > n_second else half
            return max(n_first - cut_first, 0), max(n_second - (cut - cut_first), 0)
        if self.strategy == "longest_first" and n_second is not None:
            short = min(n_first, n_second)
            if 2 * short >= room:
                short = room // 2
            return (short, room - short) if n_first <= n_second else (room - short, short)
        cuts_first = self.strategy != "only_second"
        if n_second is None and cuts_first:
            return room, 0
        kept = room - ((n_second or 0) if cuts_first else n_first)
        if n_second is None or kept < 1:
            raise ValueError(
                f"truncation={self.strategy!r} cannot bring {n_first} and {n_second or 0} tokens "
                f"to max_length={self.length}; 'longest_first' can"
            )
        return (kept, n_second) if cuts_first else (n_first, kept)

    def _windows(self, n: int, size: int) -> list[Range]:
        """Return the windows of `size` tokens over n tokens.

        Without `overflow` it is the first one alone. With `side` "left", windows begin at the end
        of the input. The last window may have fewer tokens.

        Raises:
            ValueError: `stride` leaves no new tokens for the next window.
        """
        if n <= size:
            return [(0, n)]
        n_windows, step = 1, size - self.stride
        if self.overflow and size:
            if step < 1:
                raise ValueError(
                    f"stride={self.stride} must be less than the {size} tokens of a row"
                )
            n_windows += -(-(n - size) // step)
        windows = [(k * step, min(k * step + size, n)) for k in range(n_windows)]
        if self.side == "right":
            return windows
        return [(n - end, n - start) for start, end in windows]


def whole_row(sample: int, n_first: int, n_second: int | None) -> Row:
    """Return the row with all tokens of a sample, which has so many; None for no second input."""
    return Row(sample, (0, n_first), None if n_second is None else (0, n_second))


def items_in_row(
    items: tuple[list[_Item], list[_Item]], row: Row
) -> tuple[list[_Item], list[_Item]]:
    """Return the items of a sample's two inputs that are in a row.

    Args:
        items: an item for each token of both inputs; [] for a second input that is not there.
        row: the row. An input that is whole in it is returned itself, not copied.
    """
    first, second = items
    if row.first != (0, len(first)):
        first = first[slice(*row.first)]
    if row.second and row.second != (0, len(second)):
        second = second[slice(*row.second)]
    return first, second


@dataclass(frozen=True)
class Padding:
    """A way to bring the rows of a batch to one length.

    Attributes:
        length: the tokens that rows should have; None for as many as the longest row has.
        multiple: rounds the length up to a multiple of this; None for no rounding.
        side: "right" or "left", where tokens are added.
        token: the name of the token that is added.
        id: its id.
        type_id: its token type.
    """

    length: int | None
    multiple: int | None
    side: str
    token: str
    id: int
    type_id: int

    def width(self, rows: Sequence[Sequence[object]]) -> int:
        """Return the length to which rows are brought; longer rows stay as they are."""
        width = max(map(len, rows), default=0) if self.length is None else self.length
        return width + -width % (self.multiple or 1)

    def pad(self, name: str, rows: list[list[Any]], width: int) -> list[list[Any]]:
        """Return the rows of a column, each filled up to `width` items; longer rows stay.

        Args:
            name: the column, such as "attention_mask", which decides what rows are filled with.
            rows: an item for each token of each row; they are not changed.
            width: what `width` returned.

        Raises:
            KeyError: there is no such column.
        """
        fill = {
            "input_ids": self.id,
            "token_type_ids": self.type_id,
            "attention_mask": 0,
            "special_tokens_mask": 1,
            "offset_mapping": (0, 0),
        }[name]
        gaps = ([fill] * (width - len(row)) for row in rows)
        if self.side == "right":
            return [row + gap for row, gap in zip(rows, gaps, strict=True)]
        return [gap + row for row, gap in zip(rows, gaps, strict=True)]

    def pad_encoding(self, encoding: Encoding, width: int) -> None:
        """Fill the `Encoding` of a row up to `width` tokens, in place."""
        names = {"pad_id": self.id, "pad_type_id": self.type_id, "pad_token": self.token}
        encoding.pad(width, direction=self.side, **names)


class LazyEncodings(Sequence[Encoding]):
    """The `tokenizers.Encoding` of each row, made at first use: most callers never use them."""

    def __init__(self, make: Callable[[int], Encoding], n: int) -> None:
        """Take the number of rows, and a function that makes the encoding of a row's number."""
        self._make, self._n = cache(make), n

    def __len__(self) -> int:
        """Return how many rows there are."""
        return self._n

    @overload
    def __getitem__(self, index: int) -> Encoding: ...
    @overload
    def __getitem__(self, index: slice) -> list[Encoding]: ...
    def __getitem__(self, index: int | slice) -> Encoding | list[Encoding]:
        """Return the encoding of a row, or a list of those of several rows."""
        found = range(self._n)[index]
        return self._make(found) if isinstance(found, int) else [*map(self._make, found)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle, or copy, as a list of all encodings, which are made for that."""
        return list, (list(self),)


def make_encoding(
    around: SpecialTokensAround,
    row: Row,
    ids: tuple[list[int], list[int]],
    offsets: list[Range],
    words: tuple[list[int | None], list[int | None]],
    type_ids: list[int],
    names_of: Callable[[list[int]], list[str]],
) -> Encoding:
    """Make the `Encoding` of a row, by which transformers finds characters, words and tokens.

    Special tokens belong to no word, and have 1 in its `special_tokens_mask`; no token is padding.

    Args:
        around: the special tokens around the inputs.
        row: the part of the sample that is in the row.
        ids: the ids of both inputs of the sample; of one input, the second list is empty.
        offsets: for each token of the row the code points of its input.
        words: for each token of both inputs the number of the word in which it begins, or None.
        type_ids: the type of each token of the row.
        names_of: gives the names of ids.
    """
    tokens = around.put_around_ids(*items_in_row(ids, row))
    ranges = [row.first, row.second] if row.second else [row.first]
    sizes = [end - start for start, end in ranges]
    first_start = len(around.before)
    starts = [first_start, first_start + sizes[0] + len(around.between)]
    state = {
        "ids": tokens,
        "type_ids": type_ids,
        "tokens": names_of(tokens),
        "words": around.put_around(*items_in_row(words, row), None),
        "offsets": offsets,
        "special_tokens_mask": around.put_around([0] * sizes[0], [0] * sum(sizes[1:]), 1),
        "attention_mask": [1] * len(tokens),
        "overflowing": [],
        "sequence_ranges": {
            str(k): {"start": start, "end": start + size}
            for k, (start, size) in enumerate(zip(starts, sizes, strict=False))
        },
    }
    encoding = Encoding()
    encoding.__setstate__(json.dumps(state).encode())  # as pickle does: it has no other way in
    return encoding
