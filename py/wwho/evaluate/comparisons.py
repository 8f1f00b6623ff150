"""What is compared token by token: ASCII with a model's base, languages, examples."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import ne
from typing import Literal

from wwho.encodings import list_encoding_names, model_bytes
from wwho.errors import CorpusError
from wwho.evaluate.encoders import Encoder, trained_on
from wwho.evaluate.grammar import text_of
from wwho.evaluate.metrics import gini, ratio
from wwho.evaluate.text import Block, DataSet, blocks
from wwho.progress import Advance

# Whether a model gives pure ASCII exactly the ids of its base: the paper's stress test.

SENTENCES = 10_000
_SEED = 328
_WORDS = """
    the of and to in a is that for it was on are as with his they at be this from have or by one
    Colombo Delhi tokenizer syllable vowel rain-fed e-mail co-operate don't we'll I'd they've it's
    HTTP utf8 x86_64 snake_case camelCase __init__ foo.bar() [0] {} => != && #tag @name 3.14 10:45
    1,234,567 $9.99 50% 2024-02-29 0xFF a.b@example.org https://example.org/a?b=c&d=e "quoted"
    (aside) antidisestablishmentarianism zzzz AAAA qwrtp ... -- !? ; : / \\ | ~ ^ <|endoftext|>
    """.split()  # noqa: SIM905 - a list would fill the page
_GAPS = (" ", " ", " ", " ", " ", " ", "  ", "\t", "   ", "")


@dataclass(frozen=True)
class Identity:
    """A model's ids of ASCII beside its base's.

    Attributes:
        sentences: how many were compared.
        from_data: how many of them are lines of the texts; the others were made up.
        different: how many have other ids than with the base.
    """

    encoder: str
    base: str
    sentences: int
    from_data: int
    different: int


def keep_ascii(found: Iterator[Block], lines: list[str]) -> Iterator[Block]:
    """The same blocks; the first `SENTENCES` of their ASCII lines, blank ones aside, are kept."""
    for block in found:
        ascii_lines = (line for line in block.lines if line.isascii() and line.strip())
        lines += islice(ascii_lines, SENTENCES - len(lines))
        yield block


def identities(encoders: Sequence[Encoder], lines: Sequence[str]) -> tuple[Identity, ...]:
    """Encode ASCII lines of the texts with each model and with its base.

    A model's provenance names its base, which is one that ships, or one of these encoders; models
    without either are left out. Sentences are made up where there are too few lines.
    """
    block = Block([*lines, *made_up(SENTENCES - len(lines))])
    shipped = {model.base for model in encoders}.intersection(list_encoding_names())
    known = {encoder.name: encoder for encoder in encoders}
    known |= {name: Encoder(name, model_bytes(name)) for name in shipped}
    of_base = cache(lambda name: known[name].encode(block).lines())
    found = []
    for model in (each for each in encoders if each.base in known):
        different = sum(map(ne, model.encode(block).lines(), of_base(model.base)))
        found.append(Identity(model.name, model.base, len(block.lines), len(lines), different))
    return tuple(found)


def made_up(number: int) -> list[str]:
    """ASCII sentences, always the same: words, code, numbers, punctuation, spaces of all kinds.

    Example:
        >>> made_up(2) == made_up(3)[:2], all(line.isascii() for line in made_up(100))
        (True, True)
    """
    chance = random.Random(_SEED)

    def choose(items: Sequence[str]) -> str:
        # `random()` is the one method whose numbers no version of Python will change.
        return items[int(chance.random() * len(items))]

    return [
        "".join(choose(_WORDS) + choose(_GAPS) for _ in range(3 + int(chance.random() * 20)))
        for _ in range(number)
    ]


Half = Literal["odd", "even"]
WORST = 5


@dataclass(frozen=True)
class Language:
    """One of the parallel texts: for each tokenizer its tokens, and those over the first text's."""

    name: str
    tokens: dict[str, int]
    premium: dict[str, float | None]


