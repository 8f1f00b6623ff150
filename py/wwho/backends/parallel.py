"""Sharing a batch of texts, or a stream of them, out among threads."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import accumulate, chain, pairwise
from typing import TypeVar

_Part = TypeVar("_Part")
_Text = TypeVar("_Text", bound=Sized)
_Item = TypeVar("_Item")

PART_LENGTH = 1 << 16
"""Bytes or characters of a part of a batch, which take about 1 ms: less is not worth a call and a
thread of its own."""


def map_parts(
    work: Callable[[int, Sequence[_Text]], _Part], texts: Sequence[_Text], threads: int
) -> list[_Part]:
    """Cut a batch into parts, and return what `work` makes of each part, in the batch's order.

    A part is a run of neighbouring texts of about `PART_LENGTH` together; a longer text is a part
    alone. This thread and others take one part after another, the longest first, so that no long
    text is left for the end. A batch of a single part, or on a single processor, is done in this
    thread.

    Args:
        work: makes a result of the number of a part's first text and of its texts; called in
            several threads at once.
        texts: the batch. An empty one has no parts.
        threads: how many threads may work at most, this one among them. There are never more than
            processors.

    Raises:
        ValueError: `threads` is less than 1.
        Exception: what `work` raises first; parts that no thread has taken yet are then left out.

    Example:
        >>> map_parts(lambda first, texts: (first, b"".join(texts)), [b"a", b"b"], 8)
        [(0, b'ab')]
    """
    if threads < 1:
        raise ValueError(f"num_threads is {threads}; it takes at least one")
    # How long the texts before each text are together, and all of them.
    ends = list(accumulate(map(len, texts), initial=0))
    cuts = [0]
    while cuts[-1] < len(texts):
        fitting = bisect_right(ends, ends[cuts[-1]] + PART_LENGTH) - 1
        cuts.append(max(fitting, cuts[-1] + 1))
    parts = [texts[first:last] for first, last in pairwise(cuts)]
    threads = min(threads, len(parts))
    if threads <= 1 or (threads := min(threads, processors())) == 1:
        return list(map(work, cuts, parts))
    lengths = [ends[last] - ends[first] for first, last in pairwise(cuts)]
    queue = iter(sorted(range(len(parts)), key=lengths.__getitem__, reverse=True))

    def work_on_queue(_: int) -> list[tuple[int, _Part]]:
        """Take parts until none is left; return their numbers and results."""
        try:
            return [(k, work(cuts[k], parts[k])) for k in queue]
        finally:
            # After an error, parts are left: without them, the other threads stop, too.
            list(queue)

    from concurrent.futures import ThreadPoolExecutor  # slow to import, seldom used

    # This thread works, too. If it waited, two threads would often begin on one processor.
    with ThreadPoolExecutor(threads - 1) as executor:
        others = executor.map(work_on_queue, range(threads - 1))
        results = dict(chain(work_on_queue(0), *others))
    return [results[k] for k in range(len(parts))]


def map_stream(
    work: Callable[[_Item], _Part], texts: Iterable[_Item | None], threads: int
) -> Iterator[_Part]:
    """Yield what `work` makes of each text of a stream, in order, while threads make the next ones.

    This thread takes the texts from the stream. At most two texts a thread are held, with what is
    made of them, so that memory does not grow with the stream.

    Args:
        work: makes a result of a text; called in several threads at once.
        texts: the stream. None in it says that the next text may have to be waited for: what is
            made of those before is yielded first.
        threads: how many threads work, beside this one. One works in this thread.

    Raises:
        Exception: what the stream raises, after what is made of the texts before; or what `work`
            raises for the first text in order: texts that no thread has taken yet are then left
            out.

    Example:
        >>> [*map_stream(len, [b"a", b"bcd", b""], 2)]
        [1, 3, 0]
    """
    if threads == 1:
        yield from (work(text) for text in texts if text is not None)
        return
    from concurrent.futures import Future, ThreadPoolExecutor  # slow to import, seldom used

    source, error = iter(texts), None
    executor = ThreadPoolExecutor(threads)
    running: deque[Future[_Part]] = deque()
    try:
        while error is None:
            text, room = None, 0
            try:
                text = next(source)
            except Exception as found:  # StopIteration, or what the stream raises
                error = found
            if text is not None:
                running.append(executor.submit(work, text))
                room = 2 * threads - 1
            while len(running) > room:
                yield running.popleft().result()
    finally:
        executor.shutdown(cancel_futures=True)
    if not isinstance(error, StopIteration):
        raise error


def processors() -> int:
    """Return how many processors this process may use; 1 if nobody knows."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
