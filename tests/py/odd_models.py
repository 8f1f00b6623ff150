"""Models with vocabularies that trainers do not make, for what the merge does with them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from tiny import bpe_of, small_model, smallest_model

from wwho.assemble.atoms import cut_with_routes
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Pair, Route
from wwho.format.steps import Action, Cut
from wwho.reference.merge import merge

LETTERS = b"abcdx"
DOUBLINGS = 8
# The merge is given up only by a walk, which begins where windows do not fit together: in a chain,
# the first pairs of which do what the last decide. Bytes need one that is longer than two windows.
LINKS = bytes([*range(0x80, 0x100), *range(ord("!"), ord("a")), *range(ord("e"), ord("x"))])
GIVES_UP = LINKS + b"abcd"


def byte_model(
    pairs: Sequence[Pair], order: Sequence[int] = range(256), piece: str = "(?:a|[^a])+"
) -> Artifact:
    """A base of these pairs over bytes in this order; by default, any text is one piece."""
    return replace(
        smallest_model(),
        scanners=compile_scanners([Scanner("pieces", (parse_regex(piece),), longest=False)]),
        routes=(Route("other", model=0, steps=(Cut(0, (Action.KEEP,)),)),),
        models=(BPE(symbols=tuple(bytes([byte]) for byte in order), merges=tuple(pairs)),),
        provenance={"name": "odd"},
    )


def letter_model(
    merges: Sequence[Pair], atoms: bytes = LETTERS, syllables: str = "a-dxy"
) -> Artifact:
    """These merges, counted from the letters a, b, c, d and x; any of them is a syllable.

    So is y, which is no symbol.
    """
    letters, rest = parse_regex(f"[{syllables}]+"), parse_regex(f"[^{syllables}]+")
    scanners = compile_scanners(
        [
            Scanner("router", (rest, letters), longest=False),
            Scanner("other", (parse_regex("[^\\n]+|\\n"),), longest=False),
            Scanner(
                "letters",
                (parse_regex(f"[{syllables}]"), parse_regex(f"[^{syllables}]")),
                longest=False,
            ),
        ]
    )
    return lettered(scanners, tuple(bytes([letter]) for letter in atoms), merges)


def lettered(
    scanners: CompiledScanners,
    symbols: Sequence[bytes],
    merges: Sequence[Pair],
    superwords: int = 0,
) -> Artifact:
    """A model of units for route 1 of these scanners."""
    small = small_model()
    base, units = map(bpe_of, small.models)
    units = replace(
        units,
        symbols=tuple(symbols),
        merges=tuple(merges),
        n_superwords=superwords,
        space_id=None,
    )
    return replace(
        small,
        **cut_with_routes(scanners, [Route("letters", 1, units=2)], pretokenizer=1),
        models=(base, units),
        provenance={"name": "odd letters"},
    )


def phrase_model(atoms: Sequence[bytes], merges: Sequence[Pair], superwords: int) -> Artifact:
    """Units and these merges, the last of which join words.

    A letter from a to d, x or y is a syllable, and so is such a letter behind a space.
    """
    letters, rest = parse_regex(" ?[a-dxy]+"), parse_regex("[^a-dxy ]+| ")
    scanners = compile_scanners(
        [
            Scanner("router", (rest, letters), longest=True),
            Scanner("other", (parse_regex("[^\\n]+|\\n"),), longest=False),
            Scanner("letters", (parse_regex(" ?[a-dxy]"), parse_regex("[^a-dxy]")), longest=True),
        ]
    )
    return lettered(scanners, atoms, merges, superwords)


def doubled(symbol: int, first: int, times: int) -> list[Pair]:
    """Tokens of 2, 4, 8, ... of a symbol, from id `first` on."""
    return [(symbol, symbol), *((first + k, first + k) for k in range(times - 1))]


def giving_up(symbols: Mapping[int, int]) -> list[Pair]:
    """Pairs by which no walk over GIVES_UP ends well; `symbols` has the id of each byte.

    The token abc does not replay to itself: it is ab + c, but bc comes first. The walk from left to
    right takes abc, finds that c would rather have joined the d behind it, and marks the place
    behind c as dead, where a + bc would have gone on.
    """
    a, b, c, d, x = (symbols[letter] for letter in LETTERS)
    bc, ab, cd, first = (b, c), (a, b), (c, d), len(symbols)
    known = [letter for letter in LINKS if letter in symbols]
    links = [(symbols[left], symbols[right]) for left, right in pairwise(known)][::-1]
    return [bc, ab, cd, (first + 1, c), *doubled(x, first + 4, DOUBLINGS), *links]


def giving_up_bytes() -> Artifact:
    """A base that gives up."""
    return byte_model(giving_up({byte: byte for byte in range(256)}))


def giving_up_letters() -> Artifact:
    """A vocabulary of units that gives up."""
    atoms = bytes(range(ord("!"), ord("y")))
    return letter_model(giving_up({byte: k for k, byte in enumerate(atoms)}), atoms, "!-y")


def long_token_model() -> Artifact:
    """Tokens of up to 512 times one letter, and one of 300 letters that grows at its end."""
    pairs = doubled(ord("a"), 256, 9)
    last = ord("k")
    for k in range(299):
        pairs.append((last, ord("klmnopqrst"[(k + 1) % 10])))
        last = 256 + len(pairs) - 1
    return byte_model(pairs)


CHAIN = bytes(range(ord("\n") + 1, 200))
DOUBLED = 255


def chain_model() -> Artifact:
    """Pairs of neighbours in CHAIN, the last first: what the first of them do, the last decide.

    No window shows that, so where it is cut at 64 symbols the tokens do not fit together. A byte
    of its own has tokens that are as long as any window. A line is a piece.
    """
    pairs = [(left, left + 1) for left in reversed(CHAIN[:-1])]
    pairs += doubled(DOUBLED, 256 + len(pairs), DOUBLINGS)
    return byte_model(pairs, piece="[^\n]+|\n")


def replayable(rng: random.Random, symbols: Sequence[int], first: int, count: int) -> list[Pair]:
    """Random pairs over these symbols, such that every token replays to itself."""
    texts: dict[int, tuple[int, ...]] = {symbol: (symbol,) for symbol in symbols}
    ranks: dict[Pair, int] = {}
    for _ in range(20 * count):
        if len(ranks) == count:
            break
        # newer tokens more often: so that there are long ones
        known = list(texts)
        left, right = (known[-1 - int(len(known) * rng.random() ** 2)] for _ in range(2))
        token, text = first + len(ranks), texts[left] + texts[right]
        if len(text) > 300 or text in texts.values() or (left, right) in ranks:
            continue
        if merge(text, {**ranks, (left, right): token}) == [token]:
            ranks[left, right] = token
            texts[token] = text
    return list(ranks)


def any_pairs(rng: random.Random, symbols: Sequence[int], first: int, count: int) -> list[Pair]:
    """Random pairs with different texts, whether or not those replay."""
    texts: dict[int, tuple[int, ...]] = {symbol: (symbol,) for symbol in symbols}
    pairs: list[Pair] = []
    for _ in range(20 * count):
        left, right = rng.choice(list(texts)), rng.choice(list(texts))
        text = texts[left] + texts[right]
        if len(pairs) < count and len(text) < 300 and text not in texts.values():
            texts[first + len(pairs)] = text
            pairs.append((left, right))
    return pairs
