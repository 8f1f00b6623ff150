"""Tekken, mistral-common's tekken.json: byte-level ranks, a pattern, and special tokens."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wwho.assemble.base import base_model
from wwho.errors import SourceError
from wwho.format.layout import MAX_IDS
from wwho.format.model import Added
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import JSON_BEGINS, Source, shown

_VERSIONS = ("v1", "v2", "v3", "v7", "v11", "v13", "v15")
_DEPRECATED = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
)
"""The special tokens of files up to v7 that do not list theirs."""


def sniff(source: Source) -> bool:
    """Return whether a JSON object has the keys of a tekken.json."""
    return b'"token_bytes"' in source.head and "vocab" in source.document


def read(source: Source, options: Options) -> Imported:
    """Return the model of a tekken.json; special tokens have the first ids, then come the ranks.

    Raises:
        SourceError: a member is missing or malformed, or the version is not known.
    """
    document = source.document
    config = _at(document, "/config", dict)
    version = _at(config, "/config/version", str)
    if version not in _VERSIONS:
        raise _bad(f"the version {version!r}; known are {', '.join(_VERSIONS)}", "/config/version")
    n_specials = _count(config, "/config/default_num_special_tokens")
    n_ids = _count(config, "/config/default_vocab_size")
    tokens = _tokens(_at(document, "/vocab", list), n_ids - n_specials)
    specials = _special_texts(document.get("special_tokens"), version, n_specials)
    artifact = base_model(
        {token: n_specials + rank for rank, token in enumerate(tokens)},
        pattern=_at(config, "/config/pattern", str),
        specials={},
        provenance=options.record(source),
    )
    added = tuple(Added(text, token) for token, text in enumerate(specials))
    artifact = replace(artifact, added=added)
    return Imported(
        artifact=artifact,
        kind=READER.kind,
        engine="mistral-common 1.13.1",
        notes=tuple(_notes_on_omissions(document, len(tokens))),
    )


def _tokens(vocab: list[Any], n_tokens: int) -> list[bytes]:
    """Return the bytes of the tokens that count, the first ones, by rank.

    Args:
        vocab: the member "vocab".
        n_tokens: how many count.

    Raises:
        SourceError: that many are not there, or fewer than 256 count; an item has another rank than
            its place, or no bytes in base64; the first 256 are not the bytes; or one comes twice.
    """
    if not 256 <= n_tokens <= len(vocab):
        raise _bad(
            f"{n_tokens} tokens (default_vocab_size less default_num_special_tokens), but the "
            f"vocabulary has {len(vocab)}; at least 256 are needed",
            "/config/default_vocab_size",
        )
    tokens = []
    for rank, each in enumerate(vocab[:n_tokens]):
        pointer = f"/vocab/{rank}"
        if not isinstance(each, dict) or each.get("rank") != rank:
            raise _bad(f"{shown(each)}, expected an object with the rank {rank}", pointer)
        try:
            token = base64.b64decode(_at(each, f"{pointer}/token_bytes", str), validate=True)
        except (binascii.Error, ValueError) as error:
            raise _bad(f"token_bytes that are no base64: {error}", pointer) from error
        if not token or (rank < 256 and token != bytes([rank])):
            raise _bad(f"the token {token!r}; the first 256 are the bytes in order", pointer)
        tokens.append(token)
    if len(set(tokens)) < len(tokens):
        raise _bad("a token that comes twice", "/vocab")
    return tokens


def _special_texts(listed: object, version: str, count: int) -> list[str]:
    """Return the texts of the special tokens, one for each id from 0 to `count` - 1.

    Ids behind the end of the list get the texts `<SPECIAL_n>`.

    Args:
        listed: the member "special_tokens". If it is missing (None) in a file up to v7, the tokens
            are those that all such files had.
        version: the version of the file: "v" and a number.
        count: the number of special tokens.

    Raises:
        SourceError: there is no list in a later file, it is too long, an item is not an object with
            its own place as rank and a text, or a text comes twice.
    """
    if listed is None and int(version[1:]) <= 7:
        listed = [{"rank": rank, "token_str": text} for rank, text in enumerate(_DEPRECATED)]
    if not isinstance(listed, list) or len(listed) > count:
        raise _bad(
            f"{shown(listed)}, expected a list of at most {count} special tokens, which files "
            "after v7 must have",
            "/special_tokens",
        )
    texts = []
    for rank, each in enumerate(listed):
        pointer = f"/special_tokens/{rank}"
        if not isinstance(each, dict) or each.get("rank") != rank:
            raise _bad(f"{shown(each)}, expected an object with the rank {rank}", pointer)
        texts.append(_at(each, f"{pointer}/token_str", str))
    texts += [f"<SPECIAL_{rank}>" for rank in range(len(texts), count)]
    if len(set(texts)) < count:
        raise _bad("a special token that comes twice", "/special_tokens")
    return texts


def _notes_on_omissions(document: Mapping[str, Any], used: int) -> list[str]:
    """Return notes on ranks that are not used, and on settings that say nothing of text.

    Args:
        document: the file's content.
        used: how many of its ranks are used.
    """
    notes = []
    if used < len(document["vocab"]):
        notes.append(f"of {len(document['vocab']):,} ranks the first {used:,} are used, as it says")
    for key in ("image", "multimodal", "audio", "model_settings_builder"):
        if document.get(key):
            notes.append(f"left out: {key!r}, which says nothing of text")
    return notes


def _at(document: Mapping[str, Any], pointer: str, kind: type) -> Any:
    """Return the member of an object whose key is the last one of a pointer.

    Args:
        document: the object.
        pointer: where the member stands in the file, for the message, too.
        kind: the type that it must have.

    Raises:
        SourceError: it is missing or of another type.
    """
    found = document.get(pointer.rpartition("/")[2])
    if not isinstance(found, kind):
        raise _bad(f"{shown(found)}, expected {kind.__name__}", pointer)
    return found


def _count(config: Mapping[str, Any], pointer: str) -> int:
    """Return the number of tokens that a pointer's last key names in the member "config".

    Raises:
        SourceError: it is missing, no whole number, or not 0 to `MAX_IDS`.
    """
    found = _at(config, pointer, int)
    if not 0 <= found <= MAX_IDS:
        raise _bad(f"{found}; 0 to {MAX_IDS} are possible", pointer)
    number: int = found
    return number


def _bad(message: str, pointer: str) -> SourceError:
    return SourceError(f"{pointer}: found {message}", pointer=pointer)


READER = Reader(
    kind="a tekken.json", begins=JSON_BEGINS, sniff=sniff, read=read, marks=('"vocab"',)
)
