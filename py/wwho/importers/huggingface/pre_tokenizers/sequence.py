"""Sequence: several pre-tokenizers, each of which takes every piece that the one before it leaves.

Options:
    pretokenizers: the pre-tokenizers, in order; a Sequence may be one of them.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> parts = [{"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": True}]
    >>> pre_tokenize({"type": "Sequence", "pretokenizers": parts}, "ab 12")
    ['ab', '1', '2']
"""

from __future__ import annotations

from collections.abc import Iterator

from wwho.importers.huggingface.document import Value, check_options


def parts(value: Value) -> Iterator[Value]:
    """Yield the pre-tokenizers that a component consists of, in order: itself, if no Sequence.

    A component that is null yields nothing. A Sequence within a Sequence yields its own parts.

    Raises:
        SourceError: a Sequence has no list of pre-tokenizers, or an option that is not known.
    """
    if value.raw is None:
        return
    if value.kind() != "Sequence":
        yield value
        return
    check_options(value)
    for each in value.items("pretokenizers"):
        yield from parts(each)
