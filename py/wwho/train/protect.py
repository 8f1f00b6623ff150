"""Protected tokens: texts that are one token wherever they stand, and are no part of any merge.

They are cut out of the corpus before words are counted, as the encoder cuts them out of a text: the
longest at each place, from left to right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass

from wwho.corpus import Corpus
from wwho.errors import CorpusError, PatternError, SpecialTokenError
from wwho.progress import Advance, Progress


@dataclass(frozen=True)
class Protect:
    """What is protected.

    Attributes:
        texts: in this order, but for those that come again.
        pattern: a regular expression of Python's `re`; every text that it finds in the corpus.
        least: how often such a text must be found.
    """

    texts: Iterable[str] = ()
    pattern: str | None = None
    least: int = 2

    def found(self, corpus: Corpus, bars: Progress) -> Mapping[str, int | None]:
        """The texts, and how often the pattern finds each; None for those that were given.

        Those of the pattern come after the others, the most frequent first.

        Raises:
            TypeError: the texts are one text.
            ValueError: the least count is less than 1.
            SpecialTokenError: one holds a line feed, at which a corpus is cut.
            PatternError: the pattern is not valid.
            CorpusError: it finds nothing so often, or the corpus can be read only once.
        """
        if isinstance(self.texts, str):
            raise TypeError(f"protect is {self.texts!r}; it must be a list of texts")
        if self.least < 1:
            raise ValueError(f"protect_min is {self.least}; it must be 1 or more")
        found: dict[str, int | None] = dict.fromkeys(self.texts)
        if self.pattern is not None:
            with bars.stage("protect", corpus.size(), unit="B") as advance:
                counts = self._counts(corpus, advance)
            found |= {text: count for text, count in counts.items() if text not in found}
        for text in found:
            if "\n" in text:
                raise SpecialTokenError(
                    f"protected token {text!r} holds a line feed, at which the corpus is cut; "
                    "leave it out"
                )
        return found

    def _counts(self, corpus: Corpus, advance: Advance) -> dict[str, int]:
        """What the pattern finds, the most frequent first."""
        assert self.pattern is not None
        try:
            pattern = re.compile(self.pattern)
        except re.error as error:
            raise PatternError(f"{self.pattern!r} is no regular expression: {error}") from error
        if corpus.once:
            raise CorpusError(
                f"a pattern of protected tokens takes a reading of its own, and {corpus.once} can "
                "be read only once: name a file, or give a list or a column of a dataset"
            )
        corpus = copy(corpus)  # what was read of the other is remembered
        corpus.digests = []
        counts: Counter[str] = Counter()
        for block in corpus.blocks(advance):
            for line in block.decode("utf-8", "replace").split("\n"):
                counts.update(match.group() for match in pattern.finditer(line))
        del counts[""]
        often = [(text, count) for text, count in counts.items() if count >= self.least]
        if not often:
            raise CorpusError(
                f"the pattern {self.pattern!r} finds no text {self.least} times in this corpus; "
                "give another one, or a smaller least count"
            )
        return dict(sorted(often, key=lambda item: (-item[1], item[0])))


NOTHING = Protect()


def protected_in(text: str) -> list[str]:
    """The protected tokens of a list, one a line; blank lines and repeats are passed over."""
    lines = (line.rstrip("\r") for line in text.split("\n"))
    return list(dict.fromkeys(line for line in lines if line.strip()))
