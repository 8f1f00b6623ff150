"""The schemas and the base of a training run, loaded from the names and paths in its options."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from wwho.assemble.atoms import AtomKind
from wwho.assemble.base import byte_base
from wwho.compile.schema import Schema
from wwho.compile.schema_loader import HAND_MADE, expand_schema_names, load_schema
from wwho.encodings import is_model_file, model_bytes
from wwho.errors import errors_name_file
from wwho.format.files import read_model_file
from wwho.format.model import Artifact
from wwho.format.read import read_artifact

NO_BASE = "none"
"""The name of the base of the 256 bytes alone."""

DEFAULT_BASE = "o200k_base"
DEFAULT_PATTERN = "o200k_base"


def resolve_schemas(
    schemas: Sequence[str | os.PathLike[str] | Schema] | None, kind: AtomKind
) -> list[Schema]:
    """Return the schemas with these names or paths, in the order given.

    Args:
        schemas: names of shipped schemas (``unicode`` stands for the generated ones of all
            Abugidas), paths of files, or `Schema`s, which are taken as they are. None: the three
            written by hand for syllable atoms, no schema for any other kind.
        kind: the kind of the atoms.

    Raises:
        SchemaError: a schema is invalid, or there is none of that name.
        OSError: a file cannot be read.

    Example:
        >>> [schema.name for schema in resolve_schemas(None, AtomKind.SYLLABLE)]
        ['devanagari', 'kannada', 'sinhala']
    """
    if schemas is None:
        schemas = HAND_MADE if kind is AtomKind.SYLLABLE else ()
    return [
        schema
        if isinstance(schema, Schema)
        else load_schema(schema if isinstance(schema, str) else Path(schema))
        for schema in expand_schema_names(schemas)
    ]


def resolve_base(
    base: str | os.PathLike[str] | Artifact | None, pattern: str | None, kind: AtomKind
) -> Artifact:
    """Return the base vocabulary with this name, or in this file.

    Args:
        base: the name of a shipped encoding, the path of a `.wwho` file, an `Artifact`, which is
            returned as it is, or ``none``, the 256 bytes. None: ``none`` for byte and script
            atoms, else ``o200k_base``.
        pattern: the pretokenizer of the 256 bytes, a name or a regular expression; None: that of
            o200k_base.
        kind: the kind of the atoms; it matters only where `base` is None.

    Raises:
        ArtifactError: there is no such encoding, or the file is no artifact.
        PatternError: the pattern cannot be compiled.
        OSError: the file cannot be read.
        ValueError: a pattern is given for a base that has its own.

    Example:
        >>> resolve_base("none", r"\\w+|\\W", AtomKind.SYLLABLE).n_vocab
        256
    """
    if base is None:
        base = NO_BASE if kind.has_fixed_atoms else DEFAULT_BASE
    if base == NO_BASE:
        return byte_base(DEFAULT_PATTERN if pattern is None else pattern)
    if pattern is not None:
        raise ValueError(
            "pattern is for the base none; any other base has a pretokenizer of its own"
        )
    if isinstance(base, Artifact):
        return base
    if isinstance(base, str) and not is_model_file(base):
        return _read_shipped_base(base)
    with errors_name_file(base):
        return read_artifact(read_model_file(base))


@lru_cache(maxsize=1)
def _read_shipped_base(name: str) -> Artifact:
    """Return the shipped encoding with this name, and keep it for the next call.

    One process often trains several tokenizers over the same base, and reading o200k_base takes
    most of a second.

    Raises:
        ArtifactError: there is no such encoding.
    """
    return read_artifact(model_bytes(name))
