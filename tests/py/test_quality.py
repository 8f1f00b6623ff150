"""The quality gate: each rule on both sides of its limits, in the command line and in reports."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from evaluated import byte_model, measured, put_files

from wwho.backends.select import open_backend
from wwho.evaluate.check.quality_gate import Finding, judge_vocabulary, worst_verdict
from wwho.evaluate.report import render_markdown
from wwho.format.model import Added, Artifact, Flag
from wwho.format.write import write_artifact

if TYPE_CHECKING:
    from tests.conftest import Cli

LONG, VERY_LONG, OVER_80, SINGLE, STRUCTURAL, PROTECTED = range(6)


def doubled(chars: Iterable[str], *, times: int) -> Artifact:
    """The bytes, and each character as a token of 2, 4, 8 and so on."""
    tokens = [(char * 2**k).encode() for k in range(1, times + 1) for char in chars]
    return byte_model(*tokens)


def judged(artifact: Artifact) -> list[Finding]:
    return judge_vocabulary(open_backend(write_artifact(artifact)))


@pytest.mark.parametrize(
    ("chars", "times", "rule", "found", "of", "verdict"),
    [
        ("", 0, LONG, 0, 190, "pass"),
        ("abcd", 6, LONG, 4, 214, "pass"),
        (string.ascii_lowercase, 6, LONG, 26, 346, "warn"),
        (string.ascii_letters, 8, LONG, 156, 606, "fail"),
        ("a", 6, VERY_LONG, 0, 196, "pass"),
        ("a", 7, VERY_LONG, 1, 197, "warn"),
        ("abcde", 7, VERY_LONG, 5, 225, "warn"),
        ("abcdef", 7, VERY_LONG, 6, 232, "fail"),
        (string.printable[:62], 7, OVER_80, 62, 690, "pass"),
        (string.printable[:62], 8, OVER_80, 124, 752, "warn"),
        (string.ascii_letters, 8, SINGLE, 256, 672, "pass"),
        (string.ascii_letters, 7, SINGLE, 256, 620, "warn"),
        ("-", 7, STRUCTURAL, 0, 73, "pass"),
        ("-=", 8, STRUCTURAL, 2, 82, "warn"),
    ],
)
def test_rules(chars: str, times: int, rule: int, found: int, of: int, verdict: str) -> None:
    each = judged(doubled(chars, times=times))[rule]
    assert (each.found, each.of, each.verdict) == (found, of, verdict)


def test_added_tokens_are_structural_and_protected_ones_are_whole() -> None:
    tags = [Added(f"[{'x' * 200}{k}]", 300 + k, Flag(0)) for k in range(3)]
    special = Added("<s>", 310)
    findings = judged(replace(byte_model(), added=(*tags, special)))
    assert (findings[VERY_LONG].found, findings[STRUCTURAL].found) == (0, 3)
    assert findings[PROTECTED] == replace(findings[PROTECTED], found=3, of=3, verdict="pass")
    assert len(judged(replace(byte_model(), added=(special,)))) == PROTECTED


def test_a_protected_token_that_no_text_has_fails() -> None:
    """A word that may not touch another, inside its own text: its end is a word character."""
    shadow = (Added("ab", 300, Flag(0)), Added("abab", 301, Flag.NORMALIZED))
    findings = judged(replace(byte_model(), added=shadow))
    assert (findings[PROTECTED].found, findings[PROTECTED].verdict) == (1, "fail")
    assert worst_verdict(findings) == "fail"


def test_verify_tells_and_refuses_on_request(cli: Cli, tmp_path: Path) -> None:
    poor, fine = tmp_path / "poor.wwho", tmp_path / "fine.wwho"
    poor.write_bytes(write_artifact(doubled("abcdef", times=7)))
    fine.write_bytes(write_artifact(doubled("abcdef", times=5)))
    assert [cli("verify", path).code for path in (poor, fine)] == [0, 0]
    assert [cli("verify", "--gate", path).code for path in (poor, fine)] == [1, 0]
    rows = cli("verify", poor).out.decode().splitlines()
    assert "fail    quality: 6 of 232 content tokens over 100 bytes (1 warns, 6 fail)" in rows
    found = json.loads(cli("verify", "--json", poor).out)
    assert (found["ok"], found["quality"]) == (True, "fail")
    assert found["gate"][VERY_LONG]["found"] == 6


def test_a_report_has_the_gate_of_each_vocabulary(tmp_path: Path) -> None:
    found = measured(put_files(tmp_path))
    assert list(found.quality) == ["hand", "bytes"]
    text = render_markdown(found)
    assert "## Quality gate" in text
    assert "| tokens of a single byte (over 40 % warn): warn | 256 | 256 | 100 % |" in text
