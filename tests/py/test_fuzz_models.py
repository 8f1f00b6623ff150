"""The backends on random models: a short run of tests/fuzz/backends.py, and that it finds faults.

Its seed is another each day; a finding is written to build/fuzz/findings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from random import Random

import oracle
import pytest

pytest.importorskip("wasmtime", reason="needs wasmtime")
if not (oracle.ROOT / "web" / "package" / "wwho.wasm").is_file():
    pytest.skip("needs web/package/wwho.wasm: python tools/build_wasm.py", allow_module_level=True)
sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import backends
import models

from wwho.format.write import write_model

LEAST = 120


def test_random_models() -> None:
    outcome = backends.run(0, date.today().isoformat(), LEAST)
    found = [(finding.write(oracle.ROOT / "build" / "fuzz" / "findings"), finding.what)
             for finding in outcome.findings]  # fmt: skip
    assert not found
    assert outcome.models["ok"] > LEAST / 2
    assert outcome.texts > 10 * outcome.models["ok"]


def test_every_feature_is_made() -> None:
    """Superwords, stated ids, tokens without one, a lone space, routes that share a scanner."""
    rng = Random(1)
    made = [models.random_model(rng)[0] for _ in range(60)]
    assert any(model.n_superwords for model in made)
    assert any(model.ids and None in model.ids for model in made)
    assert any(model.space_id is not None and not model.ids for model in made)
    assert any(len({route.scanner for route in model.routes}) < len(model.routes) for model in made)
    assert not all(model.has_sgpe for model in made)


def test_a_seed_gives_the_same_models() -> None:
    for seed in ("1", "2"):
        (one, texts), (other, again) = (models.random_model(Random(seed)) for _ in range(2))
        assert write_model(one) == write_model(other)
        assert texts == again


def test_a_difference_is_shortened_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*backends: object, defined: bool) -> Iterator[str]:
        if b"a" in backends[-1]:  # type: ignore[operator]
            yield "a letter"

    monkeypatch.setattr(backends, "compared", wrong)
    outcome = backends.run(60, "1")
    (finding,) = outcome.findings
    assert (finding.text, finding.what) == (b"a", "a letter")
    assert "A FINDING: a letter" in str(outcome)
    path = finding.write(tmp_path)
    assert path.read_bytes() == finding.blob
    assert path.with_suffix(".txt").read_bytes() == b"a"


def test_what_one_backend_refuses_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "opened", lambda _: ([], ["ok", "META", "ok"]))
    (finding,) = backends.run(60, "1").findings
    assert finding.what == "statuses ['ok', 'META', 'ok']"
