"""Which files a corpus is, how sources are weighted and sampled, and what is reported of them."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import json
import os
import random
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import fsspec
import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from wwho.assemble.base import base_model
from wwho.assemble.training_artifacts import unit_model
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.corpus.contents import CHUNK, read_contents
from wwho.corpus.corpus import Number
from wwho.corpus.lines import MAX_LINE, sampler
from wwho.corpus.reader import LONG_LINE, Part, Reader, Reading
from wwho.corpus.sources import files_of, stamp_of
from wwho.errors import CorpusError
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.progress import ignore
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.report import Report

SCHEMAS = [load_schema("sinhala"), load_schema("devanagari")]
BASE = base_model(
    [bytes([byte]) for byte in range(256)],
    pattern=r"\s+|\S+",
    specials={},
    provenance={"name": "bytes"},
)
SYLLABLES = [*"කමයගලන", "කි", "මා", "ගේ", *"कमनरल", "कि", "मा"]


def lines(seed: int, n: int = 200) -> list[str]:
    """Lines of words that come again and again."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(60)]
    return [" ".join(rng.choices(words, k=6)) for _ in range(n)]


def put(path: Path, texts: list[str]) -> Path:
    """Write texts in the form that the name asks for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.table({"text": texts}), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    else:
        path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return path


def sha256(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def learnt(
    corpus: Corpus | Sequence[str | os.PathLike[str]], **options: Any
) -> tuple[object, object]:
    model: Artifact = train_model(
        corpus, TrainOptions(schemas=SCHEMAS, base=BASE, prune=4, vocab_size=300, **options)
    )
    return unit_model(model).symbols, unit_model(model).merges


# Which files


def test_a_folder_stands_for_its_texts(tmp_path: Path) -> None:
    wanted = [
        "a.txt",
        "a.ndjson.gz",
        "b.TXT.gz",
        "deep/er/c.jsonl.zst",
        "d.parquet",
        "e.jsonl",
        "f.txt.xz",
    ]
    others = [
        ".hidden.txt",
        "_index.txt",
        "g.md",
        "h.gz",
        "_meta/i.txt",
        ".git/j.txt",
        "k.parquet.gz",
    ]
    for name in (*wanted, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert files_of(str(tmp_path)) == tuple(sorted(str(tmp_path / name) for name in wanted))
    url = f"file://{tmp_path}/"
    assert files_of(url) == tuple(sorted(f"file://{tmp_path}/{name}" for name in wanted))


def test_patterns(tmp_path: Path) -> None:
    for name in ("a.txt", "b.log", "in/c.txt", "in/deep/d.txt", "[x].txt", "x.txt"):
        put(tmp_path / name, ["x"])

    def found(pattern: str) -> list[str]:
        return [os.path.relpath(file, tmp_path) for file in files_of(str(tmp_path / pattern))]

    assert found("*.txt") == ["[x].txt", "a.txt", "x.txt"]
    assert found("?.*") == ["a.txt", "b.log", "x.txt"]
    assert found("in/**/*.txt") == ["in/c.txt", "in/deep/d.txt"]
    assert found("[x].txt") == ["[x].txt"]  # there is a file of that very name
    urls = files_of(f"file://{tmp_path}/*.txt")
    assert urls == tuple(f"file://{tmp_path}/{name}" for name in ("[x].txt", "a.txt", "x.txt"))
    name = f"file://{tmp_path}/[x].txt"
    assert files_of(name) == (name,)


@pytest.mark.parametrize("name", ["", "*.csv", "i[n]", "**/*.parquet"])
def test_what_stands_for_no_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "readme.md").touch()
    with pytest.raises(CorpusError, match="no file there; a folder needs files called"):
        Corpus([f"{tmp_path}/{name}"])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A web server of a folder, on this machine."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Handler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_the_same_text_from_everywhere_is_the_same_model(tmp_path: Path, server: str) -> None:
    half, rest = lines(1), lines(2)
    plain = [put(tmp_path / "a" / "one.txt", half), put(tmp_path / "a" / "two.txt", rest)]
    put(tmp_path / "b" / "one.jsonl", half)
    put(tmp_path / "b" / "two.parquet", rest)
    memory = fsspec.filesystem("memory")
    for name, texts in (("x.txt", rest), ("y.txt", half)):
        memory.pipe(f"/corpus/{name}", "".join(f"{text}\n" for text in texts).encode())
    expected = learnt(plain)
    assert len(expected[1]) > 50  # type: ignore[arg-type]
    for corpus in (
        plain[::-1],
        [tmp_path / "a"],
        [str(tmp_path / "a" / "*.txt")],
        [tmp_path / "b"],
        [f"file://{tmp_path}/a/"],
        ["memory://corpus/"],
        ["memory://corpus/x.txt", "memory://corpus/y*"],
        [f"{server}/a/one.txt", f"{server}/b/two.parquet"],
    ):
        assert learnt(corpus) == expected


def test_a_line_is_read_whole_up_to_the_length_that_the_readme_tells(tmp_path: Path) -> None:
    readme = Path(str(resources.files("wwho"))) / "train" / "README.md"
    assert f"up to {LONG_LINE >> 20} MiB; a longer line" in readme.read_text("utf-8")
    text = "a    b " * (LONG_LINE // 7)
    forms = [str(put(tmp_path / name, [text])) for name in ("a.txt", "a.jsonl")]
    blocks = [
        [block.text for block in Reader(Part(file), Reading()).blocks(ignore)] for file in forms
    ]
    assert blocks == [[text.encode() + b"\n"]] * 2


@pytest.mark.parametrize(
    ("name", "long_line", "options"),
    [
        ("a.jsonl.zst", b'{"text": "' + b" " * MAX_LINE, {}),
        ("a.txt.zst", b"a" * MAX_LINE + b"b", {}),
        ("a.txt", b"a " * (MAX_LINE // 2) + b"b", {"sample": Fraction("0.5")}),
    ],
    ids=["json", "no space", "sample"],
)
def test_a_line_that_would_fill_the_memory_is_refused_with_its_place(
    tmp_path: Path, name: str, long_line: bytes, options: dict[str, Any]
) -> None:
    first = b'{"text": "one"}\n'
    path = tmp_path / name
    data = first + long_line
    path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else data)
    with pytest.raises(CorpusError, match=rf"{name}: the 67,108,864 bytes from byte 16 of .* have"):
        for _ in Reader(Part(str(path)), Reading(**options)).blocks(ignore):
            pass
    readme = Path(str(resources.files("wwho"))) / "train" / "README.md"
    assert f"A line of more than {MAX_LINE >> 20} MiB" in readme.read_text("utf-8")


def test_a_line_of_the_most_bytes_is_read(tmp_path: Path) -> None:
    line = b"a" * MAX_LINE + b"\n"
    (path := tmp_path / "a.txt").write_bytes(line * 2)
    blocks = [block.text for block in Reader(Part(str(path)), Reading()).blocks(ignore)]
    assert b"".join(blocks) == line * 2


def test_a_little_zstandard_never_becomes_a_huge_chunk(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.zst"
    path.write_bytes(zstandard.compress(b"a" * (1 << 28)))
    assert path.stat().st_size < 16_000
    with path.open("rb") as stream:
        sizes = [len(chunk) for chunk in read_contents(str(path), stream)]
    assert sum(sizes) == 1 << 28
    assert max(sizes) <= CHUNK + (1 << 25)


def archive(path: Path, files: list[Path]) -> Path:
    """Files in a zip or tar archive, inside a folder."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.write(file, f"in/{file.name}")
    else:
        with tarfile.open(path, "w") as tape:
            for file in files:
                tape.add(file, f"in/{file.name}")
    return path


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_files_in_an_archive(tmp_path: Path, server: str, kind: str) -> None:
    """What a member is, its own name tells, and not that of its archive."""
    texts = lines(1)
    files = [put(tmp_path / name, texts) for name in ("a.txt", "b.jsonl", "c.parquet")]
    packed = tmp_path / "d.txt.gz"
    packed.write_bytes(gzip.compress(files[0].read_bytes()))
    path = archive(tmp_path / f"e.{kind}", [*files, packed])
    expected = learnt([files[0]])
    for file in (*files, packed):
        assert learnt([f"{kind}://in/{file.name}::{path}"]) == expected
    assert learnt([f"{kind}://in/a.txt::simplecache::{server}/{path.name}"]) == expected
    names = tuple(f"{kind}://in/{name}::{path}" for name in ("a.txt", "d.txt.gz"))
    assert files_of(f"{kind}://in/*.txt*::{path}") == names
    everything = files_of(f"{kind}://::{path}")
    assert everything == files_of(f"{kind}://in/::{path}")
    assert len(everything) == 4
    assert learnt([f"{kind}://in/::{path}"]) == learnt([files[0]] * 4)
    assert {stamp_of(name) for name in everything} == {stamp_of(str(path))}


