r"""Nmt: control characters vanish, and all kinds of white space and U+FFFD become a space.

Which characters these are, `tokenizers` has taken from SentencePiece. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "Nmt"}, "a\x01b\u2581c\td")
    'ab c d'
"""

from __future__ import annotations

from wwho.compile.codepoints import CodePointSet
from wwho.format.steps import Map, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns

REMOVED = CodePointSet.of((1, 8), 0xB, (0xE, 0x1F), 0x7F, 0x8F, 0x9F)
SPACES = CodePointSet.of(
    9, 0xA, 0xC, 0xD, 0x1680, (0x200B, 0x200F), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD
)


def steps(_: Value, __: Patterns) -> list[Rewrite]:
    """Return the step that maps these characters to nothing or to a space."""
    return [Map({**dict.fromkeys(REMOVED, ()), **dict.fromkeys(SPACES, (0x20,))})]
