"""What post-processors are given and give: the parts of a text or of a pair of texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from wwho.format.template import Place
from wwho.importers.huggingface.document import Value

Parts = Sequence[tuple[Place, ...]]
"""The places of each part. That of a text has its trim in place of an id."""

Process = Callable[[Parts], Parts]
"""What a post-processor makes of the parts that the one before it leaves."""

Ids = Mapping[str, int]
"""All tokens of a tokenizer: text to id."""


def known_id(value: Value, number: int, known: Collection[int]) -> int:
    """Return an id that a post-processor names.

    Args:
        value: what names the id, for the message.
        number: the id.
        known: the ids of all tokens.

    Raises:
        SourceError: no token has it.
    """
    if number not in known:
        value.fail(f"found {value.raw!r}, but no token has the id {number}")
    return number
