"""Cut a shuffled corpus of many sources into kinds of text, which take the place of its sources.

    python tools/split_sources.py ../shared/corpora/train_mix.txt.xz build/sources

writes `build/sources/si-0.txt` and so on: the lines whose letters are mostly Sinhala, Devanagari or
others (si, hi, en), those of each language in six kinds of about the same vocabulary. Any other
corpus is of one language, as its name says: train_kn.txt.xz. There are as many kinds of each
language as `--kinds` says, and of a language with more bytes than `--most` about so many are taken,
the lines with the lowest hashes. Kinds are found by expectation maximization: a line is of the kind
whose words, of 65,536 classes by their hash, are most probable in it. Nothing is drawn at random:
the same corpus gives the same files. `wwho train --balanced` leaves out one after the other to see
what a vocabulary is worth on text that it was not made of.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from zlib import crc32

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "py"))
from wwho.corpus import Corpus

CLASSES, ROUNDS = 1 << 16, 25
WORDS = 30
"""How many words of a line are looked at: more tell nothing new of its kind."""
SETTLED = 0.004
"""The search ends when a smaller share of the lines than this changes its kind."""
SINHALA, DEVANAGARI = re.compile(b"\xe0[\xb6\xb7]"), re.compile(b"\xe0[\xa4\xa5]")


def find_language(line: bytes) -> str:
    """Return the language of a line: si, hi, or en for all others.

    A line is of a script if a seventh of its characters or so are.
    """
    sinhala, devanagari = len(SINHALA.findall(line)), len(DEVANAGARI.findall(line))
    if 20 * (sinhala + devanagari) < len(line):
        return "en"
    return "si" if sinhala >= devanagari else "hi"


def find_kinds(lines: list[bytes], count: int) -> np.ndarray:
    """Return the kind of each line, 0..count-1, found by expectation maximization.

    The first guess is a hash of the line, and there are at most `ROUNDS` rounds.
    """
    known: dict[bytes, int] = {}
    words, ends = [], []
    for line in lines:
        for word in line.split()[:WORDS]:
            number = known.get(word)
            if number is None:
                number = known[word] = crc32(word) % CLASSES
            words.append(number)
        ends.append(len(words))
    found = np.array(words, np.int32)
    row = np.repeat(np.arange(len(lines)), np.diff(ends, prepend=0))
    kind = np.array([crc32(line) % count for line in lines])
    for _ in range(ROUNDS):
        scores = np.empty((count, len(lines)))
        for k in range(count):
            counts = np.bincount(found[kind[row] == k], minlength=CLASSES) + 0.5
            scores[k] = np.bincount(
                row, weights=np.log(counts / counts.sum())[found], minlength=len(lines)
            )
        before, kind = kind, scores.argmax(axis=0)
        if (before != kind).mean() < SETTLED:
            break
    return kind


def read_languages(corpus: str) -> dict[str, list[bytes]]:
    """Read a corpus, and return its lines by language, each with its line feed."""
    name = Path(corpus).name.split(".")[0].removeprefix("train_")
    found: dict[str, list[bytes]] = {"si": [], "hi": [], "en": []} if name == "mix" else {name: []}
    for block in Corpus([corpus]).blocks(lambda _: None):
        for line in block.splitlines(keepends=True):
            found[find_language(line) if name == "mix" else name].append(line)
    return found


def main() -> None:
    """Read the corpora on the command line, and write a file for each kind of each language."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kinds", type=int, default=6)
    parser.add_argument("--most", type=int, default=1 << 40)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for corpus in options.corpora:
        for name, lines in read_languages(corpus).items():
            share = options.most / sum(map(len, lines))
            lines = [line for line in lines if crc32(line) < share * 2**32]
            found = find_kinds(lines, options.kinds)
            for k in range(options.kinds):
                chosen = b"".join(lines[i] for i in np.flatnonzero(found == k))
                (options.folder / f"{name}-{k}.txt").write_bytes(chosen)
                print(f"{name}-{k}.txt: {int((found == k).sum()):,} lines, {len(chosen):,} bytes")


if __name__ == "__main__":
    main()
