"""WWHO's trainer beside rustbpe and gigabpe: speed, memory, exactness; and how it scales.

    python tools/bench/train.py                the corpus of ../shared/corpora: a few minutes
    python tools/bench/train.py --text FILE    another one, in UTF-8
    python tools/bench/train.py --command      the command that made wwho_328k as well

Needs the compiled package: `python tools/dev.py demo --check` builds it. The peers are installed
into tools/bench/.work/venv, unless the Python that runs this has them; they are no dependencies of
WWHO.

As in run.py, WWHO and its peer run in turns, each in a fresh process, all pinned to one core, and
what counts is the median of the ratios. Speeds are megabytes of text per second of processor time;
only counting, which may take two cores, goes by the time that passed, the best of several: on a
busy machine two cores come out too slow. Where both do the same job, their tokens are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import defaultdict
from functools import partial
from importlib.metadata import version
from pathlib import Path

from environment import HERE, MB, ROOT, WORK, find_modules, idlest_core, pin
from jobs import Result, say
from report import Row, tables, write_results
from texts import CORPORA, read_xz

CORPUS = CORPORA / "train_mix.txt.xz"
PEERS = ("rustbpe", "gigabpe")
JOBS = ("syllables", "rustbpe", "plain", "rustbpe_plain", "plain_gpt2", "gigabpe_gpt2", "nothing")
COMPARED = (
    ("own job", "rustbpe", "syllables", "rustbpe"),
    ("same job", "rustbpe", "plain", "rustbpe_plain"),
    ("same job, GPT-2's pieces", "gigabpe", "plain_gpt2", "gigabpe_gpt2"),
)
"""The job, the peer, the task of WWHO and that of the peer, by their names in train_worker.py."""
COMMAND = (
    *("train", "--schema", "sinhala", "--schema", "devanagari", "--base", "o200k_base"),
    *("--vocab-size", "128000", "--prune", "5", "--name", "wwho_328k"),
)
TIMEOUT = 900


def main() -> None:
    """Write the corpora, run all jobs in turns, and print and write the tables of results."""
    options = parse()
    find_modules([*PEERS, "jsonschema"], "wwho.train._native")
    text = write_corpus(options, "train.txt", options.megabytes)
    # Starting another process takes a tenth of a second, which says nothing of counting.
    much = write_corpus(options, "count.txt", 4 * options.megabytes)
    n_bytes = len(set(text.read_bytes()))
    cores = pick_cores(options.core)
    size, much_size = (file.stat().st_size / MB for file in (text, much))
    found: dict[str, list[Result]] = defaultdict(list)
    for number in range(options.rounds):
        for name, job in jobs(cores).items():
            say(f"round {number + 1}/{options.rounds}: {name}")
            file = much if job["task"] == "count" else text
            job |= {"file": str(file), "vocab_size": options.vocab_size, "n_bytes": n_bytes}
            found[name].append(run_job(job))
    rows = training_rows(found, f"{size:.0f} MB", size) + scaling_rows(found, much_size)
    if options.command:
        rows += command_rows(options.rounds)
    print(tables(rows))
    print(f"\n{options.rounds} rounds on core {cores[0] if cores else '?'}")
    write_results(
        *(options.out / "train.json", options, rows),
        versions={"python": platform.python_version()}
        | {f"PyPI {peer}": version(peer) for peer in PEERS},
        text_bytes=text.stat().st_size,
        jobs=found,
    )


def parse() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each trains (3)")
    parser.add_argument("--megabytes", type=float, default=61.0, help="of the corpus (61)")
    parser.add_argument("--vocab-size", type=int, default=128_000, help="ids to train (128000)")
    parser.add_argument("--core", type=int, help="the core to run on (the idlest)")
    parser.add_argument("--text", type=Path, help="another corpus, in UTF-8, with line feeds")
    parser.add_argument("--command", action="store_true", help="time the shipped command too")
    parser.add_argument("--out", type=Path, default=WORK / "results", help="folder of the results")
    return parser.parse_args()


# Setting up


def write_corpus(options: argparse.Namespace, name: str, megabytes: float) -> Path:
    """Write the first megabytes of the corpus, whole lines, and return the path of that file."""
    size = int(megabytes * MB)
    if options.text is None and not CORPUS.is_file():
        raise SystemExit(f"the corpus is not in {CORPORA}; name another one with --text")
    data = read_xz(CORPUS, size) if options.text is None else options.text.read_bytes()[:size]
    path = WORK / "texts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data[: data.rindex(b"\n") + 1])
    return path


def pick_cores(core: int | None) -> list[int]:
    """Pin this process and its children to a core; return its number, and a second for counting.

    None are returned where a process cannot be pinned.
    """
    if not hasattr(os, "sched_setaffinity"):
        return []
    every = os.sched_getaffinity(0)
    core = idlest_core() if core is None else core
    os.sched_setaffinity(0, every - {core} or every)
    second = idlest_core()
    pin(core)
    return [core, second]


# Measuring


def jobs(cores: list[int]) -> dict[str, Result]:
    """Return the jobs of a round by name, WWHO's beside its peers', without file and sizes."""
    counting = {"task": "count"}
    return {
        **{task: {"task": task} for task in JOBS},
        "count, 1 process": {**counting, "processes": 1, "cores": cores[:1]},
        "count, 2 processes": {**counting, "processes": 2, "cores": cores},
        "merge": {"task": "merge"},
    }


def run_job(job: Result) -> Result:
    """Return the result of one job, run in a fresh process.

    Raises:
        SystemExit: it failed.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT / "py"), "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(HERE / "train_worker.py")],
        input=json.dumps(job).encode(),
        stdout=subprocess.PIPE,
        timeout=TIMEOUT,
        env=environment,
        check=True,
    )
    result: Result = json.loads(done.stdout)
    if "error" in result:
        raise SystemExit(f"{job['task']}: {result['error']}")
    return result


