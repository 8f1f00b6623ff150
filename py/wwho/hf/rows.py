"""What a model reads: ids with special tokens around them, cut to a length, padded.

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
Window = tuple[int, int]
"""First and last-plus-one token of an input, or character of a token."""


class Row(NamedTuple):
    """A row: the number of its sample, and what of the sample's one or two inputs is in it."""

    sample: int
    first: Window
    second: Window | None


@dataclass(frozen=True)
class Around:
    """The special tokens before, between and after one or two inputs."""

    before: list[int]
    between: list[int]
    after: list[int]

    @classmethod
    def of(cls, build: Callable[..., list[int]], pair: bool) -> Around:
        """What `build_inputs_with_special_tokens` puts around inputs."""
        first, second = -1, -2  # no ids of tokens
        ids = build([first], [second]) if pair else build([first])
        start = ids.index(first)
        end = ids.index(second) if pair else start
        return cls(ids[:start], ids[start + 1 : end], ids[end + 1 :])

    @property
    def size(self) -> int:
        """How many special tokens there are."""
        return len(self.before) + len(self.between) + len(self.after)

    def around(self, first: list[_Item], second: list[_Item], fill: _Item) -> list[_Item]:
        """Both inputs' items, with the same filling for each special token."""
        before, between, after = (
            [fill] * len(part) for part in (self.before, self.between, self.after)
        )
        return before + first + between + second + after

    def ids(self, first: list[int], second: list[int]) -> list[int]:
        """Both inputs' ids with the special tokens."""
        if not (second or self.before or self.after):
            return first
        return self.before + first + self.between + second + self.after


