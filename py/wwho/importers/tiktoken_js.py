"""The JSON of tiktoken for JavaScript and of js-tiktoken: pattern, special tokens and ranks."""

from __future__ import annotations

from typing import Any

from wwho.assemble.base import base_model
from wwho.errors import SourceError
from wwho.importers.ranks import decode_token
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import JSON_BEGINS, Source, shown

KEYS = {"pat_str", "special_tokens", "bpe_ranks", "explicit_n_vocab"}


def sniff(source: Source) -> bool:
    """Return whether a JSON object has ranks and a pattern."""
    return {"pat_str", "bpe_ranks"} <= source.document.keys()


def read(source: Source, options: Options) -> Imported:
    """Return the model of the ranks, the pattern and the special tokens in a file of js-tiktoken.

    Raises:
        SourceError: a member is missing, malformed or not known, or the tokens are fewer or more
            than the file says.
        ArtifactError: the ranks are no BPE.
        PatternError: the pattern cannot be compiled.
        SpecialTokenError: a special token cannot be one.
    """
    document = source.document
    if unknown := document.keys() - KEYS:
        key = min(unknown)
        raise _bad(f"{shown(document[key])}, which is not known; expected {sorted(KEYS)}", key)
    ranks = parse_ranks(_member(document, "bpe_ranks", str))
    specials = _member(document, "special_tokens", dict)
    for text, number in specials.items():
        if type(number) is not int:
            raise _bad(f"{shown(number)} for {shown(text)}, expected an id", "special_tokens")
    size = document.get("explicit_n_vocab")
    if size is not None and size != len(ranks) + len(specials):
        raise _bad(
            f"{shown(size)}; there are {len(ranks)} ranks and {len(specials)} special tokens",
            "explicit_n_vocab",
        )
    artifact = base_model(
        ranks,
        pattern=_member(document, "pat_str", str),
        specials=specials,
        provenance=options.record(source),
    )
    return Imported(artifact=artifact, kind=READER.kind, engine="tiktoken 0.14")


def parse_ranks(text: str) -> dict[bytes, int]:
    """Return the ranks of tokens by their bytes.

    Each line is a sign, the rank of its first token, and tokens in base64 whose ranks count up.

    Args:
        text: the member "bpe_ranks".

    Raises:
        SourceError: a line is malformed, or a token or a rank comes twice.
        ArtifactError: a token is no base64, empty or too long.

    Example:
        >>> parse_ranks("! 0 YQ== Yg==" + chr(10) + "! 7 YWI=")
        {b'a': 0, b'b': 1, b'ab': 7}
    """
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        _, *parts = line.split(" ")
        if not parts or not (parts[0].isascii() and parts[0].isdigit()):
            raise _bad(f"{shown(line)} in line {number}, expected a sign and a rank", "bpe_ranks")
        for rank, written in enumerate(parts[1:], int(parts[0])):
            token = decode_token(written.encode(), f"/bpe_ranks: line {number}")
            if token in ranks or rank in seen:
                raise _bad(f"the token {token!r} or the rank {rank} twice", "bpe_ranks")
            ranks[token] = rank
            seen.add(rank)
    return ranks


def _member(document: dict[str, Any], key: str, kind: type) -> Any:
    """Return the value of a key.

    Raises:
        SourceError: it is missing or of another type.
    """
    if not isinstance(document.get(key), kind):
        raise _bad(f"{shown(document.get(key))}, expected {kind.__name__}", key)
    return document[key]


def _bad(message: str, key: str) -> SourceError:
    """Return the error of what was found at a key."""
    return SourceError(f"/{key}: found {message}", pointer=f"/{key}")


READER = Reader(
    kind="a JSON of tiktoken for JavaScript",
    begins=JSON_BEGINS,
    sniff=sniff,
    read=read,
    marks=('"pat_str"',),
)
