"""Opening what a `WWHOTokenizer` is given: a model, and the class that transformers has for it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from tokenizers import AddedToken

from wwho.backends.backend import Info
from wwho.encodings import get_encoding, list_encoding_names
from wwho.errors import SourceError
from wwho.format.files import is_artifact
from wwho.format.write import write_artifact
from wwho.hf.document_options import with_class_options
from wwho.hf.options import class_parameters
from wwho.hf.word_reader import WordModel
from wwho.importers import Imported, Options, Source
from wwho.importers.detect import import_source, open_source
from wwho.importers.huggingface import mistral
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.transformers.choice import class_of
from wwho.importers.transformers.class_document import Built, ClassDocument
from wwho.importers.transformers.classes import RECORD
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.word_cutting import WordCutting
from wwho.tokenizer import Tokenizer

Given: TypeAlias = str | os.PathLike[str] | Tokenizer | None
"""A name of an encoding, a path, or an open model."""
FIX = mistral.OPTION


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An open model.

    Attributes:
        enc: the model.
        model_class: the class that transformers has for it, without "Fast"; None if nothing names
            one.
        done: options that the import has honoured.
        saved: settings of a folder that the class has read, and that the import must honour.
        is_fixed: whether the model was made before, by an import that knew no options of now.
        warnings: what a user should know of the import.
        words: how the model's class cuts texts into words before the model, which is then a
            `WordModel`; None: the model does all of it.
    """

    enc: Tokenizer
    model_class: str | None = None
    done: Collection[str] = field(default_factory=frozenset)
    saved: Mapping[str, Any] = field(default_factory=dict)
    is_fixed: bool = True
    warnings: tuple[str, ...] = ()
    words: WordCutting | None = None


def open_model(source: Given, options: Mapping[str, Any]) -> Opened:
    """Return a model: a `Tokenizer` itself, a shipped encoding by its name, or a file's.

    Args:
        source: the model.
        options: what a caller says of it, by the names of transformers. They go before the settings
            of a folder.

    Raises:
        SourceError: the file is no tokenizer, or one that no artifact can hold.
        OSError: there is no such file.
        ValueError: an option has a value that it cannot have.
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
    name = path.stem or path.resolve().name
    if isinstance(file, ModelFolder):
        return _open_folder(path, name, options)
    if isinstance(file, ClassDocument):
        file = file.with_settings({key: as_json(value) for key, value in options.items()})
    if tokenizer_json.READER.knows(file):
        return _open_tokenizer_json(file, name, options)
    enc = _made(import_source(file, Options(name=name)))
    return Opened(enc=enc, model_class=class_beside(file.path), is_fixed=False)


def _open_folder(path: Path, name: str, options: Mapping[str, Any]) -> Opened:
    """Return the model of a folder without a tokenizer.json, as its class makes it.

    Args:
        path: the folder.
        name: the name of the model.
        options: what the caller says, by the names of transformers.

    Raises:
        SourceError: the class cannot read the folder, or no artifact can hold its model.
    """
    folder = ModelFolder(path, {key: as_json(value) for key, value in options.items()})
    made = import_source(
        folder, Options(name=name, fix_mistral_regex=options.get(FIX), cuts_words=True)
    )
    return Opened(
        enc=_made(made),
        model_class=class_of(folder),
        done=frozenset({*folder.settings.asked, FIX}),
        saved=ModelFolder(path).settings,
        is_fixed=False,
        warnings=_warnings(made),
        words=made.words,
    )


def _open_tokenizer_json(file: Source, name: str, options: Mapping[str, Any]) -> Opened:
    """Return the model of a tokenizer.json, changed as its class changes it by options.

    Options are those of tokenizer_config.json beside it and then those of the caller, as far as the
    class knows them. `file` then has the changed document.

    Raises:
        SourceError: the file, or the one beside it, is damaged, or no artifact can hold its model.
        ValueError: an option has a value that it cannot have.
    """
    model_class = class_beside(file.path)
    pre_tokenizer = json.dumps(file.document.get("pre_tokenizer"))
    if model_class == "LlamaTokenizer" and '"ByteLevel"' in pre_tokenizer:
        # A Llama of another kind than the class makes: AutoTokenizer takes the file as it is.
        model_class = "TokenizersBackend"
    known = class_parameters(model_class)
    document = file.document
    built = file.built if isinstance(file, ClassDocument) else Built(document=document)
    done = {*built.honoured}
    # A class that builds has its settings in what it builds.
    for some in (file.json_beside(), options) if built.record is None else ():
        of_class = {key: value for key, value in some.items() if key in known}
        is_saved = some is not options
        document, honoured = with_class_options(document, of_class, model_class, is_saved)
        done |= honoured
    file.document = document
    made = import_source(file, Options(name=name, fix_mistral_regex=options.get(FIX)))
    if model_class is not None and built.record is None:
        # What is saved and opened again is still a model of its class.
        record = {RECORD: json.dumps({"class": model_class})}
        artifact = replace(made.artifact, provenance={**made.artifact.provenance, **record})
        made = replace(made, artifact=artifact)
    return Opened(
        enc=_made(made),
        model_class=model_class,
        done=frozenset({*done, FIX}),
        is_fixed=False,
        warnings=(*_warnings(made), *(built.notes if built.record is None else ())),
    )


def _made(imported: Imported) -> Tokenizer:
    """Return the tokenizer that was imported; a `WordModel` if something else cuts its words."""
    kind = Tokenizer if imported.words is None else WordModel
    return kind(write_artifact(imported.artifact))


def _warnings(imported: Imported) -> tuple[str, ...]:
    """Return the notes of an import that are warnings."""
    return tuple(note for note in imported.notes if note == mistral.WARNING)


def class_beside(path: Path) -> str | None:
    """Return the class of transformers that the settings beside a file name; None if none do."""
    try:
        return class_of(ModelFolder(path.parent))
    except SourceError:
        # Settings that are damaged are an error where they count: of the file itself they say
        # nothing.
        return None


def recorded_class(info: Info) -> str | None:
    """Return the class of transformers that a model was imported for; None if there was none."""
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


def recorded_size(info: Info) -> int | None:
    """Return how many tokens a class has made; None if that is not recorded."""
    size: int | None = _record(info).get("tokens")
    return size


def runs_in_python(info: Info) -> bool:
    """Return whether transformers runs the class that a model was made for in Python."""
    return bool(_record(info).get("in_python"))


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
