"""Files: output appears whole or not at all, and artifacts are recognized by how they begin."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wwho.format.layout import MAGIC


def write_atomic(path: str | os.PathLike[str], *data: bytes) -> None:
    """Write a file so that at any moment the old or the new content stands there, never a part.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is
    then renamed. On failure, and on Ctrl-C, the temporary file is removed and an old file stays as
    it was. A symbolic link stays, and the file that it leads to is written. Devices and pipes
    cannot be renamed over: they are written to directly.

    Args:
        path: the file.
        data: its content, in parts that are written one after the other.

    Raises:
        OSError: the file cannot be written; it names the path as given.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_atomic(Path(folder) / "a.bin", b"abc")
        ...     [(file.name, file.read_bytes()) for file in Path(folder).iterdir()]
        [('a.bin', b'abc')]
    """
    check_writable(path)
    with _name_in_errors(path):
        if _is_stream(path):
            Path(path).write_bytes(b"".join(data))
        else:
            _replace(Path(os.path.realpath(path)), data)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an OSError if `write_atomic` could not write to a path; nothing is changed.

    Call it before long work. That an existing file is read-only does not matter: it would be
    replaced.

    Raises:
        OSError: it is a folder, its own folder is missing, or writing is not allowed; the error
            names the path as given.

    Example:
        >>> check_writable("no/such/folder/a.bin")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] its folder does not exist: 'no/such/folder/a.bin'
    """
    with _name_in_errors(path):
        place = Path(path) if _is_stream(path) else Path(os.path.realpath(path))
        if place.is_dir():
            raise OSError(errno.EISDIR, "is a folder; name a file in it")
        if _is_stream(path):
            if not os.access(place, os.W_OK):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        elif not place.parent.is_dir():
            raise OSError(errno.ENOENT, "its folder does not exist")
        elif not os.access(place.parent, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, "its folder cannot be written to")


def read_model_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a model's file.

    Raises:
        OSError: the file cannot be read, or is a named pipe.
    """
    refuse_named_pipe(path)
    return Path(path).read_bytes()


def refuse_named_pipe(path: str | os.PathLike[str]) -> None:
    """Raise an OSError for a named pipe, which waits for ever if nobody writes to it.

    A pipe that a shell opens, such as that of `<(command)`, is none. A path where nothing is
    passes.

    Raises:
        OSError: the path is a named pipe.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return
    if is_pipe and not os.path.realpath(path).startswith(("/proc/", "/dev/fd/")):
        what = "is a named pipe, which may wait for ever; give a file, or <(a command)"
        raise OSError(errno.EINVAL, what, os.fspath(path))


def is_artifact(path: Path) -> bool:
    """Return whether a path is a file that begins as an artifact does.

    Raises:
        OSError: the file cannot be read.
    """
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a device or a pipe, which a rename would replace by a file."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _replace(target: Path, data: Iterable[bytes]) -> None:
    """Write parts of a content beside the target, flush to the disk, then rename over it.

    Raises:
        OSError: that failed; the target is as it was, and the file beside it is gone.
    """
    # A name of its own, since the target's with an addition could be too long.
    temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.writelines(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _name_in_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an OSError name the path as given, not a temporary file or the target of a link.

    Raises:
        OSError: in place of one that the block raises.
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
