r"""WhitespaceSplit: pieces between white space. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "WhitespaceSplit"}, " it's \t $10")
    ["it's", '$10']
"""

from __future__ import annotations

from wwho.compile.syntax import Chars
from wwho.compile.unicode import white_space
from wwho.format.steps import Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.pre_tokenizers.split import cut_at


def steps(_: Value, patterns: Patterns) -> list[Step]:
    """Return the step that leaves white space out."""
    return [cut_at(patterns, "whitespace split", Chars(white_space()), "Removed")]
