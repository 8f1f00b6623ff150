"""Vocabularies that trainers do not make: the merge gives what it should, or at least the text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from odd_models import (
    CHAIN,
    DOUBLED,
    DOUBLINGS,
    GIVES_UP,
    LETTERS,
    any_pairs,
    byte_model,
    chain_model,
    doubled,
    giving_up_bytes,
    giving_up_letters,
    letter_model,
    lettered,
    long_token_model,
    phrase_model,
    replayable,
)

from wwho import Tokenizer
from wwho.assemble.training_artifacts import unit_model
from wwho.cli.verify_artifact import check_merges
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.errors import ArtifactError
from wwho.format.model import Artifact, Pair
from wwho.format.write import write_artifact
from wwho.reference.merge import merge

LENGTHS = (
    1,
    2,
    7,
    55,
    56,
    57,
    63,
    64,
    65,
    66,
    119,
    120,
    121,
    128,
    191,
    192,
    193,
    200,
    255,
    256,
    257,
    500,
)


def native(model: Artifact) -> Tokenizer:
    return Tokenizer(write_artifact(model), "native")


def check_same(model: Artifact, texts: Sequence[bytes]) -> None:
    """The native core gives the ids of the reference, which are those of FORMAT.md."""
    enc, reference = native(model), Tokenizer(write_artifact(model), "reference")
    for text in texts:
        ids = reference.encode(text)
        assert enc.encode(text) == ids, text
        check_text(enc, text)


def check_text(enc: Tokenizer, text: bytes) -> None:
    """Whatever its tokens are, they are the text's, and the same each time."""
    ids, offsets = enc.encode_with_offsets(text)
    assert enc.decode_bytes(ids) == text
    assert enc.encode(text) == ids
    assert enc.count(text) == len(ids)
    assert enc.count_till_limit(text, len(ids)) == len(ids)
    assert not ids or enc.count_till_limit(text, len(ids) - 1) is None
    assert b"".join(map(enc.decode_single_token_bytes, ids)) == text
    assert all(start <= after and start <= end for (start, end), (after, _) in pairwise(offsets))


def slices(rng: random.Random, text: bytes) -> Iterator[bytes]:
    """Parts of a text of many lengths."""
    for length in LENGTHS:
        if length <= len(text):
            start = rng.randint(0, len(text) - length)
            yield text[start : start + length]


# Vocabularies that replay


def test_tokens_longer_than_any_window() -> None:
    rng = random.Random(1)
    cycle = b"klmnopqrst" * 40
    texts = [b"a" * length for length in (*LENGTHS, 300, 511, 512, 513, 1023, 1024, 1500)]
    texts += [cycle[:length] for length in (299, 300, 301, 400)]
    texts += [b"b" + text + b"k" * 3 + text for text in texts]
    texts += list(slices(rng, cycle))
    check_same(long_token_model(), texts)
    enc = native(long_token_model())
    assert enc.encode(b"a" * 512) == [256 + 8]
    assert len(enc.encode(cycle[:300])) == 1


def test_a_merge_that_the_far_end_decides() -> None:
    """The tokens of windows do not fit together, so that a walk must find those that do."""
    rng = random.Random(2)
    texts = [CHAIN[start:end] for start in range(4) for end in range(60, len(CHAIN), 9)]
    texts += [CHAIN[rng.randint(0, 50) :] + CHAIN[: rng.randint(1, 150)] for _ in range(50)]
    # Line by line: what a walk learns of one piece must be forgotten before the next.
    lines = [CHAIN[:101], CHAIN[:102], bytes([DOUBLED]) * 200, CHAIN[:101], CHAIN[1:150]]
    # with what no window of any length holds
    texts += [bytes([DOUBLED]) * 600 + text for text in texts[::4]]
    check_same(chain_model(), [*texts, *slices(rng, CHAIN), b"\n".join(lines)])
    odd, even = (native(chain_model()).encode(CHAIN[:length]) for length in (101, 102))
    # The first token shows whether the number of bytes, far behind it, is even.
    assert (odd[0], even[0] >= 256) == (CHAIN[0], True)


