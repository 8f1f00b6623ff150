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
    """The choice of texts to protect: some that are named, and all that a pattern finds.

    Attributes:
        texts: the texts that are named, in the order of their ids; repeats count once.
        pattern: a regular expression of Python's `re`, which is searched in each line of the
            corpus; None: no pattern.
        min_count: how often the pattern must find a text.
    """

    texts: Iterable[str] = ()
    pattern: str | None = None
    min_count: int = 2

    def find_texts(self, corpus: Corpus, bars: Progress) -> Mapping[str, int | None]:
        """Return the texts to protect, and how often the pattern finds each in the corpus.

        Texts that are named come first and have None for a count; those of the pattern follow, the
        most frequent first, among equals in the order of their code points. The corpus is read only
        if there is a pattern.

        Args:
            corpus: the texts to search.
            bars: where to show the progress of the search.

        Raises:
            TypeError: `texts` is a single text.
            ValueError: `min_count` is less than 1.
            SpecialTokenError: a text holds a line feed, at which a corpus is cut.
            PatternError: the pattern is not valid.
            CorpusError: it finds no text so often, or the corpus can be read only once.
        """
        if isinstance(self.texts, str):
            raise TypeError(f"protect is {self.texts!r}; it must be a list of texts")
        if self.min_count < 1:
            raise ValueError(f"protect_min is {self.min_count}; it must be 1 or more")
        protected: dict[str, int | None] = dict.fromkeys(self.texts)
        if self.pattern is not None:
            with bars.bar("protect", corpus.size(), unit="B") as advance:
                counts = self._count_matches(corpus, advance)
            protected |= {text: n for text, n in counts.items() if text not in protected}
        for text in protected:
            if "\n" in text:
                raise SpecialTokenError(
                    f"protected token {text!r} holds a line feed, at which the corpus is cut; "
                    "leave it out"
                )
        return protected

    def _count_matches(self, corpus: Corpus, advance: Advance) -> dict[str, int]:
        """Return the texts that the pattern finds `min_count` times, the most frequent first.

        Empty matches are passed over. `corpus.digests` stays as it is.

        Raises:
            PatternError: the pattern is not valid.
            CorpusError: there is no such text, or the corpus can be read only once.
        """
        assert self.pattern is not None
        try:
            pattern = re.compile(self.pattern)
        except re.error as error:
            raise PatternError(f"{self.pattern!r} is no regular expression: {error}") from error
        if corpus.read_once:
            raise CorpusError(
                f"a pattern of protected tokens takes a reading of its own, and {corpus.read_once} "
                "can be read only once: name a file, or give a list or a column of a dataset"
            )
        # A reading appends to the digests, which the provenance is made of.
        corpus = copy(corpus)
        corpus.digests = []
        counts: Counter[str] = Counter()
        for block in corpus.blocks(advance):
            for line in block.decode("utf-8", "replace").split("\n"):
                counts.update(match.group() for match in pattern.finditer(line))
        del counts[""]
        frequent = [(text, count) for text, count in counts.items() if count >= self.min_count]
        if not frequent:
            raise CorpusError(
                f"the pattern {self.pattern!r} finds no text {self.min_count} times in this "
                "corpus; give another one, or a smaller least count"
            )
        return dict(sorted(frequent, key=lambda item: (-item[1], item[0])))


def parse_protected_texts(text: str) -> list[str]:
    """Return the texts to protect from the contents of a file that lists them, one a line.

    Blank lines and repeats are passed over; spaces at the ends of a line belong to its text.
    """
    lines = (line.rstrip("\r") for line in text.split("\n"))
    return list(dict.fromkeys(line for line in lines if line.strip()))
