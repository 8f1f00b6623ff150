"""The trainer from end to end: a base and schemas and a corpus in, a model out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wwho.assemble.atoms import AtomKind, collapse_steps
from wwho.assemble.script import BLOCK_KEYS, block_record, script_step
from wwho.assemble.training_artifacts import derived_provenance
from wwho.compile.normal_forms import normal_form
from wwho.compile.schema import Schema
from wwho.compile.script import script_blocks
from wwho.corpus import Corpus
from wwho.format.model import Artifact
from wwho.normalize import KEY
from wwho.progress import ignore
from wwho.train.balance import EVENLY, Records, balanced_model, evenly
from wwho.train.count import Counted
from wwho.train.parity import even_weights
from wwho.train.plan import Plan, check_counted, check_superwords
from wwho.train.report import corpus_record
from wwho.train.superwords import AUTO


def train_model(
    schemas: Sequence[Schema],
    base: Artifact,
    corpus: Corpus | Sequence[str | os.PathLike[str]],
    **options: Any,
) -> Artifact:
    """Train a vocabulary over a base: of syllables (SGPE), or of other atoms.

    The corpus is cut into syllables and words by the scanners that also encode; words are counted;
    syllables seen at least `prune` times become atoms (`choose_atoms` states the rule); then the
    most frequent pair of neighbours within a word is merged until the vocabulary is full or no pair
    is seen `min_freq` times (`Merger` states how ties are broken). Nothing depends on the
    order of the corpus, on the number of processes, on who counted what, or on hash
    seeds: the same input gives the same model, byte for byte. Memory grows with the distinct words
    of the corpus and its longest line.

    What is raised is that of `wwho.train.train`.

    Args:
        schemas: the scripts that the base hands over.
        base: a model without schemas, whose ids stay and whose pretokenizer goes on cutting the
            text of all other scripts.
        corpus: a `Corpus`, or names of files, folders, patterns or URLs.
        options: those of `Plan`.

    Returns:
        The model; ids from ``base.n_vocab`` on are special tokens, atoms in ascending byte order,
        merged tokens in the order they were learnt, and the lone space. Of bytes: the bytes,
        merged tokens, special tokens.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.format.read import read_artifact
        >>> from wwho.encodings import model_bytes
        >>> from wwho.compile.schema_loader import load_schema
        >>> base = read_artifact(model_bytes("o200k_base"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "corpus.txt")
        ...     _ = file.write_text("ගම ගම ගමන", "utf-8")
        ...     model = train_model([load_schema("sinhala")], base, [file], prune=1)
        >>> [text.decode() for text in model.models[1].texts]
        [' ග', 'ග', 'න', 'ම', ' ගම']
    """
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    plan = Plan(schemas, base, corpus, **options)
    if plan.parity:
        plain = options | {"parity": None, "superwords": 0, "on_counted": ignore}
        even = even_weights(
            *(corpus, plan.parity, plan.rounds, plan.on_round),
            lambda weighted: train_model(schemas, base, weighted, **plain),
        )
        plan = replace(plan, corpus=even)
    if plan.balanced:
        plan = replace(plan, superwords=AUTO)
    plan = plan.read()
    plan.check()
    units: list[Records] = []
    counted = plan.count(
        (lambda words: units.append(Records(*words.export()))) if plan.balanced else None
    )
    if plan.balanced == EVENLY:
        counted = evenly(counted)
    check_superwords(plan, counted.corpus)  # counts may be of what has no name
    plan.on_counted(replace(counted.report, protected=plan.protected))
    check_counted(counted.report)
    model, said = balanced_model(plan, counted, units) if plan.balanced else plan.learn(counted)
    normalizer = base.normalizer or ((normal_form(plan.normalize),) if plan.normalize else ())
    if plan.words.collapse:
        normalizer += collapse_steps()
    return replace(model, normalizer=normalizer, provenance=provenance(plan, counted, said))


def provenance(plan: Plan, counted: Counted, said: str) -> dict[str, str]:
    """What a model says of its making: the section PROVENANCE of FORMAT.md.

    What is learnt over bytes or symbols is a base itself: of the one before, only the pattern of
    its pretokenizer is left to say. Over any other, the ids of special tokens stay, and so does
    what it says of chats.

    Args:
        plan: what was trained.
        counted: on what.
        said: the options that decided the rest, in words.
    """
    theirs, spells = plan.base.provenance, plan.kind.has_fixed_atoms
    kept = (*BLOCK_KEYS, "pattern") if spells else BLOCK_KEYS
    chats = {} if spells else {key: theirs[key] for key in theirs if _is_of_chats(key)}
    before = {} if spells else {key: theirs[key] for key in theirs if key not in chats}
    record = derived_provenance(before, plan.schemas, plan.name) | chats
    record |= corpus_record(counted.corpus, counted.report)
    if form := counted.corpus.reading.normalize:
        record[KEY] = form
    record["training"] = said
    if plan.kind is AtomKind.SCRIPT:
        record |= block_record(script_blocks(), script_step().n_indices)
    return record | {key: text for key, text in theirs.items() if key in kept}


def _is_of_chats(key: str) -> bool:
    """Whether this key of a record is a chat template, or names a special token of its."""
    return key == "chat_template" or key.endswith("_token")
