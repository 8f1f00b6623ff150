"""What `wwho eval` measures, against figures worked out by hand (`evaluated.py`)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluated import LINES, hand_model, measured, opened, put_files

import wwho
from wwho.assemble.training_artifacts import unit_model
from wwho.compile.schema_loader import load_schema
from wwho.errors import WwhoError
from wwho.evaluate import ascii_identity
from wwho.evaluate.encoders import open_baseline, open_model
from wwho.evaluate.evaluation import evaluate
from wwho.evaluate.metrics import renyi_efficiency
from wwho.evaluate.results import Efficiency, Figures
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.tallies import TokenCounter, count_text
from wwho.evaluate.text_blocks import Block, DataSet
from wwho.evaluate.vocabulary_use import Glitch, VocabularyPart
from wwho.format.model import Ids, Unknown
from wwho.format.write import write_artifact
from wwho.train import train

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
BYTE_TOKENS = 28
OUR_TOKENS = 2 + 9 + 0 + 4 + 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ascii_identity, "SENTENCES", 500)  # each test encodes them all
    return put_files(tmp_path)


# Every figure, by hand


def test_the_text(folder: Path) -> None:
    (found,) = measured(folder).texts
    assert (found.lines, found.bytes, found.characters) == (5, 28, 14)
    assert found.words == 2 + 2 + 0 + 2 + 1
    assert found.syllables == 3 + 1 + 0 + 1 + 0
    assert found.clusters == 4 + 4 + 0 + 4 + 1
    assert found.broken_bytes == 0


def test_the_model(folder: Path) -> None:
    approx: Any = pytest.approx
    found = measured(folder).overall.figures["hand"]
    # how often each id occurs: a, b and the byte E0 twice, nine others once
    shares = np.array([2] * 3 + [1] * 10) / OUR_TOKENS
    assert found == Figures(
        efficiency=Efficiency(OUR_TOKENS, 16 / 7, 14 / 16, saved=None, context=None),
        bytes_per_token=28 / 16,
        compression_ratio=28 / (2 * 16),  # 264 ids take two bytes each
        # of the 12 tokens in Sinhala segments, six bytes of කි and the lone ්  are not whole
        efficiency_score=approx(100 * 5 / 12),
        renyi_efficiency=approx(-math.log((shares**2.5).sum()) / 1.5 / math.log(13)),
        damaged_lines=0,
        damaged_by_unk=0,
        unk_tokens=0,
        broken_syllables=0,
        syllable_cuts=0,
        spelled_syllables=1,
        spelled_tokens=7,
        broken_clusters=1,
        cluster_cuts=5,
    )


def test_the_baseline(folder: Path) -> None:
    found = asdict(measured(folder).overall.figures["bytes"])
    assert found.pop("renyi_efficiency") == pytest.approx(
        renyi_efficiency(np.bincount(np.frombuffer("".join(LINES).encode(), np.uint8)))
    )
    assert found == {
        "efficiency": {
            "tokens": BYTE_TOKENS,
            "tokens_per_word": 28 / 7,
            "characters_per_token": 14 / 28,
            "saved": pytest.approx(12 / 28),
            "context": 28 / 16,
        },
        "bytes_per_token": 1.0,
        "compression_ratio": 1.0,
        "efficiency_score": pytest.approx(100 * 3 / 24),  # the spaces alone
        "damaged_lines": 0,
        "damaged_by_unk": 0,
        "unk_tokens": None,
        "broken_syllables": 5,
        "syllable_cuts": 2 * 3 + 5 + 2,
        "spelled_syllables": None,
        "spelled_tokens": None,
        "broken_clusters": 6,
        "cluster_cuts": 2 * 3 + 5 + 2 + 2,
    }


def test_the_scripts(folder: Path) -> None:
    other, sinhala = measured(folder).overall.scripts
    assert (other.name, other.bytes, other.characters, other.words) == ("other", 4, 4, 2)
    assert (sinhala.name, sinhala.bytes, sinhala.characters, sinhala.words) == (
        "sinhala",
        24,
        10,
        5,
    )
    assert other.segments == 2
    assert other.figures["hand"] == Efficiency(4, 2.0, 1.0, None, None)
    assert other.figures["bytes"] == Efficiency(4, 2.0, 1.0, 0.0, 1.0)
    assert sinhala.figures["hand"] == Efficiency(12, 12 / 5, 10 / 12, None, None)
    assert sinhala.figures["bytes"] == Efficiency(24, 24 / 5, 10 / 24, 0.5, 2.0)


def test_the_vocabulary(folder: Path) -> None:
    sgpe, base, others = measured(folder).vocabulary
    glitches = (Glitch(261, "්", 1),)
    assert sgpe == VocabularyPart("hand", "SGPE", 8, 5, 3, 5, glitches, (3, 5))
    assert base == VocabularyPart("hand", "base", 256, 8, 248, 11, (), (248, 5, 3))
    assert others.part == "all"
    assert others.used == len(set("".join(LINES).encode()))
    assert sum(others.histogram) == others.size == 256
    assert others.occurrences == BYTE_TOKENS


def test_the_rest(folder: Path) -> None:
    found = measured(folder, width=10)
    assert [each.embedding_parameters for each in found.subjects] == [2640, 2560]
    assert (found.texts[0].figures, found.texts[0].scripts) == (
        found.overall.figures,
        found.overall.scripts,
    )
    (example,) = found.examples
    assert [(token.id, token.text, token.hex) for token in example.tokens["hand"][:3]] == [
        (262, "මල", "e0 b6 b8 e0 b6 bd"),
        (32, " ", "20"),
        (0xE0, None, "e0"),
    ]


# Superwords


def test_a_superword_is_a_token_like_any_other(folder: Path) -> None:
    """It saves the one token of මල ක, and costs an id; nothing else changes."""
    found = measured(folder, opened(folder, "super")).overall
    ours, others = asdict(found.figures["super"]), asdict(found.figures["hand"])
    tokens = OUR_TOKENS - 1
    assert ours.pop("efficiency") == {
        "tokens": tokens,
        "tokens_per_word": tokens / 7,
        "characters_per_token": 14 / tokens,
        "saved": pytest.approx(1 - OUR_TOKENS / tokens),
        "context": tokens / OUR_TOKENS,
    }
    assert ours.pop("bytes_per_token") == 28 / tokens
    assert ours.pop("compression_ratio") == 28 / (2 * tokens)
    # of the 11 tokens in Sinhala segments, six bytes of කි and the lone ් are not whole
    assert ours.pop("efficiency_score") == pytest.approx(100 * 4 / 11)
    shares = np.array([2] * 3 + [1] * 9) / tokens
    entropy = -math.log((shares**2.5).sum()) / 1.5
    assert ours.pop("renyi_efficiency") == pytest.approx(entropy / math.log(12))
    assert ours == {name: others[name] for name in ours}
    other, sinhala = found.scripts
    assert other.figures["super"].tokens == other.figures["hand"].tokens
    assert sinhala.figures["super"].tokens == 11


def test_superwords_are_a_part_of_the_vocabulary(folder: Path) -> None:
    parts = measured(folder, opened(folder, "super")).vocabulary
    sgpe, superwords, base = (part for part in parts if part.encoder == "super")
    # the lone space stands behind the superword and belongs to the others
    glitches = (Glitch(261, "්", 1),)
    assert sgpe == VocabularyPart("super", "SGPE", 8, 3, 5, 3, glitches, (5, 3))
    assert superwords == VocabularyPart("super", "superwords", 1, 1, 0, 1, (), (0, 1))
    assert base.occurrences == sum(part.occurrences for part in parts if part.part == "base") / 2


def test_superwords_of_the_shipped_model() -> None:
    model = open_model("wwho_super_328k")
    texts = [(text or b"").decode() for text in model.tokens_bytes(model.superwords)]
    assert {text.removeprefix(" ").count(" ") for text in texts} == {1, 2, 3}
    assert Grammar(model.backend).are_whole([text.encode() for text in texts]).all()
    assert open_model("wwho_328k").superwords == range(0)


# Damage


def test_unknown_syllables_that_are_lost_are_damage(folder: Path) -> None:
    found = measured(folder, unk="token").overall.figures["hand"]
    assert found.damaged_lines == 1
    assert found.efficiency.tokens == 2 + 3 + 0 + 4 + 1
    assert (found.spelled_tokens, found.spelled_syllables, found.cluster_cuts) == (0, 0, 0)
    assert (found.unk_tokens, found.damaged_by_unk) == (1, 1)
    # of the six tokens in Sinhala segments, [UNK] and the lone ් are not whole
    assert found.efficiency_score == pytest.approx(100 * 4 / 6)


def test_a_model_with_the_ids_of_another_encoder_loses_them_unasked(folder: Path) -> None:
    model = hand_model()
    units = unit_model(model)
    ids = tuple(range(units.first_id, units.first_id + len(units.texts)))
    units = replace(units, id_policy=Ids.STATED, stated=ids, unknown=Unknown.ID)
    stated = replace(model, models=(model.models[0], units))
    (folder / "hand.wwho").write_bytes(write_artifact(stated))
    found = measured(folder)
    assert found.unk == "token"
    figures = found.overall.figures["hand"]
    assert (figures.unk_tokens, figures.damaged_lines, figures.damaged_by_unk) == (2, 2, 2)


def test_a_model_without_unk_cannot_lose_them(folder: Path) -> None:
    with pytest.raises(WwhoError, match="bytes has no token for unknown"):
        open_model(str(folder / "bytes.wwho"), unk="token")


# By whom, and by whose grammar


def test_all_backends_measure_the_same(folder: Path) -> None:
    results = []
    for name in ("native", "reference"):
        model = open_model(str(folder / "super.wwho"), name)
        base = open_baseline(str(folder / "bytes.wwho"), name)
        results.append(evaluate(model, [base], [DataSet("text", str(folder / "text.txt"))]))
    assert results[0] == results[1]


def test_the_grammar_of_schemas(folder: Path) -> None:
    """A model without syllables of its own, measured by those of a schema."""
    data = [DataSet("text", str(folder / "text.txt"))]
    model = open_model(str(folder / "bytes.wwho"))
    own = evaluate(model, [], data, example_texts=[])
    assert (own.overall.syllables, own.overall.figures["bytes"].broken_syllables) == (0, 0)
    assert own.overall.figures["bytes"].efficiency_score is None
    by_schema = evaluate(model, [], data, example_texts=[], schemas=[load_schema("sinhala")])
    assert by_schema.grammar == "sinhala"
    assert (by_schema.overall.syllables, by_schema.overall.figures["bytes"].broken_syllables) == (
        5,
        5,
    )


def test_a_script_may_have_another_name(folder: Path) -> None:
    """What the model spells is spelled, whatever the grammar calls the script."""
    document = json.loads((SCHEMAS / "sinhala.json").read_text("utf-8"))
    schema = load_schema({**document, "name": "si"})
    found = measured(folder, schemas=[schema]).overall
    assert found.scripts[1].name == "si"
    assert found.figures == measured(folder).overall.figures
    assert found.figures["hand"].spelled_tokens == 7


def test_syllables_that_shorter_atoms_spell_are_spelled_not_broken(tmp_path: Path) -> None:
    options = {"schemas": ["sinhala"], "base": "r50k_base", "prune": 1, "every_character": True}
    train(["ක කා"] * 3, **options).save(tmp_path / "own.wwho")  # type: ignore[arg-type]
    encoder = open_model(f"{tmp_path}/own.wwho")
    grammar = Grammar(encoder.backend)
    _, (found,) = count_text([Block(["කි කා"])], grammar, [TokenCounter(encoder, grammar)])
    assert (found["spelled_syllables"], found["broken_syllables"]) == (1, 0)
    # the same tokens of a vocabulary that has the syllable would break it
    encoder.has_token = lambda text: True  # type: ignore[method-assign]
    _, (found,) = count_text([Block(["කි කා"])], grammar, [TokenCounter(encoder, grammar)])
    assert (found["spelled_syllables"], found["broken_syllables"]) == (0, 1)


def test_scripts_that_a_model_lacks_are_broken_not_spelled(folder: Path) -> None:
    """The model has SGPE, but not for Devanagari: its base does there what it does anywhere."""
    (folder / "text.txt").write_text("कक ක\n", "utf-8")
    found = measured(folder, schemas=[load_schema("devanagari"), load_schema("sinhala")]).overall
    for name in ("hand", "bytes"):
        assert found.figures[name].broken_syllables == (2 if name == "hand" else 3)
    assert (found.figures["hand"].spelled_tokens, found.figures["hand"].spelled_syllables) == (0, 0)
    assert [script.name for script in found.scripts] == ["devanagari", "sinhala"]


@pytest.mark.parametrize("cut", range(len(LINES) + 1))
def test_nothing_depends_on_where_blocks_end(folder: Path, cut: int) -> None:
    model = open_model(str(folder / "hand.wwho"))
    grammar = Grammar(model.backend)
    meters = [TokenCounter(encoder, grammar) for encoder in (model, open_baseline("o200k_base"))]
    parts = [Block(lines) for lines in (LINES[:cut], LINES[cut:]) if lines]
    text, tallies = count_text(parts, grammar, meters)
    whole_text, whole_tallies = count_text([Block(LINES)], grammar, meters)
    for found, expected in zip([text, *tallies], [whole_text, *whole_tallies], strict=True):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert np.array_equal(found[name], value), name


@pytest.mark.corpora
def test_the_model_cards_figures(corpora: Path) -> None:
    """The row of test_mixed in the model card of wwho_328k is what comes out here."""
    card = (Path(wwho.__file__).parent / "models" / "README.md").read_text("utf-8")
    row = re.search(
        r"^\| test_mixed \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \|", card, re.M
    )
    assert row is not None
    found = evaluate(
        open_model("wwho_328k"),
        [open_baseline("o200k_base")],
        [DataSet("test_mixed", str(corpora / "test_mixed.txt.xz"))],
        example_texts=[],
    ).overall
    ours = found.figures["wwho_328k"]
    lines, tokens, per_word, per_token = row.groups()
    assert found.lines == int(lines.replace(",", ""))
    assert ours.efficiency.tokens == int(tokens.replace(",", ""))
    assert f"{ours.efficiency.tokens_per_word:.3f}" == per_word
    assert f"{ours.efficiency.characters_per_token:.2f}" == per_token
    assert (ours.damaged_lines, ours.syllable_cuts, ours.broken_syllables) == (0, 0, 0)
    assert found.figures["o200k_base"].broken_syllables > 0.1 * found.syllables
