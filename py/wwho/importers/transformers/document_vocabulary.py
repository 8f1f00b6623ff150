"""The vocabulary of a tokenizer.json, as transformers hands it to a class that builds anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wwho.errors import SourceError
from wwho.importers.source import shown
from wwho.importers.transformers.components import Component
from wwho.importers.transformers.folder import AROUND, ModelFolder
from wwho.importers.transformers.sentencepiece_files import Vocab
from wwho.importers.transformers.tokens import Token
from wwho.interchange.sentencepiece import Algorithm

Document = Mapping[str, Any]


def ids_in(document: Document) -> dict[str, int]:
    """Return the ids of the tokens of a tokenizer.json; of a list, the places in it.

    Raises:
        SourceError: the vocabulary is none.

    Example:
        >>> ids_in({"model": {"vocab": [["a", 0.0], ["b", -1.5]]}})
        {'a': 0, 'b': 1}
    """
    vocab = document["model"].get("vocab")
    if isinstance(vocab, list):
        return {text: number for number, (text, _) in enumerate(scores_in(document))}
    if not isinstance(vocab, dict) or any(type(number) is not int for number in vocab.values()):
        raise SourceError(f"model/vocab: found {shown(vocab)}, expected tokens with their ids")
    return vocab


def scores_in(document: Document) -> Vocab:
    """Return the tokens of a tokenizer.json with their scores, by id.

    Raises:
        SourceError: it has no scores.

    Example:
        >>> scores_in({"model": {"vocab": [["a", 0.0], ["b", -1.5]]}})
        [('a', 0.0), ('b', -1.5)]
    """
    vocab = document["model"].get("vocab")
    if not isinstance(vocab, list) or not all(map(_is_scored, vocab)):
        raise SourceError(f"model/vocab: found {shown(vocab)}, expected tokens with their scores")
    return [(text, score) for text, score in vocab]


def _is_scored(item: Any) -> bool:
    """Return whether an item of a vocabulary is a text with a number."""
    return (
        isinstance(item, list)
        and len(item) == 2
        and isinstance(item[0], str)
        and isinstance(item[1], (int, float))
    )


def merges_in(document: Document) -> list[Any]:
    """Return the merges of a tokenizer.json, pairs or texts with a space; none where it has none.

    Raises:
        SourceError: they are no list.

    Example:
        >>> merges_in({"model": {"merges": ["a b", ["ab", "c"]]}})
        ['a b', ['ab', 'c']]
    """
    merges = document["model"].get("merges") or []
    if not isinstance(merges, list):
        raise SourceError(f"model/merges: found {shown(merges)}, expected a list of pairs")
    return merges


def charsmap_in(document: Document) -> Component | None:
    """Return the first charsmap of the normalizer of a tokenizer.json; None if it has none."""
    normalizer = document.get("normalizer") or {}
    parts = normalizer["normalizers"] if normalizer.get("type") == "Sequence" else [normalizer]
    for part in parts:
        if part.get("type") == "Precompiled" and part.get("precompiled_charsmap") is not None:
            return {"type": "Precompiled", "precompiled_charsmap": part["precompiled_charsmap"]}
    return None


def around_in(folder: ModelFolder) -> Component | None:
    """Return the post-processor that a class keeps of a folder's `document`; None for none.

    A caller that says which tokens stand around a text goes before it.
    """
    if folder.document is None or AROUND & folder.settings.keys():
        return None
    found: Component | None = folder.document.get("post_processor")
    return found


@dataclass(frozen=True)
class DocumentPieces:
    """The pieces of a tokenizer.json, in the place of those of a SentencePiece model.

    Attributes:
        document: the tokenizer.json.
        extra: the extra tokens that the class is given beside it.
    """

    document: Document
    extra: list[Token]

    @property
    def vocab(self) -> Vocab:
        """The tokens with their scores, by id."""
        return scores_in(self.document)

    @property
    def charsmap(self) -> Component | None:
        """The charsmap of the normalizer; None if there is none."""
        return charsmap_in(self.document)

    @property
    def algorithm(self) -> Algorithm:
        """The kind of model that the vocabulary is for."""
        has_scores = isinstance(self.document["model"].get("vocab"), list)
        return Algorithm.UNIGRAM if has_scores else Algorithm.BPE
