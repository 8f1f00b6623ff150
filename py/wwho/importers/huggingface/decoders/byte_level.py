r"""ByteLevel: characters that stand for bytes become these bytes, and all tokens one text.

A token with any other character stays as it is. The options are those of the pre-tokenizer and say
nothing here.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> options = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    >>> decode({"type": "ByteLevel", **options}, ["\u0120caf", "\u00c3\u00a9"])
    ' café'
"""

from __future__ import annotations

from wwho.format.decoder import Join, Step, Unspell
from wwho.importers.huggingface.document import Value


def steps(_: Value) -> list[Step]:
    """Return two steps: bytes for characters, and one text for all tokens."""
    return [Unspell(), Join()]
