"""Texts made to be slow, and how time grows with their length."""

from __future__ import annotations

import json
from collections.abc import Iterator

from environment import MB, TEXTS
from jobs import Bench, Pair, Result
from report import Row
from texts import write_adversarial
from verdicts import verdict


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
