"""WordPiece: tokens that continue a word lose their prefix, and a space goes before all others.

Options:
    prefix: what stands before tokens that continue a word.
    cleanup: whether spaces before punctuation and within contractions of English go.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "WordPiece", "prefix": "##", "cleanup": True}, ["un", "##able", ".", "##a"])
    'unable.a'
"""

from __future__ import annotations

from wwho.format.decoder import Replace, Step, Strip, Where
from wwho.importers.huggingface.document import Value

CLEAN_UP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)
"""What cleaning up replaces, in this order."""


def steps(value: Value) -> list[Step]:
    """Return the steps: the prefix or a space, then one for each text that is cleaned up."""
    found: list[Step] = [Strip(value.text("prefix"), 1, 0, " ", Where.REST)]
    return [*found, *(clean_up() if value.flag("cleanup") else ())]


def clean_up() -> list[Step]:
    """Return the steps of the cleaning up, which works token by token."""
    return [Replace(text, content) for text, content in CLEAN_UP]
