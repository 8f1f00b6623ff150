"""A batch of texts in parts, shared out among threads."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence, Sized
from itertools import accumulate, chain, pairwise
from typing import TypeVar

_Part = TypeVar("_Part")
_Text = TypeVar("_Text", bound=Sized)

PART = 1 << 16
"""Bytes or characters from which on a part is worth a call, and a thread, of its own: it takes
about 1 ms."""


def in_parts(
    work: Callable[[Sequence[_Text]], _Part], texts: Sequence[_Text], threads: int
) -> list[_Part]:
    """What `work` makes of each part of a batch, in the batch's order.

    Threads, of which this is one, take the next part when they have done one, the longest first:
    a long text, which is a part of its own, does not hold up the others. There are never more
    threads than processors.

    Raises:
        ValueError: there is to be no thread.

    Example:
        >>> in_parts(b"".join, [b"a", b"b"], 8)
        [b'ab']
    """
    if threads < 1:
        raise ValueError(f"num_threads is {threads}; it takes at least one")
    ends = list(accumulate(map(len, texts), initial=0))
    cuts = [0]
    while cuts[-1] < len(texts):
        cuts.append(max(bisect_right(ends, ends[cuts[-1]] + PART) - 1, cuts[-1] + 1))
    parts = [texts[first:last] for first, last in pairwise(cuts)]
    threads = min(threads, len(parts))
    if threads <= 1 or (threads := min(threads, processors())) == 1:
        return list(map(work, parts))
    sizes = [ends[last] - ends[first] for first, last in pairwise(cuts)]
    queue = iter(sorted(range(len(parts)), key=sizes.__getitem__, reverse=True))

    def take(_: int) -> list[tuple[int, _Part]]:
        try:
            return [(k, work(parts[k])) for k in queue]
        finally:
            list(queue)  # Empty but for an error: then the other threads stop, too.

    from concurrent.futures import ThreadPoolExecutor  # slow to import, seldom used

    # This thread works, too. If it waited, two threads would often begin on one processor.
    with ThreadPoolExecutor(threads - 1) as executor:
        others = executor.map(take, range(threads - 1))
        done = dict(chain(take(0), *others))
    return [done[k] for k in range(len(parts))]


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
