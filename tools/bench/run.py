"""WWHO beside its peers: speed, start, memory, download, and texts made to be slow.

    python tools/bench/run.py               all of it
    python tools/bench/run.py --quick       what there are targets for, outside browsers: 2 minutes
    python tools/bench/run.py --only unseen,messages --runtime node

Needs the compiled package and web/wwho.wasm: `python tools/dev.py demo --check` builds both. The
peers are installed into tools/bench/.work/venv and tools/bench/node_modules, unless the Python that
runs this has them; they are no dependencies of WWHO, and nothing else is fetched.

Absolute speeds drift on a shared machine, so WWHO and its peers run in turns, each in a fresh
process, all pinned to one core; what counts is the median of the ratios and their spread. Speeds
are per second of processor time, but in Chromium, which tells only the time that passed. Every
peer's ids are compared with tiktoken's. "ratio" is WWHO's figure over the peer's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
import venv
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chromium import find_browser, run_in_browser
from report import OWN, TARGETS, Row, plot, tables
from texts import read_texts, write_adversarial, write_inputs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = HERE / ".work"
VENV_PYTHON = WORK / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
VOCABULARY = WORK / "vocabulary"
TEXTS = WORK / "texts"
MODULES = (
    *("bpe_openai", "cffi", "gigatoken", "matplotlib", "numpy"),
    *("playwright", "quicktok", "tiktoken", "tokenizers"),
)

SPEEDS = ("unseen", "repeated", "count", "messages")
PARTS = (*SPEEDS, "cold", "memory", "download", "adversarial")
RUNTIMES = ("native", "node", "chromium")
START_SECONDS = 60  # what a process may take besides the encoding that is limited
MB = 1_000_000


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
            for name in ("quicktok", "bpe-openai", "tiktoken", "tokenizers")
        ),
    ),
    "node": (
        Pair("wwho", "hypertok", "hypertok"),
        Pair("wwho_328k", "wwho", OWN),
        *(Pair("wwho", name, name) for name in ("gpt-tokenizer", "js-tiktoken", "tiktoken")),
    ),
    "chromium": (Pair("wwho", "hypertok", "hypertok"), Pair("wwho_328k", "wwho", OWN)),
}
COUNT = (Pair("wwho count", "quicktok count", "quicktok"),)

Result = dict[str, Any]


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
        """Who runs against whom."""
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


def main() -> None:
    """Set up, measure, print and write."""
    options = parse()
    prepare()
    from vocabulary import write_vocabulary  # only now is WWHO importable

    named = {name: Path(file) for name, _, file in (text.partition("=") for text in options.text)}
    texts = read_texts(int(options.megabytes * MB), named)
    write_inputs(texts, TEXTS)
    write_vocabulary(VOCABULARY)
    core = pin(options.core)
    bench = Bench(
        runtimes=tuple(options.runtime),
        parts=tuple(options.only),
        rounds=options.rounds,
        limit=options.limit,
        quick=options.quick,
        peers=tuple(options.peer),
    )
    begin = time.monotonic()
    rows = speed_rows(bench, list(texts)) + start_rows(bench)
    rows += adversarial_rows(bench) + download_rows(bench)
    print(tables(rows))
    seconds = round(time.monotonic() - begin)
    print(f"\n{options.rounds} rounds on core {core}, {seconds} s in all")
    content = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(bench.runtimes),
        "options": {k: v for k, v in vars(options).items() if k not in ("out", "text")},
        "text_bytes": {name: len(data) for name, data in texts.items()},
        "seconds": seconds,
        "rows": [row.as_json() for row in rows],
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(content, indent=1, ensure_ascii=False))
    plot(rows, options.out / "results.png")
    print(f"Written: {options.out / 'results.json'}, {options.out / 'results.png'}")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer peers, rounds and bytes; no browser"
    )
    parser.add_argument("--only", type=names_of(PARTS), default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--runtime", type=names_of(RUNTIMES), help=", ".join(RUNTIMES))
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME", help="this peer; again for more"
    )
    parser.add_argument("--rounds", type=int, help="how often each pair runs (5; quick: 2)")
    parser.add_argument("--megabytes", type=float, help="of each text (2; quick: 1)")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of one pass (10)")
    parser.add_argument("--core", type=int, help="the core to run on (the idlest)")
    parser.add_argument(
        "--text", action="append", default=[], metavar="NAME=FILE", help="measure this file too"
    )
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder of the results")
    options = parser.parse_args()
    for name, full, quick in (("rounds", 5, 2), ("megabytes", 2.0, 1.0)):
        if getattr(options, name) is None:
            setattr(options, name, quick if options.quick else full)
    options.runtime = options.runtime or (RUNTIMES[:2] if options.quick else RUNTIMES)
    return options


def names_of(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    """A type of argument: some of the known names, with commas."""

    def names(argument: str) -> tuple[str, ...]:
        found = tuple(argument.split(","))
        if unknown := set(found) - set(known):
            raise argparse.ArgumentTypeError(f"no {sorted(unknown)}; there are {', '.join(known)}")
        return found

    return names


# Setting up


def prepare() -> None:
    """Make every peer importable; this starts again in the benchmark's own Python if need be."""
    if not (HERE / "node_modules" / ".package-lock.json").is_file():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True)
    if any(find_spec(module) is None for module in MODULES):
        if Path(sys.prefix).resolve() == (WORK / "venv").resolve():
            install()
        else:
            if not VENV_PYTHON.is_file():
                venv.create(WORK / "venv", with_pip=True)
            os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])
    sys.path.insert(0, str(ROOT / "py"))
    if find_spec("wwho._core") is None or not (ROOT / "web" / "wwho.wasm").is_file():
        raise SystemExit("WWHO is not compiled: run `python tools/dev.py demo --check` first")


