"""Punctuation: cuts signs of punctuation out of words.

They are those of Unicode 8.0, and all signs of ASCII, such as $.

Options:
    behavior: what becomes of a sign, as for Split; "Isolated" if it is not given.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "Punctuation", "behavior": "MergedWithPrevious"}, "a, b?! c")
    ['a,', ' b?', '!', ' c']
"""

from __future__ import annotations

from wwho.compile.codepoints import CodePointSet
from wwho.compile.syntax import Chars
from wwho.compile.unicode import category
from wwho.format.steps import Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.pre_tokenizers.split import cut_at, read_behavior

PUNCTUATION = category("P", "8.0") | CodePointSet.of(("!", "/"), (":", "@"), ("[", "`"), ("{", "~"))


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return the step that cuts at each sign."""
    behavior = read_behavior(value, "Isolated")
    return [cut_at(patterns, "punctuation", Chars(PUNCTUATION), behavior)]
