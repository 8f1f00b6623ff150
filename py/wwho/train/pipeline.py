"""The trainer from end to end: a base and schemas and a corpus in, a model out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from wwho.build.assemble import counting_model, special_ids, trained_model
from wwho.build.atoms import AtomKind
from wwho.corpus import Corpus
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Model
from wwho.normalize import Normalization
from wwho.progress import Progress
from wwho.schema.model import Schema
from wwho.train.checkpoint import Checkpoint
from wwho.train.checks import (
    check_atoms,
    check_base,
    check_counted,
    check_normalize,
    check_numbers,
    check_superwords,
    room_for,
)
from wwho.train.count import MAX_COUNT, Engine, count_corpus
from wwho.train.local import LocalEngine
from wwho.train.merge import learn_merges
from wwho.train.provenance import provenance
from wwho.train.prune import atoms_of
from wwho.train.report import Report
from wwho.train.superwords import AUTO, SecondStage, shortened

SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[MASK]")


def train_model(
    schemas: Sequence[Schema],
    base: Model,
    corpus: Corpus | Sequence[str | os.PathLike[str]],
    *,
    atoms: AtomKind | str = AtomKind.SYLLABLE,
    vocab_size: int = 128_000,
    prune: int = 20,
    min_freq: int = 2,
    superwords: int | Literal["auto"] = 0,
    max_words: int = 4,
    max_token_units: int | None = None,
    normalize: Normalization | None = None,
    specials: Sequence[str] | None = None,
    processes: int = 1,
    engine: Engine | None = None,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
    name: str = "unnamed",
    on_counted: Callable[[Report], object] | None = None,
) -> Model:
    """Train a vocabulary over a base: SGPE's, or one of other atoms than syllables.

    The corpus is cut into syllables and words by the scanners that also encode; words are counted;
    syllables seen at least `prune` times become atoms (`choose_atoms` states the rule); then the
    most frequent pair of neighbours within a word is merged until the vocabulary is full or no pair
    is seen `min_freq` times (`learn_merges` states how ties are broken). Nothing depends on the
    order of the corpus, on the number of processes, on the engine, on interruptions or on hash
    seeds: the same input gives the same model, byte for byte. Memory grows with the distinct words
    of the corpus and its longest line.

    Args:
        schemas: the scripts to take over from the base. None: all text; its words are then the
            pieces of the base's pretokenizer.
        base: a model without schemas; it keeps its ids, and its pretokenizer goes on cutting the
            text of all other scripts. `wwho.build.base.byte_base` is one without a vocabulary.
        corpus: what to train on: names of files, folders, patterns or URLs, or a `Corpus` of them,
            which can also be sampled and weighted.
        atoms: what is meant by syllable here: ``syllable``, ``grapheme``, ``codepoint`` or
            ``byte`` (`AtomKind`). Syllables need schemas. Bytes exclude them: all 256 are atoms,
            the base must be `byte_base`, and the model is a base vocabulary.
        vocab_size: how many ids special tokens, atoms and merged tokens take together; the lone
            space takes one more.
        prune: how often a syllable must be seen to be an atom, at least 1. Where sources have
            weights, these count. Bytes are atoms however rare.
        min_freq: how often a pair must be seen to be merged, at least 1; weights count.
        superwords: how many of the merges are left for a second stage, which joins words of the
            schemas' scripts (`SecondStage`); 0: none; ``auto``: as many as save more tokens than
            the merges within words that they displace (`SecondStage.worthwhile`).
        max_words: how many words a superword may touch, from 2 to 127.
        max_token_units: how many syllables (or other atoms) a token may have, superwords among
            them, at least 1; None: as many as fit into a token's 1023 bytes.
        normalize: ``nfc``: the corpus is brought into NFC before its words are counted, and so is
            every text that `Tokenizer` encodes with the model; None: text is taken as it is.
        specials: texts of special tokens, which get the first new ids, in this order; ``[UNK]``,
            where it is among them, is the token for unknown syllables on request. None: `SPECIALS`,
            or with byte atoms no special tokens.
        processes: how many cores of this machine count at the same time, at least 1.
        engine: where words are counted instead, such as `wwho.train.cluster.DaskEngine`.
        checkpoint: where to save what has been counted, and what to go on from; None: nowhere.
        progress: whether to show progress on standard error.
        name: the encoding's name.
        on_counted: is given the report of what was counted, before anything is learnt from it.

    Returns:
        The model; ids from ``base.n_base`` on are special tokens, atoms in ascending byte order,
        merged tokens in the order they were learnt, and the lone space. Of bytes: the bytes,
        merged tokens, special tokens.

    Raises:
        CorpusError: a file cannot be read, is damaged, is not what its name says; the corpus holds
            nothing in the scripts of the schemas; or special tokens and atoms alone do not fit into
            `vocab_size`.
        CheckpointError: the checkpoint is damaged, or is of another corpus or other options.
        BackendError: the engine cannot run here, or fails.
        SchemaError: the schemas do not go together, or not with the kind of atoms, or superwords
            are asked for without any.
        SpecialTokenError: a special token comes twice, or cannot be one.
        OSError: the checkpoint cannot be written.
        ValueError: a number is out of range, or the base is not a base vocabulary, or not empty
            where its own is to be learnt.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.format.read import read_model
        >>> from wwho.encodings import model_bytes
        >>> from wwho.schema.load import load_schema
        >>> base = read_model(model_bytes("o200k_base"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "corpus.txt")
        ...     _ = file.write_text("ගම ගම ගමන", "utf-8")
        ...     model = train_model([load_schema("sinhala")], base, [file], prune=1)
        >>> [text.decode() for text in model.sgpe_tokens]
        [' ග', 'ග', 'න', 'ම', ' ගම']
    """
    kind = AtomKind(atoms)
    if specials is None:
        specials = () if kind is AtomKind.BYTE else SPECIALS
    max_units = MAX_TOKEN_BYTES if max_token_units is None else max_token_units
    check_numbers(
        base,
        vocab_size=vocab_size,
        prune=prune,
        min_freq=min_freq,
        max_token_units=max_units,
        processes=processes,
    )
    ids = special_ids(base, specials)
    check_normalize(base, normalize, ids)
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    corpus = corpus.normalized(normalize)
    check_superwords(schemas, superwords, max_words, corpus)
    bars = Progress(progress)
    cutter = counting_model(schemas, base, kind)
    engine = engine or LocalEngine(processes)
    if checkpoint is not None:
        checkpoint.open(corpus, engine.name, cutter)
    with bars.stage("count", corpus.size(), unit="B") as advance:
        words, scale, report = count_corpus(
            corpus, cutter, engine, checkpoint=checkpoint, advance=advance
        )
    if on_counted is not None:
        on_counted(report)
    check_counted(report)
    check_base(schemas, base, report)
    if kind is AtomKind.BYTE:
        words = words.spelled()
    chosen = atoms_of(kind, words, prune * scale)
    check_atoms(kind, chosen, prune)
    auto = superwords == AUTO
    reserved = 0 if superwords == AUTO else superwords
    room = room_for(kind, vocab_size, len(specials), len(chosen), prune, reserved)
    threshold = min(min_freq * scale, MAX_COUNT + 1)
    merger = learn_merges(
        words, chosen, room - reserved, min_freq=threshold, max_units=max_units, bars=bars
    )
    model = trained_model(
        schemas, base, specials=ids, atoms=chosen, merges=merger.merges(), provenance={}, kind=kind
    )
    if superwords:
        stage = SecondStage(corpus, report, max_words, max_units, threshold, bars)
        if auto:
            reserved = stage.worthwhile(model, merger.gains(), room)
            model = shortened(model, room - reserved)
        model = stage.added(model, reserved)
    options = [f"vocab_size {vocab_size}, prune {prune}, min_freq {min_freq}"]
    if kind is not AtomKind.SYLLABLE:
        options.append(f"atoms {kind}")
    if superwords:
        options.append(f"superwords {f'auto ({reserved})' if auto else reserved}")
        options.append(f"max_words {max_words}")
    if max_token_units:
        options.append(f"max_token_units {max_token_units}")
    record = provenance(name, schemas, base, corpus, report, kind, ", ".join(options))
    return replace(model, provenance=record)
