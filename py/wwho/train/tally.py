"""What has been counted of one source, so far."""

from __future__ import annotations

import hashlib
import json
from array import array
from dataclasses import asdict, dataclass, field

from wwho.corpus.lines import Block
from wwho.errors import CheckpointError
from wwho.train.native import Words

DIGEST_BYTES = hashlib.sha256().digest_size

Position = tuple[int, ...]
"""How many files of a source are done, and how far an engine has come with the next one, in numbers
that only that engine knows; none, or zeros, where it has not begun."""

START: Position = (0,)


@dataclass
class Figures:
    """All that is counted but words.

    Attributes:
        n_bytes: of text.
        lines: read: lines of text, objects of JSON Lines, rows of Parquet.
        sampled: how many of them are in the sample; all other numbers are about these alone.
        stray: broken characters read as U+FFFD.
        digests: of the files that have been read to their end, in hexadecimal.
        position: where the counting goes on.
        done: whether all of the source has been counted.
    """

    n_bytes: int = 0
    lines: int = 0
    sampled: int = 0
    stray: int = 0
    digests: list[str] = field(default_factory=list)
    position: Position = START
    done: bool = False

    def note(self, block: Block) -> None:
        """Add a block."""
        self.n_bytes += len(block.text)
        self.lines += block.lines
        self.sampled += block.sampled
        self.stray += block.stray

    def add(self, other: Figures) -> None:
        """Add what was counted next."""
        self.n_bytes += other.n_bytes
        self.lines += other.lines
        self.sampled += other.sampled
        self.stray += other.stray
        self.digests += other.digests
        self.position, self.done = other.position, other.done


@dataclass
class Tally:
    """Counts of one source, or of a part of it.

    Attributes:
        figures: all but the words, and without the broken characters that their table counts.
        words: the words.
    """

    figures: Figures = field(default_factory=Figures)
    words: Words = field(default_factory=Words)

    def add(self, other: Tally | PackedTally) -> None:
        """Add what was counted next; `other` is used up."""
        self.figures.add(other.figures)
        if isinstance(other, PackedTally):
            self.words.add(other.records, other.counts)
        elif self.words.info().n_words:
            self.words.merge(other.words)
        else:
            other.words.merge(self.words)  # which may have counted broken characters
            self.words = other.words

    @property
    def stray(self) -> int:
        """Broken characters read as U+FFFD."""
        return self.figures.stray + self.words.info().stray_bytes

    def pack(self) -> list[bytes]:
        """The tally as bytes, in pieces: a line of JSON, the records, the counts, a SHA-256.

        Counts are 64 bits wide, in the machine's byte order.
        """
        records, counts = self.words.export()
        facts = asdict(self.figures) | {"stray": self.stray, "record_bytes": len(records)}
        pieces = [json.dumps(facts).encode() + b"\n", records, counts.tobytes()]
        digest = hashlib.sha256()
        for piece in pieces:
            digest.update(piece)
        return [*pieces, digest.digest()]


@dataclass
class PackedTally:
    """A tally as bytes, whose words are in no table yet.

    Attributes:
        figures: all but the words.
        records: the words, as `Words.export` gives them.
        counts: the count of each.
    """

    figures: Figures
    records: bytes
    counts: array[int]

    @classmethod
    def read(cls, name: str, data: bytes) -> PackedTally:
        """Read what `Tally.pack` has written.

        Raises:
            CheckpointError: these are other bytes; it gives the name.
        """
        view = memoryview(data)
        content, digest = view[:-DIGEST_BYTES], view[-DIGEST_BYTES:]
        try:
            if hashlib.sha256(content).digest() != digest:
                raise ValueError("their SHA-256 is another one")
            start = data.index(b"\n") + 1
            facts = json.loads(data[:start])
            end = start + facts.pop("record_bytes")
            figures = Figures(**facts | {"position": tuple(facts["position"])})
        except (ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{name}: the counts are damaged ({error}); remove the file, and what it held is "
                "counted again"
            ) from error
        return cls(figures, bytes(content[start:end]), array("Q", bytes(content[end:])))
