"""The counts of the words of some texts, which add up in any order, and their files."""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from wwho.assemble.atoms import AtomKind, Words
from wwho.assemble.base import WRITER
from wwho.compile.schema import Schema
from wwho.compile.unicode import UNICODE_VERSION
from wwho.corpus.corpus import format_decimal
from wwho.corpus.lines import Block
from wwho.corpus.reader import Reading
from wwho.corpus.sources import read_file, write_file
from wwho.errors import CountsError
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.train.native import WordTable

FORMAT = 1
"""The number of the layout of a file of counts."""

DIGEST_BYTES = hashlib.sha256().digest_size
MISSING = "none"
"""The value of a setting that is not there."""

CountSettings = Mapping[str, str]
"""All settings that decide which words a text has, by name; a file of counts records them."""

SeenTexts = dict[tuple[object, ...], str]
"""Keys that identify the texts counted so far, and the name of the source that each is in."""


def count_settings(
    schemas: Sequence[Schema],
    base: Artifact,
    kind: AtomKind,
    words: Words,
    protect: Sequence[str],
    cutter: Artifact,
    reading: Reading,
) -> dict[str, str]:
    """Return all settings that decide which words a text has, by name, as text.

    Two runs with equal settings count the same words in the same text.

    Args:
        schemas: the scripts; without any, the base's pretokenizer says what words are.
        base: the base.
        kind: what words are made of.
        words: what words are.
        protect: the texts that are cut out before words are.
        cutter: the model that cuts text into words; it follows from all these, and is recorded by
            its SHA-256.
        reading: how files are read.
    """
    return {
        "writer": WRITER,
        "unicode": UNICODE_VERSION,
        "schemas": " ".join(schema.name for schema in schemas) or MISSING,
        **{f"schema {schema.name}": f"sha256 {schema.digest}" for schema in schemas},
        "atoms": str(kind),
        "words": str(words) or MISSING,
        "protected": str(len(protect)),
        "pattern": MISSING if schemas else base.provenance.get("pattern", MISSING),
        "scanners": f"sha256 {hashlib.sha256(write_artifact(cutter)).hexdigest()}",
        "field": reading.text_field,
        "column": reading.column,
        "sample": format_decimal(reading.sample),
        "errors": reading.errors,
        "normalize": reading.normalize or MISSING,
    }


class CountedText(NamedTuple):
    """A file, or a part of one, whose words were counted.

    Attributes:
        file: the name of the file, as it was given.
        stamp: a text that changes when the file does (`stamp_of`); empty where nothing tells.
        part: which part of the file, from 1.
        parts: how many parts the file has.
        digest: SHA-256 of the contents of the part, in hexadecimal.
        whole: SHA-256 of the contents of the whole file, for its first part; else empty.
    """

    file: str
    stamp: str
    part: int
    parts: int
    digest: str
    whole: str


