"""The choice of atoms, the symbols that tokens are merged from, by the counts of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from wwho.assemble.atoms import AtomKind
from wwho.assemble.script import script_step
from wwho.compile.codepoints import CodePointSet
from wwho.format.bpe import BYTES
from wwho.format.steps import symbol_text
from wwho.train.native import WordTable

SPACE = b" "
NOTHING = CodePointSet()

MAX_ATOM = 255
"""Bytes of an atom, at most (FORMAT.md, ADDED)."""


def atoms_of(
    kind: AtomKind,
    words: WordTable,
    prune: int,
    *,
    characters: CodePointSet = NOTHING,
    end_of_word: bool = False,
) -> tuple[bytes, ...]:
    """Return the atoms for the words of a corpus, in the order of their ids.

    Args:
        kind: the kind of the atoms. Bytes and the symbols of `script_step` are all atoms, whatever
            the words are; of other kinds `choose_atoms` chooses.
        words: the words, with their counts.
        prune: how often a unit must be seen to be an atom, at least 1.
        characters: code points that are atoms, seen or not.
        end_of_word: whether a space is a unit of its own.
    """
    if kind is AtomKind.BYTE:
        return BYTES
    if kind is AtomKind.SCRIPT:
        return tuple(map(symbol_text, range(script_step().n_symbols)))
    return choose_atoms(words.count_units(), prune, characters=characters, end_of_word=end_of_word)


def choose_atoms(
    units: Mapping[bytes, int],
    prune: int,
    *,
    characters: CodePointSet = NOTHING,
    end_of_word: bool = False,
) -> tuple[bytes, ...]:
    """Return the units that get an id of their own, by how often they were seen.

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
        characters: code points that are atoms anyway, seen or not.
        end_of_word: whether a space is a unit of its own: X is then an atom where it was seen
            `prune` times, with or without a space in it.

    Returns:
        The atoms, in ascending byte order.

    Example:
        >>> choose_atoms({b"X": 1, b" X": 2, b"Y": 1, b" Y": 1}, 2)
        (b' X', b'X', b'Y')
    """
    totals = Counter(units if end_of_word else count_spaced_and_bare(units))
    atoms = {unit for unit, n in totals.items() if n >= prune and 0 < len(unit) <= MAX_ATOM}
    if not end_of_word:
        atoms = {atom for atom in atoms if atom.removeprefix(SPACE) in atoms}
    return tuple(sorted(atoms.union(chr(character).encode() for character in characters)))


def count_spaced_and_bare(units: Mapping[bytes, int]) -> Counter[bytes]:
    """Return how often " X" was seen, and X in all, with the space before it or without.

    Example:
        >>> sorted(count_spaced_and_bare({b"X": 1, b" X": 2}).items())
        [(b' X', 2), (b'X', 3)]
    """
    counts = Counter({unit: count for unit, count in units.items() if unit[:1] == SPACE})
    for unit, count in units.items():
        counts[unit.removeprefix(SPACE)] += count
    return counts
