"""The class of a folder's tokenizer, chosen as `AutoTokenizer` of transformers 5.24 chooses it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from wwho.importers.transformers.folder import ModelFolder

GENERIC = ("TokenizersBackend", "PreTrainedTokenizerFast", "PythonBackend", "PreTrainedTokenizer")
"""Classes that say nothing of how text is cut, which their files must."""
OURS = "WWHOTokenizer"
"""The class of `wwho.hf`, as it stands in folders that it saves."""
MODEL_CLASS = "wwho_model_class"
"""The setting by which `wwho.hf` names the class whose files it saves, where it saves these."""


@cache
def tables() -> dict[str, Any]:
    """Return the tables that tools/gen_model_classes.py has written."""
    found: dict[str, Any] = json.loads(
        files("wwho.importers.transformers").joinpath("classes.json").read_bytes()
    )
    return found


def class_of_model_type(model_type: str) -> str | None:
    """Return the class that transformers registers for a `model_type`; None if it has none."""
    name: str | None = tables()["model_types"].get(model_type)
    return name


def class_without_name(model_type: str) -> str | None:
    """Return the class that AutoTokenizer takes for a `model_type` where no settings name one.

    That is the registered one, unless the kind of model has the settings of another kind, or none
    in transformers.

    Example:
        >>> class_without_name("bert"), class_without_name("gpt-sw3"), class_without_name("byt5")
        ('BertTokenizer', 'GPT2Tokenizer', 'TokenizersBackend')
    """
    name: str | None = tables()["without_class"].get(model_type, class_of_model_type(model_type))
    return name


def class_of(folder: ModelFolder) -> str | None:
    """Return the name of the class that reads a folder, without "Fast"; None if nothing names it.

    `tokenizer_class` counts first, then `model_type` of config.json. A class that is named is not
    believed where transformers does not believe it: for some kinds of models, and for those that
    are registered with a class that only reads files.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as path:
        ...     folder = ModelFolder(path)
        ...     _ = (folder.path / "config.json").write_text('{"model_type": "xlm-roberta"}')
        ...     class_of(folder)
        'XLMRobertaTokenizer'
    """
    model_type = str(folder.model_settings.get("model_type") or "")
    named = folder.settings.get("tokenizer_class") or folder.model_settings.get("tokenizer_class")
    registered = (class_of_model_type(model_type) or "").removesuffix("Fast")
    if not named:
        found = (class_without_name(model_type) or "").removesuffix("Fast")
        return found or ("TokenizersBackend" if _is_generic(folder) else None)
    if named == OURS:
        # Saved by `wwho.hf` as the files of the class, of which no artifact can be made.
        named = folder.settings.get(MODEL_CLASS, named)
    name = str(named).removesuffix("Fast")
    if registered and name != registered:
        if registered in (*GENERIC, "MistralCommonBackend"):
            return "TokenizersBackend"
        if model_type in tables()["wrong_in_settings"]:
            return registered
    return "TokenizersBackend" if name in GENERIC or name == "PreTrainedTokenizer" else name


def _is_generic(folder: ModelFolder) -> bool:
    """Return whether a folder that names no class has settings, and a SentencePiece model for them.

    Raises:
        SourceError: the model only stands for a file that was not fetched.
    """
    file = folder.file("tokenizer.model")
    # The first field of the one kind of file, and no text of the others, begins so.
    return bool(folder.settings) and file is not None and file.head.startswith(b"\n")
