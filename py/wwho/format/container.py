"""The outer form of an artifact: header, section table, checksum (FORMAT.md, section 1)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from wwho.errors import ArtifactError
from wwho.format.foreign import foreign
from wwho.format.layout import (
    ANNOUNCED,
    ENTRY_BYTES,
    FEATURE_IDS,
    FEATURE_SGPE,
    FEATURES,
    HEADER_BYTES,
    MAGIC,
    MAX_FILE_BYTES,
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
        kind: what it holds.
        offset: where it begins, in bytes from the start of the file.
        length: its length in bytes, without padding.
    """

    kind: Kind
    offset: int
    length: int

    @property
    def end(self) -> int:
        """The offset behind its last byte."""
        return self.offset + self.length


@dataclass(frozen=True)
class Container:
    """An artifact whose header, checksum and section table are in order.

    Attributes:
        blob: the whole file.
        features: the feature bits.
        sections: the sections, in the order of the file.
    """

    blob: bytes
    features: int
    sections: tuple[Section, ...]

    def data(self, kind: Kind) -> bytes | None:
        """The bytes of a section; None where the file has none of that kind."""
        for section in self.sections:
            if section.kind == kind:
                return self.blob[section.offset : section.end]
        return None

    def __getitem__(self, kind: Kind) -> bytes:
        """The bytes of a section that must be there; KeyError where there is none."""
        found = self.data(kind)
        if found is None:
            raise KeyError(kind)
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
    n_sections, features = _header(blob)
    sections = _section_table(blob, n_sections)
    present = {section.kind for section in sections}
    for kind in REQUIRED:
        if kind not in present:
            raise fail("SECTION_MISSING", f"there is no section {kind} ({kind.name})")
    for kind, feature in ANNOUNCED.items():
        if (kind in present) != bool(features & feature):
            verb = "missing although" if features & feature else "there but not"
            raise fail("SECTION_MISSING", f"section {kind} ({kind.name}) is {verb} announced")
    return Container(blob, features, sections)


def fail(status: str, message: str) -> ArtifactError:
    """The error for a MUST that does not hold; `status` is its name in FORMAT.md and wwho.h."""
    return ArtifactError(f"{status}: {message}", status=status)


def _header(blob: bytes) -> tuple[int, int]:
    """Check the 24 bytes of the header; give the number of sections and the features."""
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
    version, n_sections, features, file_size, checksum = struct.unpack_from("<HHIII", blob, 8)
    if version != VERSION:
        raise fail(
            "VERSION", f"the file has version {version}, this reader reads {VERSION}: update wwho"
        )
    if not 1 <= n_sections <= MAX_SECTIONS:
        raise fail("SECTION_TABLE", f"{n_sections} sections, not 1 to {MAX_SECTIONS}")
    if features & ~FEATURES:
        raise fail("FEATURES", f"unknown feature bits in {features:#x}: update wwho")
    if features & FEATURE_IDS and features != FEATURE_IDS | FEATURE_SGPE:
        raise fail(
            "FEATURES", f"bit {FEATURE_IDS} goes with bit {FEATURE_SGPE} alone, not {features:#x}"
        )
    sizes = f"the file has {len(blob)} bytes, its header says {file_size}"
    if len(blob) < file_size or file_size % 4:
        raise fail("TRUNCATED", sizes)
    if len(blob) > min(file_size, MAX_FILE_BYTES):
        raise fail("TRAILING", sizes)
    if len(blob) < HEADER_BYTES + ENTRY_BYTES * n_sections:
        raise fail("TRUNCATED", f"{n_sections} sections do not fit {len(blob)} bytes")
    found = zlib.crc32(blob[HEADER_BYTES:], zlib.crc32(blob[:20]))
    if found != checksum:
        raise fail(
            "CHECKSUM", f"the CRC-32 is {found:08x}, the header says {checksum:08x}: a damaged file"
        )
    return n_sections, features


def _section_table(blob: bytes, n_sections: int) -> tuple[Section, ...]:
    """Check order, kinds, bounds and padding of the sections."""
    expected, last_kind, sections = HEADER_BYTES + ENTRY_BYTES * n_sections, 0, []
    for kind, offset, length in struct.iter_unpack("<III", blob[HEADER_BYTES:expected]):
        if kind <= last_kind:
            raise fail("SECTION_ORDER", f"section {kind} comes behind section {last_kind}")
        if kind not in set(Kind):
            raise fail("SECTION_KIND", f"section of unknown kind {kind}: update wwho")
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
