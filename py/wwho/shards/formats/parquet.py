"""`parquet`: a row for each document, with the column `input_ids`, and `name` where it has one."""

from __future__ import annotations

from pathlib import Path

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.arrow_rows import RowBatches, row_schema
from wwho.shards.formats.shard_format import Layout, no_folder_files
from wwho.shards.token_types import UNSIGNED

NAME = "parquet"
TYPES = UNSIGNED
MAX_BYTES = 1 << 62
SUFFIX = ".parquet"

folder_files = no_folder_files


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the ending of a shard's file."""
    return (SUFFIX,)


class ParquetWriter:
    """Writes a row group for each batch of rows, compressed with Zstandard."""

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the file."""
        schema = row_schema(layout)
        from pyarrow import parquet

        self._batches = RowBatches(schema, layout)
        self._stream = stem.with_name(stem.name + SUFFIX).open("xb")
        self._writer = parquet.ParquetWriter(self._stream, schema, compression="zstd")

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before."""
        for batch in self._batches.add(documents):
            self._writer.write_batch(batch)

    def close(self) -> None:
        """Write what is left, and close the file."""
        with self._stream:
            for batch in self._batches.rest():
                self._writer.write_batch(batch)
            self._writer.close()


open_writer = ParquetWriter
