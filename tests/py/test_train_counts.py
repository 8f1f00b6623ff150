"""Counts of words as files: the same model whoever counted what, in what order; what is refused."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wwho
from wwho.assemble.base import base_model
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus, contents
from wwho.corpus.corpus import Number
from wwho.corpus.reader import Reading, part_of
from wwho.errors import CorpusError, CountsError
from wwho.format.write import write_artifact
from wwho.train import count_words
from wwho.train.counts import Counts
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.report import Report

NAMES = ["sinhala", "devanagari"]
SCHEMAS = [load_schema(name) for name in NAMES]
BASE = base_model(
    [bytes([byte]) for byte in range(256)],
    pattern=r"\s+|\S+",
    specials={},
    provenance={"name": "bytes"},
)
SYLLABLES = [*"කමයගලන", "කි", "මා", "ගේ", *"कमनरल", "कि", "मा"]
OPTIONS: dict[str, Any] = {"prune": 4, "vocab_size": 300}
NUMBERS = st.lists(st.integers(1, 4), min_size=5, max_size=5)
"""Of parts, for each file of `write_corpus`."""

pytestmark = pytest.mark.filterwarnings("ignore:the base is the 256", "ignore:the corpus holds")


def lines(seed: int, n: int) -> list[str]:
    """Lines of words that come again and again, and some that do not."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(60)]
    return [
        " ".join([*rng.choices(words, k=5), "".join(rng.choices(SYLLABLES, k=6))]) for _ in range(n)
    ]


def write_corpus(folder: Path, n: int = 60) -> list[str]:
    """A file of every form; one has a broken character and signs in another order."""
    (folder / "a.txt").write_text("\n".join(lines(1, n)), "utf-8")
    table = pyarrow.table({"text": lines(2, n)})
    pyarrow.parquet.write_table(table, folder / "b.parquet", row_group_size=7)
    rows = "".join(json.dumps({"text": line}) + "\n" for line in lines(3, n))
    (folder / "c.jsonl").write_text(rows)
    decomposed = " ක\u0dd9\u0dca" * 9
    (folder / "d.txt").write_bytes("\n".join([*lines(4, n), decomposed]).encode() + b"\xff")
    (folder / "e.txt.gz").write_bytes(gzip.compress("\n".join(lines(5, n)).encode()))
    return [str(folder / name) for name in ("a.txt", "b.parquet", "c.jsonl", "d.txt", "e.txt.gz")]


def count(file: str, output: Path | str, **options: Any) -> str:
    """Count a file's words, with the schemas of these tests."""
    return count_words(Corpus([file]), output, schemas=NAMES, base=BASE, **options)


def trained(corpus: Any, **options: Any) -> bytes:
    return write_artifact(
        train_model(corpus, TrainOptions(schemas=SCHEMAS, base=BASE, **(OPTIONS | options)))
    )


# The same bytes


