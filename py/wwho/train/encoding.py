"""Whether bytes are text in UTF-8, and what else they look like."""

from __future__ import annotations

from wwho.errors import CorpusError

MOST_JUNK = 3
"""Text of which one part in so many is no text is binary data, or in another encoding."""

MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""What text in another encoding begins with; the longest first, for one begins with another."""


def check_encoding(file: str, data: bytes) -> None:
    """Refuse a file that begins as no text in UTF-8 does.

    Args:
        file: its name.
        data: its first block.

    Raises:
        CorpusError: the file begins with the mark of another encoding, or more than a third of the
            block is no text; it says which encoding the file seems to be in, and how to convert it.

    Example:
        >>> check_encoding("a.txt", "one two".encode("utf-16-le"))
        Traceback (most recent call last):
        wwho.errors.CorpusError: a.txt: this is no text in UTF-8 but UTF-16LE; convert it, for \
example with: iconv -f UTF-16LE -t UTF-8
    """
    name = next((name for mark, name in MARKS.items() if data.startswith(mark)), "")
    broken, nuls = broken_bytes(data), data.count(0)
    if not name and broken + nuls <= len(data) / MOST_JUNK:
        return
    if name := name or _without_a_mark(data, nuls):
        raise in_another(file, name)
    raise CorpusError(
        f"{file}: this is no text in UTF-8: of its first {len(data):,} bytes {broken:,} belong to "
        f"no character and {nuls:,} are NUL; convert it, for example with iconv"
    )


def in_another(file: str, name: str) -> CorpusError:
    """The error for a file that is text in another encoding."""
    return CorpusError(
        f"{file}: this is no text in UTF-8 but {name}; convert it, for example with: "
        f"iconv -f {name} -t UTF-8"
    )


def broken_bytes(data: bytes) -> int:
    """How many bytes are part of no well-formed sequence."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return sum("\udc80" <= char <= "\udcff" for char in data.decode("utf-8", "surrogateescape"))
    return 0


def _without_a_mark(data: bytes, nuls: int) -> str:
    """The encoding of such text, "" for none known.

    In UTF-16 every Latin character, space and line feed has one NUL, always on the same side.
    """
    if nuls * 50 < len(data):
        return ""
    return {0: "UTF-16LE", nuls: "UTF-16BE"}.get(data[::2].count(0), "")
