"""The model card of wwho_328k tells the truth about the file beside it."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from wwho.artifact.model import Model
from wwho.artifact.read import read_model

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def card() -> str:
    return (resources.files("wwho") / "models" / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def shipped() -> bytes:
    return (resources.files("wwho") / "models" / "wwho_328k.wwho").read_bytes()


@pytest.fixture(scope="module")
def model(shipped: bytes) -> Model:
    return read_model(shipped)


def test_the_hash_and_the_size_are_the_files(card: str, shipped: bytes) -> None:
    assert f"| result, SHA-256 | `{hashlib.sha256(shipped).hexdigest()}` |" in card
    assert f"| result, size | {len(shipped):,} bytes;" in card


def test_the_layout_is_the_models(card: str, model: Model) -> None:
    first_merge = model.first_atom + len(model.atoms)
    assert model.space_id == model.n_vocab - 1 == 328_019
    for row in (
        f"| 0 .. {model.n_base - 1:,} | {model.n_base:,} |",
        f"| {model.n_base:,} .. {model.first_atom - 1:,} | {model.first_atom - model.n_base:,} |",
        f"| {model.first_atom:,} .. {first_merge - 1:,} | {len(model.atoms):,} |",
        f"| {first_merge:,} .. {model.space_id - 1:,} | {len(model.merges):,} |",
        f"| {model.space_id:,} | 1 |",
        f"| `wwho_328k` | {model.n_vocab:,} |",
    ):
        assert row in card


def test_the_corpus_is_the_one_in_the_provenance(card: str, model: Model) -> None:
    provenance = model.provenance
    digest = provenance["corpus"].removeprefix("sha256 ")
    assert f"| corpus, SHA-256 of the text | `{digest}` |" in card
    assert f"| corpus | {int(provenance['corpus_bytes']):,} bytes" in card
    assert f"{int(provenance['corpus_words']):,} words" in card
    assert f"{int(provenance['corpus_distinct_words']):,} of them distinct" in card


def test_the_composition_is_complete(card: str, corpora: Path) -> None:
    lines = (corpora / "TRAIN_COMPOSITION.tsv").read_text("utf-8").splitlines()[1:]
    languages = {"si": "Sinhala", "hi": "Hindi", "en": "English"}
    for line in lines:
        language, source, sentences, _ = line.split("\t")
        assert f"| {languages[language]} | {source} | {int(sentences):,} |" in card
    assert len(lines) == len(re.findall(r"^\| (?:Sinhala|Hindi|English) \|", card, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.corpora
def test_the_cards_command_gives_the_shipped_bytes(
    card: str, shipped: bytes, corpora: Path, tmp_path: Path
) -> None:
    block = re.search(r"^```\n(wwho train .*?)^```", card, re.MULTILINE | re.DOTALL)
    assert block is not None
    program, *arguments = shlex.split(block[1].replace("\\\n", " "))
    assert program == "wwho"
    output = tmp_path / "wwho_328k.wwho"
    arguments[arguments.index("-o") + 1] = str(output)
    run = [sys.executable, "-m", "wwho.cli.main", *arguments]
    subprocess.run(run, check=True, cwd=ROOT)
    assert output.read_bytes() == shipped