@pytest.mark.slow
def test_executors_count_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="needs distributed")
    files = write_corpus(tmp_path)
    weighted: dict[str, Any] = {"weights": {files[0]: 3}}
    wanted = trained(Corpus(files, **weighted), superwords=20)
    one = count_words(Corpus(files), tmp_path / "one", schemas=NAMES, base=BASE)
    # Large files are cut, small ones are counted together.
    monkeypatch.setattr("wwho.train.count_elsewhere.TASK_BYTES", 2000)
    with (
        distributed.LocalCluster(2, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as pool,
    ):
        found = trained(Corpus(files, **weighted), superwords=20, executor=pool)
        options: dict[str, Any] = {"schemas": NAMES, "base": BASE, "executor": pool}
        other = count_words(Corpus(files), tmp_path / "other", **options)
    assert found == wanted
    assert Counts.load(other).texts == Counts.load(one).texts
    assert trained(Corpus(counts=[other])) == trained(files)


def test_executors_leave_parts_as_they_are(tmp_path: Path) -> None:
    files = write_corpus(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        parts = [
            count_words(
                Corpus(files),
                tmp_path / f"{number}.counts",
                schemas=NAMES,
                base=BASE,
                part=(number, 3),
                executor=pool,
            )
            for number in (2, 3, 1)
        ]
        assert trained(Corpus(counts=parts)) == trained(files)
        with pytest.raises(CorpusError, match=r"missing\.txt: cannot be read"):
            trained([str(tmp_path / "missing.txt")], executor=pool)


def test_counts_go_to_urls(tmp_path: Path) -> None:
    files = write_corpus(tmp_path)
    urls = [f"memory://counts/in/{number}.counts" for number in range(len(files))]
    for file, url in zip(files, urls, strict=True):
        assert count(file, url) == url
        assert count(file, url) == url  # what is there is left as it is
    assert trained(Corpus(counts=urls)) == trained(files)
    with pytest.raises(CountsError, match=r"memory://counts/in/0\.counts: holds the counts of"):
        count(files[1], urls[0])


def test_the_command_writes_counts_to_a_url(cli: Any, tmp_path: Path) -> None:
    (file, *_) = write_corpus(tmp_path)
    given = ("count-words", "--schema", "sinhala", "-o", "memory://b/c/o.counts")
    assert cli(*given, file).code == 0
    assert b"counted before" in cli(*given, file).out
    done = cli(*given, "--counts", "memory://b/c/o.counts")
    assert (done.code, "is a file that is read" in done.err) == (2, True)
    train = ("train", "--schema", "sinhala", "--prune", "1", "--name", "x", "-o")
    assert cli(*train, tmp_path / "a.wwho", "--counts", "memory://b/c/o.counts").code == 0
    assert cli(*train, tmp_path / "b.wwho", file).code == 0
    assert (tmp_path / "a.wwho").read_bytes() == (tmp_path / "b.wwho").read_bytes()
    done = cli(*train, "memory://b/x.wwho", file)
    assert (done.code, "is a URL; name a file of this machine" in done.err) == (2, True)


@pytest.mark.slow
@settings(max_examples=8)
@given(st.data())
def test_no_split_and_no_order_changes_the_model(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    files, n_parts = write_corpus(folder), data.draw(NUMBERS)
    form: Any = data.draw(st.sampled_from([None, "nfc"]))
    reports: list[Report] = []
    shared = {"normalize": form, "superwords": 20, "on_counted": reports.append}
    expected = trained(files, **shared)
    parts = [
        count(file, folder / f"{k}-{number}.counts", part=(number, of), normalize=form)
        for k, (file, of) in enumerate(zip(files, n_parts, strict=True))
        for number in range(1, of + 1)
    ]
    parts = data.draw(st.permutations(parts))
    cut = data.draw(st.integers(0, len(parts) - 1))
    some = Corpus(counts=parts[cut:])
    merged = count_words(some, folder / "merged", schemas=NAMES, base=BASE, normalize=form)
    for counts in (parts, [*parts[:cut], merged]):
        assert trained(Corpus(counts=counts), **shared) == expected
        ours, theirs = (dict(vars(report.total)) for report in (reports[0], reports[-1]))
        assert sorted(ours.pop("digests")) == sorted(theirs.pop("digests"))
        assert ours == theirs


@pytest.mark.parametrize("processes", [1, 3])
def test_counts_and_text_may_be_mixed_and_weighted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(contents, "CHUNK", 512)  # many blocks
    one, *others = write_corpus(tmp_path)
    counts = count(one, tmp_path / "a.counts", processes=processes)
    by_counts: dict[str, Number] = {counts: "2.5", others[0]: 3}
    by_file: dict[str, Number] = {one: "2.5", others[0]: 3}
    mixed = Corpus(others, counts=[counts], weights=by_counts)
    whole = Corpus([one, *others], weights=by_file)
    assert trained(mixed, processes=processes) == trained(whole)


def test_a_sample_of_a_part_is_that_part_of_the_sample(tmp_path: Path) -> None:
    file, *_ = write_corpus(tmp_path)
    corpus = Corpus([file], sample="0.6")
    parts = [tmp_path / f"{k}.counts" for k in (1, 2, 3)]
    for k, part in enumerate(parts, start=1):
        count_words(corpus, part, schemas=NAMES, base=BASE, part=(k, 3))
    assert trained(Corpus(counts=parts, sample="0.6")) == trained(corpus)


def test_other_atoms_are_counted_too(tmp_path: Path) -> None:
    file, *_ = write_corpus(tmp_path)
    kinds: dict[str, Any] = {"atoms": "byte", "base": "none", "pattern": r"\w+|\W"}
    counts = count_words(Corpus([file]), tmp_path / "a.counts", **kinds)
    models = [
        wwho.train.train(corpus, vocab_size=300, **kinds)
        for corpus in (Corpus(counts=[counts]), Corpus([file]))
    ]
    assert models[0].token_byte_values() == models[1].token_byte_values()


def test_a_file_is_cut_where_it_can_be(tmp_path: Path) -> None:
    for file in write_corpus(tmp_path):
        for of in (2, 7, 10**6):
            parts = [part_of(file, k, of, Reading()) for k in (1, 2, of)]
            assert parts[0].start == 0
            assert all(part.start > 0 for part in parts[1:])
            if file.endswith(".gz"):
                assert [part.start == part.stop for part in parts] == [False, True, True]
            else:
                assert parts[0].stop == parts[1].start
        ends = [part_of(file, k, 7, Reading()) for k in range(1, 8)]
        assert file.endswith(".gz") or all(a.stop == b.start for a, b in pairwise(ends))


# Going on


def test_what_was_counted_is_not_counted_again(tmp_path: Path, cli: Any) -> None:
    file, *_ = write_corpus(tmp_path)
    output = tmp_path / "a.counts"
    run = ("count-words", "--schema", "sinhala", "--json", "-o", output, file)
    assert json.loads(cli(*run).out)["counted"] is True
    stamp, data = output.stat().st_mtime_ns, output.read_bytes()
    again = json.loads(cli(*run).out)
    assert (again["counted"], again["texts"]) == (False, 1)
    assert (output.stat().st_mtime_ns, output.read_bytes()) == (stamp, data)
    del run, again
    assert b"counted before: " in cli("count-words", "--schema", "sinhala", "-o", output, file).out


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_kill_at_any_moment_changes_nothing(tmp_path: Path) -> None:
    """Until the file of counts is there, nothing is; then it is whole."""
    (path := tmp_path / "a.txt").write_text("\n".join(lines(1, 3000)), "utf-8")
    output, rng = tmp_path / "a.counts", random.Random(5)
    start = [sys.executable, "-m", "wwho", "count-words", "--schema", "sinhala"]
    start += ["--schema", "devanagari", "-o", str(output), str(path)]
    for _ in range(4):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(rng.randrange(12)), *start[3:]])
        assert child.wait() in (0, -signal.SIGKILL)
        assert not output.exists() or Counts.load(str(output)).lines == 3000
    subprocess.run(start, check=True, capture_output=True)
    assert trained(Corpus(counts=[output])) == trained([path])


KILLED = """
import os, signal, sys
from wwho.cli.main import main
from wwho.format import files
from wwho.corpus import contents
from wwho.train.native import WordTable

contents.CHUNK, left = 1 << 14, int(sys.argv.pop(1))
count, rename = WordTable.count_text, os.replace

def counted(*arguments):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    count(*arguments)

def renamed(*arguments):
    if left % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*arguments)

WordTable.count_text, os.replace = counted, renamed
raise SystemExit(main())
"""


# What is refused


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"field": "body"}, "field: text there, body here"),
        ({"column": "body"}, "column: text there, body here"),
        ({"sample": "0.5"}, "sample: 1 there, 0.5 here"),
        ({"errors": "stop"}, "errors: replace there, stop here"),
    ],
)
def test_counts_made_with_other_options(
    tmp_path: Path, options: dict[str, Any], named: str
) -> None:
    counts = count(write_corpus(tmp_path)[0], tmp_path / "a.counts")
    with pytest.raises(CountsError, match=f"a.counts: counted with other options; {named}; give"):
        trained(Corpus(counts=[counts], **options))


