"""All classes of tokenizers that are known, and the import of a folder by its class."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wwho.errors import SourceError
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.huggingface.mistral import OPTION, with_right_pattern
from wwho.importers.reader import Imported, Options
from wwho.importers.source import Source
from wwho.importers.transformers import (
    byte_ids,
    byte_level,
    characters,
    generic,
    japanese,
    python_bpe,
    python_fairseq,
    python_spm,
    python_vocab,
    refused,
    siglip,
    spm,
    wordpiece,
)
from wwho.importers.transformers.choice import MODEL_CLASS, OURS
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass

MODULES: tuple[Any, ...] = (
    byte_level,
    wordpiece,
    spm,
    generic,
    byte_ids,
    python_bpe,
    python_fairseq,
    python_spm,
    python_vocab,
    siglip,
    japanese,
    characters,
    refused,
)
"""The modules with tables; no class is in two of them."""

CLASSES: dict[str, ModelClass] = {
    name: each for module in MODULES for name, each in module.CLASSES.items()
}
"""The classes by the names that they have in transformers, without "Fast"."""

JUDGE = "transformers 5.24"
RECORD = "transformers"
"""The key of the provenance under which the class, its defaults and the number of its tokens stand,
as a JSON object."""


def names_code(folder: ModelFolder) -> bool:
    """Return whether a folder's settings name a program of its own as its tokenizer."""
    own = folder.settings.get("auto_map")
    return isinstance(own, list) or (isinstance(own, dict) and bool(own.get("AutoTokenizer")))


def import_by_class(folder: ModelFolder, name: str, options: Options) -> Imported:
    """Return the model of a folder, as a class of transformers makes it.

    Args:
        folder: the folder, which has no tokenizer.json.
        name: the class, without "Fast".
        options: what the caller says.

    Raises:
        SourceError: the class is not known, or no artifact can do what it does; a file that it
            needs is missing or damaged; or a setting has a value that is not understood.
        ArtifactError: the vocabulary cannot be held.
    """
    # `wwho.hf` names itself where it saves the files of a class.
    is_ours = folder.settings.get("tokenizer_class") == OURS and MODEL_CLASS in folder.settings
    if names_code(folder) and not is_ours:
        raise SourceError(
            "auto_map: the folder's tokenizer is a program of its own, which is never run. Save it "
            "with transformers as a tokenizer.json and take that, or give --as FILE to take one "
            "file as it is"
        )
    found = CLASSES.get(name)
    if found is None or found.read is None:
        why = found.refusal if found else "which is not known here"
        raise SourceError(
            f"the folder's tokenizer is a {name}, {why}. Save it with transformers as a "
            "tokenizer.json and take that, or give --as FILE to take one file as it is"
        )
    return import_draft(folder, name, found.read(folder, options), options)


def import_draft(folder: ModelFolder, name: str, draft: Draft, options: Options) -> Imported:
    """Return the model of a draft that a class of transformers makes of a folder.

    Args:
        folder: the folder.
        name: the class, without "Fast".
        draft: the draft.
        options: what the caller says.

    Raises:
        SourceError, ArtifactError: as `import_by_class` does; or words are to be cut before the
            model, and the caller does not say that it cuts them; or special tokens are to be split
            by a class that transformers runs in Python.
    """
    kind = f"a folder of {name}"
    if draft.words is not None and not options.cuts_words:
        raise SourceError(draft.words.why_refused())
    if draft.in_python and draft.words is None and folder.settings.get("split_special_tokens"):
        raise SourceError(
            f"tokenizer_config.json: split_special_tokens: found true, expected false: {name} cuts "
            "special tokens in a way of its own, which is not followed here"
        )
    about: dict[str, Any] = {"class": name, "defaults": dict(draft.defaults)}
    if draft.in_python:
        about["in_python"] = True
    if draft.document is not None:
        about["tokens"] = n_tokens(draft.document)
    elif draft.tokens is not None:
        about["tokens"] = draft.tokens
    record = {RECORD: json.dumps(about)}
    if draft.artifact is not None:
        if options.fix_mistral_regex is not None:
            raise SourceError(f"the option {OPTION!r} says nothing to {kind}")
        provenance = {**draft.artifact.provenance, **record}
        artifact = replace(draft.artifact, provenance=provenance)
        return Imported(
            artifact=artifact, kind=kind, engine=JUDGE, notes=draft.notes, words=draft.words
        )
    assert draft.document is not None
    source = Source(folder.path / "tokenizer_config.json")
    document, warnings = with_right_pattern(draft.document, source, options.fix_mistral_regex)
    made = tokenizer_json.make(document, source, options, kind, *warnings, *draft.notes)
    provenance = {**made.artifact.provenance, **record}
    return replace(made, artifact=replace(made.artifact, provenance=provenance), engine=JUDGE)


def n_tokens(document: Mapping[str, Any]) -> int:
    """Return how many tokens a document has, as transformers counts them; added ones by texts.

    Example:
        >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 5}}
        >>> n_tokens({"model": model, "added_tokens": [{"content": "a"}, {"content": "<s>"}]})
        3
    """
    vocab = document["model"]["vocab"]
    texts = set(vocab) if isinstance(vocab, dict) else {text for text, _ in vocab}
    added = {each["content"] for each in document.get("added_tokens") or ()}
    return len(vocab) + len(added - texts)


def draft_of(folder: ModelFolder, name: str, options: Options) -> Draft:
    """Return the draft of a class that is read; see `import_by_class`."""
    found = CLASSES[name].read
    assert found is not None
    return found(folder, options)
