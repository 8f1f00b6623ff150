"""Extending the tokenizer of a language model: its ids stay, and syllables get new ids."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from wwho.compile.normal_forms import normal_form
from wwho.compile.scanners import compile_scanners, regex_scanner
from wwho.encodings import list_encoding_names
from wwho.errors import ArtifactError, ExportError
from wwho.exporters.exported import byte_model, few, pattern_of
from wwho.format.files import is_artifact
from wwho.format.model import Artifact, Flag, Route
from wwho.format.steps import Action, Cut
from wwho.importers import Options, import_file
from wwho.tokenizer import Tokenizer


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
    file = Path(path)
    if is_artifact(file) or (str(path) in list_encoding_names() and not file.exists()):
        raise ArtifactError(f"{path} is a .wwho model already: train with --base {path}")
    imported = import_file(path, Options(name=file.stem or file.resolve().name)).artifact
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
