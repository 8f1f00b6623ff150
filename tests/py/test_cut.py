"""Cuts in a row, and what their actions mean: as a Sequence of Splits in tokenizers."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from wwho.assemble.base import base_model
from wwho.assemble.fuse import fused_cuts
from wwho.backends.select import BackendName, open_backend
from wwho.compile.codepoints import ALL
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Chars
from wwho.format.automaton import Automaton
from wwho.format.model import Artifact, Route
from wwho.format.steps import Action, Cut
from wwho.format.write import write_artifact
from wwho.reference.cut import cut_places

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
    """An artifact with a cut for each split."""
    scanners = compile_scanners(
        [Scanner("split", (parse_regex(p), Chars(ALL)), longest=False) for p, _ in splits]
    )
    cuts = tuple(
        Cut(number, (BEHAVIOURS[how], Action.GROUP)) for number, (_, how) in enumerate(splits)
    )
    base = base_model(tokens(), pattern="o200k_base", specials={}, provenance={"name": "splits"})
    return replace(base, scanners=scanners, routes=(Route("other", model=0, steps=cuts),))


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


@pytest.mark.parametrize(
    ("text", "joins", "expected"),
    [
        ("1234567", "", "1 234 567"),
        ("12", "", "12"),
        ("a1234b", "", "a 1 234 b"),
        ("a1234b", "short_joins", "a1 234 b"),
        ("a123b", "short_joins", "a 123 b"),
        ("a123456b", "first_joins", "a123 456 b"),
        ("a1234b", "last_joins", "a 1 234b"),
        ("a12b34,5", "short_joins last_joins", "a12b34,5"),
        ("34,567", "short_joins", "34, 567"),
        (".12.", "short_joins", "12"),
        (".1234x", "first_joins last_joins", "1 234x"),
    ],
)
def test_groups_are_counted_from_the_end(text: str, joins: str, expected: str) -> None:
    """COUNT: a full stop is dropped, a comma joins what is before it."""
    rules = ("[0-9]+", "[.]", ",", "[a-z]")
    scanners = compile_scanners(
        [Scanner("digits", (*map(parse_regex, rules), Chars(ALL)), longest=False)]
    )
    actions = (Action.COUNT, Action.DROP, Action.BEFORE, Action.KEEP, Action.KEEP)
    flags = dict.fromkeys(joins.split(), True)
    step = Cut(0, actions, (3, 0, 0, 0, 0), **flags)
    assert [text[a:b] for a, b in cut_places(step, text, scanners)] == expected.split()


def test_two_cuts_never_see_across() -> None:
    """A look-ahead of the second cut sees the end of the piece."""
    scanners = compile_scanners(
        [
            Scanner("spaces", (parse_regex(r"\s+"), Chars(ALL)), longest=False),
            Scanner("last", (parse_regex(r"\s(?!\s)"), Chars(ALL)), longest=False),
        ]
    )
    alone, last = (Cut(k, (Action.KEEP, Action.GROUP)) for k in range(2))
    assert cut_places(alone, "a  b", scanners) == [(0, 1), (1, 3), (3, 4)]
    assert cut_places(last, "a  b", scanners) == [(0, 2), (2, 3), (3, 4)]
    assert cut_places(last, "  ", scanners) == [(0, 1), (1, 2)]


def with_fused_cuts(cuts: Artifact) -> Artifact:
    """Return an artifact whose cuts are as few automata as they can be."""
    automata: list[Automaton] = []
    steps: list[Cut] = []
    for made in fused_cuts(cuts.scanners, [s for s in cuts.routes[0].steps if isinstance(s, Cut)]):
        if isinstance(made, Automaton):
            actions = (Action.KEEP, Action.DROP)[: made.n_rules]
            steps.append(Cut(len(automata), actions))
            automata.append(made)
        else:
            steps.append(replace(made, automaton=len(automata)))
            automata.append(cuts.scanners.automata[made.automaton])
    scanners = replace(cuts.scanners, automata=tuple(automata))
    return replace(cuts, scanners=scanners, routes=(replace(cuts.routes[0], steps=tuple(steps)),))


def test_cuts_become_one() -> None:
    """Cuts that are one automaton cut as they did; of some, the next character is not enough."""
    numbers = []
    for splits in random.Random(2).sample(PAIRS, 12):
        cuts = artifact(*splits)
        fused = with_fused_cuts(cuts)
        numbers.append(len(fused.routes[0].steps))
        before, after = (open_backend(write_artifact(each), "native") for each in (cuts, fused))
        for text in texts(f"one {splits}"):
            data = text.encode()
            assert after.spans(data) == before.spans(data), (splits, text)
            assert after.encode(data, None, False) == before.encode(data, None, False), splits
    assert {*numbers} == {1, 2}
