"""The windows of text that a decoder is trained and measured on, the same for all tokenizers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wwho.lm.decoder import NOTHING
from wwho.lm.sequences import Ints, Sequences

CONTEXT = 512
"""The bytes of a window, and so of all that a decoder sees at once."""
BATCH_BYTES = 16_384
"""The bytes of a step."""
_SORTED_AT_ONCE = 1024


def cut_lines(lines: Sequence[str], size: int = CONTEXT) -> list[str]:
    """Return lines with those cut that have more bytes than a window.

    A line is cut before the last space that leaves at most `size` bytes before it, or else between
    two code points. The parts of a line, joined, are the line.

    Args:
        lines: lines without line feeds.
        size: bytes of a window in UTF-8, at least 4.

    Example:
        >>> cut_lines(["one two three", "four"], 8)
        ['one two', ' three', 'four']
    """
    windows = []
    for line in lines:
        data = line.encode()
        while len(data) > size:
            cut = data.rfind(b" ", 1, size + 1)
            if cut < 1:
                cut = size
                while data[cut] & 0xC0 == 0x80:
                    cut -= 1
            windows.append(data[:cut].decode())
            data = data[cut:]
        windows.append(data.decode())
    return windows


def plan_batches(sizes: Sequence[int], n_bytes: int, seed: int) -> list[Ints]:
    """Return the windows of each step of a training: their numbers, in batches of BATCH_BYTES.

    A batch may have fewer bytes, and up to a window more.

    Windows come in random order, and in a second order when all have come; those of a batch are of
    about one size, so that little is padded.

    Args:
        sizes: the bytes of each window, at least one window.
        n_bytes: the bytes of the training; the last batch may exceed it.
        seed: of the random numbers.
    """
    bytes_of, batches, planned, epoch = np.array(sizes), list[Ints](), 0, 0
    while True:
        random = np.random.default_rng([seed, epoch])
        order = random.permutation(len(sizes))
        found = list[Ints]()
        for first in range(0, len(order), _SORTED_AT_ONCE):
            part = order[first : first + _SORTED_AT_ONCE]
            part = part[np.argsort(bytes_of[part], kind="stable")]
            cuts = np.flatnonzero(np.diff(np.cumsum(bytes_of[part]) // BATCH_BYTES)) + 1
            found += np.split(part, cuts)
        for number in random.permutation(len(found)):
            batches.append(found[number])
            planned += int(bytes_of[found[number]].sum())
            if planned >= n_bytes:
                return batches
        epoch += 1


def pad(text: Sequences, numbers: Ints) -> Ints:
    """Return some lines of a text, at least one, as rows of int64, NOTHING behind shorter ones."""
    lengths = np.diff(text.starts)[numbers]
    rows = np.full((len(numbers), int(lengths.max())), NOTHING, np.int64)
    for row, number, length in zip(rows, numbers, lengths, strict=True):
        row[:length] = text.ids[text.starts[number] : text.starts[number] + length]
    return rows


def in_order(text: Sequences, n_ids: int = 4096) -> Iterator[Ints]:
    """Yield the numbers of all lines, those of about one length together.

    Args:
        text: the lines.
        n_ids: ids of a batch as `pad` makes it, at most, unless one line has more.
    """
    lengths = np.diff(text.starts)
    order = np.argsort(lengths, kind="stable")
    first = 0
    while first < len(order):
        last = first + 1
        while last < len(order) and lengths[order[last]] * (last + 1 - first) <= n_ids:
            last += 1
        yield order[first:last]
        first = last
