"""A part of the lines, chosen by what they say."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from hashlib import blake2b

HASH_BYTES = 8

Keep = Callable[[bytes], bool]
"""Takes a line without its line feed; tells whether it is in the sample."""


def sampler(fraction: Fraction) -> Keep | None:
    """What keeps this fraction of all different lines; None where it keeps every one.

    A line is kept where its hash, taken as a number, is below that fraction of all hashes. So equal
    lines are kept or dropped together, a larger sample holds every smaller one, and nothing
    depends on where a line stands.

    Example:
        >>> keep = sampler(Fraction("0.25"))
        >>> sum(keep(b"line %d" % number) for number in range(10_000))
        2545
    """
    if fraction == 1:
        return None
    below = int(fraction * 256**HASH_BYTES)

    def keep(line: bytes) -> bool:
        return int.from_bytes(blake2b(line, digest_size=HASH_BYTES).digest(), "big") < below

    return keep