@dataclass
class Counts:
    """The words of some texts and how often each was seen, before weights.

    Attributes:
        settings: the settings that decided which words there are.
        texts: the files, or parts of files, that were counted.
        n_bytes: bytes of the text that was counted.
        lines: how many lines of text, objects of JSON Lines and rows of Parquet were read.
        sampled: how many of these are in the sample; all other numbers are about these alone.
        words: the words; their table also counts the broken characters in its texts.
    """

    settings: CountSettings = field(default_factory=dict)
    texts: list[CountedText] = field(default_factory=list)
    n_bytes: int = 0
    lines: int = 0
    sampled: int = 0
    words: WordTable = field(default_factory=WordTable)
    _stray_of_blocks: int = 0

    @property
    def stray(self) -> int:
        """How many broken characters were read as U+FFFD, by readers and in the table's texts."""
        return self._stray_of_blocks + self.words.info().stray_bytes

    @property
    def digests(self) -> list[str]:
        """SHA-256 of the contents of every file of which part 1 was counted, in hexadecimal."""
        return [text.whole for text in self.texts if text.whole]

    def add_sizes(self, block: Block) -> None:
        """Add the bytes, lines and broken characters of a block, but not its words."""
        self.n_bytes += len(block.text)
        self.lines += block.lines
        self.sampled += block.sampled
        self._stray_of_blocks += block.stray

    def add(self, other: Counts) -> None:
        """Add other counts to these; the others are used up, for the larger table is kept.

        Settings are not compared, nor whether a text is in both (`check_settings`, `check_once`).

        Raises:
            MemoryError: there is no memory left.
        """
        self.texts += other.texts
        self.n_bytes += other.n_bytes
        self.lines += other.lines
        self.sampled += other.sampled
        self._stray_of_blocks += other._stray_of_blocks
        if self.words.info().n_words < other.words.info().n_words:
            self.words, other.words = other.words, self.words
        self.words.add_table(other.words)

    def save(self, file: str) -> None:
        """Write a file of counts, `to_pieces`, at a path or a URL.

        A file is written beside its place and renamed, so it is whole or not there.

        Raises:
            OSError: it cannot be written.
        """
        write_file(file, *self.to_pieces())

    def to_pieces(self) -> list[bytes]:
        """Return the parts of a file of counts: a line of JSON, the words, their counts, a SHA-256.

        Words are records of native/train.h; counts have 64 bits, little-endian. The SHA-256 is that
        of everything before it.
        """
        records, counts = self.words.export()
        if sys.byteorder == "big":
            counts.byteswap()
        head = {
            "counts": FORMAT,
            "made": self.settings,
            "texts": self.texts,
            "bytes": self.n_bytes,
            "lines": self.lines,
            "sampled": self.sampled,
            "stray": self.stray,
            "record_bytes": len(records),
        }
        pieces = [json.dumps(head).encode() + b"\n", records, counts.tobytes()]
        digest = hashlib.sha256()
        for piece in pieces:
            digest.update(piece)
        return [*pieces, digest.digest()]

    @classmethod
    def load(cls, file: str) -> Counts:
        """Read a file that `save` has written, all of it into memory, and check its SHA-256.

        Its settings are not compared with those of this run (`check_settings`).

        Raises:
            CountsError: it is another file, damaged, or of another version of the layout.
            OSError: it cannot be read.
        """
        return cls.from_bytes(read_file(file), file)

    @classmethod
    def from_bytes(cls, data: bytes, file: str) -> Counts:
        """Return the counts in the bytes of a file of counts.

        Args:
            data: the bytes.
            file: the file's name, for errors.

        Raises:
            CountsError: as for `load`.
        """
        if not data.startswith(b'{"counts": '):
            raise CountsError(f"{file}: no counts of words; wwho count-words writes such files")
        view = memoryview(data)
        content, digest = view[:-DIGEST_BYTES], view[-DIGEST_BYTES:]
        try:
            if hashlib.sha256(content).digest() != digest:
                raise ValueError("its SHA-256 is another one")
            start = data.index(b"\n") + 1
            head = json.loads(data[:start])
            if head["counts"] != FORMAT:
                raise CountsError(
                    f"{file}: version {head['counts']} of such files, and this program reads "
                    f"version {FORMAT}; count again"
                )
            end = start + head["record_bytes"]
            counts = array("Q", bytes(content[end:]))
            if sys.byteorder == "big":
                counts.byteswap()
            words = WordTable()
            words.add_records(bytes(content[start:end]), counts)
            texts = [CountedText(*text) for text in head["texts"]]
            size, lines, sampled = (head[key] for key in ("bytes", "lines", "sampled"))
            return cls(head["made"], texts, size, lines, sampled, words, head["stray"])
        except CountsError:
            raise
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise CountsError(
                f"{file}: the counts are damaged ({error}); remove the file, and count again"
            ) from error

    def check_settings(self, file: str, settings: CountSettings) -> None:
        """Raise an error if these counts were made with other settings.

        Args:
            file: the file that they come from, for the error.
            settings: the settings that they must have.

        Raises:
            CountsError: a setting differs; it names the first one, and both values.
        """
        for key in (*self.settings, *settings):
            theirs, ours = self.settings.get(key, MISSING), settings.get(key, MISSING)
            if theirs != ours:
                raise CountsError(
                    f"{file}: counted with other options; {key}: {theirs} there, {ours} here; give "
                    "the same options, or count again"
                )


def check_once(texts: Iterable[CountedText], name: str, seen: SeenTexts) -> None:
    """Raise an error if a text of a source was counted before, and else remember the texts.

    A text is the same if its contents, its file's name and its part are.

    Args:
        texts: the texts of a source.
        name: the source's name.
        seen: the texts of the sources before; those of this one are added to it.

    Raises:
        CountsError: one of them was counted before; it names both sources.
    """
    for text in texts:
        keys = ((text.file, text.part, text.parts, text.digest), (text.file, text.whole))
        for key in keys:
            if key[-1] and key in seen:
                raise CountsError(
                    f"{name}: holds the words of {text.file}, which {seen[key]} holds, too; "
                    "leave one of them out (a text that is to count twice has a weight of 2)"
                )
        seen.update(dict.fromkeys(keys, name))


def check_whole(texts: Iterable[tuple[CountedText, Fraction]]) -> None:
    """Raise an error unless every file was counted in all its parts, with one weight for all.

    Args:
        texts: the texts that were counted, each with the weight of its source.

    Raises:
        CountsError: a part of a file is missing, or its parts have different weights.
    """
    weights_of_parts: dict[tuple[str, int], dict[int, Fraction]] = {}
    for text, weight in texts:
        weights_of_parts.setdefault((text.file, text.parts), {})[text.part] = weight
    for (file, parts), weights in weights_of_parts.items():
        if missing := set(range(1, parts + 1)) - weights.keys():
            raise CountsError(
                f"{file}: of its {parts} parts, number {min(missing)} is not among the counts; "
                f"count it, too (--part {min(missing)}/{parts})"
            )
        least, most = min(weights.values()), max(weights.values())
        if least != most:
            raise CountsError(
                f"{file}: its parts are in counts of different weights, {format_decimal(least)} "
                f"and {format_decimal(most)}; give all of them one weight"
            )
