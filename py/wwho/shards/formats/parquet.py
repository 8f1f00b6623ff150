"""`parquet`: a row for each document, with the column `input_ids`, and `name` where it has one."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from wwho.shards.formats.arrow_rows import RowWriter
from wwho.shards.formats.shard_format import Layout, no_folder_files
from wwho.shards.token_types import UNSIGNED

if TYPE_CHECKING:
    import pyarrow

NAME = "parquet"
TYPES = UNSIGNED
MAX_BYTES = 1 << 62
SUFFIX = ".parquet"

folder_files = no_folder_files


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the ending of a shard's file."""
    return (SUFFIX,)


class ParquetWriter(RowWriter):
    """Writes a row group for each batch of rows, compressed with Zstandard."""

    suffix = SUFFIX

    def open_sink(self, stream: IO[bytes], schema: pyarrow.Schema) -> Any:
        """Return pyarrow's writer of batches of rows into a file."""
        from pyarrow import parquet

        return parquet.ParquetWriter(stream, schema, compression="zstd")


open_writer = ParquetWriter
