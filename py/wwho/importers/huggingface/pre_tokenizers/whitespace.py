r"""Whitespace: pieces are runs of word characters, and runs of other signs between white space.

It is the pattern `\w+|[^\w\s]+`, with what Rust takes for a word character. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "Whitespace"}, "it's  10 $!")
    ['it', "'", 's', '10', '$!']
"""

from __future__ import annotations

from wwho.compile.syntax import Chars, alt, many
from wwho.compile.unicode import white_space, word
from wwho.format.steps import Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.pre_tokenizers.split import cut_at


def steps(_: Value, patterns: Patterns) -> list[Step]:
    """Return the step that keeps the matches of the pattern."""
    other = Chars(~(word() | white_space()))
    pattern = alt(many(Chars(word()), 1), many(other, 1))
    return [cut_at(patterns, "whitespace", pattern, "Removed", invert=True)]
