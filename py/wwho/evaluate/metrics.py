"""The metrics: each is a row that says its name, its title, how it is printed and computed.

Where there is nothing to divide by, a metric is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from wwho.evaluate.encoders import Encoder
from wwho.evaluate.measure import TextTally, TokenTally
from wwho.evaluate.text import Ints

Number = int | float | None
Show = Callable[[Number], str]
NONE = "–"
RENYI_ALPHA = 2.5


def ratio(numerator: float, denominator: float) -> float | None:
    """One over the other.

    Example:
        >>> ratio(3, 2), ratio(3, 0)
        (1.5, None)
    """
    return numerator / denominator if denominator else None


def saving(tokens: int, baseline: int) -> float | None:
    """The share of the baseline's tokens that are saved ("% reduction", table 6 of the paper).

    Example:
        >>> round(saving(6_654_288, 17_360_196), 3)  # the paper's Sinhala
        0.617
    """
    share = ratio(tokens, baseline)
    return None if share is None else 1 - share


def id_bytes(n_vocab: int) -> int:
    """How many whole bytes hold any id.

    Example:
        >>> id_bytes(65_536), id_bytes(65_537)
        (2, 3)
    """
    return max(1, math.ceil(max(n_vocab - 1, 1).bit_length() / 8))


def renyi_efficiency(counts: Ints, alpha: float = RENYI_ALPHA) -> float | None:
    """Rényi entropy of the tokens' frequencies over its maximum, the logarithm of their number.

    As in Zouhar et al., "Tokenization and the Noiseless Channel", ACL 2023, and their package
    tokenization-scorer: of the tokens that occur, with alpha 2.5, which went best with the quality
    of translations there.

    Args:
        counts: how often each token occurs; those that never do count for nothing.
        alpha: the order, not 1.

    Returns:
        A number up to 1; None where fewer than two tokens occur.

    Example:
        >>> import numpy as np
        >>> renyi_efficiency(np.array([2, 2, 2, 0]))
        1.0
        >>> round(renyi_efficiency(np.array([3, 1]), alpha=2), 6)  # log(16 / 10) / log(2)
        0.678072
    """
    seen = counts[counts > 0]
    if len(seen) < 2:
        return None
    shares = seen / seen.sum()
    entropy = math.log(float((shares**alpha).sum())) / (1 - alpha)
    return entropy / math.log(len(seen))


def whole(value: Number) -> str:
    """A whole number.

    Example:
        >>> whole(1234567), whole(None)
        ('1,234,567', '–')
    """
    return NONE if value is None else f"{value:,}"


def decimals(places: int, unit: str = "") -> Show:
    """How to print a number with so many decimal places.

    Example:
        >>> decimals(3)(1.27342), times(2.6088)
        ('1.273', '2.61×')
    """
    return lambda value: NONE if value is None else f"{value:,.{places}f}{unit}"


times = decimals(2, "×")


def percent(value: Number) -> str:
    """A share; one that is not nothing, or not all, never looks like it.

    Example:
        >>> percent(0.617), percent(-0.00181), percent(0.00001), percent(0.9999), percent(0)
        ('61.7 %', '−0.18 %', '<0.01 %', '>99.9 %', '0 %')
    """
    if value is None:
        return NONE
    if 0 < value < 0.00005:
        return "<0.01 %"
    if 0.9995 <= value < 1:
        return ">99.9 %"
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    return f"{100 * value:.{1 if abs(value) >= 0.01 else 2}f} %".replace("-", "−")


class Metric(NamedTuple):
    """A metric: a row of a table of metrics, and the head of a column of numbers.

    Attributes:
        title: its title, with its unit.
        show: how a number is printed.
        of: its formula; what it takes depends on the table.
        better: "less" or "more" is better; "" where neither is.
    """

    title: str
    show: Show
    of: Callable[[Any], Number]
    better: str = ""


class Counted(NamedTuple):
    """What the formulas of `Efficiency` and `Figures` take.

    Attributes:
        tokens: tokens of a tokenizer on a text, or within a script.
        model: the model's tokens of the same; None where it is the model.
        words: words of the same.
        spaceless: code points of the same that are of scripts without spaces between words.
        characters: code points of the same.
        text: all that the text holds; None within a script, as what follows.
        tally: all that the tokenizer made of it.
        in_scripts: the tokens within scripts.
        encoder: the tokenizer.
    """

    tokens: int
    model: int | None
    words: int
    spaceless: int
    characters: int
    text: TextTally | None = None
    tally: TokenTally | None = None
    in_scripts: int = 0
    encoder: Encoder | None = None


def _row(title: str, show: Show, of: Callable[[Any], Number], better: str = "") -> Any:
    return field(metadata={"metric": Metric(title, show, of, better)})


@dataclass(frozen=True)
class Efficiency:
    """How well one tokenizer does on one text, or within a script (tables 6 and 8 of the paper).

    Words are what white space separates, within a script also segments; tokens per word are None
    where more than a tenth of the characters are of scripts that put no spaces between words.
    Characters are code points. Saved is the share of these tokens that the model saves, context how
    much more text the model fits into the same context; both are None for its own.
    """

    tokens: int = _row("tokens", whole, lambda of: of.tokens)
    tokens_per_word: float | None = _row(
        "tokens per word",
        decimals(3),
        lambda of: None if of.spaceless * 10 > of.characters else ratio(of.tokens, of.words),
        "less",
    )
    characters_per_token: float | None = _row(
        "characters per token", decimals(2), lambda of: ratio(of.characters, of.tokens)
    )
    saved: float | None = _row(
        "saved", percent, lambda of: None if of.model is None else saving(of.model, of.tokens)
    )
    context: float | None = _row(
        "context", times, lambda of: None if of.model is None else ratio(of.tokens, of.model)
    )

    @property
    def tokens_per_character(self) -> float | None:
        """Over code points: for texts that have no tokens per word."""
        return None if self.characters_per_token is None else ratio(1, self.characters_per_token)


@dataclass(frozen=True)
class Figures:
    """All figures of one tokenizer on one text.

    The compression ratio is bytes of the text over bytes of the encoded file (OSPE, equation 1),
    here with each id in `id_bytes` bytes. The efficiency score (OSPE) is the share of tokens within
    scripts that are whole, in percent (see `Grammar.are_whole`; [UNK] is not); None where the text
    has none. Damaged lines are not given back by decoding; those without an [UNK] have no excuse.
    [UNK] stands for what the vocabulary cannot write; its number is None where there is no such
    token. A syllable or extended grapheme cluster is broken where tokens end inside. Syllables
    outside the vocabulary that tokens of the base spell are not among the broken ones; they and
    those tokens are None for what is no model with SGPE.
    """

    efficiency: Efficiency
    bytes_per_token: float | None = _row(
        "bytes per token", decimals(2), lambda of: ratio(of.text.bytes, of.tokens)
    )
    compression_ratio: float | None = _row(
        "compression ratio",
        decimals(2),
        lambda of: ratio(of.text.bytes, of.tokens * id_bytes(of.encoder.n_vocab)),
    )
    efficiency_score: float | None = _row(
        "efficiency score",
        decimals(2),
        lambda of: 100 * (1 - of.tally.fragments / of.in_scripts) if of.in_scripts else None,
    )
    renyi_efficiency: float | None = _row(
        "Rényi efficiency", decimals(3), lambda of: renyi_efficiency(of.tally.counts)
    )
    damaged_lines: int = _row("damaged", whole, lambda of: of.tally.damaged_lines)
    damaged_by_unk: int = _row("damaged with [UNK]", whole, lambda of: of.tally.damaged_by_unk)
    unk_tokens: int | None = _row(
        "[UNK] tokens",
        whole,
        lambda of: None if of.encoder.unk_id is None else of.tally.unk_tokens,
    )
    broken_syllables: int = _row("syllables broken", whole, lambda of: of.tally.broken_syllables)
    syllable_cuts: int = _row(
        "token ends inside a syllable", whole, lambda of: of.tally.syllable_cuts
    )
    spelled_syllables: int | None = _row(
        "syllables spelled out",
        whole,
        lambda of: of.tally.spelled_syllables if of.encoder.n_base else None,
    )
    spelled_tokens: int | None = _row(
        "tokens spelled out",
        whole,
        lambda of: of.tally.spelled_tokens if of.encoder.n_base else None,
    )
    broken_clusters: int = _row("clusters broken", whole, lambda of: of.tally.broken_clusters)
    cluster_cuts: int = _row("token ends inside a cluster", whole, lambda of: of.tally.cluster_cuts)


Computed = TypeVar("Computed", Efficiency, Figures)


def computed(kind: type[Computed], counted: Counted, **given: Any) -> Computed:
    """The metrics of a kind.

    Example:
        >>> computed(Efficiency, Counted(6, model=3, words=4, spaceless=0, characters=12)).saved
        0.5
    """
    rows = {each.name: each.metadata["metric"] for each in fields(kind) if each.metadata}
    return kind(**given, **{name: metric.of(counted) for name, metric in rows.items()})


def _columns(kind: type[Efficiency] | type[Figures], place: str) -> dict[str, Metric]:
    """The metrics of a kind, by name, read from where they stand in a row of the report."""
    return {
        each.name: each.metadata["metric"]._replace(of=attrgetter(f"{place}.{each.name}"))
        for each in fields(kind)
        if each.metadata
    }


EFFICIENCY, FIGURES = _columns(Efficiency, "efficiency"), _columns(Figures, "figures")
PER_WORD = EFFICIENCY["tokens_per_word"]
PER_CHARACTER = PER_WORD._replace(
    title="tokens per character", of=attrgetter("efficiency.tokens_per_character")
)
"""In place of it, where texts have no words."""
