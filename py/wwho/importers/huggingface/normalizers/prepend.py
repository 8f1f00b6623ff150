"""Prepend: a text goes before each text that is not empty.

Options:
    prepend: the text, which must not be empty: `tokenizers` gives wrong offsets for an empty one.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "Prepend", "prepend": "_"}, "_a")
    '__a'
"""

from __future__ import annotations

from wwho.format.steps import Ends, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.normalizers.replace import MOST_CONTENT
from wwho.importers.huggingface.patterns import Patterns


def steps(value: Value, _: Patterns) -> list[Rewrite]:
    """Return the step that puts the text in front.

    Raises:
        SourceError: the text is empty, or too long.
    """
    if not (prefix := value.short_text("prepend", MOST_CONTENT)):
        value.at("prepend").fail("an empty text moves the offsets of what is behind it")
    return [Ends(prefix=prefix)]
