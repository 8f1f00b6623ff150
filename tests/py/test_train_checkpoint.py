"""A training that is stopped and goes on ends as if nothing had happened; and what stops it."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wwho.build.base import base_model
from wwho.corpus import Corpus, contents
from wwho.errors import CheckpointError, CorpusError
from wwho.format.model import Model
from wwho.format.write import write_model
from wwho.schema.load import load_schema
from wwho.train.checkpoint import Checkpoint
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
OPTIONS: dict[str, Any] = {"prune": 4, "vocab_size": 300}


def text(seed: int, lines: int) -> str:
    """Lines of words that come again and again, and some that do not."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(60)]
    return "".join(
        " ".join([*rng.choices(words, k=5), "".join(rng.choices(SYLLABLES, k=6))]) + "\n"
        for _ in range(lines)
    )


def write_corpus(folder: Path, lines: int) -> list[str]:
    """A source of three files, and two of one."""
    inside = folder / "source"
    inside.mkdir()
    (inside / "a.txt").write_text(text(1, lines), "utf-8")
    (inside / "b.txt.gz").write_bytes(gzip.compress(text(2, lines).encode()))
    (inside / "empty.txt").touch()
    rows = [json.dumps({"text": line}) + "\n" for line in text(3, lines).splitlines()]
    (folder / "c.jsonl").write_text("".join(rows))
    (folder / "d.txt.xz").write_bytes(lzma.compress(text(4, lines).encode()))
    return [str(inside), str(folder / "c.jsonl"), str(folder / "d.txt.xz")]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of about 4 KB, so that there are many of them."""
    monkeypatch.setattr(contents, "CHUNK", 4096)


def trained(corpus: Any, checkpoint: Checkpoint | None = None, **options: Any) -> bytes:
    model: Model = train_model(SCHEMAS, BASE, corpus, checkpoint=checkpoint, **OPTIONS | options)
    return write_model(model)


class StopError(Exception):
    """Ends a run."""


class Stopping(Checkpoint):
    """A checkpoint that ends the run after so many times of saving."""

    def __init__(self, folder: Path, saves: int) -> None:
        """Save at every opportunity."""
        super().__init__(folder, resume=True, seconds=0)
        self.left = saves

    def due(self) -> bool:
        """Always."""
        return True

    def save(self, source: int, tally: Tally) -> None:
        """Save, and perhaps stop."""
        super().save(source, tally)
        self.left -= 1
        if not self.left:
            raise StopError


# Going on


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("processes", [1, 2])
def test_a_stop_at_any_time_of_saving_changes_nothing(tmp_path: Path, processes: int) -> None:
    corpus = Corpus(write_corpus(tmp_path, 200), weights={str(tmp_path / "c.jsonl"): "1.5"})
    reports: list[Report] = []
    whole = trained(corpus, on_counted=reports.append)
    saves, done = 0, False
    while not done:
        saves += 1
        try:
            stopping = Stopping(tmp_path / f"{saves}", saves)
            assert trained(corpus, stopping, processes=processes) == whole
            done = True
        except StopError:
            resumed = Checkpoint(tmp_path / f"{saves}", resume=True)
            options = {"processes": processes, "on_counted": reports.append}
            assert trained(corpus, resumed, **options) == whole
    assert saves > 25
    assert all(report == reports[0] for report in reports)


@pytest.mark.usefixtures("small_blocks")
def test_a_stop_at_every_time_of_saving_changes_nothing(tmp_path: Path) -> None:
    corpus = Corpus(write_corpus(tmp_path, 400), sample="0.7")
    stops = 0
    while True:
        try:
            assert trained(corpus, Stopping(tmp_path / "run", 2)) == trained(corpus)
            break
        except StopError:
            stops += 1
    assert stops > 20


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_kill_at_any_moment_changes_nothing(tmp_path: Path) -> None:
    """SIGKILL comes a random time after a random number of savings, again and again."""
    files = write_corpus(tmp_path, 1500)
    output, folder, rng = tmp_path / "x.wwho", tmp_path / "run", random.Random(5)
    start = [sys.executable, "-c", IN_SMALL_BLOCKS, "train", "--schema", "sinhala"]
    start += ["--schema", "devanagari", "--name", "x", "-o", str(output), *files]
    subprocess.run(start, check=True, capture_output=True)
    whole = output.read_bytes()
    output.unlink()
    resume = [*start, "--checkpoint", str(folder), "--resume", "--checkpoint-every", "0"]
    for _ in range(5):
        child = subprocess.Popen(resume)
        for _ in range(rng.randint(1, 8)):
            wait_for_a_change(folder, child)
        time.sleep(rng.random() * 0.01)
        child.kill()
        assert child.wait() in (0, -signal.SIGKILL)  # 0: it was done before
        assert not output.exists() or output.read_bytes() == whole
        output.unlink(missing_ok=True)
    subprocess.run(resume, check=True, capture_output=True)
    assert output.read_bytes() == whole
    assert not list(folder.glob(".*"))


IN_SMALL_BLOCKS = """
from wwho.cli.main import main
from wwho.corpus import contents
contents.CHUNK = 1 << 14
raise SystemExit(main())
"""


def wait_for_a_change(folder: Path, child: subprocess.Popen[bytes]) -> None:
    """Wait until counts are saved."""

    def state() -> list[tuple[str, int]]:
        return sorted((file.name, file.stat().st_mtime_ns) for file in folder.glob("*.counts"))

    before = state()
    while state() == before and child.poll() is None:
        time.sleep(0.001)


def test_what_comes_after_counting_may_change(tmp_path: Path) -> None:
    """A vocabulary too small for its atoms loses nothing: the counts are there for a larger one."""
    corpus = write_corpus(tmp_path, 100)
    with pytest.raises(CorpusError, match="raise vocab_size to 37 or more"):
        trained(corpus, Checkpoint(tmp_path / "run"), vocab_size=6)
    for options in ({"vocab_size": 37}, {"vocab_size": 400, "min_freq": 9}, {"specials": ["[A]"]}):
        resumed = trained(corpus, Checkpoint(tmp_path / "run", resume=True), **options)
        assert resumed == trained(corpus, **options)
    weighted = Corpus(corpus, weights={corpus[1]: 3})
    resumed = trained(weighted, Checkpoint(tmp_path / "run", resume=True))
    assert resumed == trained(weighted) != trained(corpus)


@pytest.mark.usefixtures("small_blocks")
def test_a_damaged_file_can_be_repaired(tmp_path: Path) -> None:
    """What was counted before it is kept, although the file has changed since."""
    corpus = write_corpus(tmp_path, 100)
    whole = trained(corpus)
    file = tmp_path / "source" / "b.txt.gz"
    data = file.read_bytes()
    file.write_bytes(b"\x1f" + data)
    with pytest.raises(CorpusError, match=r"b\.txt\.gz: "):
        trained(corpus, Stopping(tmp_path / "run", 99))
    assert (tmp_path / "run" / "source-0.counts").exists()
    file.write_bytes(data)
    (tmp_path / "c.jsonl").touch()
    changed = tmp_path / "source" / "a.txt"
    stamp = changed.stat().st_mtime_ns
    changed.touch()
    with pytest.raises(CheckpointError, match=r"file \S+a\.txt of source 1: "):
        trained(corpus, Checkpoint(tmp_path / "run", resume=True))
    os.utime(changed, ns=(stamp, stamp))
    assert trained(corpus, Checkpoint(tmp_path / "run", resume=True)) == whole


def test_files_that_are_done_are_not_read_again(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, 100)
    whole = trained(corpus, Checkpoint(tmp_path / "run"))
    file = tmp_path / "c.jsonl"
    stamp, size = file.stat().st_mtime_ns, file.stat().st_size
    file.write_bytes(b"x" * size)
    os.utime(file, ns=(stamp, stamp))
    assert trained(corpus, Checkpoint(tmp_path / "run", resume=True)) == whole


# What is refused


def test_a_folder_with_counts_is_not_overwritten(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, 20)
    trained(corpus, Checkpoint(tmp_path / "run"))
    with pytest.raises(
        CheckpointError, match=r"run: holds the counts of an earlier run; .*--resume"
    ):
        trained(corpus, Checkpoint(tmp_path / "run"))
    trained(corpus, Checkpoint(tmp_path / "new" / "run", resume=True))


def test_another_corpus_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, 20)
    trained(corpus, Checkpoint(tmp_path / "run"))
    file = tmp_path / "c.jsonl"
    before = file.stat()
    file.write_bytes(file.read_bytes() + b"\n")
    resumed = Checkpoint(tmp_path / "run", resume=True)
    with pytest.raises(CheckpointError) as caught:
        trained(corpus, resumed)
    for part in (
        f"{tmp_path / 'run'}: holds the counts of another run",
        f"file {file} of source 2: {before.st_size} bytes, written at {before.st_mtime_ns} then",
        f"{before.st_size + 1} bytes, written at {file.stat().st_mtime_ns} now",
    ):
        assert part in str(caught.value)
    file.write_bytes(file.read_bytes()[:-1])
    os.utime(file, ns=(before.st_mtime_ns, before.st_mtime_ns))
    with pytest.raises(CheckpointError, match=r"source 3: \S*d\.txt\.xz then, missing now"):
        trained(corpus[:2], resumed)
    (tmp_path / "source" / "new.txt").touch()
    with pytest.raises(CheckpointError, match=r"new\.txt of source 1: missing then, 0 bytes"):
        trained(corpus, resumed)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"field": "body"}, "field: text then, body now"),
        ({"column": "body"}, "column: text then, body now"),
        ({"sample": "0.5"}, "sample: 1 then, 0.5 now"),
        ({"errors": "stop"}, "errors: replace then, stop now"),
    ],
)
def test_other_options_are_refused(tmp_path: Path, options: dict[str, Any], named: str) -> None:
    corpus = write_corpus(tmp_path, 20)
    trained(corpus, Checkpoint(tmp_path / "run"))
    with pytest.raises(CheckpointError, match=named):
        trained(Corpus(corpus, **options), Checkpoint(tmp_path / "run", resume=True))


def test_other_schemas_are_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, 20)
    trained(corpus, Checkpoint(tmp_path / "run"))
    resumed = Checkpoint(tmp_path / "run", resume=True)
    with pytest.raises(CheckpointError, match="schemas: sinhala devanagari then, sinhala now"):
        train_model(SCHEMAS[:1], BASE, corpus, checkpoint=resumed, **OPTIONS)


def test_the_standard_input_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read again after a stop; name files"):
        trained(["-"], Checkpoint(tmp_path / "run"))


@pytest.mark.usefixtures("small_blocks")
def test_a_file_that_changed_in_secret_is_refused(tmp_path: Path) -> None:
    corpus = [str(tmp_path / "a.txt")]
    Path(corpus[0]).write_text(text(1, 500), "utf-8")
    stamp = Path(corpus[0]).stat().st_mtime_ns
    with pytest.raises(StopError):
        trained(corpus, Stopping(tmp_path / "run", 3))
    data = Path(corpus[0]).read_bytes()
    Path(corpus[0]).write_bytes(data[:100] + data[100:].replace(b"\n", b" "))
    os.utime(corpus[0], ns=(stamp, stamp))
    with pytest.raises(CheckpointError, match=r"a\.txt: the first 3 blocks held \d+ bytes of text"):
        trained(corpus, Checkpoint(tmp_path / "run", resume=True))


@pytest.mark.parametrize("place", [0, 30, 400, -1])
def test_damaged_counts_are_refused(tmp_path: Path, place: int) -> None:
    corpus = write_corpus(tmp_path, 20)
    whole = trained(corpus, Checkpoint(tmp_path / "run"))
    file = tmp_path / "run" / "source-1.counts"
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    for damaged in (data, data[: len(data) // 2], b"", b"5\n", b'"x"\n', b"null\n"):
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=r"source-1\.counts: the counts are damaged"):
            trained(corpus, Checkpoint(tmp_path / "run", resume=True))
    file.unlink()
    assert trained(corpus, Checkpoint(tmp_path / "run", resume=True)) == whole


def test_a_damaged_identity_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, 20)
    trained(corpus, Checkpoint(tmp_path / "run"))
    for damaged in ("{", "null", "5", "[1, 2]", '"text"', "[" * 100_000, "\0"):
        (tmp_path / "run" / "run.json").write_text(damaged)
        with pytest.raises(CheckpointError, match=r"run\.json: damaged .*name an empty folder"):
            trained(corpus, Checkpoint(tmp_path / "run", resume=True))


@pytest.mark.parametrize("resume", [False, True])
def test_counts_of_an_unknown_corpus_are_refused(tmp_path: Path, resume: bool) -> None:
    corpus = write_corpus(tmp_path, 20)
    trained(corpus, Checkpoint(tmp_path / "run"))
    (tmp_path / "run" / "run.json").unlink()
    named = r"source-0\.counts: counts of an unknown corpus, since there is no run\.json"
    with pytest.raises(CheckpointError, match=named):
        trained(corpus[1:], Checkpoint(tmp_path / "run", resume=resume))


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    corpus, folder = write_corpus(tmp_path, 20), tmp_path / "run"
    trained(corpus, Checkpoint(folder))
    (folder / ".notes.tmp").touch()
    (folder / ".folder.tmp").mkdir()
    (left_over := folder / ".0123456789abcdef.tmp").touch()
    with pytest.raises(CheckpointError, match="another run"):
        trained(corpus[1:], Checkpoint(folder, resume=True))
    assert left_over.exists()
    trained(corpus, Checkpoint(folder, resume=True))
    assert {path.name for path in folder.glob(".*")} == {".notes.tmp", ".folder.tmp"}


# A disk that is full


def limited(arguments: list[str], size: int) -> subprocess.CompletedProcess[str]:
    """Run the command where no file may get larger than `size` bytes."""
    run = [sys.executable, "-m", "wwho.cli.main", "train", "--schema", "sinhala", "--schema"]
    return subprocess.run(
        [*run, "devanagari", *arguments],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_a_full_disk_loses_no_counts_and_no_model(tmp_path: Path) -> None:
    files, folder, output = write_corpus(tmp_path, 2000), tmp_path / "run", tmp_path / "x.wwho"
    output.write_bytes(b"old")
    arguments = ["--name", "x", "-o", str(output), "--checkpoint", str(folder), "--resume", *files]
    for size, place in ((60_000, folder / "source-0.counts"), (400_000, output)):
        run = limited(arguments, size)
        assert (run.returncode, run.stdout) == (1, "")
        assert run.stderr == f"wwho: {place}: File too large\n"
        assert output.read_bytes() == b"old"
        assert not [*folder.glob(".*"), *tmp_path.glob(".*")]
    assert len([*folder.glob("*.counts")]) == 3
    assert limited(arguments, 1 << 30).returncode == 0
    resumed = output.read_bytes()
    assert limited(["--name", "x", "-o", str(output), *files], 1 << 30).returncode == 0
    assert output.read_bytes() == resumed


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_device_is_named(tmp_path: Path, cli: Any) -> None:
    (path := tmp_path / "a.txt").write_text(text(1, 50), "utf-8")
    result = cli("train", "--schema", "sinhala", "-o", "/dev/full", path)
    assert (result.code, result.err) == (1, "wwho: /dev/full: No space left on device\n")
