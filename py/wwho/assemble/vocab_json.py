"""The reader of the `vocab.json` of the WWHO paper's authors, which checks every field."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from wwho.errors import ArtifactError, errors_name_file
from wwho.format.layout import MAX_TOKEN_BYTES

UNKNOWN = "[UNK]"
RECORDED_KEYS = {"version": str, "script_mode": str, "leading_space": bool, "prune_freq": int}
"""Optional keys that change nothing, and the type of each; a model's provenance keeps them."""

Merge = tuple[str, str]
"""The two texts that a merge joins."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class VocabJson:
    """The checked content of a file.

    Attributes:
        vocab: Tokens, special ones among them, to ids: 0 to the number of tokens less one, each
            once.
        merges: Pairs of texts, in order of rank; a pair that the file lists again has its last
            place.
        specials: The special tokens by id, which have the lowest ids; ``[UNK]`` is one of them.
        record: The values of `RECORDED_KEYS` that are there, as texts.
        digest: SHA-256 of the file, in hexadecimal.
    """

    vocab: Mapping[str, int]
    merges: tuple[Merge, ...]
    specials: tuple[str, ...]
    record: Mapping[str, str]
    digest: str


def parse_vocab_json(data: bytes, name: str = "vocab.json") -> VocabJson:
    """Parse and check the content of a file.

    Args:
        data: The content, JSON in UTF-8.
        name: The name of the file in error messages.

    Raises:
        ArtifactError: If it is not such a file (status VOCAB_JSON); the message says what was found
            and what was expected.

    Example:
        >>> text = '{"vocab": {"[UNK]": 0, "a": 1}, "merges": [], "special_tokens": ["[UNK]"]}'
        >>> parse_vocab_json(text.encode()).vocab["a"]
        1
    """
    with errors_name_file(name):
        document = _parse_object(data)
        vocab = _check_vocab(_field(document, "vocab", dict))
        specials = _sorted_specials(_field(document, "special_tokens", list), vocab)
        merges = _distinct_merges(_field(document, "merges", list), specials)
        record = {
            key: _record_text(document, key, kind)
            for key, kind in RECORDED_KEYS.items()
            if key in document
        }
    return VocabJson(vocab, merges, specials, record, sha256(data).hexdigest())


def vocab_json_error(message: str) -> ArtifactError:
    """Return the error for a file that cannot be imported (status VOCAB_JSON)."""
    return ArtifactError(message, status="VOCAB_JSON")


def json_excerpt(value: object) -> str:
    """Return a value as JSON writes it, for a message: at most 60 characters and an ellipsis."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _parse_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object that a file is.

    Raises:
        ArtifactError: If it is not JSON in UTF-8, no object, nested too deeply, or an object in it
            repeats a key.
    """
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=_object_of_pairs)
    except ArtifactError:
        raise
    except ValueError as error:
        raise vocab_json_error(f"this is not JSON in UTF-8: {error}") from error
    except RecursionError:
        raise vocab_json_error(
            "it is nested too deeply; a vocab.json has three levels of { } and [ ]"
        ) from None
    if not isinstance(document, dict):
        raise vocab_json_error(
            f"it holds {json_excerpt(document)}, expected an object with the key 'vocab'"
        )
    return document


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON's pairs.

    Raises:
        ArtifactError: A key comes twice (status VOCAB_JSON).
    """
    value_of = dict(pairs)
    if len(value_of) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise vocab_json_error(
            f"the key {json_excerpt(repeated)} comes twice in one object; keep one"
        )
    return value_of


