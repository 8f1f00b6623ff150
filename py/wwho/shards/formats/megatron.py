"""`megatron`: the two files that `IndexedDataset` of Megatron-LM reads, a sequence a document."""

from __future__ import annotations

from array import array
from pathlib import Path
from struct import pack

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.flat import NAMES, FlatFile
from wwho.shards.formats.shard_format import Layout, no_folder_files
from wwho.shards.token_types import TokenType

NAME = "megatron"
TYPES = (TokenType("uint8", 1), TokenType("uint16", 2), TokenType("int32", 4))
"""The types of Megatron-LM: it has no uint32."""
TYPE_CODES = {"uint8": 1, "uint16": 8, "int32": 4}
MAX_BYTES = 1 << 62
IDS, INDEX = ".bin", ".idx"
MAGIC = b"MMIDIDX\x00\x00"
VERSION = 1

folder_files = no_folder_files


def suffixes(layout: Layout) -> tuple[str, ...]:
    """Return the endings of a shard's files."""
    return (IDS, INDEX, NAMES) if layout.named else (IDS, INDEX)


class MegatronWriter:
    """Writes the ids as they come, and the index at the end."""

    def __init__(self, stem: Path, layout: Layout) -> None:
        """Open the files."""
        self._index = stem.with_name(stem.name + INDEX)
        self._type = layout.token_type
        self._file = FlatFile(stem, IDS, layout)

    def add(self, documents: EncodedDocuments) -> None:
        """Write documents after those that were added before."""
        self._file.add(documents)

    def close(self) -> None:
        """Write the index, and close the files.

        The index has the number of sequences, and that of document bounds, 64 bits each; the length
        of each sequence, 32 bits; the byte at which it begins, 64 bits; and the bounds: the number
        of the first sequence of each document, and that after the last, 64 bits.

        Raises:
            FileExistsError: the index exists; it stays as it is.
            OSError: a file cannot be written.
        """
        self._file.close()
        starts, size = self._file.starts, self._type.size
        n = len(starts) - 1
        lengths = array("i", [starts[k + 1] - starts[k] for k in range(n)])
        pointers = array("q", [start * size for start in starts[:n]])
        with self._index.open("xb") as stream:
            stream.write(MAGIC + pack("<QBQQ", VERSION, TYPE_CODES[self._type.name], n, n + 1))
            stream.write(lengths.tobytes())
            stream.write(pointers.tobytes())
            stream.write(array("q", range(n + 1)).tobytes())


open_writer = MegatronWriter
