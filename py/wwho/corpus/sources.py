"""Finding and opening the files of a corpus: paths, folders, patterns and URLs."""

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
from wwho.format.files import write_atomic

# Pyodide brings lzma as a package of its own, which may not be loaded.
try:
    from lzma import LZMAError
except ModuleNotFoundError:
    LZMAError = zlib.error  # type: ignore[misc,assignment]

STANDARD_INPUT = "-"
WEB = ("http://", "https://")
COMPRESSIONS = (".gz", ".xz", ".zst")
JSON_LINES = (".jsonl", ".ndjson")
TEXT_FORMS = (".txt", *JSON_LINES)
PARQUET = ".parquet"
URL = re.compile(r"[A-Za-z][\w+.-]+(://|::)")
"""A pattern of how a URL begins; two letters at least, so that no drive of Windows is one."""


def files_of(name: str) -> tuple[str, ...]:
    """Return the files that a name stands for, in ascending order of their names.

    A file stands for itself, and so does ``-``, the standard input. A folder (as a URL: one that
    ends in ``/``) stands for all files in it and below that are called ``*.txt``, ``*.jsonl``,
    ``*.ndjson``, compressed or not, or ``*.parquet``; names that begin with ``.`` or ``_`` are
    passed over. A pattern with ``*``, ``?`` or ``[...]`` stands for the files that match, whatever
    they are called, where there is no file of that very name; ``**`` matches any depth. A name
    without all that is returned as it is, even if there is no such file.

    Raises:
        CorpusError: a folder has no such file, a pattern matches none, or a URL needs a package
            that is not installed.
    """
    if name == STANDARD_INPUT:
        return (name,)
    with report_read_errors(name):
        found = _find_files_at_url(name) if is_url(name) else _find_local_files(name)
    if not found:
        raise CorpusError(
            f"{name}: no file there; a folder needs files called *.txt, *.jsonl, *.ndjson (also "
            "ending in .gz, .xz or .zst) or *.parquet, and a pattern must match a file"
        )
    return tuple(sorted(found))


def _find_local_files(name: str) -> list[str]:
    """Return the files that a path or pattern stands for, in no order; none for a bad pattern.

    Raises:
        OSError: a folder cannot be read.
    """
    path = Path(name)
    if path.is_dir():
        return list(_find_texts_below(name))
    if path.exists() or not glob.has_magic(name):
        return [name]
    return [match for match in glob.glob(name, recursive=True) if Path(match).is_file()]


def _find_texts_below(folder: str) -> Iterator[str]:
    """Yield the paths of all text files in a folder and in its folders that are not hidden.

    Raises:
        OSError: a folder cannot be read.
    """
    for here, folders, files in os.walk(folder, onerror=_raise):
        # os.walk goes into those folders that are left in its list.
        folders[:] = [name for name in folders if not is_hidden(name)]
        yield from (os.path.join(here, name) for name in files if is_text(name))


def _raise(error: OSError) -> None:
    """Raise the error that `os.walk` would pass over."""
    raise error


def _find_files_at_url(name: str) -> list[str]:
    """Return the URLs of the files that a URL stands for, in no order; [] if there are none.

    For a URL that ends in "/", these are the text files below it that are not hidden. For a pattern
    that is not itself a file's URL, these are all files that match. Any other URL is returned as it
    is; nothing checks whether there is such a file. Of a chain, the first link is looked up, and
    every other link stays.

    Raises:
        CorpusError: fsspec is not installed.
    """
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
    """Return whether a file below a folder is text, and no folder between both is hidden."""
    *folders, name = file.removeprefix(folder.rstrip("/")).split("/")
    return is_text(name) and not any(map(is_hidden, folders))


def is_text(name: str) -> bool:
    """Return whether a file that was found in a folder belongs to the corpus, by its name alone."""
    bare = name.removesuffix(compression(name)).lower()
    wanted = bare.endswith(TEXT_FORMS) or name.lower().endswith(PARQUET)
    return wanted and not is_hidden(name)


def is_hidden(name: str) -> bool:
    """Return whether a file or folder in a folder is passed over, by its name."""
    return name.startswith((".", "_"))


def is_url(name: str) -> bool:
    """Return whether a name is a URL, or a chain of URLs, and not a path."""
    return URL.match(name) is not None


def head_of(url: str) -> str:
    """Return the link that names the file in a chain of URLs.

    It is the first one with ``://``: in ``zip://a.txt::https://host/b.zip`` that is
    ``zip://a.txt``.

    Example:
        >>> head_of("simplecache::s3://bucket/a.txt")
        's3://bucket/a.txt'
    """
    return next((link for link in url.split("::") if "://" in link), url)


def path_of(file: str) -> str:
    """Return the part of a file's name whose ending tells its form: of a web address, its path."""
    head = head_of(file) if is_url(file) else file
    return urlsplit(head).path if head.startswith(WEB) else head


