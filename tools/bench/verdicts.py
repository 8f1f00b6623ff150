"""Whether ids are tiktoken's."""

from __future__ import annotations

from typing import Any

from jobs import Pair, Result


def verdict(oracle: Result, results: dict[str, Result], pair: Pair) -> str:
    """Whether both engines gave tiktoken's ids; where they only count, its counts."""
    if not any(oracle.get("checks", ())):
        return "no oracle"
    inexact = [
        name
        for name, engine in (("WWHO", pair.ours), ("peer", pair.theirs))
        if engine in results and not agree(results[engine]["checks"], oracle["checks"])
    ]
    if inexact:
        return f"{' and '.join(inexact)} inexact"
    return "yes" if pair.theirs in results else ""


def agree(checks: list[Any], oracle: list[Any]) -> bool:
    """Whether the blocks that were done have the oracle's counts and digests."""
    return all(
        mine[0] == right[0] and mine[1] in (None, right[1])
        for mine, right in zip(checks, oracle, strict=False)
        if mine and right
    )
