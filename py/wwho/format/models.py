"""The sections MODEL: the head that models of all kinds share, and what each kind holds."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from wwho.format import leb
from wwho.format.bpe import BPE, read_bpe, write_bpe
from wwho.format.container import fail
from wwho.format.cursor import Cursor
from wwho.format.greedy import Greedy, read_greedy, write_greedy
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES, NONE
from wwho.format.model import (
    AFFIXES,
    ANYWHERE,
    FUSE,
    HEAD,
    PARTS,
    Artifact,
    Head,
    Ids,
    Model,
    Unknown,
)
from wwho.format.viterbi import Viterbi, read_viterbi, write_viterbi


class _Kind(NamedTuple):
    """A kind of models: its type, and the functions that write and read what follows a head."""

    type: type[Model]
    write: Callable[[Any], bytes]
    read: Callable[[Cursor, Head], Model]


KINDS = {
    1: _Kind(BPE, write_bpe, read_bpe),
    2: _Kind(Greedy, write_greedy, read_greedy),
    3: _Kind(Viterbi, write_viterbi, read_viterbi),
}
"""The kinds of models, by their number in the file."""


def write_model(artifact: Artifact, number: int) -> bytes:
    """Return the bytes of the section MODEL for a model, by its number, of an artifact.

    Nothing is checked.

    Raises:
        ValueError: a number or a text does not fit its column.
    """
    model = artifact.models[number]
    kind = next(number for number, each in KINDS.items() if each.type is type(model))
    head = Head(
        kind=kind,
        units=getattr(model, "units", False),
        unknown=model.unknown,
        ids=model.id_policy,
        speller=model.speller,
        flags=_flags(model),
        zero=0,
        first_id=model.first_id,
        unk_id=NONE if model.unk_id is None else model.unk_id,
        n_symbols=model.n_symbols,
        n_merges=len(model.texts) - model.n_symbols,
        text_bytes=sum(map(len, model.texts)),
        n_ids=artifact.end_id(number) - model.first_id,
    )
    out = struct.pack(HEAD, *head) + KINDS[kind].write(model)
    if model.id_policy is Ids.STATED:
        numbers = (0 if id is None else id - model.first_id + 1 for id in model.stated)
        out += leb.pack(leb.zigzag(numbers))
    if model.unknown is Unknown.BYTES:
        out += leb.pack(0 if id is None else id + 1 for id in model.byte_ids)
    return out


def _flags(model: Model) -> int:
    """Return the flags of a model's head as one number."""
    names = ("fuse", "anywhere", "parts_later", "unmade", "whole", "ties", "parts", "affixes")
    return sum(1 << bit for bit, name in enumerate(names) if getattr(model, name, False))


def read_heads(sections: Sequence[bytes]) -> list[Head]:
    """Return the heads of all models, in order.

    Args:
        sections: the bytes of each section MODEL.

    Raises:
        ArtifactError: a head breaks a MUST of FORMAT.md; `.status` is MODEL.
    """
    heads: list[Head] = []
    for data in sections:
        heads.append(_head(Cursor(data, "MODEL"), heads))
    return heads


def _head(cursor: Cursor, before: Sequence[Head]) -> Head:
    """Read and check a head; `before` are the heads of the models before it.

    What takes the models to see is left to `check_ids`: that no ids overlap, and that unk_id is a
    token.

    Raises:
        ArtifactError: it breaks a MUST of FORMAT.md, MODEL.
    """
    head = Head(*struct.unpack(HEAD, cursor.take(struct.calcsize(HEAD), "head")))
    if head.kind not in KINDS:
        cursor.fail(f"a model of unknown kind {head.kind}: update wwho")
    if head.units > 1 or head.unknown > max(Unknown) or head.ids > max(Ids):
        cursor.fail(f"symbols, unknown or ids are unknown: {head}; update wwho")
    if head.zero:
        cursor.fail(f"{head.zero} in the place of zero")
    n_tokens = head.n_symbols + head.n_merges
    if not n_tokens <= min(MAX_IDS, len(cursor.data)):
        cursor.fail(f"{n_tokens} tokens in {len(cursor.data)} bytes")
    if head.text_bytes > MAX_TOKEN_BYTES * n_tokens:
        cursor.fail(f"{head.text_bytes} bytes of text in {n_tokens} tokens")
    if head.ids == Ids.STATED and not head.n_ids:
        cursor.fail("no token has an id")
    if head.first_id + head.n_ids > MAX_IDS:
        cursor.fail(f"ids {head.first_id} to {head.first_id + head.n_ids}; {MAX_IDS} are possible")
    _check_unknown(cursor, head, before)
    return head