def install() -> None:
    """Install the peers; one that has no wheel here does not keep the others out."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    requirements = HERE / "requirements.txt"
    if subprocess.run([*pip, "-r", str(requirements)], check=False).returncode:
        for line in requirements.read_text().split():
            subprocess.run([*pip, line], check=False)


def pin(core: int | None) -> int | None:
    """Keep this process and its children on one core; None where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = idlest_core() if core is None else core
    os.sched_setaffinity(0, {core})
    return core


def idlest_core() -> int:
    """The core that did least in half a second, itself and with its sibling, if it has one."""

    def idle() -> dict[int, int]:
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
        return {int(line[0][3:]): int(line[4]) for line in lines if line[0][3:].isdigit()}

    before = idle()
    time.sleep(0.5)
    after = idle()
    idled = {core: after[core] - before[core] for core in after}

    def score(core: int) -> tuple[int, int]:
        path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
        listed = path.read_text() if path.is_file() else str(core)
        siblings = [int(each) for each in re.split("[,-]", listed)]
        return sum(idled.get(each, 0) for each in siblings), idled[core]

    return max(os.sched_getaffinity(0), key=score)


def machine() -> dict[str, Any]:
    """The processor and system."""
    names = [platform.processor()]
    if (info := Path("/proc/cpuinfo")).is_file():
        lines = info.read_text().splitlines()
        names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {"cpu": names[0], "cores": os.cpu_count(), "system": platform.platform()}


def versions(runtimes: Iterable[str]) -> dict[str, str]:
    """What ran: WWHO, the runtimes and the peers."""
    from wwho.version import __version__

    found = {"wwho": __version__, "python": platform.python_version()}
    commands = {"node": ["node", "--version"]}
    if "chromium" in runtimes and (browser := find_browser()):
        commands["chromium"] = [browser, "--version"]
    for name, command in commands.items():
        found[name] = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    for line in (HERE / "requirements.txt").read_text().split():
        name = line.partition("==")[0]
        try:
            found[f"PyPI {name}"] = version(name)
        except PackageNotFoundError:
            found[f"PyPI {name}"] = "not installed"
    packages = json.loads((HERE / "package.json").read_text())["dependencies"]
    return found | {f"npm {name}": number for name, number in packages.items()}


