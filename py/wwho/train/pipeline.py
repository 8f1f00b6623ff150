"""The trainer from end to end: a base and schemas and a corpus in, a model out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wwho.build.assemble import counting_model, special_ids, trained_model
from wwho.build.atoms import PLAIN, AtomKind, Words, collapsing
from wwho.build.script import BLOCK_KEYS, block_record, script_step, shapes_of
from wwho.compile.codepoints import CodePointSet
from wwho.compile.normal_forms import normal_form
from wwho.compile.schema import Schema, union
from wwho.compile.script import script_blocks
from wwho.compile.unicode import ANY_SCRIPT
from wwho.corpus import Corpus
from wwho.errors import CorpusError, SchemaError, SpecialTokenError
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Artifact
from wwho.normalize import FORM, KEY, Normalization, nfc
from wwho.progress import Progress
from wwho.train.balance import EVENLY, Records, balanced_model, evenly
from wwho.train.count import MAX_COUNT, Counted, count_corpus
from wwho.train.counts import made_by
from wwho.train.learn import atoms_of, learn_merges
from wwho.train.protect import NOTHING, Protect
from wwho.train.report import Report, provenance
from wwho.train.superwords import AUTO, SecondStage, shortened

MergeConstraint = Literal["none", "character"]
NO_CONSTRAINT, CHARACTER = "none", "character"

PRUNE = 20
"""How often an atom must be seen, where nothing else is said."""

SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[MASK]")


def train_model(
    schemas: Sequence[Schema],
    base: Artifact,
    corpus: Corpus | Sequence[str | os.PathLike[str]],
    *,
    atoms: AtomKind | str = AtomKind.SYLLABLE,
    words: Words = PLAIN,
    vocab_size: int = 128_000,
    prune: int | None = None,
    every_character: bool = False,
    min_freq: int = 2,
    superwords: int | Literal["auto"] = 0,
    balanced: bool | Literal["evenly"] = False,
    max_words: int = 4,
    max_token_units: int | None = None,
    merge_constraint: MergeConstraint = "none",
    normalize: Normalization | None = None,
    specials: Sequence[str] | None = None,
    protect: Protect = NOTHING,
    processes: int = 1,
    progress: bool = False,
    name: str = "unnamed",
    on_counted: Callable[[Report], object] | None = None,
) -> Artifact:
    """Train a vocabulary over a base: of syllables (SGPE), or of other atoms.

    The corpus is cut into syllables and words by the scanners that also encode; words are counted;
    syllables seen at least `prune` times become atoms (`choose_atoms` states the rule); then the
    most frequent pair of neighbours within a word is merged until the vocabulary is full or no pair
    is seen `min_freq` times (`learn_merges` states how ties are broken). Nothing depends on the
    order of the corpus, on the number of processes, on who counted what, or on hash
    seeds: the same input gives the same model, byte for byte. Memory grows with the distinct words
    of the corpus and its longest line.

    The arguments, and what is raised, are those of `wwho.train.train`, with things in place of
    their names: `base` is a model without schemas, whose ids stay and whose pretokenizer goes on
    cutting the text of all other scripts; `corpus` is a `Corpus`, or names of files, folders,
    patterns or URLs.

    Returns:
        The model; ids from ``base.n_vocab`` on are special tokens, atoms in ascending byte order,
        merged tokens in the order they were learnt, and the lone space. Of bytes: the bytes,
        merged tokens, special tokens.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.format.read import read_artifact
        >>> from wwho.encodings import model_bytes
        >>> from wwho.compile.load import load_schema
        >>> base = read_artifact(model_bytes("o200k_base"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "corpus.txt")
        ...     _ = file.write_text("ගම ගම ගමන", "utf-8")
        ...     model = train_model([load_schema("sinhala")], base, [file], prune=1)
        >>> [text.decode() for text in model.models[1].texts]
        [' ග', 'ග', 'න', 'ම', ' ගම']
    """
    kind = AtomKind(atoms)
    if specials is None:
        specials = () if kind.spells else SPECIALS
    given, prune = prune, PRUNE if prune is None else prune
    superwords = AUTO if balanced else superwords
    numbers = (vocab_size, prune, min_freq, superwords, max_words, max_token_units)
    bars = Progress(progress)
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    corpus = corpus.normalized(normalize, collapse=words.collapse)
    protected = protect.found(corpus, bars)
    plan = Plan(
        *(schemas, base, kind, words, tuple(protected), *numbers),
        bars=bars,
        merge_constraint=None if merge_constraint == NO_CONSTRAINT else merge_constraint,
        every_character=every_character,
    )
    check_constraint(plan)
    check_numbers(plan, processes)
    ids = special_ids(base, [*specials, *protected])
    check_normalize(base, normalize, ids)
    check_superwords(plan, corpus)
    if balanced:
        check_balanced(plan, corpus)
    units: list[Records] = []
    counted = plan.count(corpus, processes, units if balanced else None)
    if balanced == EVENLY:
        counted = evenly(counted)
    check_superwords(plan, counted.corpus)  # counts may be of what has no name
    if on_counted is not None:
        on_counted(replace(counted.report, protected=protected))
    check_counted(counted.report)
    texts = [*specials, *protected]
    if balanced:
        model, shares = balanced_model(plan, counted, units, given, texts, processes)
        options = f"{plan.options(None)}, balanced: {shares}"
    else:
        if not words.whitespace:
            check_base(schemas, base, counted.report)
        chosen = atoms_of(
            *(kind, counted.words, prune * counted.scale),
            characters=plan.characters,
            end_of_word=words.end_of_word,
        )
        check_atoms(kind, chosen, prune)
        room = room_for(plan, len(texts), len(chosen))
        model, n_superwords = plan.learn(counted, chosen, ids, room)
        options = plan.options(n_superwords)
    record = provenance(name, schemas, base, counted.corpus, counted.report, kind, options)
    normalizer = base.normalizer or ((normal_form(normalize),) if normalize else ())
    if words.collapse:
        normalizer += collapsing()
    if kind is AtomKind.SCRIPT:
        record |= block_record(script_blocks(), script_step().n_indices)
    record |= {key: value for key, value in base.provenance.items() if key in BLOCK_KEYS}
    return replace(model, normalizer=normalizer, provenance=record)


@dataclass(frozen=True)
class Plan:
    """What is learnt from counted words; the attributes are what `wwho.train.train` was given."""

    schemas: Sequence[Schema]
    base: Artifact
    kind: AtomKind
    words: Words
    protected: Sequence[str]
    vocab_size: int
    prune: int
    min_freq: int
    superwords: int | Literal["auto"]
    max_words: int
    max_token_units: int | None
    bars: Progress
    merge_constraint: str | None = None
    every_character: bool = False

    @property
    def max_units(self) -> int:
        """How many atoms a token may have."""
        return MAX_TOKEN_BYTES if self.max_token_units is None else self.max_token_units

    @property
    def characters(self) -> CodePointSet:
        """What are atoms, seen or not: all of the schemas' classes but marks of any script."""
        classified = union(schema.classified for schema in self.schemas if self.every_character)
        return classified - ANY_SCRIPT

    def count(self, corpus: Corpus, processes: int, each: list[Records] | None = None) -> Counted:
        """The words of a corpus; where atoms are bytes, spelled with them.

        Args:
            corpus: the corpus.
            processes: how many cores count.
            each: where the words of each source are put, too.
        """
        given = (self.schemas, self.base, self.kind, self.words, self.protected)
        cutter = counting_model(*given)
        made = made_by(*given, cutter, corpus.reading)
        with self.bars.stage("count", corpus.size(), unit="B") as advance:
            found = count_corpus(
                *(corpus, cutter, made),
                processes=processes,
                advance=advance,
                each=None if each is None else lambda words: each.append(Records(*words.export())),
            )
        if not self.kind.spells:
            return found
        words = found.words
        return found._replace(
            words=words.spelled() if self.kind is AtomKind.BYTE else words.paired()
        )

    def learn(
        self, counted: Counted, atoms: tuple[bytes, ...], specials: Mapping[str, int], room: int
    ) -> tuple[Artifact, int]:
        """Learn merges, and after them superwords.

        Args:
            counted: the words.
            atoms: what is merged.
            specials: the special tokens and their ids.
            room: how many merges the vocabulary has room for, superwords among them.

        Returns:
            The model without its origin, and how many superwords it was to have.
        """
        threshold = min(self.min_freq * counted.scale, MAX_COUNT + 1)
        reserved = 0 if self.superwords == AUTO else self.superwords
        merger = learn_merges(
            *(counted.words, atoms, room - reserved),
            min_freq=threshold,
            max_units=self.max_units,
            shapes=shapes_of(atoms) if self.merge_constraint == CHARACTER else None,
            bars=self.bars,
        )
        model = trained_model(
            *(self.schemas, self.base),
            specials=specials,
            atoms=atoms,
            merges=merger.merges(),
            provenance={},
            kind=self.kind,
            words=self.words,
            protect=self.protected,
            parts=self.every_character,
        )
        if self.superwords:
            limits = (self.max_words, self.max_units, threshold)
            stage = SecondStage(counted.corpus, counted.report, *limits, self.bars)
            if self.superwords == AUTO:
                reserved = stage.worthwhile(model, merger.gains(), room)
                model = shortened(model, room - reserved)
            model = stage.added(model, reserved)
        return model, reserved

    def options(self, n_superwords: int | None) -> str:
        """The options, as the model's origin gives them; None: what was chosen stands elsewhere."""
        prune = "" if n_superwords is None else f"prune {self.prune}, "
        found = [f"vocab_size {self.vocab_size}, {prune}min_freq {self.min_freq}"]
        if self.kind is not AtomKind.SYLLABLE:
            found.append(f"atoms {self.kind}")
        if self.every_character:
            found.append("every_character")
        if self.words.whitespace:
            found.append("words whitespace")
        if self.words.end_of_word:
            found.append("end_of_word")
        if self.words.collapse:
            found.append("collapse_spaces")
        if self.protected:
            found.append(f"protected {len(self.protected)}")
        if self.superwords and n_superwords is None:
            found.append(f"max_words {self.max_words}")
        elif self.superwords:
            auto = self.superwords == AUTO
            found.append(f"superwords {f'auto ({n_superwords})' if auto else n_superwords}")
            found.append(f"max_words {self.max_words}")
        if self.merge_constraint:
            found.append(f"merge_constraint {self.merge_constraint}")
        if self.max_token_units:
            found.append(f"max_token_units {self.max_token_units}")
        return ", ".join(found)


# What cannot be trained with, and what is better said before the result surprises.


def check_numbers(plan: Plan, processes: int) -> None:
    """Refuse what cannot be trained with.

    Raises:
        ValueError: says which argument, and what it may be.
    """
    for what, value, most in (
        ("vocab_size", plan.vocab_size, MAX_IDS - plan.base.n_vocab - 1),
        ("prune", plan.prune, 2**63),
        ("min_freq", plan.min_freq, 2**63),
        ("max_token_units", plan.max_units, MAX_TOKEN_BYTES),
        ("processes", processes, 1024),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{what} is {value}; it must be between 1 and {most}")
    if plan.base.router is not None:
        raise ValueError(
            f"the base {plan.base.name!r} has routes of its own; train over a base vocabulary, "
            "such as o200k_base"
        )


def check_constraint(plan: Plan) -> None:
    """Refuse a constraint that there is not, or an option that says nothing to what is merged.

    Raises:
        SchemaError: the characters of no schema would be atoms.
        ValueError: it is so.
    """
    if plan.every_character and not plan.schemas:
        raise SchemaError(
            "every_character makes atoms of the characters of schemas, and there are none; name "
            "schemas, or leave it out"
        )
    if plan.merge_constraint not in (None, CHARACTER):
        raise ValueError(
            f"merge_constraint is {plan.merge_constraint!r}; it must be {NO_CONSTRAINT!r} or "
            f"{CHARACTER!r}"
        )
    if plan.merge_constraint and not plan.kind.spells:
        raise ValueError(
            f"{plan.kind} atoms are whole characters: merge_constraint is for byte and script"
        )


def check_normalize(base: Artifact, form: Normalization | None, specials: Iterable[str]) -> None:
    """Refuse what a normalized text would never meet, or what would meet text that is not.

    Raises:
        ValueError: there is no such form, or the base was trained on text in another one.
        SpecialTokenError: a special token is not in this form.
    """
    if form not in (None, FORM):
        raise ValueError(f"normalize is {form!r}; it must be {FORM!r} or None")
    theirs = base.provenance.get(KEY)
    if theirs is not None and theirs != form:
        raise ValueError(
            f"the base {base.name!r} was trained on text in {theirs}; train over it with "
            f"normalize {theirs} (--normalize {theirs})"
        )
    for text in specials if form else ():
        if nfc(text.encode()) != text.encode():
            raise SpecialTokenError(
                f"special token {text!r} is not in NFC, and no text that is holds it; spell it "
                f"{nfc(text.encode()).decode()!r}"
            )


def check_base(schemas: Sequence[Schema], base: Artifact, report: Report) -> None:
    """Say what a base of bytes alone costs in the text that no schema takes over."""
    if not schemas or len(base.models[0].texts) > 256:
        return
    total = report.total
    theirs = sum(script.bytes for script in total.scripts.values())
    warnings.warn(
        f"the base is the 256 bytes alone: all text outside the schemas' scripts, which is "
        f"{1 - theirs / total.bytes:.1%} of the bytes of this corpus, takes one token for each "
        "byte. To have tokens for it, train a byte base first (--atoms byte --base none, without "
        "--schema) and give that file as the base, or take o200k_base",
        stacklevel=3,
    )


def check_atoms(kind: AtomKind, atoms: Sequence[bytes], prune: int) -> None:
    """Say so where nothing can be learnt, for want of atoms."""
    if not atoms:
        warnings.warn(
            f"no {kind} is seen {prune} times in this corpus, weights counted, so the vocabulary "
            f"has none; {'lower prune, or ' if prune > 1 else ''}give more text or higher weights",
            stacklevel=3,
        )


def room_for(plan: Plan, n_specials: int, n_atoms: int) -> int:
    """How many merges the vocabulary has room for, superwords among them.

    Raises:
        CorpusError: not even the atoms fit.
        ValueError: the superwords do not.
    """
    taken = n_specials + n_atoms
    if taken > plan.vocab_size:
        raise CorpusError(
            f"a vocabulary of {plan.vocab_size} has no room for {n_specials} special tokens and "
            + (
                f"{n_atoms} {'bytes' if plan.kind is AtomKind.BYTE else 'symbols'}; raise "
                f"vocab_size to {taken} or more"
                if plan.kind.spells
                else f"{n_atoms} {plan.kind}s seen at least {plan.prune} times; "
                f"raise vocab_size to {taken} or more, or prune"
            )
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


def check_balanced(plan: Plan, corpus: Corpus) -> None:
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
    if any(source.counted for source in corpus.sources):
        raise CorpusError("a balanced vocabulary needs the text of its sources, and not counts")
    if len(corpus.sources) < 2:
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
