"""Who runs against whom, and one job of one engine in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from chromium import find_browser, run_in_browser
from environment import HERE, ROOT, TEXTS, VOCABULARY
from report import OWN, TARGETS

START_SECONDS = 60  # what a process may take besides the encoding that is limited

Result = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """Two engines, by the workers' names for them, and what the tables call the second."""

    ours: str
    theirs: str
    peer: str


# Engines next to each other here run next to each other. gigatoken gives numpy arrays, as WWHO's
# `encode_to_numpy` does; the others give lists.
PAIRS = {
    "native": (
        Pair("wwho array", "gigatoken", "gigatoken"),
        Pair("wwho_328k array", "wwho array", OWN),
        *(
            Pair("wwho", name, name)
            for name in ("quicktok", "kitoken", "bpe-openai", "tiktoken", "tokenizers")
        ),
    ),
    "node": (
        Pair("wwho", "hypertok", "hypertok"),
        Pair("wwho_328k", "wwho", OWN),
        *(Pair("wwho", name, name) for name in ("gpt-tokenizer", "js-tiktoken", "tiktoken")),
    ),
    "chromium": (Pair("wwho", "hypertok", "hypertok"), Pair("wwho_328k", "wwho", OWN)),
}
COUNT = tuple(Pair("wwho count", f"{name} count", name) for name in ("quicktok", "toktok-rs"))


@dataclass
class Bench:
    """Options, and what is known so far.

    Attributes:
        quick: only peers that there is a target for.
        peers: only these; none for all.
        failures: why an engine does not run, by runtime, engine and input.
    """

    runtimes: tuple[str, ...]
    parts: tuple[str, ...]
    rounds: int
    limit: float
    quick: bool
    peers: tuple[str, ...]
    failures: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def pairs(self, runtime: str, part: str) -> list[Pair]:
        """The engine and the peer of each comparison in a runtime, for a part of the benchmark."""
        pairs = PAIRS[runtime]
        if part == "count":
            pairs = COUNT if runtime == "native" else ()
        elif part != "unseen":
            pairs = tuple(pair for pair in pairs if pair.peer != OWN)
        targets = {target.peer for target in TARGETS if target.part == part}
        return [
            pair
            for pair in pairs
            if (not self.quick or pair.peer in targets)
            and (not self.peers or pair.peer in self.peers)
        ]

    def round(
        self, number: int, runtime: str, pairs: list[Pair], task: str, text: str = "", **job: Any
    ) -> dict[str, Result]:
        """The results of all engines of these pairs, those that fail left out.

        Each runs once, WWHO's beside their peers', in the other order in every other round.
        """
        engines = dict.fromkeys(engine for pair in pairs for engine in (pair.theirs, pair.ours))
        order = list(engines) if number % 2 == 0 else list(engines)[::-1]
        say(f"round {number + 1}/{self.rounds}: {task}, {runtime} {text}")
        results = {engine: self.run(runtime, engine, task, text, **job) for engine in order}
        return {engine: result for engine, result in results.items() if result}

    def run(self, runtime: str, engine: str, task: str, text: str = "", **job: Any) -> Result:
        """The result of a job; empty where it fails, which is noted and not tried again."""
        key = (runtime, engine, text)
        if key in self.failures:
            return {}
        job = {"engine": engine, "task": task, "limit": self.limit} | job
        result = run_job(runtime, job | ({"input": f"{text}.json"} if text else {}))
        if "error" in result:
            self.failures[key] = result["error"]
            return {}
        return result

    def why(self, runtime: str, pair: Pair, text: str = "") -> str:
        """Why one of the two has no figure."""
        reasons = [self.failures.get((runtime, name, text)) for name in (pair.ours, pair.theirs)]
        return "; ".join(reason for reason in reasons if reason)


def run_job(runtime: str, job: Result) -> Result:
    """The result of one job in a fresh process, or {"error": why}."""
    job = {"warm_up": 0.4, "check": False, **job}
    timeout = START_SECONDS + 4 * job["limit"]
    if job["task"] == "adversarial":
        timeout = 10 + job["limit"]
    if runtime == "chromium":
        if find_browser() is None:
            return {"error": "no Chromium is installed"}
        if "input" in job:
            job["input"] = f".work/texts/{job['input']}"
        return run_in_browser(ROOT, job, timeout)
    if runtime == "node":
        command = ["node", str(HERE / "worker.mjs")]
        folder = ".work/texts"  # below worker.mjs
    else:
        command = [sys.executable, str(HERE / "worker.py")]
        folder = str(TEXTS)
        job["vocabulary"] = str(VOCABULARY)
    if "input" in job:
        job["input"] = f"{folder}/{job['input']}"
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "py"),
        "TIKTOKEN_CACHE_DIR": str(VOCABULARY),
        "TOKENIZERS_PARALLELISM": "false",
        "RAYON_NUM_THREADS": "1",
    }
    try:
        done = subprocess.run(
            command,
            input=json.dumps(job).encode(),
            capture_output=True,
            timeout=timeout,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"over {job['limit']:g} s"}
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        return {"error": f"exit code {done.returncode}: {lines[-1][:200]}"}
    result: Result = json.loads(done.stdout)
    return result


def say(what: str) -> None:
    """Tell on stderr what is being measured."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)