def test_counts_of_other_words(tmp_path: Path) -> None:
    file = write_corpus(tmp_path)[0]
    counts = Corpus(counts=[count(file, tmp_path / "a.counts")])
    with pytest.raises(CountsError, match="schemas: sinhala devanagari there, sinhala here"):
        train_model(counts, TrainOptions(schemas=SCHEMAS[:1], base=BASE))
    with pytest.raises(CountsError, match="atoms: syllable there, grapheme here"):
        trained(counts, atoms="grapheme")
    with pytest.raises(CountsError, match="normalize: none there, nfc here"):
        trained(counts, normalize="nfc")
    pieces = tmp_path / "b.counts"
    count_words(Corpus([file]), pieces, atoms="codepoint", base="none", pattern="a|[^a]+")
    with pytest.raises(CountsError, match=r"pattern: a\|\[\^a\]\+ there, "):
        wwho.train.train(Corpus(counts=[pieces]), atoms="codepoint", base="none")


def changed(file: Path, **facts: Any) -> None:
    """Change the head of a file of counts, and its SHA-256."""
    from hashlib import sha256

    head, _, rest = file.read_bytes()[:-32].partition(b"\n")
    content = json.dumps(json.loads(head) | facts).encode() + b"\n" + rest
    file.write_bytes(content + sha256(content).digest())


