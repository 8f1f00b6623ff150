"""The model cards tell the truth about the files beside them."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib import resources
from pathlib import Path

import pytest

import wwho
from wwho.assemble.atoms import AtomKind, compile_cuts
from wwho.assemble.training_artifacts import unit_model
from wwho.compile.schema_loader import load_schema
from wwho.encodings import model_bytes
from wwho.format.bpe import BPE
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.viterbi import Viterbi
from wwho.train.plan import SPECIALS

ROOT = Path(__file__).resolve().parents[2]


SIZES = {
    "wwho_328k": 328_020,
    "wwho_super_328k": 328_020,
    "wwho_400k": 400_020,
    "wwho_super_400k": 400_020,
    "wwho_128k": 128_000,
    "wwho_200k_indic": 200_000,
    "wwho_131k_indic": 131_072,
}
NAMES = tuple(SIZES)
UNIGRAM = "wwho_131k_indic"
"""The only one whose tokens are chosen by likelihood, and not merged."""


def card_of(name: str) -> str:
    """The model card of an encoding."""
    page = (resources.files("wwho") / "models" / "README.md").read_text("utf-8")
    return page.split(f"\n# Model card: `{name}`\n")[1].split("\n# ")[0]


@cache
def model_of(name: str) -> Artifact:
    """The model that ships under a name."""
    return read_artifact(model_bytes(name))


@pytest.fixture(scope="module")
def card() -> str:
    return card_of("wwho_328k")


@pytest.fixture(scope="module")
def model() -> Artifact:
    return model_of("wwho_328k")


@pytest.mark.parametrize("name", NAMES)
def test_the_hash_and_the_size_are_the_files(name: str) -> None:
    card, shipped = card_of(name), model_bytes(name)
    assert f"| result, SHA-256 | `{hashlib.sha256(shipped).hexdigest()}` |" in card
    assert f"| result, size | {len(shipped):,} bytes;" in card


@pytest.mark.parametrize("name", [name for name in NAMES if name != UNIGRAM])
def test_the_layout_is_the_models(name: str) -> None:
    card, model = card_of(name), model_of(name)
    n_base = unit_model(model).first_id - len(SPECIALS)
    own = name in ("wwho_128k", "wwho_200k_indic")
    assert n_base == (len(model.models[0].texts) if own else model_of("o200k_base").n_vocab)
    first_merge = unit_model(model).first_id + len(unit_model(model).symbols)
    first_superword = unit_model(model).first_id + unit_model(model).first_superword
    assert unit_model(model).space_id == model.n_vocab - 1 == SIZES[name] - 1
    for first, count in (
        (0, n_base),
        (n_base, len(SPECIALS)),
        (unit_model(model).first_id, len(unit_model(model).symbols)),
        (first_merge, first_superword - first_merge),
        (first_superword, unit_model(model).n_superwords),
    ):
        assert not count or f"| {first:,} .. {first + count - 1:,} | {count:,} |" in card
    assert f"| {unit_model(model).space_id:,} | 1 |" in card
    page = (resources.files("wwho") / "models" / "README.md").read_text("utf-8")
    assert f"| `{name}` | {model.n_vocab:,} |" in page


def test_the_layout_of_the_unigram_model() -> None:
    card, model = card_of(UNIGRAM), model_of(UNIGRAM)
    base, units = model.models
    assert isinstance(base, BPE)
    assert isinstance(units, Viterbi)
    assert units.units
    assert [token.text for token in model.added] == [*SPECIALS, "<|endoftext|>"]
    n_specials, first = len(model.added), units.first_id
    for start, count in (
        (0, len(base.texts)),
        (first - n_specials, n_specials),
        (first, len(units.tokens)),
    ):
        assert f"| {start:,} .. {start + count - 1:,} | {count:,} |" in card
    assert first + len(units.tokens) == model.n_vocab == SIZES[UNIGRAM]
    assert wwho.get_encoding(UNIGRAM).eot_token == first - 1


@pytest.mark.parametrize(
    "name", ["wwho_super_328k", "wwho_super_400k", "wwho_128k", "wwho_200k_indic"]
)
def test_only_superwords_reach_over_spaces(name: str) -> None:
    model, default = model_of(name), model_of("wwho_328k")
    if name.endswith("328k"):
        assert unit_model(model).symbols == unit_model(default).symbols
    words = [text.decode("utf-8").removeprefix(" ").split(" ") for text in unit_model(model).texts]
    counts = [len(parts) for parts in words]
    assert set(counts[: unit_model(model).first_superword]) == {1}
    assert set(counts[unit_model(model).first_superword :]) == {2, 3, 4}


def test_the_corpus_is_the_one_in_the_provenance(card: str, model: Artifact) -> None:
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


def test_the_sources_of_all_languages_are_in_the_card(corpora: Path) -> None:
    card, rows = card_of("wwho_400k"), 0
    for name, role, lines in (("MANIFEST.tsv", "kn", 5), ("MANIFEST_ABUGIDA.tsv", "train", 6)):
        for row in (corpora / name).read_text("utf-8").splitlines():
            if role in (fields := row.split("\t"))[:3]:
                assert f" | {fields[1]} | {int(fields[lines]):,} |" in card
                rows += 1
    assert rows == len(re.findall(r"^\| [A-Z]\w+ \| \w+ \| [\d,]+ \| ", card, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wwho_400k", "wwho_super_400k"])
def test_the_shipped_schemas_are_those_it_was_trained_with(name: str) -> None:
    model = model_of(name)
    schemas = [load_schema(key[7:]) for key in model.provenance if key.startswith("schema:")]
    cut = compile_cuts(AtomKind.SYLLABLE, schemas, model_of("o200k_base").scanners)
    assert len(schemas) == 67
    assert (model.scanners, model.routes) == (cut["scanners"], cut["routes"])
    for schema in schemas:
        assert model.provenance[f"schema:{schema.name}"] == f"sha256 {schema.digest}"


@pytest.mark.parametrize("character", ["ක", "ཀ", "ꦏ", "𑌕", "𑼒", "\u200d"])
def test_a_character_of_any_script_is_one_token(character: str) -> None:
    assert character.encode() in unit_model(model_of("wwho_400k")).symbols


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize("name", NAMES if os.environ.get("WWHO_RETRAIN") else NAMES[:1])
def test_the_cards_command_gives_the_shipped_bytes(
    name: str, corpora: Path, tmp_path: Path
) -> None:
    """Those of all encodings take minutes: they are trained where WWHO_RETRAIN is set."""
    (block,) = re.findall(r"^```\n((?:python .*?)?wwho train .*?)^```", card_of(name), re.M | re.S)
    output = tmp_path / f"{name}.wwho"
    block = block.replace("build/sources", f"{tmp_path}/sources").replace(
        f"-o {name}.wwho", f"-o {output}"
    )
    program = f'wwho() {{ {shlex.quote(sys.executable)} -m wwho "$@"; }}\n'
    program += f'python() {{ {shlex.quote(sys.executable)} "$@"; }}\n'
    subprocess.run(["bash", "-ec", program + block], check=True, cwd=ROOT)
    assert output.read_bytes() == model_bytes(name)
