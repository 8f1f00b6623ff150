"""What 1,000 protected tokens cost: one text with and without them, the best of many turns."""

from __future__ import annotations

import argparse
import lzma
import time
from dataclasses import replace
from pathlib import Path

from wwho import Tokenizer
from wwho.encodings import model_bytes
from wwho.format.model import Added, Flag
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact

COMMON = ("the", "of", "and", "to", "in", "a", "is", "was", "for", "that")
ATOMS: dict[str, list[str]] = {
    "none": [],
    "tags": [f"[tag:{n}|{n * 7}]" for n in range(1000)],
    "phrases": [f" {COMMON[n % 10]}#{n}" for n in range(1000)],
}


def with_atoms(atoms: list[str]) -> Tokenizer:
    """o200k_base, and these as protected tokens."""
    base = read_artifact(model_bytes("o200k_base"))
    added = [Added(text, base.n_vocab + n, Flag(0)) for n, text in enumerate(atoms)]
    return Tokenizer.from_bytes(write_artifact(replace(base, added=(*base.added, *added))))


def main() -> None:
    """Print milliseconds of one processor, and the speed over that without atoms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, help="a text, plain or .xz")
    parser.add_argument("--turns", type=int, default=25)
    options = parser.parse_args()
    data = options.text.read_bytes()
    text = (lzma.decompress(data) if options.text.suffix == ".xz" else data)[:1_000_000]
    tokenizers = {name: with_atoms(atoms) for name, atoms in ATOMS.items()}
    best = dict.fromkeys(ATOMS, float("inf"))
    for _ in range(options.turns):
        for name, enc in tokenizers.items():
            start = time.process_time()
            enc.encode_to_numpy(text)
            best[name] = min(best[name], time.process_time() - start)
    for name, seconds in best.items():
        print(f"{name:<8} {1000 * seconds:7.2f} ms  {best['none'] / seconds:.3f}")


if __name__ == "__main__":
    main()
