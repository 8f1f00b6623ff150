"""Schemas and bases by their names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from wwho.build.atoms import AtomKind
from wwho.build.base import byte_base
from wwho.encodings import list_encoding_names, model_bytes
from wwho.errors import naming
from wwho.format.model import Model
from wwho.format.read import read_model
from wwho.schema.load import load_schema, shipped_schemas
from wwho.schema.model import Schema

NO_BASE = "none"
"""The base of bytes alone."""

DEFAULT_BASE = "o200k_base"
DEFAULT_PATTERN = "o200k_base"


def schemas_named(
    schemas: Sequence[str | os.PathLike[str] | Schema] | None, kind: AtomKind
) -> list[Schema]:
    """The schemas with these names or paths; None: those that atoms of this kind come with.

    Raises:
        SchemaError: one is invalid, or there is none of that name.
        OSError: a file cannot be read.

    Example:
        >>> [schema.name for schema in schemas_named(None, AtomKind.SYLLABLE)]
        ['devanagari', 'sinhala']
    """
    if schemas is None:
        schemas = shipped_schemas() if kind is AtomKind.SYLLABLE else ()
    return [
        schema
        if isinstance(schema, Schema)
        else load_schema(schema if isinstance(schema, str) else Path(schema))
        for schema in schemas
    ]


def base_named(
    base: str | os.PathLike[str] | Model | None, pattern: str | None, kind: AtomKind
) -> Model:
    """The base with this name, or in this file; None: the one that atoms of this kind come with.

    Args:
        base: the base.
        pattern: the pretokenizer of the base of bytes alone; None: that of o200k_base.
        kind: what the atoms are.

    Raises:
        ArtifactError: there is no such encoding, or the file is no artifact.
        PatternError: the pattern cannot be compiled.
        OSError: the file cannot be read.
        ValueError: a pattern is given for a base that has its own.

    Example:
        >>> base_named("none", r"\\w+|\\W", AtomKind.SYLLABLE).n_vocab
        256
    """
    if base is None:
        base = NO_BASE if kind is AtomKind.BYTE else DEFAULT_BASE
    if base == NO_BASE:
        return byte_base(pattern or DEFAULT_PATTERN)
    if pattern is not None:
        raise ValueError(
            "pattern is for the base none; any other base has a pretokenizer of its own"
        )
    if isinstance(base, Model):
        return base
    if isinstance(base, str) and (base in list_encoding_names() or not _is_file(base)):
        return read_model(model_bytes(base))
    with naming(base):
        return read_model(Path(base).read_bytes())


def _is_file(name: str) -> bool:
    """Whether a name is meant as a file's: it ends like one, or there is one."""
    return name.endswith(".wwho") or Path(name).is_file()
