"""The folder that shards are written to: on this machine, or wherever fsspec can write."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wwho.corpus.sources import file_system, is_url
from wwho.format.files import write_atomic

WORK = ".tokenize"
"""The folder in the folder of shards that holds what is needed until all are written."""

STAGED = "writing-"
"""The beginning of the names of folders in it that hold files while they are written."""


class OutputFolder:
    """A folder of shards; names of files are relative to it, with `/` between folders.

    Attributes:
        name: its path or URL, as given.
    """

    def __init__(self, name: str) -> None:
        """Say which folder it is; nothing is looked at or made.

        Raises:
            CorpusError: it is a URL, and fsspec is not installed.
        """
        self.name = name
        self._system = None
        self._root = name
        if is_url(name):
            self._system, self._root = file_system(name)

    def names(self) -> list[str]:
        """Return the names of the files and folders in the folder, sorted; none if it is missing.

        Raises:
            OSError: the folder cannot be read, or is a file.
        """
        if self._system is None:
            path = Path(self._root)
            return sorted(os.listdir(path)) if path.exists() else []
        if not self._system.exists(self._root):
            return []
        paths = self._system.ls(self._root, detail=False)
        return sorted(path.rstrip("/").rpartition("/")[2] for path in paths)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file; None if it is missing.

        Raises:
            OSError: it cannot be read.
        """
        try:
            if self._system is None:
                return Path(self._root, name).read_bytes()
            data: bytes = self._system.cat_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        return data

    def write(self, name: str, data: bytes) -> None:
        """Write a file, which appears whole, and the folders that it is in.

        Raises:
            OSError: it cannot be written.
        """
        if self._system is None:
            path = Path(self._root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
            return
        path_there = f"{self._root}/{name}"
        self._system.makedirs(path_there.rpartition("/")[0], exist_ok=True)
        self._system.pipe_file(path_there, data)

    @contextmanager
    def stage_files(self) -> Iterator[Path]:
        """Give the block an empty folder of this machine, which is removed after it.

        It lies in the folder of work, so that a file in it can be renamed into its place; for a
        URL, where temporary files do.

        Raises:
            OSError: it cannot be made.
        """
        if self._system is not None:
            with tempfile.TemporaryDirectory() as place:
                yield Path(place)
            return
        work = Path(self._root, WORK)
        work.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=STAGED, dir=work))
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    def publish(self, staged: Path) -> None:
        """Move a file that was staged into this folder, under its name; one there is replaced.

        On this machine the file is first flushed to the disk, and appears whole.

        Raises:
            OSError: that failed.
        """
        if self._system is None:
            with staged.open("rb") as stream:
                os.fsync(stream.fileno())
            os.replace(staged, Path(self._root, staged.name))
            return
        self._system.put_file(str(staged), f"{self._root}/{staged.name}")

    def remove_staged(self) -> None:
        """Remove what killed workers left; no other worker may be writing into this folder."""
        if self._system is None:
            for staged in Path(self._root, WORK).glob(f"{STAGED}*"):
                shutil.rmtree(staged, ignore_errors=True)

    def remove_work(self) -> None:
        """Remove the folder of work, with what interrupted workers left in it.

        Raises:
            OSError: it cannot be removed.
        """
        if self._system is None:
            shutil.rmtree(Path(self._root, WORK), ignore_errors=True)
        elif self._system.exists(f"{self._root}/{WORK}"):
            self._system.rm(f"{self._root}/{WORK}", recursive=True)
