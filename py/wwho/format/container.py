"""The outer form of an artifact: header, section table and checksum (FORMAT.md, Header)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from wwho.errors import ArtifactError
from wwho.format.foreign import foreign
from wwho.format.layout import (
    ENTRY_BYTES,
    HEADER_BYTES,
    MAGIC,
    MAX_FILE_BYTES,
    MAX_MODELS,
    MAX_SECTIONS,
    REQUIRED,
    VERSION,
    Kind,
    padding,
)


@dataclass(frozen=True)
class Section:
    """One entry of the section table.

    Attributes:
        kind: what the section holds.
        offset: where it begins, in bytes from the start of the file.
        length: its length in bytes, without padding.
    """

    kind: Kind
    offset: int
    length: int

    @property
    def end(self) -> int:
        """The offset of the byte after the section."""
        return self.offset + self.length


@dataclass(frozen=True)
class Container:
    """A file whose header, checksum and section table are in order; its sections are unread.

    Attributes:
        blob: the bytes of the file.
        sections: the entries of the section table, in the order of the file.
    """

    blob: bytes
    sections: tuple[Section, ...]

    def all(self, kind: Kind) -> list[bytes]:
        """Return the bytes of each section of a kind, in order."""
        return [self.blob[s.offset : s.end] for s in self.sections if s.kind == kind]

    def __getitem__(self, kind: Kind) -> bytes:
        """Return the bytes of the one section of a kind that a file has once."""
        (found,) = self.all(kind)
        return found


def read_container(blob: bytes) -> Container:
    """Check header, checksum and section table, in the order of FORMAT.md.

    Raises:
        ArtifactError: with the status of the first MUST that does not hold.

    Example:
        >>> read_container(b'{"version": "1.0"}')
        Traceback (most recent call last):
        wwho.errors.ArtifactError: MAGIC: the file begins with 7b 22 76 65 72 73 69 6f, \
not with 89 57 57 48 4f 0d 0a 1a: it is no .wwho artifact
    """
    sections = _section_table(blob, _header(blob))
    present = {section.kind for section in sections}
    for kind in REQUIRED:
        if kind not in present:
            raise fail("SECTION_MISSING", f"there is no section {kind} ({kind.name})")
    return Container(blob, sections)


def fail(status: str, message: str) -> ArtifactError:
    """Return the error for a MUST that is broken; `status` is its name in FORMAT.md and wwho.h."""
    return ArtifactError(f"{status}: {message}", status=status)


def _header(blob: bytes) -> int:
    """Check the 20 bytes of the header, and return the number of sections.

    Raises:
        ArtifactError: with the status MAGIC, TRUNCATED, VERSION, SECTION_TABLE, TRAILING or
            CHECKSUM.
    """
    if blob[:8] != MAGIC[: len(blob)]:
        if kind := foreign(blob):
            raise fail("MAGIC", f"the file is no .wwho artifact but {kind}")
        raise fail(
            "MAGIC",
            f"the file begins with {blob[:8].hex(' ')}, not with {MAGIC.hex(' ')}: "
            "it is no .wwho artifact",
        )
    if len(blob) < HEADER_BYTES:
        raise fail("TRUNCATED", f"the file has {len(blob)} bytes, a header {HEADER_BYTES}")
    version, n_sections, file_size, checksum = struct.unpack_from("<HHII", blob, 8)
    if version != VERSION:
        raise fail(
            "VERSION", f"the file has version {version}, this reader reads {VERSION}: update wwho"
        )
    if not 1 <= n_sections <= MAX_SECTIONS:
        raise fail("SECTION_TABLE", f"{n_sections} sections, not 1 to {MAX_SECTIONS}")
    sizes = f"the file has {len(blob)} bytes, its header says {file_size}"
    if len(blob) < file_size or file_size % 4:
        raise fail("TRUNCATED", sizes)
    if len(blob) > min(file_size, MAX_FILE_BYTES):
        raise fail("TRAILING", sizes)
    if len(blob) < HEADER_BYTES + ENTRY_BYTES * n_sections:
        raise fail("TRUNCATED", f"{n_sections} sections do not fit {len(blob)} bytes")
    found = zlib.crc32(blob[HEADER_BYTES:], zlib.crc32(blob[:16]))
    if found != checksum:
        raise fail(
            "CHECKSUM", f"the CRC-32 is {found:08x}, the header says {checksum:08x}: a damaged file"
        )
    return int(n_sections)


def _section_table(blob: bytes, n_sections: int) -> tuple[Section, ...]:
    """Check the order, kinds, bounds and padding of the sections, and return them.

    Raises:
        ArtifactError: with the status SECTION_ORDER, SECTION_KIND, SECTION_BOUNDS or PADDING.
    """
    expected, sections = HEADER_BYTES + ENTRY_BYTES * n_sections, []
    last_kind = n_models = 0
    for kind, offset, length in struct.iter_unpack("<III", blob[HEADER_BYTES:expected]):
        again = kind == last_kind == Kind.MODEL and n_models < MAX_MODELS
        if kind <= last_kind and not again:
            raise fail("SECTION_ORDER", f"section {kind} comes behind section {last_kind}")
        if kind not in set(Kind):
            raise fail("SECTION_KIND", f"section of unknown kind {kind}: update wwho")
        n_models += kind == Kind.MODEL
        if offset != expected or offset + length > len(blob):
            raise fail("SECTION_BOUNDS", f"section {kind}: {length} bytes at {offset}")
        section = Section(Kind(kind), offset, length)
        expected = section.end + padding(section.end)
        if any(blob[section.end : expected]):
            raise fail("PADDING", f"the bytes behind section {kind} are not zero")
        sections.append(section)
        last_kind = kind
    if expected != len(blob):
        raise fail("SECTION_BOUNDS", f"the sections end at {expected}, the file at {len(blob)}")
    return tuple(sections)
