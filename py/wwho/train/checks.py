"""What cannot be trained with, and what is better said before the result surprises."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Literal

from wwho.build.atoms import AtomKind
from wwho.corpus import Corpus
from wwho.errors import CorpusError, SchemaError, SpecialTokenError
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Model
from wwho.normalize import FORM, KEY, Normalization, nfc
from wwho.schema.model import Schema
from wwho.train.report import Report
from wwho.train.superwords import AUTO


def check_numbers(
    base: Model,
    *,
    vocab_size: int,
    prune: int,
    min_freq: int,
    max_token_units: int,
    processes: int,
) -> None:
    """Refuse what cannot be trained with.

    Raises:
        ValueError: says which argument, and what it may be.
    """
    for what, value, most in (
        ("vocab_size", vocab_size, MAX_IDS - base.n_base - 1),
        ("prune", prune, 2**63),
        ("min_freq", min_freq, 2**63),
        ("max_token_units", max_token_units, MAX_TOKEN_BYTES),
        ("processes", processes, 1024),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{what} is {value}; it must be between 1 and {most}")
    if base.has_sgpe or base.router is not None:
        raise ValueError(
            f"the base {base.name!r} has routes of its own; train over a base vocabulary, "
            "such as o200k_base"
        )


def check_normalize(base: Model, form: Normalization | None, specials: Iterable[str]) -> None:
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


def check_base(schemas: Sequence[Schema], base: Model, report: Report) -> None:
    """Say what a base of bytes alone costs in the text that no schema takes over."""
    if not schemas or base.n_base_tokens > 256:
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


def room_for(
    kind: AtomKind, vocab_size: int, n_specials: int, n_atoms: int, prune: int, superwords: int
) -> int:
    """How many merges the vocabulary has room for, superwords among them.

    Raises:
        CorpusError: not even the atoms fit.
        ValueError: the superwords do not.
    """
    taken = n_specials + n_atoms
    if taken > vocab_size:
        raise CorpusError(
            f"a vocabulary of {vocab_size} has no room for {n_specials} special tokens and "
            + (
                f"{n_atoms} bytes; raise vocab_size to {taken} or more"
                if kind is AtomKind.BYTE
                else f"{n_atoms} {kind}s seen at least {prune} times; "
                f"raise vocab_size to {taken} or more, or prune"
            )
        )
    room = vocab_size - taken
    if superwords > room:
        raise ValueError(
            f"superwords is {superwords}; it must be between 0 and {room}, for which there is room"
        )
    return room


def check_superwords(
    schemas: Sequence[Schema],
    superwords: int | Literal["auto"],
    max_words: int,
    corpus: Corpus,
) -> None:
    """Refuse superwords that no corpus, or not this one, could give.

    Raises:
        ValueError: says which number, and what it may be.
        SchemaError: there are no schemas, whose scripts' words are what superwords join.
        CorpusError: the corpus cannot be read a second time.
    """
    if superwords != AUTO and not (isinstance(superwords, int) and superwords >= 0):
        raise ValueError(f"superwords is {superwords!r}; it must be 0 or more, or {AUTO!r}")
    if not 2 <= max_words <= 127:
        raise ValueError(f"max_words is {max_words}; it must be between 2 and 127")
    if superwords and not schemas:
        raise SchemaError(
            "superwords join words of a script, and without schemas a word is any piece of text, "
            "punctuation and digits too; name schemas, or ask for no superwords"
        )
    if superwords and corpus.once:
        raise CorpusError(
            f"superwords are learnt from a second reading, and {corpus.once} can be read only "
            "once: name a file, or give a list or a column of a dataset"
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
