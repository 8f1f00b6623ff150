"""The cache of pretokens, which lies in the scratch memory: with it, without it, in any order.

Without it is: with scratch memory that is zeroed before each call.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

import pytest
from corelib import Core
from exhaustive import chosen
from strategies import BROKEN, HARD
from vector_checks import artifact, vectors

from wwho._core import lib
from wwho.text import to_bytes

NAMES = ("tiny", "paper", "o200k_base", "wwho_328k", "wwho_super_328k")
LONGEST = 1 << 21
MANY_WORDS = 210_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CONSONANTS, SIGNS = "කගචජටඩණතදනපබමයරලවසහළ", ("", "ා", "ි", "ු", "ෙ", "ො", "්")
SYLLABLES = [consonant + sign for consonant in CONSONANTS for sign in SIGNS]

Tokens = tuple[list[int], list[int]]


def without_cache(name: str, texts: Iterable[bytes]) -> dict[bytes, Tokens]:
    """Return ids and ends of each text, found with an empty cache."""
    core, found = Core.open(artifact(name), LONGEST), {}
    for text in texts:
        core.forget()
        found[text] = core.tokens(text)
    return found


def check_with_cache(name: str, expected: dict[bytes, Tokens]) -> None:
    """Assert that texts encode the same with a cache, in order, backwards and shuffled."""
    core, texts = Core.open(artifact(name), LONGEST), list(expected)
    shuffled = random.Random(3).sample(texts, len(texts))
    for order in (texts, texts[::-1], shuffled, shuffled):
        for text in order:
            assert core.tokens(text) == expected[text]
            assert core.count(text, LONGEST) == len(expected[text][0])
            ids = expected[text][0]  # which alone are written in another way
            assert core.encode(text, len(text), with_ends=False)[1][: len(ids)] == ids


def hard_words() -> Iterator[bytes]:
    """Yield texts of every length up to the longest that is kept, and some that differ in little.

    Some end in zeros, as texts do that are padded; some are near the end of a text, some are not.
    """
    rng = random.Random(1)
    for length in (*range(1, 70), 100, 128, 129, 200, 255, 256, 257, 300):
        letters = "".join(rng.choices(LETTERS, k=length)).encode()
        syllables = "".join(rng.choices(SYLLABLES, k=length))
        for text in (letters, bytes(length), b"a" + bytes(length), b"q" * length, b" " * length):
            yield from (text, b" " + text, text + b"\n" + b"x" * 64)
        for text in (syllables.encode(), rng.randbytes(length), syllables.encode()[: 2 * length]):
            yield from (text, b" " + text, text + b" " * 64)
    parts = [part.encode() for part in HARD] + list(BROKEN)
    for _ in range(400):
        yield b"".join(rng.choices(parts, k=rng.randint(1, 12)))


def texts_of_vectors(name: str) -> Iterator[bytes]:
    """Yield the texts of the vectors of an encoding, as bytes."""
    for line in vectors(name):
        if "segments" in line:
            text = line.get("text")
            yield bytes.fromhex(line["bytes_hex"]) if text is None else to_bytes(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_warm_cache_gives_what_none_gives(name: str) -> None:
    texts = {*hard_words(), *texts_of_vectors(name)}
    assert len(texts) > 1500
    check_with_cache(name, without_cache(name, sorted(texts)))


def few_at_a_time(name: str, words: Sequence[bytes]) -> dict[bytes, Tokens]:
    """Return ids and ends of each word, with few words in the cache at a time."""
    core, found = Core.open(artifact(name), LONGEST), {}
    for start in range(0, len(words), 20):
        core.forget()
        part = words[start : start + 20]
        ids, ends = core.tokens(b"".join(part))
        first, before = 0, 0
        for word in part:
            end = ends.index(before + len(word), first) + 1
            found[word] = ids[first:end], [each - before for each in ends[first:end]]
            first, before = end, before + len(word)
    return found


def many_words(rng: random.Random, n: int, sinhala: bool) -> list[bytes]:
    """Return n different words, each with the space before it."""
    parts, lengths = (SYLLABLES, range(2, 6)) if sinhala else (LETTERS, (4, 5, 6, 9, 17, 30))
    found: dict[str, None] = {}
    while len(found) < n:
        found[" " + "".join(rng.choices(parts, k=rng.choice(lengths)))] = None
    return [word.encode() for word in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sinhala"),
    chosen([("o200k_base", False), ("wwho_328k", True)], ("wwho_328k", True)),
)
def test_more_words_than_the_cache_has_room_for(name: str, sinhala: bool) -> None:
    """Each takes the place of another, in long texts and word by word."""
    core = Core.open(artifact(name), LONGEST)
    words = many_words(random.Random(2), MANY_WORDS, sinhala)
    expected = few_at_a_time(name, words)
    kept = sum(len(word) + 4 * len(ids) for word, (ids, _) in expected.items())
    assert kept > lib.wwho_scratch_size(core.model)
    for order in (words, words[::-1], words[::2] + words[:200] * 20 + words[1::2]):
        for start in range(0, len(order), 5000):
            part = order[start : start + 5000]
            ids, ends = core.tokens(b"".join(part))
            assert ids == [token for word in part for token in expected[word][0]]
            assert len(ids) == len(ends)
    for word in words[::7] + words[::-7]:
        assert core.tokens(word) == expected[word]
