"""Where a corpus lies: files, folders, patterns and URLs."""

from __future__ import annotations

import errno
import glob
import gzip
import io
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

try:
    from lzma import LZMAError
except ModuleNotFoundError:  # Pyodide brings it as a package of its own
    LZMAError = zlib.error  # type: ignore[misc,assignment]

STANDARD_INPUT = "-"
WEB = ("http://", "https://")
COMPRESSIONS = (".gz", ".xz", ".zst")
JSON_LINES = (".jsonl", ".ndjson")
TEXT_FORMS = (".txt", *JSON_LINES)
PARQUET = ".parquet"
URL = re.compile(r"[A-Za-z][\w+.-]+(://|::)")
"""How a URL begins; two letters at least, so that no drive of Windows is one."""


def files_of(name: str) -> tuple[str, ...]:
    """The files that a name stands for, in ascending order of their names.

    A file stands for itself, and so does ``-``, the standard input. A folder (as a URL: one that
    ends in ``/``) stands for all files in it and below that are called ``*.txt``, ``*.jsonl``,
    ``*.ndjson``, compressed or not, or ``*.parquet``; names that begin with ``.`` or ``_`` are
    passed over. A pattern with ``*``, ``?`` or ``[...]`` stands for the files that match, whatever
    they are called, where there is no file of that very name; ``**`` matches any depth.

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
            f"{name}: no file there; a folder needs files called *.txt, *.jsonl, *.ndjson (also "
            "ending in .gz, .xz or .zst) or *.parquet, and a pattern must match a file"
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
    head = head_of(name)
    if not (head.endswith("/") or glob.has_magic(head)):
        return [name]
    system, path = file_system(name)
    if head.endswith("/"):
        found = [file for file in system.find(path) if _is_text_below(path, file)]
    elif system.isfile(path):
        return [name]
    else:
        found = system.glob(path)
    scheme = head.partition("://")[0]
    urls = (file if "://" in file else f"{scheme}://{file}" for file in found)
    return [name.replace(head, url, 1) for url in urls]


def _is_text_below(folder: str, file: str) -> bool:
    *folders, name = file.removeprefix(folder.rstrip("/")).split("/")
    return is_text(name) and not any(map(is_hidden, folders))


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


def head_of(url: str) -> str:
    """The link that names the file in a chain of URLs such as ``zip://a.txt::https://host/b.zip``.

    Example:
        >>> head_of("simplecache::s3://bucket/a.txt")
        's3://bucket/a.txt'
    """
    return next((link for link in url.split("::") if "://" in link), url)


def path_of(file: str) -> str:
    """The part of a file's name whose ending tells what it is: of a web address, its path."""
    head = head_of(file) if is_url(file) else file
    return urlsplit(head).path if head.startswith(WEB) else head


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


@contextmanager
def open_raw(file: str, *, anywhere: bool = True) -> Iterator[BinaryIO]:
    """Open a file or a URL; where it need not be read anywhere, web servers need no ranges."""
    if not is_url(file):
        with Path(file).open("rb", buffering=0) as stream:
            yield stream
        return
    system, path = file_system(file)  # kept here: an archive is closed with its last reference
    streamed = file.startswith(WEB) and not anywhere
    with system.open(path, "rb", **({"block_size": 0} if streamed else {})) as stream:
        yield stream


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

    Of a chain of URLs it is that of the last link: the archive, or what is cached here.

    Raises:
        CorpusError: there is no such file.
    """
    with reported(file):
        stored = file.rpartition("::")[2] if is_url(file) else file
        if not is_url(stored):
            status = Path(stored).stat()
            return f"{status.st_size} bytes, written at {status.st_mtime_ns}"
        system, path = file_system(stored)
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
    except (gzip.BadGzipFile, LZMAError, zlib.error) as error:
        raise CorpusError(f"{file}: the compressed data is damaged: {error}") from error
    except FileNotFoundError as error:
        # fsspec says so of a web server too that does not answer, or answers with an error.
        cause = error.__cause__ if file.startswith(WEB) else None
        reason = (str(cause) or type(cause).__name__) if cause else os.strerror(errno.ENOENT)
        raise CorpusError(f"{file}: cannot be read: {reason}") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(f"{file}: cannot be read: {reason}") from error
    except Exception as error:
        if not is_url(file):
            raise
        # Each file system of fsspec has errors of its own.
        reason = str(error) or type(error).__name__
        raise CorpusError(f"{file}: cannot be read: {reason}") from error
