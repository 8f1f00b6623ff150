"""`wwho tokenize`: formats, each opened by its library, and the same bytes however it is run."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wwho
from wwho.cli.main import main
from wwho.corpus import Corpus
from wwho.corpus.lines import MAX_LINE
from wwho.errors import CorpusError, ShardError
from wwho.shards import FORMATS, tokenize
from wwho.shards.encoded import EncodedDocuments, cut_documents, join_documents
from wwho.shards.manifest import MANIFEST
from wwho.shards.work import do_task

MODEL = "cl100k_base"
END = "<|endoftext|>"
TEXTS = [
    "hello world",
    "ගමේ පාසල",
    "हिन्दी में एक वाक्य, and English",
    "spells <|endoftext|> as text",
    "two\nlines",
    "x" * 300,
]


def expected_ids(texts: Sequence[str], eos: int | None = None) -> list[list[int]]:
    """The ids of each text, one call for each."""
    enc = wwho.get_encoding(MODEL)
    end = [] if eos is None else [eos]
    return [enc.encode_ordinary(text) + end for text in texts]


def put_jsonl(path: Path, texts: Sequence[str]) -> Path:
    """JSON Lines with names, compressed if the file's name says so."""
    rows = (json.dumps({"text": text, "id": f"d{k}"}) for k, text in enumerate(texts))
    data = "".join(f"{row}\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def put_parquet(path: Path, texts: Sequence[str], group: int = 7) -> Path:
    """Parquet with row groups of a few rows."""
    table = pyarrow.table({"text": texts, "id": [f"d{k}" for k in range(len(texts))]})
    pyarrow.parquet.write_table(table, path, row_group_size=group)
    return path


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus in four forms."""
    folder = tmp_path_factory.mktemp("mixed")
    texts = [f"{TEXTS[k % len(TEXTS)]} {k}" for k in range(120)]
    put_jsonl(folder / "a.jsonl", texts[:40])
    put_jsonl(folder / "b.jsonl.gz", texts[40:60])
    put_parquet(folder / "c.parquet", texts[60:90])
    lines = (text.replace("\n", " ") for text in texts[90:])
    (folder / "d.txt").write_text("".join(f"{line}\n\n" for line in lines), "utf-8")
    return folder


def mixed_texts() -> list[str]:
    """The documents of the corpus `mixed`."""
    texts = [f"{TEXTS[k % len(TEXTS)]} {k}" for k in range(120)]
    return texts[:90] + [text.replace("\n", " ") for text in texts[90:]]


def load_rows(folder: Path) -> Any:
    """The dataset that `datasets` makes of a folder."""
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    rows = datasets.load_from_disk(str(folder))
    assert isinstance(rows, datasets.Dataset)
    return rows


def content(folder: Path) -> dict[str, bytes]:
    """The files of a folder, of which none may be left from the work."""
    assert not (folder / ".tokenize").exists()
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def load_numpy(path: Path, dtype: str) -> np.ndarray[Any, Any]:
    """The flat ids of a shard of `bin` or `npy`."""
    return np.load(path) if path.suffix == ".npy" else np.fromfile(path, dtype)


# Each format


@pytest.mark.parametrize("kind", ["bin", "npy"])
def test_numpy_opens_flat_arrays(tmp_path: Path, kind: str) -> None:
    manifest = tokenize(TEXTS, MODEL, tmp_path, format=kind, eos=END)
    assert manifest is not None
    (shard,) = manifest["shards"]
    ids = load_numpy(tmp_path / shard["file"], manifest["dtype"])
    starts = np.load(tmp_path / shard["others"][0])
    assert (ids.dtype, starts.dtype) == (np.uint32, np.int64)
    found = [ids[a:b].tolist() for a, b in pairwise(starts)]
    assert found == expected_ids(TEXTS, 100257)
    assert (manifest["documents"], manifest["tokens"]) == (len(TEXTS), len(ids))


def test_ids_have_the_smallest_type(tmp_path: Path) -> None:
    for name, model in (("a", "gpt2"), ("b", "cl100k_base")):
        manifest = tokenize(TEXTS, model, tmp_path / name)
        assert manifest is not None
        assert manifest["dtype"] == {"gpt2": "uint16", "cl100k_base": "uint32"}[model]
    ids = np.fromfile(tmp_path / "a" / "shard-00000-000.bin", np.uint16)
    assert wwho.get_encoding("gpt2").decode(ids.tolist()) == "".join(TEXTS)


def test_datasets_opens_arrow(tmp_path: Path) -> None:
    put_jsonl(tmp_path / "a.jsonl", TEXTS)
    out = tmp_path / "out"
    corpus = Corpus([tmp_path / "a.jsonl"])
    tokenize(corpus, MODEL, out, format="arrow", name_field="id", shard_size=64, processes=1)
    rows = load_rows(out)
    assert rows["input_ids"][:] == expected_ids(TEXTS)
    assert rows["name"][:] == [f"d{k}" for k in range(len(TEXTS))]
    assert len(list(out.glob("*.arrow"))) > 1


@pytest.mark.parametrize("model", ["gpt2", MODEL])
def test_pyarrow_and_datasets_open_parquet(tmp_path: Path, model: str) -> None:
    tokenize(TEXTS, model, tmp_path, format="parquet", shard_size=1000)
    enc = wwho.get_encoding(model)
    table = pyarrow.parquet.read_table(tmp_path / "shard-00000-000.parquet")
    assert table["input_ids"].to_pylist() == [enc.encode_ordinary(text) for text in TEXTS]
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    rows = datasets.load_dataset(
        "parquet", data_files=str(tmp_path / "*.parquet"), split="train", cache_dir=str(tmp_path)
    )
    assert rows["input_ids"][:] == [enc.encode_ordinary(text) for text in TEXTS]


def test_megatron_files_are_those_of_its_reader(tmp_path: Path) -> None:
    tokenize(TEXTS, MODEL, tmp_path, format="megatron", eos=END)
    index = (tmp_path / "shard-00000-000.idx").read_bytes()
    n = len(TEXTS)
    assert index[:9] == b"MMIDIDX\0\0"
    assert np.frombuffer(index, "<u8", 1, 9)[0] == 1
    assert index[17] == 4  # int32
    assert np.frombuffer(index, "<u8", 2, 18).tolist() == [n, n + 1]
    sizes = np.frombuffer(index, "<i4", n, 34)
    pointers = np.frombuffer(index, "<i8", n, 34 + sizes.nbytes)
    bounds = np.frombuffer(index, "<i8", n + 1, 34 + sizes.nbytes + pointers.nbytes)
    assert len(index) == 34 + sizes.nbytes + pointers.nbytes + bounds.nbytes
    data = (tmp_path / "shard-00000-000.bin").read_bytes()
    found = [
        np.frombuffer(data, "<i4", size, pointer).tolist()
        for size, pointer in zip(sizes, pointers, strict=True)
    ]
    assert found == expected_ids(TEXTS, 100257)
    assert bounds.tolist() == list(range(n + 1))


def test_megatron_core_opens_megatron(tmp_path: Path) -> None:
    reader = pytest.importorskip(
        "megatron.core.datasets.indexed_dataset", reason="megatron-core needs torch, which is large"
    )
    tokenize(TEXTS, MODEL, tmp_path, format="megatron", eos=END)
    rows = reader.IndexedDataset(str(tmp_path / "shard-00000-000"))
    assert [rows[k].tolist() for k in range(len(rows))] == expected_ids(TEXTS, 100257)
    assert rows.document_indices.tolist() == list(range(len(TEXTS) + 1))


def test_mds_files_are_those_of_its_reader(tmp_path: Path) -> None:
    rows = put_jsonl(tmp_path / "a.jsonl", TEXTS)
    out = tmp_path / "out"
    tokenize(Corpus([rows]), MODEL, out, format="mds", name_field="id", processes=1)
    (shard,) = json.loads((out / "index.json").read_text())["shards"]
    data = (out / shard["raw_data"]["basename"]).read_bytes()
    assert (shard["samples"], shard["raw_data"]["bytes"]) == (len(TEXTS), len(data))
    n, *places = np.frombuffer(data, "<u4", 2 + len(TEXTS)).tolist()
    assert (n, places[-1]) == (len(TEXTS), len(data))
    config = json.loads(data[4 * (2 + n) : places[0]])
    assert config.items() <= shard.items()
    found = []
    for begin, end in pairwise(places):
        # The sizes of both columns; then a byte for one dimension and the type of its length.
        size, name_size, code = np.frombuffer(data[begin:end], "<u4,<u4,u1", 1)[0].tolist()
        header = {4: 1, 5: 2}[code]
        ids = np.frombuffer(data[begin + 9 + header : begin + 8 + size], "<u4").tolist()
        assert int.from_bytes(data[begin + 9 : begin + 9 + header], "little") == len(ids)
        found.append((ids, data[begin + 8 + size : end].decode()))
        assert name_size == end - begin - 8 - size
    assert found == [(ids, f"d{k}") for k, ids in enumerate(expected_ids(TEXTS))]


def test_streaming_opens_mds(tmp_path: Path) -> None:
    streaming = pytest.importorskip(
        "streaming", reason="mosaicml-streaming needs torch, which is large"
    )
    for pack, wanted in ((None, expected_ids(TEXTS, 100257)), (1, None)):
        out = tmp_path / str(pack)
        tokenize(TEXTS, MODEL, out, format="mds", eos=END, pack=pack)
        rows = streaming.StreamingDataset(local=str(out), batch_size=1)
        found = [rows[k]["input_ids"].tolist() for k in range(len(rows))]
        assert found == (
            wanted or [[token] for ids in expected_ids(TEXTS, 100257) for token in ids]
        )


# How documents are arranged


def test_rows_are_packed(tmp_path: Path) -> None:
    flat = [token for ids in expected_ids(TEXTS, 100257) for token in ids]
    manifest = tokenize(TEXTS, MODEL, tmp_path, format="npy", eos=END, pack=16)
    assert manifest is not None
    rows = np.load(tmp_path / "shard-00000-000.npy")
    assert rows.shape == (len(flat) // 16, 16)
    assert rows.ravel().tolist() == flat[: rows.size]
    assert manifest["left_out_tokens"] == len(flat) - rows.size > 0
    assert manifest["documents"] == len(TEXTS)


def test_shuffling_keeps_all_documents_and_depends_on_the_seed(tmp_path: Path, mixed: Path) -> None:
    orders = []
    for seed in (1, 2):
        out = tmp_path / str(seed)
        corpus = Corpus([mixed])
        tokenize(corpus, MODEL, out, format="arrow", shuffle=seed, shard_size=3000, processes=1)
        rows = load_rows(out)
        orders.append(rows["input_ids"][:])
    wanted = expected_ids(mixed_texts())
    assert orders[0] != orders[1]
    assert wanted not in orders
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(wanted)


def test_whole_files_are_documents(tmp_path: Path) -> None:
    for name, text in (("a.txt", "one\ntwo\n"), ("b.txt", "three")):
        (tmp_path / name).write_text(text)
    out = tmp_path / "out"
    tokenize(Corpus([tmp_path]), MODEL, out, whole_files=True, format="parquet", processes=1)
    rows = pyarrow.parquet.read_table(next(out.glob("*.parquet")))["input_ids"].to_pylist()
    assert rows == expected_ids(["one\ntwo\n", "three"])


@settings(max_examples=60)
@given(st.data())
def test_groups_depend_on_the_documents_alone(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(0, 9), max_size=30))
    max_ids, max_documents = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 5))
    documents = [
        EncodedDocuments(bytes([k]) * n, array("q", (0, n))) for k, n in enumerate(lengths)
    ]

    def batches() -> Iterator[EncodedDocuments]:
        """The documents in batches of drawn sizes."""
        rest = documents
        while rest:
            n = data.draw(st.integers(1, len(rest)))
            yield join_documents(rest[:n])
            rest = rest[n:]
            if data.draw(st.booleans()):
                yield EncodedDocuments(b"")

    def groups(parts: Iterator[EncodedDocuments]) -> list[list[bytes]]:
        """The documents of each group."""
        found: list[list[bytes]] = [[]]
        cut = cut_documents(parts, 1, max_ids=max_ids, max_documents=max_documents)
        for group, is_full in cut:
            bounds = zip(group.starts[:-1], group.starts[1:], strict=True)
            found[-1] += (bytes(group.ids[a:b]) for a, b in bounds)
            if is_full:
                found.append([])
        return [group for group in found if group]

    wanted = groups(iter(documents))
    assert groups(batches()) == wanted
    assert [text for group in wanted for text in group] == [bytes(each.ids) for each in documents]
    assert all(
        len(group) <= max_documents and (len(group) == 1 or len(b"".join(group)) <= max_ids)
        for group in wanted
    )


# The same bytes however it is run


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_processes_threads_parts_and_executors_give_the_same_bytes(
    tmp_path: Path, mixed: Path, kind: str
) -> None:
    options: dict[str, Any] = {"format": kind, "eos": END, "shard_size": 2000}
    corpus = Corpus([mixed])
    tokenize(corpus, MODEL, tmp_path / "one", processes=1, **options)
    wanted = content(tmp_path / "one")
    assert len(wanted) > 4
    with ThreadPoolExecutor(3) as pool:
        tokenize(corpus, MODEL, tmp_path / "pool", executor=pool, **options)
    assert content(tmp_path / "pool") == wanted
    if kind == "bin":
        distributed = pytest.importorskip("distributed", reason="needs distributed")
        with (
            distributed.LocalCluster(2, dashboard_address=None, silence_logs=50) as cluster,
            distributed.Client(cluster) as client,
            client.get_executor() as dask,
        ):
            tokenize(corpus, MODEL, tmp_path / "dask", executor=dask, **options)
        assert content(tmp_path / "dask") == wanted
    for part in (3, 1, 2):
        out = tmp_path / "parts"
        done = tokenize(corpus, MODEL, out, part=(part, 3), processes=1, **options)
        assert (done is None) == (part != 2)
    assert content(tmp_path / "parts") == wanted
    # Once all is done, it is not done again.
    again = tokenize(corpus, MODEL, tmp_path / "parts", resume=True, **options)
    assert again == json.loads(wanted[MANIFEST])
    if kind == "bin":
        tokenize(corpus, MODEL, tmp_path / "processes", processes=2, **options)
        assert content(tmp_path / "processes") == wanted
        tokenize(corpus, MODEL, "memory://out/put", executor=ThreadPoolExecutor(2), **options)
        system = fsspec.filesystem("memory")
        found = {path.rpartition("/")[2]: system.cat_file(path) for path in system.find("/out/put")}
        assert found == wanted


def test_a_few_large_tasks_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other processes encode parts of them; what is compressed is done in threads."""
    texts = [f"{TEXTS[k % len(TEXTS)]} {k}" for k in range(3000)]
    put_jsonl(tmp_path / "a.jsonl", texts)
    put_jsonl(tmp_path / "b.jsonl.gz", texts[:500])
    put_parquet(tmp_path / "c.parquet", texts, group=400)
    corpus = Corpus([tmp_path / "a.jsonl", tmp_path / "c.parquet"])
    compressed = Corpus([tmp_path / "b.jsonl.gz"])
    monkeypatch.setattr("wwho.shards.tasks.PART_BYTES", 10_000)
    for name, sources in (("plain", corpus), ("compressed", compressed)):
        options: dict[str, Any] = {"eos": END, "shard_size": 150_000}
        tokenize(sources, MODEL, tmp_path / name / "one", processes=1, **options)
        wanted = content(tmp_path / name / "one")
        monkeypatch.setattr("wwho.shards.run.MIN_TASK_BYTES", 1)
        tokenize(sources, MODEL, tmp_path / name / "four", processes=4, **options)
        assert content(tmp_path / name / "four") == wanted
        monkeypatch.undo()
    (tmp_path / "a.jsonl").open("a").write("{")
    monkeypatch.setattr("wwho.shards.run.MIN_TASK_BYTES", 1)
    with pytest.raises(CorpusError, match=r"a\.jsonl.*not valid JSON"):
        tokenize(Corpus([tmp_path / "a.jsonl"]), MODEL, tmp_path / "broken", processes=2)


@settings(max_examples=8)
@given(data=st.data())
def test_an_interruption_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, mixed: Path, data: st.DataObject
) -> None:
    options: dict[str, Any] = {
        "shard_size": data.draw(st.integers(1500, 9000)),
        "shuffle": data.draw(st.none() | st.integers(0, 9)),
        "pack": data.draw(st.none() | st.integers(1, 50)),
    }
    corpus, folder = Corpus([mixed]), tmp_path_factory.mktemp("stopped")
    tokenize(corpus, MODEL, folder / "whole", processes=1, **options)
    out = folder / "out"

    class Stopping(ThreadPoolExecutor):
        """Stops for good before the task that was drawn, as Ctrl-C would."""

        left = data.draw(st.integers(0, 6))

        def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Any:
            job, task = arguments
            self.left -= 1
            if self.left < 0:
                # Within the task, with a shard half written.
                with pytest.raises(KeyboardInterrupt):
                    do_task(job, task, check=stop)
                raise KeyboardInterrupt
            return super().submit(function, *arguments, **options)

    def stop() -> None:
        raise KeyboardInterrupt

    n_tasks = len(list((folder / "whole").glob("*-000.bin")))
    with Stopping(1) as pool:
        if pool.left < n_tasks:
            with pytest.raises(KeyboardInterrupt):
                tokenize(corpus, MODEL, out, executor=pool, **options)
            assert not (out / MANIFEST).exists()
    tokenize(corpus, MODEL, out, resume=True, processes=1, **options)
    assert content(out) == content(folder / "whole")


