"""The options of a training run: one dataclass that Python, the command line and `Plan` share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

# Only names of types: the command line reads the defaults each time that it starts, and `Round`
# and `Report` need the native trainer, which some platforms lack.
if TYPE_CHECKING:
    from concurrent.futures import Executor

    from wwho.assemble.atoms import AtomKind
    from wwho.compile.schema import Schema
    from wwho.format.model import Artifact
    from wwho.normalize import Normalization
    from wwho.train.parity import Round
    from wwho.train.report import Report


def _ignore(_: object) -> None:
    """Do nothing with a report or a round: the default of `on_counted` and `on_round`."""


@dataclass(frozen=True)
class TrainOptions:
    """The options of a training run, in Python and on the command line: what to learn, and how.

    An object holds what was asked for and checks nothing; `Plan.check` refuses options that do
    not go together. Every option has its default here and nowhere else.

    Attributes:
        schemas: the scripts whose text is cut into syllables: names of shipped schemas, paths of
            files, or `Schema`s. None: the three written by hand (sinhala, devanagari, kannada);
            with other atoms than syllables, none: then words are what the base's pretokenizer
            cuts, in all text.
        base: the vocabulary for all other text, whose ids stay: the name of a shipped encoding,
            the path of a `.wwho` file, an `Artifact`, or ``none``, the 256 bytes alone. None:
            ``o200k_base``; for byte and script atoms, and with `balanced`, ``none``.
        atoms: the symbols that tokens are merged from: ``syllable``, ``grapheme``, ``codepoint``,
            ``byte`` or ``script``. With ``script`` each character is two symbols: a block, which
            says script and kind, and an index in that block.
        method: how tokens are chosen. ``bpe``: the most frequent pair of neighbours is merged,
            again and again. ``unigram``: of many parts of words those stay that make the corpus
            the most probable (Kudo 2018), and a text is cut so that its tokens are. Over code
            points, without schemas and with the base ``none``, the model is one of SentencePiece,
            which cuts no text into words; words only limit what tokens are learnt. ``wordpiece``:
            as `tokenizers` learns it for models like BERT: over code points, in words as BERT cuts
            them, without schemas and base; white space is lost, and so is what becomes [UNK].
        pattern: the pretokenizer of the base ``none``: ``o200k_base``, ``cl100k_base``,
            ``r50k_base``, ``script``, which cuts where the script or the kind of characters
            changes, ``none`` or a regular expression. None: that of o200k_base. Any other base
            has a pretokenizer of its own and refuses a pattern.
        words: the words within which symbols are merged: ``script``, the runs of letters of the
            schemas' scripts; or ``whitespace``, everything between white space, other scripts and
            punctuation included, so that no text is left to the base.
        end_of_word: whether a space belongs to the word before it, as a symbol of its own at that
            word's end, and not to the word after it.
        collapse_spaces: whether the tokenizer replaces each run of white space with one space and
            ends every word with a space, as OSPE is published. Such a tokenizer loses text.
        vocab_size: how many ids special tokens, atoms and merged tokens take together; the lone
            space takes one more. With `balanced` over the bytes, all ids together.
        prune: how often a syllable (or other atom) must be seen to get an id, at least 1; rarer
            ones are written with tokens of the base. None: 20, or with `balanced` the trainer
            chooses.
        every_character: whether each character of the schemas' classes is an atom, seen or not;
            a syllable without an id is then written with the longest atoms that it begins with.
        min_freq: how often a pair of neighbours must be seen to be merged, at least 1.
        superwords: how many of the merges join words across one space; 0: none; ``auto``: as many
            as save more tokens than the merges within words that they displace. The texts are read
            twice for superwords and three times for ``auto``, so an iterator is refused.
        balanced: whether the trainer chooses the shares of the base, the atoms, and each script's
            merges and superwords, measured on sources that are left out (`wwho.train.balance`), or
            on lines, where sources are too few (`wwho.train.folds`). `superwords` is ignored, and
            counts are refused. Over the bytes a base is trained, too. ``evenly``: all sources count
            alike, however long. With ``unigram`` a script gets as many tokens as merges would be
            worth, and no superwords; ``wordpiece`` is refused.
        max_words: how many words a superword may touch, from 2 to 127.
        max_token_units: how many syllables (or other atoms) a token may have, superwords included.
            None: as many as fit into the 1024 bytes of a token; with ``unigram`` 16, or 48 bytes.
        merge_constraint: ``character``: the byte or script atoms of one character merge with each
            other first, from left to right, and only whole characters merge with others.
            ``none``: any neighbours merge.
        normalize: ``nfc``: the trainer brings texts into NFC before it counts, and the tokenizer
            brings every text into NFC before it encodes. None: texts stay as they are.
        total_size: how many ids the model has in all, with those of the base and the lone space, in
            place of `vocab_size`. If the corpus gives fewer, the last ones are special tokens that
            are reserved, ``<|reserved_0|>`` and so on, and a warning says so. None: what
            `vocab_size` gives.
        pad_to_multiple: a number of which the number of all ids is a multiple: reserved tokens fill
            it up. None: it need not be one.
        specials: the texts of special tokens. None: [PAD] [UNK] [BOS] [EOS] [MASK], with byte and
            script atoms none of these, and <|endoftext|>, unless the base has it; with
            ``wordpiece`` those of BERT alone.
        protect: texts that are one token wherever they stand; unlike special tokens, they are
            always found. No merge holds a part of one.
        protect_pattern: a regular expression of Python's `re`; every text that it finds in the
            corpus is protected, too. It costs one more reading, so an iterator is refused.
        protect_min: how often `protect_pattern` must find a text.
        processes: how many threads count at the same time; the result does not depend on it.
        executor: what counts files in place of these threads: any `concurrent.futures.Executor`,
            such as a cluster's. Its workers must be able to open the files by the same names.
        progress: whether to show progress bars on standard error.
        parity: for names of sources of a `Corpus`, the file of a text in that source's language;
            all these texts say the same. The trainer changes the weights of these sources, round
            by round, until the texts take about as many tokens as each other. Give counts of the
            sources, so that no round reads the text again.
        rounds: how many rounds `parity` trains and measures, at most.
        name: the encoding's name.
        on_counted: a function that is called once with the report of what was counted, before
            anything is learnt from it.
        on_round: a function that is called with the measurements of each round of `parity`.
    """

    schemas: Sequence[str | os.PathLike[str] | Schema] | None = None
    base: str | os.PathLike[str] | Artifact | None = None
    atoms: AtomKind | str = "syllable"
    method: Literal["bpe", "unigram", "wordpiece"] = "bpe"
    pattern: str | None = None
    words: str = "script"
    end_of_word: bool = False
    collapse_spaces: bool = False
    vocab_size: int = 128_000
    prune: int | None = None
    every_character: bool = False
    min_freq: int = 2
    superwords: int | Literal["auto"] = 0
    balanced: bool | Literal["evenly"] = False
    max_words: int = 4
    max_token_units: int | None = None
    merge_constraint: Literal["none", "character"] = "none"
    normalize: Normalization | None = None
    total_size: int | None = None
    pad_to_multiple: int | None = None
    specials: Sequence[str] | None = None
    protect: Sequence[str] = ()
    protect_pattern: str | None = None
    protect_min: int = 2
    processes: int = 1
    executor: Executor | None = None
    progress: bool = False
    parity: Mapping[str, str | os.PathLike[str]] | None = None
    rounds: int = 6
    name: str = "unnamed"
    on_counted: Callable[[Report], object] = _ignore
    on_round: Callable[[Round], object] = _ignore
