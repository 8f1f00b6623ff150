"""Pieces longer than what the merge remembers: tokens far enough back are final."""

from __future__ import annotations

import random
import re

import oracle
import pytest
from tiny import bpe_of

from wwho import get_encoding
from wwho.encodings import model_bytes
from wwho.format.model import Pair
from wwho.format.read import read_artifact
from wwho.reference.merge import merge

HEADER = (oracle.ROOT / "wasm" / "src" / "merge.h").read_text("utf-8")
SHIFT, STATED = (
    int(found[1].replace(",", ""))
    for found in (
        re.search(r"#define REACH \(1u << (\d+)\)", HEADER),
        re.search(r"by ([\d,]+) bytes at most", HEADER),
    )
    if found
)
REACH = 1 << SHIFT
MODELS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base", "wwho_328k", "wwho_400k")


def furthest(sizes: list[int], merges: list[Pair]) -> int:
    """How many bytes back what follows a place can change the tokens, at most.

    Two texts that differ from a place on merge alike up to it. The merge of one rank moves that
    place by at most one token, the left one of its pair; `back` has, for the token that begins at
    it, how far it has come.
    """
    back = [0] * len(sizes)
    for left, right in merges:
        back[left] = max(back[left], back[right]) + sizes[left]
        back.append(back[left])
        sizes.append(sizes[left] + sizes[right])
    return max(back)


@pytest.mark.slow
def test_no_vocabulary_reaches_back_further() -> None:
    found = []
    for name in MODELS:
        model = read_artifact(model_bytes(name))
        found.append(furthest([1] * 256, list(bpe_of(model.models[0]).merges)))
        for units in map(bpe_of, model.models[1:]):
            found.append(furthest([len(text) for text in units.symbols], list(units.merges)))
    assert max(found) == STATED < REACH / 2


def test_the_bound_holds() -> None:
    """A change at the end of a text changes no token further back than `furthest` says."""
    rng = random.Random(4)
    least = 1000
    for _ in range(300):
        merges: list[Pair] = []
        for _ in range(rng.choice((3, 8, 20))):
            pair = (rng.randrange(3 + len(merges)), rng.randrange(3 + len(merges)))
            merges += [pair] * (pair not in merges)
        sizes = [1] * 3
        bound = furthest(sizes, merges)
        ranks = {pair: 3 + k for k, pair in enumerate(merges)}
        text = rng.choices(range(3), k=200)
        one, other = (merge(text + end, ranks) for end in ([0], rng.choices(range(3), k=9)))
        pairs = enumerate(zip(one, other, strict=False))
        same = next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))
        at = sum(sizes[token] for token in one[:same])
        assert at >= 200 - bound
        least = min(least, at - (200 - bound))
    assert least < 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["o200k_base", "wwho_328k", "wwho_super_328k"])
def test_pieces_beyond_what_is_remembered(name: str) -> None:
    rng = random.Random(name)
    letters, signs = (list(map(chr, range(*ends))) for ends in ((0xD9A, 0xDB2), (0xDCF, 0xDD5)))
    word = "".join(rng.choice(letters) + rng.choice(signs) for _ in range(2 * REACH))
    texts = [
        "".join(rng.choices("qxzjkv", k=5 * REACH)),
        word,
        word[:REACH] + "ක්‍ෂ්‍ෂ්‍ෂ" + word,
        "".join(rng.choices("-=", k=3 * REACH)),
    ]
    native, reference = (get_encoding(name, backend=backend) for backend in ("native", "reference"))
    for text in texts:
        ids, offsets = native.encode_with_offsets(text)
        assert ids == reference.encode(text)
        assert [end for _, end in offsets][-1] == len(text)
        assert native.count(text) == len(ids)
    assert len(native.encode(texts[0])) > 2 * REACH
