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
from wwho.reference.scan import matches
from wwho.train.atom_choice import SPACE, choose_atoms

Word = tuple[bytes, ...]


@dataclass(frozen=True)
class LearntMerges:
    """The atoms and merges that training gives, and what it makes of each word.

    Attributes:
        atoms: texts of the atoms.
        merges: left and right id of each merge.
        gains: the count of each merged pair, which is how many tokens the merge saved, or, where
            the pair overlaps itself, more than that.
        runs: for each word the ids that it becomes, as runs between its pruned units.
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
) -> LearntMerges:
    """Choose atoms and learn merges from a text, as the native trainer must.

    Args:
        model: the model that cuts text into words and units.
        text: the corpus.
        vocab_size: how many atoms and merges there may be together.
        prune: how often a unit must be seen to be an atom; with bytes it does not matter.
        min_freq: how often a pair must be seen to be merged.
        kind: the kind of the atoms. With BYTE, words are spelled in bytes, and the atoms are the
            256 bytes; with every other kind, the atoms are chosen among the units that the model
            cuts words into, whatever these are.

    Raises:
        ValueError: the kind is SCRIPT, whose atoms are not implemented here.
    """
    if kind is AtomKind.SCRIPT:
        raise ValueError("the reference trainer has no script atoms; choose another kind")
    words = Counter(words_of(model, text))
    if kind is AtomKind.BYTE:
        words = spell_bytes(words)
        return learn(words, BYTES, vocab_size - len(BYTES), min_freq=min_freq)
    units: Counter[bytes] = Counter()
    for word, count in words.items():
        for unit in word:
            units[unit] += count
    atoms = choose_atoms(units, prune, end_of_word=unit_model(model).space_id is None)
    return learn(words, atoms, vocab_size - len(atoms), min_freq=min_freq)


def words_of(model: Artifact, text: str) -> Iterator[Word]:
    """Yield the words of a text, in order, each as the texts of its units.

    Every line, with its line feed, is cut as a text of its own.
    """
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        yield from words_of_line(model, line)


def words_of_line(model: Artifact, line: str) -> Iterator[Word]:
    """Yield the words of one line: runs of syllables within a segment, and any other unit alone.

    Segments of the base have no units, and so no words. A word is a tuple of units in UTF-8.
    """
    automata = model.scanners.automata
    assert model.router is not None
    for start, end, route in matches(model.scanners, automata[model.router], line):
        number = model.routes[route].units
        if number is None:
            continue
        segment = line[start:end]
        word: list[bytes] = []
        units = matches(model.scanners, automata[number], segment)
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


def spell_bytes(words: Mapping[Word, int]) -> Counter[Word]:
    """Return the same words and counts, each word with its bytes as its units.

    Words that differ in their units alone become one.
    """
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
) -> LearntMerges:
    """Merge the most frequent pair, again and again, counting all pairs anew each time.

    Of pairs that are equally frequent the one with the smaller left id comes first, then the one
    with the smaller right id. It ends early where no pair is seen `min_freq` times.

    Args:
        words: the words, as the texts of their units, and their counts.
        atoms: texts of the atoms; their ids are 0, 1, 2 and so on.
        max_merges: how many merges there may be.
        min_freq: how often a pair must be seen to be merged.
        max_units: how many atoms a token may have.
    """
    texts = list(atoms)
    units = [1] * len(texts)
    ids = {atom: number for number, atom in enumerate(atoms)}
    runs = {word: list(runs_of_atoms(word, ids)) for word in words}
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
            runs[word] = [merge_pair(run, best, len(texts) - 1) for run in runs[word]]
    return LearntMerges(tuple(atoms), merges, gains, runs)


def runs_of_atoms(word: Word, ids: Mapping[bytes, int]) -> Iterator[list[int]]:
    """Yield the ids of a word's units as runs, cut at each unit that is no atom; runs may be empty.

    Where the unit " X" is no atom and X is one, the run is cut before it and goes on with X: the
    encoder writes the lone space there.
    """
    run: list[int] = []
    for unit in word:
        if unit not in ids:
            yield run
            run = []
            unit = unit.removeprefix(SPACE)
        if unit in ids:
            run.append(ids[unit])
    yield run


def merge_pair(run: Iterable[int], pair: Pair, merged_id: int) -> list[int]:
    """Return a run of ids with `merged_id` in place of each such pair, from left to right.

    A token that was just merged is not merged again.

    Example:
        >>> merge_pair([1, 1, 1, 2], (1, 1), 9)
        [9, 1, 2]
    """
    merged_run: list[int] = []
    just_merged = False
    for token in run:
        if merged_run and not just_merged and (merged_run[-1], token) == pair:
            merged_run[-1] = merged_id
            just_merged = True
        else:
            merged_run.append(token)
            just_merged = False
    return merged_run
