"""A tokenizer.json of Hugging Face: a byte-level BPE behind a split pattern."""

from __future__ import annotations

import json
import re
from typing import Any

from wwho.compile.oniguruma import parse_oniguruma
from wwho.errors import ExportError, PatternError
from wwho.exporters.exported import ByteModel, Exported, byte_model, cuts_alike
from wwho.exporters.stand_ins import stand_in
from wwho.format.model import Added, Artifact, Flag


def write(artifact: Artifact) -> Exported:
    """The model in Hugging Face's format.

    Raises:
        ExportError: the model is no byte-level BPE, or an added token has the text of a token.
    """
    model = byte_model(artifact)
    pattern = in_oniguruma(artifact, model.pattern)
    content = json.dumps(document(model, pattern), ensure_ascii=False, indent=2)
    specials = [token.text for token in artifact.added if Flag.SPECIAL in token.flags]
    notes = ("special tokens are found in every text there, not by leave",) if specials else ()
    return Exported(f"{content}\n".encode(), notes)


def in_oniguruma(artifact: Artifact, pattern: str) -> str:
    """The model's pattern as Oniguruma has to be told it.

    There `X{1,3}+` is no possessive repetition, but a repetition of `X{1,3}`, and `$` is the end of
    a line.

    Raises:
        ExportError: Oniguruma would cut otherwise.
    """
    simple = re.sub(r"(\{\d+(?:,\d*)?\})\+", r"\1", pattern).replace(r"\s++$", r"\s++\z")
    try:
        alike = cuts_alike(artifact, parse_oniguruma(simple))
    except PatternError as error:
        raise ExportError(
            f"Oniguruma cannot read the pattern of {artifact.name}: {error}"
        ) from error
    if not alike:
        raise ExportError(f"Oniguruma reads the pattern of {artifact.name} otherwise: {simple}")
    return simple


def document(model: ByteModel, pattern: str) -> dict[str, Any]:
    """The file's content.

    Raises:
        ExportError: an added token has the text of a token, or the id of another.
    """
    texts = [stand_in(text) for text in model.model.texts]
    vocab = dict(zip(texts, model.ids, strict=True))
    texts_by_id: dict[int, str] = {}
    for token in model.added:
        if texts_by_id.setdefault(token.id, token.text) != token.text:
            raise ExportError(f"several added tokens share the id {token.id}")
        # Tokenizers numbers added tokens anew, unless they stand in the model's vocabulary.
        if vocab.setdefault(token.text, token.id) != token.id:
            raise ExportError(f"the added token {token.text!r} is a token of the model, too")
    options = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), False)
    byte_level = {"type": "ByteLevel", **options}
    split = {"pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(token) for token in model.added],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Split", **split}, byte_level],
        },
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
            "merges": [[texts[left], texts[right]] for left, right in model.model.merges],
        },
    }


def _added(token: Added) -> dict[str, Any]:
    return {
        "id": token.id,
        "content": token.text,
        "single_word": Flag.SINGLE_WORD in token.flags,
        "lstrip": Flag.LSTRIP in token.flags,
        "rstrip": Flag.RSTRIP in token.flags,
        "normalized": Flag.NORMALIZED in token.flags,
        "special": Flag.SPECIAL in token.flags,
    }