@dataclass(frozen=True)
class Truncation:
    """How inputs are cut to a length.

    Attributes:
        strategy: "longest_first", "only_first" or "only_second".
        length: how many tokens there may be, special ones included.
        stride: how many tokens neighbouring windows share.
        side: "right" or "left", where tokens go.
        overflow: whether what is cut off is in further rows.
    """

    strategy: str
    length: int
    stride: int
    side: str
    overflow: bool

    def rows(self, sample: int, n_first: int, n_second: int | None, n_special: int) -> list[Row]:
        """The rows of a sample with that many tokens.

        Raises:
            ValueError: the input to be cut is too short for it, or windows would not advance.
        """
        room = max(self.length - n_special, 0)
        if n_first + (n_second or 0) <= room:
            return [whole(sample, n_first, n_second)]
        first, second = self._kept(n_first, n_second, room)
        windows = self._windows(n_first, first)
        if n_second is None:
            return [Row(sample, window, None) for window in windows]
        others = self._windows(n_second, second)
        rows = [Row(sample, *pair) for pair in product(windows, others)]
        return [rows[0], *rows[len(others) :], *rows[1 : len(others)]]

    def _kept(self, n_first: int, n_second: int | None, room: int) -> tuple[int, int]:
        """How many tokens of each input stay."""
        if self.strategy == "longest_first" and n_second is not None:
            short = min(n_first, n_second)
            if 2 * short >= room:
                short = room // 2
            return (short, room - short) if n_first <= n_second else (room - short, short)
        first = self.strategy != "only_second"
        kept = room - ((n_second or 0) if first else n_first)
        if n_second is None and first:
            return room, 0
        if n_second is None or kept < 1:
            raise ValueError(
                f"truncation={self.strategy!r} cannot bring {n_first} and {n_second or 0} tokens "
                f"to max_length={self.length}; 'longest_first' can"
            )
        return (kept, n_second) if first else (n_first, kept)

    def _windows(self, n: int, size: int) -> list[Window]:
        """The windows of that size over n tokens; the first one alone where the rest goes."""
        if n <= size:
            return [(0, n)]
        count, step = 1, size - self.stride
        if self.overflow and size:
            if step < 1:
                raise ValueError(
                    f"stride={self.stride} must be less than the {size} tokens of a row"
                )
            count += -(-(n - size) // step)
        windows = [(k * step, min(k * step + size, n)) for k in range(count)]
        return windows if self.side == "right" else [(n - end, n - start) for start, end in windows]


def whole(sample: int, n_first: int, n_second: int | None) -> Row:
    """The row of a sample of which nothing is cut off."""
    return Row(sample, (0, n_first), None if n_second is None else (0, n_second))


def cut(items: tuple[list[_Item], list[_Item]], row: Row) -> tuple[list[_Item], list[_Item]]:
    """What of the items of a sample's two inputs is in a row."""
    first, second = items
    if row.first != (0, len(first)):
        first = first[slice(*row.first)]
    if row.second and row.second != (0, len(second)):
        second = second[slice(*row.second)]
    return first, second


@dataclass(frozen=True)
class Padding:
    """How rows are brought to one length.

    Attributes:
        length: tokens; None for the longest row's.
        multiple: of which the length is to be a multiple.
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
        """The length to which these rows are brought."""
        width = max(map(len, rows), default=0) if self.length is None else self.length
        return width + -width % (self.multiple or 1)

    def pad(self, name: str, rows: list[list[Any]], width: int) -> list[list[Any]]:
        """The rows of a column, filled up with what this column has where there is no token."""
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

    def pad_encoding(self, row: Encoding, width: int) -> None:
        """The same for what is kept beside a row."""
        names = {"pad_id": self.id, "pad_type_id": self.type_id, "pad_token": self.token}
        row.pad(width, direction=self.side, **names)


class Encodings(Sequence[Encoding]):
    """The `tokenizers.Encoding` of each row, made when it is asked for: most callers never do."""

    def __init__(self, make: Callable[[int], Encoding], n: int) -> None:
        """Prepare for n rows."""
        self._make, self._n = cache(make), n

    def __len__(self) -> int:
        """How many rows there are."""
        return self._n

    @overload
    def __getitem__(self, index: int) -> Encoding: ...
    @overload
    def __getitem__(self, index: slice) -> list[Encoding]: ...
    def __getitem__(self, index: int | slice) -> Encoding | list[Encoding]:
        """The encoding of a row, or those of several."""
        found = range(self._n)[index]
        return self._make(found) if isinstance(found, int) else [*map(self._make, found)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold the encodings."""
        return list, (list(self),)


def encoding(
    template: Around,
    row: Row,
    ids: tuple[list[int], list[int]],
    offsets: list[Window],
    words: tuple[list[int | None], list[int | None]],
    type_ids: list[int],
    names: Callable[[list[int]], list[str]],
) -> Encoding:
    """A row as transformers keeps it beside the ids, to find characters, words and tokens.

    Args:
        template: the special tokens around the inputs.
        row: what of the inputs is in it.
        ids: both inputs' ids; of one input, the second is empty.
        offsets: the code points that each of the row stands for, first and last-plus-one.
        words: the word that each begins in.
        type_ids: of the row.
        names: gives the names of ids.
    """
    tokens = template.ids(*cut(ids, row))
    windows = [row.first, row.second] if row.second else [row.first]
    sizes = [end - start for start, end in windows]
    starts = [len(template.before), len(template.before) + sizes[0] + len(template.between)]
    state = {
        "ids": tokens,
        "type_ids": type_ids,
        "tokens": names(tokens),
        "words": template.around(*cut(words, row), None),
        "offsets": offsets,
        "special_tokens_mask": template.around([0] * sizes[0], [0] * sum(sizes[1:]), 1),
        "attention_mask": [1] * len(tokens),
        "overflowing": [],
        "sequence_ranges": {
            str(k): {"start": start, "end": start + size}
            for k, (start, size) in enumerate(zip(starts, sizes, strict=False))
        },
    }
    made = Encoding()
    made.__setstate__(json.dumps(state).encode())  # as pickle does: it has no other way in
    return made