def compression(path: str) -> str:
    """Return the ending that tells how a file is compressed, in the case of the name; "" for none.

    It is one of ``.gz``, ``.xz`` and ``.zst``.
    """
    suffix = Path(path).suffix
    return suffix if suffix.lower() in COMPRESSIONS else ""


def file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL, and the path in it.

    A protocol that fsspec does not know, or whose package is missing, raises what fsspec raises.

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


def standard_input() -> io.BufferedReader:
    """Return standard input as a buffered stream of bytes; of text alone, the text in UTF-8.

    Raises:
        OSError: it is closed.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "is closed", "standard input")
    if not hasattr(sys.stdin, "buffer"):
        text = io.BytesIO(sys.stdin.read().encode("utf-8", "surrogateescape"))
        return io.BufferedReader(cast("io.RawIOBase", text))
    return cast("io.BufferedReader", sys.stdin.buffer)


@contextmanager
def open_stored(file: str, *, anywhere: bool = False) -> Iterator[io.BufferedReader]:
    """Open the stored bytes of a file, a URL or the standard input, which is not closed afterwards.

    Args:
        file: the name; ``-`` is the standard input.
        anywhere: whether the stream must be able to go to any place in the file; nothing is asked
            of the standard input, which may be a pipe.

    Raises:
        CorpusError, OSError: as `open_raw` does.
    """
    if file == STANDARD_INPUT:
        yield standard_input()
        return
    with open_raw(file, anywhere=anywhere) as stream:
        yield io.BufferedReader(cast("io.RawIOBase", stream))


@contextmanager
def open_raw(file: str, *, anywhere: bool = True) -> Iterator[BinaryIO]:
    """Open a file or a URL without a buffer, and close it after the block.

    Args:
        file: the path or URL.
        anywhere: whether the stream must be able to go to any place in the file. If not, a web
            server needs to know no ranges.

    Raises:
        CorpusError: fsspec is not installed.
        OSError: the file cannot be opened; file systems of fsspec have other errors, too.
    """
    if not is_url(file):
        with Path(file).open("rb", buffering=0) as stream:
            yield stream
        return
    # The system stays in a variable: an archive is closed with its last reference.
    system, path = file_system(file)
    streamed = file.startswith(WEB) and not anywhere
    with system.open(path, "rb", **({"block_size": 0} if streamed else {})) as stream:
        yield stream


def size_of(file: str) -> int | None:
    """Return the bytes of a file as it is stored; None for the standard input and some servers.

    Of a URL, its server is asked.

    Raises:
        CorpusError: there is no such file, or the server cannot be asked.
    """
    if file == STANDARD_INPUT:
        return None
    with report_read_errors(file):
        if not is_url(file):
            return Path(file).stat().st_size
        system, path = file_system(file)
        size: int | None = system.size(path)
        return size


def stamp_of(file: str) -> str:
    """Return a text that changes when a file does: its size, and when it was written.

    Of a URL it has what the server says in place of the time. Of a chain of URLs it is that of the
    last link: the archive, or what is cached here.

    Raises:
        CorpusError: there is no such file.
    """
    with report_read_errors(file):
        stored = file.rpartition("::")[2] if is_url(file) else file
        if not is_url(stored):
            status = Path(stored).stat()
            return f"{status.st_size} bytes, written at {status.st_mtime_ns}"
        system, path = file_system(stored)
        return f"{system.size(path)} bytes, {system.ukey(path)}"


def read_file(file: str) -> bytes:
    """Return all bytes of a file or a URL.

    Raises:
        CorpusError: fsspec is not installed.
        OSError: it cannot be read; file systems of fsspec have other errors, too.
    """
    with open_raw(file, anywhere=False) as stream:
        return stream.read()


def write_file(file: str, *data: bytes) -> None:
    """Write a file, as `write_atomic` does, or a URL, with the folders that it is in.

    Raises:
        CorpusError: fsspec is not installed.
        OSError: it cannot be written; file systems of fsspec have other errors, too.
    """
    if not is_url(file):
        write_atomic(file, *data)
        return
    system, path = file_system(file)
    system.makedirs(path.rpartition("/")[0], exist_ok=True)
    system.pipe_file(path, b"".join(data))


def file_exists(file: str) -> bool:
    """Return whether there is a file of this path or URL.

    Raises:
        CorpusError: fsspec is not installed.
    """
    if not is_url(file):
        return Path(file).exists()
    system, path = file_system(file)
    return bool(system.exists(path))


@contextmanager
def report_read_errors(file: str) -> Iterator[None]:
    """Turn every failure to read a file in the block into a `CorpusError` that names the file.

    It covers what the operating system, the decompressors and, for URLs, any file system raise.

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