def _check_unknown(cursor: Cursor, head: Head, before: Sequence[Head]) -> None:
    """Check that the kind, the flags and the ids of a head fit what becomes of unknown text.

    Args:
        cursor: raises the error.
        head: the head.
        before: the heads of the models before it, one of which may be the speller.

    Raises:
        ArtifactError: they do not.
    """
    unknown = Unknown(head.unknown)
    kind = KINDS[head.kind].type
    bpe = kind is BPE
    spells = unknown is Unknown.SPELL
    if not bpe and head.flags & ~ANYWHERE:
        cursor.fail(f"flags are {head.flags}, which only BPE has")
    if head.units and kind is Greedy:
        cursor.fail("tokens of units, which BPE and VITERBI have")
    if head.flags & ANYWHERE and kind is not Greedy:
        cursor.fail(f"flags are {head.flags}, which only GREEDY has")
    lacks = unknown is Unknown.ID and head.ids == Ids.STATED and not head.flags & FUSE
    never = unknown is Unknown.NONE or lacks
    if bpe and not head.units and (head.n_symbols != 256 or not never):
        cursor.fail(f"{head.n_symbols} bytes, of which none can be unknown, but {unknown.name}")
    if head.flags & PARTS and not (head.units and spells):
        cursor.fail("only units that another model spells are taken apart first")
    if head.flags & AFFIXES and (not head.units or spells):
        cursor.fail(f"affixes of symbols {head.units} with unknown {unknown.name}")
    if head.speller and not spells:
        cursor.fail(f"model {head.speller} has nothing to spell")
    if spells and (head.speller >= len(before) or not before[head.speller].takes_bytes):
        cursor.fail(f"model {head.speller} cannot spell for model {len(before)}")
    given = head.unk_id != NONE
    if given if unknown is Unknown.NONE else unknown is Unknown.ID and not given:
        cursor.fail(f"unk_id is {head.unk_id}, unknown {unknown.name}")
    if head.flags & FUSE and (spells or not given):
        cursor.fail(f"unknowns of {unknown.name} with unk_id {head.unk_id} cannot be one")
    if unknown is Unknown.BYTES and head.ids != Ids.STATED:
        cursor.fail("tokens of bytes need ids that the file states")


def read_models(sections: Sequence[bytes], heads: Sequence[Head]) -> tuple[Model, ...]:
    """Return all models, in order.

    Args:
        sections: the bytes of each section MODEL.
        heads: their heads, as `read_heads` returns them.

    Raises:
        ArtifactError: a model breaks a MUST of FORMAT.md that it alone can break; `check_ids`
            checks those that take all models to see.
    """
    return tuple(map(_model, sections, heads))


def _model(data: bytes, head: Head) -> Model:
    """Read and check one model, which follows its head.

    Args:
        data: the bytes of the section MODEL, with the head.
        head: the head, which was checked before.

    Raises:
        ArtifactError: the model breaks a MUST of FORMAT.md.
    """
    cursor = Cursor(data, "MODEL")
    cursor.take(struct.calcsize(HEAD), "head")
    model = KINDS[head.kind].read(cursor, head)
    total = sum(map(len, model.texts))
    if total != head.text_bytes:
        cursor.status = "TOKEN_LENGTH"
        cursor.fail(f"{total} bytes of text, the head says {head.text_bytes}")
    changes: dict[str, Any] = {
        "first_id": head.first_id,
        "id_policy": Ids(head.ids),
        "unknown": Unknown(head.unknown),
        "speller": head.speller,
        "fuse": bool(head.flags & FUSE),
        "unk_id": None if head.unk_id == NONE else head.unk_id,
    }
    if head.ids == Ids.STATED:
        cursor.status = "IDS"
        numbers = leb.unzigzag(cursor.lebs(len(model.texts), "ids"))
        if min(numbers, default=0) < 0:
            cursor.fail(f"an id is {-min(numbers)} before none")
        if 0 in numbers and head.unk_id == NONE:
            cursor.fail("a token has no id, and there is no unk_id in its place")
        first = head.first_id - 1
        changes["stated"] = tuple(first + number if number else None for number in numbers)
    if head.unknown == Unknown.BYTES:
        cursor.status = "IDS"
        numbers = cursor.lebs(256, "ids of bytes")
        if 0 in numbers and head.unk_id == NONE:
            cursor.fail("a byte has no token, and there is no unk_id in its place")
        changes["byte_ids"] = tuple(number - 1 if number else None for number in numbers)
    cursor.end()
    whole = replace(model, **changes)
    if isinstance(whole, BPE):
        vars(whole)["texts"] = model.texts  # as they were found: they take the longest to find
    return whole


