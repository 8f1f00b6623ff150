"""What is to be learnt, and what cannot be."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from wwho.assemble.atoms import PLAIN, AtomKind, Words
from wwho.assemble.script import character_shapes
from wwho.assemble.training_artifacts import (
    counting_model,
    special_ids,
    trained_model,
    unit_model,
    with_merges,
)
from wwho.compile.codepoints import CodePointSet
from wwho.compile.schema import Schema, union
from wwho.compile.unicode import ANY_SCRIPT
from wwho.corpus import Corpus
from wwho.errors import CorpusError, SchemaError, SpecialTokenError
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Artifact
from wwho.normalize import FORM, KEY, Normalization, nfc
from wwho.progress import Progress
from wwho.train.count import MAX_COUNT, Counted, count_corpus, count_to_file
from wwho.train.counts import Counts, made_by
from wwho.train.learn import atoms_of
from wwho.train.native import Merger
from wwho.train.native import Words as Table
from wwho.train.parity import Round
from wwho.train.protect import NOTHING, Protect
from wwho.train.report import Report
from wwho.train.superwords import AUTO, SecondStage

MergeConstraint = Literal["none", "character"]
NO_CONSTRAINT, CHARACTER = "none", "character"

PRUNE = 20
"""How often an atom must be seen, where nothing else is said."""

SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[MASK]")


@dataclass(frozen=True)
class Plan:
    """What `wwho.train.train` was given, with things in place of their names.

    Attributes:
        protected: the texts that `protect` stands for in this corpus, and how often its pattern
            finds each.
    """

    schemas: Sequence[Schema]
    base: Artifact
    corpus: Corpus
    atoms: AtomKind | str = AtomKind.SYLLABLE
    words: Words = PLAIN
    vocab_size: int = 128_000
    prune: int | None = None
    every_character: bool = False
    min_freq: int = 2
    superwords: int | Literal["auto"] = 0
    balanced: bool | Literal["evenly"] = False
    max_words: int = 4
    max_token_units: int | None = None
    merge_constraint: MergeConstraint = "none"
    normalize: Normalization | None = None
    specials: Sequence[str] | None = None
    protect: Protect = NOTHING
    processes: int = 1
    progress: bool = False
    parity: Mapping[str, str | os.PathLike[str]] | None = None
    rounds: int = 6
    name: str = "unnamed"
    on_counted: Callable[[Report], object] = lambda _: None
    on_round: Callable[[Round], object] = lambda _: None
    protected: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def kind(self) -> AtomKind:
        """What the atoms are."""
        return AtomKind(self.atoms)

    @property
    def texts(self) -> list[str]:
        """Those of special and protected tokens."""
        usual = () if self.kind.has_fixed_atoms else SPECIALS
        return [*(usual if self.specials is None else self.specials), *self.protected]

    @property
    def least(self) -> int:
        """How often an atom must be seen."""
        return PRUNE if self.prune is None else self.prune

    @cached_property
    def bars(self) -> Progress:
        """Where progress is shown."""
        return Progress(self.progress)

    @property
    def max_units(self) -> int:
        """How many atoms a token may have."""
        return MAX_TOKEN_BYTES if self.max_token_units is None else self.max_token_units

    @property
    def characters(self) -> CodePointSet:
        """What are atoms, seen or not: all of the schemas' classes but marks of any script."""
        classified = union(schema.classified for schema in self.schemas if self.every_character)
        return classified - ANY_SCRIPT

    def read(self) -> Plan:
        """The same, with the corpus as it is to be read, and what is protected in it."""
        corpus = self.corpus.normalized(self.normalize, collapse=self.words.collapse)
        return replace(self, corpus=corpus, protected=self.protect.found(corpus, self.bars))

    @cached_property
    def cutter(self) -> tuple[Artifact, dict[str, str]]:
        """What cuts text into words, and all that decides how."""
        given = (self.schemas, self.base, self.kind, self.words, tuple(self.protected))
        cutter = counting_model(*given)
        return cutter, made_by(*given, cutter, self.corpus.reading)

    def count(self, each: Callable[[Table], object] | None = None) -> Counted:
        """The words of the corpus; where atoms are bytes or symbols, spelled with them.

        Args:
            each: is given the words of each source, before they are used up.
        """
        with self.bars.stage("count", self.corpus.size(), unit="B") as advance:
            found = count_corpus(
                *(self.corpus, *self.cutter), processes=self.processes, advance=advance, each=each
            )
        if not self.kind.has_fixed_atoms:
            return found
        words = found.words
        return found._replace(
            words=words.spelled() if self.kind is AtomKind.BYTE else words.paired()
        )

    def count_to(self, file: str | os.PathLike[str], part: tuple[int, int]) -> tuple[Counts, bool]:
        """The counts of the corpus, which are in this file now, and whether they were made now."""
        with self.bars.stage("count", self.corpus.size(), unit="B") as advance:
            return count_to_file(
                *(Path(file), self.corpus, *self.cutter),
                part=part,
                processes=self.processes,
                advance=advance,
            )

    def learn(self, counted: Counted) -> tuple[Artifact, str]:
        """Choose atoms, and learn merges, and after them superwords.

        Returns:
            The model without its origin, and the options that it was learnt with, in words.

        Raises:
            CorpusError: not even the atoms fit.
            ValueError: the superwords do not.
        """
        check_base(self, counted.report)
        atoms = atoms_of(
            *(self.kind, counted.words, self.least * counted.scale),
            characters=self.characters,
            end_of_word=self.words.end_of_word,
        )
        check_atoms(self, atoms)
        room = room_for(self, len(atoms))
        threshold = min(self.min_freq * counted.scale, MAX_COUNT + 1)
        reserved = 0 if self.superwords == AUTO else self.superwords
        merger = Merger(
            *(counted.words, atoms),
            max_merges=room - reserved,
            min_freq=threshold,
            max_units=self.max_units,
            shapes=character_shapes(atoms) if self.merge_constraint == CHARACTER else None,
        )
        with self.bars.stage("merge", room - reserved, unit=" merges") as advance:
            merger.run(advance)
        model = trained_model(
            *(self.schemas, self.base),
            specials=special_ids(self.base, self.texts),
            atoms=atoms,
            merges=merger.merges(),
            provenance={},
            kind=self.kind,
            words=self.words,
            protect=tuple(self.protected),
            parts=self.every_character,
        )
        if self.superwords:
            limits = (self.max_words, self.max_units, threshold)
            stage = SecondStage(counted.corpus, counted.report, *limits, self.bars)
            if self.superwords == AUTO:
                reserved = stage.worthwhile(model, merger.gains(), room)
                model = with_merges(model, unit_model(model).merges[: room - reserved], 0)
            model = stage.added(model, reserved)
        return model, self.options(reserved)

    def options(self, n_superwords: int | None) -> str:
        """The options, as the model's origin gives them; None: what was chosen stands elsewhere."""
        chosen, auto = n_superwords is None, self.superwords == AUTO
        said: dict[str, object] = {
            "vocab_size": self.vocab_size,
            "prune": not chosen and self.least,
            "min_freq": self.min_freq,
            "atoms": self.kind is not AtomKind.SYLLABLE and self.kind,
            "every_character": self.every_character,
            "words whitespace": self.words.whitespace,
            "end_of_word": self.words.end_of_word,
            "collapse_spaces": self.words.collapse,
            "protected": len(self.protected),
            "superwords": not chosen and (f"auto ({n_superwords})" if auto else n_superwords),
            "max_words": self.superwords and self.max_words,
            "merge_constraint": self.merge_constraint != NO_CONSTRAINT and self.merge_constraint,
            "max_token_units": self.max_token_units,
        }
        return ", ".join(
            name if value is True else f"{name} {value}" for name, value in said.items() if value
        )

    def check(self) -> None:
        """Refuse what cannot be trained with, before anything is counted.

        Raises:
            ValueError: says which argument, and what it may be.
            SchemaError: there should be schemas.
            SpecialTokenError: a special token comes twice, or cannot be one.
            CorpusError: the corpus cannot be read as often, or has too few sources.
        """
        check_options(self)
        special_ids(self.base, self.texts)
        check_normalize(self)
        check_superwords(self, self.corpus)
        if self.balanced:
            check_balanced(self)


