"""A folder that holds what has been counted, so that a run that was stopped can go on."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from pathlib import Path

from wwho.build.base import WRITER
from wwho.corpus.corpus import Corpus, decimal
from wwho.corpus.sources import stamp_of
from wwho.errors import CheckpointError, CorpusError
from wwho.format.files import TEMPORARY, write_atomic
from wwho.format.model import Model
from wwho.format.write import write_model
from wwho.train.tally import START, PackedTally, Position, Tally

RUN = "run.json"
COUNTS = "source-{}.counts"
SECONDS = 60.0
"""Between two times of saving, unless the caller says otherwise."""

MISSING = "missing"
Identity = dict[str, str]
"""All that decides what is counted, by name."""


class Checkpoint:
    """The counts of each source in a file of its own, which is replaced as the counting goes on.

    Only counts are saved: merges follow from them in a small part of the time. Options that
    matter after the counting (`vocab_size`, `prune`, `min_freq`, weights, special tokens, the base
    and the name) may change from run to run; the result is that of the last one's options.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, resume: bool = False, seconds: float = SECONDS
    ) -> None:
        """Name a folder; nothing is read or written yet.

        Args:
            folder: where to save; it is made where there is none.
            resume: go on with what is there; where nothing is there, start.
            seconds: at least so many pass between two times of saving.

        Raises:
            ValueError: `seconds` is negative or not finite.
        """
        if not 0 <= seconds < math.inf:
            raise ValueError(f"seconds is {seconds}; it must be 0 or more, and finite")
        self._folder = Path(folder)
        self._resume = resume
        self._seconds = seconds
        self._next = 0.0

    def open(self, corpus: Corpus, engine: str, model: Model) -> None:
        """Get ready to go on or to start.

        Files of which nothing has been counted yet may have changed since: one that was damaged may
        have been repaired.

        Args:
            corpus: what is counted.
            engine: by which engine; each has positions of its own.
            model: what cuts the text.

        Raises:
            CheckpointError: counts are there, and are of another corpus or other options, or this
                is no run to resume.
            CorpusError: a file is missing, or can be read only once.
            OSError: the folder cannot be read or written.
        """
        identity = identity_of(corpus, engine, model)
        self._folder.mkdir(parents=True, exist_ok=True)
        run = self._folder / RUN
        if run.exists():
            if not self._resume:
                raise CheckpointError(
                    f"{self._folder}: holds the counts of an earlier run; go on with them "
                    "(--resume), or name an empty folder"
                )
            check_identity(run, identity, may_differ=self._unread(corpus))
            for left_over in self._folder.glob(TEMPORARY):  # of a run that was killed as it wrote
                left_over.unlink()
        elif counts := sorted(self._folder.glob(COUNTS.format("*"))):
            raise CheckpointError(
                f"{counts[0]}: counts of an unknown corpus, since there is no {RUN} beside them; "
                "put that back, or name an empty folder"
            )
        write_atomic(run, json.dumps(identity, indent=1).encode() + b"\n")
        self._next = time.monotonic() + self._seconds

    def position(self, source: int) -> Position | None:
        """Where the counting of source number `source` goes on; None where it is done.

        Raises:
            CheckpointError: the file is damaged.
            OSError: it cannot be read.
        """
        saved = self._saved(source)
        if saved is None:
            return START
        return None if saved.figures.done else saved.figures.position

    def load(self, source: int) -> Tally:
        """What has been counted of source number `source`: nothing, where nothing was saved.

        Raises:
            CheckpointError: the file is damaged.
            OSError: it cannot be read.
        """
        tally = Tally()
        if (saved := self._saved(source)) is not None:
            tally.add(saved)
        return tally

    def due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() >= self._next

    def save(self, source: int, tally: Tally) -> None:
        """Save what has been counted of source number `source`.

        Raises:
            OSError: it cannot be written, because the disk is full perhaps; what was saved before
                stays.
        """
        write_atomic(self._file(source), *tally.pack())
        self._next = time.monotonic() + self._seconds

    def _unread(self, corpus: Corpus) -> set[str]:
        """The files of which nothing has been counted, as identities name them."""
        unread: set[str] = set()
        for number, source in enumerate(corpus.sources):
            position = self.position(number)
            if position is not None:
                begun = position[0] + any(position[1:])
                unread.update(file_key(number, file) for file in source.files[begun:])
        return unread

    def _saved(self, source: int) -> PackedTally | None:
        file = self._file(source)
        return PackedTally.read(str(file), file.read_bytes()) if file.exists() else None

    def _file(self, source: int) -> Path:
        return self._folder / COUNTS.format(source)


def identity_of(corpus: Corpus, engine: str, model: Model) -> Identity:
    """What decides the counts.

    Args:
        corpus: what is counted.
        engine: by which engine; each has positions of its own.
        model: what cuts the text.

    Raises:
        CorpusError: a file is missing, or can be read only once.
    """
    if corpus.nameless:
        raise CorpusError(f"{corpus.nameless} cannot be read again after a stop; name files")
    reading = corpus.reading
    identity = {
        "writer": WRITER,
        "engine": engine,
        "schemas": " ".join(route.name for route in model.routes if route.sgpe),
        "scanners": f"sha256 {hashlib.sha256(write_model(model)).hexdigest()}",
        "field": reading.text_field,
        "column": reading.column,
        "sample": decimal(reading.sample),
        "errors": reading.errors,
    }
    if reading.normalize:
        identity["normalize"] = reading.normalize
    for number, source in enumerate(corpus.sources):
        identity[f"source {number + 1}"] = source.name
        identity |= {file_key(number, file): stamp_of(file) for file in source.files}
    return identity


def file_key(source: int, file: str) -> str:
    """How an identity names a file of source number `source`."""
    return f"file {file} of source {source + 1}"


def check_identity(run: Path, identity: Identity, *, may_differ: set[str]) -> None:
    """Compare a run's identity with the one that was saved.

    Args:
        run: where that was saved.
        identity: that of this run.
        may_differ: names whose values may, as long as both have one.

    Raises:
        CheckpointError: they differ; it names the first difference, and both values.
        OSError: the file cannot be read.
    """
    try:
        saved = json.loads(run.read_text("utf-8"))
        if not isinstance(saved, dict):
            raise ValueError(f"an object is expected, not {type(saved).__name__}")
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{run}: damaged ({error}); name an empty folder") from error
    for key in (*saved, *identity):
        then, now = saved.get(key, MISSING), identity.get(key, MISSING)
        if then != now and (key not in may_differ or MISSING in (then, now)):
            raise CheckpointError(
                f"{run.parent}: holds the counts of another run; {key}: {then} then, {now} now; "
                "go back to that, or name an empty folder"
            )
