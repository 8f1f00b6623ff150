"""FixedLength: pieces of so many characters; the last one may be shorter.

Options:
    length: how many characters, 1 to 1000; 5 if it is not given.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "FixedLength", "length": 3}, "a bcdef")
    ['a b', 'cde', 'f']
"""

from __future__ import annotations

from wwho.compile.syntax import Repeat
from wwho.format.steps import Action, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import ANY, Patterns
from wwho.importers.source import shown

MOST = 1000


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return the step that cuts after each so many characters.

    Raises:
        SourceError: the length is out of range.
    """
    length = value.number("length", 5)
    if not 1 <= length <= MOST:
        value.at("length").fail(f"found {shown(length)}, expected 1 to {MOST}")
    return [patterns.cut("fixed length", (Repeat(ANY, 1, length), Action.KEEP))]
