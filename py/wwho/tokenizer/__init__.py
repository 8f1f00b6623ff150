"""The public tokenizer: text to ids and back, over whichever backend runs here."""

from wwho.tokenizer.segment_methods import Segment
from wwho.tokenizer.tokenizer import Tokenizer

__all__ = ["Segment", "Tokenizer"]
