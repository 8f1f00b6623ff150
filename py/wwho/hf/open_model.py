"""Opening what a `WWHOTokenizer` is given: a model, and the class that transformers has for it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tokenizers import AddedToken

from wwho.backends.backend import Info
from wwho.encodings import get_encoding, list_encoding_names
from wwho.errors import SourceError
from wwho.format.files import is_artifact
from wwho.format.write import write_artifact
from wwho.importers import Options
from wwho.importers.detect import import_source, open_source
from wwho.importers.transformers.choice import class_of
from wwho.importers.transformers.classes import RECORD
from wwho.importers.transformers.folder import ModelFolder
from wwho.tokenizer import Tokenizer

Given: TypeAlias = str | os.PathLike[str] | Tokenizer | None
"""A name of an encoding, a path, or an open model."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An open model.

    Attributes:
        enc: the model.
        model_class: the class that transformers has for it, without "Fast"; None if nothing names
            one.
        asked: options that the import asked for, so that the model does what they say.
        is_fixed: whether the model was made before, by an import that knew no options of now.
    """

    enc: Tokenizer
    model_class: str | None = None
    asked: Collection[str] = field(default_factory=frozenset)
    is_fixed: bool = True


def open_model(source: Given, options: Mapping[str, Any]) -> Opened:
    """Return a model: a `Tokenizer` itself, a shipped encoding by its name, or a file's.

    Args:
        source: the model.
        options: what a caller says of it, by the names of transformers. Where the source is a
            folder that a class of transformers reads, they go before its settings.

    Raises:
        SourceError: the file is no tokenizer, or one that no artifact can hold.
        OSError: there is no such file.
    """
    if isinstance(source, Tokenizer):
        return Opened(enc=source, model_class=recorded_class(source.info))
    if source in list_encoding_names():
        return Opened(enc=get_encoding(str(source)))
    path = Path(source or "")
    if is_artifact(path):
        enc = Tokenizer.load(path)
        return Opened(enc=enc, model_class=recorded_class(enc.info))
    file = open_source(path)
    name = Options(name=path.stem or path.resolve().name)
    if isinstance(file, ModelFolder):
        folder = ModelFolder(path, {key: as_json(value) for key, value in options.items()})
        made = import_source(folder, name)
        enc = Tokenizer(write_artifact(made.artifact))
        asked = frozenset(folder.settings.asked)
        return Opened(enc=enc, model_class=class_of(folder), asked=asked, is_fixed=False)
    enc = Tokenizer(write_artifact(import_source(file, name).artifact))
    return Opened(enc=enc, model_class=class_beside(file.path), is_fixed=False)


def class_beside(path: Path) -> str | None:
    """Return the class of transformers that the settings beside a file name; None if none do."""
    try:
        return class_of(ModelFolder(path.parent))
    except SourceError:
        # Settings that are damaged are an error where they count: of the file itself they say
        # nothing.
        return None


def recorded_class(info: Info) -> str | None:
    """Return the class of transformers that a model was imported by; None if there was none."""
    name: str | None = _record(info).get("class")
    return name


def class_defaults(info: Info) -> dict[str, Any] | None:
    """Return the arguments that a model's class gives itself; None if no class made the model.

    Example:
        >>> import wwho
        >>> class_defaults(wwho.get_encoding("o200k_base").info) is None
        True
    """
    defaults: dict[str, Any] | None = _record(info).get("defaults")
    return defaults


def _record(info: Info) -> dict[str, Any]:
    """Return what the provenance says of the class; {} if it says nothing."""
    record: dict[str, Any] = json.loads(info.provenance.get(RECORD, "{}"))
    return record


def as_json(value: Any) -> Any:
    """Return an option as settings have it: each `AddedToken` as an object with its content.

    Example:
        >>> as_json(["a", AddedToken("b")])[1]["content"]
        'b'
    """
    if isinstance(value, AddedToken):
        return {"__type": "AddedToken", **value.__getstate__()}
    if isinstance(value, (list, tuple)):
        return [as_json(each) for each in value]
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    return value
