"""What steps make of a text, as the reference backend has it."""

from __future__ import annotations

from collections.abc import Sequence

from tiny import smallest_model

from wwho.format.automaton import CompiledScanners
from wwho.format.steps import Rewrite
from wwho.reference.piece import bytes_of, read_piece
from wwho.reference.rewrite import rewrite_all


def normalize(
    steps: Sequence[Rewrite], text: bytes, scanners: CompiledScanners | None = None
) -> tuple[bytes, list[int]]:
    """Return what steps make of a text, and for each byte where the character begins that it is of.

    Example:
        >>> from wwho.format.steps import Ends, Map
        >>> normalize([Map({0x41: (0x61,)}), Ends(prefix=" ")], b"AbA")
        (b' aba', [0, 0, 1, 2])
    """
    piece = rewrite_all(steps, read_piece(text), scanners or smallest_model().scanners)
    sources = zip(piece.text, piece.sources, strict=True)
    return piece.data, [source.begin for character, source in sources for _ in bytes_of(character)]
