"""Training a new vocabulary with the settings of a model, which its provenance records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wwho.normalize import PROVENANCE_KEY
from wwho.tokenizer import Tokenizer


def train_like(
    enc: Tokenizer, texts: Any, vocab_size: int, specials: Sequence[str], **options: Any
) -> Tokenizer:
    """Train a model over the same base, with the same schemas, pretokenizer and normalization.

    A model over bytes, such as a base vocabulary, is followed by one that is learnt from bytes.

    Args:
        enc: the model to follow.
        texts: an iterable of `str`, or of lists of `str`.
        vocab_size: how many ids there may be, the base's among them.
        specials: the special tokens of the new model; those that the base has are left to it.
        options: of `wwho.train.train`, in place of the settings of the model.

    Raises:
        ImportError: the extra `train` is not installed.
        ValueError: the base alone has `vocab_size` ids or more; or the model's provenance lacks
            its base, and the options do not say it.
    """
    from wwho.train import train

    common: dict[str, Any] = {
        "normalize": enc.info.provenance.get(PROVENANCE_KEY),
        "name": "unnamed",
    }
    if any(model.symbols == "units" for model in enc.info.models):
        settings = _settings_over_base(enc, vocab_size, specials, options)
    else:
        settings = {
            "atoms": "byte",
            "base": "none",
            "pattern": enc.info.provenance.get("pattern"),
            "vocab_size": vocab_size,
            "specials": specials,
        }
    return train(texts, **(common | settings | options))


def check_kept(enc: Tokenizer) -> None:
    """Raise ValueError if a model has something that `train_like` would not keep.

    Raises:
        ValueError: the message names it, and says what would do.
    """
    info = enc.info
    lost = []
    if info.template is not None:
        lost.append("its template")
    if info.n_normalizer and PROVENANCE_KEY not in info.provenance:
        lost.append("its normalizer")
    is_over_base = any(model.symbols == "units" for model in info.models)
    if not is_over_base and "pattern" not in info.provenance:
        lost.append("its pretokenizer, which no provenance records")
    if lost:
        raise ValueError(
            f"training anew cannot keep {' and '.join(lost)} of {enc.name}: train with the library "
            "that the model is from, or with wwho.train.train"
        )


def _settings_over_base(
    enc: Tokenizer, vocab_size: int, specials: Sequence[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings of `train` for a model like `enc`, which is one over a base vocabulary.

    The base is opened here, because its ids count towards `vocab_size`.

    Args:
        enc: the model to follow; its provenance names base, atoms and schemas.
        vocab_size: how many ids there may be, the base's among them.
        specials: the special tokens of the new model; those that the base has are left out.
        options: options of `train` that go before the settings.

    Raises:
        ValueError: the provenance names no base, and the options not both base and schemas; or the
            base alone has `vocab_size` ids or more.
    """
    from wwho.assemble.atoms import AtomKind
    from wwho.train.resolve import resolve_base

    record = enc.info.provenance
    if "base:name" not in record and not {"base", "schemas"} <= options.keys():
        raise ValueError(
            f"{enc.name} does not say what it was trained over: give base=... and schemas=[...]"
        )
    recorded_atoms = re.search(r"\batoms (\w+)", record.get("training", ""))
    usual_atoms = recorded_atoms[1] if recorded_atoms else AtomKind.SYLLABLE
    atoms = AtomKind(options.get("atoms") or usual_atoms)
    base_name = options.get("base", record.get("base:name"))
    base = resolve_base(base_name, options.get("pattern"), atoms)
    # The ids that are left for new tokens; a lone space takes one, too.
    unit_models = [model for model in enc.info.models if model.symbols == "units"]
    n_spaces = int(unit_models[-1].space_id is not None)
    room = vocab_size - base.n_vocab - n_spaces
    if room < 1:
        raise ValueError(
            f"vocab_size is {vocab_size}, but the base alone, whose ids stay, has {base.n_vocab}"
        )
    base_texts = {token.text for token in base.added}
    return {
        "atoms": atoms,
        "base": base,
        "schemas": [key.removeprefix("schema:") for key in record if key.startswith("schema:")],
        "vocab_size": room,
        "specials": [text for text in specials if text not in base_texts],
    }
