"""The lines that language models are trained on, and other lines that they are measured on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.evaluate.text_blocks import DataSet, read_blocks
from wwho.progress import ignore

TRAINING_BYTES = 32_000_000
"""At most so much text is trained on: the first lines."""
HELD_OUT_BYTES = 4_000_000
"""At most so much text is measured on: the first lines."""
ONE_IN = 8
"""Of a text that is both trained and measured on, one line in so many is held out."""


@dataclass(frozen=True)
class TextSplit:
    """Training and held-out lines, without their line feeds; none is in both, none is empty.

    Attributes:
        name: the held-out text's name.
        training: the lines to train on, in the order of the text.
        held_out: the lines to measure on, in the order of the text.
        passed_over: lines of the held-out text that were left out because they are in the training
            text; 0 where one text was split.
    """

    name: str
    training: list[str]
    held_out: list[str]
    passed_over: int


def split_text(text: DataSet, training: Corpus | None = None) -> TextSplit:
    """Read the lines of a text, and set some apart from those that models are trained on.

    Without a training text, a digest of each line decides: one line in ONE_IN is held out, wherever
    it stands and however often. Whatever else the text has, the answer for a line is the same.

    Args:
        text: the text to measure on.
        training: other text to train on; lines of `text` that it has are passed over.

    Raises:
        CorpusError: a file cannot be read, can be read only once, or leaves no line to train on or
            to measure on.
    """
    own, n_training, n_held_out, passed_over = text.corpus(), 0, 0, 0
    for corpus in filter(None, (own, training)):
        if corpus.read_once:
            raise CorpusError(
                f"{corpus.read_once} can be read only once, and language models read it again; "
                "give a file"
            )
    trained, held_out = list[str](), list[str]()
    if training:
        for line in _read_lines(training.with_normalization(text.normalize)):
            n_training += len(line.encode()) + 1
            if n_training > TRAINING_BYTES:
                break
            trained.append(line)
    known = set(trained)
    for line in _read_lines(own):
        size = len(line.encode()) + 1
        if not training and not _is_held_out(line):
            n_training += size
            if n_training <= TRAINING_BYTES:
                trained.append(line)
        elif line in known:
            passed_over += 1
        else:
            n_held_out += size
            if n_held_out <= HELD_OUT_BYTES:
                held_out.append(line)
        if n_held_out > HELD_OUT_BYTES and (training or n_training > TRAINING_BYTES):
            break
    for lines, purpose in ((trained, "train on"), (held_out, "measure on")):
        if not lines:
            raise CorpusError(
                f"{text.file}: no line is left to {purpose}; a language model needs more text"
            )
    return TextSplit(text.name, trained, held_out, passed_over)


def _is_held_out(line: str) -> bool:
    """Return whether a line of a text that is also trained on is held out, by its digest."""
    return hashlib.blake2b(line.encode(), digest_size=1).digest()[0] % ONE_IN == 0


def _read_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus that are not empty; bytes that are not UTF-8 become U+FFFD."""
    for block in read_blocks(corpus, ignore):
        yield from filter(None, (line.removesuffix("\r") for line in block.lines))
