"""ByteLevel: offsets leave out the white space of tokens.

Options:
    trim_offsets: whether they do.
    add_prefix_space: whether a space at the start of the text may be one that was put there, so
        that offsets keep one there.
    use_regex: an option of the pre-tokenizer, which says nothing here.

Example:
    >>> from wwho.importers.huggingface.examples import process
    >>> options = {"trim_offsets": True, "add_prefix_space": True, "use_regex": True}
    >>> process({"type": "ByteLevel", **options}, [7, 8])
    [7, 8]
"""

from __future__ import annotations

from functools import partial

from wwho.format.template import KEEP, KEEP_ALONE
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.post_processors.parts import Ids, Parts, Process

MOVE = 1
"""The move of a trim that keeps no space at the start."""
LAST_MOVE = 3
"""A trim up to this one has one move, and there is room for another."""


def process(value: Value, _: Ids) -> Process:
    """Return what trims the offsets of texts, and changes no ids."""
    return partial(trim, value)


def trim(value: Value, parts: Parts) -> Parts:
    """Return the parts with one more move in the trim of each text (FORMAT.md, TEMPLATE).

    Args:
        value: the post-processor, whose options say how.
        parts: the parts so far; in all but the first, one before the text may count as the first.

    Raises:
        SourceError: two post-processors before it trim already.
    """
    trims, keeps = value.flag("trim_offsets"), value.flag("add_prefix_space")
    if not trims:
        return parts
    if any(place.what and place.id > LAST_MOVE for part in parts for place in part):
        value.at("trim_offsets").fail("found a third of a Sequence that trims; two may")
    found = []
    for number, part in enumerate(parts):
        move = (KEEP_ALONE if number else KEEP) if keeps else MOVE
        found.append(
            tuple(
                place._replace(id=place.id | move << 2 * bool(place.id)) if place.what else place
                for place in part
            )
        )
    return found
