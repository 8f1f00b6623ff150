"""Imported tokenizers beside gigatoken, kitoken and Hugging Face's tokenizers, in one process.

    python tools/bench/imported.py TEXT TOKENIZER.json...

Each engine encodes the same lines of TEXT, in turns, as lists of ids; each line once, so that no
engine has seen it before. Printed are the medians of all rounds: our time in nanoseconds a byte,
and how many times as long the others take. Ids of ours that differ from those of tokenizers end
the run; of the others, the number of lines with other ids stands behind their figure.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tokenizers

import wwho

Encode = Callable[[str], Sequence[int]]
WARM_UP = 50  # lines


def engines(file: Path) -> dict[str, Encode]:
    """Return functions that turn a text into ids with a tokenizer.json, by the library's name.

    A library that cannot open the file is left out, and standard error says why.
    """
    theirs = tokenizers.Tokenizer.from_file(str(file))
    theirs.no_truncation()
    theirs.no_padding()
    found: dict[str, Encode] = {
        "wwho": wwho.Tokenizer.from_file(file).encode,
        "tokenizers": lambda text: theirs.encode(text, add_special_tokens=False).ids,
    }
    try:
        gigatoken = import_module("gigatoken").Tokenizer.from_json(file.read_bytes())
        found["gigatoken"] = lambda text: gigatoken.encode(text).tolist()
    except Exception as error:
        print(f"{file}: without gigatoken ({error})", file=sys.stderr)
    try:
        kitoken = import_module("kitoken").Kitoken.from_file(str(file))
        found["kitoken"] = lambda text: kitoken.encode(text, False)
    except Exception as error:
        print(f"{file}: without kitoken ({error})", file=sys.stderr)
    return found


def seconds(encode: Encode, lines: Sequence[str]) -> float:
    """The processor time of a round."""
    start = process_time()
    for line in lines:
        encode(line)
    return process_time() - start


def main() -> None:
    """Measure each file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text", type=Path, help="UTF-8, a text on each line")
    parser.add_argument("files", type=Path, nargs="+", help="tokenizer.json")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--lines", type=int, default=1000, help="in a round")
    parser.add_argument("--width", type=int, default=200, help="characters of a line, at most")
    given = parser.parse_args()
    wanted = WARM_UP + given.rounds * given.lines
    texts = given.text.read_text("utf-8").split("\n")
    lines = [line[: given.width] for line in texts if line][:wanted]
    if len(lines) < wanted:
        parser.error(f"{given.text} has {len(lines)} lines with text, {wanted} are needed")
    for file in given.files:
        found = engines(file)
        times: dict[str, list[float]] = {name: [] for name in found}
        others = dict.fromkeys(found, 0)
        for line in lines[:WARM_UP]:
            ids = {name: list(encode(line)) for name, encode in found.items()}
            if ids["wwho"] != ids["tokenizers"]:
                sys.exit(f"{file}: other ids than tokenizers for {line!r}")
            for name in found:
                others[name] += ids[name] != ids["wwho"]
        for start in range(WARM_UP, wanted, given.lines):
            some = lines[start : start + given.lines]
            size = sum(len(line.encode()) for line in some)
            for name, encode in found.items():
                times[name].append(seconds(encode, some) / size * 1e9)
        ours = median(times.pop("wwho"))
        rest = ", ".join(
            f"{name} {median(each) / ours:.2f}"
            + (f" (other ids for {others[name]} of {WARM_UP} lines)" if others[name] else "")
            for name, each in times.items()
        )
        print(f"{file}: {ours:.1f} ns/B; {rest}", flush=True)


if __name__ == "__main__":
    main()
