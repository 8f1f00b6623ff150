"""Which units become atoms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wwho.build.atoms import AtomKind

if TYPE_CHECKING:
    from wwho.train.native import Words

SPACE = b" "
BYTES = tuple(bytes([byte]) for byte in range(256))
"""The atoms where these are bytes: all of them, seen or not."""

MAX_ATOM = 255
"""Bytes of an atom, at most (FORMAT.md, section 7)."""


def atoms_of(kind: AtomKind, words: Words, prune: int) -> tuple[bytes, ...]:
    """The atoms for the words of a corpus: those of `choose_atoms`, or all bytes."""
    if kind is AtomKind.BYTE:
        return BYTES
    return choose_atoms({unit[0]: count for unit, count in words.units().items()}, prune)


def choose_atoms(units: Mapping[bytes, int], prune: int) -> tuple[bytes, ...]:
    """Choose the units that get an id of their own.

    `units` counts units as they occur: with the space before them, or without. For a unit X without
    a space, X is an atom where it was seen at least `prune` times in all, with or without the
    space; " X" is an atom where it was seen that often itself. So wherever " X" is an atom, X is
    one, and every syllable seen `prune` times or more is in the vocabulary. A unit that is no atom
    is *pruned*: no pair with it is ever merged; where " X" is pruned and X is not, the encoder
    writes the lone space and then X, and training counts it so. Units over 255 bytes are never
    atoms.

    Args:
        units: text in UTF-8 to number of occurrences.
        prune: the threshold, at least 1.

    Returns:
        The atoms, in ascending byte order.

    Example:
        >>> choose_atoms({b"X": 1, b" X": 2, b"Y": 1, b" Y": 1}, 2)
        (b' X', b'X', b'Y')
    """
    totals: dict[bytes, int] = {}
    for unit, count in units.items():
        bare = unit.removeprefix(SPACE)
        totals[bare] = totals.get(bare, 0) + count
    spaced = (unit for unit, count in units.items() if unit[:1] == SPACE and count >= prune)
    bare_atoms = (unit for unit, count in totals.items() if count >= prune)
    atoms = {unit for unit in (*spaced, *bare_atoms) if 0 < len(unit) <= MAX_ATOM}
    return tuple(sorted(atom for atom in atoms if atom.removeprefix(SPACE) in atoms))
