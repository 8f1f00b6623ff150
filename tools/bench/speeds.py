"""Unseen and repeated text, counts, and messages."""

from __future__ import annotations

import json
from collections import defaultdict

from environment import MB, TEXTS
from jobs import Bench, Pair, Result
from report import OWN, Row
from verdicts import verdict

SPEEDS = ("unseen", "repeated", "count", "messages")


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


def file_of(part: str, text: str) -> str:
    """The input of a part, without its suffix."""
    return f"{text}.{'messages' if part == 'messages' else 'pieces'}"


def block_bytes(file: str) -> list[int]:
    """UTF-8 bytes of each block of an input."""
    blocks = json.loads((TEXTS / f"{file}.json").read_bytes())["blocks"]
    return [sum(len(text.encode()) for text in block) for block in blocks]
