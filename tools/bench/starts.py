"""What a tokenizer costs before its first token: time, memory, and what a browser downloads."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict

from environment import HERE, MB
from jobs import Bench, Pair, Result
from report import Row


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


def download_rows(bench: Bench) -> list[Row]:
    """The rows of what a browser downloads, in kB; they are the same in every run."""
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
