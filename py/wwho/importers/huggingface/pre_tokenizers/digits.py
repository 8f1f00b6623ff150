"""Digits: cuts numbers out of words.

What counts as one is any character of Unicode's category N, such as ½ and Ⅷ.

Options:
    individual_digits: whether each of them is a piece; else those side by side are one.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "Digits", "individual_digits": False}, "ab12½ c")
    ['ab', '12½', ' c']
    >>> pre_tokenize({"type": "Digits", "individual_digits": True}, "ab12½ c")
    ['ab', '1', '2', '½', ' c']
"""

from __future__ import annotations

from wwho.compile.syntax import Chars
from wwho.compile.unicode import category
from wwho.format.steps import Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.pre_tokenizers.split import cut_at


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return the step that cuts around characters of category N, by Unicode 17.0."""
    behavior = "Isolated" if value.flag("individual_digits") else "Contiguous"
    return [cut_at(patterns, "digits", Chars(category("N", "17.0")), behavior)]
