"""The backends on random models: a short run of tests/fuzz/backends.py, and that it finds faults.

With WWHO_EXHAUSTIVE there are more models, and others each day. A finding is written to
build/fuzz/findings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import get_args

import oracle
import pytest
from exhaustive import EXHAUSTIVE, SEED
from tiny import bpe_of

pytest.importorskip("wasmtime", reason="needs wasmtime")
sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import backends
import models

from wwho.format.bpe import BPE
from wwho.format.decoder import KINDS
from wwho.format.greedy import Greedy
from wwho.format.model import Flag, Ids, Unknown
from wwho.format.steps import Action, Cut, Map, Replace, Rewrite
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact

LEAST = 240 if EXHAUSTIVE else 30


@pytest.mark.slow
def test_random_models() -> None:
    outcome = backends.run(0, SEED, LEAST)
    found = [(finding.write(oracle.ROOT / "build" / "fuzz" / "findings"), finding.what)
             for finding in outcome.findings]  # fmt: skip
    assert not found
    assert outcome.models["ok"] > LEAST / 2
    assert outcome.texts > 10 * outcome.models["ok"]


def test_every_feature_is_made() -> None:
    """Superwords, odd ranks, ids and unknowns, affixes, flags, steps, paths, ends of all kinds."""
    rng = Random(1)
    made = [models.random_model(rng)[0] for _ in range(150)]
    bases = [bpe_of(artifact.models[0]) for artifact in made]
    others = [model for artifact in made for model in artifact.models[1:]]
    units = [model for model in others if isinstance(model, BPE)]
    assert 0 < len(units) < len(made)
    paths = [model for model in others if isinstance(model, Viterbi)]
    assert {model.narrow for model in paths} == {model.units for model in paths} == {True, False}
    assert {model.unknown for model in paths} == {Unknown.SPELL, Unknown.BYTES, Unknown.ID}
    assert any(model.n_superwords for model in units)
    for each in (bases, units):
        assert any(model.parts_later for model in each)
        assert any(model.whole for model in each)
        assert any(model.unmade and not model.whole for model in each)
    assert any(model.ties for model in units)
    assert any(None in model.stated for model in units)
    assert any(None in model.byte_ids for model in units)
    assert any(model.fuse for model in units)
    assert any(model.parts for model in units)
    assert {model.space_id is None for model in units} == {True, False}
    assert {model.unknown for model in units} == set(Unknown)
    for unknown in (Unknown.NONE, Unknown.BYTES, Unknown.ID):
        assert any(model.affixes for model in units if model.unknown is unknown)
    assert any(model.affixes and model.whole for model in units)
    longest = [model for model in others if isinstance(model, Greedy)]
    assert {model.unknown for model in longest} == set(Unknown)
    assert {model.max_characters is None for model in longest} == {True, False}
    assert {model.anywhere for model in longest} == {True, False}
    assert any(model.unk_id in model.stated for model in [*paths, *longest] if model.byte_ids)
    assert {model.id_policy for model in bases} == set(Ids)
    assert any(None in model.stated for model in bases)
    automata = [automaton for artifact in made for automaton in artifact.scanners.automata]
    assert {automaton.behind for automaton in automata} == {True, False}
    maps = [step for artifact in made for step in artifact.steps if isinstance(step, Map)]
    hangul = {(step.decomposes_hangul, step.composes_hangul) for step in maps}
    assert len(hangul) == 4
    ids = [[token.id for token in artifact.added] for artifact in made]
    assert any(len(set(numbers)) < len(numbers) for numbers in ids)
    cut_by = [[route.units for route in artifact.routes if route.units] for artifact in made]
    assert any(len(set(numbers)) < len(numbers) for numbers in cut_by)
    routes = [route for artifact in made for route in artifact.routes]
    assert max(len(route.steps) for route in routes) >= models.MOST_STEPS
    cuts = [step for route in routes for step in route.steps if isinstance(step, Cut)]
    assert {action for step in cuts for action in step.actions} == set(Action)
    for field in ("short_joins", "first_joins", "last_joins", "numbers"):
        assert any(getattr(step, field) for step in cuts)
    in_routes = {type(step).__name__ for route in routes for step in route.steps}
    assert in_routes == {"Map", "Ends", "Spell", "Cut", "Blocks"}
    flags = [token.flags for artifact in made for token in artifact.added]
    assert {flag for flag in Flag for each in flags if each & flag} == set(Flag)
    assert any(route.steps for route in routes if route.units is not None)
    for steps in ([x.normalizer for x in made], [x.second for x in made]):
        assert {type(step) for each in steps for step in each} == set(get_args(Rewrite))
    replaces = [step for each in made for step in each.steps if isinstance(step, Replace)]
    assert {step.empty for step in replaces} == {True, False}
    assert any(artifact.template for artifact in made)
    decoders = [artifact.decoder for artifact in made if artifact.decoder]
    kinds = {type(step).__name__ for decoder in decoders for step in decoder.steps}
    assert kinds == set(KINDS[1:])


def test_a_seed_gives_the_same_models() -> None:
    for seed in ("1", "2"):
        (one, texts), (other, again) = (models.random_model(Random(seed)) for _ in range(2))
        assert write_artifact(one) == write_artifact(other)
        assert texts == again


def test_a_difference_is_shortened_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*backends: object, defined: bool) -> Iterator[str]:
        if b"a" in backends[-1]:  # type: ignore[operator]
            yield "a letter"

    monkeypatch.setattr(backends, "list_differences", wrong)
    outcome = backends.run(60, "1")
    (finding,) = outcome.findings
    assert (finding.text, finding.what) == (b"a", "a letter")
    assert "A FINDING: a letter" in str(outcome)
    path = finding.write(tmp_path)
    assert path.read_bytes() == finding.blob
    assert path.with_suffix(".txt").read_bytes() == b"a"


def test_what_one_backend_refuses_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "open_backends", lambda _: ([], ["ok", "META", "ok"]))
    (finding,) = backends.run(60, "1").findings
    assert finding.what == "statuses ['ok', 'META', 'ok']"
