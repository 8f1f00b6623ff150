"""Baselines of the same text and size: what other methods make of what a model was trained on."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Final, NamedTuple

from wwho.assemble.base import byte_base
from wwho.assemble.patterns import PATTERNS
from wwho.backends.backend import Info
from wwho.corpus import Corpus
from wwho.errors import BackendError, CorpusError
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.importers import Source, import_source
from wwho.normalize import FORM, KEY
from wwho.text import characters
from wwho.train.pipeline import train_model
from wwho.train.report import was_trained_on

_LONGEST_LINE = 2**20
"""In bytes, that SentencePiece takes; it passes over longer ones."""


class Baseline(NamedTuple):
    """What a trainer, a package, made of the text: its method, and the tokenizer as an artifact."""

    name: str
    trainer: str
    blob: bytes


def train_baselines(
    name: str, model: Info, corpus: Corpus, trainers: Sequence[str] = ()
) -> list[Baseline]:
    """Train on the text of a model, for as many ids as it has; a small text may give fewer.

    WWHO's own trainer makes a byte BPE, SentencePiece BPE and Unigram with byte fallback, Hugging
    Face's tokenizers a byte BPE. SentencePiece holds the whole text in memory.

    Args:
        name: what warnings call the model.
        model: what they are to be compared with.
        corpus: the text that it was trained on, in files.
        trainers: names in `TRAINERS`; none for all whose packages are installed.

    Warns:
        UserWarning: the model says that it was trained on other text.

    Raises:
        CorpusError: a file cannot be read, there is no text in it, it is standard input, or
            SentencePiece cannot train on it.
        BackendError: the package of a trainer that was named is not installed.

    Example:
        >>> import tempfile, pathlib
        >>> import wwho
        >>> base = wwho.get_encoding("o200k_base")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.txt")
        ...     _ = file.write_text("ගම ගම", "utf-8")
        ...     [found] = train_baselines(base.name, base.info, Corpus([file]), ["wwho"])
        >>> found.name, wwho.Tokenizer.from_bytes(found.blob).n_vocab
        ('byte BPE', 260)
    """
    if corpus.once:
        raise CorpusError(f"{corpus.once} can be read only once; give a file to train baselines on")
    if missing := [name for name in trainers if not find_spec(name)]:
        raise BackendError(f"{missing[0]} is not installed: pip install {missing[0]}")
    found, by_us = [], []
    form = FORM if model.provenance.get(KEY) == FORM else None
    for trainer in dict.fromkeys(trainers or filter(find_spec, TRAINERS)):
        for method, train in TRAINERS[trainer].items():
            reading = corpus.normalized(form)
            artifact = train(reading, model.n_vocab)
            found.append(Baseline(method, trainer, write_artifact(artifact)))
            by_us.append(artifact.provenance.get("corpus"))
    text = model.provenance.get("corpus")
    if text and text not in by_us and not was_trained_on(model.provenance, reading.digests):
        warnings.warn(
            f"{name} says that it was trained on other text than its baselines; compare it "
            "with what is trained on the same",
            stacklevel=2,
        )
    return found


def _bpe_of_bytes(corpus: Corpus, n_ids: int) -> Artifact:
    """As `wwho train --base none --atoms byte` makes it."""
    form = corpus.reading.normalize
    return train_model([], byte_base(), corpus, atoms="byte", vocab_size=n_ids, normalize=form)


def _of_sentencepiece(corpus: Corpus, n_ids: int, method: str) -> Artifact:
    """BPE or Unigram; all text is kept as it is."""
    from sentencepiece import SentencePieceTrainer

    written = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=_lines(corpus),
            model_writer=written,
            model_type=method,
            vocab_size=n_ids,
            hard_vocab_limit=False,
            byte_fallback=True,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            max_sentence_length=_LONGEST_LINE,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise CorpusError(
            f"SentencePiece cannot train {method} for {n_ids:,} ids: {error}"
        ) from error
    return import_source(Source("sentencepiece.model", written.getvalue())).artifact


def _of_tokenizers(corpus: Corpus, n_ids: int) -> Artifact:
    """Byte BPE with the pattern of o200k_base: the default, GPT-2's, cuts words at vowel signs."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERNS["o200k_base"]), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=n_ids,
        initial_alphabet=alphabet,
        max_token_length=MAX_TOKEN_BYTES,  # else it learns rows of dots that no file can hold
        show_progress=False,
    )
    tokenizer.train_from_iterator(_lines(corpus), trainer)
    return import_source(Source("tokenizer.json", tokenizer.to_str().encode())).artifact


def _lines(corpus: Corpus) -> Iterator[str]:
    """The lines of a corpus."""
    for block in corpus.blocks(lambda size: None):
        yield from characters(block).removesuffix("\n").split("\n")


TRAINERS: Final[dict[str, dict[str, Callable[[Corpus, int], Artifact]]]] = {
    "wwho": {"byte BPE": _bpe_of_bytes},
    "sentencepiece": {
        "SentencePiece BPE": lambda corpus, n_ids: _of_sentencepiece(corpus, n_ids, "bpe"),
        "SentencePiece Unigram": lambda corpus, n_ids: _of_sentencepiece(corpus, n_ids, "unigram"),
    },
    "tokenizers": {"tokenizers BPE": _of_tokenizers},
}
"""By the packages that train them, the names of baselines."""
