"""BertPreTokenizer: pieces between white space, in which each sign of punctuation stands alone.

There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "BertPreTokenizer"}, "it's  10 $!")
    ['it', "'", 's', '10', '$', '!']
"""

from __future__ import annotations

from wwho.compile.syntax import Chars
from wwho.compile.unicode import white_space
from wwho.format.steps import Action, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import ANY, Patterns
from wwho.importers.huggingface.pre_tokenizers.punctuation import PUNCTUATION


def steps(_: Value, patterns: Patterns) -> list[Step]:
    """Return the step that drops white space and cuts punctuation out."""
    spaces = Chars(white_space()), Action.DROP
    signs = Chars(PUNCTUATION), Action.KEEP
    return [patterns.cut("bert", spaces, signs, (ANY, Action.GROUP))]
