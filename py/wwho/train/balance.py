"""Which ids go where: to the base, to syllables, to merges and to superwords of each script.

An id is worth the tokens that it saves in text of sources that it was not learnt from. So whole
sources are left out, a third of them at a time. What is learnt from the others is measured on
those: how many tokens each further id of a kind saves there. Scripts count by their words, and
within a script all sources count alike, large and small. Then ids go where they save most, until
the vocabulary is full; with these shares it is learnt once more, from all sources.

One count holds both: the learnt text in its upper bits, which decide what is merged, the left out
text in its lower ones, which tell what that saves.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, zip_longest
from typing import Literal, NamedTuple

from wwho.assemble.atoms import AtomKind
from wwho.assemble.base import byte_base
from wwho.assemble.training_artifacts import (
    base_from_merges,
    special_ids,
    trained_model,
    unit_model,
    with_merges,
)
from wwho.compile.schema import Schema, union
from wwho.corpus.corpus import decimal
from wwho.errors import CorpusError
from wwho.format.bpe import BYTES
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Artifact, Pair
from wwho.train.count import Counted
from wwho.train.learn import SPACE, choose_atoms, spaced_and_bare
from wwho.train.native import Merger, Words, parse_records, record
from wwho.train.plan import Plan
from wwho.train.report import SourceCounts
from wwho.train.superwords import SecondStage

HELD = 32
"""Bits of a count that are of the text left out; the text that is learnt from has the others."""

MASK = (1 << HELD) - 1
UNIT = 1 << 29
"""What the words of all sources left out come to."""

FOLDS = 3
"""How often a part of the sources is left out."""

ROOT = 8
"""How often a word that a single source has counts where merges are learnt."""

FEW = 5
"""How often an atom must be seen, while it is not known how many there will be."""

EVEN = Fraction(16)
"""How often a short source counts at most, so that it counts as much as a long one."""

EVENLY: Literal["evenly"] = "evenly"
"""Balanced, and all sources count alike."""

MIN_SOURCES = 2
"""In how many of the sources that are learnt from a superword must be seen."""

BASE, ATOMS, MERGES, SUPERWORDS = "base", "atoms", "merges", "superwords"
OTHER = ""
"""What is of no script."""

Kind = tuple[str, str]
"""What an id may be for: a word above, and the name of a schema, `OTHER` for the base."""


class Step(NamedTuple):
    """So many ids of a kind, and the tokens that each saves for a word of its script."""

    gain: float
    kind: Kind
    ids: int


def falling(gains: Sequence[float], kind: Kind) -> Iterator[Step]:
    """What further ids are worth, evened out so that it falls: the steps of a concave curve.

    Example:
        >>> [(step.gain, step.ids) for step in falling([5, 1, 3, 0], (BASE, OTHER))]
        [(5.0, 1), (2.0, 2), (0.0, 1)]
    """
    steps: list[tuple[float, int]] = []
    for gain in gains:
        total, ids = float(gain), 1
        while steps and steps[-1][0] * ids <= total * steps[-1][1]:
            before = steps.pop()
            total, ids = total + before[0], ids + before[1]
        steps.append((total, ids))
    return (Step(total / ids, kind, ids) for total, ids in steps)


def shares(curves: Mapping[Kind, Sequence[float]], room: int) -> dict[Kind, int]:
    """How many ids each kind gets of so many: they go where they save most.

    Example:
        >>> shares({(BASE, ""): [4, 2, 1], (ATOMS, ""): [3, 3, 0]}, 4)
        {('base', ''): 2, ('atoms', ''): 2}
    """
    found = dict.fromkeys(curves, 0)
    steps = [step for kind, gains in curves.items() for step in falling(gains, kind)]
    for step in sorted(steps, key=lambda step: -step.gain):
        taken = min(step.ids, room)
        found[step.kind] += taken
        room -= taken
    return found


def evened(counts: Sequence[int]) -> list[float]:
    """What merges save in the text left out, from their combined counts.

    Of pairs that are equally frequent in the text that is learnt from, those that the other text
    has come first. That is no merit, so each of them gets the mean.
    """
    return averaged((count >> HELD, count & MASK) for count in counts)


def averaged(found: Iterable[tuple[int, float]]) -> list[float]:
    """Values, given after counts: each is the mean of those that equal counts follow each other."""
    means: list[float] = []
    for _, group in groupby(found, key=lambda each: each[0]):
        values = [value for _, value in group]
        means += [sum(values) / len(values)] * len(values)
    return means


@dataclass(frozen=True)
class Records:
    """The words of one source: records of native/train.h, and how often each was seen."""

    records: bytes
    counts: array[int]

    @property
    def total(self) -> int:
        """All words."""
        return sum(self.counts)

    @property
    def once(self) -> Records:
        """Each word once."""
        return Records(self.records, array("Q", [1]) * len(self.counts))

    def without(self, schemas: Sequence[Schema]) -> Records:
        """The words without a character of a script; those of one unit."""
        found = re.compile(union(schema.blocks for schema in schemas).pattern)
        kept, counts = bytearray(), array("Q")
        for word, count in zip(parse_records(self.records), self.counts, strict=True):
            if not found.search(word[0].decode("utf-8", "replace")):
                kept += record(word)
                counts.append(count)
        return Records(bytes(kept), counts)


def combined(sources: Sequence[Records], factors: Sequence[Fraction]) -> Words:
    """All their words, each counted as often as its source's factor says."""
    words = Words()
    for source, factor in zip(sources, factors, strict=True):
        up, down = factor.numerator, factor.denominator
        words.add(source.records, array("Q", [count * up // down for count in source.counts]))
    return words


def spread(sources: Sequence[Records], factors: Sequence[Fraction]) -> Words:
    """The same, but a word that k of the sources have counts `ROOT` times the root of k as often.

    What many sources have is in others, too. Sources that are left out have no part in it, and
    their words count as they are.
    """
    learnt = [number for number, factor in enumerate(factors) if factor >= 1 << HELD]
    chosen = [sources[number] for number in learnt]
    records, counts = combined(chosen, [factors[number] for number in learnt]).export()
    _, seen = combined([each.once for each in chosen], [Fraction(1)] * len(chosen)).export()
    roots = [round(ROOT * k**0.5) for k in range(len(learnt) + 1)]
    raised = [count * roots[k] for count, k in zip(counts, seen, strict=True)]
    held = [number for number in range(len(sources)) if number not in learnt]
    words = combined([sources[number] for number in held], [factors[number] for number in held])
    words.add(records, array("Q", raised))
    return words


def scripts_of(texts: Iterable[bytes], schemas: Sequence[Schema]) -> list[str]:
    """The script of each text: that of its first character that is of one, or `OTHER`."""
    known: dict[str, str] = {}

    def script(character: str) -> str:
        if character not in known:
            theirs = (schema.name for schema in schemas if character in schema.blocks)
            known[character] = next(theirs, OTHER)
        return known[character]

    return [
        next(filter(None, map(script, text.decode("utf-8", "replace"))), OTHER) for text in texts
    ]


def sorted_out(
    merges: Sequence[Pair], scripts: Sequence[str], values: Sequence[int]
) -> dict[str, list[int]]:
    """The values of the merges of each script; `scripts` are those of the tokens before them."""
    of = list(scripts)
    found = defaultdict(list)
    for (left, right), value in zip(merges, values, strict=True):
        of.append(of[left] or of[right])
        found[of[-1]].append(value)
    return found


def first_of_each(
    merges: Sequence[Pair], scripts: Sequence[str], most: Mapping[str, int]
) -> list[Pair]:
    """The first merges of each script, so many of each, renumbered; none of a merge left out.

    Characters that scripts share have no script of their own, so a merge may be of another script
    than a part of it.

    Example:
        >>> first_of_each([(0, 0), (1, 1), (3, 1), (2, 0)], ["a", "b"], {"a": 0, "b": 2})
        [(1, 1), (2, 1)]
    """
    of, left_over = list(scripts), dict(most)
    kept: list[Pair] = []
    number: list[int | None] = list(range(len(of)))
    for left, right in merges:
        script, first, second = of[left] or of[right], number[left], number[right]
        of.append(script)
        if first is None or second is None or left_over.get(script, 0) < 1:
            number.append(None)
            continue
        left_over[script] -= 1
        number.append(len(scripts) + len(kept))
        kept.append((first, second))
    return kept


@dataclass(frozen=True)
class Balance:
    """Chooses shares, and learns with them.

    Attributes:
        plan: what is learnt; its base is the 256 bytes, or one that stays as it is.
        stage: what learns superwords, of all sources.
        weights: how often each source counts, whole numbers.
        counts: what was counted of each source.
        units: the words of the scripts, of each source.
        all: all words, as a base cuts them, of each source; none where the base stays.
        others: those of them without a character of a script.
        scale: what makes the weights whole.
        prune: how often an atom must be seen, times the scale; None: chosen, too.
    """

    plan: Plan
    stage: SecondStage
    weights: Sequence[int]
    counts: Sequence[SourceCounts]
    units: Sequence[Records]
    all: Sequence[Records]
    others: Sequence[Records]
    scale: int
    prune: int | None

    def shares(self, room: int) -> dict[Kind, int]:
        """How many of the ids for atoms, merges and superwords each kind gets."""
        curves: dict[Kind, list[list[float]]] = defaultdict(list)
        for fold in range(FOLDS):
            held = range(fold, len(self.units), FOLDS)
            for kind, gains in self.curves(held, room).items() if held else ():
                curves[kind].append(gains)
        mean = {
            kind: [sum(each) / len(gains) for each in zip_longest(*gains, fillvalue=0.0)]
            for kind, gains in curves.items()
        }
        found = shares(mean, room)
        if self.all and found[BASE, OTHER] < (least := min(room, self.least(room))):
            del mean[BASE, OTHER]
            found = {(BASE, OTHER): least, **shares(mean, room - least)}
        return found

    def least(self, room: int) -> int:
        """As many merges as a byte BPE of that size makes in the text of no script, and 5 % more.

        So that other text takes fewer tokens than in that vocabulary, and not as many.
        """
        once = [each.once for each in self.others]
        words = combined([*self.all, *once], [*self.factors(()), *map(Fraction, [1] * len(once))])
        gains = self.merger(words.spelled(), BYTES, room).gains()
        return 21 * sum(gain & MASK > 0 for gain in gains) // 20

    def curves(self, held: Sequence[int], room: int) -> dict[Kind, list[float]]:
        """What each next id of each kind saves, in tokens of a corpus like the sources left out."""
        factors, found = self.factors(held), dict[Kind, list[float]]()
        words = self.words(self.factors(()), range(len(self.units)))
        left_out = self.words(factors, held)
        per_word = {
            name: count and words[name] / count / 2**HELD for name, count in left_out.items()
        }
        if self.others:
            merger = self.merger(combined(self.others, factors).spelled(), BYTES, room)
            found[BASE, OTHER] = [per_word[OTHER] * gain for gain in evened(merger.gains())]
        units = combined(self.units, factors).units()
        if self.prune is None:
            found[ATOMS, OTHER] = self.atoms(units, per_word)
        atoms = self.chosen(units, (self.prune or FEW * self.scale) << HELD)
        first = self.merger(spread(self.units, factors), atoms, room, ROOT)
        model = self.model(byte_base(), {}, atoms, first.merges())
        times = [max(1, int(factor)) for factor in factors]
        second = self.stage.merger(model, room, times, HELD, MIN_SOURCES).run()
        share = float(self.stage.share)
        for kind, merger, texts, whole in (
            (MERGES, first, atoms, 1.0),
            (SUPERWORDS, second, unit_model(model).texts, share),
        ):
            scripts = scripts_of(texts, self.plan.schemas)
            gains = sorted_out(merger.merges(), scripts, merger.gains())
            for name in self.names:
                each = evened(gains[name])
                found[kind, name] = [per_word[name] / whole * gain for gain in each]
        return found

    def atoms(self, units: Mapping[bytes, int], per_word: Mapping[str, float]) -> list[float]:
        """What each further atom saves, the most frequent first.

        A syllable spares the bytes, or characters, that spell it; one with a space, the lone space.
        """
        bare: dict[bytes, int] = defaultdict(int)
        for unit, count in units.items():
            bare[unit.removeprefix(SPACE)] += count
        spaced = {unit: count for unit, count in units.items() if unit[:1] == SPACE}
        found = []
        for texts in (bare, spaced):
            scripts = scripts_of(texts, self.plan.schemas)
            for (text, count), script in zip(texts.items(), scripts, strict=True):
                spelled = len(text.decode()) if self.plan.every_character else len(text)
                spared = 1 if texts is spaced else spelled - 1
                gain = (count & MASK) * spared * per_word[script or self.names[0]]
                found.append((count >> HELD, gain))
        return averaged(sorted((each for each in found if each[0]), key=lambda each: -each[0]))

    def learnt(self, specials: Sequence[str], size: int) -> tuple[Artifact, dict[Kind, int]]:
        """The model without its origin, and how many ids each kind got.

        Args:
            specials: the texts of the special tokens.
            size: ids for all but the base that stays, or the bytes; the lone space has one more.

        Raises:
            CorpusError: the ids are too few for the atoms.
        """
        plan, room = self.plan, size - len(specials)
        factors = self.factors(())
        words = combined(self.units, factors)
        units = words.units()
        if self.prune:
            atoms = self.chosen(units, self.prune << HELD)
            found = self.shares(max(0, room - len(atoms)))
        else:
            found = self.shares(room)
            others = max(0, found[ATOMS, OTHER] - len(plan.characters))
            atoms = self.chosen(units, pruned_to(others, units))
        if len(atoms) > room:
            raise CorpusError(
                f"there are {len(atoms)} atoms, and {room} ids for atoms and merges; raise "
                "prune, or vocab_size"
            )
        base = plan.base
        if self.others:
            texts = combined(self.others, factors).spelled()
            merges = self.merger(texts, BYTES, found[BASE, OTHER]).merges()
            base = base_from_merges(
                base, specials={}, merges=merges, provenance=base.provenance, protect=()
            )
        found[ATOMS, OTHER] = len(atoms)
        most = max(self.names, key=lambda name: found[MERGES, name])
        found[MERGES, most] += room - sum(found.values())  # equally frequent atoms stay together
        merges = self.merger(spread(self.units, factors), atoms, room, ROOT).merges()
        wanted = {name: found[MERGES, name] for name in self.names}
        merges = first_of_each(merges, scripts_of(atoms, plan.schemas), wanted)
        model = self.model(base, special_ids(base, specials), atoms, merges)
        merges = self.stage.merger(model, room, min_sources=MIN_SOURCES).run().merges()
        wanted = {name: found[SUPERWORDS, name] for name in self.names}
        scripts = scripts_of(unit_model(model).texts, plan.schemas)
        merges = first_of_each(merges, scripts, wanted)
        return with_merges(model, [*unit_model(model).merges, *merges], len(merges)), found

    def chosen(self, units: Mapping[bytes, int], prune: int) -> tuple[bytes, ...]:
        """The atoms, with the characters that are some anyway."""
        return choose_atoms(units, prune, characters=self.plan.characters)

    @property
    def names(self) -> list[str]:
        """The scripts."""
        return [schema.name for schema in self.plan.schemas]

    def factors(self, held: Sequence[int]) -> list[Fraction]:
        """How often a word of each source counts: in the upper bits, or, left out, in the lower."""
        found = [Fraction(weight << HELD) for weight in self.weights]
        for number in held:
            total = self.units[number].total + (self.others[number].total if self.others else 0)
            found[number] = Fraction(UNIT, len(held) * max(1, total))
        return found

    def words(self, factors: Sequence[Fraction], held: Sequence[int]) -> dict[str, float]:
        """How many words of each script are left out, times the factors."""
        found: dict[str, float] = defaultdict(float)
        for number in held:
            for name, script in self.counts[number].scripts.items():
                found[name] += float(factors[number] * script.words)
            if self.others:
                found[OTHER] += float(factors[number] * self.others[number].total)
        return found

    def merger(self, words: Words, atoms: Sequence[bytes], most: int, times: int = 1) -> Merger:
        """All merges within words that count so many times."""
        min_freq = times * self.stage.min_freq << HELD
        max_units = MAX_TOKEN_BYTES if atoms is BYTES else self.stage.max_units
        return Merger(words, atoms, max_merges=most, min_freq=min_freq, max_units=max_units).run()

    def model(
        self,
        base: Artifact,
        specials: Mapping[str, int],
        atoms: tuple[bytes, ...],
        merges: Sequence[Pair],
    ) -> Artifact:
        """A model of these parts."""
        return trained_model(
            *(self.plan.schemas, base),
            specials=specials,
            atoms=atoms,
            merges=merges,
            provenance={},
            words=self.plan.words,
            parts=self.plan.every_character,
            protect=tuple(self.plan.protected) if specials else (),
        )


def evenly(counted: Counted) -> Counted:
    """What was counted, with weights under which all sources count alike, long and short.

    They are as long as they have characters: those of the scripts take three bytes. Where a source
    was given a weight it counts so much more or less; all weights are rounded to halves.
    """
    rows, corpus = counted.report.sources, copy(counted.corpus)
    sizes = [row.bytes - sum(each.bytes for each in row.scripts.values()) * 2 // 3 for row in rows]
    times = [min(EVEN, Fraction(max(sizes), max(1, size))) for size in sizes]
    corpus.sources = tuple(
        replace(source, weight=Fraction(max(1, round(2 * source.weight * each)), 2))
        for source, each in zip(corpus.sources, times, strict=True)
    )
    rows = tuple(
        replace(row, weight=decimal(source.weight))
        for row, source in zip(rows, corpus.sources, strict=True)
    )
    report = replace(counted.report, sources=rows)
    return counted._replace(report=report, corpus=corpus, scale=corpus.scale)


def check_counts(rows: Sequence[SourceCounts], weights: Sequence[int], words: Words) -> None:
    """Refuse what would count beyond the upper bits.

    Raises:
        CorpusError: a pair of bytes may, or one of units that all sources have does.
    """
    bytes_ = sum(row.bytes * weight for row, weight in zip(rows, weights, strict=True))
    atoms = choose_atoms(words.units(), 1)
    pairs = Merger(words, atoms, max_merges=1, min_freq=1)
    pairs.step(1)
    found = max(bytes_, *(round(ROOT * len(rows) ** 0.5) * gain for gain in pairs.gains()), 0)
    if found > MASK:
        raise CorpusError(
            f"counts of this corpus may reach {found:,}, weights counted, and in balanced training "
            f"{MASK:,} is the most; take a sample (--sample), or weights with fewer decimals"
        )


def pruned_to(most: int, units: Mapping[bytes, int]) -> int:
    """How often an atom must be seen so that there are at most so many.

    Example:
        >>> pruned_to(2, {b"a": 5, b"b": 3, b"c": 2, b"d": 2})
        3
    """
    frequent = sorted(spaced_and_bare(units).values(), reverse=True)
    return frequent[most] + 1 if most < len(frequent) else 1


def balanced_model(
    plan: Plan,
    counted: Counted,
    units: Sequence[Records],
) -> tuple[Artifact, str]:
    """Learn a model with shares that are chosen; it has no origin yet.

    Args:
        plan: what is learnt; where its base is the 256 bytes, a base is learnt, too.
        counted: what was counted of all sources.
        units: of each source, its words.

    Returns:
        The model, and the options that it was learnt with, the shares among them, in words.

    Raises:
        CorpusError: the ids are too few for what is not chosen.
    """
    whole: list[Records] = []
    size, scale = plan.vocab_size, counted.scale
    if plan.base.n_vocab == len(BYTES):
        whole_plan = replace(
            plan, schemas=(), atoms=AtomKind.BYTE, corpus=counted.corpus, protected={}
        )
        whole_plan.count(lambda words: whole.append(Records(*words.export())))
        size -= len(BYTES) + 1  # the lone space
    threshold = min(plan.min_freq * scale, MASK // ROOT)
    limits = (plan.max_words, plan.max_units, threshold)
    stage = SecondStage(counted.corpus, counted.report, *limits, plan.bars)
    weights = [int(source.weight * scale) for source in counted.corpus.sources]
    rows = counted.report.sources
    check_counts(rows, weights, combined(units, [Fraction(weight) for weight in weights]))
    others = [records.without(plan.schemas) for records in whole]
    balance = Balance(
        *(plan, stage, weights, rows, units, whole, others),
        *(scale, plan.prune and plan.prune * scale),
    )
    model, shares = balance.learnt(plan.texts, size)
    said = (
        f"{kind} {name} {ids}" if name else f"{kind} {ids}" for (kind, name), ids in shares.items()
    )
    return model, f"{plan.options(None)}, balanced: {', '.join(said)}"
