"""The section NORMALIZER: which steps rewrite a text before the router cuts it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_LISTED_STEPS
from wwho.format.steps import Blocks, Cut, Rewrite, Step


def write_normalizer(first: Sequence[int], second: Sequence[int]) -> bytes:
    """Return the bytes of the section NORMALIZER.

    Args:
        first: numbers of the steps that rewrite each part of a text between the added tokens that
            are found in the text as it is.
        second: numbers of the steps that rewrite each part between the added tokens of normalized
            text.

    Example:
        >>> write_normalizer([2, 0], [1]).hex(" ", -2)
        '0201 0000 0200 0000 0100'
    """
    numbers = [*first, *second]
    return struct.pack(f"<BBH{len(numbers)}H", len(first), len(second), 0, *numbers)


def read_normalizer(
    data: bytes, steps: Sequence[Step]
) -> tuple[tuple[Rewrite, ...], tuple[Rewrite, ...]]:
    """Return the first and the second steps that a section names.

    Args:
        data: the bytes of the section NORMALIZER.
        steps: all steps of the file.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is NORMALIZER.
    """
    cursor = Cursor(data, "NORMALIZER")
    n_first, n_second, zero = cursor.numbers("BBH", "head")
    if not n_first + n_second or max(n_first, n_second) > MAX_LISTED_STEPS or zero:
        cursor.fail(
            f"{n_first} first and {n_second} second steps, at most {MAX_LISTED_STEPS} each; {zero}"
        )
    numbers = cursor.numbers(f"{n_first + n_second}H", "steps")
    cursor.end()
    found: list[Rewrite] = []
    for number in numbers:
        if number >= len(steps):
            cursor.fail(f"step {number} of {len(steps)}")
        step = steps[number]
        if isinstance(step, Cut | Blocks):
            cursor.fail(f"step {number} is a {type(step).__name__}, which only a route may have")
        found.append(step)
    return tuple(found[:n_first]), tuple(found[n_first:])
