"""Documents as rows of Arrow: a list of ids, and a name where documents have names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from wwho.errors import ShardError
from wwho.shards.encoded import EncodedDocuments, cut_documents, join_documents
from wwho.shards.formats.shard_format import Layout

if TYPE_CHECKING:
    import pyarrow

IDS_COLUMN = "input_ids"
NAME_COLUMN = "name"
MAX_BATCH_DOCUMENTS = 1 << 16
MAX_BATCH_IDS = 1 << 22
"""The most documents, and ids, that are written at a time; a longer document is written alone."""


def row_schema(layout: Layout) -> pyarrow.Schema:
    """Return the schema of the rows.

    Raises:
        ShardError: pyarrow is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ShardError(
            "writing Arrow or Parquet needs the package pyarrow; pip install 'wwho[train]'"
        ) from error
    ids = pyarrow.list_(getattr(pyarrow, layout.token_type.name)())
    fields = [pyarrow.field(IDS_COLUMN, ids)]
    if layout.named:
        fields.append(pyarrow.field(NAME_COLUMN, pyarrow.string()))
    return pyarrow.schema(fields)


class RowBatches:
    """Turns documents into batches of rows that depend on the documents alone."""

    def __init__(self, schema: pyarrow.Schema, layout: Layout) -> None:
        """Hold no documents yet."""
        self._schema = schema
        self._size = layout.token_type.size
        self._held: list[EncodedDocuments] = []
        self._held_documents = self._held_ids = 0

    def add(self, documents: EncodedDocuments) -> Iterator[pyarrow.RecordBatch]:
        """Take documents, and yield the batches that are full now; the rest waits."""
        self._held.append(documents)
        self._held_ids += documents.starts[-1]
        self._held_documents += len(documents)
        if self._held_ids > MAX_BATCH_IDS or self._held_documents > MAX_BATCH_DOCUMENTS:
            yield from self._cut(is_end=False)

    def rest(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield batches of the documents that are left."""
        yield from self._cut(is_end=True)

    def _cut(self, *, is_end: bool) -> Iterator[pyarrow.RecordBatch]:
        """Yield the batches that are full, and at the end the last one, too; hold the others."""
        joined = [join_documents(self._held)]
        self._held, self._held_ids, self._held_documents = [], 0, 0
        groups = cut_documents(
            joined, self._size, max_ids=MAX_BATCH_IDS, max_documents=MAX_BATCH_DOCUMENTS
        )
        for group, is_full in groups:
            if is_full or (is_end and len(group)):
                yield self._to_rows(group)
            elif len(group):
                self._held = [group]
                self._held_ids, self._held_documents = group.starts[-1], len(group)

    def _to_rows(self, group: EncodedDocuments) -> pyarrow.RecordBatch:
        """Return documents as rows: ids, and names if the schema has them; ids are not copied."""
        import pyarrow

        kind = self._schema.field(IDS_COLUMN).type
        ids = pyarrow.Array.from_buffers(
            kind.value_type, group.starts[-1], [None, pyarrow.py_buffer(group.ids)]
        )
        offsets = pyarrow.py_buffer(array("i", group.starts).tobytes())
        columns = [pyarrow.Array.from_buffers(kind, len(group), [None, offsets], children=[ids])]
        if NAME_COLUMN in self._schema.names:
            columns.append(pyarrow.array(group.names, pyarrow.string()))
        return pyarrow.record_batch(columns, schema=self._schema)


class RowWriter(ABC):
    """Writes one file of rows; each format opens a writer of pyarrow over the file.

    Attributes:
        suffix: the ending of the file.
    """

    suffix: str

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the file whose path without its ending is `stem`; it must not exist."""
        schema = row_schema(layout)
        self._batches = RowBatches(schema, layout)
        self._stream = stem.with_name(stem.name + self.suffix).open("xb")
        self._sink = self.open_sink(self._stream, schema)

    @abstractmethod
    def open_sink(self, stream: IO[bytes], schema: pyarrow.Schema) -> Any:
        """Return pyarrow's writer of batches of rows into a file."""

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before."""
        for batch in self._batches.add(documents):
            self._sink.write_batch(batch)

    def close(self) -> None:
        """Write what is left, and close the file."""
        with self._stream:
            for batch in self._batches.rest():
                self._sink.write_batch(batch)
            self._sink.close()
