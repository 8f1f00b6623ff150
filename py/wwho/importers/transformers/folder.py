"""A model's folder: its settings, and the files of its tokenizer."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from wwho.errors import SourceError
from wwho.format.foreign import no_content
from wwho.importers.source import Source


class ModelFolder:
    """A folder as transformers' `save_pretrained` writes it, or a part of one.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Take the path of the folder."""
        self.path = Path(path)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The object in tokenizer_config.json; {} if there is no such file.

        Raises:
            SourceError: the file is damaged, or no JSON object.
        """
        return self.json("tokenizer_config.json")

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
