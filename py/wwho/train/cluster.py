"""The engine that counts on a Dask cluster."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from wwho.corpus.corpus import Corpus, stored
from wwho.corpus.parquet import Rows
from wwho.corpus.reader import Part, Reader, Reading, is_parquet
from wwho.corpus.sources import compression, is_url, path_of, reported, size_of
from wwho.errors import BackendError, CorpusError, WwhoError
from wwho.format.model import Model
from wwho.format.read import read_model
from wwho.format.write import write_model
from wwho.progress import Advance, ignore
from wwho.train.native import Scanners
from wwho.train.tally import PackedTally, Position, Tally

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

PART_BYTES = 1 << 27
"""Bytes of a part: of text as it is stored, of Parquet as its row groups state it."""

FAN_IN = 8
"""Tallies that one task adds up."""

WINDOW = 256
"""Parts that the cluster adds up to one tally, at most; it comes here, and is added to the rest."""

PATIENCE = 30
"""Seconds to wait for a scheduler and for its first worker."""


class DaskEngine:
    """Counts on a Dask cluster, whose workers read the files themselves.

    Every file is cut into parts: plain text and JSON Lines at lines, Parquet at row groups, and
    what is compressed not at all. A task counts one part; further tasks add up the counts by
    eights, until one tally is left of every 256 parts, or of those that are done when it is time
    to save; these are added up here. What a worker has counted it keeps in memory or, when that
    gets full, on its disk; what is lost with a worker is counted again by others.

    A position is how many files of the source are done, and how many parts of the next one.
    """

    def __init__(self, scheduler: str | None = None, *, workers: int = 1) -> None:
        """Name the cluster; nothing is connected yet.

        Args:
            scheduler: its address; None starts a cluster on this machine, and ends it. Its workers
                import the script that starts it: what that runs must stand under
                ``if __name__ == "__main__":``.
            workers: how many processes that one has.
        """
        self._scheduler = scheduler
        self._workers = workers

    @property
    def name(self) -> str:
        """The engine, and what its positions depend on."""
        return f"dask, with parts of {PART_BYTES} bytes"

    def tallies(
        self,
        corpus: Corpus,
        model: Model,
        starts: Sequence[Position | None],
        *,
        due: Callable[[], bool],
        advance: Advance,
    ) -> Iterator[PackedTally]:
        """Count the words of the sources; see `Engine.tallies`."""
        if corpus.nameless:
            raise CorpusError(f"the workers of a cluster cannot read {corpus.nameless}; name files")
        for source, start in zip(corpus.sources, starts, strict=True):
            advance(stored(source.files[: start[0] if start else None]) or 0)
        with connected(self._scheduler, self._workers) as client:
            # A task, and not data: data that was sent there is lost with the worker that holds it.
            blob = client.submit(bytes, write_model(model), pure=False)
            waiting = groups(corpus, starts)
            running: deque[tuple[Group, Future]] = deque()
            counted: list[Future] = []
            while True:
                while sum(len(group.parts) for group, _ in running) < ahead(client):
                    group = next(waiting, None)
                    if group is None:
                        break
                    running.append((group, count_group(client, blob, group, corpus.reading)))
                if not running:
                    return
                group, future = running.popleft()
                future.exception()  # waits until it is done
                if future.status != "finished":
                    result_of(future)
                counted.append(future)
                advance(group.size)
                if group.done or len(counted) * FAN_IN >= WINDOW or due():
                    total = result_of(summed(client, counted))
                    tally = PackedTally.read("what a worker has sent", total)
                    tally.figures.position, tally.figures.done = group.position, group.done
                    counted = []
                    yield tally


class Group(NamedTuple):
    """Parts that follow each other in a source.

    Attributes:
        parts: what to count.
        size: stored bytes of these parts, and of those that the first group comes behind.
        position: the position behind them.
        done: whether the source ends there.
    """

    parts: list[Part]
    size: int
    position: Position
    done: bool


def groups(corpus: Corpus, starts: Sequence[Position | None]) -> Iterator[Group]:
    """All that is to be counted, in order.

    Raises:
        CorpusError: a file cannot be read.
    """
    for source, start in zip(corpus.sources, starts, strict=True):
        if start is None:
            continue
        done, skipped = (*start, 0)[:2]
        pieces: list[tuple[Part, int]] = []
        ends: list[Position] = []
        for number, file in enumerate(source.files[done:], start=done):
            of_file = parts_of(file, corpus.reading)
            pieces += of_file
            ends += [(number, k) for k in range(1, len(of_file))] + [(number + 1, 0)]
        sizes = [0, *accumulate(size for _, size in pieces)]
        told = 0
        for first in range(skipped, len(pieces), FAN_IN):
            last = min(first + FAN_IN, len(pieces))
            parts = [part for part, _ in pieces[first:last]]
            yield Group(parts, sizes[last] - told, ends[last - 1], last == len(pieces))
            told = sizes[last]


def parts_of(file: str, reading: Reading) -> list[tuple[Part, int]]:
    """The parts of a file, each with its share of the stored bytes.

    Raises:
        CorpusError: the file cannot be read.
    """
    file = file if is_url(file) else os.path.abspath(file)
    with reported(file):
        size = size_of(file) or 0
        cuts = row_group_cuts(file, reading) if is_parquet(file) else byte_cuts(file, size)
    if len(cuts) == 2:
        return [(Part(file), size)]
    shares = [size * number // (len(cuts) - 1) for number in range(len(cuts))]
    return [
        (Part(file, start, stop), high - low)
        for (start, stop), (low, high) in zip(pairwise(cuts), pairwise(shares), strict=True)
    ]


def byte_cuts(file: str, size: int) -> list[int]:
    """Where to cut a file of text: nowhere but at its ends, where it is compressed or small."""
    if compression(path_of(file)) or size <= PART_BYTES:
        return [0, size]
    return [*range(0, size, PART_BYTES), size]


def row_group_cuts(file: str, reading: Reading) -> list[int]:
    """Where to cut a Parquet file."""
    cuts, held = [0], 0
    with Rows(file, reading.column) as rows:
        for number, size in enumerate(rows.group_bytes):
            if held and held + size > PART_BYTES:
                cuts.append(number)
                held = 0
            held += size
        return [*cuts, len(rows.group_bytes)]


def ahead(client: Client) -> int:
    """Parts to hand out before their counts are asked for: enough for every thread to be busy."""
    threads: dict[str, int] = client.nthreads()
    return WINDOW + 2 * sum(threads.values())


def count_group(client: Client, blob: Future, group: Group, reading: Reading) -> Future:
    """The tally of these parts, packed: a task for each part, and one that adds them up."""
    parts = [client.submit(count_part, blob, part, reading, pure=False) for part in group.parts]
    return summed(client, parts)


def summed(client: Client, tallies: Sequence[Future]) -> Future:
    """The sum of packed tallies: a tree of tasks, which come before all counting."""
    while len(tallies) > 1:
        by_eight = [tallies[at : at + FAN_IN] for at in range(0, len(tallies), FAN_IN)]
        tallies = [client.submit(add_packed, few, pure=False, priority=1) for few in by_eight]
    return tallies[0]


def result_of(future: Future) -> bytes:
    """What a task has given, once it has.

    Raises:
        CorpusError: a file is at fault.
        BackendError: the cluster is.
    """
    try:
        result: bytes = future.result()
    except WwhoError:
        raise
    except Exception as error:
        raise BackendError(
            f"the Dask cluster failed: {type(error).__name__}: {error}; its workers need this "
            "version of wwho, the files under the same names, and memory for their parts"
        ) from error
    return result


@contextmanager
def connected(scheduler: str | None, workers: int) -> Iterator[Client]:
    """A client of the cluster, which has a worker at least.

    Raises:
        BackendError: Dask is not installed, no cluster can be started here, or nobody answers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise BackendError(
            "the engine dask needs the package distributed; pip install 'wwho[cluster]'"
        ) from error
    with ExitStack() as stack:
        try:
            where = scheduler or stack.enter_context(started(workers))
            client = stack.enter_context(Client(where, timeout=PATIENCE))
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            raise BackendError(
                f"no Dask scheduler with a worker answers at {scheduler} within {PATIENCE} seconds "
                f"({error}); give its address as in tcp://host:8786"
            ) from error
        yield client


