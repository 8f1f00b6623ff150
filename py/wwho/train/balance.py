"""Sharing ids out among the base, the syllables, and the merges and superwords of each script.

An id is worth the tokens that it saves in text of sources that it was not learnt from. So the
trainer leaves out a third of the sources at a time (`wwho.train.folds`), learns from the others,
and measures on the sources left out how many tokens each further id of a kind saves. Scripts count
by their words, and within a script all sources count alike, large and small. Then ids go where they
save most, until the vocabulary is full; with these shares it is learnt once more, from all sources.
A Unigram vocabulary gets the shares that merges are worth, without superwords, and the tokens of a
script are learnt from its words alone.

One 64-bit count holds both: the text that is learnt from in its upper bits, which decide what is
merged; the text left out in its lower bits, which tell what a merge saves.
"""

from __future__ import annotations

import math
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
from wwho.assemble.unigram import Scored, unigram_over_base
from wwho.compile.schema import Schema, union
from wwho.corpus.corpus import format_decimal
from wwho.errors import CorpusError
from wwho.format.bpe import BYTES
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Artifact, Pair
from wwho.reference.sampling import f32
from wwho.train.atom_choice import SPACE, choose_atoms, count_spaced_and_bare
from wwho.train.count import CorpusCounts
from wwho.train.native import Merger, WordTable, parse_records, record
from wwho.train.plan import UNIGRAM, Plan
from wwho.train.report import SourceCounts
from wwho.train.superwords import SuperwordLearner
from wwho.train.unigram import by_score, learn_unigram

HELD_OUT_BITS = 32
"""Lower bits of a count, which are of the text left out; the upper ones are of the learnt text."""

HELD_OUT_MASK = (1 << HELD_OUT_BITS) - 1

HELD_OUT_TOTAL = 1 << 29
"""The sum of the counts of all words of the sources left out, after scaling."""

FOLDS = 3
"""How often a part of the sources is left out; each source is left out once."""

ONE_SOURCE_FACTOR = 8
"""How often a word that a single source has counts where merges are learnt."""

FIRST_PRUNE = 5
"""How often an atom must be seen, while it is not known how many there will be."""

MAX_EVEN_FACTOR = Fraction(16)
"""How often a short source counts at most, so that it counts as much as a long one."""

EVENLY: Literal["evenly"] = "evenly"
"""The value of the option `balanced` under which all sources count alike."""

MIN_SOURCES = 2
"""In how many of the sources that are learnt from a superword must be seen."""

BASE, ATOMS, MERGES, SUPERWORDS = "base", "atoms", "merges", "superwords"
NO_SCRIPT = ""
"""The name that stands for text of no script of the schemas."""

Kind = tuple[str, str]
"""The use of an id: one of the four words above, and the name of a script or `NO_SCRIPT`."""


class GainStep(NamedTuple):
    """A number of further ids of a kind, and what each of them saves.

    Attributes:
        gain: tokens that each of these ids saves in a text like the corpus.
        kind: what the ids are for.
        ids: how many ids.
    """

    gain: float
    kind: Kind
    ids: int


def concave_steps(gains: Sequence[float], kind: Kind) -> Iterator[GainStep]:
    """Yield what further ids are worth in groups, each of less gain an id than the one before.

    An id with a greater gain than those before it is averaged with as many of these as it takes.

    Example:
        >>> [(step.gain, step.ids) for step in concave_steps([5, 1, 3, 0], (BASE, NO_SCRIPT))]
        [(5.0, 1), (2.0, 2), (0.0, 1)]
    """
    steps: list[tuple[float, int]] = []
    for gain in gains:
        total, ids = float(gain), 1
        while steps and steps[-1][0] * ids <= total * steps[-1][1]:
            before = steps.pop()
            total, ids = total + before[0], ids + before[1]
        steps.append((total, ids))
    return (GainStep(total / ids, kind, ids) for total, ids in steps)


