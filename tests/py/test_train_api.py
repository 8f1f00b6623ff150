"""`wwho.train.train`: any iterable of texts, never held, and the bytes of the command."""

from __future__ import annotations

import argparse
import doctest
import inspect
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import wwho
import wwho.train
from wwho.cli import train as command
from wwho.errors import ArtifactError, CorpusError, SchemaError
from wwho.train import Corpus, TrainOptions, count_words, train
from wwho.train.report import Report

SMALL: dict[str, Any] = {"vocab_size": 80, "prune": 2, "name": "x"}
WORDS = [*"කමගයලन", "කි", "ගම", "गाँव", "में", "school", "1", "।"]


def lines(count: int = 300) -> list[str]:
    """A corpus of random words."""
    rng = random.Random(4)
    return [" ".join(rng.choices(WORDS, k=rng.randint(0, 9))) for _ in range(count)]


def batches(texts: list[str]) -> Iterator[list[str]]:
    """The texts by sevens, as `train_new_from_iterator` of transformers takes them."""
    for start in range(0, len(texts), 7):
        yield texts[start : start + 7]


class Column:
    """A column of a dataset, which can be read again and again, with gaps."""

    def __iter__(self) -> Iterator[str | None]:
        for text in lines():
            yield text
            yield None


@pytest.mark.parametrize(
    ("texts", "processes"),
    [(lines(), 1), ((text for text in lines()), 3), (batches(lines()), 1), (Column(), 1)],
    ids=["list", "generator", "batches", "column"],
)
def test_the_bytes_are_those_of_the_command(
    cli: Any, tmp_path: Path, texts: Iterable[str], processes: int
) -> None:
    file, expected, saved = (tmp_path / name for name in ("corpus.txt", "x.wwho", "y.wwho"))
    file.write_text("".join(f"{line}\n" for line in lines()), "utf-8", newline="")
    options = ("--vocab-size", "80", "--prune", "2", "--name", "x")
    assert cli("train", *options, "-o", expected, file).code == 0
    train(texts, processes=processes, **SMALL).save(saved)
    assert saved.read_bytes() == expected.read_bytes()
    train(Corpus([file]), **SMALL).save(saved)
    assert saved.read_bytes() == expected.read_bytes()


def test_the_defaults_are_those_of_the_command() -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    given = parser.parse_args(["-o", "unnamed.wwho"])
    expected = replace(TrainOptions(), progress=sys.stderr.isatty())
    assert command.train_options(given) == expected


def test_the_keywords_are_the_options_with_their_defaults() -> None:
    options = vars(TrainOptions())
    train_keywords = list(inspect.signature(train).parameters.values())[1:]
    assert {each.name: each.default for each in train_keywords} == options
    count_keywords = list(inspect.signature(count_words).parameters.values())[2:]
    shared = {each.name: each.default for each in count_keywords if each.name != "part"}
    assert shared.items() <= options.items()


