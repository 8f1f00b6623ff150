"""Reading text, wherever it lies."""

from wwho.corpus.corpus import Corpus

__all__ = ["Corpus"]
