"""The trainer from end to end: a corpus and options in, a model with its provenance out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from wwho.assemble.atoms import AtomKind, collapse_steps
from wwho.assemble.script import BLOCK_KEYS, block_record, script_step
from wwho.assemble.training_artifacts import derived_provenance
from wwho.compile.normal_forms import normal_form
from wwho.compile.script import script_blocks
from wwho.corpus import Corpus
from wwho.format.model import Artifact
from wwho.interchange.tokenizer_json import KEY
from wwho.normalize import PROVENANCE_KEY
from wwho.train.balance import EVENLY, SourceWords, learn_balanced_model, with_even_weights
from wwho.train.count import CorpusCounts
from wwho.train.folds import fold_corpus
from wwho.train.native import WordTable
from wwho.train.options import TrainOptions
from wwho.train.parity import with_parity_weights
from wwho.train.plan import (
    BPE_METHOD,
    WORDPIECE,
    Plan,
    check_counted,
    check_superwords,
    plan_training,
)
from wwho.train.report import corpus_record
from wwho.train.sizes import fill_vocabulary, ids_beside, with_total_size
from wwho.train.superwords import AUTO


def train_model(
    corpus: Corpus | Sequence[str | os.PathLike[str]], options: TrainOptions
) -> Artifact:
    """Train a vocabulary over a base, of syllables (SGPE) or other atoms, and return the model.

    The corpus is cut into syllables and words by the scanners that also encode; words are counted;
    syllables seen at least `prune` times become atoms (`choose_atoms` states the rule); then the
    most frequent pair of neighbours within a word is merged until the vocabulary is full or no pair
    is seen `min_freq` times (`Merger` states how ties are broken). Nothing depends on the
    order of the corpus, on the number of processes, on who counted what, or on hash
    seeds: the same input gives the same model, byte for byte. Memory grows with the distinct words
    of the corpus and its longest line.

    Args:
        corpus: a `Corpus`, or names of files, folders, patterns or URLs.
        options: what to learn; `on_counted` and `on_round` are called while it is learnt.

    Returns:
        The model; ids from ``base.n_vocab`` on are special tokens, atoms in ascending byte order,
        merged tokens in the order they were learnt, and the lone space. Of bytes: the bytes,
        merged tokens, special tokens.

    Raises:
        WwhoError, OSError, ValueError: as `wwho.train.train` does.

    Example:
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "corpus.txt")
        ...     _ = file.write_text("ගම ගම ගමන", "utf-8")
        ...     model = train_model([file], TrainOptions(schemas=["sinhala"], prune=1))
        >>> [text.decode() for text in model.models[1].texts]
        [' ග', 'ග', 'න', 'ම', ' ගම']
    """
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    plan = with_total_size(plan_training(corpus, options))
    if options.parity:
        plan = replace(plan, corpus=_corpus_with_parity(plan))
    if options.balanced and options.method == BPE_METHOD:
        plan = replace(plan, options=replace(plan.options, superwords=AUTO))
    plan = plan.prepare()
    plan.check()

    words_of_sources: list[SourceWords] = []

    def keep_words(words: WordTable) -> None:
        """Keep a copy of the words of a source, which the counting uses up."""
        words_of_sources.append(SourceWords(*words.export()))

    counted = plan.count_words(keep_words if options.balanced else None)
    if options.balanced == EVENLY:
        counted = with_even_weights(counted)
    check_superwords(plan, counted.corpus)  # again: counts may be of what has no name
    options.on_counted(replace(counted.report, protected=plan.protected))
    check_counted(counted.report)

    if options.balanced:
        folded = fold_corpus(plan, counted, words_of_sources)
        model, training = learn_balanced_model(plan, folded.counted, folded.words, folded.folds)
    else:
        model, training = plan.learn_model(counted)
    normalizer = plan.base.normalizer
    if not normalizer and options.normalize:
        normalizer = (normal_form(options.normalize),)
    if plan.word_rule.collapse:
        normalizer += collapse_steps()
    if plan.makes_pieces:
        normalizer += model.normalizer
    if options.method == WORDPIECE:
        normalizer = model.normalizer
    components = {key: text for key, text in model.provenance.items() if key == KEY}
    provenance = training_provenance(plan, counted, training) | components
    model = replace(model, normalizer=normalizer, provenance=provenance)
    return fill_vocabulary(model, plan.options, ids_beside(plan))


def _corpus_with_parity(plan: Plan) -> Corpus:
    """Return the corpus under the weights that even out the parallel texts of `parity`.

    It trains a model for each round, without superwords, and without telling `on_counted`.

    Raises:
        ValueError, OSError: as `with_parity_weights` does; and as `train_model` does.
    """
    assert plan.options.parity is not None
    options_of_rounds = replace(
        plan.options,
        schemas=plan.schemas,
        base=plan.base,
        pattern=None,  # the base has it
        parity=None,
        superwords=0,
        total_size=None,
        pad_to_multiple=None,
        on_counted=TrainOptions.on_counted,
    )
    return with_parity_weights(
        plan.corpus,
        plan.options.parity,
        plan.options.rounds,
        plan.options.on_round,
        lambda weighted: train_model(weighted, options_of_rounds),
    )


def training_provenance(plan: Plan, counted: CorpusCounts, training: str) -> dict[str, str]:
    """Return the provenance of a trained model: the section PROVENANCE of FORMAT.md.

    A model of byte or script atoms is a base itself: of the base before, it keeps the pattern of
    the pretokenizer alone (``pattern``). Over any other base, the ids of special tokens stay, so
    the keys about chats (chat template, roles of special tokens) stay as they are, and all other
    keys of the base but ``writer`` get the prefix ``base:``. Over each base, `BLOCK_KEYS` stay
    without a prefix, too, as the base has them.

    Args:
        plan: what was trained.
        counted: the corpus and what was counted of it.
        training: the options that decided what was learnt, in words: the value of ``training``.
    """
    of_base, is_base = plan.base.provenance, plan.kind.has_fixed_atoms
    about_chats = {} if is_base else {key: of_base[key] for key in of_base if _is_about_chats(key)}
    inherited = {} if is_base else {key: of_base[key] for key in of_base if key not in about_chats}
    record = derived_provenance(inherited, plan.schemas, plan.options.name) | about_chats
    record |= corpus_record(counted.corpus, counted.report)
    if form := counted.corpus.reading.normalize:
        record[PROVENANCE_KEY] = form
    record["training"] = training
    if plan.kind is AtomKind.SCRIPT:
        record |= block_record(script_blocks(), script_step().n_indices)
    kept = (*BLOCK_KEYS, "pattern") if is_base else BLOCK_KEYS
    return record | {key: text for key, text in of_base.items() if key in kept}


def _is_about_chats(key: str) -> bool:
    """Return whether a provenance key is the chat template, or gives a special token a role."""
    return key == "chat_template" or key.endswith("_token")
