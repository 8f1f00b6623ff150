"""Compare WWHO with tiktoken, and its native backend with the reference, on random texts.

    python tests/fuzz/differential.py [--seconds N] [--seed S] [--jobs J]
    python tests/fuzz/differential.py FINDING...

tiktoken's vocabularies are made of those that npm's js-tiktoken carries (`npm ci` in tests/); no
network is needed. A difference is made as short as it can be and written to build/fuzz/findings;
the second form shows it again. The exit code is 1 where there is one, 2 where nothing can run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from generators import STRATEGIES

ROOT = Path(__file__).resolve().parents[2]
FINDINGS = ROOT / "build" / "fuzz" / "findings"
sys.path[:0] = [str(ROOT / "py"), str(ROOT / "tests" / "py")]

import oracle  # noqa: E402

import wwho  # noqa: E402
from wwho import Tokenizer  # noqa: E402
from wwho.text import to_bytes  # noqa: E402

TIKTOKEN = ("o200k_base", "cl100k_base")
REFERENCE = ("o200k_base", "wwho_328k", "wwho_super_328k")
REFERENCE_MOST = 400  # characters: the reference takes a microsecond or more for each

Answer = tuple[object, object]
"""What two sides give."""


@dataclass(frozen=True)
class Finding:
    """A text on which two sides differ."""

    check: str
    text: str
    ours: str
    theirs: str

    def write(self, folder: Path) -> Path:
        """Keep it in a file, as JSON of ASCII."""
        folder.mkdir(parents=True, exist_ok=True)
        data = json.dumps(vars(self), indent=1) + "\n"
        path = folder / f"differential-{hashlib.sha1(data.encode()).hexdigest()[:12]}.json"
        path.write_text(data, "ascii")
        return path


@dataclass
class Outcome:
    """What a run came to: texts by strategy, and differences."""

    executions: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """And another's."""
        self.executions += other.executions
        self.findings += other.findings

    def __str__(self) -> str:
        lines = [f"{name:20}{self.executions[name]:>12,} texts" for name in STRATEGIES]
        return "\n".join([*lines, f"{'all':20}{sum(self.executions.values()):>12,} texts"])


# Checks


@cache
def native(name: str) -> Tokenizer:
    """An encoding in the native backend, which keeps its cache from text to text."""
    return wwho.get_encoding(name, "native")


@cache
def reference(name: str) -> Tokenizer:
    """An encoding in the reference backend."""
    return wwho.get_encoding(name, "reference")


def with_tiktoken(name: str, text: str) -> Iterator[Answer]:
    """The same ids, with and without special tokens."""
    ours, theirs = native(name), oracle.tiktoken_encoding(name)
    yield ours.encode(text), theirs.encode(text, disallowed_special=())
    if "<|" in text:
        yield ours.encode(text, allowed_special="all"), theirs.encode(text, allowed_special="all")