def training_rows(found: dict[str, list[Result]], text: str, size: float) -> list[Row]:
    """Return rows of the trainers' speed, seconds and memory, for each comparison of `COMPARED`.

    Where both do the same job, a row says whether their tokens are the same. Of pairs that are seen
    as often, gigabpe takes another one first, so its tokens are compared without their order.

    Args:
        found: the results of all rounds, by the name of the job.
        text: the name of the corpus in the rows.
        size: its size in MB.
    """
    rows = []
    for name, peer, ours, theirs in COMPARED:
        tokens = [{result.get("tokens") for result in found[task]} for task in (ours, theirs)]
        exact = "yes" if tokens[0] == tokens[1] and len(tokens[0]) == 1 else "they differ"
        row = partial(Row, runtime="native", text=f"{text}, {name}", peer=peer)
        checked = "" if name == "own job" else exact
        note = f"{found[ours][0]['merges']:,} merges and {found[theirs][0]['merges']:,}"
        seconds = [[result["worked"] for result in found[task]] for task in (ours, theirs)]
        speeds = [[size / each for each in side] for side in seconds]
        peaks = [
            [((result["peak"] or 0) - (empty["peak"] or 0)) / MB for result, empty in pairs]
            for pairs in (
                zip(found[task], found["nothing"], strict=True) for task in (ours, theirs)
            )
        ]
        rows += [
            row("training", ours=speeds[0], theirs=speeds[1], exact=checked, note=note),
            row("training seconds", ours=seconds[0], theirs=seconds[1]),
            row("training memory", ours=peaks[0], theirs=peaks[1]),
        ]
    return rows


def scaling_rows(found: dict[str, list[Result]], size: float) -> list[Row]:
    """Return a row of counting with a second core, and one of merging four times the words.

    Args:
        found: the results of all rounds, by the name of the job.
        size: the size of the text that is counted, in MB.
    """
    two, one = (
        [size / result["counting"] for result in found[f"count, {processes}"]]
        for processes in ("2 processes", "1 process")
    )
    growth = [whole / part for whole, part in (result["merging"] for result in found["merge"])]
    return [
        Row("counting", "native", "2 processes", "1 process", two, one),
        Row("merging", "native", "4 x the words", "", growth, ()),
    ]


def command_rows(rounds: int) -> list[Row]:
    """Return rows of the time and memory that the command of the model card takes, on one core."""
    output = WORK / "train.wwho"
    seconds, peaks = [], []
    for number in range(rounds):
        say(f"round {number + 1}/{rounds}: wwho train {CORPUS.name}")
        run = [sys.executable, "-m", "wwho", *COMMAND, "-o", str(output), str(CORPUS)]
        done = subprocess.run(
            [sys.executable, "-c", TIMED, *run],
            env=os.environ | {"PYTHONPATH": str(ROOT / "py")},
            stdout=subprocess.PIPE,
            check=True,
        )
        worked, peak = json.loads(done.stdout)
        seconds.append(worked)
        peaks.append(peak / MB)
    shipped = ROOT / "py" / "wwho" / "models" / "wwho_328k.wwho"
    exact = "yes" if output.read_bytes() == shipped.read_bytes() else "not the shipped bytes"
    return [
        Row("command", "native", CORPUS.name, "", seconds, (), exact),
        Row("command memory", "native", CORPUS.name, "", peaks, ()),
    ]


# Runs a command and tells its seconds of processor time, and its peak memory in bytes.
TIMED = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""


if __name__ == "__main__":
    main()
