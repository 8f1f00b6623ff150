"""Pretokenizers in a row, and what their actions mean: as a Sequence of Splits in tokenizers."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from wwho.assemble.base import base_model
from wwho.assemble.fuse import fuse
from wwho.backends.select import BackendName, open_backend
from wwho.compile.codepoints import ALL
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Chars
from wwho.format.model import Action, Artifact, Route, Stage
from wwho.format.write import write_artifact
from wwho.reference.cut import split

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")

# What a Split does with a match. What no match begins in is a match of the second rule, one
# character long, and joins its like.
BEHAVIOURS = {
    "removed": Action.DROP,
    "isolated": Action.KEEP,
    "merged_with_previous": Action.BEFORE,
    "merged_with_next": Action.BEHIND,
    "contiguous": Action.GROUP,
}
SPLITS = (r"\s+", r"[0-9]{1,2}", r"[,.]", r"ab|b+", r"\w+(?!\w)")
PAIRS = list(product(product(SPLITS, BEHAVIOURS), repeat=2))
LETTERS = "aabbcd  12 3,.\nè\u0d9a"
CORPUS = ["abba cab 12, 3.4 bad,dab\nabab  123 bèbè ක", "a,b.c 1a2b dabba dabba 33"] * 20


def texts(seed: str) -> list[str]:
    """Random texts of some letters, and those of the corpus."""
    rng = random.Random(seed)
    made = ["".join(rng.choices(LETTERS, k=rng.randint(1, 40))) for _ in range(60)]
    return ["", *CORPUS[:2], *made]


def theirs(*splits: tuple[str, str]) -> Any:
    """The pre-tokenizer of tokenizers."""
    each = [tokenizers.pre_tokenizers.Split(tokenizers.Regex(p), how) for p, how in splits]
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizers.pre_tokenizers.Sequence([*each, level])


@cache
def vocabulary() -> Any:
    """A small BPE over bytes, trained without any split, so that tokens may cross most borders."""
    found = tokenizers.Tokenizer(tokenizers.models.BPE())
    found.pre_tokenizer = theirs()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=330, initial_alphabet=alphabet, show_progress=False
    )
    found.train_from_iterator(CORPUS, trainer)
    return found


@cache
def tokens() -> list[bytes]:
    """The texts of its tokens, by id."""
    printable = [byte for byte in range(256) if chr(byte).isprintable() and byte != 0x20]
    others = [byte for byte in range(256) if byte not in printable]
    letters = [*map(chr, printable), *map(chr, range(256, 256 + len(others)))]
    byte_of = dict(zip(letters, [*printable, *others], strict=True))
    names = sorted(vocabulary().get_vocab().items(), key=lambda item: item[1])
    return [bytes(byte_of[letter] for letter in name) for name, _ in names]


@cache
def artifact(*splits: tuple[str, str]) -> Artifact:
    """An artifact with a stage for each split."""
    scanners = compile_scanners(
        [Scanner("split", (parse_regex(p), Chars(ALL)), longest=False) for p, _ in splits]
    )
    stages = tuple(
        Stage(number, (BEHAVIOURS[how], Action.GROUP)) for number, (_, how) in enumerate(splits)
    )
    base = base_model(tokens(), pattern="o200k_base", specials={}, provenance={"name": "splits"})
    route = Route("other", model=0, stages=tuple(range(len(stages))))
    return replace(base, scanners=scanners, stages=stages, routes=(route,))


@pytest.mark.parametrize("how", BEHAVIOURS)
@pytest.mark.parametrize("pattern", SPLITS)
@pytest.mark.parametrize("name", ["native", "reference"])
def test_a_split(name: BackendName, pattern: str, how: str) -> None:
    check(name, (pattern, how))


@pytest.mark.parametrize("name", ["native", "reference"])
def test_splits_in_a_row(name: BackendName) -> None:
    for splits in random.Random(1).sample(PAIRS, 40):
        check(name, *splits)
    check(name, (SPLITS[0], "merged_with_next"), (SPLITS[1], "isolated"), (SPLITS[2], "removed"))


def check(name: BackendName, *splits: tuple[str, str]) -> None:
    """The pieces and ids of these splits are those of tokenizers."""
    backend, expected = open_backend(write_artifact(artifact(*splits)), name), vocabulary()
    expected.pre_tokenizer = theirs(*splits)
    for text in texts(str(splits)):
        data = text.encode()
        pieces = [data[span.start : span.end].decode() for span in backend.spans(data)]
        cut = expected.pre_tokenizer.pre_tokenize_str(text)
        assert pieces == [text[start:end] for _, (start, end) in cut], (splits, text)
        assert backend.encode(data, None, False) == expected.encode(text).ids, (splits, text)


def test_two_stages_never_see_across() -> None:
    """A look-ahead of the second stage sees the end of the piece."""
    scanners = compile_scanners(
        [
            Scanner("spaces", (parse_regex(r"\s+"), Chars(ALL)), longest=False),
            Scanner("last", (parse_regex(r"\s(?!\s)"), Chars(ALL)), longest=False),
        ]
    )
    alone, last = (Stage(k, (Action.KEEP, Action.GROUP)) for k in range(2))
    assert split(scanners, alone, "a  b") == [(0, 1), (1, 3), (3, 4)]
    assert split(scanners, last, "a  b") == [(0, 2), (2, 3), (3, 4)]
    assert split(scanners, last, "  ") == [(0, 1), (1, 2)]


def test_stages_become_one() -> None:
    """Stages that are one automaton cut as they did; of some, the next character is not enough."""
    numbers = []
    for splits in random.Random(2).sample(PAIRS, 12):
        stages = artifact(*splits)
        fused = fuse(stages)
        numbers.append(len(fused.stages))
        before, after = (open_backend(write_artifact(each), "native") for each in (stages, fused))
        for text in texts(f"one {splits}"):
            data = text.encode()
            assert after.spans(data) == before.spans(data), (splits, text)
            assert after.encode(data, None, False) == before.encode(data, None, False), splits
    assert {*numbers} == {1, 2}
