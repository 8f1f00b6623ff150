"""Weights of sources under which parallel texts take about as many tokens as each other.

The vocabulary is shared: ids that one language gets, another one lacks. A source whose language
takes more tokens than the mean for the same content gets a higher weight, and the others a lower
one, round by round.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from wwho.corpus import Corpus
from wwho.corpus.corpus import format_decimal
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer

STRENGTH = 5
"""By which power of its tokens over the mean a weight changes in a round. Twice the weight saves
about an eighth of the tokens, so the full correction would be the sixth power."""

CLOSE = 1.1
"""Rounds end where no text takes more tokens than this times the mean. To go on costs the others
more: 0.8 % of the tokens of 17 languages, from a worst of 1.09 to one of 1.06."""

LEAST, MOST = Fraction(1, 100), Fraction(100)
"""The weights that are tried: a small corpus gives no more tokens, however often it counts."""


@dataclass(frozen=True)
class Round:
    """The measurements of one round: a model is trained under some weights and encodes the texts.

    Attributes:
        weights: the weight of each source with a parallel text, by the source's name.
        tokens: how many tokens that text takes, by the source's name.
    """

    weights: Mapping[str, Fraction]
    tokens: Mapping[str, int]

    @property
    def mean(self) -> float:
        """The mean number of tokens of a text."""
        return sum(self.tokens.values()) / len(self.tokens)

    @property
    def worst(self) -> float:
        """The tokens of the text that takes most, divided by the mean: 1 or more."""
        return max(self.tokens.values()) / self.mean

    def __str__(self) -> str:
        """Return one line: the mean, and for each source tokens over the mean and the weight."""
        ratios = (
            f"{name} {count / self.mean:.3f} (weight {format_decimal(self.weights[name])})"
            for name, count in sorted(self.tokens.items(), key=lambda item: -item[1])
        )
        return f"{self.mean:,.0f} tokens on average; " + ", ".join(ratios)

    def next_weights(self) -> dict[str, Fraction]:
        """Return the weights to try next, with three decimals, from `LEAST` to `MOST`."""
        return {
            name: min(max(Fraction(round(1000 * self._corrected_weight(name)), 1000), LEAST), MOST)
            for name in self.weights
        }

    def _corrected_weight(self, name: str) -> float:
        """Return a source's weight, times its tokens over the mean to the power `STRENGTH`."""
        return float(self.weights[name]) * (self.tokens[name] / self.mean) ** STRENGTH


def with_parity_weights(
    corpus: Corpus,
    parity: Mapping[str, str | os.PathLike[str]],
    rounds: int,
    on_round: Callable[[Round], object],
    train: Callable[[Corpus], Artifact],
) -> Corpus:
    """Return the corpus under the weights that make parallel texts take the most even tokens.

    Every round trains a model under other weights, until no text takes more than `CLOSE` times the
    mean. What is returned has the weights of the round in which the worst text was closest to the
    mean. Each round counts text again; of files of counts, none is read.

    Args:
        corpus: the sources, with the weights of the first round.
        parity: for names of sources the file of a text in their language. The texts must say the
            same: lines of a parallel corpus that is not trained on.
        rounds: how many rounds of training at most; at least 1.
        on_round: a function that is called with the measurements of each round.
        train: a function that returns a model for the corpus under other weights.

    Raises:
        ValueError: there is no such source, a text is empty, or no round is to be made.
        OSError: a text cannot be read.
        WwhoError: as `train` does.
    """
    weights = {source.name: source.weight for source in corpus.sources}
    if strangers := parity.keys() - weights.keys():
        raise ValueError(
            f"parity names {min(strangers)!r}, which is no source; the sources are: "
            f"{', '.join(weights)}"
        )
    if rounds < 1:
        raise ValueError(f"rounds is {rounds}; it must be at least 1")
    texts = {name: Path(file).read_bytes() for name, file in parity.items()}
    if empty := [name for name, text in texts.items() if not text]:
        raise ValueError(f"the text for {empty[0]!r} is empty, so it takes no tokens")
    best: Round | None = None
    tried = {name: weights[name] for name in texts}
    for _ in range(rounds):
        model = Tokenizer(write_artifact(train(with_weights(corpus, tried))))
        measured = Round(tried, {name: model.count(text) for name, text in texts.items()})
        on_round(measured)
        best = measured if best is None or measured.worst < best.worst else best
        if measured.worst <= CLOSE:
            break
        tried = measured.next_weights()
    assert best is not None
    return with_weights(corpus, best.weights)


def with_weights(corpus: Corpus, weights: Mapping[str, Fraction]) -> Corpus:
    """Return the corpus with these weights of sources, by name; other sources keep theirs."""
    corpus = copy(corpus)
    corpus.sources = tuple(
        replace(source, weight=weights.get(source.name, source.weight)) for source in corpus.sources
    )
    return corpus
