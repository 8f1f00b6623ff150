"""Baselines: tokenizers that other methods learn from a model's corpus, for as many ids."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Final, NamedTuple

from wwho.assemble.patterns import PATTERNS
from wwho.backends.backend import Info
from wwho.corpus import Corpus
from wwho.errors import BackendError, CorpusError
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.importers import Source, import_source
from wwho.normalize import FORM, PROVENANCE_KEY
from wwho.text import characters
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.report import was_trained_on

_LONGEST_LINE = 2**20
"""In bytes, that SentencePiece takes; it passes over longer ones."""


class Baseline(NamedTuple):
    """A tokenizer that another method has learnt.

    Attributes:
        name: the method, such as ``SentencePiece BPE``.
        trainer: the package that has learnt it, a key of `TRAINERS`.
        blob: the tokenizer as the bytes of a `.wwho` file.
    """

    name: str
    trainer: str
    blob: bytes


def train_baselines(
    name: str, model: Info, corpus: Corpus, trainers: Sequence[str] = ()
) -> list[Baseline]:
    """Train other methods on the corpus of a model, for as many ids as it has.

    A small text may give fewer ids. Where the model brings text into NFC, so does the reading of
    the corpus. WWHO's own trainer makes a byte BPE, SentencePiece BPE and Unigram with byte
    fallback, Hugging Face's tokenizers a byte BPE. SentencePiece holds the whole text in memory.

    Args:
        name: what warnings call the model.
        model: the facts of the model to compare with: its number of ids, and its provenance.
        corpus: the text that the model was trained on, in files.
        trainers: names in `TRAINERS`; none for all whose packages are installed.

    Returns:
        The baselines of each trainer, in the order given, or that of `TRAINERS`.

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
        ('byte BPE', 261)
    """
    if corpus.read_once:
        raise CorpusError(
            f"{corpus.read_once} can be read only once; give a file to train baselines on"
        )
    if missing := [name for name in trainers if not find_spec(name)]:
        raise BackendError(f"{missing[0]} is not installed: pip install {missing[0]}")
    baselines, corpora_of_ours = [], []
    form = FORM if model.provenance.get(PROVENANCE_KEY) == FORM else None
    for trainer in dict.fromkeys(trainers or filter(find_spec, TRAINERS)):
        for method, train in TRAINERS[trainer].items():
            reading = corpus.with_normalization(form)
            artifact = train(reading, model.n_vocab)
            baselines.append(Baseline(method, trainer, write_artifact(artifact)))
            corpora_of_ours.append(artifact.provenance.get("corpus"))
    own_corpus = model.provenance.get("corpus")
    same_text = own_corpus in corpora_of_ours or was_trained_on(model.provenance, reading.digests)
    if own_corpus and not same_text:
        warnings.warn(
            f"{name} says that it was trained on other text than its baselines; compare it "
            "with what is trained on the same",
            stacklevel=2,
        )
    return baselines


def _train_byte_bpe(corpus: Corpus, n_ids: int) -> Artifact:
    """Train what `wwho train --base none --atoms byte` makes, in the corpus's normal form."""
    form = corpus.reading.normalize
    return train_model(corpus, TrainOptions(atoms="byte", vocab_size=n_ids, normalize=form))


def _train_sentencepiece(corpus: Corpus, n_ids: int, method: str) -> Artifact:
    """Train SentencePiece with byte fallback, and import what it writes.

    Text is kept as it is: no normalization, no dropped spaces. Lines over `_LONGEST_LINE` bytes are
    passed over.

    Args:
        corpus: the text, all of which SentencePiece holds in memory.
        n_ids: how many ids there may be; a small text gives fewer.
        method: ``bpe`` or ``unigram``.

    Raises:
        CorpusError: SentencePiece cannot train on this text for so many ids.
    """
    from sentencepiece import SentencePieceTrainer

    model_file = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=_read_lines(corpus),
            model_writer=model_file,
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
    return import_source(Source("sentencepiece.model", model_file.getvalue())).artifact


def _train_tokenizers(corpus: Corpus, n_ids: int) -> Artifact:
    """Train a byte BPE with Hugging Face's tokenizers, and import what it writes.

    The pattern is that of o200k_base: the library's default, GPT-2's, cuts words at vowel signs.
    """
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
        # Otherwise the trainer learns rows of dots that no file can hold.
        max_token_length=MAX_TOKEN_BYTES,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_read_lines(corpus), trainer)
    return import_source(Source("tokenizer.json", tokenizer.to_str().encode())).artifact


def _read_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus without their line feeds; broken characters become U+FFFD."""
    for block in corpus.blocks(lambda size: None):
        yield from characters(block).removesuffix("\n").split("\n")


TRAINERS: Final[dict[str, dict[str, Callable[[Corpus, int], Artifact]]]] = {
    "wwho": {"byte BPE": _train_byte_bpe},
    "sentencepiece": {
        "SentencePiece BPE": partial(_train_sentencepiece, method="bpe"),
        "SentencePiece Unigram": partial(_train_sentencepiece, method="unigram"),
    },
    "tokenizers": {"tokenizers BPE": _train_tokenizers},
}
"""The functions that train baselines, by package and by the name of the method."""
