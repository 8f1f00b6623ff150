"""The public tokenizer: text to ids and back, over whichever backend runs here."""

from wwho.tokenizer.tokenizer import Segment, Tokenizer

__all__ = ["Segment", "Tokenizer"]