def test_a_chain_of_urls(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", lines(1))
    cached = f"simplecache::file://{path}"
    assert files_of(f"simplecache::file://{tmp_path}/*.jsonl") == (cached,)
    assert learnt([cached]) == learnt([path])


def test_a_large_file_from_a_web_server_that_knows_no_ranges(tmp_path: Path, server: str) -> None:
    path = put(tmp_path / "large.txt", lines(1) * (6_000_000 // len("".join(lines(1)))))
    assert path.stat().st_size > 6_000_000  # more than is fetched at once
    assert learnt([f"{server}/large.txt"]) == learnt([path])


def test_what_stands_behind_the_path_of_a_web_address_is_no_ending(
    tmp_path: Path, server: str
) -> None:
    texts = lines(1)
    path = put(tmp_path / "a.txt", texts)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(path.read_bytes()))
    put(tmp_path / "a.jsonl", texts)
    expected = learnt([path])
    for name in ("a.txt.gz?token=1.txt", "a.jsonl?x=/.txt"):
        assert learnt([f"{server}/{name}"]) == expected


def test_urls_that_cannot_be_read(tmp_path: Path, server: str) -> None:
    archive(tmp_path / "a.zip", [put(tmp_path / "x.txt", lines(1))])
    for url, named in (
        (f"{server}/none.txt", "cannot be read"),
        ("memory://none.txt", "cannot be read"),
        ("nosuch://host/a.txt", "cannot be read: Protocol not known: nosuch"),
        (f"file://{tmp_path}/none/", "no file there"),
        ("http://127.0.0.1:1/a.txt", "cannot be read: Cannot connect to host 127.0.0.1:1"),
        (f"zip://none.txt::file://{tmp_path}/a.zip", "cannot be read: No such file"),
    ):
        with pytest.raises(CorpusError, match=named):
            train_model([url], TrainOptions(schemas=SCHEMAS, base=BASE))


def test_a_stamp_changes_with_its_file(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", ["a"])
    memory = fsspec.filesystem("memory")
    memory.pipe("/a.txt", b"a\n")
    names = [str(path), f"file://{path}", "memory://a.txt"]
    before = [stamp_of(name) for name in names]
    assert [stamp_of(name) for name in names] == before
    os.utime(path, ns=(0, 1))
    memory.pipe("/a.txt", b"b\n")
    assert all(old != stamp_of(name) for old, name in zip(before, names, strict=True))


# Weights


def test_a_whole_weight_is_naming_a_source_so_often(tmp_path: Path) -> None:
    one, two = str(put(tmp_path / "1.txt", lines(1))), str(put(tmp_path / "2.txt", lines(2)))
    weighted = learnt(Corpus([one, two], weights={one: 3}))
    assert weighted == learnt([one, one, one, two])
    assert weighted != learnt([one, two])
    both: dict[str, Number] = {one: "3.0", two: Decimal(1)}
    assert learnt(Corpus([two, one], weights=both)) == weighted
    assert learnt(Corpus([one, Path(two)], weights={Path(one): 3.0})) == weighted


def test_decimal_weights_are_exact(tmp_path: Path) -> None:
    """Weights of 0.25 and 1.75 with thresholds of 1 are weights of 1 and 7 with thresholds of 4."""
    one, two = str(put(tmp_path / "1.txt", lines(1))), str(put(tmp_path / "2.txt", lines(2)))
    whole = train_model(
        Corpus([one, two], weights={two: 7}),
        TrainOptions(schemas=SCHEMAS, base=BASE, prune=60, min_freq=8),
    )
    weights: dict[str, Number] = {one: "0.25", two: Fraction(7, 4)}
    parts = Corpus([one, two], weights=weights)
    quarter = train_model(parts, TrainOptions(schemas=SCHEMAS, base=BASE, prune=15, min_freq=2))
    assert (unit_model(quarter).symbols, unit_model(quarter).merges) == (
        unit_model(whole).symbols,
        unit_model(whole).merges,
    )
    assert len(unit_model(whole).merges) > 50
    assert quarter.provenance["corpus_weights"] == (
        f"0.25 for sha256 {sha256(one)}, 1.75 for sha256 {sha256(two)}"
    )
    assert whole.provenance["corpus_words"] == quarter.provenance["corpus_words"]


@pytest.mark.slow
def test_a_model_names_its_files_or_the_list_of_very_many(tmp_path: Path) -> None:
    files = [str(put(tmp_path / f"{k}.txt", [f"ගම {k}"])) for k in range(1001)]
    few, many = (
        train_model(each, TrainOptions(schemas=SCHEMAS, base=BASE, prune=1))
        for each in (files[:1000], files[::-1])
    )
    text = " ".join(f"sha256 {digest}" for digest in sorted(map(sha256, files[:1000])))
    assert few.provenance["corpus"] == text
    text = " ".join(f"sha256 {digest}" for digest in sorted(map(sha256, files)))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert many.provenance["corpus"] == f"1001 files, sha256 of their list {digest}"


def test_weights_of_one_leave_no_trace(tmp_path: Path) -> None:
    one = str(put(tmp_path / "1.txt", lines(1)))
    plain = train_model([one], TrainOptions(schemas=SCHEMAS, base=BASE, prune=4))
    same = train_model(
        Corpus([one], weights={one: 1}, sample=1), TrainOptions(schemas=SCHEMAS, base=BASE, prune=4)
    )
    assert write_artifact(plain) == write_artifact(same)


def test_a_float_is_the_number_that_it_is_written_as(tmp_path: Path) -> None:
    one = str(put(tmp_path / "1.txt", lines(1)))
    corpus = Corpus([one], weights={one: 0.1}, sample=0.3)
    assert (corpus.sources[0].weight, corpus.reading.sample) == (Fraction(1, 10), Fraction(3, 10))


@pytest.mark.parametrize(("sources", "named"), [([], "there is no source"), ("a.txt", "'a.txt';")])
def test_sources_are_a_list_of_names(sources: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        train_model(sources, TrainOptions(schemas=SCHEMAS, base=BASE))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"sample": 0.1 + 0.2}, "sample is 0.30000000000000004; .* with at most six decimals"),
        ({"sample": float("nan")}, "sample is nan; a number such as 2 or 0.5 is expected"),
        ({"weights": {"x": 2}}, "a weight is for 'x', which is no source; the sources are: "),
        ({"weights": {"a.txt": 0}}, "the weight of a.txt is 0; it must be over 0"),
        ({"weights": {"a.txt": "-1"}}, "the weight of a.txt is -1; it must be over 0"),
        ({"weights": {"a.txt": "1e7"}}, "at most 1,000,000, with at most six decimals"),
        ({"weights": {"a.txt": "0.1234567"}}, "with at most six decimals"),
        ({"weights": {"a.txt": Fraction(1, 3)}}, "with at most six decimals"),
        ({"weights": {"a.txt": "much"}}, "the weight of a.txt is 'much'; a number such as 2"),
        ({"sample": "1.5"}, "sample is 1.5; it must be over 0 and at most 1"),
        ({"sample": 0}, "sample is 0; it must be over 0"),
        ({"errors": "ignore"}, "errors is 'ignore'; it must be 'replace' or 'stop'"),
    ],
)
def test_numbers_that_cannot_be(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Corpus(["a.txt"], **options)


def test_counts_that_are_too_large_are_refused(tmp_path: Path) -> None:
    one, two = str(put(tmp_path / "1.txt", lines(1))), str(put(tmp_path / "2.txt", lines(2) * 800))
    weights: dict[str, Number] = {one: "0.000001", two: 10**6}
    with pytest.raises(ValueError, match=r"counts may reach \d+, and 9223372036854775807 is the"):
        train_model(Corpus([one, two], weights=weights), TrainOptions(schemas=SCHEMAS, base=BASE))


# Samples


def test_a_sample_is_a_share_of_the_lines_whatever_their_form(tmp_path: Path) -> None:
    texts = [f"ගම {number} गाँव" for number in range(4000)]
    for name in ("a.txt", "a.parquet"):
        path = str(put(tmp_path / name, texts))
        reports: list[Report] = []
        for sample in ("0.25", "0.5", "1"):
            corpus = Corpus([path], sample=sample)
            train_model(
                corpus, TrainOptions(schemas=SCHEMAS, base=BASE, prune=1, on_counted=reports.append)
            )
        totals = [report.total for report in reports]
        assert [total.lines for total in totals] == [4000] * 3
        assert [total.sampled for total in totals] == [1016, 1994, 4000]
        assert [total.words for total in totals] == [2 * total.sampled for total in totals]
        assert totals[0].bytes < totals[1].bytes < totals[2].bytes
    keep = sampler(Fraction(1, 4))
    assert keep is not None
    assert sum(keep(text.encode()) for text in texts) == 1016


def test_a_sample_depends_on_the_lines_alone(tmp_path: Path) -> None:
    texts = lines(1, 3000)
    there, back = put(tmp_path / "1.txt", texts), put(tmp_path / "2.txt", texts[::-1])
    models = [
        train_model(
            Corpus([path], sample="0.3"),
            TrainOptions(schemas=SCHEMAS, base=BASE, prune=4, processes=processes),
        )
        for path, processes in ((there, 1), (back, 2))
    ]
    assert (unit_model(models[0]).symbols, unit_model(models[0]).merges) == (
        unit_model(models[1]).symbols,
        unit_model(models[1]).merges,
    )
    assert models[0].provenance["corpus_sample"] == "0.3 of the lines"
    kept = [text for text in texts if sampler(Fraction("0.3"))(text.encode())]  # type: ignore[misc]
    assert learnt([put(tmp_path / "3.txt", kept)]) == learnt(Corpus([there], sample="0.3"))


def test_objects_of_json_lines_are_sampled_by_their_line(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", [f"ගම {number}" for number in range(2000)])
    reports: list[Report] = []
    train_model(
        Corpus([path], sample="0.5"),
        TrainOptions(schemas=SCHEMAS, base=BASE, prune=1, on_counted=reports.append),
    )
    keep = sampler(Fraction("0.5"))
    assert keep is not None
    expected = sum(map(keep, path.read_bytes().splitlines()))
    assert (reports[0].total.sampled, reports[0].total.words) == (expected, expected)


def test_an_empty_sample_is_named(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", ["ගම"])
    with pytest.raises(CorpusError, match="1 lines, of which 0 were counted"):
        train_model(Corpus([path], sample="0.000001"), TrainOptions(schemas=SCHEMAS, base=BASE))


# The report


def test_the_report_by_hand(tmp_path: Path) -> None:
    one = str(put(tmp_path / "one.txt", ["ගම ගම", "", "rain कमल"]))
    two = put(tmp_path / "two.txt", ["ගම"])
    two.write_bytes(two.read_bytes() + b"\xff\n")
    reports: list[Report] = []
    corpus = Corpus([one, str(two)], weights={one: "2.5"})
    with pytest.warns(UserWarning, match="1 broken characters"):
        train_model(
            corpus, TrainOptions(schemas=SCHEMAS, base=BASE, prune=1, on_counted=reports.append)
        )
    (first, second), total = reports[0].sources, reports[0].total
    assert (first.name, first.weight, first.files, first.lines, first.sampled) == (
        one, "2.5", 1, 3, 3,
    )  # fmt: skip
    assert first.bytes == len(Path(one).read_bytes())
    assert (first.words, first.distinct_words, first.syllables) == (3, 3, 7)
    assert {name: tuple(vars(script).values()) for name, script in first.scripts.items()} == {
        "sinhala": (13, 2, 2, 4),  # bytes, words, distinct words, syllables
        "devanagari": (10, 1, 1, 3),
    }
    assert (second.words, second.distinct_words, second.broken_characters) == (1, 1, 1)
    assert (total.words, total.distinct_words, total.syllables) == (4, 3, 9)
    assert (total.files, total.lines, total.broken_characters) == (2, 5, 1)
    assert total.scripts["sinhala"].distinct_words == 2


@pytest.mark.slow
def test_the_report_on_the_command_line(cli: Any, tmp_path: Path) -> None:
    one, two = str(put(tmp_path / "1.txt", lines(1))), str(put(tmp_path / "2.jsonl", lines(2)))
    arguments = ["train", "--schema", "sinhala", "--schema", "devanagari", "--prune", "4"]
    arguments += ["-o", str(tmp_path / "x.wwho"), "--weight", f"{two}=0.5", one, two]
    shown = cli(*arguments, "--report").out.decode().splitlines()
    assert shown[0].split() == [
        "source", "weight", "files", "lines", "sampled", "broken",
        "bytes", "words", "distinct", "syllables",
    ]  # fmt: skip
    assert [line.split()[0] for line in shown[1:-1]] == [
        one, "sinhala", "devanagari",
        two, "sinhala", "devanagari",
        "total", "sinhala", "devanagari",
    ]  # fmt: skip
    assert shown[4].split()[:5] == [two, "0.5", "1", "200", "200"]
    facts = json.loads(cli(*arguments, "--json").out)
    total = facts["corpus"]["total"]
    assert total["words"] == sum(source["words"] for source in facts["corpus"]["sources"])
    assert total["words"] == sum(script["words"] for script in total["scripts"].values()) > 1000
    assert len(cli(*arguments).out.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--weight", "2"], "--weight: found '2', expected a source and a value"),
        (["--weight", "x=2"], "a weight is for 'x', which is no source"),
        (["--sample", "2"], "sample is 2"),
        (["--errors", "ignore"], "invalid choice: 'ignore'"),
    ],
)
def test_usage(cli: Any, tmp_path: Path, arguments: list[str], named: str) -> None:
    path = put(tmp_path / "a.txt", lines(1))
    run = ["train", "--schema", "sinhala", "-o", str(tmp_path / "x.wwho"), str(path)]
    result = cli(*run, *arguments)
    assert result.code == 2
    assert named in result.err
