"""Extending the tokenizer of a language model: its ids stay, and syllables or pieces get new ids.

A byte-level BPE becomes the base of a model of syllables. A tokenizer of pieces (SentencePiece BPE,
Unigram) gets further pieces.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from wwho.compile.normal_forms import normal_form
from wwho.compile.scanners import compile_scanners, regex_scanner
from wwho.encodings import list_encoding_names
from wwho.errors import ArtifactError, ExportError
from wwho.exporters.exported import byte_model, few, pattern_of
from wwho.format.bpe import BPE
from wwho.format.files import is_artifact
from wwho.format.greedy import Greedy
from wwho.format.model import Artifact, Flag, Route
from wwho.format.steps import Action, Cut
from wwho.importers import Options, sentencepiece
from wwho.importers.detect import import_source, open_source, reader_of
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.source import Source
from wwho.importers.transformers.choice import class_of
from wwho.importers.transformers.classes import draft_of, import_draft
from wwho.importers.transformers.folder import ModelFolder
from wwho.interchange.sentencepiece import parse_model
from wwho.tokenizer import Tokenizer
from wwho.train.piece_files import DocumentFile, ModelFile, PieceFile, check_model


def load_extendable(path: str | os.PathLike[str], name: str = "unnamed") -> Artifact | PieceFile:
    """Import another library's tokenizer, and return what training can extend.

    Args:
        path: the tokenizer's file, or the folder of a language model.
        name: the name of the tokenizer that comes of it, if it is one of pieces.

    Returns:
        For a byte-level BPE, the base to train over (`load_extendable_base`). For SentencePiece BPE
        and Unigram, in a `.model`, a tokenizer.json or a folder, the file, for `extend_pieces`.

    Raises:
        ArtifactError: it is of no such kind; the message says what it is. Or it is a `.wwho` file
            or a shipped encoding.
        SourceError: it cannot be imported.
        OSError: it cannot be read.
    """
    _check_not_ours(path)
    source, options = open_source(path), Options(name=name)
    imported = import_source(source, options)
    model = imported.artifact.models[0]
    if isinstance(model, Greedy):
        raise ArtifactError(
            f"{path} cannot be extended: it is no BPE over bytes, but takes the longest match "
            "(WordPiece, or a list of words), which has no merges or scores that new tokens could "
            "be put behind; byte-level BPE, SentencePiece BPE and Unigram can be extended",
            status="MODEL",
        )
    if len(imported.artifact.models) > 1 or (isinstance(model, BPE) and not model.units):
        return load_extendable_base(path)
    check_model(str(path), imported.artifact)
    if isinstance(source, Source) and reader_of(source) is sentencepiece.READER:
        record = dict(imported.artifact.provenance)
        return ModelFile(str(path), parse_model(source.data), record)
    if isinstance(source, Source) and reader_of(source) is tokenizer_json.READER:
        return DocumentFile(
            str(path),
            source.document,
            source,
            lambda document: tokenizer_json.make(document, source, options, "").artifact,
        )
    if isinstance(source, ModelFolder):
        name_of_class = str(class_of(source))
        draft = draft_of(source, name_of_class, options)
        if draft.document is not None:
            return DocumentFile(
                str(path),
                draft.document,
                Source(source.path / "tokenizer_config.json"),
                lambda document: (
                    import_draft(
                        source, name_of_class, replace(draft, document=document), options
                    ).artifact
                ),
            )
    raise ArtifactError(
        f"{path} cannot be extended: it is {imported.kind}, to which no pieces can be added; give "
        "the tokenizer.model or tokenizer.json that it was made of",
        status="MODEL",
    )


def _check_not_ours(path: str | os.PathLike[str]) -> None:
    """Raise an error for a `.wwho` file or a shipped encoding.

    Raises:
        ArtifactError: it is one.
    """
    file = Path(path)
    if is_artifact(file) or (str(path) in list_encoding_names() and not file.exists()):
        raise ArtifactError(f"{path} is a .wwho model already: train with --base {path}")


def load_extendable_base(path: str | os.PathLike[str]) -> Artifact:
    """Import another library's tokenizer and return it as a base to train over.

    Args:
        path: the tokenizer's file, or the folder of a language model.

    Returns:
        The base, which keeps all ids, added tokens and the pattern. Where the tokenizer brings text
        into NFC, the base has that as its normalizer, and you must train with `normalize="nfc"`.

    Raises:
        ArtifactError: it is not a byte-level BPE with one pattern, or rewrites text otherwise; or
            it is a `.wwho` file or a shipped encoding, which is a base as it is.
        SourceError: it cannot be imported.
        OSError: it cannot be read.
    """
    _check_not_ours(path)
    file = Path(path)
    options = Options(name=file.stem or file.resolve().name)
    imported = import_source(open_source(path), options).artifact
    only_nfc = imported.normalizer == (normal_form("nfc", "9.0"),)
    try:
        byte_model(replace(imported, normalizer=()) if only_nfc else imported)
        pattern = pattern_of(imported)
    except ExportError as error:
        raise ArtifactError(f"{path} cannot be extended: {error}", status="MODEL") from error
    if imported.properties:
        beside = Flag.LSTRIP | Flag.RSTRIP | Flag.SINGLE_WORD
        named = few([token.text for token in imported.added if token.flags & beside])
        raise ArtifactError(
            f"{path} cannot be extended: training does not take over that added tokens look at the "
            f"characters beside them; set lstrip, rstrip and single_word to false of {named}",
            status="ADDED",
        )
    return replace(
        imported,
        scanners=compile_scanners([regex_scanner("pretokenizer", pattern)]),
        routes=(Route("other", model=0, steps=(Cut(0, (Action.KEEP,)),)),),
    )


def old_ids_of_new(extended: Tokenizer, base: Tokenizer) -> dict[int, list[int]]:
    """Return for each new id the ids that the old tokenizer encodes its text with.

    The mean of the old ids' embeddings is a good start for the embedding of the new id. New ids are
    all from ``base.n_vocab`` on, special tokens among them, in ascending order.

    Example:
        >>> import wwho
        >>> base = wwho.get_encoding("o200k_base")
        >>> old_ids_of_new(wwho.get_encoding("wwho_328k"), base)[240086] == base.encode("ගමේ")
        True
    """
    new_ids = range(base.n_vocab, extended.n_vocab)
    texts = extended.decode_tokens_bytes(new_ids)
    return dict(zip(new_ids, base.encode_batch(texts), strict=True))
