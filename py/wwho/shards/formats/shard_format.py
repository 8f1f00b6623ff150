"""The interface of a format of shards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.token_types import TokenType


@dataclass(frozen=True)
class Layout:
    """The layout that all shards of a folder share.

    Attributes:
        token_type: the type of the ids.
        named: whether documents have names.
        row_length: how many ids every document has; None: any number.
    """

    token_type: TokenType
    named: bool = False
    row_length: int | None = None


@dataclass(frozen=True)
class Shard:
    """A shard that was written, as the manifest lists it.

    Attributes:
        file: the name of the file that holds the ids.
        documents: how many documents it holds.
        tokens: how many ids it holds.
        bytes: the size of the file.
        sha256: SHA-256 of the file, in hexadecimal.
        others: the names of the files beside it that tell where documents begin, and their names.
    """

    file: str
    documents: int
    tokens: int
    bytes: int
    sha256: str
    others: tuple[str, ...] = ()


class ShardWriter(Protocol):
    """A writer of one shard: documents are added in order, then it is closed."""

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before.

        Raises:
            OSError: a file cannot be written.
        """

    def close(self) -> None:
        """Write what is left, and close the files; nothing can be added afterwards.

        Raises:
            OSError: a file cannot be written.
        """


class ShardFormat(Protocol):
    """A format of shards: a module of this package, or an object in one.

    Attributes:
        NAME: its name on the command line.
        TYPES: the types of ids that it can hold, the smallest first.
        MAX_BYTES: the most bytes of ids that a shard can hold.
    """

    NAME: str
    TYPES: Sequence[TokenType]
    MAX_BYTES: int

    def suffixes(self, layout: Layout) -> tuple[str, ...]:
        """Return the endings of the files of a shard, first that of the file with the ids."""

    def open_writer(self, stem: Path, layout: Layout) -> ShardWriter:
        """Return a writer of the files `stem` plus each of `suffixes`, which must not exist.

        Raises:
            ShardError: a package that writes such files is not installed.
            OSError: a file cannot be written.
        """

    def folder_files(self, shards: Sequence[Shard], layout: Layout) -> dict[str, bytes]:
        """Return the files, by name, that the format asks for beside all shards of a folder."""


def no_folder_files(shards: Sequence[Shard], layout: Layout) -> dict[str, bytes]:
    """Return no files: the `folder_files` of a format that asks for none."""
    return {}


def format_names(names: Sequence[str]) -> bytes:
    """Return the names of documents as JSON Lines, a string on each line."""
    return "".join(f"{json.dumps(name)}\n" for name in names).encode()
