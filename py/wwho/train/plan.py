"""A training run with its inputs loaded: counting, learning, and the checks before them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wwho.assemble.atoms import PLAIN, AtomKind, Words
from wwho.assemble.script import character_shapes
from wwho.assemble.training_artifacts import (
    counting_model,
    special_ids,
    trained_model,
    unit_model,
    with_merges,
)
from wwho.assemble.unigram import unigram_over_base, unigram_over_bytes
from wwho.compile.codepoints import CodePointSet
from wwho.compile.schema import Schema, union
from wwho.compile.unicode import ANY_SCRIPT
from wwho.corpus import Corpus
from wwho.errors import CorpusError, SchemaError, SpecialTokenError
from wwho.format.bpe import BYTES
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Artifact
from wwho.interchange.sentencepiece import MARKER
from wwho.normalize import FORM, PROVENANCE_KEY, nfc
from wwho.progress import Progress
from wwho.tokenizer.tokenizer import END_OF_TEXT
from wwho.train.atom_choice import atoms_of
from wwho.train.count import MAX_COUNT, CorpusCounts, count_corpus, count_to_file
from wwho.train.counts import Counts, CountSettings, count_settings
from wwho.train.native import Merger, WordTable
from wwho.train.options import TrainOptions
from wwho.train.protect import Protect
from wwho.train.report import Report
from wwho.train.resolve import NO_BASE, resolve_base, resolve_schemas
from wwho.train.superwords import AUTO, SuperwordLearner
from wwho.train.unigram import (
    can_be_piece,
    default_max_units,
    first_pieces,
    learn_unigram,
    pieces_artifact,
)
from wwho.train.wordpiece import SPECIALS as SPECIALS_OF_BERT
from wwho.train.wordpiece import UNKNOWN, bert_pattern, learn_wordpiece, wordpiece_artifact

BPE_METHOD, UNIGRAM, WORDPIECE = METHODS = ("bpe", "unigram", "wordpiece")
"""The values of the option `method`."""

NO_CONSTRAINT, CHARACTER = "none", "character"
"""The values of the option `merge_constraint`."""

PRUNE = 20
"""How often an atom must be seen where the option `prune` is None and nothing chooses."""

SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[MASK]")
"""The first special tokens where the option `specials` is None and atoms are no bytes."""


@dataclass(frozen=True)
class Plan:
    """A training run: its options, and the schemas, base and corpus that they name, loaded.

    Attributes:
        options: what to learn, as it was asked for.
        schemas: the schemas that `options.schemas` stands for.
        base: the model that `options.base` stands for.
        corpus: the texts to train on.
        protected: the texts of protected tokens, and how often the pattern finds each in the
            corpus; None for those that `options.protect` names. Empty until `prepare`.
    """

    options: TrainOptions
    schemas: Sequence[Schema]
    base: Artifact
    corpus: Corpus
    protected: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def kind(self) -> AtomKind:
        """The kind of the atoms."""
        return AtomKind(self.options.atoms)

    @property
    def word_rule(self) -> Words:
        """The rule of what words are, from the options `words`, `end_of_word` and so on."""
        return Words(
            whitespace=self.options.words == "whitespace",
            end_of_word=self.options.end_of_word,
            collapse=self.options.collapse_spaces,
        )

    @property
    def added_texts(self) -> list[str]:
        """The texts of special tokens, then those of protected tokens, in the order of their ids.

        Where `options.specials` is None they are `SPECIALS`, with byte and script atoms none, and
        after them `END_OF_TEXT`, unless the base has it; with `wordpiece` those of BERT.
        """
        usual: tuple[str, ...] = () if self.kind.has_fixed_atoms else SPECIALS
        if END_OF_TEXT not in (token.text for token in self.base.added):
            usual += (END_OF_TEXT,)
        if self.options.method == WORDPIECE:
            usual = SPECIALS_OF_BERT
        specials = usual if self.options.specials is None else self.options.specials
        return [*specials, *self.protected]

    @property
    def min_atom_count(self) -> int:
        """Return how often an atom must be seen, before weights are scaled: `prune`, or 20."""
        return PRUNE if self.options.prune is None else self.options.prune

    @property
    def max_units(self) -> int:
        """Return the most atoms of a token: `max_token_units`, or what the method allows."""
        if self.options.max_token_units is not None:
            return self.options.max_token_units
        return default_max_units(self.kind) if self.options.method == UNIGRAM else MAX_TOKEN_BYTES

    @property
    def makes_pieces(self) -> bool:
        """Return whether the model is one of SentencePiece: Unigram over code points alone."""
        return (
            self.options.method == UNIGRAM
            and self.kind is AtomKind.CODEPOINT
            and not self.schemas
            and not self.word_rule.end_of_word
            and len(self.base.models[0].texts) == len(BYTES)
        )

    @property
    def forced_atoms(self) -> CodePointSet:
        """The characters that are atoms, seen or not: none without `every_character`.

        They are those of all classes of the schemas, but for combining marks of any script.
        """
        if not self.options.every_character:
            return CodePointSet()
        return union(schema.classified for schema in self.schemas) - ANY_SCRIPT

    @cached_property
    def bars(self) -> Progress:
        """The progress bars of this run; they show nothing unless `options.progress` is true."""
        return Progress(self.options.progress)

    def prepare(self) -> Plan:
        """Return this plan with its protected texts found and its corpus set to be normalized.

        With a `protect_pattern` the whole corpus is read for that; otherwise nothing is.

        Raises:
            TypeError, ValueError, SpecialTokenError, PatternError, CorpusError: as
                `Protect.find_texts` does.
        """
        protect = Protect(
            self.options.protect, self.options.protect_pattern, self.options.protect_min
        )
        corpus = self.corpus.with_normalization(
            self.options.normalize, collapse=self.word_rule.collapse
        )
        return replace(self, corpus=corpus, protected=protect.find_texts(corpus, self.bars))

    @cached_property
    def word_cutter(self) -> tuple[Artifact, CountSettings]:
        """The model that cuts text into words, and all settings that decide how it cuts.

        Raises:
            SchemaError, ValueError: schemas, base, atoms and words do not go together.
        """
        inputs = (self.schemas, self.base, self.kind, self.word_rule, tuple(self.protected))
        cutter = counting_model(*inputs)
        return cutter, count_settings(*inputs, cutter, self.corpus.reading)

    def count_words(self, on_source: Callable[[WordTable], object] | None = None) -> CorpusCounts:
        """Read the corpus and return the counts of its words.

        With byte or script atoms the words that are returned are spelled with these; all other
        kinds leave each word as the units that the model cut it into.

        Args:
            on_source: a function that is called with the words of each source, in order, before
                they are added to the total, which uses them up. They are never spelled.

        Raises:
            CorpusError, CountsError, OSError, ValueError: as `count_corpus` does.
        """
        model, settings = self.word_cutter
        with self.bars.bar("count", self.corpus.size(), unit="B") as advance:
            counted = count_corpus(
                self.corpus,
                model,
                settings,
                processes=self.options.processes,
                executor=self.options.executor,
                advance=advance,
                on_source=on_source,
            )
        if not self.kind.has_fixed_atoms:
            return counted
        words = counted.words
        spelled = words.spell_bytes() if self.kind is AtomKind.BYTE else words.spell_pairs()
        return counted._replace(words=spelled)

    def count_to_file(
        self, file: str | os.PathLike[str], part: tuple[int, int]
    ) -> tuple[Counts, bool]:
        """Count the corpus, or a part of each of its files, into a file of counts.

        Args:
            file: the file to write; if it holds just these counts already, nothing is read.
            part: which part of each file, from 1, and of how many.

        Returns:
            The counts, and whether they were made now.

        Raises:
            CorpusError, CountsError, OSError, ValueError: as the function `count_to_file` does.
        """
        model, settings = self.word_cutter
        with self.bars.bar("count", self.corpus.size(), unit="B") as advance:
            return count_to_file(
                os.fspath(file),
                self.corpus,
                model,
                settings,
                part=part,
                processes=self.options.processes,
                executor=self.options.executor,
                advance=advance,
            )

    def learn_model(self, counted: CorpusCounts) -> tuple[Artifact, str]:
        """Return the model that the counted words give, by the method of the options.

        With "bpe" these are atoms, merges within words, and then superwords, for which the corpus
        is read again. "unigram" and "wordpiece" are done as `learn_unigram_model` and
        `learn_wordpiece_model` say.

        Args:
            counted: the words, with counts that were multiplied by the weights and by
                `counted.scale` before. The thresholds, `prune` and `min_freq`, are multiplied by
                that scale here. With "bpe" the words are dropped from it once they are copied, for
                they may take gigabytes.

        Returns:
            The model without provenance, and the options that decided it, as provenance words
            them.

        Warns:
            UserWarning: the base is the 256 bytes alone, or there is no atom.

        Raises:
            CorpusError: not even the atoms fit into the vocabulary, or the corpus cannot be read
                a second time.
            ValueError: there is no room for that many superwords.
            SourceError: no artifact can hold a WordPiece that was learnt.
        """
        options = self.options
        if options.method == UNIGRAM:
            return self.learn_unigram_model(counted)
        if options.method == WORDPIECE:
            return self.learn_wordpiece_model(counted)
        warn_of_byte_base(self, counted.report)
        atoms = atoms_of(
            self.kind,
            counted.words,
            self.min_atom_count * counted.scale,
            characters=self.forced_atoms,
            end_of_word=self.word_rule.end_of_word,
        )
        warn_without_atoms(self, atoms)
        room = room_for_merges(self, len(atoms))
        min_freq = min(options.min_freq * counted.scale, MAX_COUNT + 1)
        n_superwords = 0 if options.superwords == AUTO else options.superwords
        merger = Merger(
            counted.words,
            atoms,
            max_merges=room - n_superwords,
            min_freq=min_freq,
            max_units=self.max_units,
            shapes=character_shapes(atoms) if options.merge_constraint == CHARACTER else None,
        )
        counted.words.clear()  # the merger has its own copy
        with self.bars.bar("merge", room - n_superwords, unit=" merges") as advance:
            merger.run(advance)
        model = trained_model(
            self.schemas,
            self.base,
            specials=special_ids(self.base, self.added_texts),
            atoms=atoms,
            merges=merger.merges(),
            provenance={},
            kind=self.kind,
            words=self.word_rule,
            protect=tuple(self.protected),
            parts=options.every_character,
        )
        if options.superwords:
            learner = SuperwordLearner(
                corpus=counted.corpus,
                report=counted.report,
                max_words=options.max_words,
                max_units=self.max_units,
                min_freq=min_freq,
                bars=self.bars,
            )
            if options.superwords == AUTO:
                n_superwords = learner.choose_count(model, merger.gains(), room)
                within_words = unit_model(model).merges[: room - n_superwords]
                model = with_merges(model, within_words, 0)
            model = learner.add_superwords(model, n_superwords)
        return model, self.training_record(n_superwords)

    def learn_wordpiece_model(self, counted: CorpusCounts) -> tuple[Artifact, str]:
        """Learn the tokens of a WordPiece model, and assemble it.

        Arguments and result are those of `learn_model`; no corpus is read.

        Raises:
            CorpusError: not even the characters fit into the vocabulary.
            SourceError: no artifact can hold the model.
        """
        specials = self.added_texts
        learnt = learn_wordpiece(
            counted.words,
            specials,
            vocab_size=self.options.vocab_size,
            prune=self.min_atom_count * counted.scale,
            min_freq=min(self.options.min_freq * counted.scale, MAX_COUNT + 1),
        )
        nfc_first = self.options.normalize == FORM
        return wordpiece_artifact(learnt, specials, nfc=nfc_first), self.training_record(0)

    def learn_unigram_model(self, counted: CorpusCounts) -> tuple[Artifact, str]:
        """Choose atoms, learn the tokens of a Unigram model, and assemble it.

        Arguments, result, warnings and errors are those of `learn_model`; no corpus is read.
        """
        warn_of_byte_base(self, counted.report)
        words = counted.words.spell_characters(MARKER) if self.makes_pieces else counted.words
        atoms = atoms_of(
            self.kind,
            words,
            self.min_atom_count * counted.scale,
            characters=self.forced_atoms,
            end_of_word=self.word_rule.end_of_word or self.makes_pieces,
        )
        first = first_pieces(self.added_texts) if self.makes_pieces else []
        if self.makes_pieces:
            atoms = tuple(atom for atom in atoms if can_be_piece(atom))
        warn_without_atoms(self, atoms)
        n_other = max(len(first) - len(self.added_texts), 0)
        room = room_for_merges(self, len(atoms) + n_other)
        with self.bars.bar("prune", None, unit=" rounds") as advance:
            tokens = learn_unigram(
                words,
                atoms,
                n_tokens=len(atoms) + room,
                min_freq=min(self.options.min_freq * counted.scale, MAX_COUNT + 1),
                max_units=self.max_units,
                without=frozenset(piece.text for piece in first),
                on_round=lambda _: advance(1),
            )
        if self.makes_pieces:
            return pieces_artifact(first, tokens), self.training_record(0)
        specials = special_ids(self.base, self.added_texts)
        if self.kind is AtomKind.BYTE:
            protect = tuple(self.protected)
            model = unigram_over_bytes(self.base, specials=specials, tokens=tokens, protect=protect)
            return model, self.training_record(0)
        model = unigram_over_base(
            self.schemas,
            self.base,
            specials=specials,
            tokens=tokens,
            kind=self.kind,
            words=self.word_rule,
            protect=tuple(self.protected),
        )
        return model, self.training_record(0)

    def training_record(self, n_superwords: int | None) -> str:
        """Return the options that decided what is learnt, as the key ``training`` of provenance.

        Options at their default are left out, but for vocab_size, prune and min_freq.

        Args:
            n_superwords: how many superwords there are room for. None: prune and superwords were
                chosen by `balanced` and are recorded elsewhere.
        """
        options, chosen = self.options, n_superwords is None
        superwords = f"auto ({n_superwords})" if options.superwords == AUTO else n_superwords
        constrained = options.merge_constraint != NO_CONSTRAINT
        values: dict[str, object] = {
            "vocab_size": options.vocab_size,
            "prune": not chosen and self.min_atom_count,
            "min_freq": options.min_freq,
            "method": options.method != TrainOptions.method and options.method,
            "atoms": self.kind is not AtomKind.SYLLABLE and self.kind,
            "every_character": options.every_character,
            "words whitespace": self.word_rule.whitespace,
            "end_of_word": options.end_of_word,
            "collapse_spaces": options.collapse_spaces,
            "protected": len(self.protected),
            "superwords": not chosen and superwords,
            "max_words": options.superwords and options.max_words,
            "merge_constraint": constrained and options.merge_constraint,
            "max_token_units": options.max_token_units,
        }
        return ", ".join(
            name if value is True else f"{name} {value}" for name, value in values.items() if value
        )

    def check(self) -> None:
        """Raise an error if this plan cannot be trained with, before anything is counted.

        Raises:
            ValueError: says which argument, and what it may be.
            SchemaError: there should be schemas.
            SpecialTokenError: a special token comes twice, or cannot be one.
            CorpusError: the corpus cannot be read as often, or has counts that are no text.
        """
        check_options(self)
        check_method(self)
        special_ids(self.base, self.added_texts)
        check_normalize(self)
        check_superwords(self, self.corpus)
        if self.options.balanced:
            check_balanced(self)


def plan_training(corpus: Corpus, options: TrainOptions) -> Plan:
    """Load the schemas and the base that options name, and return the plan to train with them.

    The corpus is not read, and the plan is not checked.

    Raises:
        SchemaError: a schema is invalid, or there is none of that name.
        ArtifactError: there is no such base, or its file is no artifact.
        PatternError: the pattern cannot be compiled.
        OSError: a schema or the base cannot be read.
        ValueError: there are no such atoms or words, or a base with its own pretokenizer is given
            a pattern.
    """
    if options.words not in ("script", "whitespace"):
        raise ValueError(f"words is {options.words!r}; it must be 'script' or 'whitespace'")
    kind = AtomKind(options.atoms)
    needs_no_base = options.balanced or options.method == WORDPIECE
    base = NO_BASE if options.base is None and needs_no_base else options.base
    pattern = options.pattern
    if options.method == WORDPIECE and base == NO_BASE and pattern is None:
        pattern = bert_pattern()
    return Plan(
        options=options,
        schemas=resolve_schemas(options.schemas, kind),
        base=resolve_base(base, pattern, kind),
        corpus=corpus,
    )


# Refusals of what cannot be trained with, and warnings before a result surprises.


def check_options(plan: Plan) -> None:
    """Raise an error if a number is out of range, or an option has nothing to act on.

    Raises:
        SchemaError: `every_character` is set, and there are no schemas.
        ValueError: says which argument, and what it may be; or the base has routes of its own.
    """
    options = plan.options
    if options.every_character and not plan.schemas:
        raise SchemaError(
            "every_character makes atoms of the characters of schemas, and there are none; name "
            "schemas, or leave it out"
        )
    if options.merge_constraint not in (NO_CONSTRAINT, CHARACTER):
        raise ValueError(
            f"merge_constraint is {options.merge_constraint!r}; it must be {NO_CONSTRAINT!r} or "
            f"{CHARACTER!r}"
        )
    if options.merge_constraint == CHARACTER and not plan.kind.has_fixed_atoms:
        raise ValueError(
            f"{plan.kind} atoms are whole characters: merge_constraint is for byte and script"
        )
    for name, value, most in (
        ("vocab_size", options.vocab_size, MAX_IDS - plan.base.n_vocab - 1),
        ("prune", plan.min_atom_count, 2**63),
        ("min_freq", options.min_freq, 2**63),
        ("max_token_units", plan.max_units, MAX_TOKEN_BYTES),
        ("processes", options.processes, 1024),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{name} is {value}; it must be between 1 and {most}")
    if plan.base.router is not None:
        raise ValueError(
            f"the base {plan.base.name!r} has routes of its own; train over a base vocabulary, "
            "such as o200k_base"
        )


def check_method(plan: Plan) -> None:
    """Raise an error if a method cannot learn what is asked for.

    Raises:
        ValueError: there is no such method, or an option has no part in it; the message names it.
    """
    options = plan.options
    if options.method not in METHODS:
        raise ValueError(f"method is {options.method!r}; it must be one of {', '.join(METHODS)}")
    if options.method == BPE_METHOD:
        return
    unfit: dict[str, object] = {
        "superwords": options.superwords,
        "merge_constraint": options.merge_constraint != NO_CONSTRAINT and options.merge_constraint,
    }
    if options.method == WORDPIECE:
        unfit |= {
            "balanced": options.balanced,
            "atoms": plan.kind is not AtomKind.CODEPOINT and str(plan.kind),
            "schemas": [schema.name for schema in plan.schemas],
            "words": plan.word_rule != PLAIN and str(plan.word_rule),
            "pattern": options.pattern,
            "max_token_units": options.max_token_units,
            "protect": [*plan.protected],
            "every_character": options.every_character,
            "base": len(plan.base.models[0].texts) > len(BYTES) and plan.base.name,
        }
    for name, value in unfit.items():
        if value:
            has = "is of code points, in words as BERT cuts them, without a base"
            has = has if options.method == WORDPIECE else "merges nothing"
            raise ValueError(
                f"{name} is {value!r}, but method {options.method} {has}: "
                + ("give atoms codepoint" if name == "atoms" else "leave it out")
                + f", or take method {BPE_METHOD}"
            )
    if options.method == WORDPIECE and UNKNOWN not in plan.added_texts:
        raise ValueError(
            f"specials are {plan.added_texts}, without {UNKNOWN}, which words become that are not "
            "made of tokens: add it"
        )
    if plan.kind is AtomKind.SCRIPT:
        raise ValueError(
            f"method {options.method} has no model of {plan.kind} atoms: take byte or codepoint "
            f"atoms, or method {BPE_METHOD}"
        )
    if plan.makes_pieces and plan.protected:
        raise ValueError(
            f"a model of SentencePiece has no protected texts, and there are {len(plan.protected)}:"
            " leave them out, name schemas, or take another base than none"
        )


def check_normalize(plan: Plan) -> None:
    """Raise an error if texts would be in another normal form than the base or a special token.

    Raises:
        ValueError: there is no such form, or the base was trained on text in another one.
        SpecialTokenError: a special or protected token is not in the form, so no text holds it.
    """
    base, form = plan.base, plan.options.normalize
    if form not in (None, FORM):
        raise ValueError(f"normalize is {form!r}; it must be {FORM!r} or None")
    form_of_base = base.provenance.get(PROVENANCE_KEY)
    if form_of_base is not None and form_of_base != form:
        raise ValueError(
            f"the base {base.name!r} was trained on text in {form_of_base}; train over it with "
            f"normalize {form_of_base} (--normalize {form_of_base})"
        )
    for text in plan.added_texts if form else ():
        if nfc(text.encode()) != text.encode():
            raise SpecialTokenError(
                f"special token {text!r} is not in NFC, and no text that is holds it; spell it "
                f"{nfc(text.encode()).decode()!r}"
            )


def warn_of_byte_base(plan: Plan, report: Report) -> None:
    """Warn what share of the corpus takes one token a byte, if schemas lie over the bytes alone.

    Warns:
        UserWarning: there are schemas, words are those of their scripts, and the base is no larger
            than the 256 bytes.
    """
    learned_base = len(plan.base.models[0].texts) > 256
    if plan.word_rule.whitespace or not plan.schemas or learned_base:
        return
    total = report.total
    bytes_of_scripts = sum(script.bytes for script in total.scripts.values())
    warnings.warn(
        f"the base is the 256 bytes alone: all text outside the schemas' scripts, which is "
        f"{1 - bytes_of_scripts / total.bytes:.1%} of the bytes of this corpus, takes one token "
        "for each byte. To have tokens for it, train a byte base first (--atoms byte --base none, "
        "without --schema) and give that file as the base, or take o200k_base",
        stacklevel=4,
    )


def warn_without_atoms(plan: Plan, atoms: Sequence[bytes]) -> None:
    """Warn if there are no atoms, so that nothing can be merged.

    Warns:
        UserWarning: `atoms` is empty; it says how to get some.
    """
    if not atoms:
        lower_prune = "lower prune, or " if plan.min_atom_count > 1 else ""
        warnings.warn(
            f"no {plan.kind} is seen {plan.min_atom_count} times in this corpus, weights counted, "
            f"so the vocabulary has none; {lower_prune}give more text or higher weights",
            stacklevel=4,
        )


def room_for_merges(plan: Plan, n_atoms: int) -> int:
    """Return how many merges the vocabulary has room for, superwords among them.

    It is `vocab_size` less special and protected tokens and atoms.

    Raises:
        CorpusError: not even the atoms fit.
        ValueError: there is no room for as many superwords as were asked for.
    """
    n_added, vocab_size = len(plan.added_texts), plan.options.vocab_size
    taken = n_added + n_atoms
    if taken > vocab_size:
        atoms, remedy = f"{plan.kind}s seen at least {plan.min_atom_count} times", ", or prune"
        if plan.kind.has_fixed_atoms:
            atoms, remedy = "bytes" if plan.kind is AtomKind.BYTE else "symbols", ""
        raise CorpusError(
            f"a vocabulary of {vocab_size} has no room for {n_added} special tokens and "
            f"{n_atoms} {atoms}; raise vocab_size to {taken} or more{remedy}"
        )
    room, superwords = vocab_size - taken, plan.options.superwords
    if superwords != AUTO and superwords > room:
        raise ValueError(
            f"superwords is {superwords}; it must be between 0 and {room}, for which there is room"
        )
    return room


def check_superwords(plan: Plan, corpus: Corpus) -> None:
    """Raise an error if superwords are asked for that no corpus, or not this one, could give.

    Args:
        plan: the plan.
        corpus: its corpus, before it is counted, or after: counts may be of the standard input.

    Raises:
        ValueError: says which number, and what it may be; or words are not those of scripts.
        SchemaError: there are no schemas, whose scripts' words are what superwords join.
        CorpusError: the corpus cannot be read a second time.
    """
    superwords, max_words = plan.options.superwords, plan.options.max_words
    if superwords and plan.word_rule != PLAIN:
        raise ValueError(
            "superwords join words of a script across the space before the second; leave out "
            f"{plan.word_rule}, or ask for no superwords"
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
    if superwords and corpus.read_once:
        raise CorpusError(
            f"superwords are learnt from a second reading, and {corpus.read_once} can be read only "
            "once: name a file, or give a list or a column of a dataset"
        )


def check_balanced(plan: Plan) -> None:
    """Raise an error if a balanced vocabulary cannot be learnt: atoms, words, or no text.

    Raises:
        ValueError: atoms are no syllables, or words are not those of scripts.
        CorpusError: the corpus has counts, which do not tell what stands in which of its lines; or
            it can be read only once.
    """
    if plan.kind is not AtomKind.SYLLABLE or plan.word_rule != PLAIN:
        unfit = "other words" if plan.word_rule != PLAIN else f"atoms {plan.kind}"
        raise ValueError(
            f"a balanced vocabulary is of syllables and words of scripts: leave out {unfit}"
        )
    if any(source.is_counts for source in plan.corpus.sources):
        raise CorpusError(
            "a balanced vocabulary is measured on lines that it was not learnt from, and counts "
            "do not tell which words are in which lines: name the files of text in place of counts"
        )
    if plan.corpus.read_once:
        raise CorpusError(
            "a balanced vocabulary is measured on lines that it was not learnt from, in a second "
            f"reading, and {plan.corpus.read_once} can be read only once: name a file, or give a "
            "list or a column of a dataset"
        )


def check_counted(report: Report) -> None:
    """Raise an error if no word was counted, and warn of broken characters.

    Warns:
        UserWarning: the corpus holds bytes that are not UTF-8, or lone surrogates.

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