def share_out(gains_of_kinds: Mapping[Kind, Sequence[float]], room: int) -> dict[Kind, int]:
    """Share ids out among kinds, so that they save most, and return how many each kind gets.

    Ids of a kind go in groups of falling gain (`concave_steps`), the last one perhaps in part. Of
    equal gains the kind that comes first is served first.

    Args:
        gains_of_kinds: for each kind what its first, second, third ... id saves.
        room: how many ids there are. Fewer are given where the kinds have fewer.

    Example:
        >>> share_out({(BASE, ""): [4, 2, 1], (ATOMS, ""): [3, 3, 0]}, 4)
        {('base', ''): 2, ('atoms', ''): 2}
    """
    shares = dict.fromkeys(gains_of_kinds, 0)
    steps = [step for kind, gains in gains_of_kinds.items() for step in concave_steps(gains, kind)]
    for step in sorted(steps, key=lambda step: -step.gain):
        taken = min(step.ids, room)
        shares[step.kind] += taken
        room -= taken
    return shares


def held_out_gains(counts: Sequence[int]) -> list[float]:
    """Return what each merge saves in the text left out, from the counts of both texts in one.

    Of pairs that are equally frequent in the text that is learnt from, those that the other text
    has come first. That is no merit, so each of them gets their mean.
    """
    return average_equals((count >> HELD_OUT_BITS, count & HELD_OUT_MASK) for count in counts)


def average_equals(counts_and_values: Iterable[tuple[int, float]]) -> list[float]:
    """Return the values, in order, with the mean in place of each in a row of equal counts.

    The counts are compared with those before them alone: equal ones further apart stay apart.

    Example:
        >>> average_equals([(5, 1.0), (3, 4.0), (3, 2.0), (5, 7.0)])
        [1.0, 3.0, 3.0, 7.0]
    """
    means: list[float] = []
    for _, group in groupby(counts_and_values, key=lambda each: each[0]):
        values = [value for _, value in group]
        means += [sum(values) / len(values)] * len(values)
    return means


@dataclass(frozen=True)
class SourceWords:
    """The words of one source, and how often each was seen.

    Attributes:
        records: the words, as records of native/train.h, one after another.
        counts: the count of each, in the same order.
    """

    records: bytes
    counts: array[int]

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return sum(self.counts)

    def with_counts_of_one(self) -> SourceWords:
        """Return the same words, each counted once."""
        return SourceWords(self.records, array("Q", [1]) * len(self.counts))

    def without_scripts(self, schemas: Sequence[Schema]) -> SourceWords:
        """Return the words that have no character of a script of these schemas.

        Every word must have a single unit, as a word of a base has.
        """
        of_a_script = re.compile(union(schema.blocks for schema in schemas).pattern)
        kept, counts = bytearray(), array("Q")
        for word, count in zip(parse_records(self.records), self.counts, strict=True):
            if not of_a_script.search(word[0].decode("utf-8", "replace")):
                kept += record(word)
                counts.append(count)
        return SourceWords(bytes(kept), counts)


