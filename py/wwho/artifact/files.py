"""Output files appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that at any moment the old or the new content stands there, never a part.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is
    then renamed. On failure, and on Ctrl-C, the temporary file is removed and an old file stays as
    it was.

    Raises:
        OSError: the file cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_atomic(Path(folder) / "a.bin", b"abc")
        ...     [(file.name, file.read_bytes()) for file in Path(folder).iterdir()]
        [('a.bin', b'abc')]
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
