"""Imported tokenizers beside gigatoken, kitoken, tokenizers and sentencepiece, in one process.

    python tools/bench/imported.py tokenizer.json tokenizer.model...

Each engine that opens a file encodes the same short lines, in turns, as lists of ids; each line
once, so that no engine has seen it before. The table has our time in nanoseconds a byte, and how
many times as long each other engine takes: medians of all rounds. The library that defines a file
(sentencepiece for a .model, else tokenizers) says which ids are right: other ids of ours end the
run. An engine that gives other ids in some lines has their number behind its figure, and is not
among the exact ones, of which the last column has the fastest.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import wwho
from environment import WORK
from texts import read_texts

Encode = Callable[[str], Sequence[int]]
"""Returns the ids of a text."""
Open = Callable[[Path], Encode]
"""Returns the function by which an engine encodes with the tokenizer of a file."""
WARM_UP = 50  # lines
ENGLISH_AND_HINDI = ("english", "hindi")


def open_ours(file: Path) -> Encode:
    """Return `encode` of the tokenizer that `wwho import` makes of a file."""
    return wwho.Tokenizer.from_file(file).encode


def open_tokenizers(file: Path) -> Encode:
    """Return how Hugging Face's tokenizers encodes with a tokenizer.json, without a template."""
    theirs = import_module("tokenizers").Tokenizer.from_file(str(file))
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def open_sentencepiece(file: Path) -> Encode:
    """Return how Google's sentencepiece encodes with a .model."""
    theirs = import_module("sentencepiece").SentencePieceProcessor(model_file=str(file))
    encode: Encode = theirs.encode
    return encode


def open_gigatoken(file: Path) -> Encode:
    """Return how gigatoken encodes with a file; its arrays become lists, as all others give."""
    tokenizer = import_module("gigatoken").Tokenizer
    if file.suffix == ".model":
        theirs = tokenizer.from_sentencepiece(str(file))
    else:
        theirs = tokenizer.from_json(file.read_bytes())
    return lambda text: theirs.encode(text).tolist()


def open_kitoken(file: Path) -> Encode:
    """Return how kitoken, which reads the files of many libraries, encodes with one."""
    theirs = import_module("kitoken").Kitoken.from_file(str(file))
    return lambda text: theirs.encode(text, False)


ENGINES: dict[str, Open] = {
    "wwho": open_ours,
    "gigatoken": open_gigatoken,
    "kitoken": open_kitoken,
    "tokenizers": open_tokenizers,
    "sentencepiece": open_sentencepiece,
}


def without_padding(file: Path) -> Path:
    """Return a file, or for a tokenizer.json the path of a copy without padding and truncation.

    Not all engines can be told to leave these out.
    """
    if file.suffix != ".json":
        return file
    copy = WORK / "imported" / file.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    content = json.loads(file.read_bytes()) | {"padding": None, "truncation": None}
    copy.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return copy


def open_engines(file: Path) -> tuple[str, dict[str, Encode]]:
    """Return the library that defines a file, and by name how each engine encodes with the file.

    An engine that cannot open the file is left out, and standard error says why.
    """
    file = without_padding(file)
    judge, other = "tokenizers", "sentencepiece"
    if file.suffix == ".model":
        judge, other = other, judge
    found = {}
    for name, open_file in ENGINES.items():
        if name == other:
            continue
        try:
            found[name] = open_file(file)
        except BaseException as error:  # panics of Rust are no Exception
            if name in ("wwho", judge) or isinstance(error, KeyboardInterrupt):
                raise
            print(f"{file}: without {name} ({error})", file=sys.stderr)
    return judge, found


def time_lines(encode: Encode, lines: Sequence[str]) -> float:
    """Return the processor time, in seconds, of encoding lines one by one."""
    start = process_time()
    for line in lines:
        encode(line)
    return process_time() - start


def measure_file(file: Path, lines: Sequence[str], per_round: int) -> dict[str, str]:
    """Return the cells of the table's row for a file and a text, by the name of their column.

    Args:
        file: the tokenizer.
        lines: the text, of which the first `WARM_UP` lines are not timed.
        per_round: how many lines each engine encodes before the next one's turn.

    Raises:
        SystemExit: our ids of a line are not those of the library that defines the file.
    """
    judge, found = open_engines(file)
    for encode in found.values():
        time_lines(encode, lines[:WARM_UP])
    times: dict[str, list[float]] = {name: [] for name in found}
    for number, start in enumerate(range(WARM_UP, len(lines), per_round)):
        some = lines[start : start + per_round]
        size = sum(len(line.encode()) for line in some)
        order = list(found)
        turn = number % len(order)
        for name in order[turn:] + order[:turn]:
            times[name].append(time_lines(found[name], some) / size * 1e9)
    others = dict.fromkeys(found, 0)
    for line in lines:
        right = list(found[judge](line))
        for name, encode in found.items():
            others[name] += list(encode(line)) != right
            if others["wwho"]:
                sys.exit(f"{file}: other ids than {judge} for {line!r}")
    ours = times.pop("wwho")
    ratios = {
        name: median(a / b for a, b in zip(each, ours, strict=True)) for name, each in times.items()
    }
    exact = {name: ratio for name, ratio in ratios.items() if not others[name]}
    best = min(exact, key=exact.__getitem__)
    cells = {name: f"{ratio:.2f}" for name, ratio in ratios.items()}
    for name in ratios.keys() - exact.keys():
        cells[name] += f" (other ids in {others[name]} of {len(lines)} lines)"
    return {
        "ns per byte": f"{median(ours):.1f}",
        **cells,
        "fastest exact": f"{best} {exact[best]:.2f}",
    }


def main() -> None:
    """Measure each file with each text, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="tokenizer.json, or SentencePiece's")
    parser.add_argument(
        "--text", action="append", default=[], metavar="NAME=FILE", help="instead of the corpora"
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--lines", type=int, default=1000, help="in a round")
    parser.add_argument("--width", type=int, default=200, help="characters of a line, at most")
    given = parser.parse_args()
    named = {name: Path(file) for name, _, file in (text.partition("=") for text in given.text)}
    wanted = WARM_UP + given.rounds * given.lines
    texts = read_texts(wanted * 8 * given.width, named)
    columns = ("ns per byte", *list(ENGINES)[1:], "fastest exact")
    print(f"| file, text | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for file in given.files:
        for name in named or ENGLISH_AND_HINDI:
            lines = [line[: given.width] for line in texts[name].decode().split("\n") if line]
            if len(lines) < wanted:
                parser.error(f"{name} has {len(lines)} lines with text, {wanted} are needed")
            cells = measure_file(file, lines[:wanted], given.lines)
            row = " | ".join(cells.get(column, "") for column in columns)
            print(f"| {file}, {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