def test_every_option_reaches_the_trainer(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {name: object() for name in vars(TrainOptions())}
    given["schemas"] = [given["schemas"]]  # whatever can be compared
    seen: list[TrainOptions] = []

    def keep(corpus: Corpus, options: TrainOptions) -> None:
        seen.append(options)
        raise CorpusError("seen")

    monkeypatch.setattr("wwho.train.pipeline.train_model", keep)
    with pytest.raises(CorpusError, match="seen"):
        train(["text"], **given)
    assert vars(seen[0]) == given


def test_what_is_trained_is_a_tokenizer(tmp_path: Path) -> None:
    reports: list[Report] = []
    enc = train(lines(), on_counted=reports.append, **SMALL)
    text = "ගම गाँव, school"
    assert enc.decode(enc.encode(text)) == text
    assert (enc.name, reports[0].total.lines, reports[0].sources[0].name) == ("x", 300, "texts")
    enc.save(tmp_path / "x.wwho")
    assert wwho.Tokenizer.load(tmp_path / "x.wwho").encode(text) == enc.encode(text)


@pytest.mark.parametrize("base", ["cl100k_base", "file", "path", "model", "none"])
def test_bases_by_name_file_and_model(tmp_path: Path, base: str) -> None:
    from wwho.encodings import model_bytes
    from wwho.format.read import read_artifact

    blob = model_bytes("cl100k_base")
    file = tmp_path / "base.wwho"
    file.write_bytes(blob)
    given: Any = {"file": str(file), "path": file, "model": read_artifact(blob)}.get(base, base)
    enc = train(lines(), base=given, schemas=["sinhala"], **SMALL)
    assert enc.encode("school") == (
        list(b"school") if base == "none" else wwho.get_encoding("cl100k_base").encode("school")
    )
    assert [segment.route for segment in enc.segment("ගම गाँव")] == ["sinhala", "other"]


def test_other_atoms_need_no_schema() -> None:
    enc = train(lines(), atoms="byte", vocab_size=300, name="x")
    assert (enc.n_vocab, enc.info.models[0].n_tokens) == (300, 299)
    assert train(lines(), atoms="grapheme", base="none", pattern=r"\w+|\W", **SMALL).n_vocab > 256


@pytest.mark.parametrize(
    ("texts", "error", "said"),
    [
        ("one text", TypeError, r"a single str.*such as a list.*Corpus\(\[file"),
        (b"bytes", TypeError, "given as bytes"),
        ({"text": "a"}, TypeError, "given as dict"),
        (7, TypeError, "given as int"),
        ([b"bytes"], TypeError, "not as bytes; decode it"),
        ([{"text": "a"}], TypeError, r"not as dict; of rows give the texts alone.*row\[.text.\]"),
        ([["a", 7]], TypeError, "as str, not as int"),
        ([7], TypeError, "as str, not as int"),
        ([], CorpusError, "holds no text in the scripts of the schemas"),
        (["english alone"], CorpusError, "holds no text in the scripts of the schemas"),
    ],
)
def test_what_is_no_texts_is_refused(texts: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        train(texts, **SMALL)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"base": "o201k_base"}, ArtifactError, "there is no encoding 'o201k_base'"),
        ({"base": "no/such.wwho"}, OSError, "no/such.wwho"),
        ({"schemas": ["singala"]}, SchemaError, "singala"),
        ({"pattern": "."}, ValueError, "pattern is for the base none"),
        ({"atoms": "word"}, ValueError, "'word' is not a valid AtomKind"),
        ({"vocab_size": 0}, ValueError, "vocab_size is 0"),
    ],
)
def test_names_that_name_nothing(
    options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        train(lines(), **(SMALL | options))


@pytest.mark.slow
def test_superwords_read_the_texts_twice() -> None:
    names = dict(SMALL, superwords=20)
    twice = train(lines(), **names)
    blob = [train(texts, **names).encode("ගම ගම ගම") for texts in (lines(), Column())]
    assert blob == [twice.encode("ගම ගම ගම")] * 2
    assert any(b" " in token[1:] for token in twice.token_byte_values() if b"\xe0" in token)
    with pytest.raises(CorpusError, match=r"an iterator can be read only once.*give a list"):
        train(iter(lines()), **names)


def test_texts_that_change_between_their_two_readings() -> None:
    texts = lines()
    with pytest.raises(CorpusError, match="texts has changed since its words were counted"):
        train(texts, superwords=2, on_counted=lambda _: texts.append("ගම"), **SMALL)


def test_surrogates_are_read_as_a_tokenizer_reads_them() -> None:
    reports: list[Report] = []
    whole, broken = ([*lines(), f"ගම \U0001f600 {end}"] for end in ("\ufffd", "\ud800"))
    split = [text.replace("\U0001f600", "\ud83d\ude00") for text in broken]
    with pytest.warns(UserWarning, match="holds 1 broken characters"):
        found = train(split, on_counted=reports.append, **SMALL)
    expected = train(whole, on_counted=reports.append, **SMALL)
    assert found.info.provenance["corpus"] == expected.info.provenance["corpus"]
    assert [report.total.broken_characters for report in reports] == [1, 0]
    from wwho.corpus.texts import Texts

    with pytest.raises(CorpusError, match=r"text 2: the text holds the lone surrogate U\+D800"):
        train(Corpus(Texts(["ගම", "a\ud800"]), errors="stop"), **SMALL)


@pytest.mark.slow
def test_the_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (resources.files("wwho") / "train" / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, "README", None, 0)
    runner = doctest.DocTestRunner()
    assert runner.run(examples).failed == 0
    assert runner.summarize().attempted >= 4


def test_cutting_text_needs_nothing_that_files_are_read_with() -> None:
    code = (
        "import sys; sys.modules['lzma'] = None\n"
        "from wwho.assemble.training_artifacts import counting_model"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


PEAK = """
import resource, sys
from wwho.train import train
lines = (f"ගමේ {number % 1000} පාසල गाँव में बच्चे" + " ." * 100 for number in range(int(sys.argv[1])))
train(lines, vocab_size=60, prune=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in KiB on Linux")
def test_a_generator_is_never_held() -> None:
    peaks = []
    for count in (20_000, 200_000):  # 10 and 100 MB as objects of Python
        ran = subprocess.run(
            [sys.executable, "-c", PEAK, str(count)], capture_output=True, text=True, check=True
        )
        peaks.append(int(ran.stdout))
    assert peaks[1] - peaks[0] < 20_000
