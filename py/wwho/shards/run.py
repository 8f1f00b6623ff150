"""Doing the tasks of a folder of shards: in this process, in others, or by any executor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from wwho.corpus.reader import Part
from wwho.errors import ShardError
from wwho.progress import Advance
from wwho.shards.encoded import EncodedDocuments
from wwho.shards.settings import Job
from wwho.shards.tasks import Task, cut_task
from wwho.shards.work import do_task, encode_part, write_task

POLL_SECONDS = 0.2
"""How often the progress of other processes is looked at."""

MIN_TASK_BYTES = 1 << 25
"""A task of fewer stored bytes takes less time in threads than processes take to start."""

PARTS_AHEAD = 2
"""Parts of files in memory for each process that encodes them."""


class StoppedError(Exception):
    """A worker was told to stop, because another one failed or the user pressed Ctrl-C."""


def run_tasks(
    job: Job, tasks: Sequence[Task], advance: Advance, *, processes: int, executor: Executor | None
) -> None:
    """Do tasks, each of which leaves its receipt in the folder.

    Args:
        job: the job.
        tasks: the tasks, in any order.
        advance: is told how many stored bytes of the corpus have been read; with an executor, when
            a task is done.
        processes: how many processes work at most, where there is no executor; with 1, this one.
        executor: what does the tasks in place of processes; its workers must be able to open the
            folder and the corpus by their names.

    Raises:
        CorpusError, OSError: as `do_task` does; other tasks may then be done, and keep their
            receipts.
        ShardError: as `do_task` does; or a worker was killed.
    """
    if executor is not None:
        futures = {executor.submit(do_task, job, task): task.size for task in tasks}
        with cancelling(futures):
            for future, size in futures.items():
                future.result()
                advance(size)
    elif processes == 1 or not tasks:
        for task in tasks:
            do_task(job, task, advance=advance)
    elif len(tasks) >= processes:
        _run_in_processes(job, tasks, advance, processes)
    else:
        _run_few_tasks(job, tasks, advance, processes)


@contextmanager
def cancelling(futures: dict[Future[Any], int]) -> Iterator[None]:
    """Cancel futures that have not begun when the block raises an error."""
    try:
        yield
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _run_in_processes(job: Job, tasks: Sequence[Task], advance: Advance, processes: int) -> None:
    """Do tasks in several new processes of this machine.

    After an error, or Ctrl-C, tasks that wait are dropped, and those that run end at their next
    batch.

    Raises:
        CorpusError, OSError, ShardError: as for `run_tasks`.
    """
    # Not by fork: this process may have threads.
    context = multiprocessing.get_context("spawn")
    done, stop = context.Value("q", 0), context.Event()
    pool = ProcessPoolExecutor(min(processes, len(tasks)), context, _begin_worker, (done, stop))
    with pool, reporting_killed_workers(job):
        try:
            futures = [pool.submit(_do_in_worker, job, task) for task in tasks]
            waiting: set[Future[None]] = set(futures)
            told = 0
            while waiting:
                finished, waiting = wait(waiting, POLL_SECONDS, FIRST_EXCEPTION)
                advance(done.value - told)
                told = done.value
                for future in finished:
                    future.result()
        finally:
            # After an error, workers end their tasks, and tasks that wait are dropped.
            stop.set()
            pool.shutdown(cancel_futures=True)


def _run_few_tasks(job: Job, tasks: Sequence[Task], advance: Advance, processes: int) -> None:
    """Do fewer tasks than processes.

    Large ones are done one after another, while other processes encode parts of them. The rest, and
    what cannot be cut, is done side by side, in several threads each.

    Raises:
        CorpusError, OSError, ShardError: as for `run_tasks`.
    """
    pool: ProcessPoolExecutor | None = None
    context = multiprocessing.get_context("spawn")
    done, stop = context.Value("q", 0), context.Event()
    others: list[Task] = []
    with ExitStack() as opened:
        for task in tasks:
            parts = cut_task(task, job.settings) if task.size >= MIN_TASK_BYTES else None
            if parts is None:
                others.append(task)
                continue
            if pool is None:
                pool = ProcessPoolExecutor(processes, context, _begin_worker, (done, stop))
                opened.enter_context(pool)
            with reporting_killed_workers(job):
                batches = _encode_in_processes(pool, job, parts, processes)
                advanced = _advance_by_parts(batches, task, len(parts), advance)
                write_task(job, task, advanced, lambda: None)
    job = replace(job, threads=max(1, processes // max(1, len(others))))
    if len(others) == 1:
        do_task(job, others[0], advance=advance)
    elif others:
        _run_in_processes(job, others, advance, processes)


def _encode_in_processes(
    pool: Executor, job: Job, parts: Sequence[Part], processes: int
) -> Iterator[list[EncodedDocuments]]:
    """Yield the documents of parts of files in order, which a pool of processes encodes.

    At most `PARTS_AHEAD` parts for each process wait in memory.

    Raises:
        CorpusError, ShardError: as `encode_part` does.
    """
    running: deque[Future[list[EncodedDocuments]]] = deque()
    try:
        for part in parts:
            if len(running) == PARTS_AHEAD * processes:
                yield running.popleft().result()
            running.append(pool.submit(encode_part, job, part))
        while running:
            yield running.popleft().result()
    finally:
        for future in running:
            future.cancel()


def _advance_by_parts(
    batches: Iterable[list[EncodedDocuments]], task: Task, n_parts: int, advance: Advance
) -> Iterator[EncodedDocuments]:
    """Yield the documents of all batches, and move the progress of their task on for each."""
    for number, batch in enumerate(batches):
        yield from batch
        advance(task.size * (number + 1) // n_parts - task.size * number // n_parts)


@contextmanager
def reporting_killed_workers(job: Job) -> Iterator[None]:
    """Turn the error of the block for a killed worker into one that says what to do.

    Raises:
        ShardError: in its place.
    """
    try:
        yield
    except BrokenProcessPool as error:
        raise ShardError(
            f"{job.folder}: a worker process was killed, perhaps because memory ran out; its "
            "task is lost, and shards that were written stay: go on with --resume, with fewer "
            "--processes if memory is short"
        ) from error


_shared: tuple[Any, Any] | None = None
"""In a worker: the count of bytes that all have read, and the event that tells it to stop."""


def _begin_worker(done: Any, stop: Any) -> None:
    """Prepare a worker process: Ctrl-C is for the parent, without which it ends."""
    global _shared
    _shared = (done, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        """Wait until the parent has ended, and end this process, whatever it does."""
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _do_in_worker(job: Job, task: Task) -> None:
    """Do a task in a worker process.

    Raises:
        StoppedError: the parent tells all workers to stop.
        CorpusError, OSError, ShardError: as `do_task` does.
    """
    assert _shared is not None
    done, stop = _shared

    def advance(n_bytes: int) -> None:
        """Add to what all workers have read."""
        with done.get_lock():
            done.value += n_bytes

    def check() -> None:
        """Stop the work if the parent says so."""
        if stop.is_set():
            raise StoppedError

    do_task(job, task, advance=advance, check=check)