@pytest.mark.parametrize("n_letters", [1, 2, 3, 4])
def test_random_vocabularies_over_bytes(n_letters: int) -> None:
    for seed in range(60):
        rng = random.Random(seed)
        order = rng.sample(range(256), 256)
        symbols = rng.sample(range(256), n_letters)
        pairs = replayable(rng, symbols, 256, rng.choice((3, 10, 30)))
        letters = bytes(order[symbol] for symbol in symbols)
        texts = [bytes(rng.choices(letters, k=length)) for length in (40, 100, 300)]
        runs = [bytes([rng.choice(letters)]) * rng.randint(1, 150) for _ in range(3)]
        check_same(byte_model(pairs, order), [*texts, b"".join(runs), runs[0]])


def test_random_vocabularies_over_syllables() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        merges = replayable(rng, range(len(LETTERS)), len(LETTERS), rng.choice((3, 10, 30)))
        texts = [bytes(rng.choices(LETTERS, k=length)) for length in (40, 100, 300)]
        runs = [bytes([rng.choice(LETTERS)]) * rng.randint(1, 150) for _ in range(3)]
        broken = [text.replace(b"ab", b"y") for text in texts]
        check_same(letter_model(merges), [*texts, *broken, b" ".join([*texts, *runs])])


@pytest.mark.slow
def test_random_superwords() -> None:
    """Phrases of all lengths, also beyond 64 tokens; words that are no part of one."""
    atoms = (b" a", b" b", b"a", b"b", b"c")
    for seed in range(80):
        rng = random.Random(seed)
        merges = replayable(rng, range(2, 5), len(atoms), rng.choice((2, 5)))
        merges += [(0, 2), (1, 3)][: rng.randint(0, 2)]
        spaced = [0, 1, *(len(atoms) + k for k, (left, _) in enumerate(merges) if left < 2)]
        superwords: list[Pair] = []
        for _ in range(rng.choice((1, 4, 12))):
            known = len(atoms) + len(merges) + len(superwords)
            pair = (rng.randrange(known), rng.choice(spaced))
            if pair not in superwords:
                superwords.append(pair)
                spaced += [known] * (pair[0] in spaced)
        model = phrase_model(atoms, [*merges, *superwords], len(superwords))
        if len(set(unit_model(model).texts)) < len(unit_model(model).texts):
            continue
        words = [bytes(rng.choices(b"abc", k=rng.choice((1, 1, 1, 2, 9)))) for _ in range(300)]
        words += [b"y", b"ay", b"", b"x,", b"a" * 70, b"ab" * 80, b"a\n", b"."]
        texts = [b" ".join(rng.choices(words, k=k)) for k in (2, 5, 30, 200)]
        ends = (b"", b"y", b"b")
        texts += [b"a" + b" a" * k + end for k in (62, 63, 64, 65, 130) for end in ends]
        check_same(model, texts)


def test_superwords_inside_a_segment() -> None:
    """Words of one segment that superwords join: no limit stops before they have."""
    letters, rest = parse_regex("[a ]+"), parse_regex("[^a ]+")
    units = (parse_regex("z"), parse_regex(" ?a"), parse_regex("[^a]"))
    scanners = compile_scanners(
        [
            Scanner("router", (rest, letters), longest=True),
            Scanner("other", (parse_regex("[^z]|z"),), longest=False),
            Scanner("letters", units, longest=True),
        ]
    )
    model = phrase_model((b" a", b"a"), ((1, 0), (0, 0)), 2)
    model = replace(model, scanners=scanners)
    texts = [b"a" + b" a" * k for k in (1, 2, 3, 10, 62, 63, 64, 65, 140)]
    check_same(model, [*texts, *(b"b".join(texts[:k]) for k in range(2, 6))])
    for text in texts:
        cold, warm = native(model), native(model)
        count = warm.count(text)
        for limit in range(count + 2):
            expected = count if count <= limit else None
            assert cold.count_till_limit(text, limit) == expected
            assert warm.count_till_limit(text, limit) == expected