def tokenize_command(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """`wwho tokenize` as a process of its own."""
    command = [sys.executable, "-m", "wwho", "tokenize", "--model", MODEL, *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


def children_of(process: int) -> list[int]:
    """The workers of a process."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [
        int(child)
        for child in found
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("how", ["worker", "ctrl-c"])
def test_a_killed_worker_and_ctrl_c_lose_nothing(tmp_path: Path, how: str) -> None:
    lines = "".join(f"{text} {k}\n" for k in range(300) for text in TEXTS)
    out = tmp_path / "out"
    arguments = [str(tmp_path / "a.txt"), "-o", str(out), "--shard-size", "20kB"]
    for times in (20, 80, 320):  # more, where all was done before the signal came
        (tmp_path / "a.txt").write_text(lines * times, "utf-8")
        running = tokenize_command(
            *(*arguments, "--processes", "2"),
            # Tests that run behind a shell's & inherit that it is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while running.poll() is None and len(list(out.glob(".tokenize/0*.json"))) < 3:
            pass
        with suppress(OSError, IndexError):
            if how == "worker":
                os.kill(children_of(running.pid)[-1], signal.SIGKILL)
            else:
                running.send_signal(signal.SIGINT)
        _, error = running.communicate()
        if running.returncode:
            break
        shutil.rmtree(out)
    assert running.returncode == (1 if how == "worker" else 130), error
    assert error.count("\n") == (1 if how == "worker" else 0)
    assert "a worker process was killed" in error or how != "worker"
    assert main(["tokenize", "--model", MODEL, *arguments]) == 1  # not without --resume
    assert main(["tokenize", "--model", MODEL, *arguments, "--resume"]) == 0
    shutil.move(out, tmp_path / "resumed")
    assert main(["tokenize", "--model", MODEL, *arguments, "--processes", "1"]) == 0
    assert content(out) == content(tmp_path / "resumed")


@pytest.mark.skipif(sys.platform == "win32", reason="has no limits of this kind")
def test_a_file_that_cannot_grow_is_one_error(tmp_path: Path) -> None:
    import resource

    put_jsonl(tmp_path / "a.jsonl", TEXTS * 5000)
    out = tmp_path / "out"
    running = tokenize_command(
        str(tmp_path / "a.jsonl"),
        *("-o", str(out), "--processes", "1"),
        # Above the size of the model, which is written, too.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_300_000, 1_300_000)),
    )
    _, error = running.communicate()
    assert (running.returncode, error.count("\n")) == (1, 1)
    assert "File too large" in error
    assert not list(out.glob("shard*"))
    arguments = ["tokenize", str(tmp_path / "a.jsonl"), "--model", MODEL, "-o", str(out)]
    assert main([*arguments, "--resume"]) == 0


def test_a_full_disk_is_one_error_and_the_work_goes_on(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        put_jsonl(tmp_path / "a.jsonl", TEXTS * 8000)
        corpus, out = Corpus([tmp_path / "a.jsonl"]), disk / "out"
        options: dict[str, Any] = {"shard_size": 200_000, "processes": 1}
        with pytest.raises(ShardError, match=r"out: no space is left .* --resume"):
            tokenize(corpus, MODEL, out, **options)
        assert len(list(out.glob("*.bin"))) > 1
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        tokenize(corpus, MODEL, out, resume=True, **options)
        tokenize(corpus, MODEL, tmp_path / "whole", **options)
        assert content(out) == content(tmp_path / "whole")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# What is refused, and what is skipped


def test_faults_are_refused_by_name(tmp_path: Path, mixed: Path) -> None:
    out = tmp_path / "out"
    cases: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (CorpusError, "c.parquet: no column 'x'; its columns are: text, id", {"column": "x"}),
        (
            CorpusError,
            "a.jsonl, line 1: no field 'x'; its fields are: 'text', 'id'",
            {"field": "x"},
        ),
    ]
    for error, message, reading in cases:
        with pytest.raises(error, match=message):
            tokenize(Corpus([mixed], **reading), MODEL, out, processes=1)
        shutil.rmtree(out)
    options: list[tuple[str, dict[str, Any]]] = [
        ("no added token '<eos>'; it has: <|endoftext|>, ", {"eos": "<eos>"}),
        ("format is 'csv'; it is one of: bin, ", {"format": "csv"}),
        ("part 3/2", {"part": (3, 2)}),
        ("rows are packed", {"pack": 4, "name_field": "id"}),
        ("shard_size is 1 ", {"shard_size": 1}),
        ("processes is 0", {"processes": 0}),
        ("a row has at least one id", {"pack": 0}),
        ("d.txt: plain text has no field 'id'", {"name_field": "id", "processes": 1}),
    ]
    for message, given_options in options:
        with pytest.raises(ValueError, match=message):
            tokenize(Corpus([mixed]), MODEL, out, **given_options)
    with pytest.raises(ShardError, match="the texts of a program cannot be read again"):
        tokenize(TEXTS, MODEL, tmp_path / "texts", resume=True)
    with pytest.raises(CorpusError, match="holds no documents"):
        tokenize([], MODEL, tmp_path / "none")


def test_a_folder_of_other_work_is_left_alone(tmp_path: Path, mixed: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(ShardError, match="is not empty"):
        tokenize(Corpus([mixed]), MODEL, tmp_path)
    with pytest.raises(ShardError, match="holds no shards to go on with"):
        tokenize(Corpus([mixed]), MODEL, tmp_path, resume=True)
    assert (tmp_path / "note.txt").read_text() == "mine"
    out = tmp_path / "out"
    corpus = Corpus([mixed])
    tokenize(corpus, MODEL, out, processes=1)
    with pytest.raises(ShardError, match=r"other work; settings pack: null there, 4 here"):
        tokenize(corpus, MODEL, out, pack=4, resume=True)
    with pytest.raises(ShardError, match=r'other work; model name: "cl100k_base" there, "gpt2"'):
        tokenize(corpus, "gpt2", out, resume=True)


def test_what_is_broken_is_skipped_and_listed(tmp_path: Path) -> None:
    texts = [f"text {k}" for k in range(60_000)]
    whole = put_jsonl(tmp_path / "b.jsonl.gz", texts).read_bytes()
    (tmp_path / "b.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    lines = [json.dumps({"text": "one"}), "{", json.dumps({"no": 1}), json.dumps({"text": "two"})]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and nothing else")
    put_parquet(tmp_path / "d.parquet", ["three"])
    (tmp_path / "e.txt").write_bytes(b"four\nbro\xffken\nfive\n")
    corpus, out = Corpus([tmp_path], errors="stop"), tmp_path / "out"
    for size in (512_000_000, 30_000):
        folder = out / str(size)
        options: dict[str, Any] = {"format": "parquet", "shard_size": size, "processes": 1}
        with pytest.raises(CorpusError, match=r"a\.jsonl.*line 2: not valid JSON|c\.parquet"):
            tokenize(corpus, MODEL, folder, **options)
        shutil.rmtree(folder)
        manifest = tokenize(corpus, MODEL, folder, on_error="skip", **options)
        assert manifest is not None
        found = [
            row
            for shard in manifest["shards"]
            for row in pyarrow.parquet.read_table(folder / shard["file"])["input_ids"].to_pylist()
        ]
        n = len(found) - 5
        assert found == expected_ids(["one", "two", *texts[:n], "three", "four", "five"])
        assert 0 < n < len(texts)
        faults = manifest["skipped"]
        names = [fault.replace(str(tmp_path), "").split(":")[0] for fault in faults]
        assert [name.split(",")[0] for name in names] == [
            *("/a.jsonl", "/a.jsonl", "/b.jsonl.gz", "/c.parquet", "/e.txt")
        ]


def test_a_document_over_the_bound_is_refused(tmp_path: Path) -> None:
    readme = Path(wwho.__file__).parent / "shards" / "README.md"
    assert f"{MAX_LINE >> 20} MiB" in readme.read_text("utf-8")
    with pytest.raises(CorpusError, match=r"a document has more than 67,108,864 bytes"):
        tokenize(["a" * (MAX_LINE + 1)], MODEL, tmp_path)


def test_the_bound_of_documents_can_be_set(tmp_path: Path) -> None:
    file, text = tmp_path / "a.jsonl", "කමල abc " * 200_000
    file.write_text(json.dumps({"text": text}) + "\n" + json.dumps({"text": "b"}) + "\n", "utf-8")
    given = {"max_document": 2_000_000, "processes": 1}
    line = r"line 1: the line of JSON that holds a document has more than 2,000,000 bytes; .* raise"
    with pytest.raises(CorpusError, match=line):
        tokenize(Corpus([file]), MODEL, tmp_path / "small", **given)  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match=r"more than 2,000,000 bytes; .* raise max_document"):
        tokenize([text], MODEL, tmp_path / "texts", max_document=2_000_000)
    done = tokenize(Corpus([file]), MODEL, tmp_path / "large", max_document=1 << 31 >> 1)
    assert done is not None
    assert done["documents"] == 2
    assert done["settings"]["max_document"] == 1 << 30
    for wrong in (0, 1 << 31):
        with pytest.raises(ValueError, match="max_document is"):
            tokenize(Corpus([file]), MODEL, tmp_path / "wrong", max_document=wrong)


@pytest.mark.parametrize("form", [".txt", ".jsonl"])
@pytest.mark.parametrize("texts", [["long " * 40, "a", "b"], ["a", "long " * 40, "b"]])
def test_a_line_is_too_long_wherever_it_stands(texts: list[str], form: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{form}"
    lines = texts if form == ".txt" else [json.dumps({"text": text}) for text in texts]
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    number = texts.index("long " * 40) + 1
    given: dict[str, Any] = {"max_document": 100, "processes": 1}
    with pytest.raises(CorpusError, match=rf"line {number}: .* more than 100 bytes; .* raise max_"):
        tokenize(Corpus([file]), MODEL, tmp_path / "stopped", **given)
    # It is left out alone, and nothing that follows is.
    done = tokenize(Corpus([file]), MODEL, tmp_path / "skipped", on_error="skip", **given)
    assert done is not None
    assert done["documents"] == 2


@pytest.mark.slow
def test_a_document_over_64_mib_can_be_written(tmp_path: Path) -> None:
    file, unit = tmp_path / "a.txt", "hello world, "
    file.write_text(unit * (MAX_LINE // len(unit.encode()) + 9), "utf-8")
    size = file.stat().st_size
    assert size > MAX_LINE
    assert main(["tokenize", str(file), "--model", MODEL, "-o", str(tmp_path / "none")]) == 1
    options = ["--model", MODEL, "--max-document", "128MiB", "--processes", "1"]
    assert main(["tokenize", str(file), *options, "-o", str(tmp_path / "out")]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    each = wwho.get_encoding(MODEL).count(unit * 3) - wwho.get_encoding(MODEL).count(unit * 2)
    assert manifest["documents"] == 1
    assert manifest["tokens"] == pytest.approx(each * size // len(unit.encode()), abs=9)


# The command


def test_the_command_reads_what_train_reads(
    tmp_path: Path, mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["tokenize", str(mixed), "--model", MODEL, "-o", str(out), "--eos", END]
    assert main([*arguments, "--processes", "1"]) == 0
    printed = capsys.readouterr().out
    n = sum(map(len, expected_ids(mixed_texts(), 1)))
    assert printed == f"{out}: 1 shards, 120 documents, {n:,} tokens as uint32\n"
    assert main([*arguments, "--resume", "--json"]) == 0
    manifest = json.loads(capsys.readouterr().out)
    assert manifest == json.loads((out / MANIFEST).read_text())
    assert main([*arguments, "--part", "4/3"]) == 2


def test_tasks_cut_files_but_not_documents(tmp_path: Path) -> None:
    texts = [f"text {k}" for k in range(500)]
    put_jsonl(tmp_path / "a.jsonl", texts)
    put_parquet(tmp_path / "b.parquet", texts, group=50)
    put_jsonl(tmp_path / "c.jsonl.gz", texts)
    for name in ("d.jsonl", "e.jsonl"):
        put_jsonl(tmp_path / name, texts[:5])
    out = tmp_path / "out"
    manifest = tokenize(
        Corpus([tmp_path]), MODEL, out, format="parquet", shard_size=2500, processes=1
    )
    assert manifest is not None
    tasks = [shard["file"].split("-")[1] for shard in manifest["shards"]]
    counts = {task: tasks.count(task) for task in tasks}
    # What is compressed is one task of several shards; what is small is a task together.
    assert sum(count > 1 for count in counts.values()) == 1
    assert manifest["shards"][-1]["documents"] == 10
    assert len(counts) > 10
    rows = [
        row
        for shard in manifest["shards"]
        for row in pyarrow.parquet.read_table(out / shard["file"])["input_ids"].to_pylist()
    ]
    assert rows == expected_ids([*texts * 3, *texts[:5] * 2])