def test_counts_of_another_version(tmp_path: Path) -> None:
    file = Path(count(write_corpus(tmp_path)[0], tmp_path / "a.counts"))
    made = dict(Counts.load(str(file)).settings)
    changed(file, made=made | {"writer": "wwho 0.0"})
    with pytest.raises(CountsError, match=r"writer: wwho 0\.0 there, wwho \d\S+ here"):
        trained(Corpus(counts=[file]))
    changed(file, counts=2)
    with pytest.raises(CountsError, match="version 2 of such files, and this program reads ver"):
        trained(Corpus(counts=[file]))


@pytest.mark.parametrize("place", [0, 30, 700, -40, -1])
def test_damaged_counts(tmp_path: Path, place: int) -> None:
    file = Path(count(write_corpus(tmp_path)[0], tmp_path / "a.counts"))
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    for damaged in (data, data[: len(data) // 2], b"", b'{"counts": ', b'{"counts": 1}\n'):
        file.write_bytes(damaged)
        with pytest.raises(CountsError, match=r"a\.counts: (the counts are damaged|no counts of)"):
            trained(Corpus(counts=[file]))
    file.write_bytes(b"x" * 100)
    changed_facts: list[dict[str, Any]] = [
        {"texts": [[1]]},
        {"record_bytes": "x"},
        {"record_bytes": 3},
    ]
    for facts in changed_facts:
        file.unlink()
        count(str(tmp_path / "a.txt"), file)
        changed(file, **facts)
        with pytest.raises(CountsError, match=r"a\.counts: the counts are damaged"):
            trained(Corpus(counts=[file]))


def test_nothing_is_counted_twice(tmp_path: Path) -> None:
    one, other, *_ = write_corpus(tmp_path)
    a, b = (count(file, f"{file}.counts") for file in (one, other))
    both = count_words(Corpus(counts=[a, b]), tmp_path / "ab", schemas=NAMES, base=BASE)
    half = count(one, tmp_path / "half", part=(1, 2))
    twice = r"{0}: holds the words of \S+a\.txt, which \S+ holds, too; .* a weight of 2"
    for counts, texts in (([a, a], []), ([b, both], []), ([a], [one]), ([a, half], [])):
        with pytest.raises(CountsError, match=r"holds the words of \S+, which \S+ holds, too"):
            trained(Corpus(texts, counts=counts))
    with pytest.raises(CountsError, match=twice.format("a.txt")):
        count_words(Corpus([one, one]), tmp_path / "x", schemas=NAMES, base=BASE)
    assert not (tmp_path / "x").exists()
    weighted = Corpus(counts=[a], weights={a: 2})
    assert trained(weighted) == trained(Corpus([one], weights={one: 2}))


def test_no_part_is_missing(tmp_path: Path) -> None:
    file, *_ = write_corpus(tmp_path)
    parts = [count(file, tmp_path / f"{k}.counts", part=(k, 3)) for k in (1, 2, 3)]
    with pytest.raises(CountsError, match=r"a\.txt: of its 3 parts, number 2 is .*--part 2/3"):
        trained(Corpus(counts=[parts[0], parts[2]]))
    with pytest.raises(CountsError, match=r"a\.txt: its parts are .* weights, 1 and 2\.5; give"):
        trained(Corpus(counts=parts, weights={parts[1]: "2.5"}))


def test_counts_of_something_else_are_not_overwritten(tmp_path: Path, cli: Any) -> None:
    one, other, *_ = write_corpus(tmp_path)
    output = tmp_path / "a.counts"
    data = Path(count(one, output)).read_bytes()
    for corpus, options, named in (
        (Corpus([other]), {}, r"holds the counts of \S+a\.txt \(.*\), and not of \S+b\.parquet"),
        (Corpus([one, other]), {}, "of nothing more, and not of"),
        (Corpus([one]), {"part": (1, 2)}, r"part 1 of 1\), and not of \S+a\.txt \(.*part 1 of 2"),
        (Corpus([one], sample="0.5"), {}, "sample: 1 there, 0.5 here"),
        (Corpus(["-"]), {}, "may not be that of the standard input"),
    ):
        with pytest.raises(CountsError, match=named):
            count_words(corpus, output, schemas=NAMES, base=BASE, **options)  # type: ignore[arg-type]
    os.utime(one, ns=(0, 0))
    with pytest.raises(CountsError, match=r"written at 0; part 1 of 1\); remove it, or name anoth"):
        count(one, output)
    (tmp_path / "model").write_bytes(b"no counts")
    with pytest.raises(CountsError, match="model: no counts of words; wwho count-words writes"):
        count(one, tmp_path / "model")
    assert output.read_bytes() == data


@pytest.mark.parametrize("part", ["0/3", "4/3", "1", "a/b", "1/2/3"])
def test_parts_that_cannot_be(tmp_path: Path, cli: Any, part: str) -> None:
    file, *_ = write_corpus(tmp_path)
    assert cli("count-words", "--part", part, "-o", tmp_path / "x", file).code == 2


def test_what_cannot_be_cut_or_read_again(tmp_path: Path, cli: Any) -> None:
    run = ("count-words", "-o", tmp_path / "x.counts")
    text = "\n".join(lines(1, 50)).encode()
    assert "standard input cannot be cut into" in cli(*run, "--part", "1/2", stdin=text).err
    assert cli(*run, stdin=text).code == 0
    train = ("train", "--prune", "2", "-o", tmp_path / "x.wwho", "--counts", tmp_path / "x.counts")
    assert cli(*train).code == 0
    assert "the standard input can be read only once" in cli(*train, "--superwords", "9").err
    file, *_ = write_corpus(tmp_path)
    with pytest.raises(ValueError, match="counts are saved as they are; give weights to train"):
        count_words(Corpus([file], weights={file: 2}), tmp_path / "y")


def test_superwords_need_the_text_that_was_counted(tmp_path: Path) -> None:
    file, *_ = write_corpus(tmp_path)
    counts = Corpus(counts=[count(file, tmp_path / "a.counts")])
    Path(file).write_text("ගම\n", "utf-8")
    with pytest.raises(CorpusError, match=r"a\.txt has changed since its words were counted"):
        trained(counts, superwords=9)
    Path(file).unlink()
    with pytest.raises(CorpusError, match=r"a\.txt: cannot be read: No such file"):
        trained(counts, superwords=9)
    assert trained(counts)


# A disk that is full


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    files, output = write_corpus(tmp_path, 2000), tmp_path / "x.counts"
    before = sorted(tmp_path.iterdir())
    run = [sys.executable, "-m", "wwho", "count-words", "-o", str(output), *files]
    ran = subprocess.run(
        run,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == f"wwho: {output}: File too large\n"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_device_is_named(tmp_path: Path, cli: Any) -> None:
    (path := tmp_path / "a.txt").write_text("\n".join(lines(1, 50)), "utf-8")
    result = cli("train", "--schema", "sinhala", "-o", "/dev/full", path)
    assert (result.code, result.err) == (1, "wwho: /dev/full: No space left on device\n")


# The page


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_the_scripts_of_the_page(tmp_path: Path) -> None:
    """Those for a shell, and for Slurm, whose part the shell plays; with two parts, not eight."""
    page = (Path(wwho.__file__).parent / "train" / "README.md").read_text("utf-8")
    page = page.split("\n## Counting separately\n")[1]
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    (tmp_path / "corpus").mkdir()
    for k in range(3):
        (tmp_path / "corpus" / f"{k}.txt").write_text("\n".join(lines(k, 300)), "utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    models = []
    for block in blocks:
        script = "set -e\n" + re.sub(r"(seq |/)8\b", r"\g<1>2", textwrap.dedent(block))
        if "SLURM" in block:
            array = [f"SLURM_ARRAY_TASK_ID={k} sh count.sh" for k in (1, 2)]
            (tmp_path / "count.sh").write_text(script)
            script = "\n".join(["set -e", "rm counts/*", *array, TRAIN])
        subprocess.run(
            ["sh", "-c", script], cwd=tmp_path, check=True, capture_output=True,
            env={**os.environ, "PATH": path},
        )  # fmt: skip
        models.append((tmp_path / "model.wwho").read_bytes())
    subprocess.run(
        ["sh", "-c", TRAIN.replace("--counts counts/*", "corpus")],
        cwd=tmp_path, check=True, capture_output=True, env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert models == [(tmp_path / "model.wwho").read_bytes()] * 3


TRAIN = "wwho train --schema sinhala -o model.wwho --counts counts/*"
