"""Training: an iterable of texts, or files, in; a tokenizer out.

Example:
    >>> from wwho.train import train
    >>> tokenizer = train(["ගම ගමන", "गाँव"], vocab_size=20, prune=1)
    >>> tokenizer.decode(tokenizer.encode("ගම गाँव, village"))
    'ගම गाँव, village'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wwho.assemble.atoms import AtomKind, Words
from wwho.assemble.base import byte_base
from wwho.compile.schema import Schema
from wwho.compile.schema_loader import HAND_MADE, each_named, load_schema
from wwho.corpus import Corpus
from wwho.corpus.texts import Given, Texts
from wwho.encodings import is_file, model_bytes
from wwho.errors import naming
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.normalize import Normalization
from wwho.tokenizer import Tokenizer
from wwho.train.protect import Protect

if TYPE_CHECKING:  # native; where this cannot be had, calls say so
    from wwho.train.parity import Round
    from wwho.train.report import Report

__all__ = ["Corpus", "count_words", "train"]

NO_BASE = "none"
"""The base of bytes alone."""

DEFAULT_BASE = "o200k_base"
DEFAULT_PATTERN = "o200k_base"


def train(
    texts: Given | Corpus,
    *,
    schemas: Sequence[str | os.PathLike[str] | Schema] | None = None,
    base: str | os.PathLike[str] | Artifact | None = None,
    atoms: AtomKind | str = "syllable",
    pattern: str | None = None,
    words: str = "script",
    end_of_word: bool = False,
    collapse_spaces: bool = False,
    vocab_size: int = 128_000,
    prune: int | None = None,
    every_character: bool = False,
    min_freq: int = 2,
    superwords: int | Literal["auto"] = 0,
    balanced: bool | Literal["evenly"] = False,
    max_words: int = 4,
    max_token_units: int | None = None,
    merge_constraint: Literal["none", "character"] = "none",
    normalize: Normalization | None = None,
    specials: Sequence[str] | None = None,
    protect: Sequence[str] = (),
    protect_pattern: str | None = None,
    protect_min: int = 2,
    processes: int = 1,
    progress: bool = False,
    parity: Mapping[str, str | os.PathLike[str]] | None = None,
    rounds: int = 6,
    name: str = "unnamed",
    on_counted: Callable[[Report], object] = lambda _: None,
    on_round: Callable[[Round], object] = lambda _: None,
) -> Tokenizer:
    """Train a tokenizer.

    The same text gives the same bytes as `wwho train`, whatever its order and form: a generator of
    lines, or a file of them. Texts are taken one after another, counted and forgotten: memory grows
    with the distinct words, about 260 bytes each, and the longest text.

    Args:
        texts: any iterable of `str`: a list, a generator, a column of a dataset; or of batches, as
            lists of `str`. A word never reaches from one text into the next. Or a `Corpus`: files,
            folders, patterns and URLs, weighted and sampled, and counts of `count_words`.
        schemas: the scripts that the base hands over: names of shipped schemas, paths of files,
            or `Schema`s. None: the three written by hand, sinhala, devanagari and kannada; with
            other atoms than syllables, none: words are those of the base's pretokenizer in all
            text.
        base: the vocabulary for all other text, whose ids stay: the name of a shipped encoding,
            the path of a `.wwho` file, an `Artifact`, or ``none``, the 256 bytes alone. None:
            ``o200k_base``; for byte and script atoms ``none``.
        atoms: what tokens are merged from: ``syllable``, ``grapheme``, ``codepoint``, ``byte`` or
            ``script``: for each character a block, which says script and kind, and an index in it.
        pattern: the pretokenizer of the base ``none``: ``o200k_base``, ``cl100k_base``,
            ``r50k_base``, ``script``, which cuts where the script or the kind of characters
            changes, ``none`` or a regular expression. None: that of o200k_base.
        words: what words are, within which tokens are merged: ``script``, the runs of letters of
            the schemas' scripts; or ``whitespace``, all that stands between white space, other
            scripts and punctuation included, so that no text is left to the base.
        end_of_word: whether a space belongs to the word before it, as a unit of its own after it,
            and not to the word after it.
        collapse_spaces: whether the tokenizer makes one space of all white space, and puts one
            after every word, as OSPE is published: so it loses text.
        vocab_size: how many ids special tokens, atoms and merged tokens take together.
        prune: how often a syllable must be seen to get an id, at least 1; others are spelled with
            tokens of the base. None: 20; with `balanced` it is chosen.
        every_character: whether each character of the schemas' classes is an atom, seen or not;
            a syllable without an id is then spelled with the longest atoms that it begins with.
        min_freq: how often a pair must be seen to be merged, at least 1.
        superwords: how many of the merges join words across one space; 0: none; ``auto``: as many
            as save more tokens than the merges within words that they displace. The texts are read
            twice for them, and for ``auto`` three times: give no iterator.
        balanced: whether the shares of the base, the atoms, and of each script's merges and
            superwords are chosen, on sources that are left out (`wwho.train.balance`): the texts
            are a `Corpus` of two sources or more, and `superwords` is not looked at. The base is
            ``none`` where it is None; over the bytes a base is trained, too, and `vocab_size` is
            all ids together. ``evenly``: all sources count alike, however long they are.
        max_words: how many words a superword may touch, from 2 to 127.
        max_token_units: how many syllables (or other atoms) a token may have, superwords among
            them; None: as many as fit into a token's 1024 bytes.
        merge_constraint: ``character``: of byte and script atoms, those of one character merge with
            each other first, from left to right, and only whole characters with others.
        normalize: ``nfc``: texts are brought into NFC before they are counted, and so is every text
            that the tokenizer encodes. None: they are taken as they are.
        specials: texts of special tokens. None: [PAD] [UNK] [BOS] [EOS] [MASK]; with byte and
            script atoms none.
        protect: texts that are one token each wherever they stand, as no special token is: without
            leave. No merge holds a part of one.
        protect_pattern: a regular expression of Python's `re`; every text that it finds in the
            corpus is protected, too. The texts are read once more for it: give no iterator.
        protect_min: how often it must find a text.
        processes: how many cores count at the same time.
        progress: whether to show progress on standard error.
        parity: for names of sources of a `Corpus` the file of a text in their language; all say the
            same. The weights of these sources change until the texts take about as many tokens as
            each other. Give counts of the sources, so that no round reads them.
        rounds: how often `parity` trains and measures, at most.
        name: the encoding's name.
        on_counted: is given the report of what was counted, before anything is learnt from it.
        on_round: is given what was measured in each round.

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
    given = locals()  # all of the above, by name
    from wwho.train.pipeline import train_model

    return Tokenizer(write_artifact(train_model(**resolved(**given))))


