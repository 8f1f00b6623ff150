"""Rank files as tiktoken publishes them: one token a line, base64 and rank."""

from __future__ import annotations

import base64
import binascii

from wwho.errors import ArtifactError
from wwho.format.layout import MAX_TOKEN_BYTES


def parse_ranks(data: bytes, name: str = "ranks") -> dict[bytes, int]:
    """Read the content of a `.tiktoken` file; `name` is what messages call it.

    Returns:
        The tokens' bytes and their ranks.

    Raises:
        ArtifactError: a line is malformed, or a rank or token comes twice; the message names file
            and line.

    Example:
        >>> parse_ranks(b"YQ== 1" + bytes([10]) + b"YmM= 0")
        {b'a': 1, b'bc': 0}
    """
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        token, rank = _line(line, f"{name}:{number}")
        if rank in seen:
            raise _bad(f"{name}:{number}: rank {rank} comes twice")
        if token in ranks:
            raise _bad(f"{name}:{number}: {token!r} has the ranks {ranks[token]} and {rank}")
        ranks[token] = rank
        seen.add(rank)
    return ranks


def _line(line: bytes, place: str) -> tuple[bytes, int]:
    """Token and rank of one line; `place` is file and line for messages."""
    parts = line.split()
    if len(parts) != 2:
        raise _bad(f"{place}: expected 'base64 rank', found {line[:60]!r}")
    try:
        token = base64.b64decode(parts[0], validate=True)
        rank = int(parts[1])
    except (binascii.Error, ValueError) as error:
        raise _bad(f"{place}: expected 'base64 rank', found {line[:60]!r}: {error}") from error
    if not token or rank < 0:
        raise _bad(f"{place}: an empty token or a negative rank: {line[:60]!r}")
    if len(token) > MAX_TOKEN_BYTES:
        raise _bad(f"{place}: a token of {len(token)} bytes; {MAX_TOKEN_BYTES} are possible")
    return token, rank


def _bad(message: str) -> ArtifactError:
    return ArtifactError(f"{message}. Is it a .tiktoken rank file?", status="RANKS")
