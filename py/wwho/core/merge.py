"""Merge replay (FORMAT.md, Encoding), the readable way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from wwho.format.model import Pair


def merge(ids: Sequence[int], ranks: Mapping[Pair, int]) -> list[int]:
    """Merge the neighbouring pair of lowest rank, leftmost first, until no pair is left.

    Args:
        ids: token ids.
        ranks: pair -> the id of its result, which is its rank.

    Returns:
        The ids that remain.

    Example:
        >>> merge([1, 2, 1, 2, 3], {(1, 2): 4, (4, 4): 6, (2, 3): 5})
        [6, 3]
    """
    tokens = list(ids)
    n = len(tokens)
    # Neighbours are found through links, so that a merge moves nothing; a merged-away token is -1.
    before, after = list(range(-1, n - 1)), list(range(1, n + 1))
    heap = [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]
    heapify(heap)
    while heap:
        rank, left = heappop(heap)
        right = after[left]
        # An entry is stale where a merge has since changed one of its two tokens.
        if right == n or ranks.get((tokens[left], tokens[right])) != rank:
            continue
        tokens[left], tokens[right] = rank, -1
        behind = after[left] = after[right]
        if behind < n:
            before[behind] = left
            if (pair := (rank, tokens[behind])) in ranks:
                heappush(heap, (ranks[pair], left))
        ahead = before[left]
        if ahead >= 0 and (pair := (tokens[ahead], rank)) in ranks:
            heappush(heap, (ranks[pair], ahead))
    return [token for token in tokens if token >= 0]
