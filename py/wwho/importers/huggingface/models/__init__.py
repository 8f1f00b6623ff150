"""The models of `tokenizers`, each in a file of its own, as models of an artifact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.models import bpe, unigram, wordlevel, wordpiece
from wwho.importers.huggingface.models.vocabulary import Around, Vocabulary

READERS: Mapping[str, Callable[[Value, Around], Vocabulary]] = {
    "BPE": bpe.read,
    "Unigram": unigram.read,
    "WordLevel": wordlevel.read,
    "WordPiece": wordpiece.read,
}
"""For each type of model the function that reads it."""


def read(value: Value, around: Around) -> Vocabulary:
    """Return the `Vocabulary` of a file's member "model"; old files do not name its type.

    Raises:
        SourceError: its type or an option is not known, or it holds what no artifact can.
        ArtifactError: its merges are no BPE that an artifact can hold.
    """
    value.be(dict)
    check_options(value)
    if "type" not in value.raw:
        value = Value({**value.raw, "type": _guess(value.raw)}, value.pointer)
    return value.dispatch(READERS, "model", around)


def _guess(raw: Mapping[str, Any]) -> str:
    """Return the type of a model that names none, by its options, as `tokenizers` guesses it."""
    if "merges" in raw:
        return "BPE"
    if isinstance(raw.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "max_input_chars_per_word" in raw else "WordLevel"
