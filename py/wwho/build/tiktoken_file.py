"""Rank files as tiktoken publishes them: one token a line, base64 and rank."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path

from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import free_ids
from wwho.errors import ArtifactError, SpecialTokenError


def read_ranks(path: str | os.PathLike[str]) -> dict[bytes, int]:
    """Read a `.tiktoken` file.

    Returns:
        The tokens' bytes and their ranks.

    Raises:
        ArtifactError: a line is malformed, or a rank or token comes twice; the message names file
            and line.
        OSError: the file cannot be read.
    """
    return parse_ranks(Path(path).read_bytes(), str(path))


def parse_ranks(data: bytes, name: str = "ranks") -> dict[bytes, int]:
    """Read the content of a `.tiktoken` file; `name` is what messages call it.

    Raises:
        ArtifactError: as `read_ranks`.

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


def tokens_by_rank(ranks: Mapping[bytes, int], specials: Mapping[str, int]) -> list[bytes]:
    """The tokens in order of rank.

    Ranks are ids: with those of the special tokens, they must leave out none.

    Raises:
        ArtifactError: a rank is missing, or belongs to two tokens.
        SpecialTokenError: a special token has the id of another token.

    Example:
        >>> tokens_by_rank({b"b": 2, b"a": 0}, {"<|end|>": 1})
        [b'a', b'b']
    """
    tokens = sorted(ranks, key=ranks.__getitem__)
    texts = {number: text for text, number in specials.items()}
    for token, expected in zip(tokens, free_ids(len(tokens), texts), strict=True):
        rank = ranks[token]
        if rank in texts:
            raise SpecialTokenError(
                f"special token {texts[rank]!r} has the id {rank}, which belongs to {token!r}"
            )
        if rank < expected:
            raise ArtifactError(
                f"{token!r} has the rank {rank}, which is negative or that of another, too",
                status="RANKS",
            )
        if rank > expected:
            raise ArtifactError(
                f"rank {expected} is missing: no token and no special token has it", status="RANKS"
            )
    return tokens


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