# Measuring


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


def speed_rows(bench: Bench, texts: list[str]) -> list[Row]:
    """Unseen and repeated text, counts, and messages."""
    wanted = [part for part in SPEEDS if part in bench.parts]
    # One process gives the unseen and the repeated speed.
    tasks = dict.fromkeys("unseen" if part == "repeated" else part for part in wanted)
    plan = [
        (part, text, runtime, pairs)
        for part in tasks
        for text in texts
        for runtime in bench.runtimes
        if (pairs := bench.pairs(runtime, part))
    ]
    files = dict.fromkeys(file_of(part, text) for part, text, _, _ in plan)
    oracle = {
        file: bench.run("native", "tiktoken", "speed", file, limit=600, check=True)
        for file in files
    }
    found: dict[tuple[str, str, str], list[dict[str, Result]]] = defaultdict(list)
    for number in range(bench.rounds):
        for part, text, runtime, pairs in plan:
            file, check = file_of(part, text), number == 0
            results = bench.round(number, runtime, pairs, "speed", file, check=check)
            found[part, text, runtime].append(results)
    return [
        speed_row(bench, part, (task, text, runtime), pair, found, oracle)
        for part in wanted
        for task, text, runtime, pairs in plan
        if task == ("unseen" if part == "repeated" else part)
        for pair in pairs
    ]


def speed_row(
    bench: Bench,
    part: str,
    step: tuple[str, str, str],
    pair: Pair,
    found: dict[tuple[str, str, str], list[dict[str, Result]]],
    oracle: dict[str, Result],
) -> Row:
    """One comparison, over the blocks that both did in time."""
    task, text, runtime = step
    file, which = file_of(task, text), "again" if part == "repeated" else "first"
    sizes = block_bytes(file)
    figures: dict[str, list[float]] = {pair.ours: [], pair.theirs: []}
    for results in found[step]:
        both = {engine: results[engine][which] for engine in figures if engine in results}
        blocks = min(map(len, both.values()), default=0)
        for engine, seconds in both.items():
            figures[engine].append(sum(sizes[:blocks]) / MB / sum(seconds[:blocks]))
    exact = "" if pair.peer == OWN else verdict(oracle[file], found[step][0], pair)
    note = bench.why(runtime, pair, file)
    return Row(
        part, runtime, text, pair.peer, figures[pair.ours], figures[pair.theirs], exact, note
    )


def verdict(oracle: Result, results: dict[str, Result], pair: Pair) -> str:
    """Whether both engines gave tiktoken's ids; where they only count, its counts."""
    if not any(oracle.get("checks", ())):
        return "no oracle"
    inexact = [
        name
        for name, engine in (("WWHO", pair.ours), ("peer", pair.theirs))
        if engine in results and not agree(results[engine]["checks"], oracle["checks"])
    ]
    if inexact:
        return f"{' and '.join(inexact)} inexact"
    return "yes" if pair.theirs in results else ""


def agree(checks: list[Any], oracle: list[Any]) -> bool:
    """Whether the blocks that were done have the oracle's counts and digests."""
    return all(
        mine[0] == right[0] and mine[1] in (None, right[1])
        for mine, right in zip(checks, oracle, strict=False)
        if mine and right
    )


def file_of(part: str, text: str) -> str:
    """The input of a part, without its suffix."""
    return f"{text}.{'messages' if part == 'messages' else 'pieces'}"


def block_bytes(file: str) -> list[int]:
    """UTF-8 bytes of each block of an input."""
    blocks = json.loads((TEXTS / f"{file}.json").read_bytes())["blocks"]
    return [sum(len(text.encode()) for text in block) for block in blocks]