# What cannot be trained with, and what is better said before the result surprises.


def check_options(plan: Plan) -> None:
    """Refuse numbers out of range, and options that say nothing to what is merged.

    Raises:
        SchemaError: the characters of no schema would be atoms.
        ValueError: says which argument, and what it may be.
    """
    if plan.every_character and not plan.schemas:
        raise SchemaError(
            "every_character makes atoms of the characters of schemas, and there are none; name "
            "schemas, or leave it out"
        )
    if plan.merge_constraint not in (NO_CONSTRAINT, CHARACTER):
        raise ValueError(
            f"merge_constraint is {plan.merge_constraint!r}; it must be {NO_CONSTRAINT!r} or "
            f"{CHARACTER!r}"
        )
    if plan.merge_constraint == CHARACTER and not plan.kind.has_fixed_atoms:
        raise ValueError(
            f"{plan.kind} atoms are whole characters: merge_constraint is for byte and script"
        )
    for what, value, most in (
        ("vocab_size", plan.vocab_size, MAX_IDS - plan.base.n_vocab - 1),
        ("prune", plan.least, 2**63),
        ("min_freq", plan.min_freq, 2**63),
        ("max_token_units", plan.max_units, MAX_TOKEN_BYTES),
        ("processes", plan.processes, 1024),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{what} is {value}; it must be between 1 and {most}")
    if plan.base.router is not None:
        raise ValueError(
            f"the base {plan.base.name!r} has routes of its own; train over a base vocabulary, "
            "such as o200k_base"
        )


def check_normalize(plan: Plan) -> None:
    """Refuse what a normalized text would never meet, or what would meet text that is not.

    Raises:
        ValueError: there is no such form, or the base was trained on text in another one.
        SpecialTokenError: a special token is not in this form.
    """
    base, form = plan.base, plan.normalize
    if form not in (None, FORM):
        raise ValueError(f"normalize is {form!r}; it must be {FORM!r} or None")
    theirs = base.provenance.get(KEY)
    if theirs is not None and theirs != form:
        raise ValueError(
            f"the base {base.name!r} was trained on text in {theirs}; train over it with "
            f"normalize {theirs} (--normalize {theirs})"
        )
    for text in plan.texts if form else ():
        if nfc(text.encode()) != text.encode():
            raise SpecialTokenError(
                f"special token {text!r} is not in NFC, and no text that is holds it; spell it "
                f"{nfc(text.encode()).decode()!r}"
            )


def check_base(plan: Plan, report: Report) -> None:
    """Say what a base of bytes alone costs in the text that no schema takes over."""
    if plan.words.whitespace or not plan.schemas or len(plan.base.models[0].texts) > 256:
        return
    total = report.total
    theirs = sum(script.bytes for script in total.scripts.values())
    warnings.warn(
        f"the base is the 256 bytes alone: all text outside the schemas' scripts, which is "
        f"{1 - theirs / total.bytes:.1%} of the bytes of this corpus, takes one token for each "
        "byte. To have tokens for it, train a byte base first (--atoms byte --base none, without "
        "--schema) and give that file as the base, or take o200k_base",
        stacklevel=4,
    )


def check_atoms(plan: Plan, atoms: Sequence[bytes]) -> None:
    """Say so where nothing can be learnt, for want of atoms."""
    if not atoms:
        warnings.warn(
            f"no {plan.kind} is seen {plan.least} times in this corpus, weights counted, so the "
            f"vocabulary has none; {'lower prune, or ' if plan.least > 1 else ''}give more text or "
            "higher weights",
            stacklevel=4,
        )


def room_for(plan: Plan, n_atoms: int) -> int:
    """How many merges the vocabulary has room for, superwords among them.

    Raises:
        CorpusError: not even the atoms fit.
        ValueError: the superwords do not.
    """
    n_specials = len(plan.texts)
    taken = n_specials + n_atoms
    if taken > plan.vocab_size:
        atoms, remedy = f"{plan.kind}s seen at least {plan.least} times", ", or prune"
        if plan.kind.has_fixed_atoms:
            atoms, remedy = "bytes" if plan.kind is AtomKind.BYTE else "symbols", ""
        raise CorpusError(
            f"a vocabulary of {plan.vocab_size} has no room for {n_specials} special tokens and "
            f"{n_atoms} {atoms}; raise vocab_size to {taken} or more{remedy}"
        )
    room = plan.vocab_size - taken
    if plan.superwords != AUTO and plan.superwords > room:
        raise ValueError(
            f"superwords is {plan.superwords}; it must be between 0 and {room}, for which there is "
            "room"
        )
    return room


def check_superwords(plan: Plan, corpus: Corpus) -> None:
    """Refuse superwords that no corpus, or not this one, could give.

    Raises:
        ValueError: says which number, and what it may be.
        SchemaError: there are no schemas, whose scripts' words are what superwords join.
        CorpusError: the corpus cannot be read a second time.
    """
    superwords, max_words = plan.superwords, plan.max_words
    if superwords and plan.words != PLAIN:
        raise ValueError(
            "superwords join words of a script across the space before the second; leave out "
            f"{plan.words}, or ask for no superwords"
        )
    if superwords != AUTO and not (isinstance(superwords, int) and superwords >= 0):
        raise ValueError(f"superwords is {superwords!r}; it must be 0 or more, or {AUTO!r}")
    if not 2 <= max_words <= 127:
        raise ValueError(f"max_words is {max_words}; it must be between 2 and 127")
    if superwords and not plan.schemas:
        raise SchemaError(
            "superwords join words of a script, and without schemas a word is any piece of text, "
            "punctuation and digits too; name schemas, or ask for no superwords"
        )
    if superwords and corpus.once:
        raise CorpusError(
            f"superwords are learnt from a second reading, and {corpus.once} can be read only "
            "once: name a file, or give a list or a column of a dataset"
        )


def check_balanced(plan: Plan) -> None:
    """Refuse a corpus of which no source can be left out, or other atoms than syllables.

    Raises:
        ValueError: says what is missing.
        CorpusError: the corpus is of one source, or of counts.
    """
    if plan.kind is not AtomKind.SYLLABLE or plan.words != PLAIN:
        raise ValueError(
            "a balanced vocabulary is of syllables and words of scripts: leave out "
            f"{'other words' if plan.words != PLAIN else f'atoms {plan.kind}'}"
        )
    if any(source.counted for source in plan.corpus.sources):
        raise CorpusError("a balanced vocabulary needs the text of its sources, and not counts")
    if len(plan.corpus.sources) < 2:
        raise CorpusError(
            "a balanced vocabulary is measured on sources that it was not learnt from, and there "
            "is 1 source; name 2 or more, each with text of every script"
        )


def check_counted(report: Report) -> None:
    """Refuse a corpus with nothing in it, and say what was broken.

    Raises:
        CorpusError: there is nothing to learn from.
    """
    total = report.total
    if total.broken_characters:
        warnings.warn(
            f"the corpus holds {total.broken_characters} broken characters (bytes that are not "
            "valid UTF-8, lone surrogates); each was read as U+FFFD",
            stacklevel=3,
        )
    if not total.words:
        raise CorpusError(
            f"the corpus ({total.files} files, {total.lines} lines, of which {total.sampled} were "
            f"counted, {total.bytes} bytes of text) holds no text in the scripts of the schemas: "
            f"{', '.join(total.scripts)}"
        )
