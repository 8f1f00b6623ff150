"""Training a new vocabulary with the settings of a model, which its provenance records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from wwho.normalize import KEY
from wwho.tokenizer import Tokenizer


def train_like(
    enc: Tokenizer, texts: Any, vocab_size: int, specials: Sequence[str], **options: Any
) -> Tokenizer:
    """Train over the same base, with the same schemas, pretokenizer and normalization.

    Args:
        enc: the model to follow; of a base vocabulary, a new one is learnt from bytes.
        texts: an iterable of `str`, or of lists of `str`.
        vocab_size: how many ids there may be, the base's among them.
        specials: the special tokens that it gets, but for those that are the base's.
        options: of `wwho.train.train`, in place of what the model says.

    Raises:
        ImportError: the extra `train` is not installed.
        ValueError: the base alone has that many ids; or the model does not say what its base is.
    """
    from wwho.assemble.atoms import AtomKind
    from wwho.train import train
    from wwho.train.resolve import resolve_base

    info, said = enc.info, enc.info.provenance
    atoms = re.search(r"\batoms (\w+)", said.get("training", ""))
    like: dict[str, Any] = {"normalize": said.get(KEY), "name": "unnamed"}
    units = [model for model in info.models if model.symbols == "units"]
    if not units:
        like |= {"atoms": "byte", "base": "none", "pattern": said.get("pattern")}
        like |= {"vocab_size": vocab_size, "specials": specials}
        return train(texts, **(like | options))
    if "base:name" not in said and not {"base", "schemas"} <= options.keys():
        raise ValueError(
            f"{enc.name} does not say what it was trained over: give base=... and schemas=[...]"
        )
    kind = AtomKind(options.get("atoms") or (atoms[1] if atoms else AtomKind.SYLLABLE))
    base = resolve_base(options.get("base", said.get("base:name")), options.get("pattern"), kind)
    room = vocab_size - base.n_vocab - (units[-1].space_id is not None)
    if room < 1:
        raise ValueError(
            f"vocab_size is {vocab_size}, but the base alone, whose ids stay, has {base.n_vocab}"
        )
    theirs = {token.text for token in base.added}
    like |= {
        "atoms": kind,
        "base": base,
        "schemas": [key[7:] for key in said if key.startswith("schema:")],
        "vocab_size": room,
        "specials": [text for text in specials if text not in theirs],
    }
    return train(texts, **(like | options))
