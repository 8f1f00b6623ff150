"""Training: an iterable of texts, or files, in; a tokenizer out.

Example:
    >>> from wwho.train import train
    >>> tokenizer = train(["ගම ගමන", "गाँव"], vocab_size=20, prune=1)
    >>> tokenizer.decode(tokenizer.encode("ගම गाँव, village"))
    'ගම गाँव, village'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from wwho.build.atoms import AtomKind
    from wwho.corpus import Corpus
    from wwho.corpus.texts import Given
    from wwho.format.model import Model
    from wwho.normalize import Normalization
    from wwho.schema.model import Schema
    from wwho.tokenizer import Tokenizer
    from wwho.train.checkpoint import Checkpoint
    from wwho.train.count import Engine
    from wwho.train.report import Report

__all__ = ["Corpus", "train"]


def __getattr__(name: str) -> object:
    """`Corpus`, which is imported when it is asked for.

    What cuts text imports this package too, also where Python lacks what files are read with.
    """
    if name == "Corpus":
        from wwho.corpus import Corpus

        return Corpus
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def train(
    texts: Given | Corpus,
    *,
    schemas: Sequence[str | os.PathLike[str] | Schema] | None = None,
    base: str | os.PathLike[str] | Model | None = None,
    atoms: AtomKind | str = "syllable",
    pattern: str | None = None,
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
) -> Tokenizer:
    """Train a tokenizer.

    The same text gives the same bytes as `wwho train`, whatever its order and form: a generator of
    lines, or a file of them. Texts are taken one after another, counted and forgotten: memory grows
    with the distinct words, about 260 bytes each, and the longest text.

    Args:
        texts: any iterable of `str`: a list, a generator, a column of a dataset; or of batches, as
            lists of `str`. A word never reaches from one text into the next. Or a `Corpus`: files,
            folders, patterns and URLs, weighted and sampled.
        schemas: the scripts that the base hands over: names of shipped schemas, paths of files,
            or `Schema`s. None: all that ship, Sinhala and Devanagari; for other atoms than
            syllables, no schema, and words are those of the base's pretokenizer in all text.
        base: the vocabulary for all other text, whose ids stay: the name of a shipped encoding,
            the path of a `.wwho` file, a `Model`, or ``none``, the 256 bytes alone. None:
            ``o200k_base``; for byte atoms ``none``.
        atoms: what tokens are merged from: ``syllable``, ``grapheme``, ``codepoint`` or ``byte``.
        pattern: the pretokenizer of the base ``none``: ``o200k_base``, ``cl100k_base`` or a
            regular expression. None: that of o200k_base.
        vocab_size: how many ids special tokens, atoms and merged tokens take together.
        prune: how often a syllable must be seen to get an id, at least 1; others are spelled with
            tokens of the base.
        min_freq: how often a pair must be seen to be merged, at least 1.
        superwords: how many of the merges join words across one space; 0: none; ``auto``: as many
            as save more tokens than the merges within words that they displace. The texts are read
            twice for them, and for ``auto`` three times: give no iterator.
        max_words: how many words a superword may touch, from 2 to 127.
        max_token_units: how many syllables (or other atoms) a token may have, superwords among
            them; None: as many as fit into a token's 1023 bytes.
        normalize: ``nfc``: texts are brought into NFC before they are counted, and so is every text
            that the tokenizer encodes. None: they are taken as they are.
        specials: texts of special tokens. None: [PAD] [UNK] [BOS] [EOS] [MASK]; with byte atoms
            none.
        processes: how many cores count at the same time.
        engine: where words are counted instead, such as `wwho.train.cluster.DaskEngine`; the
            sources are then files.
        checkpoint: where to save what has been counted, and what to go on from; the sources are
            then files.
        progress: whether to show progress on standard error.
        name: the encoding's name.
        on_counted: is given the report of what was counted, before anything is learnt from it.

    Returns:
        The tokenizer; `Tokenizer.save` writes its file.

    Raises:
        TypeError: the texts are no iterable of `str`.
        CorpusError: they hold no text of the scripts; a file cannot be read; or special tokens and
            atoms alone do not fit into `vocab_size`.
        CheckpointError: the checkpoint is damaged, or is of another corpus or other options.
        BackendError: there is no native trainer here, or the engine fails.
        SchemaError: a schema is invalid, or they do not go together.
        SpecialTokenError: a special token comes twice, or cannot be one.
        ArtifactError: there is no such base.
        PatternError: the pattern cannot be compiled.
        OSError: a schema, the base or the checkpoint cannot be read or written.
        ValueError: a number is out of range, or the base cannot be trained over.

    Example:
        >>> lines = (f"ගමේ {number} පාර" for number in range(1000))  # never held in memory
        >>> tokenizer = train(lines, schemas=["sinhala"], vocab_size=20, prune=1)
        >>> [tokenizer.decode([token]) for token in tokenizer.encode("ගමේ 7 පාර")]
        ['ගමේ', ' ', '7', ' පාර']
    """
    from wwho.build.atoms import AtomKind
    from wwho.corpus import Corpus
    from wwho.corpus.texts import Texts
    from wwho.format.write import write_model
    from wwho.tokenizer import Tokenizer
    from wwho.train.named import base_named, schemas_named
    from wwho.train.pipeline import train_model

    kind = AtomKind(atoms)
    model = train_model(
        schemas_named(schemas, kind),
        base_named(base, pattern, kind),
        texts if isinstance(texts, Corpus) else Corpus(Texts(texts)),
        atoms=kind,
        vocab_size=vocab_size,
        prune=prune,
        min_freq=min_freq,
        superwords=superwords,
        max_words=max_words,
        max_token_units=max_token_units,
        normalize=normalize,
        specials=specials,
        processes=processes,
        engine=engine,
        checkpoint=checkpoint,
        progress=progress,
        name=name,
        on_counted=on_counted,
    )
    return Tokenizer(write_model(model))
