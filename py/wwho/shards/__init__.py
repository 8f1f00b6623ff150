"""Shards: the documents of a corpus as ids, in files that training reads."""

from wwho.shards.formats import FORMATS
from wwho.shards.tokenize_corpus import tokenize

__all__ = ["FORMATS", "tokenize"]
