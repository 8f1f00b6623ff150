"""Lowercase: each character becomes its lower case, whatever stands beside it.

A capital sigma is always σ, also at the end of a word, and İ becomes i with a dot above. There are
no options.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "Lowercase"}, "ΣΑΣ É")
    'σασ é'
"""

from __future__ import annotations

from wwho.compile.normal_forms import lower_case
from wwho.format.steps import Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns


def steps(_: Value, __: Patterns) -> list[Rewrite]:
    """Return the step that maps each character to its lower case, by Unicode 17.0."""
    return [lower_case()]