def combine_sources(sources: Sequence[SourceWords], factors: Sequence[Fraction]) -> WordTable:
    """Return the words of all sources, each counted as often as its source's factor says.

    Products are rounded down.

    Words come in the order in which they are first seen.
    """
    words = WordTable()
    for source, factor in zip(sources, factors, strict=True):
        up, down = factor.numerator, factor.denominator
        scaled = array("Q", [count * up // down for count in source.counts])
        words.add_records(source.records, scaled)
    return words


def combine_favouring_shared(
    sources: Sequence[SourceWords], factors: Sequence[Fraction]
) -> WordTable:
    """Return the words of all sources, where a word counts more, the more sources have it.

    As `combine_sources`, but a word that k of the sources that are learnt from have counts
    `ONE_SOURCE_FACTOR` times the square root of k as often: what many sources have is likely to be
    in others, too. Sources that are left out (whose factor has lower bits alone) have no part in
    it, and their words count as they are.
    """
    learnt = [number for number, factor in enumerate(factors) if factor >= 1 << HELD_OUT_BITS]
    learnt_sources = [sources[number] for number in learnt]
    learnt_words = combine_sources(learnt_sources, [factors[number] for number in learnt])
    once = [source.with_counts_of_one() for source in learnt_sources]
    # Both tables have the same words in the same order: that in which they are first seen.
    records, counts = learnt_words.export()
    _, n_sources = combine_sources(once, [Fraction(1)] * len(once)).export()
    roots = [round(ONE_SOURCE_FACTOR * k**0.5) for k in range(len(learnt) + 1)]
    raised = [count * roots[k] for count, k in zip(counts, n_sources, strict=True)]
    held_out = [number for number in range(len(sources)) if number not in learnt]
    words = combine_sources(
        [sources[number] for number in held_out], [factors[number] for number in held_out]
    )
    words.add_records(records, array("Q", raised))
    return words


def scripts_of_texts(texts: Iterable[bytes], schemas: Sequence[Schema]) -> list[str]:
    """Return the script of each text: of its first character that is of one, or `NO_SCRIPT`.

    A script is named by its schema; of a character in the blocks of several, the first schema's.
    """
    script_of_character: dict[str, str] = {}

    def script_of(character: str) -> str:
        """Return the script of a character, or `NO_SCRIPT`, and remember it."""
        if character not in script_of_character:
            names = (schema.name for schema in schemas if character in schema.blocks)
            script_of_character[character] = next(names, NO_SCRIPT)
        return script_of_character[character]

    return [
        next(filter(None, map(script_of, text.decode("utf-8", "replace"))), NO_SCRIPT)
        for text in texts
    ]


def group_by_script(
    merges: Sequence[Pair], scripts: Sequence[str], values: Sequence[int]
) -> dict[str, list[int]]:
    """Return the values of the merges of each script, in the order of the merges.

    A merge is of the script of its left part, or of its right part where the left one has none.

    The result is a dictionary that gives an empty list for a script without merges.

    Args:
        merges: the ids of both parts of each merge; merge k makes the id ``len(scripts) + k``.
        scripts: the script of each token before the merges.
        values: a value for each merge, such as what it saves.
    """
    script_of_id = list(scripts)
    values_of_scripts = defaultdict(list)
    for (left, right), value in zip(merges, values, strict=True):
        script_of_id.append(script_of_id[left] or script_of_id[right])
        values_of_scripts[script_of_id[-1]].append(value)
    return values_of_scripts


def first_merges_of_scripts(
    merges: Sequence[Pair], scripts: Sequence[str], most: Mapping[str, int]
) -> list[Pair]:
    """Return the first merges of each script, up to a number for each, with ids counted anew.

    A merge of a token that was left out is left out, too, and does not count: characters that
    scripts share have no script of their own, so a merge may be of another script than a part of
    it.

    Args:
        merges: the ids of both parts of each merge; merge k makes the id ``len(scripts) + k``.
        scripts: the script of each token before the merges.
        most: how many merges of each script to return; scripts that are missing get none.

    Example:
        >>> first_merges_of_scripts([(0, 0), (1, 1), (3, 1), (2, 0)], ["a", "b"], {"a": 0, "b": 2})
        [(1, 1), (2, 1)]
    """
    script_of_id, left_over = list(scripts), dict(most)
    kept: list[Pair] = []
    new_ids: list[int | None] = list(range(len(scripts)))
    for left, right in merges:
        script = script_of_id[left] or script_of_id[right]
        script_of_id.append(script)
        new_left, new_right = new_ids[left], new_ids[right]
        if new_left is None or new_right is None or left_over.get(script, 0) < 1:
            new_ids.append(None)
            continue
        left_over[script] -= 1
        new_ids.append(len(scripts) + len(kept))
        kept.append((new_left, new_right))
    return kept


@dataclass(frozen=True)
class Balance:
    """Chooses how many ids each kind gets, and learns a model with these shares.

    Attributes:
        plan: what to learn; its base is the 256 bytes, or one that stays as it is.
        learner: what learns superwords, from all sources.
        weights: how often each source counts, whole numbers.
        reports: the numbers of each source.
        script_words: the words of the scripts, of each source.
        all_words: all words, as a base cuts them, of each source; empty where the base stays.
        other_words: those of `all_words` that have no character of a script; empty likewise.
        folds: in which of the `FOLDS` rounds each source is left out.
        scale: the number that the weights were multiplied by to be whole.
        prune: how often an atom must be seen, times the scale; None: the share of atoms is chosen.
    """

    plan: Plan
    learner: SuperwordLearner
    weights: Sequence[int]
    reports: Sequence[SourceCounts]
    script_words: Sequence[SourceWords]
    all_words: Sequence[SourceWords]
    other_words: Sequence[SourceWords]
    folds: Sequence[int]
    scale: int
    prune: int | None

    def choose_shares(self, room: int) -> dict[Kind, int]:
        """Return how many of `room` ids each kind gets, measured on sources left out in turn.

        It learns once for each of `FOLDS`, and reads the corpus each time for superwords. Atoms
        are among the kinds if their number is not fixed, the base if it is learnt; the base gets
        at least `min_base_merges`.
        """
        gains_of_folds: dict[Kind, list[list[float]]] = defaultdict(list)
        for fold in range(FOLDS):
            held_out = [number for number, its_fold in enumerate(self.folds) if its_fold == fold]
            if held_out:
                for kind, gains in self.measure_gains(held_out, room).items():
                    gains_of_folds[kind].append(gains)
        mean_gains = {
            kind: [sum(each) / len(gains) for each in zip_longest(*gains, fillvalue=0.0)]
            for kind, gains in gains_of_folds.items()
        }
        shares = share_out(mean_gains, room)
        base = (BASE, NO_SCRIPT)
        if self.all_words and shares[base] < (least := min(room, self.min_base_merges(room))):
            del mean_gains[base]
            shares = {base: least, **share_out(mean_gains, room - least)}
        return shares

    def min_base_merges(self, room: int) -> int:
        """Return how many merges a base must get: 5 % more than a byte BPE makes in other text.

        A byte BPE of the whole corpus with `room` merges is learnt for it; those of its merges that
        occur in text of no script are counted. So other text takes fewer tokens than in that
        vocabulary, and not as many.
        """
        once = [words.with_counts_of_one() for words in self.other_words]
        # The words of no script count once more in the lower bits, which tell what occurs in them.
        factors = [*self.source_factors(()), *map(Fraction, [1] * len(once))]
        words = combine_sources([*self.all_words, *once], factors)
        gains = self.learn_merges(words.spell_bytes(), BYTES, room).gains()
        return 21 * sum(gain & HELD_OUT_MASK > 0 for gain in gains) // 20

    def measure_gains(self, held_out: Sequence[int], room: int) -> dict[Kind, list[float]]:
        """Return what each next id of each kind saves, measured on the sources left out.

        Gains are in tokens of a corpus with as many words of each script as this one, if it were
        like the sources left out.

        Args:
            held_out: the numbers of the sources to leave out.
            room: how many ids of a kind there may be.
        """
        factors, gains_of_kinds = self.source_factors(held_out), dict[Kind, list[float]]()
        all_sources = range(len(self.script_words))
        words_in_corpus = self.words_of_scripts(self.source_factors(()), all_sources)
        words_held_out = self.words_of_scripts(factors, held_out)
        # How many words of a script the corpus has for each one left out.
        corpus_ratio = {
            name: count and words_in_corpus[name] / count / 2**HELD_OUT_BITS
            for name, count in words_held_out.items()
        }
        if self.other_words:
            spelled = combine_sources(self.other_words, factors).spell_bytes()
            gains = held_out_gains(self.learn_merges(spelled, BYTES, room).gains())
            gains_of_kinds[BASE, NO_SCRIPT] = [corpus_ratio[NO_SCRIPT] * gain for gain in gains]
        units = combine_sources(self.script_words, factors).count_units()
        if self.prune is None:
            gains_of_kinds[ATOMS, NO_SCRIPT] = self.measure_atom_gains(units, corpus_ratio)
        prune = self.prune or FIRST_PRUNE * self.scale
        atoms = self.choose_atoms(units, prune << HELD_OUT_BITS)
        favoured = combine_favouring_shared(self.script_words, factors)
        within_words = self.learn_merges(favoured, atoms, room, ONE_SOURCE_FACTOR)
        measured: list[tuple[str, Merger, Sequence[bytes], float]]
        measured = [(MERGES, within_words, atoms, 1.0)]
        if self.plan.options.method != UNIGRAM:
            model = self.assemble_model(byte_base(), {}, atoms, within_words.merges())
            whole_factors = [max(1, int(factor)) for factor in factors]
            across_words = self.learner.make_merger(
                model, room, whole_factors, HELD_OUT_BITS, MIN_SOURCES
            ).run()
            # Superwords are counted in a share of the lines alone.
            share_of_lines = float(self.learner.share)
            measured += [(SUPERWORDS, across_words, unit_model(model).texts, share_of_lines)]
        for kind, merger, texts, share in measured:
            scripts = scripts_of_texts(texts, self.plan.schemas)
            counts_of_scripts = group_by_script(merger.merges(), scripts, merger.gains())
            for name in self.script_names:
                gains = held_out_gains(counts_of_scripts[name])
                gains_of_kinds[kind, name] = [corpus_ratio[name] / share * gain for gain in gains]
        return gains_of_kinds

    def measure_atom_gains(
        self, units: Mapping[bytes, int], corpus_ratio: Mapping[str, float]
    ) -> list[float]:
        """Return what each further atom saves, the one most frequent in the learnt text first.

        A syllable saves the bytes, or characters, that it would be written with, less one; a
        syllable with a space before it saves the lone space.

        Args:
            units: the text of each unit, and its count of both texts in one.
            corpus_ratio: for each script, how many words the corpus has for each one left out.
        """
        bare: dict[bytes, int] = defaultdict(int)
        for unit, count in units.items():
            bare[unit.removeprefix(SPACE)] += count
        spaced = {unit: count for unit, count in units.items() if unit[:1] == SPACE}
        counts_and_gains = []
        for texts in (bare, spaced):
            scripts = scripts_of_texts(texts, self.plan.schemas)
            for (text, count), script in zip(texts.items(), scripts, strict=True):
                spelled = len(text.decode()) if self.plan.options.every_character else len(text)
                saved = 1 if texts is spaced else spelled - 1
                ratio = corpus_ratio[script or self.script_names[0]]
                gain = (count & HELD_OUT_MASK) * saved * ratio
                counts_and_gains.append((count >> HELD_OUT_BITS, gain))
        learnt = [each for each in counts_and_gains if each[0]]
        return average_equals(sorted(learnt, key=lambda each: -each[0]))

    def learn_model(self, specials: Sequence[str], size: int) -> tuple[Artifact, dict[Kind, int]]:
        """Choose the shares, and learn a model with them from all sources.

        Base (if it is learnt), merges within words and superwords are learnt one after the other.
        Of the merges of each script the first ones are kept, as many as its share. A Unigram model
        has tokens in their place (`learn_tokens`).

        Args:
            specials: the texts of the special tokens.
            size: how many ids there are beyond the base that stays, or the bytes; the lone space
                takes one more.

        Returns:
            The model without provenance, and how many ids each kind got.

        Raises:
            CorpusError: the ids are too few for the atoms.
        """
        plan, room = self.plan, size - len(specials)
        factors = self.source_factors(())
        units = combine_sources(self.script_words, factors).count_units()
        if self.prune:
            atoms = self.choose_atoms(units, self.prune << HELD_OUT_BITS)
            shares = self.choose_shares(max(0, room - len(atoms)))
        else:
            shares = self.choose_shares(room)
            n_syllables = max(0, shares[ATOMS, NO_SCRIPT] - len(plan.forced_atoms))
            atoms = self.choose_atoms(units, prune_for(n_syllables, units))
        if len(atoms) > room:
            raise CorpusError(
                f"there are {len(atoms)} atoms, and {room} ids for atoms and merges; raise "
                "prune, or vocab_size"
            )
        base = plan.base
        if self.other_words:
            spelled = combine_sources(self.other_words, factors).spell_bytes()
            merges = self.learn_merges(spelled, BYTES, shares[BASE, NO_SCRIPT]).merges()
            base = base_from_merges(
                base, specials={}, merges=merges, provenance=base.provenance, protect=()
            )
        shares[ATOMS, NO_SCRIPT] = len(atoms)
        # There are fewer atoms than their share, for equally frequent ones are taken or left
        # together. The script with most merges gets these ids.
        largest = max(self.script_names, key=lambda name: shares[MERGES, name])
        shares[MERGES, largest] += room - sum(shares.values())
        favoured = combine_favouring_shared(self.script_words, factors)
        added = special_ids(base, specials)
        if plan.options.method == UNIGRAM:
            model = unigram_over_base(
                plan.schemas,
                base,
                specials=added,
                tokens=self.learn_tokens(favoured, atoms, shares),
                kind=plan.kind,
                words=plan.word_rule,
                protect=tuple(plan.protected),
            )
            return model, shares
        merges = self.learn_merges(favoured, atoms, room, ONE_SOURCE_FACTOR).merges()
        wanted = {name: shares[MERGES, name] for name in self.script_names}
        merges = first_merges_of_scripts(merges, scripts_of_texts(atoms, plan.schemas), wanted)
        model = self.assemble_model(base, added, atoms, merges)
        superwords = self.learner.make_merger(model, room, min_sources=MIN_SOURCES).run().merges()
        wanted = {name: shares[SUPERWORDS, name] for name in self.script_names}
        scripts = scripts_of_texts(unit_model(model).texts, plan.schemas)
        superwords = first_merges_of_scripts(superwords, scripts, wanted)
        merges = [*unit_model(model).merges, *superwords]
        return with_merges(model, merges, len(superwords)), shares

    def learn_tokens(
        self, favoured: WordTable, atoms: Sequence[bytes], shares: Mapping[Kind, int]
    ) -> Scored:
        """Return the tokens of a Unigram model and their scores, by descending score.

        All atoms are among them, and of each script as many others as its share of merges, or
        fewer, where its words have no more candidates. The scores of a script are those of a model
        of its words alone, lowered by its share of all words.

        Args:
            favoured: the words of all sources, with counts in the upper bits, times
                `ONE_SOURCE_FACTOR`.
            atoms: the atoms of all scripts, in ascending byte order.
            shares: how many ids each kind gets.
        """
        records, counts = favoured.export()
        words = list(parse_records(records))
        scripts = scripts_of_texts(map(b"".join, words), self.plan.schemas)
        words_of_scripts = defaultdict(list)
        for word, count, script in zip(words, counts, scripts, strict=True):
            words_of_scripts[script].append((record(word), count >> HELD_OUT_BITS))
        total = sum(count >> HELD_OUT_BITS for count in counts)
        atoms_and_scripts = list(
            zip(atoms, scripts_of_texts(atoms, self.plan.schemas), strict=True)
        )
        tokens = dict[bytes, float]()
        for name in self.script_names:
            own = [atom for atom, script in atoms_and_scripts if script in (name, NO_SCRIPT)]
            own_records = b"".join(of_word for of_word, _ in words_of_scripts[name])
            own_counts = array("Q", [count for _, count in words_of_scripts[name]])
            table = WordTable()
            table.add_records(own_records, own_counts)
            learnt = learn_unigram(
                table,
                own,
                n_tokens=len(own) + shares[MERGES, name],
                min_freq=ONE_SOURCE_FACTOR * self.learner.min_freq,
                max_units=self.learner.max_units,
            )
            log_share = math.log(max(1, sum(own_counts)) / total)
            for text, score in learnt:
                # Scripts share some characters, which are tokens once.
                tokens[text] = max(f32(score + log_share), tokens.get(text, -math.inf))
        return sorted(tokens.items(), key=by_score)

    def choose_atoms(self, units: Mapping[bytes, int], prune: int) -> tuple[bytes, ...]:
        """Return the units seen `prune` times and the characters that are atoms anyway."""
        return choose_atoms(units, prune, characters=self.plan.forced_atoms)

    @property
    def script_names(self) -> list[str]:
        """The names of the scripts, in the order of the schemas."""
        return [schema.name for schema in self.plan.schemas]

    def source_factors(self, held_out: Sequence[int]) -> list[Fraction]:
        """Return how often a word of each source counts, in which bits of the count.

        A source that is learnt from counts as its weight says, in the upper bits: the factor is the
        weight shifted left by `HELD_OUT_BITS`. The sources left out, whose numbers `held_out` has,
        count alike, in the lower bits: the words of each come to an equal share of
        `HELD_OUT_TOTAL`, or to 0 if it has none.
        """
        factors = [Fraction(weight << HELD_OUT_BITS) for weight in self.weights]
        for number in held_out:
            total = self.script_words[number].total
            if self.other_words:
                total += self.other_words[number].total
            factors[number] = Fraction(HELD_OUT_TOTAL, len(held_out) * max(1, total))
        return factors

    def words_of_scripts(
        self, factors: Sequence[Fraction], sources: Sequence[int]
    ) -> dict[str, float]:
        """Return how many words of each script these sources have, each times its factor.

        Args:
            factors: the factor of each source of the corpus.
            sources: the numbers of the sources to count. Words of no script are under `NO_SCRIPT`,
                if a base is learnt.
        """
        n_words: dict[str, float] = defaultdict(float)
        for number in sources:
            for name, script in self.reports[number].scripts.items():
                n_words[name] += float(factors[number] * script.words)
            if self.other_words:
                n_words[NO_SCRIPT] += float(factors[number] * self.other_words[number].total)
        return n_words

    def learn_merges(
        self, words: WordTable, atoms: Sequence[bytes], most: int, times: int = 1
    ) -> Merger:
        """Make up to `most` merges within words, and return what made them.

        Args:
            words: the words, with counts of both texts in one.
            atoms: the atoms; `BYTES` have no limit but the bytes of a token.
            most: how many merges there may be.
            times: by how much counts were multiplied, and the least count must be, too.
        """
        min_freq = times * self.learner.min_freq << HELD_OUT_BITS
        max_units = MAX_TOKEN_BYTES if atoms is BYTES else self.learner.max_units
        return Merger(words, atoms, max_merges=most, min_freq=min_freq, max_units=max_units).run()

    def assemble_model(
        self,
        base: Artifact,
        specials: Mapping[str, int],
        atoms: tuple[bytes, ...],
        merges: Sequence[Pair],
    ) -> Artifact:
        """Return a model of these parts, without superwords and provenance.

        Protected tokens are put into it where it has special tokens: not while shares are measured.
        """
        return trained_model(
            self.plan.schemas,
            base,
            specials=specials,
            atoms=atoms,
            merges=merges,
            provenance={},
            words=self.plan.word_rule,
            parts=self.plan.options.every_character,
            protect=tuple(self.plan.protected) if specials else (),
        )


def with_even_weights(counted: CorpusCounts) -> CorpusCounts:
    """Return what was counted, with weights under which all sources count alike, long and short.

    A source's length is its characters: a character of the scripts has three bytes. A short source
    counts up to `MAX_EVEN_FACTOR` times. A source that was given a weight counts so much more or
    less. All weights are rounded to halves, and the scale, the report and the corpus are changed to
    match; the words are not counted anew.
    """
    reports, corpus = counted.report.sources, copy(counted.corpus)
    lengths = [
        report.bytes - sum(script.bytes for script in report.scripts.values()) * 2 // 3
        for report in reports
    ]
    longest = max(lengths)
    factors = [min(MAX_EVEN_FACTOR, Fraction(longest, max(1, length))) for length in lengths]
    corpus.sources = tuple(
        replace(source, weight=Fraction(max(1, round(2 * source.weight * factor)), 2))
        for source, factor in zip(corpus.sources, factors, strict=True)
    )
    reports = tuple(
        replace(report, weight=format_decimal(source.weight))
        for report, source in zip(reports, corpus.sources, strict=True)
    )
    report = replace(counted.report, sources=reports)
    return counted._replace(report=report, corpus=corpus, scale=corpus.scale)


def check_counts_fit(
    reports: Sequence[SourceCounts], weights: Sequence[int], words: WordTable
) -> None:
    """Raise an error if a count may not fit into the upper bits.

    Args:
        reports: the numbers of each source.
        weights: how often each source counts.
        words: the words of the scripts of all sources, times the weights.

    Raises:
        CorpusError: a pair of bytes may be as frequent, or the most frequent pair of units would
            be, if all sources had it.
    """
    n_bytes = sum(report.bytes * weight for report, weight in zip(reports, weights, strict=True))
    merger = Merger(words, choose_atoms(words.count_units(), 1), max_merges=1, min_freq=1)
    merger.merge_more(1)
    most_raised = round(ONE_SOURCE_FACTOR * len(reports) ** 0.5)
    largest = max(n_bytes, *(most_raised * gain for gain in merger.gains()), 0)
    if largest > HELD_OUT_MASK:
        raise CorpusError(
            f"counts of this corpus may reach {largest:,}, weights counted, and in balanced "
            f"training {HELD_OUT_MASK:,} is the most; take a sample (--sample), or weights with "
            "fewer decimals"
        )


def prune_for(most: int, units: Mapping[bytes, int]) -> int:
    """Return how often an atom must be seen so that there are at most `most` atoms.

    Equally frequent units are atoms all together or not at all, so there may be fewer.

    Example:
        >>> prune_for(2, {b"a": 5, b"b": 3, b"c": 2, b"d": 2})
        3
    """
    frequent = sorted(count_spaced_and_bare(units).values(), reverse=True)
    return frequent[most] + 1 if most < len(frequent) else 1


def trains_base(plan: Plan) -> bool:
    """Return whether a balanced vocabulary learns a base, too: the plan's is the 256 bytes."""
    return plan.base.n_vocab == len(BYTES)


def learn_balanced_model(
    plan: Plan, counted: CorpusCounts, script_words: Sequence[SourceWords], folds: Sequence[int]
) -> tuple[Artifact, str]:
    """Choose the shares of a balanced vocabulary, and learn the model.

    Where a base is trained, too (`trains_base`), the corpus is counted once more for it.

    Args:
        plan: what to learn.
        counted: what was counted of all sources.
        script_words: of each source the words of the scripts, before weights.
        folds: in which of the `FOLDS` rounds each source is left out.

    Returns:
        The model without provenance, and the options that it was learnt with, the shares among
        them, in words.

    Raises:
        CorpusError: the ids are too few for what is not chosen, or the corpus is too large.
    """
    all_words: list[SourceWords] = []

    def keep_words(words: WordTable) -> None:
        """Keep a copy of the words of a source, which the counting uses up."""
        all_words.append(SourceWords(*words.export()))

    options, size, scale = plan.options, plan.options.vocab_size, counted.scale
    if trains_base(plan):
        plan_of_base = replace(
            plan,
            options=replace(options, atoms=AtomKind.BYTE),
            schemas=(),
            corpus=counted.corpus,
            protected={},
        )
        plan_of_base.count_words(keep_words)
        size -= len(BYTES) + (options.method != UNIGRAM)  # the lone space, which merges need
    learner = SuperwordLearner(
        corpus=counted.corpus,
        report=counted.report,
        max_words=options.max_words,
        max_units=plan.max_units,
        min_freq=min(options.min_freq * scale, HELD_OUT_MASK // ONE_SOURCE_FACTOR),
        bars=plan.bars,
    )
    weights = [int(source.weight * scale) for source in counted.corpus.sources]
    reports = counted.report.sources
    weighted_words = combine_sources(script_words, [Fraction(weight) for weight in weights])
    check_counts_fit(reports, weights, weighted_words)
    balance = Balance(
        plan=plan,
        learner=learner,
        weights=weights,
        reports=reports,
        script_words=script_words,
        all_words=all_words,
        other_words=[words.without_scripts(plan.schemas) for words in all_words],
        folds=folds,
        scale=scale,
        prune=options.prune and options.prune * scale,
    )
    model, shares = balance.learn_model(plan.added_texts, size)
    names = {MERGES: "tokens"} if options.method == UNIGRAM else {}
    shares_in_words = ", ".join(
        f"{names.get(kind, kind)} {script} {n_ids}" if script else f"{kind} {n_ids}"
        for (kind, script), n_ids in shares.items()
    )
    return model, f"{plan.training_record(None)}, balanced: {shares_in_words}"
