"""The pre-tokenizers of `tokenizers`, each in a file of its own, as lists of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wwho.format.steps import Step
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.pre_tokenizers import (
    bert,
    byte_level,
    delimiter,
    digits,
    fixed_length,
    metaspace,
    punctuation,
    sequence,
    split,
    unicode_scripts,
    whitespace,
    whitespace_split,
)

STEPS: Mapping[str, Callable[[Value, Patterns], list[Step]]] = {
    "BertPreTokenizer": bert.steps,
    "ByteLevel": byte_level.steps,
    "CharDelimiterSplit": delimiter.steps,
    "Digits": digits.steps,
    "FixedLength": fixed_length.steps,
    "Metaspace": metaspace.steps,
    "Punctuation": punctuation.steps,
    "Split": split.steps,
    "UnicodeScripts": unicode_scripts.steps,
    "Whitespace": whitespace.steps,
    "WhitespaceSplit": whitespace_split.steps,
}
"""For each type of pre-tokenizer the function that gives its steps; a Sequence has none of its own.
"""


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return the steps of a pre-tokenizer, which may be null or a Sequence, in order.

    Three Splits by which AFMoE's files count digits from the end of their run are one step: each of
    them alone looks ahead without bound, as far as the run goes.

    Raises:
        SourceError: its type or an option is not known, or an option has no valid value.
        PatternError: its pattern cannot be compiled.
    """
    found: list[Step] = []
    left = list(sequence.parts(value))
    while left:
        if [each.raw for each in left[: len(split.THOUSANDS)]] == split.THOUSANDS:
            found += split.thousands(patterns)
            del left[: len(split.THOUSANDS)]
            continue
        part = left.pop(0)
        check_options(part)
        found += part.dispatch(STEPS, "pre-tokenizer", patterns)
    return found