def count_words(
    texts: Given | Corpus,
    file: str | os.PathLike[str],
    *,
    schemas: Sequence[str | os.PathLike[str] | Schema] | None = None,
    base: str | os.PathLike[str] | Artifact | None = None,
    atoms: AtomKind | str = "syllable",
    pattern: str | None = None,
    words: str = "script",
    end_of_word: bool = False,
    collapse_spaces: bool = False,
    protect: Sequence[str] = (),
    normalize: Normalization | None = None,
    part: tuple[int, int] = (1, 1),
    processes: int = 1,
    progress: bool = False,
) -> str:
    """Count the words of texts into a file, which ``Corpus(counts=[...])`` names to train with.

    Counting is most of the work of training, and may be done anywhere, in any order. A file of
    counts that is there already, of the same files and options, is left as it is: a run that was
    stopped goes on where it is run again.

    Args:
        texts: as for `train`. Counts in a `Corpus` are added: so files of counts become one.
        file: where to save the counts.
        schemas: this and the others are those of `train`, and must be the same there.
        base: the same.
        atoms: the same.
        pattern: the same.
        words: the same.
        end_of_word: the same.
        collapse_spaces: the same.
        protect: the same; what a pattern finds in the whole corpus must be given as texts here.
        normalize: the same.
        part: which part of each file to count, from 1, and of how many: ``(2, 8)`` is the second
            eighth. Plain text and JSON Lines are cut at lines, Parquet at row groups; what is
            compressed is all in part 1. Training asks for all parts.
        processes: how many cores count at the same time.
        progress: whether to show progress on standard error.

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
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = [f"{folder}/{name}.counts" for name in "ab"]
        ...     for file, text in zip(files, ["ගම ගමන", "ගම"]):
        ...         _ = count_words([text], file, schemas=["sinhala"])
        ...     enc = train(Corpus(counts=files), schemas=["sinhala"], vocab_size=20, prune=1)
        >>> enc.count("ගම")
        1
    """
    given = locals()
    del given["file"], given["part"]
    from wwho.train.plan import Plan

    Plan(**resolved(**given)).read().count_to(file, part)
    return os.fspath(file)


