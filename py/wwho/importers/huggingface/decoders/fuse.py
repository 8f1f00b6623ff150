"""Fuse: all tokens become one text. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "Fuse"}, ["a", " b"])
    'a b'
"""

from __future__ import annotations

from wwho.format.decoder import Join, Step
from wwho.importers.huggingface.document import Value


def steps(_: Value) -> list[Step]:
    """Return the step that joins the tokens."""
    return [Join()]