def with_reference(name: str, text: str) -> Iterator[Answer]:
    """The same ids, offsets and pieces, for the text and for its bytes cut anywhere."""
    ours, theirs = native(name), reference(name)
    data = to_bytes(text)
    cut = data[len(data) // 5 : REFERENCE_MOST]
    for part in (text[:REFERENCE_MOST], cut):
        allowed = "all" if len(part) % 2 else frozenset[str]()
        yield (
            ours.encode_with_offsets(part, allowed_special=allowed),
            theirs.encode_with_offsets(part, allowed_special=allowed),
        )
        yield ours.segment(part), theirs.segment(part)


def with_itself(name: str, text: str) -> Iterator[Answer]:
    """The text comes back, and the count is the number of ids."""
    enc = native(name)
    ids = enc.encode(text)
    yield enc.decode_bytes(ids), to_bytes(text)
    yield enc.count(text), len(ids)
    yield enc.count_till_limit(text, len(ids)), len(ids)
    yield enc.count_till_limit(text, max(0, len(ids) - 1)), None if ids else 0
    yield enc.encode_with_offsets(text)[0], ids


CHECKS: dict[str, Callable[[str], Iterator[Answer]]] = {
    **{f"tiktoken {name}": partial(with_tiktoken, name) for name in TIKTOKEN},
    **{f"reference {name}": partial(with_reference, name) for name in REFERENCE},
    **{f"itself {name}": partial(with_itself, name) for name in REFERENCE},
}


def difference(check: str, text: str) -> tuple[str, str] | None:
    """What the two sides of a check give where they differ. That a side fails is an answer too."""
    try:
        for ours, theirs in CHECKS[check](text):
            if ours != theirs:
                return repr(ours), repr(theirs)
    except Exception as error:
        return f"{type(error).__name__}: {error}", ""
    return None


# Running


def shrink(text: str, differs: Callable[[str], bool]) -> str:
    """The text without all that can be left out, from long parts to single characters."""
    size = len(text)
    while size:
        at = 0
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if differs(shorter):
                text = shorter
            else:
                at += size
        size //= 2
    return text


def shortest_finding(check: str, text: str) -> Finding | None:
    """The finding of a check in a text, as short as can be; None where the sides agree."""
    if difference(check, text) is None:
        return None
    shortest = shrink(text, lambda shorter: difference(check, shorter) is not None)
    # None where it depends on texts before, which have filled the cache
    ours, theirs = difference(check, shortest) or ("", "")
    return Finding(check, shortest, ours, theirs)


def open_all() -> None:
    """Open what the checks need; it is opened once. Skips a test where something is missing."""
    for check in CHECKS.values():
        list(check(""))


def run(seconds: float, seed: str, least: int = 0) -> Outcome:
    """Compare random texts for so long, but at least so many of each strategy, or up to a finding.

    A seed gives the same texts in the same order each time.
    """
    open_all()
    rng, outcome = Random(seed), Outcome()
    end = time.monotonic() + seconds
    rounds = 0
    while not outcome.findings and (rounds < least or time.monotonic() < end):
        rounds += 1
        for name, make in STRATEGIES.items():
            text = make(rng)
            outcome.executions[name] += 1
            outcome.findings += filter(None, (shortest_finding(check, text) for check in CHECKS))
    return outcome


def run_jobs(seconds: float, seed: str, jobs: int) -> Outcome:
    """So many processes, each with texts of its own."""
    outcome = Outcome()
    with ProcessPoolExecutor(jobs) as executor:
        runs = [executor.submit(run, seconds, f"{seed}/{job}") for job in range(jobs)]
        for each in runs:
            outcome.add(each.result())
    return outcome


def show_again(path: Path) -> bool:
    """Print what a finding is now; say whether there still is a difference."""
    finding: dict[str, Any] = json.loads(path.read_text("ascii"))
    answers = difference(finding["check"], finding["text"])
    print(f"{path}: {finding['check']}, {finding['text']!a}")
    print("no difference" if answers is None else f"  ours:   {answers[0]}\n  theirs: {answers[1]}")
    return answers is not None


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--seed", default=None, help="of the texts (default: another each time)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default 1)")
    parser.add_argument("finding", nargs="*", type=Path, help="to be shown again")
    options = parser.parse_args()
    try:
        if options.finding:
            return int(max([show_again(path) for path in options.finding]))
        open_all()  # here, so that the other processes need not
        seed = options.seed or str(time.time_ns())
        outcome = run_jobs(options.seconds, seed, options.jobs)
    except pytest.skip.Exception as missing:
        print(missing, file=sys.stderr)
        return 2
    print(f"seed {seed}\n{outcome}")
    for finding in outcome.findings:
        path = finding.write(FINDINGS)
        print(f"A DIFFERENCE in {path}: {finding.check}, {finding.text!a}", file=sys.stderr)
    return int(bool(outcome.findings))


if __name__ == "__main__":
    sys.exit(main())
