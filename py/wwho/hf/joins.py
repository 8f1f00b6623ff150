"""How classes that transformers runs in Python over SentencePiece join decoded text.

Some of them decode each stretch of text between two special tokens alone: it loses the space at its
beginning. A `.wwho` file decodes a list of ids as one text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Joins:
    """How a class joins decoded text.

    Attributes:
        stretches: whether each stretch between two special tokens is decoded alone.
        before: what stands before a stretch with a special token behind it.
        behind: what stands behind each special token.
        strips: whether the text loses white space at both ends.
        may_be_upper: whether `do_upper_case` makes the text between special tokens upper case.
    """

    stretches: bool = True
    before: str = ""
    behind: str = ""
    strips: bool = True
    may_be_upper: bool = False

    def joined(self, texts: Iterable[tuple[str, bool]]) -> str:
        """Return one text of those of special tokens and of the stretches between them.

        Args:
            texts: each text, and whether it is that of a special token.

        Example:
            >>> Joins(before=" ", strips=False).joined([("a b", False), ("<s>", True)])
            ' a b<s>'
        """
        found, stretch, is_behind = "", "", False
        for text, is_special in texts:
            if is_special:
                found += ("" if is_behind else self.before) + stretch + text + self.behind
                stretch = ""
            else:
                stretch = text
            is_behind = is_special
        return found + stretch


JOINS: Mapping[str, Joins] = {
    "BartphoTokenizer": Joins(stretches=False),
    "BertGenerationTokenizer": Joins(stretches=False),
    "BertJapaneseTokenizer": Joins(stretches=False),
    "BertTokenizerLegacy": Joins(stretches=False),
    "BertweetTokenizer": Joins(stretches=False),
    "BlenderbotSmallTokenizer": Joins(stretches=False),
    "CTRLTokenizer": Joins(stretches=False),
    "GPTSw3Tokenizer": Joins(before=" ", strips=False),
    "M2M100Tokenizer": Joins(),
    "Speech2TextTokenizer": Joins(behind=" ", may_be_upper=True),
    "MarianTokenizer": Joins(behind=" "),
    "PLBartTokenizer": Joins(stretches=False),
    "PhobertTokenizer": Joins(stretches=False),
    "ProphetNetTokenizer": Joins(stretches=False),
    "RoCBertTokenizer": Joins(stretches=False),
    "SiglipTokenizer": Joins(before=" "),
    "SpeechT5Tokenizer": Joins(stretches=False),
}
"""The classes by name, and how each joins decoded text."""
