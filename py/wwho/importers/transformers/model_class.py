"""A class of tokenizers in transformers, and the draft of a model that its files make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wwho.format.model import Artifact
from wwho.importers.reader import Options
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.word_cutting import WordCutting


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A tokenizer as a class makes it of a folder's files.

    Attributes:
        document: the tokenizer as a tokenizer.json would hold it, its added tokens among them;
            None if `artifact` is given.
        artifact: the tokenizer, for a class that no tokenizer.json can express.
        tokens: with `artifact`, how many tokens the class counts, if that is not known from ids.
        in_python: whether transformers runs the class in Python: an empty second text is one, and
            without special tokens all types are 0.
        defaults: arguments that the class gives itself where the settings are silent, by the names
            of transformers: `bos_token`, `padding_side`, `model_input_names` and so on.
        notes: lines on what was found and not taken over, and why.
        words: how texts are cut into words before the model, which encodes each alone; None: the
            model does all of it.
    """

    document: dict[str, Any] | None = None
    artifact: Artifact | None = None
    tokens: int | None = None
    in_python: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    words: WordCutting | None = None


@dataclass(frozen=True, kw_only=True)
class ModelClass:
    """A class of tokenizers in transformers.

    Attributes:
        files: the names of the files that it reads. Names that are alternatives stand in one text
            with " or " between them; a file that may be missing ends in "?".
        read: makes the draft of a folder; None if the class is refused.
        rebuild: makes the draft of a folder that has a `document`, around whose vocabulary the
            class builds its tokenizer anew; None if the class does not, or it is not known how.
        refusal: why no artifact can do what the class does, and what would do; "" if it is read.
        but: what an artifact does otherwise than the class, as notes of an import say, too; "" for
            nothing.
    """

    files: tuple[str, ...]
    read: Callable[[ModelFolder, Options], Draft] | None = None
    rebuild: Callable[[ModelFolder, Options], Draft] | None = None
    refusal: str = ""
    but: str = ""
