"""`mds`: what `StreamingDataset` of mosaicml-streaming opens, a sample for each document."""

from __future__ import annotations

import json
import shutil
from array import array
from collections.abc import Sequence
from pathlib import Path
from struct import pack

from wwho.errors import ShardError
from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.shard_format import Layout, Shard
from wwho.shards.token_types import UNSIGNED

NAME = "mds"
TYPES = UNSIGNED
MAX_BYTES = 1 << 31
"""Samples begin at places of 32 bits; this leaves room for what stands around the ids."""
MAX_PLACE = (1 << 32) - 1
SUFFIX = ".mds"
SAMPLES = ".samples"
IDS_COLUMN, NAME_COLUMN = "input_ids", "name"
SHAPE_TYPES = ((1 << 8, 1), (1 << 16, 2), (1 << 32, 4))
"""The bounds of the length of an array, and the bytes that hold the length below each."""


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the ending of a shard's file."""
    return (SUFFIX,)


def shard_config(layout: Layout) -> dict[str, object]:
    """Return what the index, and each shard, say of the columns and their encodings.

    Arrays have a type, and where rows are packed a length, which are then not stored with each.
    """
    kind, length = layout.token_type, layout.row_length
    encoding = f"ndarray:{kind.name}" + ("" if length is None else f":{length}")
    return {
        "version": 2,
        "format": NAME,
        "compression": None,
        "hashes": [],
        "size_limit": None,
        "column_names": [IDS_COLUMN, NAME_COLUMN][: 1 + layout.named],
        "column_encodings": [encoding, "str"][: 1 + layout.named],
        "column_sizes": [length and length * kind.size, None][: 1 + layout.named],
    }


def folder_files(shards: Sequence[Shard], layout: Layout) -> dict[str, bytes]:
    """Return `index.json`, which lists the shards."""
    listed = [
        {
            **shard_config(layout),
            "samples": shard.documents,
            "raw_data": {"basename": shard.file, "bytes": shard.bytes, "hashes": {}},
            "zip_data": None,
        }
        for shard in shards
    ]
    return {"index.json": json.dumps({"version": 2, "shards": listed}, sort_keys=True).encode()}


class MdsWriter:
    """Writes samples into a file of their own, and at the end what must stand before them."""

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the file of samples."""
        self._target = stem.with_name(stem.name + SUFFIX)
        self._samples = stem.with_name(stem.name + SAMPLES)
        self._stream = self._samples.open("xb")
        self._layout = layout
        self._config = json.dumps(shard_config(layout), sort_keys=True).encode()
        self._places = array("q", (0,))

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before.

        A sample is the lengths of its columns in bytes, then the columns: the ids behind their
        number, and the name if there are names. Rows of one length are written without their
        length.
        """
        size, place = self._layout.token_type.size, self._places[-1]
        ids, starts = memoryview(documents.ids), documents.starts
        for number in range(len(documents)):
            begin, end = starts[number], starts[number + 1]
            columns = [self._shape(end - begin) + ids[begin * size : end * size]]
            if self._layout.named:
                columns.append(documents.names[number].encode())
            # Columns of no fixed size have theirs before the sample.
            sized = columns if self._layout.row_length is None else columns[1:]
            sample = b"".join((*(pack("<I", len(column)) for column in sized), *columns))
            self._stream.write(sample)
            place += len(sample)
            self._places.append(place)

    def _shape(self, length: int) -> bytes:
        """Return what stands before an array of this length: nothing where all have one length."""
        if self._layout.row_length is not None:
            return b""
        code, n_bytes = next(
            (code, size) for code, (bound, size) in enumerate(SHAPE_TYPES) if length < bound
        )
        dimensions = 1
        return bytes([dimensions << 2 | code]) + length.to_bytes(n_bytes, "little")

    def close(self) -> None:
        """Write the shard: the number of samples, their places, the config, the samples.

        The file of samples alone is removed at the end; with any error it stays, and so does the
        part of the shard that was written. Nothing can be added afterwards.

        Raises:
            ShardError: samples lie beyond the places that 32 bits hold; no shard is begun.
            FileExistsError: the shard's file exists; it stays as it is.
            OSError: a file cannot be written.
        """
        n = len(self._places) - 1
        before = 4 + 4 * len(self._places) + len(self._config)
        if before + self._places[-1] > MAX_PLACE:
            raise ShardError(
                f"{self._target.name}: has {n:,} documents, and more bytes than a shard of mds can "
                f"have, {MAX_PLACE:,}; give a smaller --shard-size"
            )
        places = array("I", [before + place for place in self._places])
        self._stream.close()
        with self._target.open("xb") as target, self._samples.open("rb") as samples:
            target.write(pack("<I", n) + places.tobytes() + self._config)
            shutil.copyfileobj(samples, target, 1 << 20)
        self._samples.unlink()


open_writer = MdsWriter
