"""Counting on a Dask cluster gives the bytes that counting here gives, whatever happens there."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import pyarrow
import pyarrow.parquet
import pytest
from distributed import Client, LocalCluster

from wwho.build.base import base_model
from wwho.corpus import Corpus
from wwho.corpus.reader import Reading
from wwho.errors import BackendError, CheckpointError, CorpusError
from wwho.format.write import write_model
from wwho.progress import Advance
from wwho.schema.load import load_schema
from wwho.train import cluster as module
from wwho.train.checkpoint import Checkpoint
from wwho.train.cluster import DaskEngine, parts_of
from wwho.train.pipeline import train_model
from wwho.train.report import Report
from wwho.train.tally import Tally

SCHEMAS = [load_schema("sinhala"), load_schema("devanagari")]
BASE = base_model(
    [bytes([byte]) for byte in range(256)],
    pattern=r"\s+|\S+",
    specials={},
    provenance={"name": "bytes"},
)
SYLLABLES = [*"කමයගලන", "කි", "මා", "ගේ", *"कमनरल", "कि", "मा"]


def lines(seed: int, n: int) -> list[str]:
    """Lines of words that come again and again, and some that do not."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(60)]
    return [
        " ".join([*rng.choices(words, k=5), "".join(rng.choices(SYLLABLES, k=6))]) for _ in range(n)
    ]


def write_corpus(folder: Path) -> list[str]:
    """A folder of three files, a file with a broken character, and one that is compressed."""
    inside = folder / "source"
    inside.mkdir()
    (inside / "a.txt").write_text("\n".join(lines(1, 1200)), "utf-8")
    table = pyarrow.table({"text": lines(2, 600)})
    pyarrow.parquet.write_table(table, inside / "b.parquet", row_group_size=50)
    rows = "".join(json.dumps({"text": line}) + "\n" for line in lines(3, 500))
    (inside / "c.jsonl").write_text(rows)
    decomposed = " ක\u0dd9\u0dca" * 9
    (folder / "d.txt").write_bytes("\n".join([*lines(4, 100), decomposed]).encode() + b"\xff")
    (folder / "e.txt.gz").write_bytes(gzip.compress("\n".join(lines(5, 300)).encode()))
    return [str(inside), str(folder / "d.txt"), str(folder / "e.txt.gz")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two workers, each a process."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as running:
        yield running


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of about 10 KB, so that there are many of them."""
    monkeypatch.setattr(module, "PART_BYTES", 10_000)
    monkeypatch.setattr(module, "WINDOW", 10)


@pytest.mark.filterwarnings("ignore:the corpus holds 1 broken")
@pytest.mark.usefixtures("small_parts")
def test_the_cluster_gives_the_same_bytes(tmp_path: Path, cluster: LocalCluster) -> None:
    sources = write_corpus(tmp_path)
    engine = DaskEngine(cluster.scheduler_address)
    weighted = Corpus(sources, weights={sources[1]: "2.5"}, sample="0.6")
    for corpus, form in ((Corpus(sources), "nfc"), (weighted, None)):
        reports: list[Report] = []
        options: dict[str, Any] = {"prune": 4, "normalize": form, "on_counted": reports.append}
        here, there = (
            train_model(SCHEMAS, BASE, corpus, engine=each, **options) for each in (None, engine)
        )
        assert write_model(here) == write_model(there)
        assert reports[0] == reports[1]
        assert ("කේ".encode() in here.atoms) == (form == "nfc")
    assert sum(len(parts_of(file, Reading())) for file in corpus.files) > 25


@pytest.mark.usefixtures("small_parts")
def test_a_file_is_cut_where_it_can_be(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    n_parts = {}
    for file in (*(tmp_path / "source").iterdir(), tmp_path / "d.txt", tmp_path / "e.txt.gz"):
        parts = parts_of(str(file), Reading())
        assert sum(share for _, share in parts) == file.stat().st_size
        assert [part.start for part, _ in parts[1:]] == [part.stop for part, _ in parts[:-1]]
        n_parts[file.name] = len(parts)
    assert n_parts.pop("e.txt.gz") == n_parts.pop("d.txt") == 1
    assert min(n_parts.values()) > 5


def test_many_small_files_are_counted_side_by_side(tmp_path: Path, cluster: LocalCluster) -> None:
    """Each is a source; their parts are handed out before the first is done."""
    files = [tmp_path / f"{k}.txt" for k in range(150)]
    for k, file in enumerate(files):
        file.write_text(lines(k, 1)[0], "utf-8")
    engine = DaskEngine(cluster.scheduler_address)
    models = [train_model(SCHEMAS, BASE, files, prune=1, engine=each) for each in (None, engine)]
    assert write_model(models[0]) == write_model(models[1])


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_the_loss_of_a_worker_changes_nothing(
    tmp_path: Path, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed while it works and holds counts that are still needed."""
    monkeypatch.setattr(module, "PART_BYTES", 10_000)
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines(1, 40_000)), "utf-8")
    expected = write_model(train_model(SCHEMAS, BASE, [path], prune=4))
    found: list[bytes] = []
    lost = threading.Event()

    class Waiting(DaskEngine):
        """Asks for no more counts before the worker is lost: it is never too late to kill it."""

        def tallies(self, *arguments: Any, advance: Advance, **options: Any) -> Any:
            def waiting(size: int) -> None:
                advance(size)
                if size:
                    lost.wait()

            return super().tallies(*arguments, advance=waiting, **options)

    engine = Waiting(cluster.scheduler_address)
    thread = threading.Thread(
        target=lambda: found.append(
            write_model(train_model(SCHEMAS, BASE, [path], prune=4, engine=engine))
        )
    )
    thread.start()
    with Client(cluster) as client:
        victim = ""
        while not victim:
            assert thread.is_alive()
            victim = client.run_on_scheduler(holder_of_counts)
        pid = client.run(os.getpid, workers=[victim])[victim]
        os.kill(pid, signal.SIGKILL)
        while victim in client.run_on_scheduler(
            lambda dask_scheduler: list(dask_scheduler.workers)
        ):
            time.sleep(0.01)
        lost.set()
        thread.join()
    assert found == [expected]


