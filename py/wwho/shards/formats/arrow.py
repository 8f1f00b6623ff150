"""`arrow`: a folder that `datasets.load_from_disk` opens, a row for each document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.arrow_rows import IDS_COLUMN, NAME_COLUMN, RowBatches, row_schema
from wwho.shards.formats.shard_format import Layout, Shard
from wwho.shards.token_types import UNSIGNED

NAME = "arrow"
TYPES = UNSIGNED
MAX_BYTES = 1 << 62
SUFFIX = ".arrow"


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the ending of a shard's file."""
    return (SUFFIX,)


def folder_files(shards: Sequence[Shard], layout: Layout) -> dict[str, bytes]:
    """Return `state.json` and `dataset_info.json`, which list the shards and their columns.

    The fingerprint, by which `datasets` finds results again that it kept, is that of the shards.
    """
    ids = {"dtype": layout.token_type.name, "_type": "Value"}
    # `datasets` reads this name for lists in every version; newer ones write List.
    features: dict[str, object] = {IDS_COLUMN: {"feature": ids, "_type": "Sequence"}}
    if layout.named:
        features[NAME_COLUMN] = {"dtype": "string", "_type": "Value"}
    digest = hashlib.sha256("".join(shard.sha256 for shard in shards).encode()).hexdigest()
    state: dict[str, object] = {
        "_data_files": [{"filename": shard.file} for shard in shards],
        "_fingerprint": digest[:16],
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
    return {
        "state.json": json.dumps(state, indent=2).encode() + b"\n",
        "dataset_info.json": json.dumps(info, indent=2).encode() + b"\n",
    }


class ArrowWriter:
    """Writes a stream of batches of rows in Arrow's format."""

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the file."""
        schema = row_schema(layout)
        from pyarrow import ipc

        self._batches = RowBatches(schema, layout)
        self._stream = stem.with_name(stem.name + SUFFIX).open("xb")
        self._writer = ipc.new_stream(self._stream, schema)

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


open_writer = ArrowWriter
