"""Tokenizers of pieces, such as SentencePiece's, and what comes of them with more pieces.

New pieces are written into the file's own content, behind all that is there, and the content is
imported again: so the importer judges the result, and exporters can write it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from wwho.errors import ArtifactError
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Model
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.read import literal
from wwho.importers.reader import Options
from wwho.importers.sentencepiece import artifact_of, unigram, units_model
from wwho.importers.source import Source
from wwho.interchange.sentencepiece import Algorithm, Kind, Piece
from wwho.interchange.sentencepiece import Model as SentencePieceModel

NewPieces = Sequence[tuple[str, float]]
"""The text and the score of each new piece, in the order of their ids."""


class PieceFile(Protocol):
    """A tokenizer of pieces: a BPE over characters, or a Unigram model.

    Attributes:
        name: the file, for messages.
        artifact: the tokenizer as it is.
        texts: the texts of all ids, added tokens among them: none of them can be a new piece.
        lowest: the lowest score of a piece that text becomes.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def artifact(self) -> Artifact: ...  # noqa: D102
    @property
    def texts(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def lowest(self) -> float: ...  # noqa: D102

    def model_with(self, pieces: NewPieces) -> Model:
        """Return the model alone, with further pieces, as texts after all steps go into it.

        Raises:
            ArtifactError, SourceError: no artifact can hold it.
        """

    def artifact_with(self, pieces: NewPieces) -> Artifact:
        """Return the tokenizer with further pieces, whose ids count up behind all others.

        Raises:
            ArtifactError, SourceError: no artifact can hold it.
        """


@dataclass(frozen=True)
class ModelFile:
    """A `.model` of SentencePiece, of the algorithm BPE or UNIGRAM.

    Attributes:
        name: the file, for messages.
        model: its content.
        record: the provenance.
    """

    name: str
    model: SentencePieceModel
    record: dict[str, str]

    @cached_property
    def artifact(self) -> Artifact:
        """The tokenizer as it is."""
        return self.artifact_with(())

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts of all pieces."""
        return frozenset(piece.text.decode() for piece in self.model.pieces)

    @property
    def lowest(self) -> float:
        """The lowest score of a normal piece."""
        return min(self.model.pieces[number].score for number in self.model.of_kind(Kind.NORMAL))

    def _with(self, pieces: NewPieces) -> SentencePieceModel:
        """Return the content with further normal pieces behind all others."""
        new = (Piece(text.encode(), score) for text, score in pieces)
        return replace(self.model, pieces=(*self.model.pieces, *new))

    def model_with(self, pieces: NewPieces) -> Model:
        """Return the model alone, with further pieces."""
        model = self._with(pieces)
        return unigram(model) if model.algorithm is Algorithm.UNIGRAM else units_model(model)

    def artifact_with(self, pieces: NewPieces) -> Artifact:
        """Return the tokenizer with further pieces."""
        return artifact_of(self._with(pieces), self.record)


@dataclass(frozen=True)
class DocumentFile:
    """A tokenizer.json, or what a folder's class makes of its files, of the models BPE or Unigram.

    Attributes:
        name: the file, for messages.
        document: its content.
        source: the file, for what lies beside it.
        remake: a function that imports a document of the same kind.
    """

    name: str
    document: dict[str, Any]
    source: Source
    remake: Callable[[dict[str, Any]], Artifact]

    @cached_property
    def artifact(self) -> Artifact:
        """The tokenizer as it is."""
        return self.remake(self.document)

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        """The ids of the model's tokens by text, with the added tokens that stand beside it.

        Raises:
            ArtifactError: an added token has the text of a token, and another id.
        """
        vocab = self.document["model"]["vocab"]
        pairs = vocab.items() if isinstance(vocab, dict) else _numbered_texts(vocab)
        found: dict[str, int] = dict(pairs)
        for token in self.document.get("added_tokens") or ():
            text, number = token["content"], token["id"]
            if found.setdefault(text, number) != number:
                raise ArtifactError(
                    f"{self.name} cannot be extended: the added token {text!r} has the id "
                    f"{number}, and the vocabulary has it as {found[text]}; give it one id",
                    status="ADDED",
                )
        return found

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts of all tokens."""
        return frozenset(self._vocabulary)

    @property
    def lowest(self) -> float:
        """The lowest score of a Unigram model; for a BPE, its number of merges made negative."""
        vocab = self.document["model"]["vocab"]
        if isinstance(vocab, dict):
            return -float(len(self.document["model"]["merges"]))
        return min(float(score) for _, score in vocab)

    def _with(self, pieces: NewPieces) -> dict[str, Any]:
        """Return the document with further pieces.

        Added tokens that the vocabulary lacks are put into it, with the ids that they have: left
        outside, they would be numbered behind the new pieces.

        Raises:
            ArtifactError: an id below the highest one is free, which a Unigram model has not.
        """
        if not pieces:
            return self.document
        model, known = self.document["model"], self._vocabulary
        first = max(known.values()) + 1
        if isinstance(model["vocab"], dict):
            vocab = known | {text: first + k for k, (text, _) in enumerate(pieces)}
            merges = [*model["merges"], *_splits([text for text, _ in pieces], known)]
            made = {**model, "vocab": vocab, "merges": merges}
        else:
            listed = list(model["vocab"])
            by_id = {number: text for text, number in known.items()}
            for number in range(len(listed), first):
                if number not in by_id:
                    raise ArtifactError(
                        f"{self.name} cannot be extended: no token has the id {number}, and those "
                        "of a Unigram model are its places in a list; add a token with this id",
                        status="ADDED",
                    )
                # No lower than all others: an unknown character has the lowest score less 10.
                listed.append([by_id[number], self.lowest])
            made = {**model, "vocab": [*listed, *map(list, pieces)]}
        return {**self.document, "model": made}

    def model_with(self, pieces: NewPieces) -> Model:
        """Return the model alone, with further pieces."""
        artifact, _ = literal(self._with(pieces), self.source, Options())
        return artifact.models[0]

    def artifact_with(self, pieces: NewPieces) -> Artifact:
        """Return the tokenizer with further pieces."""
        return self.remake(self._with(pieces))


def _numbered_texts(vocab: Sequence[Any]) -> list[tuple[str, int]]:
    """Return the texts of a Unigram model with their ids; of a text that comes twice, the last."""
    return [(text, number) for number, (text, _) in enumerate(vocab)]


def _splits(texts: Sequence[str], known: dict[str, int]) -> list[list[str]]:
    """Return the pairs that merge to new texts: all in which both parts are tokens by then.

    They come in the order of the texts, for each from the shortest left part on.

    Example:
        >>> _splits(["ab", "abc"], {"a": 0, "b": 1, "c": 2, "bc": 3})
        [['a', 'b'], ['a', 'bc'], ['ab', 'c']]
    """
    there = set(known)
    found: list[list[str]] = []
    for text in texts:
        pairs = ([text[:at], text[at:]] for at in range(1, len(text)))
        found += (pair for pair in pairs if there.issuperset(pair))
        there.add(text)
    return found


def check_model(name: str, artifact: Artifact) -> None:
    """Raise an error if a tokenizer is none of pieces that more can be put behind.

    Raises:
        ArtifactError: the message names the kind of model.
    """
    model = artifact.models[0]
    if isinstance(model, BPE) and model.units and not model.affixes and model.merges:
        return
    if isinstance(model, Viterbi):
        return
    what = f"it is a model of the kind {type(model).__name__}"
    if isinstance(model, BPE) and model.affixes:
        affix = model.prefix or model.suffix
        what = f"its symbols are written with {affix!r}, which new pieces cannot be learnt with"
    elif isinstance(model, BPE):
        what = "no pieces of it are merged from others: its tokens are characters, or words"
    raise ArtifactError(
        f"{name} cannot be extended: {what}; byte-level BPE, SentencePiece BPE and Unigram can be",
        status="MODEL",
    )
