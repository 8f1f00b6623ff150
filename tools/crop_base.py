"""Write a base of the tokens of a shipped encoding that texts use most.

    python tools/crop_base.py o200k_base 45000 base.wwho english.txt=2 code.txt

Of a byte BPE, such as o200k_base, it keeps the 256 bytes and so many merged tokens that there are
45,000 ids: those that the texts use most often, and those that these are merged from. What is kept
merges in the same order as before, and special tokens are left out. A number behind the name of a
text says how often its tokens count. The same texts give the same base.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "py"))
import wwho
from wwho.assemble.atoms import AtomKind
from wwho.assemble.training_artifacts import base_from_merges
from wwho.encodings import model_bytes
from wwho.format.bpe import BPE
from wwho.format.files import write_atomic
from wwho.format.model import Pair
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.train.resolve import NO_BASE, resolve_base

LINES = 50
"""How many lines are encoded together, so that runs of line feeds and indents stay whole."""


def count_tokens(encoding: str, texts: Iterable[str]) -> dict[int, Fraction]:
    """Return how often each id of an encoding occurs in texts.

    Args:
        encoding: the name of a shipped encoding.
        texts: names of files in UTF-8, each with ``=`` and a weight, or without for 1.
    """
    tokenizer, total = wwho.get_encoding(encoding), defaultdict[int, Fraction](Fraction)
    for text in texts:
        name, _, weight = text.partition("=")
        counts = Counter[int]()
        with open(name, encoding="utf-8", errors="replace", newline="\n") as file:
            while lines := list(islice(file, LINES)):
                counts.update(tokenizer.encode_ordinary("".join(lines)))
        for token, count in counts.items():
            total[token] += count * Fraction(weight or 1)
    return total


def most_used(model: BPE, counts: Mapping[int, Fraction], n_tokens: int) -> list[int]:
    """Return ids of merged tokens, ascending: the most used ones with all that they are made of.

    Args:
        model: a byte BPE whose ids count up from 0, bytes first.
        counts: how often each id is used; among equals the lowest id goes first.
        n_tokens: how many merged tokens to keep; a last one with too many parts is passed over.
    """
    n_bytes, kept = len(model.symbols), set[int]()
    for token in sorted(counts, key=lambda token: (-counts[token], token)):
        parts, found = [token], set[int]()
        while parts:
            part = parts.pop()
            if part in kept or part in found or not n_bytes <= part < len(model.texts):
                continue
            found.add(part)
            parts += model.merges[part - n_bytes]
        if len(kept) + len(found) <= n_tokens:
            kept |= found
    return sorted(kept)


def renumber_merges(model: BPE, kept: Sequence[int]) -> list[Pair]:
    """Return the merges of these tokens, for a BPE whose symbols are the bytes in order."""
    n_bytes = len(model.symbols)
    new = {token: symbol[0] for token, symbol in enumerate(model.symbols)}
    new |= {token: n_bytes + place for place, token in enumerate(kept)}
    return [
        (new[left], new[right]) for left, right in (model.merges[token - n_bytes] for token in kept)
    ]


def main() -> None:
    """Count the tokens of the texts, and write the base."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoding")
    parser.add_argument("size", type=int)
    parser.add_argument("output", type=Path)
    parser.add_argument("texts", nargs="+")
    options = parser.parse_args()
    whole = read_artifact(model_bytes(options.encoding))
    (model,) = whole.models
    assert isinstance(model, BPE)
    counts = count_tokens(options.encoding, options.texts)
    kept = most_used(model, counts, options.size - len(model.symbols))
    base = base_from_merges(
        resolve_base(NO_BASE, options.encoding, AtomKind.BYTE),
        specials={},
        merges=renumber_merges(model, kept),
        provenance={
            "name": options.output.stem,
            "cropped": f"{options.encoding}, {len(kept)} merges",
        },
        protect=(),
    )
    write_atomic(options.output, write_artifact(base))
    used = {token: count for token, count in counts.items() if token >= len(model.symbols)}
    share = float(sum(used.get(token, 0) for token in kept) / sum(used.values()))
    print(f"{base.n_vocab:,} ids, with {share:.2%} of the merged tokens of the texts")


if __name__ == "__main__":
    main()
