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

from wwho.format.template import KEEP, KEEP_ALONE, Place
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.post_processors.parts import Ids, Parts, Process

MOVE = 1
"""The move of a trim that keeps no space at the start."""
LAST_MOVE = 3
"""A trim up to this one has one move, and there is room for another."""


def process(value: Value, _: Ids) -> Process:
    """Return a function that trims the offsets of texts, and changes no ids."""
    return partial(trim, value)


def trim(value: Value, parts: Parts) -> Parts:
    """Return the parts with one more move in the trim of each text (FORMAT.md, TEMPLATE).

    Args:
        value: the post-processor, whose options say how.
        parts: the parts so far.

    Raises:
        SourceError: two post-processors before it trim already.
    """
    trims, keeps = value.flag("trim_offsets"), value.flag("add_prefix_space")
    if not trims:
        return parts
    if any(place.what and place.id > LAST_MOVE for part in parts for place in part):
        value.at("trim_offsets").fail("found a third of a Sequence that trims; two may")
    return [
        tuple(_trim_place(place, number, keeps=keeps) for number, place in enumerate(part))
        for part in parts
    ]


def _trim_place(place: Place, number: int, *, keeps: bool) -> Place:
    """Return the place of a text with one more move in its trim; any other place stays.

    Args:
        place: the place.
        number: how many places of its part come before it: with any, the text's first token is the
            first of the part only if the caller asks for no surrounding ids.
        keeps: whether a first token keeps a space at its start.
    """
    if not place.what:
        return place
    move = (KEEP_ALONE if number else KEEP) if keeps else MOVE
    return place._replace(id=place.id | move << 2 * bool(place.id))
