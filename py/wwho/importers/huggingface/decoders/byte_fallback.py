"""ByteFallback: neighbouring tokens `<0xHH>` become the text of which they are the bytes.

If these bytes are no UTF-8, each becomes U+FFFD. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "ByteFallback"}, ["a", "<0xC3>", "<0xA9>"])
    'aé'
"""

from __future__ import annotations

from wwho.format.decoder import Bytes, Step
from wwho.importers.huggingface.document import Value


def steps(_: Value) -> list[Step]:
    """Return the step that joins bytes."""
    return [Bytes()]