def holder_of_counts(dask_scheduler: Any) -> str:
    """A worker that holds some counts; "" where there is none."""
    counts = ("count_part", "add_packed")
    for address, worker in dask_scheduler.workers.items():
        if sum(str(task.key).startswith(counts) for task in worker.has_what) >= 4:
            return str(address)
    return ""


@pytest.mark.usefixtures("small_parts")
def test_counts_that_do_not_fit_into_memory_go_to_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines(1, 2000)), "utf-8")
    expected = write_model(train_model(SCHEMAS, BASE, [path], prune=4))
    little = {"distributed.worker.memory.target": 1e-5}  # 20 KB of 2 GB
    with (
        dask.config.set(little),
        LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit="2GB", dashboard_address="127.0.0.1:0"
        ) as tight,
        Client(tight) as client,
    ):
        engine = DaskEngine(tight.scheduler_address)
        assert write_model(train_model(SCHEMAS, BASE, [path], prune=4, engine=engine)) == expected
        (written,) = client.run(bytes_spilled).values()
    assert written > 50_000


def bytes_spilled(dask_worker: Any) -> int:
    """Bytes that a worker has written to its disk."""
    metrics = dask_worker.data.cumulative_metrics
    return int(metrics["disk-write", "bytes"])


def test_counts_are_saved_as_soon_as_it_is_time(
    tmp_path: Path, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the source, or as many parts as are added up at most, are done."""
    monkeypatch.setattr(module, "PART_BYTES", 10_000)
    path, folder = tmp_path / "a.txt", tmp_path / "run"
    path.write_text("\n".join(lines(1, 2000)), "utf-8")
    expected = write_model(train_model(SCHEMAS, BASE, [path], prune=4))
    assert 16 < len(parts_of(str(path), Reading())) < module.WINDOW
    engine = DaskEngine(cluster.scheduler_address)
    stopping = Stopping(folder, seconds=0)
    with pytest.raises(StopError):
        train_model(SCHEMAS, BASE, [path], prune=4, engine=engine, checkpoint=stopping)
    resumed = Checkpoint(folder, resume=True, seconds=1000)
    assert resumed.position(0) == (0, 2 * module.FAN_IN)
    model = train_model(SCHEMAS, BASE, [path], prune=4, engine=engine, checkpoint=resumed)
    assert write_model(model) == expected


class StopError(Exception):
    """Ends a run."""


class Stopping(Checkpoint):
    """A checkpoint that saves at every opportunity, and ends the run at the second."""

    left = 2

    def save(self, source: int, tally: Tally) -> None:
        """Save, and perhaps stop."""
        super().save(source, tally)
        self.left -= 1
        if not self.left:
            raise StopError


@pytest.mark.filterwarnings("ignore:the corpus holds 1 broken")
@pytest.mark.usefixtures("small_parts")
def test_a_run_on_a_cluster_can_be_resumed(tmp_path: Path, cluster: LocalCluster) -> None:
    sources, folder = write_corpus(tmp_path), tmp_path / "run"
    engine = DaskEngine(cluster.scheduler_address)
    stops = 0
    while True:
        checkpoint = Stopping(folder, resume=True, seconds=0)
        try:
            model = train_model(
                SCHEMAS, BASE, sources, prune=4, engine=engine, checkpoint=checkpoint
            )
            break
        except StopError:
            stops += 1
    assert stops >= 2
    assert write_model(model) == write_model(train_model(SCHEMAS, BASE, sources, prune=4))
    with pytest.raises(
        CheckpointError, match="engine: dask, with parts of 10000 bytes then, local"
    ):
        train_model(SCHEMAS, BASE, sources, checkpoint=Checkpoint(folder, resume=True))


@pytest.mark.filterwarnings("ignore")
def test_the_command_starts_a_cluster_of_its_own(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines(1, 100)), "utf-8")
    outputs = []
    for arguments in ([], ["--engine", "dask", "--processes", "2"]):
        output = tmp_path / "x.wwho"
        result = cli("train", "--schema", "sinhala", *arguments, "-o", output, path)
        assert result.code == 0
        outputs.append((result.out, output.read_bytes()))
    assert outputs[0] == outputs[1]


# What goes wrong


def test_errors_of_workers_are_told_as_here(tmp_path: Path, cluster: LocalCluster) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"body": "a"}\n')
    for engine in (None, DaskEngine(cluster.scheduler_address)):
        with pytest.raises(CorpusError, match=r"a\.jsonl, line 2: no field 'text'; its fields"):
            train_model(SCHEMAS, BASE, [path], engine=engine)
        with pytest.raises(CorpusError, match=r"none\.txt: cannot be read: No such file"):
            train_model(SCHEMAS, BASE, [tmp_path / "none.txt"], engine=engine)
        with pytest.raises(CorpusError, match="holds no text in the scripts of the schemas"):
            train_model(
                SCHEMAS, BASE, Corpus([path], field="body", sample="0.000001"), engine=engine
            )


def test_only_the_error_itself_is_told(tmp_path: Path) -> None:
    (path := tmp_path / "a.jsonl").write_text("5\n")
    command = [sys.executable, "-m", "wwho.cli.main", "train", "--schema", "sinhala", "--engine"]
    run = subprocess.run(
        [*command, "dask", "-o", str(tmp_path / "x"), str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    named = f"wwho: {path}, line 1: a JSON object is expected, not int\n"
    assert (run.returncode, run.stderr) == (1, named)


def test_a_script_whose_workers_would_start_themselves_is_told(tmp_path: Path) -> None:
    (script := tmp_path / "script.py").write_text(UNGUARDED)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "BackendError: no Dask cluster can be started on this machine" in run.stderr
    assert 'under if __name__ == "__main__":' in run.stderr


UNGUARDED = """
from wwho.build.base import byte_base
from wwho.train.cluster import DaskEngine
from wwho.train.pipeline import train_model

train_model([], byte_base(), [__file__], atoms="byte", engine=DaskEngine())
"""


def test_the_standard_input_is_refused(cluster: LocalCluster) -> None:
    with pytest.raises(CorpusError, match="cannot read the standard input; name files"):
        train_model(SCHEMAS, BASE, ["-"], engine=DaskEngine(cluster.scheduler_address))


def test_a_task_that_kills_its_workers_is_named(tmp_path: Path) -> None:
    """A worker that dies is started again, a task that killed as many as are allowed is not."""
    path = tmp_path / "a.txt"
    os.mkfifo(path)  # whoever reads it waits until its end
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as doomed,
        Client(doomed) as client,
    ):
        killer = threading.Thread(target=kill_when_busy, args=(client,))
        killer.start()
        with pytest.raises(BackendError, match=r"the Dask cluster failed: KilledWorker: .*memory"):
            train_model(SCHEMAS, BASE, [path], engine=DaskEngine(doomed.scheduler_address))
        killer.join()


def kill_when_busy(client: Client) -> None:
    """Kill the only worker as soon as it has a part to count."""
    pid = next(iter(client.run(os.getpid).values()))
    while not any(
        key.startswith("count_part") for keys in client.processing().values() for key in keys
    ):
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.5)
    address = "tcp://127.0.0.1:9"
    with pytest.raises(BackendError, match=f"no Dask scheduler with a worker answers at {address}"):
        train_model(SCHEMAS, BASE, [__file__], engine=DaskEngine(address))
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as idle,
        pytest.raises(BackendError, match="with a worker answers at tcp://"),
    ):
        train_model(SCHEMAS, BASE, [__file__], engine=DaskEngine(idle.scheduler_address))


@pytest.mark.parametrize(
    ("package", "name", "extra"),
    [
        ("pyarrow", "a.parquet", "train"),
        ("fsspec.core", "memory://a.txt", "train"),
        ("zstandard", "a.txt.zst", "train"),
        ("distributed", "a.txt", "cluster"),
    ],
)
def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, name: str, extra: str
) -> None:
    path = tmp_path / name
    if "://" not in name:
        path.write_bytes(b"x")
    monkeypatch.setitem(sys.modules, package, None)
    engine = DaskEngine() if extra == "cluster" else None
    with pytest.raises((CorpusError, BackendError), match=rf"pip install 'wwho\[{extra}\]'"):
        train_model(SCHEMAS, BASE, [name if "://" in name else path], engine=engine)