def _field(document: Mapping[str, Any], key: str, kind: type[Value]) -> Value:
    """Return the value that a vocab.json has for a key, once its type is checked.

    A boolean is no int here.

    Raises:
        ArtifactError: If the key is missing, or the value is of another type than `kind`.
    """
    if key not in document:
        raise vocab_json_error(
            f"there is no key {key!r}, but {', '.join(map(repr, document)) or 'none at all'}; "
            "is it a vocab.json of the WWHO paper?"
        )
    value = document[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise vocab_json_error(f"{key!r} is {json_excerpt(value)}, expected {kind.__name__}")
    return value


def _record_text(document: Mapping[str, Any], key: str, kind: type[Any]) -> str:
    """Return the value of a key as text that a model can hold: lone surrogates become "?".

    Raises:
        ArtifactError: If the value is of another type than `kind`.
    """
    return str(_field(document, key, kind)).encode("utf-8", "replace").decode("utf-8")


def _check_vocab(vocab: dict[str, Any]) -> dict[str, int]:
    """Return a file's vocabulary itself, after checking its texts and ids.

    Raises:
        ArtifactError: If a text cannot be a token, or the ids are not 0 to the number of tokens
            less one, each once.
    """
    owners: dict[int, str] = {}
    for text, number in vocab.items():
        _check_text(text)
        if not isinstance(number, int) or isinstance(number, bool):
            raise vocab_json_error(
                f"the id of {json_excerpt(text)} is {json_excerpt(number)}, expected an int"
            )
        if not 0 <= number < len(vocab):
            raise vocab_json_error(
                f"the id of {json_excerpt(text)} is {number}; the ids of {len(vocab)} tokens "
                f"must be 0 to {len(vocab) - 1}, each once"
            )
        if number in owners:
            raise vocab_json_error(
                f"{json_excerpt(owners[number])} and {json_excerpt(text)} have the same id {number}"
            )
        owners[number] = text
    return vocab


def _check_text(text: str) -> None:
    """Raise ArtifactError if a text has no bytes, too many bytes, or a lone surrogate."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise vocab_json_error(
            f"the token {json_excerpt(text)} holds a lone surrogate, which no text has"
        ) from error
    if not 1 <= size <= MAX_TOKEN_BYTES:
        raise vocab_json_error(
            f"the token {json_excerpt(text)} has {size} bytes; 1 to {MAX_TOKEN_BYTES} are possible"
        )


def _sorted_specials(specials: list[Any], vocab: Mapping[str, int]) -> tuple[str, ...]:
    """Return the special tokens sorted by id.

    Raises:
        ArtifactError: If one is no token of `vocab`, ``[UNK]`` is missing, or their ids are not the
            lowest, each once.
    """
    for text in specials:
        if not isinstance(text, str) or text not in vocab:
            raise vocab_json_error(f"the special token {json_excerpt(text)} is no token of 'vocab'")
    if UNKNOWN not in specials:
        raise vocab_json_error(
            f"'special_tokens' is {json_excerpt(specials)}, without {UNKNOWN}, which stands "
            "for all that is not in 'vocab'"
        )
    ordered = sorted(specials, key=lambda text: vocab[text])
    ids = [vocab[text] for text in ordered]
    if ids != list(range(len(ids))):
        raise vocab_json_error(
            f"the special tokens have the ids {json_excerpt(ids)}, expected the lowest, "
            f"0 to {len(ids) - 1}, each once"
        )
    return tuple(ordered)


def _distinct_merges(merges: list[Any], specials: tuple[str, ...]) -> tuple[Merge, ...]:
    """Return the merges in order of rank; a pair that the file repeats has its last place.

    Raises:
        ArtifactError: If a merge is no pair of texts, or joins a special token.
    """
    ranks: dict[Merge, int] = {}
    for rank, merge in enumerate(merges):
        fine = isinstance(merge, list) and len(merge) == 2
        if not fine or not all(isinstance(part, str) and part for part in merge):
            raise vocab_json_error(f"merge {rank} is {json_excerpt(merge)}, expected two texts")
        left, right = merge
        if left in specials or right in specials:
            raise vocab_json_error(
                f"merge {rank} is {json_excerpt(merge)}, but special tokens never merge"
            )
        ranks[left, right] = rank
    return tuple(sorted(ranks, key=ranks.__getitem__))
