"""Models of every kind, made of what other engines hold, and small ones for the vectors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import sentencepiece
from tokenizers import Tokenizer

from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.greedy import Greedy
from wwho.format.model import Added, Artifact, Ids, Model, Pair, Route, Unknown
from wwho.format.steps import Action, Cut
from wwho.format.viterbi import Viterbi
from wwho.reference.sampling import f32

BYTE_NAMES = tuple(f"<0x{byte:02X}>" for byte in range(256))


def tokenizer_of(model: Model, *, words: bool = False, name: str = "test") -> Artifact:
    """A tokenizer whose pieces are whole texts, or words between white space.

    A model of units gets characters.
    """
    units = isinstance(model, BPE) and model.units
    rules = ("a|[^a]",) if units else (r"\s+", r"\S+") if words else ("(?:a|[^a])+",)
    known = {token for token in (*model.stated, *model.byte_ids) if token is not None}
    unk = model.unk_id is not None and model.unk_id not in known
    steps = (Cut(0, (Action.DROP, Action.KEEP)),) if words else ()
    return Artifact(
        scanners=_scanners(rules),
        router=None,
        routes=(Route("text", 0, steps, units=0 if units else None),),
        models=(model,),
        added=(Added("<unk>", model.unk_id),) if unk and model.unk_id is not None else (),
        provenance={"name": name},
    )


@cache
def _scanners(rules: tuple[str, ...]) -> CompiledScanners:
    return compile_scanners([Scanner("pieces", tuple(map(parse_regex, rules)), longest=False)])


def from_tokenizers(tokenizer: Tokenizer) -> Model:
    """The model of a tokenizer of Hugging Face."""
    data = json.loads(tokenizer.to_str())["model"]
    return {"WordPiece": _word_piece, "Unigram": _unigram, "BPE": _bpe}[data["type"]](data)


def from_sentencepiece(processor: sentencepiece.SentencePieceProcessor) -> Viterbi:
    """A Unigram model of SentencePiece, without its normalizer."""
    scores: dict[str, float] = {}
    for token in range(processor.get_piece_size()):
        kinds = (processor.is_control, processor.is_unknown, processor.is_byte, processor.is_unused)
        if not any(kind(token) for kind in kinds):
            name = processor.id_to_piece(token)
            # All normal pieces are less than 0; those that the user defined are 0 in the file.
            user = f32(0.1 * (len(name.encode()) - 1))
            scores[name] = processor.get_score(token) or user
    names = sorted(scores)
    ids = {name: processor.piece_to_id(name) for name in names}
    if processor.is_byte(processor.piece_to_id(BYTE_NAMES[0])):
        ids |= {name: processor.piece_to_id(name) for name in BYTE_NAMES}
    return Viterbi(
        **_fields(ids, names, processor.unk_id()),
        tokens=tuple(name.encode() for name in names),
        scores=tuple(scores[name] for name in names),
        narrow=True,
    )


def _fields(
    ids: Mapping[str, int], names: Sequence[str], unk_id: int | None, fallback: bool = True
) -> dict[str, Any]:
    """What models of all kinds have, of which `names` are the tokens."""
    byte_ids = tuple(ids.get(name) for name in BYTE_NAMES) if fallback else ()
    has_bytes = any(token is not None for token in byte_ids)
    return {
        "id_policy": Ids.STATED,
        "stated": tuple(ids[name] for name in names),
        "unknown": Unknown.BYTES if has_bytes else Unknown.ID,
        "byte_ids": byte_ids if has_bytes else (),
        "unk_id": unk_id,
    }


def _word_piece(data: Mapping[str, Any]) -> Greedy:
    ids: dict[str, int] = data["vocab"]
    mark = data["continuing_subword_prefix"]
    first = sorted(name for name in ids if not name.startswith(mark))
    later = sorted(name for name in ids if name.startswith(mark))
    return Greedy(
        **_fields(ids, first + later, ids[data["unk_token"]], fallback=False),
        first=tuple(name.encode() for name in first),
        later=tuple(name.removeprefix(mark).encode() for name in later),
        max_characters=data["max_input_chars_per_word"],
    )


def _unigram(data: Mapping[str, Any]) -> Viterbi:
    ids = {name: token for token, (name, _) in enumerate(data["vocab"])}
    scores = dict(data["vocab"])
    names = sorted(ids)
    return Viterbi(
        **_fields(ids, names, data["unk_id"], data["byte_fallback"]),
        tokens=tuple(name.encode() for name in names),
        scores=tuple(map(scores.__getitem__, names)),
    )


def _bpe(data: Mapping[str, Any]) -> BPE:
    """Of all pairs, those remain by which the merges make a token of its own text."""
    ids: dict[str, int] = data["vocab"]
    ranks = {pair: rank for rank, pair in enumerate(map(tuple, data["merges"]))}
    made: dict[int, tuple[str, str]] = {}
    for left, right in ranks:
        parts = [*(left + right)]
        while len(parts) > 2:
            _, at = min((ranks[p], k) for k, p in enumerate(pairwise(parts)) if p in ranks)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        made[ranks[parts[0], parts[1]]] = parts[0], parts[1]
    names = sorted(name for name in ids if len(name) == 1)
    symbols = tuple(name.encode() for name in names)
    merges: list[Pair] = []
    for _, (left, right) in sorted(made.items()):
        merges.append((names.index(left), names.index(right)))
        names.append(left + right)
    unk = data["unk_token"]
    return BPE(
        **_fields(ids, names, None if unk is None else ids[unk], data["byte_fallback"]),
        symbols=symbols,
        merges=merges,
        units=True,
        fuse=data["fuse_unk"],
    )
