"""Learning a WordPiece vocabulary, as `tokenizers` does it, for models like BERT."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from wwho.compile.unicode import white_space
from wwho.errors import CorpusError
from wwho.format.model import Artifact
from wwho.importers.huggingface.pre_tokenizers.punctuation import PUNCTUATION
from wwho.importers.huggingface.read import make
from wwho.importers.reader import Options
from wwho.importers.source import Source
from wwho.train.learn_bpe import PREFIX, LearntBPE, learn_bpe
from wwho.train.native import WordTable

UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
SPECIALS = ("[PAD]", UNKNOWN, FIRST, LAST, "[MASK]")
"""The texts of special tokens where the option `specials` is None: those of BERT."""

MAX_CHARACTERS = 100
"""A longer word is unknown as a whole."""


@cache
def bert_pattern() -> str:
    """Return the regular expression whose matches are white space, a sign, or a word of BERT's."""
    letters = ~(white_space() | PUNCTUATION)
    return f"{white_space().pattern}+|{PUNCTUATION.pattern}|{letters.pattern}+"


def learn_wordpiece(
    words: WordTable, specials: Sequence[str], *, vocab_size: int, prune: int, min_freq: int
) -> LearntBPE:
    """Return the vocabulary that `WordPieceTrainer` of `tokenizers` learns: BPE with `PREFIX`.

    Ids are those of special tokens, of characters by code point, of characters that continue a
    word, in the same order, and of merged tokens. `tokenizers` numbers the third ones, and so
    chooses between pairs of equal counts, as it happens.

    Args:
        words: the words and their counts, white space among them, which is left out.
        specials: the special tokens.
        vocab_size: how many ids there may be.
        prune: how often a character must be seen; words with a rarer one are left out.
        min_freq: how often a pair must be seen to be merged, at least 1.

    Raises:
        CorpusError: special tokens and characters alone do not fit into `vocab_size`.
    """
    counted: Counter[str] = Counter()
    for units, number in words.items():
        if (text := b"".join(units).decode("utf-8", "replace")).strip():
            counted[text] += number
    characters: Counter[str] = Counter()
    for text, number in counted.items():
        for char in text:
            characters[char] += number
    alphabet = {char for char, number in characters.items() if number >= prune}
    known = {text: counted[text] for text in sorted(counted) if alphabet.issuperset(text)}
    try:
        return learn_bpe(known, specials, alphabet, vocab_size, min_freq, PREFIX)
    except ValueError as error:
        raise CorpusError(f"{error}; raise vocab_size, or prune") from error


def wordpiece_artifact(learnt: LearntBPE, specials: Sequence[str], *, nfc: bool) -> Artifact:
    """Return the model of a vocabulary, with the components that BERT has in a tokenizer.json.

    White space is dropped and signs of punctuation stand alone; a word that is not made of tokens
    is `UNKNOWN`. Where there are `FIRST` and `LAST`, a template puts them around texts.

    Args:
        learnt: the vocabulary.
        specials: the special tokens, `UNKNOWN` among them.
        nfc: whether texts are brought into NFC.

    Raises:
        SourceError: no artifact can hold it.
    """
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    ends: dict[str, Any] | None = None
    if {FIRST, LAST} <= {*specials}:
        ends = {"type": "BertProcessing", "sep": [LAST, learnt.vocab[LAST]]}
        ends["cls"] = [FIRST, learnt.vocab[FIRST]]
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": learnt.vocab[text], "content": text, **flags, "special": True}
            for text in specials
        ],
        "normalizer": {"type": "NFC"} if nfc else None,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": ends,
        "decoder": {"type": "WordPiece", "prefix": PREFIX, "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": PREFIX,
            "max_input_chars_per_word": MAX_CHARACTERS,
            "vocab": learnt.vocab,
        },
    }
    source = Source(Path("tokenizer.json"), json.dumps(document).encode())
    return make(document, source, Options(source="training"), "a trained model").artifact
