"""Rank files as tiktoken publishes them: one token a line, base64 and rank."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path

from wwho.artifact.layout import MAX_TOKEN_BYTES
from wwho.errors import ArtifactError


def read_ranks(path: str | os.PathLike[str]) -> list[bytes]:
    """Read a `.tiktoken` file.

    Returns:
        The tokens' bytes, in order of rank.

    Raises:
        ArtifactError: a line is malformed, or a rank or token is missing or comes twice; the
            message names file and line.
        OSError: the file cannot be read.
    """
    return parse_ranks(Path(path).read_bytes(), str(path))


def parse_ranks(data: bytes, name: str = "ranks") -> list[bytes]:
    """Read the content of a `.tiktoken` file; `name` is what messages call it.

    Raises:
        ArtifactError: as `read_ranks`.

    Example:
        >>> parse_ranks(b"YQ== 1" + bytes([10]) + b"YmM= 0")
        [b'bc', b'a']
    """
    tokens: dict[int, bytes] = {}
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        token, rank = _line(line, f"{name}:{number}")
        if rank in tokens:
            raise _bad(f"{name}:{number}: rank {rank} comes twice")
        tokens[rank] = token
    ranked = [tokens[rank] for rank in sorted(tokens)]
    if set(tokens) != set(range(len(tokens))):
        first = next(rank for rank in range(len(tokens)) if rank not in tokens)
        raise _bad(f"{name}: rank {first} is missing; ranks must be 0 to {len(tokens) - 1}")
    ranks: dict[bytes, int] = {}
    for rank, token in enumerate(ranked):
        if ranks.setdefault(token, rank) != rank:
            raise _bad(f"{name}: {token!r} has the ranks {ranks[token]} and {rank}")
    return ranked


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
