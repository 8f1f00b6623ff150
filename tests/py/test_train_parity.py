"""Weights that even out what the same content takes in several languages."""

from __future__ import annotations

import random
import shlex
from fractions import Fraction
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

import wwho
from wwho.assemble.training_artifacts import unit_model
from wwho.corpus import Corpus
from wwho.format.read import read_artifact
from wwho.train import count_words, train
from wwho.train.parity import LEAST, MOST, Round

OPTIONS: dict[str, Any] = {"base": "none", "prune": 1}
SYLLABLES = {"si": ["ක", "ම", "ය", "ගල", "කි", "මා"], "hi": ["क", "म", "न", "कर", "कि", "मा"]}

pytestmark = pytest.mark.filterwarnings("ignore:the base is the 256")


def prose(language: str, words: int, seed: int) -> str:
    """Lines of words, some much more frequent than others."""
    rng = random.Random(seed)
    known = ["".join(random.Random(k).choices(SYLLABLES[language], k=4)) for k in range(200)]
    weights = [1 / (1 + k) for k in range(200)]
    return "\n".join(" ".join(rng.choices(known, weights, k=8)) for _ in range(words // 8))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Counts of much Hindi and little Sinhala, and a text in both."""
    folder = tmp_path_factory.mktemp("parity")
    for seed, (language, words) in enumerate({"si": 300, "hi": 6000}.items()):
        (folder / f"{language}.txt").write_text(prose(language, words, seed), "utf-8")
        names = ["sinhala", "devanagari"]
        texts = Corpus([folder / f"{language}.txt"])
        count_words(texts, folder / f"{language}.counts", schemas=names, base="none")
        (folder / f"same.{language}").write_text(prose(language, 400, 9), "utf-8")
    return folder


def test_weights_even_out_the_tokens(folder: Path) -> None:
    counts = {name: str(folder / f"{name}.counts") for name in SYLLABLES}
    parity = {counts[name]: folder / f"same.{name}" for name in SYLLABLES}
    rounds: list[Round] = []
    enc = train(
        Corpus(counts=list(counts.values())),
        schemas=["sinhala", "devanagari"],
        vocab_size=120,
        **OPTIONS,
        parity=parity,
        rounds=5,
        on_round=rounds.append,
    )
    assert rounds[0].weights == dict.fromkeys(counts.values(), Fraction(1))
    assert rounds[0].tokens[counts["si"]] > rounds[0].mean > rounds[0].tokens[counts["hi"]]
    best = min(rounds, key=lambda each: each.worst)
    assert best.worst < rounds[0].worst
    taken = {name: enc.count(file.read_text("utf-8")) for name, file in parity.items()}
    assert taken == best.tokens
    weighted = enc.info.provenance["corpus_weights"]
    assert all(f"{float(weight):g} for" in weighted for weight in best.weights.values())


@pytest.mark.slow
def test_the_commands_of_the_page(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    page = (Path(wwho.__file__).parent / "train" / "README.md").read_text("utf-8")
    section = page.split("\n## Many languages in one vocabulary\n")[1]
    block = section.split("```sh\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    for name in SYLLABLES:
        copy(folder / f"{name}.txt", f"{name}.txt")
        copy(folder / f"same.{name}", f"parallel.{name}")
    for line in block.replace("\\\n", " ").splitlines():
        result = cli(*shlex.split(line)[1:], *(["--rounds", "2"] if "--parity" in line else []))
        assert result.code == 0, result.err
    assert "tokens on average; " in result.err
    assert unit_model(read_artifact(Path("both.wwho").read_bytes())).parts
    twice = cli(*shlex.split(line)[1:], "--parity", "si.counts=parallel.si")
    assert (twice.code, "--parity si.counts=... is given twice" in twice.err) == (2, True)


def test_weights_have_limits() -> None:
    extreme = Round({"a": Fraction(1), "b": Fraction(1)}, {"a": 300, "b": 100})
    assert extreme.next_weights() == {"a": Fraction("7.594"), "b": Fraction("0.031")}
    again = Round({"a": Fraction(30), "b": Fraction("0.02")}, extreme.tokens)
    assert again.next_weights() == {"a": MOST, "b": LEAST}


def test_what_cannot_be_evened_is_refused(folder: Path) -> None:
    corpus, text = Corpus([folder / "si.txt"]), folder / "same.si"
    options: dict[str, Any] = {**OPTIONS, "schemas": ["sinhala"], "vocab_size": 60}
    with pytest.raises(ValueError, match="parity names 'other', which is no source"):
        train(corpus, **options, parity={"other": text})
    with pytest.raises(ValueError, match="rounds is 0; it must be at least 1"):
        train(corpus, **options, parity={str(folder / "si.txt"): text}, rounds=0)
    empty = folder / "empty"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match="is empty"):
        train(corpus, **options, parity={str(folder / "si.txt"): empty})
