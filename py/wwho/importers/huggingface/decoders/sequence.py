"""Sequence: several decoders, one after another.

Options:
    decoders: the decoders, in order; a Sequence may be one of them.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}, "ab")
    'ab'
"""

from __future__ import annotations

from collections.abc import Iterator

from wwho.importers.huggingface.document import Value, check_options


def parts(value: Value) -> Iterator[Value]:
    """Yield the decoders that a component consists of, in order: itself, if it is no Sequence.

    A Sequence within a Sequence yields its own parts.

    Raises:
        SourceError: a Sequence has no list of decoders, or an option that is not known.
    """
    if value.kind() != "Sequence":
        yield value
        return
    check_options(value)
    for each in value.items("decoders"):
        yield from parts(each)
