"""Characters that stand for bytes in the files of byte-level vocabularies, as in GPT-2's."""

from __future__ import annotations

_SHOWN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = tuple(byte for byte in range(256) if byte not in _SHOWN)
STAND_INS = {byte: byte for byte in _SHOWN} | {byte: 256 + k for k, byte in enumerate(_HIDDEN)}
"""The character for each byte: itself where it can be printed."""


def stand_in(text: bytes) -> str:
    """The characters that stand for bytes.

    Example:
        >>> stand_in(b" caf\\xc3\\xa9")
        'ĠcafÃ©'
    """
    return text.decode("latin-1").translate(STAND_INS)