def start_rows(bench: Bench) -> list[Row]:
    """Cold starts, and the memory that they take."""
    wanted = [part for part in ("cold", "memory") if part in bench.parts]
    found: dict[str, list[dict[str, Result]]] = defaultdict(list)
    plan = {runtime: bench.pairs(runtime, "cold") for runtime in ("native", "node")}
    for number in range(bench.rounds if wanted else 0):
        for runtime, pairs in plan.items():
            if runtime in bench.runtimes and pairs:
                empty = Pair("nothing", "nothing", "")
                found[runtime].append(bench.round(number, runtime, [*pairs, empty], "start"))
    rows = []
    for part in wanted:
        for runtime, rounds in found.items():
            for pair in plan[runtime]:
                ours, theirs = (
                    [start_figure(part, results, engine) for results in rounds if engine in results]
                    for engine in (pair.ours, pair.theirs)
                )
                note = bench.why(runtime, pair)
                rows.append(Row(part, runtime, "", pair.peer, ours, theirs, note=note))
    return rows


def start_figure(part: str, results: dict[str, Result], engine: str) -> float:
    """Milliseconds, or megabytes over what an empty process takes."""
    if part == "cold":
        return float(1e3 * results[engine]["seconds"])
    # Systems that do not tell the peak give null.
    return ((results[engine]["peak"] or 0) - (results["nothing"]["peak"] or 0)) / MB


def adversarial_rows(bench: Bench) -> list[Row]:
    """Texts made to be slow, and how time grows with their length."""
    if "adversarial" not in bench.parts:
        return []
    rows: list[Row] = []
    for text in write_adversarial(TEXTS):
        file = f"adversarial.{text}"
        oracle = bench.run("native", "tiktoken", "adversarial", file)
        for runtime in bench.runtimes:
            if not (pairs := bench.pairs(runtime, "adversarial")):
                continue
            # Each is the best of some variants already.
            rounds = [
                bench.round(number, runtime, pairs, "adversarial", file)
                for number in range(max(1, bench.rounds // 2))
            ]
            for pair in pairs:
                exact = verdict(oracle, rounds[0], pair)
                note = bench.why(runtime, pair, file)
                rows += adversarial_pair(runtime, text, pair, rounds, exact, note, bench.limit)
    return rows


def adversarial_pair(
    runtime: str,
    text: str,
    pair: Pair,
    rounds: list[dict[str, Result]],
    exact: str,
    note: str,
    limit: float,
) -> Iterator[Row]:
    """The two lengths of one adversarial text, and the growth between them."""
    texts = json.loads((TEXTS / f"adversarial.{text}.json").read_bytes())["texts"]
    seconds = [
        [results[engine]["seconds"] for results in rounds if engine in results]
        for engine in (pair.ours, pair.theirs)
    ]
    for place, (content, *_) in enumerate(texts):
        size = len(content.encode()) / MB
        ours, theirs = ([size / taken[place] for taken in side if taken[place]] for side in seconds)
        found = (rounds[0].get(engine) for engine in (pair.ours, pair.theirs))
        why = note or "; ".join(each["errors"][place] for each in found if each)
        if why.strip("; ").startswith(("over ", "too slow")):
            # An engine that takes too long is given the speed that it is below.
            ours, theirs = ours or [size / limit], theirs or [size / limit]
        name = f"{text} x {len(content):,}"
        yield Row("adversarial", runtime, name, pair.peer, ours, theirs, exact, why.strip("; "))
    ours, theirs = ([taken[1] / taken[0] for taken in side if taken[1]] for side in seconds)
    yield Row("growth", runtime, text, pair.peer, ours, theirs)


def download_rows(bench: Bench) -> list[Row]:
    """What a browser downloads; it is the same in every run."""
    if "download" not in bench.parts:
        return []
    command = ["node", str(HERE / "download.mjs")]
    sizes = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    rows = []
    for place, text in enumerate(("raw", "gzip -9", "brotli -q 11")):
        total = {
            name: [sum(part[place] for part in parts.values()) / 1000]
            for name, parts in sizes.items()
            if "error" not in parts
        }
        for name in [name for name in sizes if name != "wwho"]:
            theirs, note = total.get(name, []), sizes[name].get("error", "")
            rows.append(Row("download", "", text, name, total["wwho"], theirs, note=note))
    return rows


def say(what: str) -> None:
    """Tell on stderr what is being measured."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
