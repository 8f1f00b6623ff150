"""Doing the tasks of a folder of shards: in this process, in others, or by any executor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from wwho.errors import ShardError
from wwho.progress import Advance
from wwho.shards.settings import Job
from wwho.shards.tasks import Task
from wwho.shards.work import do_task

POLL_SECONDS = 0.2
"""How often the progress of other processes is looked at."""


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
    elif processes == 1 or len(tasks) <= 1:
        for task in tasks:
            do_task(job, task, advance=advance)
    else:
        _run_in_processes(job, tasks, advance, processes)


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
    with pool:
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
        except BrokenProcessPool as error:
            raise ShardError(
                f"{job.folder}: a worker process was killed, perhaps because memory ran out; its "
                "task is lost, and shards that were written stay: go on with --resume, with fewer "
                "--processes if memory is short"
            ) from error
        finally:
            # After an error, workers end their tasks, and tasks that wait are dropped.
            stop.set()
            pool.shutdown(cancel_futures=True)


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
