"""Merging neighbouring symbols by rank, in plain Python (FORMAT.md, Encoding 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from wwho.format.model import Pair
from wwho.reference.sampling import Draws

WINDOW, KEPT = 256, 192
"""Symbols that are merged at once where merges are skipped, and how many of them are then final if
more symbols follow."""


def merge(
    symbols: Sequence[int], made: Mapping[Pair, int], ranks: Sequence[int] | None = None
) -> list[int]:
    """Merge the neighbouring pair of lowest rank, leftmost first, until no pair is left.

    Args:
        symbols: the numbers of tokens to merge.
        made: pair -> the number of its result.
        ranks: the rank of each result; None: its number.

    Returns:
        The numbers of the tokens that remain, in order.

    Example:
        >>> merge([1, 2, 1, 2, 3], {(1, 2): 4, (4, 4): 6, (2, 3): 5})
        [6, 3]
    """
    return [token for token, _ in merge_with_starts(symbols, made, ranks)]


def merge_with_starts(
    symbols: Sequence[int], made: Mapping[Pair, int], ranks: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Merge as `merge` does, and return each token with the place of its first symbol.

    Returns:
        The tokens in order, each with the place, from 0, of its first symbol in `symbols`.

    Example:
        >>> merge_with_starts([1, 2, 1, 2, 3], {(1, 2): 4, (4, 4): 6, (2, 3): 5})
        [(6, 0), (3, 4)]
    """
    tokens = list(symbols)
    n = len(tokens)
    # Neighbours are found through links, so that a merge moves nothing; a merged-away token is -1.
    before, after = list(range(-1, n - 1)), list(range(1, n + 1))

    def entry(left: int, right: int, at: int) -> tuple[int, int, int] | None:
        if (token := made.get((left, right))) is None:
            return None
        return token if ranks is None else ranks[token], at, token

    heap = list(filter(None, map(entry, tokens, tokens[1:], range(n))))
    heapify(heap)
    while heap:
        _, left, token = heappop(heap)
        right = after[left]
        # An entry is stale where a merge has since changed one of its two tokens.
        if right == n or made.get((tokens[left], tokens[right])) != token:
            continue
        tokens[left], tokens[right] = token, -1
        behind = after[left] = after[right]
        if behind < n:
            before[behind] = left
            if found := entry(token, tokens[behind], left):
                heappush(heap, found)
        ahead = before[left]
        if ahead >= 0 and (found := entry(tokens[ahead], token, ahead)):
            heappush(heap, found)
    return [(token, at) for at, token in enumerate(tokens) if token >= 0]


def merge_some(
    symbols: Sequence[int],
    made: Mapping[Pair, int],
    ranks: Sequence[int] | None,
    draws: Draws | None,
) -> list[tuple[int, int]]:
    """Merge as `merge_with_starts` does, but skip the merges that draws say (FORMAT.md, Sampling).

    Args:
        symbols: as `merge` takes them.
        made: as `merge` takes them.
        ranks: as `merge` takes them.
        draws: what is drawn; None: no merge is skipped.

    Returns:
        The tokens in order, each with the place, from 0, of its first symbol in `symbols`.
    """
    if draws is None or not draws.drops:
        return merge_with_starts(symbols, made, ranks)
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(symbols):
        window = _merge_window(symbols[start : start + WINDOW], made, ranks, draws)
        more = len(symbols) - start > WINDOW
        ends = [*(place for _, place in window[1:]), min(WINDOW, len(symbols) - start)]
        # Of a window that more follows, the tokens in its first part are final, at least one.
        n = max(1, sum(end <= KEPT for end in ends)) if more else len(window)
        found += [(token, start + place) for token, place in window[:n]]
        start += ends[n - 1]
    return found


def _merge_window(
    symbols: Sequence[int], made: Mapping[Pair, int], ranks: Sequence[int] | None, draws: Draws
) -> list[tuple[int, int]]:
    """Merge at most WINDOW symbols: each time the pair of lowest rank that is not skipped.

    Returns:
        The tokens in order, each with the place of its first symbol.
    """
    tokens = [(token, place) for place, token in enumerate(symbols)]
    while True:
        pairs = []
        for at, ((left, place), (right, _)) in enumerate(pairwise(tokens)):
            if (token := made.get((left, right))) is not None:
                pairs.append((token if ranks is None else ranks[token], place, at, token))
        taken = next((pair for pair in sorted(pairs) if draws.takes_next()), None)
        if taken is None:
            return tokens
        _, place, at, token = taken
        tokens[at : at + 2] = [(token, place)]