def resolved(
    texts: Given | Corpus,
    *,
    schemas: Sequence[str | os.PathLike[str] | Schema] | None = None,
    base: str | os.PathLike[str] | Artifact | None = None,
    atoms: AtomKind | str = AtomKind.SYLLABLE,
    pattern: str | None = None,
    words: str = "script",
    end_of_word: bool = False,
    collapse_spaces: bool = False,
    protect: Sequence[str] = (),
    protect_pattern: str | None = None,
    protect_min: int = 2,
    **options: Any,
) -> dict[str, Any]:
    """The arguments of `Plan`: what those of `train` name, and its other options as they are.

    What is raised is that of `train`.
    """
    if words not in ("script", "whitespace"):
        raise ValueError(f"words is {words!r}; it must be 'script' or 'whitespace'")
    if base is None and options.get("balanced"):
        base = NO_BASE
    kind = AtomKind(atoms)
    return {
        "schemas": schemas_named(schemas, kind),
        "base": base_named(base, pattern, kind),
        "corpus": texts if isinstance(texts, Corpus) else Corpus(Texts(texts)),
        "atoms": kind,
        "words": Words(words == "whitespace", end_of_word, collapse_spaces),
        "protect": Protect(protect, protect_pattern, protect_min),
        **options,
    }


def schemas_named(
    schemas: Sequence[str | os.PathLike[str] | Schema] | None, kind: AtomKind
) -> list[Schema]:
    """The schemas with these names or paths; None: those that atoms of this kind come with.

    Raises:
        SchemaError: one is invalid, or there is none of that name.
        OSError: a file cannot be read.

    Example:
        >>> [schema.name for schema in schemas_named(None, AtomKind.SYLLABLE)]
        ['devanagari', 'kannada', 'sinhala']
    """
    if schemas is None:
        schemas = HAND_MADE if kind is AtomKind.SYLLABLE else ()
    return [
        schema
        if isinstance(schema, Schema)
        else load_schema(schema if isinstance(schema, str) else Path(schema))
        for schema in each_named(schemas)
    ]


def base_named(
    base: str | os.PathLike[str] | Artifact | None, pattern: str | None, kind: AtomKind
) -> Artifact:
    """The base with this name, or in this file; None: the one that atoms of this kind come with.

    Args:
        base: the base.
        pattern: the pretokenizer of the base of bytes alone; None: that of o200k_base.
        kind: what the atoms are.

    Raises:
        ArtifactError: there is no such encoding, or the file is no artifact.
        PatternError: the pattern cannot be compiled.
        OSError: the file cannot be read.
        ValueError: a pattern is given for a base that has its own.

    Example:
        >>> base_named("none", r"\\w+|\\W", AtomKind.SYLLABLE).n_vocab
        256
    """
    if base is None:
        base = NO_BASE if kind.has_fixed_atoms else DEFAULT_BASE
    if base == NO_BASE:
        return byte_base(DEFAULT_PATTERN if pattern is None else pattern)
    if pattern is not None:
        raise ValueError(
            "pattern is for the base none; any other base has a pretokenizer of its own"
        )
    if isinstance(base, Artifact):
        return base
    if isinstance(base, str) and not is_file(base):
        return _shipped(base)
    with naming(base):
        return read_artifact(Path(base).read_bytes())


@lru_cache(maxsize=1)
def _shipped(name: str) -> Artifact:
    """A base that ships: one process often trains several tokenizers over the same one."""
    return read_artifact(model_bytes(name))
