"""The trainer from end to end: a base and schemas and a corpus in, a model out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

from wwho.artifact.layout import MAX_IDS
from wwho.artifact.model import Model
from wwho.base.build import WRITER
from wwho.errors import CorpusError
from wwho.grammar.unicode import UNICODE_VERSION
from wwho.schema.model import Schema
from wwho.train.assemble import counting_model, special_ids, trained_model
from wwho.train.count import count_words
from wwho.train.inputs import Corpus
from wwho.train.merge import learn_merges
from wwho.train.native import Scanners
from wwho.train.progress import Progress
from wwho.train.prune import choose_atoms

SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[MASK]")


def train(
    schemas: Sequence[Schema],
    base: Model,
    files: Sequence[str | os.PathLike[str]],
    *,
    vocab_size: int = 128_000,
    prune: int = 20,
    min_freq: int = 2,
    specials: Sequence[str] = SPECIALS,
    processes: int = 1,
    progress: bool = False,
    field: str | None = None,
    name: str = "unnamed",
) -> Model:
    """Train an SGPE vocabulary over a base vocabulary.

    The corpus is cut into syllables and words by the scanners that also encode; words are counted;
    syllables seen at least `prune` times become atoms (`choose_atoms` states the rule); then the
    most frequent pair of neighbours within a word is merged until the vocabulary is full or no pair
    is seen `min_freq` times (`learn_merges` states how ties are broken). Nothing depends on the
    order of the corpus, on the number of processes or on hash seeds: the same input gives the same
    model, byte for byte. Memory grows with the distinct words of the corpus and its longest line.

    Args:
        schemas: the scripts to take over from the base, at least one.
        base: a model without schemas; it keeps its ids, and its pretokenizer goes on cutting the
            text of all other scripts.
        files: ``.txt`` (any name) or ``.jsonl``, plain or ``.gz``, ``.xz``, ``.zst``; ``-`` is the
            standard input.
        vocab_size: how many ids special tokens, atoms and merged tokens take together; the lone
            space takes one more.
        prune: how often a syllable must be seen to be an atom, at least 1.
        min_freq: how often a pair must be seen to be merged, at least 1.
        specials: texts of special tokens, which get the first new ids, in this order; ``[UNK]``,
            where it is among them, is the token for unknown syllables on request.
        processes: how many cores count at the same time, at least 1.
        progress: whether to show progress on standard error.
        field: the field of JSON Lines that holds the text, ``text`` where it is None; naming one
            makes the standard input JSON Lines.
        name: the encoding's name.

    Returns:
        The model; ids from ``base.n_base`` on are special tokens, atoms in ascending byte order,
        merged tokens in the order they were learnt, and the lone space.

    Raises:
        CorpusError: a file cannot be read, is damaged, is not what its name says; the corpus holds
            nothing in the scripts of the schemas; or special tokens and atoms alone do not fit into
            `vocab_size`.
        SchemaError: the schemas do not go together.
        SpecialTokenError: a special token comes twice, or cannot be one.
        ValueError: a number is out of range, or the base is not a base vocabulary.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.artifact.read import read_model
        >>> from wwho.encodings import model_bytes
        >>> from wwho.schema.load import load_schema
        >>> base = read_model(model_bytes("o200k_base"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "corpus.txt")
        ...     _ = file.write_text("ගම ගම ගමන", "utf-8")
        ...     model = train([load_schema("sinhala")], base, [file], prune=1)
        >>> [text.decode() for text in model.sgpe_tokens]
        [' ග', 'ග', 'න', 'ම', ' ගම']
    """
    _check(base, vocab_size=vocab_size, prune=prune, min_freq=min_freq, processes=processes)
    ids = special_ids(base, specials)
    bars = Progress(progress)
    corpus = Corpus(files, field=field)
    scanners = Scanners(counting_model(schemas))
    with bars.stage("count", corpus.size(), unit="B") as advance:
        words = count_words(scanners, corpus.blocks(advance), processes=processes)
    info = words.info()
    if not info.total:
        scripts = ", ".join(schema.name for schema in schemas)
        raise CorpusError(
            f"the corpus ({len(corpus.files)} files, {corpus.n_bytes} bytes of text) holds no text "
            f"in the scripts of the schemas: {scripts}"
        )
    atoms = choose_atoms({word[0]: count for word, count in words.units().items()}, prune)
    room = _room(vocab_size, len(specials), len(atoms), prune)
    merges = learn_merges(words, atoms, room, min_freq=min_freq, bars=bars)
    _report_stray(corpus.stray + info.stray_bytes)
    return trained_model(
        schemas,
        base,
        specials=ids,
        atoms=atoms,
        merges=merges,
        provenance={
            **_base_provenance(base),
            **{f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas},
            "name": name,
            "writer": WRITER,
            "unicode": UNICODE_VERSION,
            "corpus": " ".join(f"sha256 {digest}" for digest in sorted(corpus.digests)),
            "corpus_bytes": str(corpus.n_bytes),
            "corpus_words": str(info.total),
            "corpus_distinct_words": str(info.n_words),
            "corpus_broken_characters": str(corpus.stray + info.stray_bytes),
            "training": f"vocab_size {vocab_size}, prune {prune}, min_freq {min_freq}",
        },
    )


def _check(base: Model, *, vocab_size: int, prune: int, min_freq: int, processes: int) -> None:
    """Refuse what cannot be trained with.

    Raises:
        ValueError: says which argument, and what it may be.
    """
    for what, value, most in (
        ("vocab_size", vocab_size, MAX_IDS - base.n_base - 1),
        ("prune", prune, 2**63),
        ("min_freq", min_freq, 2**63),
        ("processes", processes, 1024),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{what} is {value}; it must be between 1 and {most}")
    if base.has_sgpe or base.router is not None:
        raise ValueError(
            f"the base {base.name!r} has routes of its own; train over a base vocabulary, "
            "such as o200k_base"
        )


def _room(vocab_size: int, n_specials: int, n_atoms: int, prune: int) -> int:
    """How many merges the vocabulary has room for.

    Raises:
        CorpusError: not even the atoms fit.
    """
    taken = n_specials + n_atoms
    if taken > vocab_size:
        raise CorpusError(
            f"a vocabulary of {vocab_size} has no room for {n_specials} special tokens and "
            f"{n_atoms} syllables seen at least {prune} times; "
            f"raise vocab_size to {taken} or more, or prune"
        )
    return vocab_size - taken


def _base_provenance(base: Model) -> dict[str, str]:
    """What the base says of itself, under names that tell it is the base."""
    return {f"base:{key}": text for key, text in base.provenance.items() if key != "writer"}


def _report_stray(stray: int) -> None:
    if stray:
        warnings.warn(
            f"the corpus holds {stray} broken characters (bytes that are not valid UTF-8, lone "
            "surrogates); each was read as U+FFFD",
            stacklevel=3,
        )
