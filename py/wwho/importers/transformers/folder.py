"""A model's folder: its settings, and the files of its tokenizer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from wwho.errors import SourceError
from wwho.format.foreign import no_content
from wwho.importers.source import Source

AROUND = frozenset({"add_bos_token", "add_eos_token"})
"""Settings by which tokens stand around a text."""


class Settings(dict[str, Any]):
    """Settings that know which of their keys were asked for.

    Attributes:
        asked: the keys that somebody asked for, there or not. Settings that `|` makes share it.
    """

    asked: set[str]

    def __init__(self, values: Mapping[str, Any], asked: set[str] | None = None) -> None:
        """Take the values, and the set that is to hold the keys; None for a new one."""
        super().__init__(values)
        self.asked = set() if asked is None else asked

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key."""
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default if there is none."""
        self.asked.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        """Return whether there is a key."""
        self.asked.add(str(key))
        return super().__contains__(key)

    def __or__(self, other: Any) -> Any:
        """Return these settings with others over them."""
        return Settings(super().__or__(other), self.asked)

    def __ror__(self, other: Any) -> Any:
        """Return other settings with these over them."""
        return Settings(super().__ror__(other), self.asked)


class ModelFolder:
    """A folder as transformers' `save_pretrained` writes it, or a part of one.

    Attributes:
        path: the folder.
        given: settings that a caller gives, which go before those of tokenizer_config.json.
        document: the tokenizer.json around whose vocabulary a class builds its tokenizer; None: the
            class reads the vocabulary from other files.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        given: Mapping[str, Any] | None = None,
        document: Mapping[str, Any] | None = None,
    ) -> None:
        """Take the path of the folder, settings that go before its own, and a tokenizer.json."""
        self.path = Path(path)
        self.given = dict(given or {})
        self.document = document

    @cached_property
    def settings(self) -> Settings:
        """The object in tokenizer_config.json, {} if there is no such file, and what is given.

        With a `document`, transformers leaves to that what the file says of `AROUND`.

        Raises:
            SourceError: the file is damaged, or no JSON object.
        """
        found = self.json("tokenizer_config.json")
        if self.document is not None:
            found = {key: value for key, value in found.items() if key not in AROUND}
        return Settings(found | self.given)

    @cached_property
    def model_settings(self) -> dict[str, Any]:
        """The object in config.json; {} if there is no such file.

        Raises:
            SourceError: the file is damaged, or no JSON object.
        """
        return self.json("config.json")

    def file(self, name: str) -> Source | None:
        """Return a file of the folder by its name; None if there is none.

        Raises:
            SourceError: the file only stands for one that was not fetched.
            OSError: the file cannot be read.
        """
        path = self.path / name
        if not path.is_file():
            return None
        file = Source(path)
        if what := no_content(file.head):
            raise SourceError(f"{name}: {what}")
        return file

    def needed_file(self, *names: str) -> Source:
        """Return the first file of the folder that has one of the names.

        Raises:
            SourceError: there is none; or the file only stands for one that was not fetched.
            OSError: the file cannot be read.
        """
        found = next((file for name in names if (file := self.file(name)) is not None), None)
        if found is None:
            raise SourceError(f"there is no {' and no '.join(names)}, which this class needs")
        return found

    def json(self, name: str) -> dict[str, Any]:
        """Return the JSON object in a file of the folder; {} if there is no such file.

        Raises:
            SourceError: the file is damaged, or no JSON object.
        """
        file = self.file(name)
        try:
            return file.document if file else {}
        except SourceError as error:
            raise SourceError(f"{name}: {error}") from error
