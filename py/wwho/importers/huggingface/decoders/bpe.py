"""BPEDecoder: the suffix that ends words becomes a space, or nothing in the last token.

Options:
    suffix: what stands behind the last symbol of a word; it must not be empty.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "BPEDecoder", "suffix": "</w>"}, ["a", "b</w>", "c</w>"])
    'ab c'
"""

from __future__ import annotations

from wwho.format.decoder import Replace, Step, Where
from wwho.importers.huggingface.document import Value


def steps(value: Value) -> list[Step]:
    """Return two steps: one for the last token, and one for all others.

    Raises:
        SourceError: the suffix is empty.
    """
    suffix = not_empty(value, "suffix")
    return [Replace(suffix, "", Where.LAST), Replace(suffix, " ", Where.BUT_LAST)]


def not_empty(value: Value, option: str) -> str:
    """Return an option that is a text.

    Raises:
        SourceError: it is empty.
    """
    if not (found := value.text(option)):
        value.at(option).fail("an empty text is everywhere; name one that tokens may have")
    return found
