"""The floor: native `encode` beside tiktoken's in one process, and whether time grows as length.

run.py measures all peers, each in a process of its own.

    pip install -r tools/bench/requirements.txt
    python tools/bench/speed.py

Speeds drift from hour to hour on a shared machine, so the two run in turns and the ratio is what
counts. "unseen": each slice of a text is encoded once by either, so no cache knows it. "repeated":
the same slices again. tiktoken runs on the ranks inside o200k_base.wwho, so it needs no network.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import tiktoken

import texts
import wwho
from wwho.artifact.read import read_model
from wwho.encodings import model_bytes

SLICES = 20
MEGABYTE = 1_000_000
UNITS = {"a": "a", "space": " ", "ක": "ක", "क्": "क्", "emoji": "😀"}
SHORT, LONG = 100_000, 1_000_000

Encode = Callable[[str], Sequence[int]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--megabytes", type=float, default=4.0, help="of each text, at most")
    parser.add_argument(
        "--model", action="append", metavar="NAME", help="encoding to measure (default: both)"
    )
    options = parser.parse_args()
    models = options.model or ["o200k_base", "wwho_328k"]
    named = {name: Path(file) for name, _, file in (each.partition("=") for each in options.text)}
    measured = texts.read_texts(int(options.megabytes * MEGABYTE), named)
    peer = oracle()
    for model in models:
        tokenizer = wwho.get_encoding(model, backend="native")
        print(f"\n{model} (native) and tiktoken {tiktoken.__version__} (o200k_base), MB/s")
        print(f"{'':10} {'unseen':>24} {'':>6} {'repeated':>24}")
        for name, text in measured.items():
            part = share(text.decode(), models.index(model), len(models))
            compare(name, part, tokenizer.encode, peer.encode_ordinary, same=model == "o200k_base")
    for model in models:
        print(f"\n{model}: time of {LONG:,} characters over that of {SHORT:,} (10 is linear)")
        encode = wwho.get_encoding(model, backend="native").encode
        for name, unit in UNITS.items():
            print(f"{name:10} {growth(encode, unit):6.2f}")


def oracle() -> tiktoken.Encoding:
    """tiktoken's o200k_base, built from the shipped artifact."""
    model = read_model(model_bytes("o200k_base"))
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=model.provenance["pattern"],
        mergeable_ranks={token: rank for rank, token in enumerate(model.base_tokens)},
        special_tokens=dict(model.specials),
    )


def compare(name: str, text: str, ours: Encode, theirs: Encode, *, same: bool) -> None:
    """Encode the slices of a text by turns, twice, and print speeds and ratios.

    Raises:
        AssertionError: `same`, but the ids differ.
    """
    slices = cut(text)
    if same:
        assert list(ours(slices[0])) == list(theirs(slices[0])), f"{name}: the ids differ"
    else:
        ours(slices[0]), theirs(slices[0])
    row = f"{name:10}"
    for _ in ("unseen", "repeated"):
        speeds = [pair(each, ours, theirs, swap=k % 2 == 1) for k, each in enumerate(slices[1:])]
        mine, other = (median(each) for each in zip(*speeds, strict=True))
        ratio = median(a / b for a, b in speeds)
        row += f" {mine:7.1f} {other:7.1f} {ratio:6.2f}x      "
    print(row.rstrip())


def share(text: str, number: int, count: int) -> str:
    """A part of the text for each model, so that the peer too sees nothing twice."""
    return text[len(text) * number // count : len(text) * (number + 1) // count]


def cut(text: str) -> list[str]:
    """The text in slices of about the same length; one more, the first, warms the code up."""
    size = max(len(text) // (SLICES + 1), 1)
    return [text[at : at + size] for at in range(0, size * (SLICES + 1), size)]


def pair(text: str, ours: Encode, theirs: Encode, *, swap: bool) -> tuple[float, float]:
    """The speeds of both on one text, in MB/s of UTF-8; `swap` decides who goes first."""
    megabytes = len(text.encode()) / MEGABYTE
    if swap:
        other, mine = seconds(theirs, text), seconds(ours, text)
    else:
        mine, other = seconds(ours, text), seconds(theirs, text)
    return megabytes / mine, megabytes / other


def growth(encode: Encode, unit: str, rounds: int = 7) -> float:
    """How much longer the long run of a unit takes than the short one, each at its best."""
    short_text, long_text = unit * SHORT, unit * LONG
    encode(long_text)
    times = [(seconds(encode, long_text), seconds(encode, short_text)) for _ in range(rounds)]
    return min(long for long, _ in times) / min(short for _, short in times)


def seconds(encode: Encode, text: str) -> float:
    """How long one call takes."""
    start = perf_counter()
    encode(text)
    return perf_counter() - start


if __name__ == "__main__":
    main()
