"""Reading the texts in a column of a Parquet file, a few rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from wwho.corpus.sources import open_raw
from wwho.errors import CorpusError
from wwho.progress import Advance, ignore

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

BATCH = 256
"""Rows read at a time."""

PAGES = 1 << 20
"""Bytes of the file read at a time; left to itself the library reads whole row groups."""


class ParquetColumn:
    """An open Parquet file, of which one column is read; closed at the end of a ``with`` block.

    Attributes:
        group_bytes: the bytes of each row group, uncompressed, of all columns.
    """

    def __init__(self, file: str, column: str, names: str | None = None) -> None:
        """Open a file or URL, read what it says of its columns, and check these.

        Args:
            file: the path or URL.
            column: the column of texts.
            names: a column whose values name the texts; None for none.

        Raises:
            CorpusError: pyarrow is not installed, the file is no Parquet, or it has no such column
                of strings, or no such column of names.
        """
        self._file = file
        self._column = column
        self._names = names
        self._open = ExitStack()
        self._stream = self._open.enter_context(open_raw(file))
        self._parquet = _open_parquet(file, self._stream)
        _check_column(file, self._parquet.schema_arrow, column)
        if names is not None:
            _check_name(file, self._parquet.schema_arrow, names)
        metadata = self._parquet.metadata
        self.group_bytes: list[int] = [
            metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)
        ]

    def __enter__(self) -> ParquetColumn:
        """Return this object."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._open.close()

    def read_texts(
        self, start: int = 0, stop: int | None = None, advance: Advance = ignore
    ) -> Iterator[list[bytes]]:
        """Yield the texts of up to `BATCH` rows at a time, as bytes; rows without one are left out.

        Arguments and errors are those of `read_rows`.
        """
        for texts, _ in self.read_rows(start, stop, advance):
            yield [text for text in texts if text is not None]

    def read_rows(
        self, start: int = 0, stop: int | None = None, advance: Advance = ignore
    ) -> Iterator[tuple[list[bytes | None], list[object]]]:
        """Yield the texts and the names of up to `BATCH` rows at a time.

        Texts are bytes, or None for a row without one; names are None where no column has them.

        Args:
            start: the number of the first row group, from 0.
            stop: the number of the row group after the last; None: to the end.
            advance: is told how many bytes of the file have been read since it was last called,
                reckoned from the share of its rows.

        Raises:
            CorpusError: the data is damaged.
        """
        import pyarrow

        size, n_rows = self._stream.seek(0, os.SEEK_END), self._parquet.metadata.num_rows
        groups = range(len(self.group_bytes))[start:stop]
        columns = [self._column] if self._names is None else [self._column, self._names]
        rows = 0
        try:
            for batch in self._parquet.iter_batches(BATCH, groups, columns=columns):
                texts = batch.column(self._column).cast(pyarrow.large_binary()).to_pylist()
                before, rows = rows, rows + len(texts)
                advance(size * rows // n_rows - size * before // n_rows)
                names = (
                    batch.column(self._names).to_pylist() if self._names else [None] * len(texts)
                )
                yield texts, names
        except pyarrow.ArrowException as error:
            raise CorpusError(f"{self._file}: the Parquet data is damaged: {error}") from error


def check_texts(file: str, texts: Iterable[bytes]) -> None:
    """Raise an error at the first text that is not UTF-8.

    Raises:
        CorpusError: it names the file, the beginning of the text, and the byte.
    """
    for text in texts:
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{file}: the text that begins with {text[:40]!r} is not valid UTF-8: its byte "
                f"{error.start} is 0x{text[error.start]:02X} ({error.reason}); repair it, or read "
                "every such byte as U+FFFD with --errors replace"
            ) from error


def _open_parquet(file: str, stream: Any) -> ParquetFile:
    """Return the Parquet file in an open stream; `file` is its name, for errors.

    Raises:
        CorpusError: pyarrow is not installed, or the stream is no Parquet.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise CorpusError(
            f"{file}: reading Parquet needs the package pyarrow; pip install 'wwho[train]'"
        ) from error
    try:
        return ParquetFile(stream, buffer_size=PAGES, pre_buffer=False)
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{file}: not a Parquet file: {error}") from error


def _check_column(file: str, schema: Any, column: str) -> None:
    """Raise an error if a schema of Arrow has no such column, or one that holds no text.

    Strings and bytes are text, also where they are stored as a dictionary.

    Raises:
        CorpusError: it names the columns that there are, or the column's type.
    """
    import pyarrow

    _check_name(file, schema, column)
    kind = schema.field(column).type
    value = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    if str(value).removeprefix("large_").removesuffix("_view") not in ("string", "binary"):
        raise CorpusError(f"{file}: column {column!r} must hold strings, not {kind}")


def _check_name(file: str, schema: Any, column: str) -> None:
    """Raise an error if a schema of Arrow has no such column.

    Raises:
        CorpusError: it names the columns that there are.
    """
    if column not in schema.names:
        raise CorpusError(
            f"{file}: no column {column!r}; its columns are: {', '.join(schema.names) or 'none'}; "
            "name one with --column"
        )