def started(workers: int) -> LocalCluster:
    """A cluster on this machine.

    Raises:
        BackendError: it cannot be started.
    """
    from distributed import LocalCluster

    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,  # what fails in a task is raised here
        )
    except RuntimeError as error:
        raise BackendError(
            f"no Dask cluster can be started on this machine ({error}); a script that trains must "
            'do so under if __name__ == "__main__":, since the workers import it'
        ) from error


# What the workers do.


def count_part(blob: bytes, part: Part, reading: Reading) -> bytes:
    """Count the words of a part; with the part that a file begins with, all of it is hashed.

    Args:
        blob: the model that cuts text into words.
        part: what to count.
        reading: how to read it.

    Returns:
        A packed tally.

    Raises:
        CorpusError: the file cannot be read, is damaged, or is not what its name says.
    """
    scanners, tally, reader = opened_scanners(blob), Tally(), Reader(part, reading)
    for block in reader.blocks(ignore):
        tally.words.count(scanners, block.text)
        tally.figures.note(block)
    if reader.digest is not None:
        tally.figures.digests.append(reader.digest)
    return b"".join(tally.pack())


def add_packed(tallies: Sequence[bytes]) -> bytes:
    """Add up packed tallies, in their order."""
    total = Tally()
    for packed in tallies:
        total.add(PackedTally.read("what a worker has counted", packed))
    return b"".join(total.pack())


@lru_cache(maxsize=1)
def opened_scanners(blob: bytes) -> Scanners:
    """The scanners of a model, opened once in each process."""
    return Scanners(read_model(blob))