@dataclass(frozen=True)
class Fairness:
    """How evenly a tokenizer treats the languages.

    Attributes:
        gini: the Gini coefficient of its tokens over all languages; 0 is the same for all.
        mean: of the premiums of all languages but the reference.
        worst: the languages of the highest premiums, at most `WORST`, the highest first.
    """

    encoder: str
    gini: float | None
    mean: float | None
    worst: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Parallel:
    """Texts that say the same, line by line; the others are compared with the first of them.

    Attributes:
        half: the lines that were measured, counted from 1; None for all.
        lines: how many those were.
    """

    reference: str
    half: Half | None
    lines: int
    languages: tuple[Language, ...]
    fairness: tuple[Fairness, ...]


def parallel(
    texts: Sequence[DataSet],
    encoders: Sequence[Encoder],
    advance: Advance,
    half: Half | None = None,
) -> Parallel | None:
    """The token premium of each language, and how fair the tokenizers are.

    As in Petrov et al., "Language Model Tokenizers Introduce Unfairness Between Languages", NeurIPS
    2023: the tokens of a translation over those of the original. The Gini coefficient is that of
    Foroutan et al., "Parity-Aware Byte-Pair Encoding", 2025.

    Args:
        texts: the texts, the reference first; none for None.
        encoders: the tokenizers.
        advance: is told how many stored bytes have been read.
        half: measure only these lines, such as the ones that no vocabulary was tuned on.

    Raises:
        CorpusError: a file cannot be read, there is one text, or they differ in numbers of lines.
    """
    if not texts:
        return None
    if len(texts) == 1:
        raise CorpusError(f"{texts[0].name} is the only parallel text; give another to compare")
    counted = [_count(text, encoders, advance, half) for text in texts]
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
    fairness = tuple(_fairness(encoder.name, languages) for encoder in encoders)
    return Parallel(texts[0].name, half, measured, languages, fairness)


def _fairness(name: str, languages: Sequence[Language]) -> Fairness:
    """How evenly a tokenizer treats the languages, of which the reference is the first."""
    found = {each.name: each.premium[name] for each in languages[1:]}
    premiums = {language: premium for language, premium in found.items() if premium is not None}
    worst = sorted(premiums.items(), key=lambda each: -each[1])[:WORST]
    mean = ratio(sum(premiums.values()), len(premiums))
    return Fairness(name, gini([each.tokens[name] for each in languages]), mean, tuple(worst))


def _count(
    text: DataSet, encoders: Sequence[Encoder], advance: Advance, half: Half | None
) -> tuple[int, dict[str, int]]:
    """The lines of a text, and the tokens of those of a half by each tokenizer."""
    lines, tokens = 0, dict.fromkeys((encoder.name for encoder in encoders), 0)
    corpus = text.corpus()
    for block in blocks(corpus, advance):
        first = (lines + (half == "even")) % 2
        lines += len(block.lines)
        chosen = block.lines[first::2] if half else block.lines
        # Line ends of Windows in one of the files would be tokens of its language alone.
        block = Block([line.removesuffix("\r") for line in chosen])
        for encoder in encoders:
            tokens[encoder.name] += len(encoder.encode(block).ids)
    trained_on(text, corpus.digests, encoders)
    return lines, tokens


EXAMPLES = (
    "පුස්තකාලයෙන් පොතක් ගත්තා",
    "ශ්‍රී ලංකාවේ ගුවන්තොටුපළ",
    "स्वतंत्रता का उत्सव",
    "उसकी दृष्टि में आश्चर्य था।",
    "ක්‍රිකට් match එක देखने चलो 🏏",
)
"""Shown where the user names none: conjuncts, touching scripts, an emoji."""


@dataclass(frozen=True)
class Token:
    """A token of an example, its bytes in hex; `text` is None for part of a character."""

    id: int
    text: str | None
    hex: str


@dataclass(frozen=True)
class Example:
    """A text, and the tokens that each tokenizer makes of it."""

    text: str
    tokens: dict[str, tuple[Token, ...]]


def examples(texts: Sequence[str], encoders: Sequence[Encoder]) -> tuple[Example, ...]:
    """Tokenize texts."""

    def tokens(text: str, encoder: Encoder) -> tuple[Token, ...]:
        ids = encoder.encode(Block([text])).ids.tolist()
        found = zip(ids, (data or b"" for data in encoder.tokens_bytes(ids)), strict=True)
        return tuple(Token(token, text_of(data), data.hex(" ")) for token, data in found)

    return tuple(
        Example(text, {encoder.name: tokens(text, encoder) for encoder in encoders})
        for text in texts
    )
