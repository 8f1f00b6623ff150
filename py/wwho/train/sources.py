"""Where a corpus lies: files, folders, patterns and URLs."""

from __future__ import annotations

import errno
import glob
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from wwho.errors import CorpusError

STANDARD_INPUT = "-"
WEB = ("http://", "https://")
COMPRESSIONS = (".gz", ".xz", ".zst")
TEXT_FORMS = (".txt", ".jsonl")
PARQUET = ".parquet"
URL = re.compile(r"[A-Za-z][\w+.-]+(://|::)")
"""How a URL begins; two letters at least, so that no drive of Windows is one."""


def files_of(name: str) -> tuple[str, ...]:
    """The files that a name stands for, in ascending order of their names.

    A file stands for itself, and so does ``-``, the standard input. A folder (as a URL: one that
    ends in ``/``) stands for all files in it and below that are called ``*.txt``, ``*.jsonl``,
    compressed or not, or ``*.parquet``; names that begin with ``.`` or ``_`` are passed over. A
    pattern with ``*``, ``?`` or ``[...]`` stands for the files that match, whatever they are
    called; ``**`` matches any depth.

    Raises:
        CorpusError: a folder has no such file, a pattern matches none, or a URL needs a package
            that is not installed.
    """
    if name == STANDARD_INPUT:
        return (name,)
    with reported(name):
        found = _files_at_url(name) if is_url(name) else _local_files(name)
    if not found:
        raise CorpusError(
            f"{name}: no file there; a folder needs files called *.txt, *.jsonl (or with .gz, "
            ".xz, .zst behind) or *.parquet, and a pattern must match a file"
        )
    return tuple(sorted(found))


def _local_files(name: str) -> list[str]:
    path = Path(name)
    if path.is_dir():
        return list(_texts_below(name))
    if path.exists() or not glob.has_magic(name):
        return [name]
    return [match for match in glob.glob(name, recursive=True) if Path(match).is_file()]


def _texts_below(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder, onerror=_raised):
        folders[:] = [name for name in folders if not is_hidden(name)]
        yield from (os.path.join(here, name) for name in files if is_text(name))


def _raised(error: OSError) -> None:
    raise error


def _files_at_url(name: str) -> list[str]:
    if "::" in name or not (name.endswith("/") or glob.has_magic(name)):
        return [name]
    system, path = file_system(name)
    if not name.endswith("/"):
        return [system.unstrip_protocol(match) for match in system.glob(path)]
    found = ((file, file.removeprefix(path.rstrip("/")).split("/")) for file in system.find(path))
    return [
        system.unstrip_protocol(file)
        for file, (*folders, name) in found
        if is_text(name) and not any(map(is_hidden, folders))
    ]


def is_text(name: str) -> bool:
    """Whether a file in a folder belongs to the corpus, as its name says."""
    bare = name.removesuffix(compression(name)).lower()
    wanted = bare.endswith(TEXT_FORMS) or name.lower().endswith(PARQUET)
    return wanted and not is_hidden(name)


def is_hidden(name: str) -> bool:
    """Whether a file or folder is passed over."""
    return name.startswith((".", "_"))


def is_url(name: str) -> bool:
    """Whether a name is a URL, and not a path."""
    return URL.match(name) is not None


def path_of(file: str) -> str:
    """The part of a file's name whose ending tells what it is: of a web address, its path."""
    return urlsplit(file).path if file.startswith(WEB) else file


def compression(path: str) -> str:
    """The ending that tells how a file is compressed, as it is spelled; "" for none."""
    suffix = Path(path).suffix
    return suffix if suffix.lower() in COMPRESSIONS else ""


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path there.

    Raises:
        CorpusError: fsspec is not installed.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise CorpusError(
            f"{url}: reading a URL needs the package fsspec; pip install 'wwho[train]'"
        ) from error
    system, path = url_to_fs(url)
    return system, str(path)


@contextmanager
def opened(file: str, *, anywhere: bool = False) -> Iterator[io.BufferedReader]:
    """The stored bytes of a file, a URL or the standard input; `anywhere`: not from its start."""
    if file == STANDARD_INPUT:
        yield cast("io.BufferedReader", sys.stdin.buffer)
        return
    with open_raw(file, anywhere=anywhere) as stream:
        yield io.BufferedReader(cast("io.RawIOBase", stream))


def open_raw(file: str, *, anywhere: bool = True) -> BinaryIO:
    """Open a file or a URL; where it need not be read anywhere, web servers need no ranges."""
    if not is_url(file):
        return Path(file).open("rb", buffering=0)
    system, path = file_system(file)
    streamed = file.startswith(WEB) and not anywhere
    return cast("BinaryIO", system.open(path, "rb", **({"block_size": 0} if streamed else {})))


def size_of(file: str) -> int | None:
    """Bytes of a file as it is stored; None where nobody knows.

    Raises:
        CorpusError: there is no such file.
    """
    if file == STANDARD_INPUT:
        return None
    with reported(file):
        if not is_url(file):
            return Path(file).stat().st_size
        system, path = file_system(file)
        size: int | None = system.size(path)
        return size


def stamp_of(file: str) -> str:
    """What changes when a file does: its size, and when it was written or what its server says.

    Raises:
        CorpusError: there is no such file, or it is the standard input, which passes only once.
    """
    if file == STANDARD_INPUT:
        raise CorpusError("the standard input cannot be read again after a stop; name files")
    with reported(file):
        if not is_url(file):
            status = Path(file).stat()
            return f"{status.st_size} bytes, written at {status.st_mtime_ns}"
        system, path = file_system(file)
        return f"{system.size(path)} bytes, {system.ukey(path)}"


@contextmanager
def reported(file: str) -> Iterator[None]:
    """Say of every failure to read a file which file it was, and what it means.

    Raises:
        CorpusError: instead of what the libraries raise.
    """
    try:
        yield
    except CorpusError:
        raise
    except EOFError as error:
        raise CorpusError(
            f"{file}: the compressed data is truncated; get the file again"
        ) from error
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{file}: the compressed data is damaged: {error}") from error
    except FileNotFoundError as error:
        raise CorpusError(f"{file}: cannot be read: {os.strerror(errno.ENOENT)}") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(f"{file}: cannot be read: {reason}") from error
    except Exception as error:
        if not is_url(file):
            raise
        # Each file system of fsspec has errors of its own.
        reason = str(error) or type(error).__name__
        raise CorpusError(f"{file}: cannot be read: {reason}") from error
