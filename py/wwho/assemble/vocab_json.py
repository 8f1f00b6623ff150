"""The `vocab.json` that the WWHO paper's authors publish: read, and every field checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from wwho.errors import ArtifactError, naming
from wwho.format.layout import MAX_TOKEN_BYTES

UNKNOWN = "[UNK]"
RECORDED = {"version": str, "script_mode": str, "leading_space": bool, "prune_freq": int}
"""Keys that change nothing, of which a model keeps a record: where there, of these types."""

Merge = tuple[str, str]
Value = TypeVar("Value")


@dataclass(frozen=True)
class VocabJson:
    """What such a file says.

    Attributes:
        vocab: tokens, special ones among them, and their ids from 0 on, which are all different and
            leave none out.
        merges: pairs of texts, in order of rank; a pair that the file lists again has its last
            place.
        specials: the special tokens, which have the lowest ids; ``[UNK]`` is one of them.
        record: what else it says of itself.
        digest: SHA-256 of the file, in hexadecimal.
    """

    vocab: Mapping[str, int]
    merges: tuple[Merge, ...]
    specials: tuple[str, ...]
    record: Mapping[str, str]
    digest: str


def parse_vocab_json(data: bytes, name: str = "vocab.json") -> VocabJson:
    """Read the content of a file; `name` is what messages call it.

    Raises:
        ArtifactError: it is not such a file (status VOCAB_JSON); the message names it, and what
            was found and expected.

    Example:
        >>> text = '{"vocab": {"[UNK]": 0, "a": 1}, "merges": [], "special_tokens": ["[UNK]"]}'
        >>> parse_vocab_json(text.encode()).vocab["a"]
        1
    """
    with naming(name):
        document = _document(data)
        vocab = _vocab(_field(document, "vocab", dict))
        specials = _specials(_field(document, "special_tokens", list), vocab)
        merges = _merges(_field(document, "merges", list), specials)
        record = {
            key: _recorded(document, key, kind) for key, kind in RECORDED.items() if key in document
        }
    return VocabJson(vocab, merges, specials, record, sha256(data).hexdigest())


def refusal(message: str) -> ArtifactError:
    """The error for a file that cannot be imported."""
    return ArtifactError(message, status="VOCAB_JSON")


def shown(value: object) -> str:
    """A value in a message: as JSON writes it, the first 60 characters."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _document(data: bytes) -> dict[str, Any]:
    """The object that the file is."""
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_object)
    except ArtifactError:
        raise
    except ValueError as error:
        raise refusal(f"this is not JSON in UTF-8: {error}") from error
    except RecursionError:
        raise refusal(
            "it is nested too deeply; a vocab.json has three levels of { } and [ ]"
        ) from None
    if not isinstance(document, dict):
        raise refusal(f"it holds {shown(document)}, expected an object with the key 'vocab'")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object none of whose keys comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise refusal(f"the key {shown(twice)} comes twice in one object; keep one")
    return found


def _field(document: Mapping[str, Any], key: str, kind: type[Value]) -> Value:
    """The value of a key, which must be of this type."""
    if key not in document:
        raise refusal(
            f"there is no key {key!r}, but {', '.join(map(repr, document)) or 'none at all'}; "
            "is it a vocab.json of the WWHO paper?"
        )
    value = document[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise refusal(f"{key!r} is {shown(value)}, expected {kind.__name__}")
    return value


def _recorded(document: Mapping[str, Any], key: str, kind: type[Any]) -> str:
    """What a key that changes nothing says, as text that a model can hold."""
    return str(_field(document, key, kind)).encode("utf-8", "replace").decode("utf-8")


def _vocab(vocab: dict[str, Any]) -> dict[str, int]:
    """Check tokens and ids."""
    owners: dict[int, str] = {}
    for text, number in vocab.items():
        _check_text(text)
        if not isinstance(number, int) or isinstance(number, bool):
            raise refusal(f"the id of {shown(text)} is {shown(number)}, expected an int")
        if not 0 <= number < len(vocab):
            raise refusal(
                f"the id of {shown(text)} is {number}; the ids of {len(vocab)} tokens must be "
                f"0 to {len(vocab) - 1}, each once"
            )
        if number in owners:
            raise refusal(f"{shown(owners[number])} and {shown(text)} have the same id {number}")
        owners[number] = text
    return vocab


def _check_text(text: str) -> None:
    """Check what a token may be."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise refusal(
            f"the token {shown(text)} holds a lone surrogate, which no text has"
        ) from error
    if not 1 <= size <= MAX_TOKEN_BYTES:
        raise refusal(
            f"the token {shown(text)} has {size} bytes; 1 to {MAX_TOKEN_BYTES} are possible"
        )


def _specials(specials: list[Any], vocab: Mapping[str, int]) -> tuple[str, ...]:
    """Check the special tokens; give them by ascending id."""
    for text in specials:
        if not isinstance(text, str) or text not in vocab:
            raise refusal(f"the special token {shown(text)} is no token of 'vocab'")
    if UNKNOWN not in specials:
        raise refusal(
            f"'special_tokens' is {shown(specials)}, without {UNKNOWN}, which stands for all that "
            "is not in 'vocab'"
        )
    ordered = sorted(specials, key=lambda text: vocab[text])
    ids = [vocab[text] for text in ordered]
    if ids != list(range(len(ids))):
        raise refusal(
            f"the special tokens have the ids {shown(ids)}, expected the lowest, "
            f"0 to {len(ids) - 1}, each once"
        )
    return tuple(ordered)


def _merges(merges: list[Any], specials: tuple[str, ...]) -> tuple[Merge, ...]:
    """Check the merges; of a pair that comes again, the last place counts."""
    ranks: dict[Merge, int] = {}
    for rank, merge in enumerate(merges):
        fine = isinstance(merge, list) and len(merge) == 2
        if not fine or not all(isinstance(part, str) and part for part in merge):
            raise refusal(f"merge {rank} is {shown(merge)}, expected two texts")
        left, right = merge
        if left in specials or right in specials:
            raise refusal(f"merge {rank} is {shown(merge)}, but special tokens never merge")
        ranks[left, right] = rank
    return tuple(sorted(ranks, key=ranks.__getitem__))
