"""A rank file of tiktoken: base64 and rank a line. Published ones are known by their bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from wwho.assemble.base import base_model
from wwho.assemble.patterns import PATTERNS
from wwho.errors import ArtifactError, SourceError
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.importers.published import PUBLISHED
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source, shown

_LINE = re.compile(rb"\s*[A-Za-z0-9+/]+=* [0-9]+\s")
_EMPTY = re.compile(rb"\n= ([0-9]+)\s*$")
"""A last token without bytes, as in Whisper's; no text has it."""


def sniff(source: Source) -> bool:
    """Return whether the first line is one of a rank file."""
    return bool(_LINE.match(source.head + b"\n"))


def read(source: Source, options: Options) -> Imported:
    """Return the model of a rank file; raises what `parse_ranks` and `base_model` raise, too.

    The pattern is that of the options, else that of the published file of the same bytes. Special
    tokens are those of the options, else those of the tokenizer_config.json beside it, else those
    that are published. A token without bytes is left out, with a note.

    Raises:
        SourceError: nothing tells the pattern, or the tokenizer_config.json is damaged.
    """
    known = PUBLISHED.get(hashlib.sha256(source.data).hexdigest())
    pattern, notes = options.pattern, []
    if known is not None:
        notes.append(f"the file is {known.name}, whose pattern and special tokens are known")
        pattern = pattern or known.pattern
    if pattern is None:
        raise SourceError(
            "a rank file names no pretokenizer, and this is none of the published ones that are "
            f"known: give its pattern (--pattern), {', '.join(PATTERNS)} or a regular expression, "
            "and its special tokens (--special TEXT=ID)"
        )
    specials = options.specials or _specials_beside(source) or (known.specials if known else {})
    data = source.data
    if empty := _EMPTY.search(data):
        data = data[: empty.start() + 1]
        notes.append(f"the token {int(empty[1])} has no bytes; no text has it, and it is left out")
    artifact = base_model(
        parse_ranks(data, str(source.path)),
        pattern=pattern,
        specials=specials,
        provenance=options.record(source),
    )
    return Imported(artifact=artifact, kind=READER.kind, engine="tiktoken 0.14", notes=tuple(notes))


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
    """Return the bytes of the token of one line, and its rank.

    Args:
        line: the line.
        place: file and line for messages.

    Raises:
        ArtifactError: it is malformed.
    """
    parts = line.split()
    if len(parts) != 2:
        raise _bad(f"{place}: expected 'base64 rank', found {line[:60]!r}")
    if not re.fullmatch(rb"[0-9]{1,15}", parts[1]):
        raise _bad(f"{place}: expected 'base64 rank', found {line[:60]!r}")
    return decode_token(parts[0], place), int(parts[1])


def decode_token(written: bytes, place: str) -> bytes:
    """Return the bytes of a token that is written in base64.

    Args:
        written: the base64.
        place: where it stands, for messages.

    Raises:
        ArtifactError: it is no base64, empty or too long.
    """
    try:
        token = base64.b64decode(written, validate=True)
    except binascii.Error as error:
        raise _bad(f"{place}: expected base64, found {written[:60]!r}: {error}") from error
    if not token:
        raise _bad(f"{place}: an empty token")
    if len(token) > MAX_TOKEN_BYTES:
        raise _bad(f"{place}: a token of {len(token)} bytes; {MAX_TOKEN_BYTES} are possible")
    return token


def _bad(message: str) -> ArtifactError:
    return ArtifactError(f"{message}. Is it a .tiktoken rank file?", status="RANKS")


def _specials_beside(source: Source) -> Mapping[str, int]:
    """Return the ids of the special tokens of a tokenizer_config.json in the same folder, by text.

    Raises:
        SourceError: the file is damaged, or a token has no text or no id.
    """
    found: Any = source.json_beside().get("added_tokens_decoder")
    if not isinstance(found, dict):
        return {}
    specials: dict[str, int] = {}
    for token, each in found.items():
        text = each.get("content") if isinstance(each, dict) else None
        if not isinstance(text, str) or not token.isdecimal():
            raise SourceError(
                f"tokenizer_config.json beside it has an added token {shown(token)}: {shown(each)}",
                pointer=f"/added_tokens_decoder/{token}",
            )
        specials[text] = int(token)
    return specials


READER = Reader(
    kind="a tiktoken rank file",
    begins=rb"\s*[A-Za-z0-9+/]+=* [0-9]+(?:\s|$)",
    sniff=sniff,
    read=read,
    takes=frozenset({"pattern", "specials"}),
)
