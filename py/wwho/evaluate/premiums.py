"""Token premiums: how many more tokens a translation takes than the text it translates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wwho.errors import CorpusError
from wwho.evaluate.encoders import Encoder, warn_if_trained_on
from wwho.evaluate.metrics import gini, ratio
from wwho.evaluate.text_blocks import Block, DataSet, read_blocks
from wwho.progress import Advance

Half = Literal["odd", "even"]
"""Every other line of a text: the odd ones, counted from 1, or the even ones."""
WORST = 5
"""How many languages of the highest premiums are named."""


@dataclass(frozen=True)
class Language:
    """The tokens of one of the parallel texts, by tokenizer.

    Attributes:
        name: the text's name.
        tokens: how many tokens each tokenizer makes of it.
        premium: for each tokenizer these tokens over the reference's; None where that has none.
    """

    name: str
    tokens: dict[str, int]
    premium: dict[str, float | None]


@dataclass(frozen=True)
class Fairness:
    """How evenly a tokenizer treats the languages.

    Attributes:
        encoder: the name of the tokenizer.
        gini: the Gini coefficient of its tokens over all languages; 0 is the same for all.
        mean: the mean premium of all languages but the reference.
        worst: the languages of the highest premiums, at most `WORST`, the highest first.
    """

    encoder: str
    gini: float | None
    mean: float | None
    worst: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Parallel:
    """The token premiums and the fairness of tokenizers on texts that say the same, line by line.

    Attributes:
        reference: the name of the first text, which the others are compared with.
        half: the lines that were measured, counted from 1; None for all.
        lines: how many those were, in each text.
        languages: the texts, the reference first.
        fairness: the tokenizers, in their order.
    """

    reference: str
    half: Half | None
    lines: int
    languages: tuple[Language, ...]
    fairness: tuple[Fairness, ...]


def measure_parallel(
    texts: Sequence[DataSet],
    encoders: Sequence[Encoder],
    advance: Advance,
    half: Half | None = None,
) -> Parallel | None:
    """Measure the token premium of each language, and how fair each tokenizer is.

    The premium is that of Petrov et al., "Language Model Tokenizers Introduce Unfairness Between
    Languages", NeurIPS 2023: the tokens of a translation over those of the original. The Gini
    coefficient is that of Foroutan et al., "Parity-Aware Byte-Pair Encoding", 2025.

    Args:
        texts: the texts, the reference first.
        encoders: the tokenizers.
        advance: called with the number of stored bytes read since the last call.
        half: measure only these lines, such as the ones that no vocabulary was tuned on.

    Returns:
        The figures; None where there are no texts.

    Raises:
        CorpusError: a file cannot be read, there is only one text, the texts differ in their
            numbers of lines, or there is no line to measure.

    Warns:
        UserWarning: a tokenizer was trained on one of the texts.
    """
    if not texts:
        return None
    if len(texts) == 1:
        raise CorpusError(f"{texts[0].name} is the only parallel text; give another to compare")
    counted = [_count_tokens(text, encoders, advance, half) for text in texts]
    lines, reference = counted[0]
    sizes = {text.name: number for text, (number, _) in zip(texts, counted, strict=True)}
    others = [f"{name} has {number:,}" for name, number in sizes.items() if number != lines]
    if others:
        raise CorpusError(
            f"parallel texts must have the same number of lines: {texts[0].name} has "
            f"{lines:,}, but {', '.join(others)}"
        )
    measured = {None: lines, "odd": (lines + 1) // 2, "even": lines // 2}[half]
    if not measured:
        raise CorpusError(f"{texts[0].file}: there is no text in it to measure")
    languages = tuple(
        Language(text.name, tokens, {name: ratio(tokens[name], reference[name]) for name in tokens})
        for text, (_, tokens) in zip(texts, counted, strict=True)
    )
    fairness = tuple(_rate_fairness(encoder.name, languages) for encoder in encoders)
    return Parallel(texts[0].name, half, measured, languages, fairness)


def _rate_fairness(name: str, languages: Sequence[Language]) -> Fairness:
    """Return how evenly the tokenizer of this name treats the languages, the reference first."""
    premiums = {
        each.name: premium for each in languages[1:] if (premium := each.premium[name]) is not None
    }
    worst = sorted(premiums.items(), key=lambda item: -item[1])[:WORST]
    mean = ratio(sum(premiums.values()), len(premiums))
    return Fairness(name, gini([each.tokens[name] for each in languages]), mean, tuple(worst))


def _count_tokens(
    text: DataSet, encoders: Sequence[Encoder], advance: Advance, half: Half | None
) -> tuple[int, dict[str, int]]:
    """Return how many lines a text has, and each tokenizer's tokens of its lines or half of them.

    Each line is encoded alone, without its line feed and without one carriage return before that.

    Args:
        text: the text.
        encoders: the tokenizers, each with a name of its own.
        advance: is told how many stored bytes have been read.
        half: "odd" for the first line, the third and so on, "even" for all others, None for both.

    Returns:
        The number of all lines, whatever `half` is; the number of tokens by tokenizer.

    Raises:
        CorpusError: the file cannot be read.

    Warns:
        UserWarning: a tokenizer was trained on the text.
    """
    n_lines, tokens = 0, dict.fromkeys((encoder.name for encoder in encoders), 0)
    corpus = text.corpus()
    for block in read_blocks(corpus, advance):
        # Where the half's lines begin in this block: odd and even count from the text's start.
        first = (n_lines + (half == "even")) % 2
        n_lines += len(block.lines)
        lines = block.lines[first::2] if half else block.lines
        # Line ends of Windows in one of the files would be tokens of its language alone.
        chosen = Block([line.removesuffix("\r") for line in lines])
        for encoder in encoders:
            tokens[encoder.name] += len(encoder.encode(chosen).ids)
    warn_if_trained_on(text, corpus.digests, encoders)
    return n_lines, tokens
