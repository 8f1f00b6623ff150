"""A corpus: text to train or measure on, in files of any form, at URLs, or given by a program."""

from wwho.corpus.corpus import Corpus

__all__ = ["Corpus"]
