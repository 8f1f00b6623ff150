"""Ranks -> canonical pairs: the two tokens each token is made of when it is spelled by BPE."""

from __future__ import annotations

from collections.abc import Sequence

from wwho.format.model import Pair
from wwho.errors import ArtifactError


def canonical_pairs(tokens: Sequence[bytes]) -> list[Pair]:
    """Find the pair of every token.

    A token's bytes are merged as BPE would, by ranks below its own, until two parts remain.
    Replaying these pairs gives what a search over all splits gives (FORMAT.md, MODEL).

    Args:
        tokens: the tokens' bytes by rank; the first 256 are the single bytes, in any order.

    Returns:
        Left and right rank of token 256, 257, ...

    Raises:
        ArtifactError: the first 256 tokens are not the 256 bytes, or some token cannot be made of
            two tokens of lower rank; the message names it.

    Example:
        >>> canonical_pairs([*(bytes([k]) for k in range(256)), b"ab", b"abab"])
        [(97, 98), (256, 256)]
    """
    if sorted(tokens[:256]) != [bytes([k]) for k in range(256)]:
        raise ArtifactError("the first 256 tokens are not the 256 single bytes", status="RANKS")
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return [_pair(token, rank + 256, ranks) for rank, token in enumerate(tokens[256:])]


def _pair(token: bytes, rank: int, ranks: dict[bytes, int]) -> Pair:
    """Merge the bytes of a token by ranks below `rank`, lowest first, down to two parts."""
    parts = [token[k : k + 1] for k in range(len(token))]
    # ranks of the pairs (parts[k], parts[k + 1]); `rank` itself where there is none below it
    found = [min(ranks.get(token[k : k + 2], rank), rank) for k in range(len(token) - 1)]
    while len(parts) > 2:
        best = min(found)
        if best >= rank:
            raise ArtifactError(
                f"token {rank}, {token!r}, cannot be made of two tokens of lower rank: "
                f"{len(parts)} parts remain, {parts}. This is no BPE vocabulary.",
                status="RANKS",
            )
        k = found.index(best)
        parts[k : k + 2] = [parts[k] + parts[k + 1]]
        del found[k]
        if k > 0:
            found[k - 1] = min(ranks.get(parts[k - 1] + parts[k], rank), rank)
        if k < len(found):
            found[k] = min(ranks.get(parts[k] + parts[k + 1], rank), rank)
    return ranks[parts[0]], ranks[parts[1]]
