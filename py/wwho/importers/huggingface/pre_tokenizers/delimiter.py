"""CharDelimiterSplit: pieces between a character, which is left out.

Options:
    delimiter: the character.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "CharDelimiterSplit", "delimiter": "-"}, "a--b c-")
    ['a', 'b c']
"""

from __future__ import annotations

from wwho.format.steps import Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns, one_of
from wwho.importers.huggingface.pre_tokenizers.split import cut_at
from wwho.importers.source import shown


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return the step that cuts at the character.

    Raises:
        SourceError: the option is not one character.
    """
    delimiter = value.text("delimiter")
    if len(delimiter) != 1:
        value.at("delimiter").fail(f"found {shown(delimiter)}, expected one character")
    return [cut_at(patterns, "delimiter", one_of(delimiter), "Removed")]