def check_ids(artifact: Artifact, heads: Sequence[Head]) -> None:
    """Check the rules about ids that take all models and added tokens to see.

    Args:
        artifact: the artifact.
        heads: the heads of its models.

    Raises:
        ArtifactError: two tokens share an id, the ids of two models overlap, n_ids is wrong, unk_id
            is no token, or an added token has the id of another text.
    """
    owners: dict[int, bytes] = {}
    loose: set[int] = set()
    added_ids = {token.id for token in artifact.added}
    ranges = []
    for number, (model, head) in enumerate(zip(artifact.models, heads, strict=True)):
        end = artifact.end_id(number)
        if end - model.first_id != head.n_ids:
            status = "MODEL" if model.id_policy is Ids.COUNT else "IDS"
            raise fail(status, f"model {number} has {end - model.first_id} ids, not {head.n_ids}")
        ranges.append((model.first_id, end))
        if model.id_policy is Ids.STATED and not (isinstance(model, BPE) and not model.units):
            loose |= {*range(model.first_id, end)}
        _check_policy(artifact, number)
        _own(owners, model, artifact.token_ids[number], f"model {number}")
        unk_id = model.unk_id
        known = unk_id is None or unk_id in added_ids
        if not known and (unk_id not in artifact.token_ids[number] or unk_id in model.byte_ids):
            raise fail("MODEL", f"unk_id of model {number} is {unk_id}, which is no token")
    ranges.sort()
    for (_, end), (first, _) in pairwise(ranges):
        if first < end:
            raise fail(
                "MODEL", f"the ids of two models meet: one ends at {end}, one begins {first}"
            )
    for token in artifact.added:
        if token.id in artifact.shadowed and token.id not in loose:
            raise fail("ADDED", f"{token.text!r} has the id {token.id} of {owners[token.id]!r}")


def _check_policy(artifact: Artifact, number: int) -> None:
    """Check that a model's ids step over some if they are to, and the id of its lone space.

    Raises:
        ArtifactError: ids of STEP count up one by one, or go with a lone space; or with COUNT, the
            lone space has not the id after the model's others. `.status` is MODEL.
    """
    model, ids = artifact.models[number], artifact.token_ids[number]
    space_id = getattr(model, "space_id", None)
    if model.id_policy is Ids.STEP:
        if isinstance(ids, range):
            raise fail("MODEL", f"ids of model {number} step over none: they count")
        if space_id is not None:
            raise fail("MODEL", f"model {number} has a lone space, and ids that step")
    if model.id_policy is Ids.COUNT and space_id not in (None, model.first_id + len(ids)):
        raise fail("MODEL", f"space_id is {space_id}, not {model.first_id + len(ids)}")


def _own(owners: dict[int, bytes], model: Model, ids: Sequence[int | None], what: str) -> None:
    """Enter the ids of a model's tokens into `owners`, id to text, which is changed in place.

    A token without an id is passed over. A token that only continues a pretoken may have the id of
    one that begins it, and a byte token that of another token, whose place it takes.

    Args:
        owners: the ids that the models before have, and then this one.
        ids: the id of each token, by its number.
        what: what messages call the model.
        model: the model.

    Raises:
        ArtifactError: an id belongs to another token already, or comes before the model's first id;
            `.status` is IDS.
    """
    n_own = model.n_symbols if isinstance(model, Greedy) else len(ids)
    shared = {*ids[:n_own]} if n_own < len(ids) else set()
    for number, (token, text) in enumerate(zip(ids, model.texts, strict=True)):
        if token is None or (number >= n_own and token in shared):
            continue
        if owners.setdefault(token, text) is not text:
            raise fail("IDS", f"{what}: {owners[token]!r} and {text!r} have the id {token}")
    extra = [token for token in model.byte_ids if token is not None]
    if len(set(extra)) < len(extra):
        raise fail("IDS", f"{what}: two bytes have the id of one token")
    if (space_id := getattr(model, "space_id", None)) is not None:
        extra.append(space_id)
        if space_id in owners or space_id in extra[:-1]:
            raise fail("IDS", f"{what}: the lone space has the id {space_id} of another token")
    if min(extra, default=model.first_id) < model.first_id:
        raise fail("IDS", f"{what}: the id {min(extra)} is before {model.first_id}")
    owners |= model.extra_ids
