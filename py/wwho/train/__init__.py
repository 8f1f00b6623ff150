"""Training: functions that turn texts into a tokenizer, or into a file of counts to train with.

Example:
    >>> from wwho.train import train
    >>> tokenizer = train(["ගම ගමන", "गाँव"], vocab_size=20, prune=1)
    >>> tokenizer.decode(tokenizer.encode("ගම गाँव, village"))
    'ගම गाँव, village'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from wwho.train.options import TrainOptions

# The command line imports this package each time that it starts, for the defaults. Whatever takes
# time to import is imported where it is used.
if TYPE_CHECKING:
    from concurrent.futures import Executor

    from wwho.assemble.atoms import AtomKind
    from wwho.compile.schema import Schema
    from wwho.corpus import Corpus
    from wwho.corpus.texts import Given
    from wwho.format.model import Artifact
    from wwho.normalize import Normalization
    from wwho.tokenizer import Tokenizer
    from wwho.train.parity import Round
    from wwho.train.report import Report
else:

    def __getattr__(name: str) -> type:
        """Return the class `Corpus` when it is first asked for; any other name is an error."""
        if name != "Corpus":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from wwho.corpus import Corpus

        return Corpus


__all__ = ["Corpus", "TrainOptions", "count_words", "train"]


def train(  # noqa: D417 - TrainOptions documents the keywords
    texts: Given | Corpus,
    *,
    schemas: Sequence[str | os.PathLike[str] | Schema] | None = TrainOptions.schemas,
    base: str | os.PathLike[str] | Artifact | None = TrainOptions.base,
    atoms: AtomKind | str = TrainOptions.atoms,
    method: Literal["bpe", "unigram", "wordpiece"] = TrainOptions.method,
    pattern: str | None = TrainOptions.pattern,
    words: str = TrainOptions.words,
    end_of_word: bool = TrainOptions.end_of_word,
    collapse_spaces: bool = TrainOptions.collapse_spaces,
    vocab_size: int = TrainOptions.vocab_size,
    prune: int | None = TrainOptions.prune,
    every_character: bool = TrainOptions.every_character,
    min_freq: int = TrainOptions.min_freq,
    superwords: int | Literal["auto"] = TrainOptions.superwords,
    balanced: bool | Literal["evenly"] = TrainOptions.balanced,
    max_words: int = TrainOptions.max_words,
    max_token_units: int | None = TrainOptions.max_token_units,
    merge_constraint: Literal["none", "character"] = TrainOptions.merge_constraint,
    normalize: Normalization | None = TrainOptions.normalize,
    total_size: int | None = TrainOptions.total_size,
    pad_to_multiple: int | None = TrainOptions.pad_to_multiple,
    specials: Sequence[str] | None = TrainOptions.specials,
    protect: Sequence[str] = TrainOptions.protect,
    protect_pattern: str | None = TrainOptions.protect_pattern,
    protect_min: int = TrainOptions.protect_min,
    processes: int = TrainOptions.processes,
    executor: Executor | None = TrainOptions.executor,
    progress: bool = TrainOptions.progress,
    parity: Mapping[str, str | os.PathLike[str]] | None = TrainOptions.parity,
    rounds: int = TrainOptions.rounds,
    name: str = TrainOptions.name,
    on_counted: Callable[[Report], object] = TrainOptions.on_counted,
    on_round: Callable[[Round], object] = TrainOptions.on_round,
) -> Tokenizer:
    """Train a tokenizer on texts and return it.

    The keywords are the fields of `TrainOptions`, which says what each means and may be;
    ``help(wwho.train.TrainOptions)`` shows them.

    The same text gives the same bytes as `wwho train`, whatever its order and form: a generator of
    lines, or a file of them. Texts are taken one after another, counted and forgotten: memory grows
    with the distinct words, about 260 bytes each (over bytes 29 for each of their bytes), and the
    longest text.

    Args:
        texts: any iterable of `str`: a list, a generator, a column of a dataset; or of batches, as
            lists of `str`. A word never reaches from one text into the next. Or a `Corpus`: files,
            folders, patterns and URLs, weighted and sampled, and counts of `count_words`.

    Returns:
        The tokenizer; `Tokenizer.save` writes its file.

    Raises:
        TypeError: the texts are no iterable of `str`.
        CorpusError: they hold no text of the scripts; a file cannot be read; or special tokens and
            atoms alone do not fit into `vocab_size`.
        CountsError: counts are damaged, are of other options, hold a text that comes twice, or
            lack a part of one.
        BackendError: there is no native trainer here.
        SchemaError: a schema is invalid, or they do not go together.
        SpecialTokenError: a special token comes twice, or cannot be one.
        ArtifactError: there is no such base.
        PatternError: the pattern cannot be compiled.
        OSError: a schema, the base or a file of counts cannot be read.
        ValueError: a number is out of range, or the base cannot be trained over.

    Example:
        >>> lines = (f"ගමේ {number} පාර" for number in range(1000))  # never all in memory
        >>> tokenizer = train(lines, schemas=["sinhala"], vocab_size=20, prune=1)
        >>> [tokenizer.decode([token]) for token in tokenizer.encode("ගමේ 7 පාර")]
        ['ගමේ', ' ', '7', ' පාර']
    """
    from wwho.format.write import write_artifact
    from wwho.tokenizer import Tokenizer
    from wwho.train.pipeline import train_model

    options = TrainOptions(
        schemas=schemas,
        base=base,
        atoms=atoms,
        method=method,
        pattern=pattern,
        words=words,
        end_of_word=end_of_word,
        collapse_spaces=collapse_spaces,
        vocab_size=vocab_size,
        prune=prune,
        every_character=every_character,
        min_freq=min_freq,
        superwords=superwords,
        balanced=balanced,
        max_words=max_words,
        max_token_units=max_token_units,
        merge_constraint=merge_constraint,
        normalize=normalize,
        total_size=total_size,
        pad_to_multiple=pad_to_multiple,
        specials=specials,
        protect=protect,
        protect_pattern=protect_pattern,
        protect_min=protect_min,
        processes=processes,
        executor=executor,
        progress=progress,
        parity=parity,
        rounds=rounds,
        name=name,
        on_counted=on_counted,
        on_round=on_round,
    )
    return Tokenizer(write_artifact(train_model(_as_corpus(texts), options)))


def count_words(  # noqa: D417 - TrainOptions documents the keywords
    texts: Given | Corpus,
    file: str | os.PathLike[str],
    *,
    schemas: Sequence[str | os.PathLike[str] | Schema] | None = TrainOptions.schemas,
    base: str | os.PathLike[str] | Artifact | None = TrainOptions.base,
    atoms: AtomKind | str = TrainOptions.atoms,
    method: Literal["bpe", "unigram", "wordpiece"] = TrainOptions.method,
    pattern: str | None = TrainOptions.pattern,
    words: str = TrainOptions.words,
    end_of_word: bool = TrainOptions.end_of_word,
    collapse_spaces: bool = TrainOptions.collapse_spaces,
    protect: Sequence[str] = TrainOptions.protect,
    normalize: Normalization | None = TrainOptions.normalize,
    part: tuple[int, int] = (1, 1),
    processes: int = TrainOptions.processes,
    executor: Executor | None = TrainOptions.executor,
    progress: bool = TrainOptions.progress,
) -> str:
    """Count the words of texts into a file, which ``Corpus(counts=[...])`` names to train with.

    Counting is most of the work of training, and may be done anywhere, in any order. A file of
    counts that is there already, of the same files and options, is left as it is: a run that was
    stopped goes on where it is run again.

    The keywords but `part` are fields of `TrainOptions`, which says what each means; training with
    the counts takes the same values, but for `processes`, `executor` and `progress`. Texts that
    `protect_pattern` finds in the whole corpus must be given as `protect` here.

    Args:
        texts: as for `train`. Counts in a `Corpus` are added: so files of counts become one.
        file: where to save the counts.
        part: which part of each file to count, from 1, and of how many: ``(2, 8)`` is the second
            eighth. Plain text and JSON Lines are cut at lines, Parquet at row groups; what is
            compressed is all in part 1. Training asks for all parts.

    Returns:
        The file's name.

    Raises:
        TypeError: the texts are no iterable of `str`.
        CorpusError: a text cannot be read.
        CountsError: counts that are to be added are damaged, or of other options; or the file is
            there and holds something else.
        OSError: the file cannot be written.
        ValueError: there is no such part, or a source has a weight; or as for `train`.

    Example:
        >>> import tempfile
        >>> from wwho.train import Corpus
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = [f"{folder}/{name}.counts" for name in "ab"]
        ...     for file, text in zip(files, ["ගම ගමන", "ගම"]):
        ...         _ = count_words([text], file, schemas=["sinhala"])
        ...     enc = train(Corpus(counts=files), schemas=["sinhala"], vocab_size=20, prune=1)
        >>> enc.count("ගම")
        1
    """
    from wwho.train.plan import plan_training

    options = TrainOptions(
        schemas=schemas,
        base=base,
        atoms=atoms,
        method=method,
        pattern=pattern,
        words=words,
        end_of_word=end_of_word,
        collapse_spaces=collapse_spaces,
        protect=protect,
        normalize=normalize,
        processes=processes,
        executor=executor,
        progress=progress,
    )
    plan_training(_as_corpus(texts), options).prepare().count_to_file(file, part)
    return os.fspath(file)


def _as_corpus(texts: Given | Corpus) -> Corpus:
    """Return a corpus whose only source is these texts; a `Corpus` is returned as it is.

    Raises:
        TypeError: the texts are a single text, or no iterable.
    """
    from wwho.corpus import Corpus
    from wwho.corpus.texts import Texts

    return texts if isinstance(texts, Corpus) else Corpus(Texts(texts))
