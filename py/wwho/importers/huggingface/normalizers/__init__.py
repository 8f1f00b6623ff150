"""The normalizers of `tokenizers`, each in a file of its own, as lists of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wwho.format.steps import Rewrite
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.normalizers import (
    bert,
    byte_level,
    lowercase,
    nmt,
    precompiled,
    prepend,
    replace,
    sequence,
    strip,
    strip_accents,
    unicode,
)
from wwho.importers.huggingface.patterns import Patterns

STEPS: Mapping[str, Callable[[Value, Patterns], list[Rewrite]]] = {
    "BertNormalizer": bert.steps,
    "ByteLevel": byte_level.steps,
    "Lowercase": lowercase.steps,
    "NFC": unicode.steps,
    "NFD": unicode.steps,
    "NFKC": unicode.steps,
    "NFKD": unicode.steps,
    "Nmt": nmt.steps,
    "Precompiled": precompiled.steps,
    "Prepend": prepend.steps,
    "Replace": replace.steps,
    "Strip": strip.steps,
    "StripAccents": strip_accents.steps,
}
"""For each type of normalizer the function that gives its steps; a Sequence has none of its own."""

MOVES_SOURCES = STEPS.keys() - {"Prepend", "Replace"}
"""Types that `tokenizers` runs wrongly, or not at all, on a text in front of which a Replace has
put characters: they take these for characters of the text."""


def steps(value: Value, patterns: Patterns) -> list[Rewrite]:
    """Return the steps of a normalizer, which may be null or a Sequence, in order.

    The patterns of the steps are added to `patterns`.

    Raises:
        SourceError: its type or an option is not known, an option has no valid value, or a Replace
            may put characters in front of a text that a later normalizer moves (`MOVES_SOURCES`).
        PatternError: its pattern cannot be compiled.
    """
    found: list[Rewrite] = []
    inserts = False
    for part in sequence.parts(value):
        check_options(part)
        if inserts and part.raw.get("type") in MOVES_SOURCES:
            part.fail(replace.INSERTS)
        found += part.dispatch(STEPS, "normalizer", patterns)
        inserts |= replace.may_insert_in_front(part)
    return found


def may_insert_in_front(value: Value) -> bool:
    """Return whether a normalizer may put characters before a text, by an empty match.

    Raises:
        SourceError: a member of a Replace is missing or of another type.
        PatternError: a pattern cannot be compiled.
    """
    return any(map(replace.may_insert_in_front, sequence.parts(value)))