@pytest.mark.parametrize("known", [b"abcdx", b"acdx"])
def test_a_token_whose_text_is_cut_otherwise(known: bytes) -> None:
    """No word is made of ab and c, so abc stands for none of them, as long as they may be."""
    atoms = sorted([b"ab", *(bytes([letter]) for letter in known)])
    merges = [(atoms.index(b"ab"), atoms.index(b"c"))]
    merges += doubled(atoms.index(b"x"), len(atoms) + 1, DOUBLINGS)
    model = lettered(letter_model(merges).scanners, atoms, merges)
    ends = (b"abc", b"dabc", b"abcd", b"dabcabcd")
    check_same(model, [b"x" * count + end for count in (0, 1, 600) for end in ends[count == 0 :]])


# Vocabularies that do not


@pytest.mark.parametrize("make", [giving_up_bytes, giving_up_letters])
def test_a_token_that_does_not_replay_to_itself(make: Callable[[], Artifact]) -> None:
    enc, rng = native(make()), random.Random(3)
    whole = enc.encode_single_token(b"abc")
    assert enc.encode(b"abc") == [whole]
    # the longest run that is one token is what no window holds
    assert len(enc.encode(b"x" * 2**DOUBLINGS)) == 1
    texts = [b"abcd", b"dabcabcdd", GIVES_UP, GIVES_UP + b"y", b"y" + GIVES_UP * 3]
    texts += [bytes(rng.choices(b"abcdxy \n", k=rng.randint(1, 400))) for _ in range(200)]
    texts += [b"x" * rng.randint(1, 700) + text for text in texts]
    for text in [*texts, *texts[::-1]]:
        check_text(enc, text)


@pytest.mark.parametrize("make", [giving_up_bytes, giving_up_letters])
def test_what_the_merge_gives_up_is_spelled(make: Callable[[], Artifact]) -> None:
    """Its symbols become tokens one by one: the last resort of encode.c, for pieces and words."""
    enc = native(make())
    for text in (GIVES_UP, GIVES_UP[2:]):
        assert enc.encode(text) == [enc.encode_single_token(bytes([byte])) for byte in text]
    # in what is short enough to be replayed to the letter, the same letters merge
    assert len(enc.encode(GIVES_UP[-40:])) < 30


def test_random_vocabularies_that_do_not_replay_are_harmless() -> None:
    for seed in range(150):
        rng = random.Random(seed)
        n, count = rng.randint(1, 4), rng.choice((3, 10, 40))
        letters = LETTERS[:n]
        texts = [bytes(rng.choices(letters, k=length)) for length in (3, 30, 70, 150, 400)]
        texts += [letters[:1] * length for length in (64, 65, 129)]
        for model in (
            byte_model(any_pairs(rng, list(letters), 256, count)),
            letter_model(any_pairs(rng, range(n), len(LETTERS), count)),
        ):
            enc = native(model)
            for text in texts:
                check_text(enc, text)


def test_verify_finds_what_does_not_replay() -> None:
    """Without a merge where it need not: the first token whose own symbols merge to another end."""
    refused = 0
    for seed in range(300):
        rng = random.Random(seed)
        pairs = any_pairs(rng, range(rng.randint(1, 4)), len(LETTERS), rng.choice((3, 10, 40)))
        model = letter_model(pairs)
        units = unit_model(model)
        made = {pair: token for token, pair in enumerate(units.merges, units.n_symbols)}
        singles = {symbol: [symbol] for symbol in range(units.n_symbols)}
        for (left, right), token in made.items():
            singles[token] = singles[left] + singles[right]
        broken = [token for token in made.values() if merge(singles[token], made) != [token]]
        if not broken:
            check_merges(model)
            continue
        refused += 1
        with pytest.raises(ArtifactError, match=r"own text merges to") as found:
            check_merges(model)
        least = min(broken, key=lambda token: len(singles[token]))
        assert found.value.status == "REPLAY"
        assert f": token {least} is made of " in str(found.value)
    assert 50 < refused < 290
