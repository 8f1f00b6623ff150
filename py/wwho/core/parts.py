"""A batch of texts in parts, shared out among threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

_Part = TypeVar("_Part")

PART = 1 << 16
"""Bytes from which on a part is worth a call, and a thread, of its own: it takes about 1 ms."""


def in_parts(
    work: Callable[[Sequence[bytes]], _Part], texts: Sequence[bytes], threads: int
) -> list[_Part]:
    """What `work` makes of each part of a batch, in the batch's order.

    Threads take the next part when they have done one, the longest first: a long text, which is a
    part of its own, does not hold up the others. There are never more threads than processors.

    Raises:
        ValueError: there is to be no thread.

    Example:
        >>> in_parts(b"".join, [b"a", b"b"], 8)
        [b'ab']
    """
    if threads < 1:
        raise ValueError(f"num_threads is {threads}; it takes at least one")
    parts = list(_parts(texts))
    threads = min(threads, len(parts))
    if threads <= 1 or (threads := min(threads, _processors())) == 1:
        return list(map(work, parts))
    sizes = [sum(map(len, part)) for part in parts]
    queue = iter(sorted(range(len(parts)), key=sizes.__getitem__, reverse=True))

    def take(_: int) -> list[tuple[int, _Part]]:
        return [(k, work(parts[k])) for k in queue]

    with ThreadPoolExecutor(threads) as executor:
        try:
            done = dict(chain.from_iterable(executor.map(take, range(threads))))
        finally:
            list(queue)  # Empty but for an error: then the other threads stop, too.
    return [done[k] for k in range(len(parts))]


def _parts(texts: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Neighbouring texts, cut where there are enough bytes."""
    first = size = 0
    for k, text in enumerate(texts):
        if size and size + len(text) > PART:
            yield texts[first:k]
            first, size = k, 0
        size += len(text)
    if first < len(texts):
        yield texts[first:]


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
