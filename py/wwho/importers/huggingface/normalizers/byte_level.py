"""ByteLevel: each character becomes the characters that stand for its bytes.

The alphabet is that of GPT-2's vocabulary, in which a space is Ġ. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "ByteLevel"}, " é")
    'ĠÃ©'
"""

from __future__ import annotations

from wwho.format.steps import Rewrite, Spell
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns


def steps(_: Value, __: Patterns) -> list[Rewrite]:
    """Return the step that spells bytes."""
    return [Spell()]
