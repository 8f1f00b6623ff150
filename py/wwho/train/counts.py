"""Counts of words, and files of them, which can be added up in any order."""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from wwho.assemble.atoms import AtomKind
from wwho.assemble.atoms import Words as WordRule
from wwho.assemble.base import WRITER
from wwho.compile.schema import Schema
from wwho.compile.unicode import UNICODE_VERSION
from wwho.corpus.corpus import decimal
from wwho.corpus.lines import Block
from wwho.corpus.reader import Reading
from wwho.errors import CountsError
from wwho.format.files import write_atomic
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.train.native import Words

FORMAT = 1
"""The number of the layout of a file of counts."""

DIGEST_BYTES = hashlib.sha256().digest_size
MISSING = "none"

Made = Mapping[str, str]
"""All that decides which words a text has, by name."""

Held = dict[tuple[object, ...], str]
"""Texts that are in some counts, and the source that these are."""


def made_by(
    schemas: Sequence[Schema],
    base: Artifact,
    kind: AtomKind,
    words: WordRule,
    protect: Sequence[str],
    cutter: Artifact,
    reading: Reading,
) -> dict[str, str]:
    """What decides which words a text has.

    Args:
        schemas: the scripts; without any, the base's pretokenizer says what words are.
        base: the base.
        kind: what words are made of.
        words: what words are.
        protect: what is cut out before them.
        cutter: the model that cuts text into words; it follows from all these.
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
        "sample": decimal(reading.sample),
        "errors": reading.errors,
        "normalize": reading.normalize or MISSING,
    }


class Text(NamedTuple):
    """A file, or a part of one, whose words were counted.

    Attributes:
        file: its name, as it was given.
        stamp: what changes when it does; empty where nothing says.
        part: which part of it, from 1.
        parts: of how many.
        digest: SHA-256 of the contents of the part, in hexadecimal.
        whole: that of the whole file, for its first part; else empty.
    """

    file: str
    stamp: str
    part: int
    parts: int
    digest: str
    whole: str


@dataclass
class Counts:
    """The words of some texts and how often each was seen.

    Attributes:
        made: what decided which words there are.
        texts: what was counted.
        n_bytes: of text.
        lines: read: lines of text, objects of JSON Lines, rows of Parquet.
        sampled: how many of them are in the sample; all other numbers are about these alone.
        words: the words; their table also knows of broken characters that it was given.
    """

    made: Made = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)
    n_bytes: int = 0
    lines: int = 0
    sampled: int = 0
    words: Words = field(default_factory=Words)
    _stray: int = 0

    @property
    def stray(self) -> int:
        """Broken characters read as U+FFFD."""
        return self._stray + self.words.info().stray_bytes

    @property
    def digests(self) -> list[str]:
        """SHA-256 of the contents of every file."""
        return [text.whole for text in self.texts if text.whole]

    def note(self, block: Block) -> None:
        """Add all of a block but its words."""
        self.n_bytes += len(block.text)
        self.lines += block.lines
        self.sampled += block.sampled
        self._stray += block.stray

    def add(self, other: Counts) -> None:
        """Add counts, which are used up."""
        self.texts += other.texts
        self.n_bytes += other.n_bytes
        self.lines += other.lines
        self.sampled += other.sampled
        self._stray += other._stray
        if self.words.info().n_words < other.words.info().n_words:
            self.words, other.words = other.words, self.words
        self.words.merge(other.words)

    def save(self, file: Path) -> None:
        """Write a file: a line of JSON, the words, their counts, a SHA-256 of all that.

        Words are records of native/train.h; counts have 64 bits, little-endian.

        Raises:
            OSError: it cannot be written.
        """
        records, counts = self.words.export()
        if sys.byteorder == "big":
            counts.byteswap()
        head = {
            "counts": FORMAT,
            "made": self.made,
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
        write_atomic(file, *pieces, digest.digest())

    @classmethod
    def load(cls, file: Path) -> Counts:
        """Read what `save` has written.

        Raises:
            CountsError: it is another file, damaged, or of another version.
            OSError: it cannot be read.
        """
        data = file.read_bytes()
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
            words = Words()
            words.add(bytes(content[start:end]), counts)
            texts = [Text(*text) for text in head["texts"]]
            size, lines, sampled = (head[key] for key in ("bytes", "lines", "sampled"))
            return cls(head["made"], texts, size, lines, sampled, words, head["stray"])
        except CountsError:
            raise
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise CountsError(
                f"{file}: the counts are damaged ({error}); remove the file, and count again"
            ) from error

    def check_made(self, file: Path, made: Made) -> None:
        """Refuse counts of words that are not those of this run.

        Raises:
            CountsError: they are; it names the first difference, and both values.
        """
        for key in (*self.made, *made):
            theirs, ours = self.made.get(key, MISSING), made.get(key, MISSING)
            if theirs != ours:
                raise CountsError(
                    f"{file}: counted with other options; {key}: {theirs} there, {ours} here; give "
                    "the same options, or count again"
                )


def check_once(texts: Iterable[Text], name: str, held: Held) -> None:
    """Refuse to count a text twice.

    Args:
        texts: those of a source.
        name: that of the source.
        held: those of the sources before; these are added.

    Raises:
        CountsError: one of them was.
    """
    for text in texts:
        keys = ((text.file, text.part, text.parts, text.digest), (text.file, text.whole))
        for key in keys:
            if key[-1] and key in held:
                raise CountsError(
                    f"{name}: holds the words of {text.file}, which {held[key]} holds, too; "
                    "leave one of them out (a text that is to count twice has a weight of 2)"
                )
        held.update(dict.fromkeys(keys, name))


def check_whole(texts: Iterable[tuple[Text, Fraction]]) -> None:
    """Refuse parts of a file of which others are missing, or count for more or less.

    Args:
        texts: what was counted, and its weight.

    Raises:
        CountsError: there are such parts.
    """
    found: dict[tuple[str, int], dict[int, Fraction]] = {}
    for text, weight in texts:
        found.setdefault((text.file, text.parts), {})[text.part] = weight
    for (file, parts), weights in found.items():
        if missing := set(range(1, parts + 1)) - weights.keys():
            raise CountsError(
                f"{file}: of its {parts} parts, number {min(missing)} is not among the counts; "
                f"count it, too (--part {min(missing)}/{parts})"
            )
        if parts > 1 and len({*weights.values()}) > 1:
            raise CountsError(
                f"{file}: its parts are in counts of different weights, "
                f"{decimal(min(weights.values()))} and {decimal(max(weights.values()))}; give all "
                "of them one weight"
            )
