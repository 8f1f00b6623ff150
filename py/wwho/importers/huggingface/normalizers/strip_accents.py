r"""StripAccents: combining marks vanish.

They are those of Unicode 9.0 that stand as characters of their own, so a normalizer NFD or NFKD
before it makes accents of letters vanish, too. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "StripAccents"}, "e\u0301\u00e9")
    'eé'
"""

from __future__ import annotations

from wwho.compile.unicode import category
from wwho.format.steps import Map, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns


def steps(_: Value, __: Patterns) -> list[Rewrite]:
    """Return the step that maps each combining mark to nothing."""
    return [Map(dict.fromkeys(category("M", "9.0"), ()))]
