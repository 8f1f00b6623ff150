"""`npy`: an array of numpy, flat, or with a row for each document where all are equally long."""

from __future__ import annotations

from pathlib import Path

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.flat import (
    NPY_HEADER_BYTES,
    FlatFile,
    flat_suffixes,
    npy_header,
    write_starts,
)
from wwho.shards.formats.shard_format import Layout, no_folder_files
from wwho.shards.token_types import UNSIGNED

NAME = "npy"
TYPES = UNSIGNED
MAX_BYTES = 1 << 62
SUFFIX = ".npy"

folder_files = no_folder_files


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the endings of a shard's files."""
    return flat_suffixes(SUFFIX, layout)


class NpyWriter:
    """Writes a shard as an array of numpy, and its starts beside it."""

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the files."""
        self._stem = stem
        self._layout = layout
        self._file = FlatFile(stem, SUFFIX, layout, header_bytes=NPY_HEADER_BYTES)

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before."""
        self._file.add(documents)

    def close(self) -> None:
        """Write the header and the starts, and close the files.

        Raises:
            FileExistsError: the file of starts exists; it stays as it is.
            OSError: a file cannot be written.
        """
        starts = self._file.starts
        length = self._layout.row_length
        shape = (starts[-1],) if length is None else (len(starts) - 1, length)
        self._file.close(npy_header(f"<u{self._layout.token_type.size}", shape))
        write_starts(self._stem, starts)


open_writer = NpyWriter
