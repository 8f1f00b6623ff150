"""tests/fuzz/differential.py: a short run, and that it finds, shortens and keeps what differs.

With WWHO_EXHAUSTIVE the texts are others each day. A finding can be shown again from the file that
it is written to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import oracle
import pytest
from exhaustive import SEED

sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import differential
from generators import STRATEGIES

SECONDS = 4
LEAST = 20  # texts of each strategy, however slow the machine


@pytest.mark.slow
def test_random_texts() -> None:
    outcome = differential.run(SECONDS, SEED, LEAST)
    findings = [finding.write(differential.FINDINGS) for finding in outcome.findings]
    assert not findings, outcome.findings
    assert set(outcome.executions) == set(STRATEGIES)
    assert min(outcome.executions.values()) >= LEAST


def test_a_seed_gives_the_same_texts() -> None:
    for make in STRATEGIES.values():
        again, other = make(Random("1/0")), make(Random("1/1"))
        assert make(Random("1/0")) == again
        assert isinstance(other, str)


@pytest.fixture
def wrong_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that fails for every text with a blank and, anywhere behind it, a lone surrogate."""

    def wrong(text: str) -> Iterator[differential.Answer]:
        blank = text.find(" ")
        yield "ours", "theirs" if "\ud800" in text[blank + 1 :] and blank >= 0 else "ours"

    monkeypatch.setattr(differential, "CHECKS", {"wrong": wrong})


@pytest.mark.usefixtures("wrong_check")
def test_a_difference_is_found_shortened_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = differential.run(60, "1")
    assert [finding.text for finding in outcome.findings] == [" \ud800"]
    monkeypatch.setattr(differential, "FINDINGS", tmp_path)
    monkeypatch.setattr(differential, "run_jobs", lambda *_: outcome)
    monkeypatch.setattr(sys, "argv", ["differential.py", "--seconds", "60"])
    assert differential.main() == 1
    printed = capsys.readouterr()
    (path,) = tmp_path.iterdir()
    assert f"A DIFFERENCE in {path}: wrong, ' \\ud800'\n" in printed.err
    assert all(name in printed.out for name in STRATEGIES)
    monkeypatch.setattr(sys, "argv", ["differential.py", str(path)])
    assert differential.main() == 1
    assert "theirs: 'theirs'" in capsys.readouterr().out
    monkeypatch.setattr(differential, "CHECKS", {"wrong": lambda _: iter([(1, 1)])})
    assert differential.main() == 0


def test_a_failure_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(text: str) -> Iterator[differential.Answer]:
        yield text.encode("ascii"), text.encode("ascii")

    monkeypatch.setattr(differential, "CHECKS", {"failing": failing})
    finding = differential.shortest_finding("failing", "many letters and é behind")
    assert finding is not None
    assert finding.text == "é"
    assert finding.ours.startswith("UnicodeEncodeError")


@pytest.mark.slow
def test_jobs_are_added_up() -> None:
    outcome = differential.run_jobs(0.1, "1", 2)
    assert not outcome.findings
    assert min(outcome.executions.values()) >= 2
