"""Token premium: how many tokens the same text takes in one language and in another.

As in Petrov et al., "Language Model Tokenizers Introduce Unfairness Between Languages", NeurIPS
2023: the tokens of a translation over those of the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wwho.errors import CorpusError
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.encoder_wwho import trained_on
from wwho.evaluate.metrics import ratio
from wwho.evaluate.text import DataSet, blocks
from wwho.progress import Advance


@dataclass(frozen=True)
class Language:
    """One of the parallel texts.

    Attributes:
        name: what the report calls it.
        tokens: for each tokenizer, the tokens of the text.
        premium: for each tokenizer, those over its tokens of the first text.
    """

    name: str
    tokens: dict[str, int]
    premium: dict[str, float | None]


@dataclass(frozen=True)
class Parallel:
    """Texts that say the same, line by line.

    Attributes:
        reference: the name of the first, to which the others are compared.
        lines: lines of each.
        languages: the texts, the first included.
    """

    reference: str
    lines: int
    languages: tuple[Language, ...]


def parallel(
    texts: Sequence[DataSet], encoders: Sequence[Encoder], advance: Advance
) -> Parallel | None:
    """Count the tokens of parallel texts.

    Args:
        texts: the texts; the first is the reference.
        encoders: the tokenizers.
        advance: is told how many stored bytes have been read.

    Returns:
        What was counted; None for no texts.

    Warns:
        UserWarning: for each text that a tokenizer was trained on.

    Raises:
        CorpusError: a file cannot be read, there is only one text, or they differ in their numbers
            of lines.
    """
    if not texts:
        return None
    if len(texts) == 1:
        raise CorpusError(f"{texts[0].name} is the only parallel text; give another to compare")
    counted = [_count(text, encoders, advance) for text in texts]
    _check_alignment(texts, [lines for lines, _ in counted])
    lines, reference = counted[0]
    languages = tuple(
        Language(text.name, tokens, {name: ratio(tokens[name], reference[name]) for name in tokens})
        for text, (_, tokens) in zip(texts, counted, strict=True)
    )
    return Parallel(texts[0].name, lines, languages)


def _count(
    text: DataSet, encoders: Sequence[Encoder], advance: Advance
) -> tuple[int, dict[str, int]]:
    """The lines of a text, and its tokens by each tokenizer."""
    lines, tokens = 0, dict.fromkeys((encoder.name for encoder in encoders), 0)
    corpus = text.corpus()
    for block in blocks(corpus, advance):
        lines += len(block.lines)
        for encoder in encoders:
            tokens[encoder.name] += len(encoder.encode(block).ids)
    trained_on(text, corpus.digests, encoders)
    return lines, tokens


def _check_alignment(texts: Sequence[DataSet], lines: Sequence[int]) -> None:
    """Refuse texts that cannot say the same, line by line.

    Raises:
        CorpusError: names every text whose number of lines differs from the first one's.
    """
    others = [
        f"{text.name} has {number:,}"
        for text, number in zip(texts, lines, strict=True)
        if number != lines[0]
    ]
    if others:
        raise CorpusError(
            f"parallel texts must have the same number of lines: {texts[0].name} has "
            f"{lines[0]:,}, but {', '.join(others)}"
        )
    if not lines[0]:
        raise CorpusError(f"{texts[0].file}: there is no text in it to measure")
