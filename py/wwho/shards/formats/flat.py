"""A flat file of ids, with the places at which documents begin in files beside it."""

from __future__ import annotations

from array import array
from contextlib import ExitStack
from pathlib import Path

from wwho.shards.encoded import EncodedDocuments
from wwho.shards.formats.shard_format import Layout, format_names

STARTS = ".starts.npy"
NAMES = ".names.jsonl"
NPY_HEADER_BYTES = 128
"""The size of the header of `.npy` written here: a multiple of 64, with room for the shape."""


class FlatFile:
    """A file of ids that is being written, after a header, and what is known of its documents.

    Attributes:
        starts: where each document begins, counted in ids, and where the last one ends.
    """

    def __init__(self, stem: Path, suffix: str, layout: Layout, *, header_bytes: int = 0) -> None:
        """Open `stem` plus `suffix`, and a file for the names of documents where they have any.

        Args:
            stem: the path without its ending.
            suffix: the ending.
            layout: what all shards have in common.
            header_bytes: how many bytes to leave free before the ids.

        Raises:
            OSError: a file cannot be written.
        """
        self._open = ExitStack()
        self._ids = self._open.enter_context(_path(stem, suffix).open("xb"))
        self._names = (
            self._open.enter_context(_path(stem, NAMES).open("xb")) if layout.named else None
        )
        self._ids.write(bytes(header_bytes))
        self.starts = array("q", (0,))

    def add(self, documents: EncodedDocuments) -> None:
        """Write the ids and names of documents.

        Their starts are added to `starts`, moved by the ids before.

        Raises:
            OSError: a file cannot be written.
        """
        before = self.starts[-1]
        self._ids.write(documents.ids)
        self.starts.extend([before + start for start in documents.starts[1:]])
        if self._names is not None:
            self._names.write(format_names(documents.names))

    def close(self, header: bytes = b"") -> None:
        """Write the header into its place, and close the files.

        Raises:
            OSError: a file cannot be written.
        """
        with self._open:
            if header:
                self._ids.seek(0)
                self._ids.write(header)


def flat_suffixes(suffix: str, layout: Layout) -> tuple[str, ...]:
    """Return the endings of a flat file, of its starts, and of its names where there are any."""
    return (suffix, STARTS, NAMES) if layout.named else (suffix, STARTS)


def write_starts(stem: Path, starts: array[int]) -> None:
    """Write where documents begin as a file of numpy: int64, one more than there are documents.

    Raises:
        OSError: it cannot be written.
    """
    with _path(stem, STARTS).open("xb") as stream:
        stream.write(npy_header("<i8", (len(starts),)))
        stream.write(starts.tobytes())


def npy_header(kind: str, shape: tuple[int, ...]) -> bytes:
    """Return the header of a file of numpy, of `NPY_HEADER_BYTES`.

    Args:
        kind: the type of its numbers, as numpy writes it.
        shape: its shape.
    """
    facts = repr({"descr": kind, "fortran_order": False, "shape": shape})
    length = NPY_HEADER_BYTES - 10
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + f"{facts:<{length - 1}}\n".encode()


def _path(stem: Path, suffix: str) -> Path:
    """Return a path with an ending after its name, whatever dots the name has."""
    return stem.with_name(stem.name + suffix)
