"""Sequence: several normalizers, one after another.

Options:
    normalizers: the normalizers, in order; a Sequence may be one of them.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> parts = [{"type": "Lowercase"}, {"type": "Prepend", "prepend": "_"}]
    >>> normalize({"type": "Sequence", "normalizers": parts}, "AB")
    '_ab'
"""

from __future__ import annotations

from collections.abc import Iterator

from wwho.importers.huggingface.document import Value, check_options


def parts(value: Value) -> Iterator[Value]:
    """Yield the normalizers that a component consists of, in order: itself, if it is no Sequence.

    A component that is null yields nothing. A Sequence within a Sequence yields its own parts.

    Raises:
        SourceError: a Sequence has no list of normalizers, or an option that is not known.
    """
    if value.raw is None:
        return
    if value.kind() != "Sequence":
        yield value
        return
    check_options(value)
    for each in value.items("normalizers"):
        yield from parts(each)
