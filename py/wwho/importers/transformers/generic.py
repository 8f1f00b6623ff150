"""Classes that say nothing of how text is cut: a SentencePiece model does, as it stands.

transformers builds a tokenizer after the model's own settings then. What it makes of them is not
always what SentencePiece does, and ours is as transformers'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from wwho.errors import SourceError
from wwho.importers.reader import Options
from wwho.importers.source import serde_float
from wwho.importers.transformers.byte_level import json_defaults
from wwho.importers.transformers.components import (
    Component,
    bpe_model,
    flag,
    metaspace,
    normalizers,
    pre_tokenizers,
    split,
)
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.sentencepiece_files import Pieces, read_pieces, without_effect
from wwho.importers.transformers.spm import ALBERT_ROLES, SPACES, TO_MARKS, WITHOUT_TYPES, replaced
from wwho.importers.transformers.tokens import read_tokens, with_tokens
from wwho.interchange.sentencepiece import Algorithm, Kind


def read(
    file: str,
    usual: Mapping[str, Any],
    folder: ModelFolder,
    options: Options,
    *,
    is_unigram: bool = False,
    unfollowed: tuple[str, ...] = (),
) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's SentencePiece model.

    Args:
        file: the name of the model.
        usual: the defaults of the class, before those that the model names.
        is_unigram: whether the class takes a model of any type for a Unigram.
        unfollowed: settings that the class knows and does not follow.
        folder: the folder.
        options: what the caller says, of which nothing counts here.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    pieces = read_pieces(folder, file)
    legacy = flag(folder, "legacy", True)
    tokens = read_tokens(folder)
    spec = pieces.model
    algorithm = Algorithm.UNIGRAM if is_unigram else spec.algorithm
    texts = {number: text for number, (text, _) in enumerate(pieces.vocab)}
    if algorithm is not Algorithm.UNIGRAM:
        texts = _renamed(texts, {number: each.content for number, each in tokens.listed.items()})
    names = {f"{name}_token": text for name, text in spec.names.items() if name != "pad"}
    roles = {**usual, **names}
    # Pieces of the user are found by the pre-tokenizer.
    hidden = [token for token in pieces.extra if token.special]
    document: dict[str, Any] = {
        "version": "1.0",
        "normalizer": _normalizer(pieces, legacy),
        "pre_tokenizer": _cuts(pieces, texts, legacy),
        "decoder": _decoder(pieces),
        "model": _model(pieces, texts, algorithm),
    }
    document, notes = with_tokens(folder, document, roles, hidden, raw=spec.add_dummy_prefix)
    defaults = json_defaults({**WITHOUT_TYPES, **roles})
    if not tokens.names_extra:
        defaults["extra_special_tokens"] = [token.content for token in hidden]
    notes += without_effect(folder, unfollowed)
    return Draft(document=document, defaults=defaults, notes=notes)


def _renamed(texts: Mapping[int, str], names: Mapping[int, str]) -> dict[int, str]:
    """Return the texts of pieces by their ids, with the names that the settings give to some.

    A name that is the text of a piece without a name is not given. Of several pieces with one text
    the last has it, and the others have none.

    Example:
        >>> _renamed({0: "<unk>", 1: "a", 2: "<unused>"}, {2: "<image>", 0: "a"})
        {0: '<unk>', 1: 'a', 2: '<image>'}
    """
    ids = {text: number for number, text in texts.items()}
    kept = {text for text, number in ids.items() if number not in names}
    new = {
        names[number] if number in names and names[number] not in kept else text: number
        for text, number in ids.items()
    }
    return {number: text for text, number in new.items()}


def _model(pieces: Pieces, texts: Mapping[int, str], algorithm: Algorithm) -> Component:
    """Return the model: a Unigram, or a BPE that merges the pairs of normal pieces by score.

    Args:
        pieces: the SentencePiece model.
        texts: the texts of the pieces of a BPE, by their ids.
        algorithm: its type, as the class takes it.

    Raises:
        SourceError: the algorithm is neither of the two.
    """
    spec = pieces.model
    if algorithm not in (Algorithm.UNIGRAM, Algorithm.BPE):
        raise SourceError(f"the model is of the type {algorithm.name}; expected UNIGRAM or BPE")
    if algorithm is Algorithm.UNIGRAM:
        return {
            "type": "Unigram",
            "unk_id": spec.unk_id,
            # The library copies the model through JSON, in which it reads numbers its own way.
            "vocab": [[text, serde_float(repr(score))] for text, score in pieces.vocab],
            "byte_fallback": spec.byte_fallback,
        }
    normal = {
        texts[number]: (piece.score, number)
        for number, piece in enumerate(spec.pieces)
        if piece.kind is Kind.NORMAL and number in texts
    }
    ranked = sorted(
        (-score, number, text[:place], text[place:])
        for text, (score, number) in normal.items()
        for place in range(1, len(text))
        if text[:place] in normal and text[place:] in normal
    )
    return bpe_model(
        {text: number for number, text in texts.items()},
        [[left, right] for *_, left, right in ranked],
        unk_token=spec.names.get("unk", "<unk>"),
        continuing_subword_prefix=None,
        end_of_word_suffix=None,
        fuse_unk=True,
        byte_fallback=spec.byte_fallback,
        ignore_merges=any(
            piece.kind is Kind.USER_DEFINED and number in texts
            for number, piece in enumerate(spec.pieces)
        ),
    )


def _normalizer(pieces: Pieces, legacy: bool) -> Component:
    """Return the normalizer: the charsmap, then what removes spaces, then what writes markers.

    Args:
        pieces: the SentencePiece model.
        legacy: whether a text that begins with a marker gets another before it, if the model puts
            one.
    """
    spec = pieces.model
    parts = [] if pieces.charsmap is None else [pieces.charsmap]
    if spec.remove_extra_whitespaces:
        parts += [replaced(r"\A +| +\z", ""), SPACES]
    if spec.escape_whitespaces:
        parts.append(TO_MARKS)
    if spec.add_dummy_prefix and legacy:
        parts.append(replaced(r"\A▁", "▁▁"))
    return normalizers(*parts)


def _cuts(pieces: Pieces, texts: Mapping[int, str], legacy: bool) -> Component | None:
    """Return the pre-tokenizer: a mark in front, and cuts around the pieces of the user.

    Args:
        pieces: the SentencePiece model.
        texts: the texts of its pieces, by their ids.
        legacy: whether each stretch of text between added tokens gets the mark.
    """
    spec = pieces.model
    parts = []
    if spec.add_dummy_prefix:
        parts.append(metaspace("always" if legacy else "first", cut=False))
    own = [
        texts[number]
        for number, piece in enumerate(spec.pieces)
        if piece.kind is Kind.USER_DEFINED and number in texts
    ]
    if own:
        pattern = "|".join(map(re.escape, sorted(own, key=len, reverse=True)))
        parts.append(split(pattern, "Isolated"))
    return pre_tokenizers(*parts) if parts else None


def _decoder(pieces: Pieces) -> Component:
    """Return the decoder: markers become spaces, bytes a text, and a space at the start goes.

    The last is so only if the model puts a marker before texts, and the second only with byte
    fallback.
    """
    spec = pieces.model
    parts: list[Component] = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}]
    if spec.byte_fallback:
        parts.append({"type": "ByteFallback"})
    if spec.add_dummy_prefix:
        parts += [{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    elif spec.byte_fallback:
        parts.append({"type": "Fuse"})
    return {"type": "Sequence", "decoders": parts}


FNET_ROLES = {**ALBERT_ROLES, "model_input_names": ["input_ids", "token_type_ids"]}
OF_ALBERT = ("do_lower_case", "keep_accents", "add_prefix_space", "trim_offsets")
CLASSES: dict[str, ModelClass] = {
    "TokenizersBackend": ModelClass(
        files=("tokenizer.model",), read=partial(read, "tokenizer.model", {})
    ),
    "ParakeetTokenizer": ModelClass(
        files=("tokenizer.model",), read=partial(read, "tokenizer.model", {})
    ),
    "FNetTokenizer": ModelClass(
        files=("spiece.model",),
        read=partial(read, "spiece.model", FNET_ROLES, is_unigram=True, unfollowed=OF_ALBERT),
    ),
}
