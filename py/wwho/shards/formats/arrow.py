"""`arrow`: a folder that `datasets.load_from_disk` opens, a row for each document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from wwho.shards.formats.arrow_rows import IDS_COLUMN, NAME_COLUMN, RowWriter
from wwho.shards.formats.shard_format import Layout, Shard
from wwho.shards.token_types import UNSIGNED

if TYPE_CHECKING:
    import pyarrow

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


class ArrowWriter(RowWriter):
    """Writes a stream of batches of rows in Arrow's format."""

    suffix = SUFFIX

    def open_sink(self, stream: IO[bytes], schema: pyarrow.Schema) -> Any:
        """Return pyarrow's writer of batches of rows into a file."""
        from pyarrow import ipc

        return ipc.new_stream(stream, schema)


open_writer = ArrowWriter
