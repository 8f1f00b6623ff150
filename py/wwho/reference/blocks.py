"""The step BLOCKS in plain Python (FORMAT.md, STEPS: Kind 7)."""

from __future__ import annotations

from wwho.format.steps import Blocks
from wwho.reference.piece import Piece, bytes_of, read_piece


def write_blocks(step: Blocks, piece: Piece) -> Piece:
    """Return a piece in which each character is written with the symbols of its block and index.

    A character without a place is written with the symbols of its bytes, or left out.
    """
    return piece.rewrite(
        (symbol, source)
        for character, source in zip(piece.text, piece.sources, strict=True)
        for symbol in read_piece(_symbols(step, character)).text
    )


def _symbols(step: Blocks, character: str) -> bytes:
    """Return the symbols of a character, two bytes for each."""
    broken = "\ud800" <= character <= "\udfff"
    return step.symbols_of(bytes_of(character) if broken else ord(character))
