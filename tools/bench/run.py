"""WWHO beside its peers: speed, start, memory, download, and texts made to be slow.

    python tools/bench/run.py               all of it
    python tools/bench/run.py --quick       what there are targets for, outside browsers: 2 minutes
    python tools/bench/run.py --only unseen,messages --runtime node

Needs the compiled package, which `python tools/dev.py demo --check` builds. The peers are
installed into tools/bench/.work/venv and tools/bench/node_modules, unless the Python that runs this
has them; they are no dependencies of WWHO, and nothing else is fetched.

Absolute speeds drift on a shared machine, so WWHO and its peers run in turns, each in a fresh
process, all pinned to one core; what counts is the median of the ratios and their spread. Speeds
are per second of processor time, but in Chromium, which tells only the time that passed. Every
peer's ids are compared with tiktoken's. "ratio" is WWHO's figure over the peer's.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from adversarial import adversarial_rows
from environment import MB, TEXTS, VOCABULARY, WORK, pin, prepare, versions
from jobs import Bench
from report import plot, tables, write_results
from speeds import SPEEDS, speed_rows
from starts import download_rows, start_rows
from texts import read_texts, write_inputs

PARTS = (*SPEEDS, "cold", "memory", "download", "adversarial")
RUNTIMES = ("native", "node", "chromium")


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
    write_results(
        *(options.out / "results.json", options, rows),
        versions=versions(bench.runtimes),
        text_bytes={name: len(data) for name, data in texts.items()},
        seconds=seconds,
    )
    plot(rows, options.out / "results.png")


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


if __name__ == "__main__":
    main()
