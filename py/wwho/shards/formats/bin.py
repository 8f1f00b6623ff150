"""`bin`: the ids of all documents one after another, as nanoGPT and litgpt read them."""

from __future__ import annotations

from pathlib import Path

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.flat import FlatFile, flat_suffixes, write_starts
from wwho.shards.formats.shard_format import Layout, no_folder_files
from wwho.shards.token_types import UNSIGNED

NAME = "bin"
TYPES = UNSIGNED
MAX_BYTES = 1 << 62
SUFFIX = ".bin"

folder_files = no_folder_files


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the endings of a shard's files."""
    return flat_suffixes(SUFFIX, layout)


class BinWriter:
    """Writes a shard as a flat file, and its starts beside it."""

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the files."""
        self._stem = stem
        self._file = FlatFile(stem, SUFFIX, layout)

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before."""
        self._file.add(documents)

    def close(self) -> None:
        """Write the starts, and close the files.

        Raises:
            FileExistsError: the file of starts exists; it stays as it is.
            OSError: a file cannot be written.
        """
        self._file.close()
        write_starts(self._stem, self._file.starts)


open_writer = BinWriter
