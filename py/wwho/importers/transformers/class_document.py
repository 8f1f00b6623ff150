"""A folder with a tokenizer.json, as its class reads that: most build a tokenizer of their own.

Most classes of transformers 5 take the vocabulary, the merges and the post-processor from a
tokenizer.json, and put their own normalizer, pre-tokenizer, decoder and model around them. Added
tokens are those of the settings. Other classes take the file as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wwho.errors import SourceError
from wwho.importers.reader import Options
from wwho.importers.source import Source
from wwho.importers.transformers.choice import OURS, class_of
from wwho.importers.transformers.classes import CLASSES, JUDGE, n_tokens, names_code
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.same_document import differing

FILE = "tokenizer.json"
AS_IT_IS = ("TokenizersBackend", "ConvBertTokenizer", "FNetTokenizer", "ParakeetTokenizer")
"""Classes without code of their own, which take the file as it is."""
OWN_CODE = (
    f"auto_map: the folder's tokenizer is a program of its own, which is never run. This is what "
    f"{FILE} says"
)
WRONG_SHAPE = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What a component or token raises that is of another kind than a tokenizer.json has there."""
TAKE_FILE = f"--as {FILE}, or in wwho.hf the path of the file, takes it as it is"


@dataclass(frozen=True, kw_only=True)
class Built:
    """The tokenizer that a class makes of a tokenizer.json, and how it differs from that file.

    Attributes:
        document: the tokenizer.json that does what the class does.
        is_anew: whether that is another one than the file.
        honoured: the settings that the class has asked for.
        record: what a model says of the class, as of a folder without a tokenizer.json; None: the
            class does not build, or it is not known what.
        notes: what a user should know of it.
    """

    document: dict[str, Any]
    is_anew: bool = False
    honoured: frozenset[str] = frozenset()
    record: str | None = None
    notes: tuple[str, ...] = ()


class ClassDocument(Source):
    """The tokenizer.json of a folder, whose `document` is what the folder's class makes of it.

    Attributes:
        file: the file as it is.
        folder: the folder, with its settings.
        model_class: the class, without "Fast"; None if nothing names one.
    """

    def __init__(self, folder: ModelFolder) -> None:
        """Take the folder, which has a tokenizer.json.

        Raises:
            SourceError: the settings are damaged.
        """
        super().__init__(folder.path / FILE)
        self.file = Source(self.path)
        self.folder = folder
        self.model_class = class_of(folder)

    def with_settings(self, given: Mapping[str, Any]) -> ClassDocument:
        """Return the same, with settings that go before those of the folder."""
        return ClassDocument(ModelFolder(self.folder.path, given))

    @cached_property
    def document(self) -> dict[str, Any]:
        """The tokenizer.json that does what the class does with the file.

        Raises:
            SourceError: the file is no JSON object; see `parse_json`.
        """
        return self.built.document

    @cached_property
    def built(self) -> Built:
        """The tokenizer.json that the class builds, or the file as it is, and notes on that.

        Raises:
            SourceError: as for `document`.
        """
        document, name = self.file.document, self.model_class
        model = document.get("model")
        if name is None or name in AS_IT_IS or not isinstance(model, dict):
            return Built(document=document)
        if name not in CLASSES:
            # A class that transformers does not know either is the generic one, unless it is code.
            is_code = name != OURS and names_code(self.folder)
            return Built(document=document, notes=(OWN_CODE,) if is_code else ())
        if name == "LlamaTokenizer" and '"ByteLevel"' in json.dumps(document.get("pre_tokenizer")):
            # A Llama of another kind than the class makes: AutoTokenizer takes the file as it is.
            return Built(document=document)
        if self.folder.settings.get("tokenizer_class") == OURS:
            return Built(document=document)
        rebuild = CLASSES[name].rebuild
        if rebuild is None:
            return Built(document=document, notes=(self._why_not("is not known here"),))
        with_document = {**document, "model": {**model, "vocab": self._vocab(document)}}
        folder = ModelFolder(self.folder.path, self.folder.given, with_document)
        try:
            draft = rebuild(folder, Options())
            assert draft.document is not None
            made = {**document, **draft.document}
            parts = differing(made, document)
        except SourceError as error:
            return Built(document=document, notes=(self._why_not(f"cannot be told: {error}"),))
        except WRONG_SHAPE:
            # The reader of the file says where, if it does not ignore that part.
            why = f"cannot be told, since {FILE} is no tokenizer as `tokenizers` writes it"
            return Built(document=document, notes=(self._why_not(why),))
        honoured = frozenset(folder.settings.asked)
        about = {"class": name, "defaults": dict(draft.defaults), "tokens": n_tokens(made)}
        record = json.dumps(about)
        if parts is None:
            return Built(document=document, honoured=honoured, record=record, notes=draft.notes)
        notes = draft.notes
        if parts:
            told = f"{name} of {JUDGE} builds {', '.join(parts)} anew, whatever {FILE} says"
            notes = (f"{told}; {TAKE_FILE}", *notes)
        return Built(document=made, is_anew=True, honoured=honoured, record=record, notes=notes)

    def _vocab(self, document: Mapping[str, Any]) -> Any:
        """Return the vocabulary of the file, whose scores are numbers as Python reads them.

        Transformers gives a class these, and not those that `tokenizers` reads.
        """
        vocab = document["model"].get("vocab")
        if not isinstance(vocab, list):
            return vocab
        return json.loads(self.file.data.decode("utf-8-sig"))["model"]["vocab"]

    def _why_not(self, what: str) -> str:
        """Return the note on a file that is taken as it is, though the class does not."""
        return (
            f"{self.model_class} of {JUDGE} does not take {FILE} as it is, and what it builds "
            f"{what}. This is what the file says; --check shows whether the class gives the same"
        )
