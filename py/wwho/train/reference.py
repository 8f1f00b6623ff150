"""The trainer in a few lines of Python: slow, obviously correct, the judge of the native one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wwho.assemble.atoms import AtomKind
from wwho.assemble.training_artifacts import unit_model
from wwho.compile.schema_scanners import Unit
from wwho.format.bpe import BYTES
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Artifact, Pair
from wwho.reference.scan import pieces
from wwho.train.learn import SPACE, choose_atoms

Word = tuple[bytes, ...]


@dataclass(frozen=True)
class Learnt:
    """What training gives.

    Attributes:
        atoms: texts of the atoms.
        merges: left and right id of each merge.
        gains: the count of the pair of each, which is how many tokens it saved, or, where it
            overlaps itself, more than that.
        runs: how each word comes out: its runs of atoms, merged. Words of pruned units have gaps.
    """

    atoms: tuple[bytes, ...]
    merges: list[Pair]
    gains: list[int]
    runs: dict[Word, list[list[int]]]


def train_reference(
    model: Artifact,
    text: str,
    *,
    vocab_size: int,
    prune: int,
    min_freq: int = 2,
    kind: AtomKind = AtomKind.SYLLABLE,
) -> Learnt:
    """Train on a text; `vocab_size` counts atoms and merges."""
    words = Counter(words_of(model, text))
    if kind is AtomKind.BYTE:
        words = spelled(words)
        return learn(words, BYTES, vocab_size - len(BYTES), min_freq=min_freq)
    units: Counter[bytes] = Counter()
    for word, count in words.items():
        for unit in word:
            units[unit] += count
    atoms = choose_atoms(units, prune, end_of_word=unit_model(model).space_id is None)
    return learn(words, atoms, vocab_size - len(atoms), min_freq=min_freq)


def words_of(model: Artifact, text: str) -> Iterator[Word]:
    """The words of a text, in order, each as the texts of its units; lines are cut on their own."""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        yield from words_of_line(model, line)


def words_of_line(model: Artifact, line: str) -> Iterator[Word]:
    """The words of one line."""
    automata = model.scanners.automata
    assert model.router is not None
    for start, end, route in pieces(model.scanners, automata[model.router], line):
        number = model.routes[route].units
        if number is None:
            continue
        segment = line[start:end]
        word: list[bytes] = []
        units = pieces(model.scanners, automata[number], segment)
        for first, last, rule in units:
            unit = segment[first:last].encode("utf-8")
            if rule == Unit.SYLLABLE:
                word.append(unit)
                continue
            if word:
                yield tuple(word)
            word = []
            yield (unit,)
        if word:
            yield tuple(word)


def spelled(words: Mapping[Word, int]) -> Counter[Word]:
    """Words and their counts, each word with its bytes as its units."""
    counts: Counter[Word] = Counter()
    for word, count in words.items():
        counts[tuple(bytes([byte]) for byte in b"".join(word))] += count
    return counts


def learn(
    words: Mapping[Word, int],
    atoms: Sequence[bytes],
    max_merges: int,
    *,
    min_freq: int,
    max_units: int = MAX_TOKEN_BYTES,
) -> Learnt:
    """Merge the most frequent pair, counting all pairs anew each time."""
    texts = list(atoms)
    units = [1] * len(texts)
    ids = {atom: number for number, atom in enumerate(atoms)}
    runs = {word: list(runs_of(word, ids)) for word in words}
    merges: list[Pair] = []
    gains: list[int] = []
    while len(merges) < max_merges:
        counts: Counter[Pair] = Counter()
        for word, count in words.items():
            for run in runs[word]:
                for left, right in pairwise(run):
                    if (
                        len(texts[left]) + len(texts[right]) <= MAX_TOKEN_BYTES
                        and units[left] + units[right] <= max_units
                    ):
                        counts[left, right] += count
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < min_freq:
            break
        merges.append(best)
        gains.append(counts[best])
        texts.append(texts[best[0]] + texts[best[1]])
        units.append(units[best[0]] + units[best[1]])
        for word in words:
            runs[word] = [merged(run, best, len(texts) - 1) for run in runs[word]]
    return Learnt(tuple(atoms), merges, gains, runs)


def runs_of(word: Word, ids: Mapping[bytes, int]) -> Iterator[list[int]]:
    """The ids of a word's units, cut at the units that are no atoms."""
    run: list[int] = []
    for unit in word:
        if unit not in ids:
            yield run
            run = []
            unit = unit.removeprefix(SPACE)
        if unit in ids:
            run.append(ids[unit])
    yield run


def merged(run: Iterable[int], pair: Pair, number: int) -> list[int]:
    """A run in which a pair is replaced, from left to right."""
    out: list[int] = []
    fresh = False
    for token in run:
        if out and not fresh and (out[-1], token) == pair:
            out[-1] = number
            fresh = True
        else:
            out.append(token)
            fresh = False
    return out
