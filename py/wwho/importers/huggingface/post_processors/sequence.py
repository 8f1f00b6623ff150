"""Sequence: several post-processors, one after another.

Options:
    processors: the post-processors, in order; a Sequence may be one of them.

Example:
    >>> from wwho.importers.huggingface.examples import process
    >>> bert = {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]}
    >>> trim = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    >>> process({"type": "Sequence", "processors": [trim, bert]}, [7, 8])
    [0, 7, 8, 1]
"""

from __future__ import annotations

from collections.abc import Iterator

from wwho.importers.huggingface.document import Value, check_options


def parts(value: Value) -> Iterator[Value]:
    """Yield the post-processors that a component consists of, in order: itself, if no Sequence.

    A component that is null yields nothing. A Sequence within a Sequence yields its own parts.

    Raises:
        SourceError: a Sequence has no list of post-processors, or an option that is not known.
    """
    if value.raw is None:
        return
    if value.kind() != "Sequence":
        yield value
        return
    check_options(value)
    for each in value.items("processors"):
        yield from parts(each)
