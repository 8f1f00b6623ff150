"""RWKV's vocabulary: a number, a Python literal and its length a line; the longest match counts."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from wwho.compile.codepoints import ALL
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Chars
from wwho.errors import SourceError
from wwho.format.greedy import SINGLE_BYTES, Greedy
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Artifact, Ids, Route
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source

_LINE = re.compile(
    rb"""([0-9]{1,7})[ ](b?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))[ ]([0-9]{1,4})\r?""", re.VERBOSE
)
MAX_LINE = 1 << 13


def sniff(source: Source) -> bool:
    """Return whether the first line is one of such a file."""
    return bool(_LINE.fullmatch(source.head.partition(b"\n")[0]))


def parse_rwkv(data: bytes) -> dict[bytes, int]:
    r"""Return the tokens of a vocabulary of RWKV and their ids, in the order of its lines.

    A line is an id, a text or bytes as Python writes them, and how many bytes these are. The last
    line may end without a line feed.

    Raises:
        SourceError: a line is malformed, a token or id comes twice, or one is too long or too
            large.

    Example:
        >>> parse_rwkv(b"1 'a' 1\n2 b'\\xff' 1\n")
        {b'a': 1, b'\xff': 2}
    """
    tokens: dict[bytes, int] = {}
    seen: set[int] = set()
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        match = _LINE.fullmatch(line) if len(line) <= MAX_LINE else None
        if match is None:
            raise SourceError(
                f"line {number}: expected a number, a quoted text and its length, found "
                f"{line[:60]!r}"
            )
        token, text = int(match[1]), _literal(match[2], number)
        if not 1 <= len(text) <= MAX_TOKEN_BYTES or len(text) != int(match[3]):
            raise SourceError(f"line {number}: {text!r} has {len(text)} bytes, not {int(match[3])}")
        if text in tokens or token in seen or token >= MAX_IDS:
            raise SourceError(f"line {number}: {text!r} or the id {token} comes twice, or is over")
        seen.add(token)
        tokens[text] = token
    return tokens


def _literal(data: bytes, number: int) -> bytes:
    """Return the bytes of a Python literal of a text or of bytes.

    Args:
        data: the literal; `_LINE` has seen to it that it is a single one.
        number: the number of its line, for the message.

    Raises:
        SourceError: it is no literal, or not UTF-8.
    """
    try:
        value = ast.literal_eval(data.decode("utf-8"))
        return value.encode("utf-8") if isinstance(value, str) else bytes(value)
    except (ValueError, SyntaxError) as error:
        raise SourceError(f"line {number}: {data[:60]!r} is no literal: {error}") from None


def longest_match(tokens: Mapping[bytes, int], record: Mapping[str, str]) -> Artifact:
    """Return the model that takes the longest token everywhere.

    Args:
        tokens: the ids of the tokens by their bytes.
        record: the provenance.

    Raises:
        SourceError: not every byte is a token.
    """
    missing = sorted(SINGLE_BYTES - tokens.keys())
    if missing:
        raise SourceError(
            f"{len(missing)} bytes are no tokens, the first {missing[0]!r}; text that has one "
            "could not be encoded"
        )
    texts = tuple(sorted(tokens, key=tokens.__getitem__))
    everything = Scanner("all", (Chars(ALL),), longest=True)
    return Artifact(
        scanners=compile_scanners([everything]),
        routes=(Route("other", model=0),),
        models=(
            Greedy(
                first=texts,
                later=None,
                id_policy=Ids.STATED,
                stated=tuple(tokens[text] for text in texts),
            ),
        ),
        provenance=record,
    )


def read(source: Source, options: Options) -> Imported:
    """Return the model of a vocabulary of RWKV.

    Raises:
        SourceError: a line is malformed, a token or id comes twice, or a byte is no token.
    """
    artifact = longest_match(parse_rwkv(source.data), options.record(source))
    return Imported(artifact=artifact, kind=READER.kind, engine="RWKV's longest match")


READER = Reader(
    kind="a vocabulary of RWKV", begins=rb"""[0-9]{1,7} b?['"]""", sniff=sniff, read=read
)
